//! Typed wrappers for what oshrun needs of Linux: signals, descriptors, descendants.

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Signals that oshrun passes on to the ranks.
pub const FORWARDED: &[Signal] = {
    use Signal::*;
    &[SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGTSTP]
};

/// Whether a signal asks a program to end. SIGQUIT asks a PE what it does, and ends programs that do not catch it.
pub fn ends(signal: Signal) -> bool {
    matches!(signal, Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP)
}

/// Whether this process was started with the signal ignored, by nohup or by a script with a job in the background. A
/// blocked signal comes through a descriptor although it is ignored, so the disposition has to be looked at.
pub fn is_ignored(signal: Signal) -> bool {
    // SAFETY: all zeros is a value of this plain structure; a disposition is read into it.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal as i32, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

/// Blocks signals and gives a descriptor for them: `extra`, and those of [`FORWARDED`] that are not ignored.
pub fn signals(extra: &[Signal]) -> Result<SignalFd> {
    let forwarded = FORWARDED.iter().copied().filter(|&s| !is_ignored(s));
    let set: SigSet = forwarded.chain(extra.iter().copied()).collect();
    sigprocmask(SigmaskHow::SIG_BLOCK, Some(&set), None).context("cannot block signals")?;
    let fd = SignalFd::with_flags(&set, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK);
    fd.context("cannot make a descriptor for signals")
}

/// The next signal that has come.
pub fn next_signal(fd: &SignalFd) -> Option<Signal> {
    let info = fd.read_signal().ok()??;
    Signal::try_from(info.ssi_signo as i32).ok()
}

pub fn set_nonblocking(fd: impl AsFd) -> Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(&fd, FcntlArg::F_GETFL).context("cannot read a descriptor's flags")?);
    fcntl(&fd, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK)).context("cannot set a descriptor's flags")?;
    Ok(())
}

/// What oshrun changes for itself. Programs get it unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Inherited {
    /// The signal mask.
    pub mask: SigSet,
    /// The limits of descriptors, soft and hard.
    pub descriptors: (rlim_t, rlim_t),
}

impl Inherited {
    /// The present values. To be called before anything is changed.
    pub fn now() -> Result<Inherited> {
        let mask = SigSet::thread_get_mask().context("cannot read the signal mask")?;
        let descriptors = getrlimit(Resource::RLIMIT_NOFILE).context("cannot read the limit of descriptors")?;
        Ok(Inherited { mask, descriptors })
    }

    /// Gives this process these values again. Two system calls, for a child before its exec. The mask comes first: a
    /// filter of system calls may refuse the other one.
    pub fn restore(&self) -> Result<(), Errno> {
        sigprocmask(SigmaskHow::SIG_SETMASK, Some(&self.mask), None)?;
        let (soft, hard) = self.descriptors;
        setrlimit(Resource::RLIMIT_NOFILE, soft, hard)
    }
}

/// The text of an error, with advice if it comes from a limit of processes.
pub fn told(e: &anyhow::Error) -> String {
    let system = |cause: &(dyn std::error::Error + 'static)| {
        let errno = cause.downcast_ref::<Errno>().map(|e| *e as i32);
        errno.or_else(|| cause.downcast_ref::<std::io::Error>()?.raw_os_error())
    };
    let number = e.chain().find_map(system);
    let hint = number.map_or(String::new(), |n| pmi_shm::limits::hint(&std::io::Error::from_raw_os_error(n)));
    format!("{e:#}{hint}")
}

