//! What oshrun asks of Linux, typed: signals, descriptors, descendants.

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::resource::{Resource, getrlimit, rlim_t, setrlimit};
use nix::sys::signal::{SigSet, SigmaskHow, Signal, kill, sigprocmask};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::unistd::Pid;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// Signals that are passed on to the ranks.
pub const FORWARDED: &[Signal] = &[
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGCONT,
    Signal::SIGTSTP,
];

/// Those of them that ask a program to end.
pub fn ends(signal: Signal) -> bool {
    matches!(signal, Signal::SIGINT | Signal::SIGTERM | Signal::SIGHUP | Signal::SIGQUIT)
}

/// Whether whoever started us wants us not to hear this signal: nohup, or a script with a job in the background. A
/// blocked signal comes through a descriptor all the same, so we have to ask.
pub fn is_ignored(signal: Signal) -> bool {
    // SAFETY: all zeros is a value of this plain structure; a disposition is read into it.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal as i32, std::ptr::null(), &mut now) == 0 && now.sa_sigaction == libc::SIG_IGN
    }
}

/// Blocks the signals we live by and gives them as a descriptor: `extra`, and those to be passed on that are not
/// ignored.
pub fn signals(extra: &[Signal]) -> Result<SignalFd> {
    let heard = FORWARDED.iter().copied().filter(|&s| !is_ignored(s));
    let set: SigSet = heard.chain(extra.iter().copied()).collect();
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

/// What oshrun changes for itself, and programs get as it was.
#[derive(Clone, Copy, Debug)]
pub struct Inherited {
    /// The signal mask.
    pub mask: SigSet,
    /// The limits of descriptors, soft and hard.
    pub descriptors: (rlim_t, rlim_t),
}

impl Inherited {
    /// As it is now: to be asked before anything is changed.
    pub fn now() -> Result<Inherited> {
        let mask = SigSet::thread_get_mask().context("cannot read the signal mask")?;
        let descriptors = getrlimit(Resource::RLIMIT_NOFILE).context("cannot read the limit of descriptors")?;
        Ok(Inherited { mask, descriptors })
    }
}

/// Lets this process have as many descriptors as the system allows.
pub fn raise_descriptor_limit() {
    if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_NOFILE) {
        let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    }
}

/// Descendants whose parents die become our children: nobody can slip away.
pub fn adopt_orphans() {
    let _ = nix::sys::prctl::set_child_subreaper(true);
}

/// Has the ends of children told, also where we were started with SIGCHLD ignored: the kernel would clear them away
/// unseen. Programs that we start inherit it.
pub fn heed_children() {
    // SAFETY: sets a disposition; no handler.
    unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    Exit(i32),
    /// Any number: real-time signals have no names.
    Signal {
        number: i32,
        core: bool,
    },
}

/// A child that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    pub pid: Pid,
    pub how: How,
}

/// There is nobody to wait for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoChildren;

/// A child that has ended, if there is one.
pub fn ended_child() -> Result<Option<Ended>, NoChildren> {
    wait(libc::WNOHANG)
}

/// Why there is no other process, and what to do.
pub fn no_process(e: Errno) -> anyhow::Error {
    let e = std::io::Error::from(e);
    let advice = pmi_shm::limits::advice(&e).map(|advice| format!("; {advice}"));
    anyhow::anyhow!("cannot start another process: {e}{}", advice.unwrap_or_default())
}

/// Waits until all children have ended.
pub fn wait_for_children() {
    while wait(0).is_ok() {}
}

/// Not by nix: it has no word for a real-time signal, and then the end, which the kernel tells once, is lost.
fn wait(flags: i32) -> Result<Option<Ended>, NoChildren> {
    let mut status = 0;
    // SAFETY: writes one int.
    match Errno::result(unsafe { libc::waitpid(-1, &mut status, flags) }) {
        Ok(0) => Ok(None),
        Ok(pid) => Ok(how(status).map(|how| Ended { pid: Pid::from_raw(pid), how })),
        Err(Errno::ECHILD) => Err(NoChildren),
        Err(_) => Ok(None),
    }
}

/// None: the process has not ended.
fn how(status: i32) -> Option<How> {
    if libc::WIFEXITED(status) {
        Some(How::Exit(libc::WEXITSTATUS(status)))
    } else if libc::WIFSIGNALED(status) {
        Some(How::Signal { number: libc::WTERMSIG(status), core: libc::WCOREDUMP(status) })
    } else {
        None
    }
}

