//! Gets: answered from the store, or by whoever has the key, or when it is put.

use super::Conn;
use super::client::Form;
use super::link::Message;
use super::node::Node;
use crate::kvs::rank_of;
use crate::wire::Reply;
use std::collections::HashMap;

/// Who asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Waiter {
    Process(Conn, Form),
    Server(Conn),
}

/// Open questions, by key and by whether the answer waits for the put. For each there is at most one message to the
/// next server; who asks the same later waits for the same answer.
#[derive(Default)]
pub(super) struct Asks {
    open: HashMap<(Vec<u8>, bool), Vec<Waiter>>,
    /// Pairs that only processes of this node read; the first value of a key stays.
    node: HashMap<Vec<u8>, Vec<u8>>,
    node_open: HashMap<Vec<u8>, Vec<(Conn, Form)>>,
}

impl Asks {
    pub fn any(&self) -> bool {
        !self.open.is_empty()
    }
}

impl Node {
    fn known(&self, key: &[u8]) -> Option<Vec<u8>> {
        // What a fence has brought before what waits for one.
        let staged = || self.fences.iter().find_map(|f| f.staged(key).cloned());
        self.store.value(key).or_else(staged)
    }

    /// Answers a get now or later. `source`: the rank whose put it is; else the key may name it.
    pub(super) fn get(&mut self, from: Waiter, key: Vec<u8>, source: Option<u32>, wait: bool) {
        if let Some(value) = self.known(&key) {
            return self.answer(&from, &key, wait, Some(value));
        }
        let size = self.spec.servers.size();
        if source.is_some_and(|rank| rank >= size) {
            return self.answer(&from, &key, wait, None);
        }
        let owner = source.or_else(|| rank_of(&key)).filter(|&rank| rank < size);
        let next = owner.and_then(|rank| self.toward(self.spec.servers.node_of(rank)));
        // A question that came from there must not go back: the servers do not agree on the owner.
        let next = next.filter(|conn| from != Waiter::Server(*conn));
        if next.is_none() && !wait {
            return self.answer(&from, &key, wait, None);
        }
        let waiting = self.asks.open.entry((key.clone(), wait)).or_default();
        waiting.push(from);
        if let (1, Some(conn), Some(owner)) = (waiting.len(), next, owner) {
            self.tell(conn, &Message::Ask { key, owner, wait });
        }
    }

    /// The answer of another server.
    pub(super) fn told(&mut self, key: &[u8], wait: bool, value: Option<Vec<u8>>) {
        let Some(waiting) = self.asks.open.remove(&(key.to_vec(), wait)) else {
            return; // it came another way in the meantime
        };
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
        if !self.asks.any() {
            return;
        }
        for from in self.asks.open.remove(&(key.to_vec(), true)).unwrap_or_default() {
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
        let waiting = self.asks.node_open.remove(&key).unwrap_or_default();
        let value = self.asks.node.entry(key).or_insert(value).clone();
        for (conn, form) in waiting {
            self.reply(conn, &form, &Reply::NodeGet(Some(value.clone())));
        }
    }

    pub(super) fn node_get(&mut self, conn: Conn, form: Form, key: Vec<u8>, wait: bool) {
        let value = self.asks.node.get(&key).cloned();
        if value.is_none() && wait {
            return self.asks.node_open.entry(key).or_default().push((conn, form));
        }
        self.reply(conn, &form, &Reply::NodeGet(value));
    }
}
