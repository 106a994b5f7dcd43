//! Starts node servers: by fork on this machine, and by the launcher's command on others.

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
    /// All nodes are played by this machine.
    Fork,
    /// A command for each host: the words before the host's name.
    Command(Vec<String>),
    /// This srun starts all servers at once: see [`crate::srun`].
    Srun(String),
}

/// How the nodes of a job are reached.
pub struct Routes {
    pub launcher: Launcher,
    /// For each node, whether its server is forked on this machine.
    pub local: Vec<bool>,
}

impl Routes {
    /// A launcher that the user names is used for every host, also for this one. `silence` is how long a host may be
    /// silent.
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

/// The launcher of `-launcher` and `-launcher-exec`, otherwise the one of the batch system.
fn launcher(o: &cli::Job, silence: Option<Duration>, manager: Option<Manager>) -> Launcher {
    // The kind of the launcher, by mpiexec's names, and its command.
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
            // BatchMode: ssh must not ask questions, which nobody could answer for several hosts at once.
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

/// The path of oshrun on other hosts.
pub fn oshrun_there(o: &cli::Job) -> Result<PathBuf> {
    match &o.remote_oshrun {
        Some(path) => Ok(PathBuf::from(path)),
        None => std::env::current_exe().context("cannot tell where oshrun lies; say --remote-oshrun FILE"),
    }
}

/// Options that make ssh end when a host is lost. TCP alone gives up after a quarter of an hour, and never while
/// nothing is to be sent. ssh ends when `ServerAliveCountMax` questions have no answer and the next one is due.
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
        // ssh passes its words to a shell, so words that a shell would change are quoted. Other words are not, because
        // other commands use no shell.
        let own = quoted(own.as_os_str().as_bytes());
        Ok(words.iter().cloned().chain([host.to_string(), own, NODE_SERVER.to_string()]).collect())
    }
}

/// The first argument of oshrun when it is started as a node server.
pub const NODE_SERVER: &str = "--node-server";

/// Starts the launcher's command, with pipes to its standard streams.
pub fn start(words: &[String], inherited: &sys::Inherited) -> Result<Child> {
    spawn(Command::new(&words[0]).args(&words[1..]).stdout(Stdio::piped()), inherited)
}

/// Starts a command that reaches other hosts, with pipes to its standard input and standard error. Ranks may be its
/// descendants, so it gets the user's signal mask and limits instead of oshrun's.
pub fn spawn(command: &mut Command, inherited: &sys::Inherited) -> Result<Child> {
    let name = command.get_program().to_string_lossy().into_owned();
    let inherited = *inherited;
    // SAFETY: between fork and exec there are two system calls, which read values that the fork has copied.
    unsafe { command.pre_exec(move || Ok(inherited.restore()?)) };
    command
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        // A process group of its own: Ctrl-C on the terminal reaches oshrun only, which passes it on.
        .process_group(0)
        .spawn()
        .map_err(|e| match pmi_shm::limits::advice(&e) {
            Some(advice) => anyhow!("cannot start {name}: {}; {advice}", plain(&e)),
            None => {
                anyhow!("cannot start {name}: {} (-launcher names the command that reaches other hosts)", plain(&e))
            }
        })
}

/// Forks the servers of the nodes that are on this machine. Returns the process to wait for and the control
/// connections.
///
/// The caller has blocked signals and raised limits; `inherited` holds the values that programs get.
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
    // SAFETY: this process has one thread, so the child may call any function.
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
                // One machine plays several nodes. Their ranks share its cores, so they share a session too.
                while let Some((node, mut control)) = theirs.pop() {
                    let parent = Pid::this();
                    // Only the node of rank 0 keeps the input open. Otherwise its writer would not notice that rank 0
                    // has closed it.
                    let input = stdin.take_if(|_| plan.node_of[0] == node);
                    // SAFETY: as above.
                    match unsafe { nix::unistd::fork() }.map_err(sys::no_process) {
                        Ok(ForkResult::Parent { .. }) => {}
                        Ok(ForkResult::Child) => {
                            drop((theirs, stdin));
                            with_parent(parent, || start(node, input, &mut control))
                        }
                        Err(e) => {
                            control.give_up(sys::told(&e));
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

/// Runs `work` in a child in a new session. This process waits for the child's end, of whatever cause, and then removes
/// what it has left. This is for node servers on other hosts; on this machine oshrun itself does the same.
pub fn guarded(
    mut control: Control,
    words: impl FnOnce(&anyhow::Error) -> String,
    work: impl FnOnce(sys::Inherited, &mut Control) -> Result<()>,
) -> ExitCode {
    let before = sys::children();
    sys::adopt_orphans();
    let parent = Pid::this();
    // SAFETY: this process has one thread, so the child may call any function.
    let fork = || unsafe { nix::unistd::fork() }.map_err(sys::no_process);
    let forked = sys::Inherited::now().and_then(|inherited| Ok((inherited, fork()?)));
    match forked {
        Err(e) => {
            control.give_up(words(&e));
            ExitCode::FAILURE
        }
        Ok((inherited, ForkResult::Child)) => in_session(parent, || work(inherited, &mut control)),
        Ok((_, ForkResult::Parent { child })) => {
            // Only the child uses it now.
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
    // This cannot fail: a new child leads no process group.
    let _ = setsid();
    with_parent(parent, work)
}

/// Does a node server's work and ends. The process gets SIGTERM when its parent ends: see `NodeServer::signals_came`.
fn with_parent(parent: Pid, work: impl FnOnce() -> Result<()>) -> ! {
    let _ = nix::sys::prctl::set_pdeathsig(Signal::SIGTERM);
    if nix::unistd::getppid() != parent {
        std::process::exit(1);
    }
    let code = if work().is_ok() { 0 } else { 1 };
    // SAFETY: ends the process. Exit handlers are not run: oshrun has none, and those of libpmix may wait for a lock
    // that a killed rank has held.
    unsafe { libc::_exit(code) }
}

/// The text of a system error, without its number.
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
