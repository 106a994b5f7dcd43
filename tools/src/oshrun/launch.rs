//! Starting node servers: by fork on this machine, by the launcher's command on others.

use crate::allocation::{Allocation, Manager};
use crate::cli;
use crate::control::Control;
use crate::hosts;
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
    /// All at once, by this command: see [`crate::srun`].
    Srun(String),
}

/// How the nodes of a job are reached.
pub struct Routes {
    pub launcher: Launcher,
    /// Whether the server of a node is forked here, by node.
    pub local: Vec<bool>,
}

impl Routes {
    /// A launcher that was asked for is used for every host; the others are spared where they are not needed.
    /// `silence`: how long a host may be silent.
    pub fn new(o: &cli::Job, silence: Option<Duration>, hosts: &[String], allocation: Option<&Allocation>) -> Routes {
        let launcher = launcher(o, silence, allocation.map(|a| a.manager));
        let named = o.hosts.is_some() || o.hostfile.is_some();
        let asked = o.launcher.as_deref().is_some_and(|l| l != "ssh") || o.launcher_exec.is_some();
        let is_local = |host: &String| match allocation {
            _ if matches!(launcher, Launcher::Fork) => true,
            None if !named => true,
            _ if asked => false,
            _ if o.localhost.as_ref() == Some(host) => true,
            Some(allocation) => allocation.is_here(host),
            None => hosts::is_here(host),
        };
        let local = hosts.iter().map(is_local).collect();
        Routes { launcher, local }
    }
}

/// `-launcher` and `-launcher-exec`, or what suits the batch system.
fn launcher(o: &cli::Job, silence: Option<Duration>, manager: Option<Manager>) -> Launcher {
    // The name of what a command is like, as mpiexec has it, and the command itself.
    let exec = o.launcher_exec.clone();
    let usual = match manager {
        Some(Manager::Slurm) => "srun",
        Some(Manager::Lsf) if exec.is_none() && on_path("blaunch") => "blaunch",
        _ => "ssh",
    };
    match (o.launcher.as_deref().unwrap_or(usual), exec) {
        ("fork", None) => Launcher::Fork,
        ("srun", exec) => Launcher::Srun(exec.unwrap_or_else(|| "srun".into())),
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

fn on_path(command: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(command).is_file())
}

/// Where oshrun lies on other hosts.
pub fn oshrun_there(o: &cli::Job) -> Result<PathBuf> {
    match &o.remote_oshrun {
        Some(path) => Ok(PathBuf::from(path)),
        None => std::env::current_exe().context("cannot tell where oshrun lies; say --remote-oshrun FILE"),
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
        let own = oshrun_there(o)?;
        // ssh gives its words to a shell; quoted only where needed, so that other commands see what is meant.
        let own = quoted(own.as_os_str().as_bytes());
        Ok(words.iter().cloned().chain([host.to_string(), own, NODE_SERVER.to_string()]).collect())
    }
}

/// The first word of an oshrun that is to be a node server.
pub const NODE_SERVER: &str = "--node-server";

/// Starts the launcher's command, with pipes to its standard streams.
pub fn start(words: &[String]) -> Result<Child> {
    spawn(Command::new(&words[0]).args(&words[1..]).stdout(Stdio::piped()))
}

/// Starts a command that reaches other hosts, with pipes to its standard input and standard error.
pub fn spawn(command: &mut Command) -> Result<Child> {
    let name = command.get_program().to_string_lossy().into_owned();
    command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        // Apart from the terminal's Ctrl-C, which oshrun passes on itself.
        .process_group(0)
        .spawn()
        .map_err(|e| {
            anyhow!("cannot start {name}: {} (-launcher names the command that reaches other hosts)", plain(&e))
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
) -> Result<(Pid, Vec<Control>)> {
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for &node in nodes {
        let (a, b) = sys::stream_pair()?;
        ours.push(Control::over_socket(a)?);
        theirs.push((node, Control::over_socket(b)?));
    }
    let parent = Pid::this();
    // SAFETY: this process has one thread, so the child may do whatever a process may.
    match unsafe { nix::unistd::fork() }.map_err(sys::no_process)? {
        ForkResult::Parent { child } => Ok((child, ours)),
        ForkResult::Child => {
            drop(ours);
            in_session(parent, || {
                let start = |node, stdin, control: &mut Control| {
                    node::serve(Start { plan, node, inherited, direct, stdin }, control)
                };
                if theirs.len() == 1 {
                    let (node, mut control) = theirs.pop().expect("there is one");
                    return start(node, stdin, &mut control);
                }
                // Several nodes are played: their ranks share our cores, so they share our session.
                while let Some((node, mut control)) = theirs.pop() {
                    let parent = Pid::this();
                    // Whoever else kept it open would hide from who writes into it that rank 0 has closed it.
                    let input = stdin.take_if(|_| plan.node_of[0] == node);
                    // SAFETY: as above.
                    match unsafe { nix::unistd::fork() }.map_err(sys::no_process) {
                        Ok(ForkResult::Parent { .. }) => {}
                        Ok(ForkResult::Child) => {
                            drop((theirs, stdin));
                            with_parent(parent, || start(node, input, &mut control))
                        }
                        Err(e) => {
                            control.give_up(format!("{e:#}"));
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
    mut control: Control,
    words: impl FnOnce(&anyhow::Error) -> String,
    work: impl FnOnce(sys::Inherited, &mut Control) -> Result<()>,
) -> ExitCode {
    let before = sys::children();
    sys::adopt_orphans();
    let parent = Pid::this();
    // SAFETY: this process has one thread, so the child may do whatever a process may.
    let fork = || unsafe { nix::unistd::fork() }.map_err(sys::no_process);
    let forked = sys::Inherited::now().and_then(|inherited| Ok((inherited, fork()?)));
    match forked {
        Err(e) => {
            control.give_up(words(&e));
            ExitCode::FAILURE
        }
        Ok((inherited, ForkResult::Child)) => in_session(parent, || work(inherited, &mut control)),
        Ok((_, ForkResult::Parent { child })) => {
            // It is the child's now.
            drop(control);
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
pub fn plain(e: &std::io::Error) -> String {
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
