//! Standard input of rank 0, where it comes through the node server.

use super::{Kind, token};
use crate::sys::{self, Poller, WriteWatch};
use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};

/// Standard input that rank 0 has not taken.
#[derive(Default)]
pub struct Input {
    to: Option<OwnedFd>,
    queue: VecDeque<u8>,
    ends: bool,
    watch: WriteWatch,
}

impl Input {
    pub fn open(&mut self, to: OwnedFd) {
        self.to = Some(to);
    }

    /// Takes more input. No bytes: the end.
    pub fn push(&mut self, bytes: Vec<u8>) {
        self.ends |= bytes.is_empty();
        self.queue.extend(bytes);
    }

    /// Passes on what rank 0 takes. The result is the number of bytes that are not queued any more.
    pub fn give(&mut self, poller: &Poller) -> usize {
        let written = self.to.as_ref().map(|fd| sys::write_queue(fd.as_fd(), &mut self.queue));
        let broken = matches!(written, Some(Err(_)));
        let mut taken = written.and_then(Result::ok).unwrap_or(0);
        if broken || self.to.is_none() {
            // A program need not read its input. What it leaves is thrown away.
            taken += self.queue.len();
            self.queue.clear();
        }
        if let Some(fd) = &self.to {
            let wait = !self.queue.is_empty() && !broken;
            self.watch.set(wait, poller, fd, token(Kind::Input, 0));
        }
        if broken || (self.ends && self.queue.is_empty()) {
            self.to = None;
        }
        taken
    }
}
