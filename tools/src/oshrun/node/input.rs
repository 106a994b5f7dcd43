//! Standard input of ranks, where it comes through the node server.

use crate::control::Least;
use crate::poll::{self, Kind, Poller, WriteWatch};
use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};

/// Standard input that a rank has not taken.
struct Taker {
    /// `None`: it takes no more.
    to: Option<OwnedFd>,
    queue: VecDeque<u8>,
    watch: WriteWatch,
}

/// The ranks of this node that get standard input.
#[derive(Default)]
pub struct Input {
    takers: Vec<Taker>,
    taken: Least,
    ends: bool,
}

impl Input {
    pub fn open(&mut self, to: OwnedFd) {
        self.takers.push(Taker { to: Some(to), queue: VecDeque::new(), watch: WriteWatch::default() });
    }

    /// Takes more input. No bytes: the end. The result is the number of bytes that nobody here is to get.
    pub fn push(&mut self, bytes: &[u8]) -> usize {
        self.ends |= bytes.is_empty();
        self.takers.iter_mut().for_each(|t| t.queue.extend(bytes));
        if self.takers.is_empty() { bytes.len() } else { 0 }
    }

    /// Passes on what the ranks take. The result is the number of bytes that are not queued any more for any of them.
    pub fn give(&mut self, poller: &Poller) -> usize {
        let count = self.takers.len();
        let mut done = 0;
        for (i, taker) in self.takers.iter_mut().enumerate() {
            done += self.taken.add(i, count, taker.give(self.ends, poller, i));
        }
        done
    }
}

impl Taker {
    fn give(&mut self, ends: bool, poller: &Poller, number: usize) -> usize {
        let written = self.to.as_ref().map(|fd| poll::write_queue(fd.as_fd(), &mut self.queue));
        let broken = matches!(written, Some(Err(_)));
        let mut taken = written.and_then(Result::ok).unwrap_or(0);
        if broken || self.to.is_none() {
            // A program need not read its input. What it leaves is thrown away.
            taken += self.queue.len();
            self.queue.clear();
        }
        if let Some(fd) = &self.to {
            let wait = !self.queue.is_empty() && !broken;
            self.watch.set(wait, poller, fd, (Kind::Input, number));
        }
        if broken || (ends && self.queue.is_empty()) {
            self.to = None;
        }
        taken
    }
}
