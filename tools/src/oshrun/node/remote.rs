//! A node server that the launcher's command has started on another host.

use super::{Start, serve};
use crate::link::{Down, Link};
use crate::plan::Plan;
use crate::sys::Poller;
use anyhow::{Context, Result, bail};
use std::os::fd::OwnedFd;
use std::process::ExitCode;

/// The node server of another host: `oshrun --node-server`, started by the launcher with the link as its standard input
/// and output.
pub fn remote() -> Result<ExitCode> {
    let dup = |fd: i32| -> Result<OwnedFd> {
        // SAFETY: descriptors 0 and 1 are open: Rust's start-up sees to it.
        let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        fd.try_clone_to_owned().context("cannot copy a descriptor")
    };
    let mut link = Link::new(dup(0)?, dup(1)?)?;
    link.greet();
    link.flush();
    serve_over(link)
}

/// Serves the node to which the plan that comes over the link gives us.
pub fn serve_over(mut link: Link) -> Result<ExitCode> {
    // Nobody else may speak on the link, which may be these.
    nix::unistd::dup2_stdin(&crate::spawn::null()?).context("cannot replace standard input")?;
    nix::unistd::dup2_stdout(std::io::stderr()).context("cannot replace standard output")?;
    // From here on the link tells what is wrong; standard error would be a second line.
    let (plan, node) = match first(&mut link) {
        Ok(first) => first,
        Err(e) => {
            link.give_up(format!("{e:#}"));
            return Ok(ExitCode::FAILURE);
        }
    };
    let located = |e: &anyhow::Error| plan.located(node, &format!("{e:#}"));
    let serve =
        |inherited, link: &mut Link| serve(Start { plan: &plan, node, inherited, direct: false, stdin: None }, link);
    let code = crate::launch::guarded(link, located, serve);
    // Only the process beside the server comes here; the server may have been killed.
    crate::pmix::dir::remove(&plan, node);
    Ok(code)
}

/// Waits for the plan, and for our number in it.
fn first(link: &mut Link) -> Result<(Box<Plan>, u32)> {
    let mut poller = Poller::new()?;
    poller.add(link.reader(), 0, true, false)?;
    let mut ready = Vec::new();
    let mut known = None;
    loop {
        match (link.next::<Down>()?, known.take()) {
            (Some(Down::Plan(plan)), None) => {
                known = Some(plan);
                continue;
            }
            (Some(Down::You(node)), Some(plan)) => return Ok((plan, node)),
            (Some(_), _) => bail!("the first messages were no plan"),
            (None, plan) => known = plan,
        }
        poller.wait(None, &mut ready)?;
        link.flush();
        if !link.fill() {
            bail!("oshrun has gone before it sent a plan");
        }
    }
}
