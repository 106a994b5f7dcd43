//! Fences: pairs are gathered up the tree and come down again.

use super::Conn;
use super::channel::{Message, Side};
use super::client::Form;
use super::core::Server;
use crate::pairs::Pairs;
use crate::wire::{Malformed, Reply};
use std::collections::HashMap;

/// The fence on one side of the processes' connections.
#[derive(Default)]
pub(super) struct Fence {
    /// Fences completed.
    done: u64,
    /// Processes of this node that have entered.
    entered: Vec<(Conn, Form)>,
    /// What they have put since the last fence, with the latest value of each key.
    staged: HashMap<Vec<u8>, Vec<u8>>,
    /// The order in which the keys came.
    order: Vec<Vec<u8>>,
    /// What travels with the fence that this server has sent to its parent. Later puts belong to the next fence.
    travelling: HashMap<Vec<u8>, Vec<u8>>,
    /// Servers below that have entered, with all their pairs.
    below: HashMap<Conn, Pairs>,
    /// This server has sent the fence to its parent.
    sent_up: bool,
}

impl Fence {
    pub fn stage(&mut self, key: &[u8], value: &[u8]) {
        if self.staged.insert(key.to_vec(), value.to_vec()).is_none() {
            self.order.push(key.to_vec());
        }
    }

    /// A value that waits for its fence.
    pub fn staged(&self, key: &[u8]) -> Option<&Vec<u8>> {
        self.staged.get(key).or_else(|| self.travelling.get(key))
    }
}

impl Server {
    pub(super) fn enter_fence(&mut self, conn: Conn, form: Form, side: Side) {
        let fence = &mut self.fences[side as usize];
        if fence.entered.iter().any(|(c, _)| *c == conn) {
            // A client that enters twice could not tell which answer it gets.
            let what = "enters a fence while it is in one".to_owned();
            return self.protocol_error(conn, what);
        }
        fence.entered.push((conn, form));
        self.advance_fence(side);
    }

    /// Sends the fence on when all processes here and below have entered.
    pub(super) fn advance_fence(&mut self, side: Side) {
        let (here, below) = (self.ranks().len(), self.children());
        let fence = &mut self.fences[side as usize];
        if fence.sent_up || fence.entered.len() < here || fence.below.len() < below.len() {
            return;
        }
        fence.sent_up = true;
        let mut pairs = Pairs::default();
        fence.travelling = std::mem::take(&mut fence.staged);
        for key in fence.order.drain(..) {
            pairs.push(&key, &fence.travelling[&key]);
        }
        // In the order of the tree: all nodes get the pairs in one order, so the same put wins on all.
        for child in below {
            if let Some(theirs) = fence.below.remove(&Conn::Child(child)) {
                pairs.append(&theirs);
            }
        }
        let number = fence.done;
        if self.root() {
            self.complete_fence(side, pairs);
        } else {
            self.send(Conn::Parent, &Message::FenceUp { side, fence: number, pairs });
        }
    }

    pub(super) fn fence_from_below(
        &mut self,
        conn: Conn,
        side: Side,
        number: u64,
        pairs: Pairs,
    ) -> Result<(), Malformed> {
        let fence = &mut self.fences[side as usize];
        if number != fence.done || fence.below.insert(conn, pairs).is_some() {
            return Err(Malformed(format!("enters fence {number}, the next is {}", fence.done)));
        }
        self.advance_fence(side);
        Ok(())
    }

    pub(super) fn fence_from_above(&mut self, side: Side, number: u64, pairs: Pairs) -> Result<(), Malformed> {
        let fence = &self.fences[side as usize];
        if number != fence.done || !fence.sent_up {
            return Err(Malformed(format!("completes fence {number}, the next is {}", fence.done)));
        }
        self.complete_fence(side, pairs);
        Ok(())
    }

    fn complete_fence(&mut self, side: Side, pairs: Pairs) {
        let fence = &mut self.fences[side as usize];
        let (number, entered) = (fence.done, std::mem::take(&mut fence.entered));
        fence.done += 1;
        fence.sent_up = false;
        fence.travelling = HashMap::new();
        self.stats.fences += 1;
        if let Err(e) = self.publish(&pairs) {
            // Without memory for the store no process can go on.
            let what = format!("cannot be served any more: {e}");
            return entered.into_iter().for_each(|(conn, _)| {
                self.protocol_error(conn, what.clone());
            });
        }
        for child in self.children() {
            self.send(Conn::Child(child), &Message::FenceDown { side, fence: number, pairs: pairs.clone() });
        }
        for (conn, form) in entered {
            self.reply(conn, &form, &Reply::Fence);
        }
        // A server without processes enters the next one at once.
        self.advance_fence(side);
    }

    /// Stores the pairs, before any process is told that the fence is complete.
    fn publish(&mut self, pairs: &Pairs) -> Result<(), crate::kvs::Error> {
        self.store.advance();
        for (key, value) in pairs.iter() {
            self.store.insert(key, value)?;
        }
        for (key, value) in pairs.iter() {
            self.wake(key, value);
        }
        Ok(())
    }
}
