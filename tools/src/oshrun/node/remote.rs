//! A node server that the launcher's command has started on another host.

use super::{Start, serve};
use crate::control::{Control, Down};
use crate::plan::Plan;
use crate::sys::{self, Poller};
use anyhow::{Context, Result, bail};
use std::os::fd::OwnedFd;
use std::process::ExitCode;

/// The node server of another host: `oshrun --node-server`. Its standard input and output are the control connection.
pub fn remote() -> Result<ExitCode> {
    let dup = |fd: i32| -> Result<OwnedFd> {
        // SAFETY: descriptors 0 and 1 are open: Rust's start-up sees to it.
        let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd) };
        fd.try_clone_to_owned().context("cannot copy a descriptor")
    };
    let mut control = Control::new(dup(0)?, dup(1)?)?;
    control.greet();
    control.flush();
    serve_over(control)
}

/// Serves the node that oshrun assigns to this process over the control connection.
pub fn serve_over(mut control: Control) -> Result<ExitCode> {
    // The control connection may be standard input and output, and nobody else may use it.
    nix::unistd::dup2_stdin(&crate::spawn::null()?).context("cannot replace standard input")?;
    nix::unistd::dup2_stdout(std::io::stderr()).context("cannot replace standard output")?;
    // From now on errors are told over the control connection; standard error would be a second line.
    let (plan, node) = match first(&mut control) {
        Ok(first) => first,
        Err(e) => {
            control.give_up(sys::told(&e));
            return Ok(ExitCode::FAILURE);
        }
    };
    let located = |e: &anyhow::Error| plan.located(node, &sys::told(e));
    let serve = |inherited, control: &mut Control| {
        serve(Start { plan: &plan, node, inherited, direct: false, stdin: None }, control)
    };
    let code = crate::launch::guarded(control, located, serve);
    // Only the process beside the server comes here. The server may have been killed.
    crate::pmix::dir::remove(&plan, node);
    Ok(code)
}

/// Waits for the plan, and for this node's number in it.
fn first(control: &mut Control) -> Result<(Box<Plan>, u32)> {
    let mut poller = Poller::new()?;
    poller.add(control.reader(), 0, true, false)?;
    let mut ready = Vec::new();
    let mut known = None;
    loop {
        match (control.next::<Down>()?, known.take()) {
            (Some(Down::Plan(plan)), None) => {
                known = Some(plan);
                continue;
            }
            (Some(Down::You(node)), Some(plan)) => return Ok((plan, node)),
            (Some(_), _) => bail!("the first messages were no plan"),
            (None, plan) => known = plan,
        }
        poller.wait(None, &mut ready)?;
        control.flush();
        if !control.fill() {
            bail!("oshrun has gone before it sent a plan");
        }
    }
}