/// Waits until these children have ended, for at most `limit`.
pub fn wait_for_ends(mut children: Vec<Pid>, limit: Duration) {
    let end = Instant::now() + limit;
    while !children.is_empty() && Instant::now() < end {
        match ended_child() {
            Ok(Some(ended)) => children.retain(|c| *c != ended.pid),
            Ok(None) => std::thread::sleep(Duration::from_micros(200)),
            Err(NoChildren) => return,
        }
    }
}

/// Kills every process below this one but `spared` and what is below these, in whatever session or group it is, and
/// waits for their ends; for at most `limit` (a process in an uninterruptible call of the kernel cannot be waited for).
/// The dead are not waited for when nobody else is left: a debugger that is told of their ends before us may never ask.
pub fn kill_descendants(limit: Duration, spared: &[Child]) {
    let end = Instant::now() + limit;
    let mut only_dead: Option<Instant> = None;
    loop {
        // Adopted ones come later: until waitpid says that there are no children.
        let mut alive = false;
        loop {
            match ended_child() {
                Ok(Some(_)) => {}
                Ok(None) => {
                    alive = true;
                    break;
                }
                Err(NoChildren) => break,
            }
        }
        if !alive || Instant::now() > end {
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
        } else if only_dead.get_or_insert_with(Instant::now).elapsed() > BURIAL {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// How long the dead may take until `waitpid` knows of them: as a rule no time, but the first thread of many may be dead
/// before the others.
const BURIAL: Duration = Duration::from_secs(1);

/// A process and when it was started: its number may be given to another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Child {
    pid: i32,
    since: u64,
}

/// A process of the machine.
struct Process {
    child: Child,
    parent: i32,
    /// Not waited for yet.
    dead: bool,
}

/// The children of this process. Those that are there at the start belong to a shell that has become us: they are not
/// of the job, and may be what takes its output.
pub fn children() -> Vec<Child> {
    use nix::sys::wait::{Id, WaitPidFlag, waitid};
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    // As a rule there is none; then all processes of the machine need not be looked at.
    if waitid(Id::All, look) == Err(Errno::ECHILD) {
        return Vec::new();
    }
    let own = std::process::id() as i32;
    processes().into_iter().filter(|p| p.parent == own).map(|p| p.child).collect()
}

/// Whether a process is on its way out, or dead and not waited for.
pub fn is_ending(pid: Pid) -> bool {
    /// As in the kernel's sched.h.
    const PF_EXITING: u64 = 4;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let flags = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(6)?.parse::<u64>().ok());
    flags.is_some_and(|f| f & PF_EXITING != 0)
}

/// All processes; without /proc the children of this one, which are all that can be found.
fn processes() -> Vec<Process> {
    let found = all_processes();
    // This process is there at least.
    if found.is_empty() { own_children(PID_MAX) } else { found }
}

/// No number of a process is larger, whatever the system's settings.
const PID_MAX: i32 = 4 << 20;

/// Children of this process, dead or alive, by asking about every number below `limit`: half a second for all there are. Those of a child
/// that has ended come to us and are found the next time.
fn own_children(limit: i32) -> Vec<Process> {
    use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
    let look = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
    let parent = std::process::id() as i32;
    let child = |pid| {
        let status = waitid(Id::Pid(Pid::from_raw(pid)), look).ok()?;
        Some(Process { child: Child { pid, since: 0 }, parent, dead: status != WaitStatus::StillAlive })
    };
    (1..limit).filter_map(child).collect()
}

/// What /proc lists.
fn all_processes() -> Vec<Process> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|n| n.parse::<i32>().ok()) else { continue };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // pid (name) state ppid ...; the name may hold anything, so count from the last bracket.
        let rest: Vec<&str> = stat.rsplit_once(") ").map_or_else(Vec::new, |(_, rest)| rest.split(' ').collect());
        let number = |at: usize| rest.get(at)?.parse::<u64>().ok();
        if let (Some(parent), Some(since)) = (number(1), number(19)) {
            let dead = matches!(rest[0], "Z" | "X");
            found.push(Process { child: Child { pid, since }, parent: parent as i32, dead });
        }
    }
    found
}

/// All processes below this one but `spared` and what is below these, and whether they are dead.
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

/// Waits for descriptors; each has a number of its owner's choice.
pub struct Poller {
    epoll: Epoll,
    events: Vec<EpollEvent>,
}

