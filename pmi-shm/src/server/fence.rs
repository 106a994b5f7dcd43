//! Fences: exchanges of pairs among all servers.

use super::Conn;
use super::channel::{Key, Members, Side};
use super::client::Form;
use super::core::Server;
use crate::pairs;
use crate::wire::Reply;
use std::collections::HashMap;

/// The fence on one side of the processes' connections.
#[derive(Default)]
pub(super) struct Fence {
    /// Fences completed.
    pub done: u64,
    /// Processes of this node that have entered.
    entered: Vec<(Conn, Form)>,
    /// What they have put since the last fence, with the latest value of each key.
    staged: HashMap<Vec<u8>, Vec<u8>>,
    /// The order in which the keys came.
    order: Vec<Vec<u8>>,
    /// What travels with the fence that this server has entered. Later puts belong to the next fence.
    travelling: HashMap<Vec<u8>, Vec<u8>>,
    /// This server has entered the exchange.
    under_way: bool,
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

    /// Enters the exchange when all processes here have entered. A server without processes does so at once.
    pub(super) fn advance_fence(&mut self, side: Side) {
        let here = self.ranks().len();
        let fence = &mut self.fences[side as usize];
        if fence.under_way || fence.entered.len() < here {
            return;
        }
        fence.under_way = true;
        fence.travelling = std::mem::take(&mut fence.staged);
        let mut pairs = Vec::new();
        for key in fence.order.drain(..) {
            pairs::push(&mut pairs, &key, &fence.travelling[&key]);
        }
        // All nodes get the pairs in one order, so the same put wins on all.
        let key = Key::Fence(side, fence.done);
        self.enter_exchange(key, Members(Vec::new()), pairs).expect("a fence is entered once");
    }

    pub(super) fn complete_fence(&mut self, side: Side, pairs: &[u8]) {
        let fence = &mut self.fences[side as usize];
        let entered = std::mem::take(&mut fence.entered);
        fence.done += 1;
        fence.under_way = false;
        fence.travelling = HashMap::new();
        if let Err(e) = self.publish(pairs) {
            // Without memory for the store no process can go on.
            let what = format!("cannot be served any more: {e}");
            return entered.into_iter().for_each(|(conn, _)| {
                self.protocol_error(conn, what.clone());
            });
        }
        for (conn, form) in entered {
            self.reply(conn, &form, &Reply::Fence);
        }
        self.advance_fence(side);
    }

    /// Stores the pairs, before any process is told that the fence is complete.
    fn publish(&mut self, pairs: &[u8]) -> Result<(), crate::kvs::Error> {
        self.store.advance();
        for (key, value) in pairs::iter(pairs) {
            self.store.insert(key, value)?;
        }
        for (key, value) in pairs::iter(pairs) {
            self.wake(key, value);
        }
        Ok(())
    }
}
