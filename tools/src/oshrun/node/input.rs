//! Standard input of rank 0, where it comes through the node server.

use super::{Kind, token};
use crate::sys::{self, Poller};
use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};

/// What rank 0 has not taken, and whether the end follows.
#[derive(Default)]
pub struct Input {
    to: Option<OwnedFd>,
    queue: VecDeque<u8>,
    ends: bool,
    waits: bool,
}

impl Input {
    pub fn open(&mut self, to: OwnedFd) {
        self.to = Some(to);
    }

    /// Takes more of it; nothing at its end.
    pub fn push(&mut self, bytes: Vec<u8>) {
        self.ends |= bytes.is_empty();
        self.queue.extend(bytes);
    }

    /// Passes on what rank 0 takes. Returns how many bytes are not queued any more.
    pub fn give(&mut self, poller: &Poller) -> usize {
        let mut taken = 0;
        let mut broken = false;
        while let Some(fd) = &self.to
            && !self.queue.is_empty()
        {
            let (front, _) = self.queue.as_slices();
            match sys::write(fd.as_fd(), front) {
                Ok(0) => break,
                Ok(n) => {
                    self.queue.drain(..n);
                    taken += n;
                }
                Err(_) => {
                    broken = true;
                    break;
                }
            }
        }
        if broken || self.to.is_none() {
            // A program need not read its input; what it leaves is thrown away.
            taken += self.queue.len();
            self.queue.clear();
        }
        if let Some(fd) = &self.to {
            let wait = !self.queue.is_empty() && !broken;
            match (wait, self.waits) {
                (true, false) => drop(poller.add(fd, token(Kind::Input, 0), false, true)),
                (false, true) => poller.remove(fd),
                _ => {}
            }
            self.waits = wait;
        }
        if broken || (self.ends && self.queue.is_empty()) {
            self.to = None;
        }
        taken
    }
}