/// Lets this process open as many descriptors as the system allows.
pub fn raise_descriptor_limit() {
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// Makes descendants whose parents die children of this process, so that none is lost.
pub fn adopt_orphans() {
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Stops ignoring SIGCHLD. If this process was started with it ignored, the kernel would not report the ends of
/// children. Programs that this process starts inherit the disposition.
pub fn unignore_sigchld() {
    // SAFETY: sets a disposition; no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// A child that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    pub pid: Pid,
    pub status: ExitStatus,
}

/// A child that has ended, if there is one. An error: this process has no children.
pub fn ended_child() -> Result<Option<Ended>, Errno> {
    wait(libc::WNOHANG)
}

/// The error for a fork that failed, with advice.
pub fn no_process(e: Errno) -> anyhow::Error {
    let e = std::io::Error::from(e);
    anyhow::anyhow!("cannot start another process: {e}{}", pmi_shm::limits::hint(&e))
}

/// Waits until all children have ended.
pub fn wait_for_children() {
    while wait(0).is_ok() {}
}

/// Calls libc, because nix reports an error for a real-time signal, and then the end, which the kernel reports once, is
/// lost.
fn wait(flags: i32) -> Result<Option<Ended>, Errno> {
    let mut status = 0;
    // SAFETY: writes one int.
    let pid = Errno::result(unsafe { libc::waitpid(-1, &mut status, flags) });
    let status = ExitStatus::from_raw(status);
    match pid {
        // One that a debugger has stopped is reported too.
        Ok(pid) if pid > 0 && (status.code().is_some() || status.signal().is_some()) => {
            Ok(Some(Ended { pid: Pid::from_raw(pid), status }))
        }
        Err(e @ Errno::ECHILD) => Err(e),
        _ => Ok(None),
    }
}

/// Waits until these children have ended, for at most `limit`.
pub fn wait_for_ends(mut children: Vec<Pid>, limit: Duration) {
    let end = Instant::now() + limit;
    while !children.is_empty() && Instant::now() < end {
        match ended_child() {
            Ok(Some(ended)) => children.retain(|c| *c != ended.pid),
            Ok(None) => std::thread::sleep(Duration::from_micros(200)),
            Err(_) => return,
        }
    }
}

/// How long killed processes may take to end. The kernel may finish a call of theirs first, such as writing a core
/// file; a process that is not gone by then is left behind.
pub const KILLED: Duration = Duration::from_secs(10);

/// Kills every descendant of this process, in any session and process group, and waits for the ends. The processes
/// `spared` and their descendants are left alone. The wait takes at most [`KILLED`]. If only dead processes are left,
/// they are waited for no longer than [`ZOMBIE_LIMIT`]: a debugger that is told of their ends first may never ask for
/// them.
pub fn kill_descendants(spared: &[Child]) {
    let end = Instant::now() + KILLED;
    let mut only_dead: Option<Instant> = None;
    loop {
        // Adopted children come later, so this goes on until waitpid says that there are no children.
        let mut ended = ended_child();
        while let Ok(Some(_)) = ended {
            ended = ended_child();
        }
        if ended.is_err() || Instant::now() > end {
            return;
        }
        let found = descendants(spared);
        if found.is_empty() && !spared.is_empty() {
            return;
        }
        for (pid, _) in &found {
            let _ = kill(*pid, Signal::SIGKILL);
        }
        if found.is_empty() || found.iter().any(|(_, dead)| !dead) {
            only_dead = None;
        } else if only_dead.get_or_insert_with(Instant::now).elapsed() > ZOMBIE_LIMIT {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// How long dead processes are waited for. `waitpid` usually reports them at once, but later if the first thread of a
/// process is dead before the others. A shorter time could leave a process behind; a longer one delays the end under a
/// debugger.
const ZOMBIE_LIMIT: Duration = Duration::from_secs(1);

/// A process and when it was started, because its number may be given to another process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Child {
    pid: i32,
    since: u64,
}

/// A process of the machine.
struct Process {
    child: Child,
    parent: i32,
    /// It has ended, and nobody has waited for it.
    dead: bool,
}

/// The children of this process. Children at the start belong to a shell that has become oshrun by `exec`. They do not
/// belong to the job, and may be what reads its output.
pub fn children() -> Vec<Child> {
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    // Usually there is none. Then not all processes of the machine have to be looked at.
    if waitid(Id::All, look) == Err(Errno::ECHILD) {
        return Vec::new();
    }
    let own = std::process::id() as i32;
    processes().into_iter().filter(|p| p.parent == own).map(|p| p.child).collect()
}

/// A file of /proc, or nothing if it cannot be read. It need not be UTF-8: the kernel cuts a process's name after 15
/// bytes, which may be inside a character.
fn text(file: impl AsRef<Path>) -> String {
    std::fs::read(file).map_or_else(|_| String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a process is ending, or has ended and nobody has waited for it.
pub fn is_ending(pid: Pid) -> bool {
    /// The value in the kernel's sched.h.
    const PF_EXITING: u64 = 4;
    let stat = text(format!("/proc/{pid}/stat"));
    let flags = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(6)?.parse::<u64>().ok());
    flags.is_some_and(|f| f & PF_EXITING != 0)
}

/// All processes, from /proc.
fn processes() -> Vec<Process> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else { continue };
        let stat = text(entry.path().join("stat"));
        // pid (name) state ppid ...: the name may hold anything, so fields are counted from the last bracket.
        let rest: Vec<&str> = stat.rsplit_once(") ").map_or_else(Vec::new, |(_, rest)| rest.split(' ').collect());
        let number = |at: usize| rest.get(at)?.parse::<u64>().ok();
        if let (Some(parent), Some(since)) = (number(1), number(19)) {
            let dead = matches!(rest[0], "Z" | "X");
            found.push(Process { child: Child { pid, since }, parent: parent as i32, dead });
        }
    }
    found
}

/// All descendants of this process except `spared` and their descendants, and whether they are dead.
fn descendants(spared: &[Child]) -> Vec<(Pid, bool)> {
    let all = processes();
    let mut found = vec![(std::process::id() as i32, false)];
    let mut next = 0;
    while next < found.len() {
        let above = found[next].0;
        let below = all.iter().filter(|p| p.parent == above && !spared.contains(&p.child));
        found.extend(below.map(|p| (p.child.pid, p.dead)));
        next += 1;
    }
    found.into_iter().skip(1).map(|(pid, dead)| (Pid::from_raw(pid), dead)).collect()
}

/// Sends a signal to the descendants of this process that catch it.
pub fn ask_descendants(signal: Signal) {
    let catches = |pid: &Pid| {
        let status = text(format!("/proc/{pid}/status"));
        let caught = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigCgt:")?.trim(), 16).ok());
        caught.is_some_and(|set| set & 1 << (signal as i32 - 1) != 0)
    };
    for (pid, _) in descendants(&[]).into_iter().filter(|(pid, dead)| !dead && catches(pid)) {
        let _ = kill(pid, signal);
    }
}

/// The two ends of a stream, both closed on exec. The first does not block.
pub fn stream_pair() -> Result<(OwnedFd, OwnedFd)> {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
    let pair = socketpair(AddressFamily::Unix, SockType::Stream, None, SockFlag::SOCK_CLOEXEC)
        .context("cannot make a pair of sockets")?;
    set_nonblocking(&pair.0)?;
    Ok(pair)
}

/// A pipe, with both ends closed on exec: (read, write).
pub fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    nix::unistd::pipe2(OFlag::O_CLOEXEC).context("cannot make a pipe")
}

/// The bytes that a pipe holds at most, or 0 if that is no pipe.
pub fn pipe_size(pipe: impl AsFd) -> usize {
    fcntl(pipe, FcntlArg::F_GETPIPE_SZ).map_or(0, |size| size as usize)
}

/// Whether this process may read from a terminal. A terminal that belongs to another job of the shell would stop it.
pub fn foreground(terminal: impl AsFd) -> bool {
    nix::unistd::tcgetpgrp(terminal).is_ok_and(|g| g == nix::unistd::getpgrp())
}

/// Number and name of a signal, for people.
pub fn signal_name(number: i32) -> String {
    Signal::try_from(number).map_or_else(|_| format!("signal {number}"), |s| format!("signal {number}, {}", s.as_str()))
}

/// The lines of the terminal behind a descriptor. None: it is no terminal, or does not tell.
pub fn terminal_lines(of: impl AsFd) -> Option<usize> {
    let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
    // SAFETY: the kernel writes a winsize.
    let told = unsafe { libc::ioctl(of.as_fd().as_raw_fd(), libc::TIOCGWINSZ, &raw mut size) };
    (told == 0 && size.ws_row > 0).then_some(size.ws_row.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::process::Stdio;

    #[test]
    fn who_is_ending_is_known() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let pid = Pid::from_raw(child.id() as i32);
        assert!(!is_ending(pid));
        child.kill().unwrap();
        while !is_ending(pid) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!is_ending(pid));
    }

    #[test]
    fn a_name_that_is_not_utf8_hides_no_process() {
        let mut sh = std::process::Command::new("sh");
        sh.args(["-c", r"printf 'cut \303' >/proc/$$/comm; echo; read line"]);
        let mut child = sh.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let pid = child.id() as i32;
        assert!(std::fs::read_to_string(format!("/proc/{pid}/comm")).is_err());
        assert!(processes().iter().any(|p| p.child.pid == pid && !p.dead));
        child.kill().unwrap();
        while !is_ending(Pid::from_raw(pid)) {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
