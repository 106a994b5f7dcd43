//! For tests: messages between PEs or members that are threads. Each mailbox keeps its messages in the order in which
//! they were sent.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex};

pub(crate) struct Mailboxes<M> {
    boxes: Mutex<Vec<VecDeque<M>>>,
    came: Condvar,
}

impl<M> Mailboxes<M> {
    pub(crate) fn new(n: usize) -> Mailboxes<M> {
        Mailboxes { boxes: Mutex::new((0..n).map(|_| VecDeque::new()).collect()), came: Condvar::new() }
    }

    pub(crate) fn send(&self, to: usize, message: M) {
        self.boxes.lock().unwrap()[to].push_back(message);
        self.came.notify_all();
    }

    /// The next message of a mailbox, if there is one.
    pub(crate) fn take(&self, from: usize) -> Option<M> {
        self.boxes.lock().unwrap()[from].pop_front()
    }

    /// The next message of a mailbox. Waits until there is one.
    #[allow(dead_code)] // for the collectives' tests
    pub(crate) fn wait(&self, from: usize) -> M {
        let mut boxes = self.boxes.lock().unwrap();
        loop {
            match boxes[from].pop_front() {
                Some(message) => return message,
                None => boxes = self.came.wait(boxes).unwrap(),
            }
        }
    }

    pub(crate) fn all_empty(&self) -> bool {
        self.boxes.lock().unwrap().iter().all(VecDeque::is_empty)
    }
}
