//! Gets: answered from the store, or by whoever has the key, or when it is put.

use super::Conn;
use super::client::Form;
use super::link::Message;
use super::node::Node;
use crate::ext::{Pending, owner};
use crate::wire::Reply;
use std::collections::HashMap;

/// Who asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Waiter {
    Process(Conn, Form),
    Server(Conn),
}

/// Open questions. For each key there is at most one message to the next server; who asks the same later waits for the
/// same answer.
#[derive(Default)]
pub(super) struct Asks {
    /// To be answered when the key is put.
    waiting: Pending<Waiter>,
    /// To be answered when the owner has said whether the key is there.
    looking: Pending<Waiter>,
    /// Pairs that only processes of this node read; the first value of a key stays.
    node: HashMap<Vec<u8>, Vec<u8>>,
    node_waiting: Pending<(Conn, Form)>,
}

impl Asks {
    pub fn any(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn open(&mut self, wait: bool) -> &mut Pending<Waiter> {
        if wait { &mut self.waiting } else { &mut self.looking }
    }
}

impl Node {
    /// The neighbour through which the owner of a sparse key is reached; `None`: it is this server.
    fn owner(&self, key: &[u8]) -> Option<Conn> {
        let servers = &self.spec.servers;
        let node_of = |rank| (rank < servers.size()).then(|| servers.node_of(rank));
        self.toward(owner(key, self.tree.nodes(), node_of))
    }

    fn known(&self, key: &[u8]) -> Option<Vec<u8>> {
        // What a fence has brought before what waits for one.
        let staged = || self.fences.iter().find_map(|f| f.staged(key).cloned());
        self.store.value(key).or_else(staged)
    }

    /// A sparse put: stored at its owner, on whatever server the process is.
    pub(super) fn put_sparse(&mut self, key: Vec<u8>, value: Vec<u8>) -> Result<(), crate::kvs::Error> {
        match self.owner(&key) {
            None => {
                self.store.insert(&key, &value)?;
                self.wake(&key, &value);
            }
            // Ahead of this server's word for the next fence, so there before anybody is told that the fence is over.
            Some(next) => self.tell(next, &Message::Put { key, value }),
        }
        Ok(())
    }

    /// Answers a get now or later.
    pub(super) fn get(&mut self, from: Waiter, key: Vec<u8>, wait: bool) {
        if let Some(value) = self.known(&key) {
            return self.answer(&from, &key, wait, Some(value));
        }
        let next = self.owner(&key);
        // What came from there cannot be asked for there: the servers do not agree on the owner.
        let next = next.filter(|conn| from != Waiter::Server(*conn));
        if next.is_none() && !wait {
            return self.answer(&from, &key, wait, None);
        }
        let first = self.asks.open(wait).wait(&key, from);
        if let (true, Some(conn)) = (first, next) {
            self.tell(conn, &Message::Ask { key, wait });
        }
    }

    /// The answer of another server.
    pub(super) fn told(&mut self, key: &[u8], wait: bool, value: Option<Vec<u8>>) {
        let waiting = self.asks.open(wait).serve(key);
        if waiting.is_empty() {
            return; // it came another way in the meantime
        }
        if let Some(value) = &value {
            // For all processes of the node, until the next fence may have changed it. Without room for it the answer
            // is good all the same.
            let _ = self.store.lease(key, value);
        }
        for from in waiting {
            self.answer(&from, key, wait, value.clone());
        }
    }

    /// A key has got its value: answers those who wait for it.
    pub(super) fn wake(&mut self, key: &[u8], value: &[u8]) {
        for from in self.asks.waiting.serve(key) {
            self.answer(&from, key, true, Some(value.to_vec()));
        }
    }

    fn answer(&mut self, from: &Waiter, key: &[u8], wait: bool, value: Option<Vec<u8>>) {
        match from {
            Waiter::Process(conn, form) => self.reply(*conn, form, &Reply::Get(value)),
            Waiter::Server(conn) => self.tell(*conn, &Message::Tell { key: key.to_vec(), wait, value }),
        }
    }

    pub(super) fn node_put(&mut self, conn: Conn, form: Form, key: Vec<u8>, value: Vec<u8>) {
        self.reply(conn, &form, &Reply::NodePut);
        let waiting = self.asks.node_waiting.serve(&key);
        let value = self.asks.node.entry(key).or_insert(value).clone();
        for (conn, form) in waiting {
            self.reply(conn, &form, &Reply::NodeGet(Some(value.clone())));
        }
    }

    pub(super) fn node_get(&mut self, conn: Conn, form: Form, key: Vec<u8>, wait: bool) {
        let value = self.asks.node.get(&key).cloned();
        if value.is_none() && wait {
            self.asks.node_waiting.wait(&key, (conn, form));
            return;
        }
        self.reply(conn, &form, &Reply::NodeGet(value));
    }
}
