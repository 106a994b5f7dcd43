//! Starting node servers: by fork on this machine, by the launcher's command on others.

use crate::cli;
use crate::hosts;
use crate::link::Link;
use crate::node::{self, Start};
use crate::plan::{Plan, quoted};
use crate::sys;
use anyhow::{Context, Result, anyhow};
use nix::sys::signal::Signal;
use nix::sys::wait::WaitStatus;
use nix::unistd::{ForkResult, Pid, setsid};
use pmi_shm::tcp;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

/// How other hosts are reached.
pub enum Launcher {
    /// They are not: all nodes run here.
    Fork,
    /// The words before the host's name.
    Command(Vec<String>),
}

/// `-launcher` and `-launcher-exec`. `silence`: how long a host may be silent.
pub fn launcher(o: &cli::Job, silence: Option<Duration>) -> Launcher {
    // The name of what a command is like, as mpiexec has it, and the command itself.
    let exec = o.launcher_exec.clone();
    match (o.launcher.as_str(), exec) {
        ("fork", None) => Launcher::Fork,
        ("ssh", exec) => {
            let ssh = exec.unwrap_or_else(|| "ssh".into());
            // Without questions: nobody could answer them for several hosts at once.
            let words = [&ssh, "-x", "-T", "-o", "BatchMode=yes"].map(String::from);
            Launcher::Command(words.into_iter().chain(silence.into_iter().flat_map(signs_of_life)).collect())
        }
        (_, Some(exec)) => Launcher::Command(vec![exec]),
        (command, None) => Launcher::Command(command.split_whitespace().map(String::from).collect()),
    }
}

/// Options with which ssh notices that a host is lost: TCP alone gives up after a quarter of an hour, and while nothing
/// is to be sent, never. ssh ends when the question after the last one that it may leave unanswered is due.
fn signs_of_life(silence: Duration) -> [String; 4] {
    const UNANSWERED: u64 = 2;
    let between = silence.max(tcp::LEAST).as_secs() / (UNANSWERED + 1);
    let option = |name: &str, value: u64| format!("{name}={value}");
    let (between, unanswered) = (option("ServerAliveInterval", between), option("ServerAliveCountMax", UNANSWERED));
    ["-o".into(), between, "-o".into(), unanswered]
}

impl Launcher {
    /// The command line that starts a node server on `host`.
    pub fn words(&self, host: &str, o: &cli::Job) -> Result<Vec<String>> {
        let Launcher::Command(words) = self else { return Ok(Vec::new()) };
        let own = match &o.remote_oshrun {
            Some(path) => PathBuf::from(path),
            None => std::env::current_exe().context("cannot tell where oshrun lies; say --remote-oshrun FILE")?,
        };
        // ssh gives its words to a shell; quoted only where needed, so that other commands see what is meant.
        let own = quoted(own.as_os_str().as_bytes());
        Ok(words.iter().cloned().chain([host.to_string(), own, NODE_SERVER.to_string()]).collect())
    }
}

/// Whether the server of the node on `host` is forked here. A launcher that was asked for is used for every host; ssh is
/// spared where it is not needed.
pub fn is_local(launcher: &Launcher, host: &str, o: &cli::Job) -> bool {
    match launcher {
        Launcher::Fork => true,
        Launcher::Command(_) if o.hosts.is_none() && o.hostfile.is_none() => true,
        Launcher::Command(_) => {
            let asked = o.launcher != "ssh" || o.launcher_exec.is_some();
            !asked && (o.localhost.as_deref() == Some(host) || hosts::is_here(host))
        }
    }
}

/// The first word of an oshrun that is to be a node server.
pub const NODE_SERVER: &str = "--node-server";