impl Poller {
    pub fn new() -> Result<Poller> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).context("cannot make an epoll descriptor")?;
        Ok(Poller { epoll, events: vec![EpollEvent::empty(); 64] })
    }

    /// False: this kind of file is always ready and cannot be waited for.
    pub fn add(&self, fd: impl AsFd, token: u64, read: bool, write: bool) -> Result<bool> {
        match self.epoll.add(fd, EpollEvent::new(interest(read, write), token)) {
            Ok(()) => Ok(true),
            Err(Errno::EPERM) => Ok(false),
            Err(e) => Err(e).context("cannot wait for a descriptor"),
        }
    }

    pub fn change(&self, fd: impl AsFd, token: u64, read: bool, write: bool) {
        let _ = self.epoll.modify(fd, &mut EpollEvent::new(interest(read, write), token));
    }

    pub fn remove(&self, fd: impl AsFd) {
        let _ = self.epoll.delete(fd);
    }

    /// Puts the numbers of those that are ready into `ready`; comes back at `until` at the latest.
    pub fn wait(&mut self, until: Option<Instant>, ready: &mut Vec<u64>) -> Result<()> {
        let timeout = match until {
            None => EpollTimeout::NONE,
            Some(t) => {
                // Rounded up: not to come back just before the time.
                let left = t.saturating_duration_since(Instant::now()).as_micros().div_ceil(1000);
                EpollTimeout::try_from(left.min(60_000) as i32).unwrap_or(EpollTimeout::ZERO)
            }
        };
        ready.clear();
        let n = match self.epoll.wait(&mut self.events, timeout) {
            Ok(n) => n,
            Err(Errno::EINTR) => 0,
            Err(e) => return Err(e).context("cannot wait for events"),
        };
        // An end or an error counts as ready: the read or the write tells.
        ready.extend(self.events[..n].iter().map(EpollEvent::data));
        Ok(())
    }
}

fn interest(read: bool, write: bool) -> EpollFlags {
    let mut flags = EpollFlags::empty();
    flags.set(EpollFlags::EPOLLIN, read);
    flags.set(EpollFlags::EPOLLOUT, write);
    flags
}

/// A read that does not wait: Some(0) is the end of the stream, None that there is nothing now.
pub fn read(fd: BorrowedFd, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match nix::unistd::read(fd, buffer) {
            Ok(n) => return Some(n),
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => return None,
            // A connection that broke has ended.
            Err(_) => return Some(0),
        }
    }
}

/// A write that does not wait: Ok(0) when there is no room now.
pub fn write(fd: BorrowedFd, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        match nix::unistd::write(fd, bytes) {
            Ok(n) => return Ok(n),
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => return Ok(0),
            Err(e) => return Err(e),
        }
    }
}

/// Two ends of a stream, both closed on exec; the first does not wait.
pub fn stream_pair() -> Result<(OwnedFd, OwnedFd)> {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, socketpair};
    let pair = socketpair(AddressFamily::Unix, SockType::Stream, None, SockFlag::SOCK_CLOEXEC)
        .context("cannot make a pair of sockets")?;
    set_nonblocking(&pair.0)?;
    Ok(pair)
}

/// A pipe, both ends closed on exec: (read, write).
pub fn pipe() -> Result<(OwnedFd, OwnedFd)> {
    nix::unistd::pipe2(OFlag::O_CLOEXEC).context("cannot make a pipe")
}

/// Whether we may read from a terminal: one that belongs to another job would stop us.
pub fn foreground(terminal: BorrowedFd) -> bool {
    nix::unistd::tcgetpgrp(terminal).is_ok_and(|g| g == nix::unistd::getpgrp())
}

/// The number of a signal as a word.
pub fn signal_name(number: i32) -> String {
    Signal::try_from(number).map_or_else(|_| format!("signal {number}"), |s| format!("signal {number}, {}", s.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As /proc lists them, and without it.
    #[test]
    fn children_are_found_in_two_ways() {
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let pid = child.id() as i32;
        let there = |all: Vec<Process>| all.iter().any(|p| p.child.pid == pid && !p.dead);
        let own = std::process::id() as i32;
        assert!(there(all_processes().into_iter().filter(|p| p.parent == own).collect()));
        assert!(there(own_children(pid + 1)));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!own_children(pid + 1).iter().any(|p| p.child.pid == pid));
    }

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
    fn every_end_has_its_number() {
        assert_eq!(how(7 << 8), Some(How::Exit(7)));
        assert_eq!(how(libc::SIGSEGV | 0x80), Some(How::Signal { number: libc::SIGSEGV, core: true }));
        for number in 1..=64 {
            assert_eq!(how(number), Some(How::Signal { number, core: false }));
        }
        // Stopped, and going on.
        assert_eq!((how(0x137f), how(0xffff)), (None, None));
    }
}
