//! `oshrun`: starts parallel programs.
//!
//! A job has four kinds of process: the front, which is oshrun itself, a node server for each node, a relay beside it
//! on other hosts, and the ranks. docs/design/launcher.md shows them, and who notices which end. No process survives
//! the job: a rank is killed when its server ends (parent-death signal), a server ends its ranks when its control
//! connection closes, and the remaining process adopts and kills the rest (child subreaper).

mod allocation;
mod below;
mod bind;
mod cli;
mod control;
mod debug;
mod environment;
mod foreign;
mod front;
mod hostlist;
mod hosts;
mod launch;
mod listener;
mod make;
mod node;
mod output;
mod placement;
mod plan;
mod pmix;
mod poll;
mod profile;
mod report;
mod spawn;
mod srun;
mod sys;
mod topology;
mod tree;

use anyhow::{Context, Result};
use oshmpi_tools::{print_for_install, write_out};
use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    // First of all: a process that ignores it is not told of the ends of its children.
    sys::unignore_sigchld();
    perform().unwrap_or_else(|(e, code)| {
        let _ = write_out(std::io::stderr(), &format!("oshrun: {}\n", sys::told(&e)));
        ExitCode::from(code)
    })
}

/// Does what the command line asks. An error has the exit code.
fn perform() -> Result<ExitCode, (anyhow::Error, u8)> {
    let (wrong, ours) = (|e| (e, 2_u8), |e| (e, control::OURS as u8));
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if words.first().is_some_and(|w| w == launch::NODE_SERVER) {
        let serve = if words.get(1).is_some_and(|w| w == srun::CALL_BACK) { node::call_back } else { node::remote };
        return serve().map_err(ours);
    }
    if print_for_install(cli::definition).map_err(wrong)? {
        return Ok(ExitCode::SUCCESS);
    }
    match cli::parse(words).map_err(wrong)? {
        cli::Request::Print(text) => {
            write_out(std::io::stdout(), &text).map_err(ours)?;
            Ok(ExitCode::SUCCESS)
        }
        cli::Request::Run(command) => {
            let made = make::make(&command, allocation::find).map_err(wrong)?;
            let time_limit = time_limit(&command).map_err(wrong)?;
            run(&command, made, time_limit).map_err(ours)
        }
    }
}

fn run(command: &cli::Command, mut made: (plan::Plan, launch::Routes), time_limit: Option<f64>) -> Result<ExitCode> {
    let (plan, routes) = &mut made;
    if command.job.dry_run {
        write_out(std::io::stdout(), &report::dry_run(plan, routes, &command.job)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if command.job.display_map {
        let _ = write_out(std::io::stderr(), &report::dry_run(plan, routes, &command.job)?);
    }
    if command.job.top {
        front::top::ask(&mut plan.env);
    }
    let profile = profile::Profile::begin(&command.job, &mut plan.env)?;
    let end = front::run(plan, routes, &command.job, time_limit)?;
    let mut code = end.code;
    if let Some(profile) = profile {
        let words = plan.programs.iter().flat_map(|p| &p.argv).map(|w| String::from_utf8_lossy(w));
        if let Err(e) = profile.end(&words.collect::<Vec<_>>().join(" "), plan.size()) {
            let _ = write_out(std::io::stderr(), &format!("oshrun: {}\n", sys::told(&e)));
            // How the job ended matters more, if it has failed.
            code = if code == 0 { control::OURS } else { code };
        }
    }
    if command.job.print_all_exitcodes {
        let _ = write_out(std::io::stderr(), &report::exit_codes(&end.codes));
    }
    if command.job.stats {
        // How the job ended matters more than whether this can be said.
        let _ = write_out(std::io::stderr(), &report::stats(plan, &end));
    }
    Ok(ExitCode::from(code as u8))
}

/// `-timeout`, or the variable that mpiexec's users know.
fn time_limit(command: &cli::Command) -> Result<Option<f64>> {
    let variable = std::env::var("MPIEXEC_TIMEOUT").ok().filter(|text| !text.is_empty());
    let (None, Some(text)) = (command.job.timeout, variable) else { return Ok(command.job.timeout) };
    let seconds = text.parse::<f64>().ok().filter(|s| *s > 0.0 && *s < 1e9);
    let wrong = || format!("MPIEXEC_TIMEOUT is \"{text}\"; expected a number of seconds above 0");
    seconds.map(Some).with_context(wrong)
}
