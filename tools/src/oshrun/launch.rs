//! Starts node servers: by fork on this machine, and by the launcher's command on others.

use crate::allocation::{Allocation, Manager};
use crate::cli;
use crate::control::Control;
use crate::hosts;
use crate::plan::Plan;
use crate::sys;
use anyhow::{Context, Result, anyhow};
use nix::sys::signal::Signal;
use nix::unistd::{ForkResult, Pid, setsid};
use pmi_shm::tcp;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
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
    /// For each node, whether it is this machine. If oshrun starts its server, it does so by a fork.
    pub local: Vec<bool>,
}

impl Routes {
    /// A launcher that the user names is used for every host, also for this one. `silence` is how long a host may be
    /// silent.
    pub fn new(o: &cli::Job, silence: Option<Duration>, hosts: &[String], allocation: Option<&Allocation>) -> Routes {
        let launcher = launcher(o, silence, allocation.map(|a| a.manager));
        let named = o.hosts.is_some() || o.hostfile.is_some() || o.rankfile.is_some();
        let asked = o.launcher.as_deref().is_some_and(|l| l != "ssh") || o.launcher_exec.is_some();
        // Hosts that others start are not looked up: there may be thousands.
        let most = if o.start == cli::StartBy::Tree { o.fanout as usize + 1 } else { usize::MAX };
        let is_local = |(node, host): (usize, &String)| match allocation {
            _ if matches!(launcher, Launcher::Fork) => true,
            None if !named => true,
            _ if asked => false,
            _ if o.localhost.as_ref() == Some(host) => true,
            Some(allocation) => allocation.is_here(host),
            None if node < most => hosts::is_here(host),
            None => hosts::is_own(host),
        };
        let local = hosts.iter().enumerate().map(is_local).collect();
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
    /// The command that starts a node server on another host: the words before and behind the host's name. There are
    /// none where no command starts one server.
    pub fn words(&self, o: &cli::Job) -> Result<(Vec<String>, Vec<String>)> {
        let Launcher::Command(words) = self else { return Ok(Default::default()) };
        let mut words = words.clone();
        // Node servers on other hosts call the command too, in another directory.
        if words[0].contains('/') && !words[0].starts_with('/') {
            let here = std::env::current_dir().context("cannot tell the current directory")?;
            words[0] = here.join(&words[0]).to_string_lossy().into_owned();
        }
        let own = oshrun_there(o)?;
        // ssh passes its words to a shell, so words that a shell would change are quoted. Other words are not, because
        // other commands use no shell.
        Ok((words, vec![quoted(own.as_os_str().as_bytes()), NODE_SERVER.to_string()]))
    }
}

/// The command line that starts a node server on `host`.
pub fn command_line(plan: &Plan, host: &str) -> Vec<String> {
    let (before, behind) = &plan.launcher;
    before.iter().chain([&host.to_string()]).chain(behind).cloned().collect()
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

/// Forks processes of this machine, one for each node, which do `work` over a control connection and end. Returns the
/// connections, each with the process whose end is known to this one.
///
/// `session`: they get a new session. Nodes that one machine plays share its cores, so several share this session, and
/// a process that holds them is this one's child. `up` is a connection of this process only.
///
/// The caller has blocked signals and raised limits.
pub fn fork(
    nodes: &[u32],
    session: bool,
    up: &mut Option<Control>,
    mut work: impl FnMut(u32, Control) -> Result<()>,
) -> Result<Vec<(Pid, Control)>> {
    let mut ours = Vec::new();
    let mut theirs = Vec::new();
    for &node in nodes {
        let (a, b) = sys::stream_pair()?;
        ours.push(Control::over_socket(a)?);
        theirs.push((node, Control::over_socket(b)?));
    }
    let parent = Pid::this();
    if !session {
        let pids = fork_each(theirs, &mut ours, up, work)?;
        return Ok(pids.into_iter().zip(ours).collect());
    }
    // SAFETY: this process has one thread, so the child may call any function.
    match unsafe { nix::unistd::fork() }.map_err(sys::no_process)? {
        ForkResult::Parent { child } => Ok(ours.into_iter().map(|control| (child, control)).collect()),
        ForkResult::Child => {
            ours.clear();
            drop(up.take());
            // This cannot fail: a new child leads no process group.
            let _ = setsid();
            with_parent(parent, || {
                if let [(node, _)] = theirs[..]
                    && let Some((_, control)) = theirs.pop()
                {
                    return work(node, control);
                }
                fork_each(theirs, &mut ours, up, work)?;
                sys::wait_for_children();
                Ok(())
            })
        }
    }
}

/// Forks a process for each of `theirs`. Only the children keep what `work` owns.
fn fork_each(
    mut theirs: Vec<(u32, Control)>,
    ours: &mut Vec<Control>,
    up: &mut Option<Control>,
    mut work: impl FnMut(u32, Control) -> Result<()>,
) -> Result<Vec<Pid>> {
    let parent = Pid::this();
    let mut pids = Vec::new();
    theirs.reverse();
    while let Some((node, mut control)) = theirs.pop() {
        // SAFETY: as above.
        match unsafe { nix::unistd::fork() }.map_err(sys::no_process) {
            Ok(ForkResult::Parent { child }) => pids.push(child),
            Ok(ForkResult::Child) => {
                ours.clear();
                drop((theirs, up.take()));
                with_parent(parent, || work(node, control))
            }
            Err(e) => {
                control.give_up(sys::told(&e));
                return Err(e);
            }
        }
    }
    Ok(pids)
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

/// A word for a message or a shell, quoted where the shell needs it.
pub fn quoted(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    shlex::Quoter::new().allow_nul(true).quote(&text).map_or_else(|_| text.to_string(), Into::into)
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
