//! Waits for descriptors that do not block, reads and writes them.

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Instant;

/// What a descriptor of a loop is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::FromRepr)]
#[repr(u64)]
pub enum Kind {
    Signals,
    /// Of a control connection to a process below, or of a node server.
    ControlIn,
    ControlOut,
    /// Of a relay: the connection to the process above.
    UpIn,
    UpOut,
    LauncherStderr,
    StepStderr,
    Listener,
    Caller,
    /// The connection to the parent in the tree, before it has proved itself.
    Parent,
    /// Standard output or standard error of oshrun.
    Sink,
    /// Standard input of oshrun, or of a rank.
    Input,
    /// What a rank writes.
    Output,
    ExecFailure,
    Pmi,
    Pmix,
}

/// By what a loop knows a descriptor: its kind, and a number of that kind.
pub type Token = (Kind, usize);

pub struct Poller {
    epoll: Epoll,
    events: Vec<EpollEvent>,
}

impl Poller {
    pub fn new() -> Result<Poller> {
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).context("cannot make an epoll descriptor")?;
        Ok(Poller { epoll, events: vec![EpollEvent::empty(); 64] })
    }

    /// Waits for something to read from now on. False: this kind of file is always ready and cannot be waited for.
    pub fn add(&self, fd: impl AsFd, token: Token) -> Result<bool> {
        match self.epoll.add(fd, event(token, true, false)) {
            Ok(()) => Ok(true),
            Err(Errno::EPERM) => Ok(false),
            Err(e) => Err(e).context("cannot wait for a descriptor"),
        }
    }

    /// Changes what a descriptor is waited for.
    pub fn change(&self, fd: impl AsFd, token: Token, read: bool, write: bool) {
        let _ = self.epoll.modify(fd, &mut event(token, read, write));
    }

    pub fn remove(&self, fd: impl AsFd) {
        let _ = self.epoll.delete(fd);
    }

    /// The descriptors that are ready, at `until` at the latest. A closed or broken stream counts as ready: the read or
    /// the write will tell.
    pub fn wait(&mut self, until: Option<Instant>) -> Result<Vec<Token>> {
        let timeout = match until {
            None => EpollTimeout::NONE,
            Some(t) => {
                // Rounded up, so that the time has come when the call returns.
                let left = t.saturating_duration_since(Instant::now()).as_micros().div_ceil(1000);
                EpollTimeout::try_from(left.min(60_000) as i32).unwrap_or(EpollTimeout::ZERO)
            }
        };
        let n = match self.epoll.wait(&mut self.events, timeout) {
            Ok(n) => n,
            Err(Errno::EINTR) => 0,
            Err(e) => return Err(e).context("cannot wait for events"),
        };
        let token = |e: &EpollEvent| Some((Kind::from_repr(e.data() >> 32)?, (e.data() & 0xffff_ffff) as usize));
        Ok(self.events[..n].iter().filter_map(token).collect())
    }
}

fn event((kind, index): Token, read: bool, write: bool) -> EpollEvent {
    let mut flags = EpollFlags::empty();
    flags.set(EpollFlags::EPOLLIN, read);
    flags.set(EpollFlags::EPOLLOUT, write);
    EpollEvent::new(flags, (kind as u64) << 32 | index as u64)
}

/// Waits for room in a stream while there is something to write into it.
#[derive(Default)]
pub struct WriteWatch(bool);

impl WriteWatch {
    pub fn set(&mut self, wait: bool, poller: &Poller, fd: impl AsFd, token: Token) {
        match (wait, self.0) {
            (true, false) => drop(poller.epoll.add(fd, event(token, false, true))),
            (false, true) => poller.remove(fd),
            _ => {}
        }
        self.0 = wait;
    }
}

/// Bytes that one call of [`read_some`] reads, about.
pub const AT_A_TIME: usize = 1 << 20;

/// Gives to `take` what can be read now, at most [`AT_A_TIME`] bytes: what was read is handled before more is taken, so
/// a peer that sends without end fills no memory. False: the stream has ended.
pub fn read_some(fd: BorrowedFd, mut take: impl FnMut(&[u8])) -> bool {
    let mut buffer = [0; 16 * 1024];
    for _ in 0..AT_A_TIME / buffer.len() {
        match read(fd, &mut buffer) {
            None => break,
            Some(0) => return false,
            Some(n) => take(&buffer[..n]),
        }
    }
    true
}

/// Bytes of memory that an empty queue keeps. More would be held for the rest of the job when the pairs of a large
/// fence have passed once.
const KEPT: usize = 1 << 20;

/// Writes from the front of a queue as much as the stream takes now. The result is the number of bytes.
pub fn write_queue(fd: BorrowedFd, queue: &mut VecDeque<u8>) -> Result<usize, Errno> {
    let mut written = 0;
    while !queue.is_empty() {
        match write(fd, queue.as_slices().0)? {
            0 => break,
            n => {
                queue.drain(..n);
                written += n;
            }
        }
    }
    if queue.is_empty() && queue.capacity() > KEPT {
        *queue = VecDeque::new();
    }
    Ok(written)
}

/// Reads without waiting. `Some(0)`: the stream has ended. `None`: there is nothing now.
pub fn read(fd: BorrowedFd, buffer: &mut [u8]) -> Option<usize> {
    loop {
        match nix::unistd::read(fd, buffer) {
            Ok(n) => return Some(n),
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => return None,
            // A broken connection has ended.
            Err(_) => return Some(0),
        }
    }
}

/// Writes without waiting. 0: there is no room now.
pub fn write(fd: BorrowedFd, bytes: &[u8]) -> Result<usize, Errno> {
    loop {
        match nix::unistd::write(fd, bytes) {
            Err(Errno::EINTR) => {}
            Err(Errno::EAGAIN) => return Ok(0),
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_a_long_queue_is_given_back() {
        let mut queue: VecDeque<u8> = vec![7; 2 * KEPT].into();
        let everything = std::fs::File::options().write(true).open("/dev/null").unwrap();
        assert_eq!(write_queue(everything.as_fd(), &mut queue), Ok(2 * KEPT));
        assert!(queue.is_empty() && queue.capacity() <= KEPT);
    }
}