/// Starts the launcher's command, with pipes to its standard streams.
pub fn start(words: &[String]) -> Result<Child> {
    Command::new(&words[0])
        .args(&words[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Apart from the terminal's Ctrl-C, which oshrun passes on itself.
        .process_group(0)
        .spawn()
        .map_err(|e| {
            anyhow!("cannot start {}: {} (-launcher names the command that reaches other hosts)", words[0], plain(&e))
        })
}

/// Forks the servers of the nodes that are on this machine. Returns the process to wait for and the links.
///
/// Signals are blocked already, and limits raised; `inherited` is what programs get.
pub fn fork(
    plan: &Plan,
    nodes: &[u32],
    inherited: sys::Inherited,
    direct: bool,
    mut stdin: Option<OwnedFd>,
) -> Result<(Pid, Vec<Link>)> {
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for &node in nodes {
        let (a, b) = sys::stream_pair()?;
        ours.push(Link::over_socket(a)?);
        theirs.push((node, Link::over_socket(b)?));
    }
    let parent = Pid::this();
    // SAFETY: this process has one thread, so the child may do whatever a process may.
    match unsafe { nix::unistd::fork() }.context("cannot start another process")? {
        ForkResult::Parent { child } => Ok((child, ours)),
        ForkResult::Child => {
            drop(ours);
            in_session(parent, || {
                let start =
                    |node, stdin, link: &mut Link| node::serve(Start { plan, node, inherited, direct, stdin }, link);
                if theirs.len() == 1 {
                    let (node, mut link) = theirs.pop().expect("there is one");
                    return start(node, stdin, &mut link);
                }
                // Several nodes are played: their ranks share our cores, so they share our session.
                while let Some((node, mut link)) = theirs.pop() {
                    let parent = Pid::this();
                    // Whoever else kept it open would hide from who writes into it that rank 0 has closed it.
                    let input = stdin.take_if(|_| plan.node_of[0] == node);
                    // SAFETY: as above.
                    match unsafe { nix::unistd::fork() }.context("cannot start another process") {
                        Ok(ForkResult::Parent { .. }) => {}
                        Ok(ForkResult::Child) => {
                            drop((theirs, stdin));
                            with_parent(parent, || start(node, input, &mut link))
                        }
                        Err(e) => {
                            link.give_up(format!("{e:#}"));
                            return Err(e);
                        }
                    }
                }
                sys::wait_for_children();
                Ok(())
            })
        }
    }
}

/// Runs `work` in a child in a session of its own; this process watches it and clears away what it leaves, whatever
/// happens to it. For node servers on other hosts: here oshrun itself does that. `words` tells of an error before it.
pub fn guarded(
    mut link: Link,
    words: impl FnOnce(&anyhow::Error) -> String,
    work: impl FnOnce(sys::Inherited, &mut Link) -> Result<()>,
) -> ExitCode {
    let before = sys::children();
    sys::adopt_orphans();
    let parent = Pid::this();
    // SAFETY: this process has one thread, so the child may do whatever a process may.
    let fork = || unsafe { nix::unistd::fork() }.context("cannot start another process");
    let forked = sys::Inherited::now().and_then(|inherited| Ok((inherited, fork()?)));
    match forked {
        Err(e) => {
            link.give_up(words(&e));
            ExitCode::FAILURE
        }
        Ok((inherited, ForkResult::Child)) => in_session(parent, || work(inherited, &mut link)),
        Ok((_, ForkResult::Parent { child })) => {
            // It is the child's now.
            drop(link);
            let status = loop {
                match nix::sys::wait::waitpid(child, None) {
                    Err(nix::errno::Errno::EINTR) => {}
                    status => break status,
                }
            };
            sys::kill_descendants(Duration::from_secs(10), &before);
            match status {
                Ok(WaitStatus::Exited(_, 0)) => ExitCode::SUCCESS,
                _ => ExitCode::FAILURE,
            }
        }
    }
}

fn in_session(parent: Pid, work: impl FnOnce() -> Result<()>) -> ! {
    // Cannot fail: a new child leads no process group.
    let _ = setsid();
    with_parent(parent, work)
}

/// Does a node server's work and ends. When the parent goes, SIGTERM comes; see `Node::signals_came`.
fn with_parent(parent: Pid, work: impl FnOnce() -> Result<()>) -> ! {
    let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGTERM);
    if nix::unistd::getppid() != parent {
        std::process::exit(1);
    }
    let code = if work().is_ok() { 0 } else { 1 };
    // SAFETY: ends the process. Handlers for its end are not run: ours has none, and those of libpmix may wait for a lock that a
    // killed rank has held.
    unsafe { libc::_exit(code) }
}

/// An error of the system without its number.
fn plain(e: &std::io::Error) -> String {
    let text = e.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ssh_asks_for_signs_of_life() {
        let asked = |seconds: u64| signs_of_life(Duration::from_secs(seconds)).join(" ");
        assert_eq!(asked(30), "-o ServerAliveInterval=10 -o ServerAliveCountMax=2");
        assert_eq!(asked(1), "-o ServerAliveInterval=2 -o ServerAliveCountMax=2");
    }
}
