//! Gets: answered from the store, or by the key's owner, or when the key is put.

use super::Conn;
use super::channel::Message;
use super::client::Form;
use super::core::Server;
use crate::ext::{WaitList, owner};
use crate::wire::Reply;
use std::collections::HashMap;

/// Who has sent a Get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Waiter {
    Process(Conn, Form),
    Server(Conn),
}

/// Gets that are not answered yet. For each key there is at most one message to the next server. A later Get of the
/// same key waits for the same answer.
#[derive(Default)]
pub(super) struct Gets {
    /// To be answered when the key is put.
    waiting: WaitList<Waiter>,
    /// To be answered when the owner has told whether there is the key.
    looking: WaitList<Waiter>,
    /// Pairs for the processes of this node only. The first value of a key stays.
    node: HashMap<Vec<u8>, Vec<u8>>,
    node_waiting: WaitList<(Conn, Form)>,
}

impl Gets {
    pub fn any_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn open(&mut self, wait: bool) -> &mut WaitList<Waiter> {
        if wait { &mut self.waiting } else { &mut self.looking }
    }
}

impl Server {
    /// The neighbour through which the owner of a sparse key is reached. `None`: this server is the owner.
    fn owner(&self, key: &[u8]) -> Option<Conn> {
        let servers = &self.spec.servers;
        let node_of = |rank| (rank < servers.size()).then(|| servers.node_of(rank));
        self.toward(owner(key, self.tree.nodes(), node_of))
    }

    fn known(&self, key: &[u8]) -> Option<Vec<u8>> {
        // A value that a fence has brought comes before one that waits for a fence.
        let staged = || self.fences.iter().find_map(|f| f.staged(key).cloned());
        self.store.value(key).or_else(staged)
    }

    /// A sparse put, which is stored at the key's owner.
    pub(super) fn put_sparse(&mut self, key: Vec<u8>, value: Vec<u8>) -> Result<(), crate::kvs::Error> {
        match self.owner(&key) {
            None => {
                self.store.insert(&key, &value)?;
                self.wake(&key, &value);
            }
            // The message is ahead of this server's message for the next fence, so the value is stored before any
            // process is told that the fence is over.
            Some(next) => self.send(next, &Message::Put { key, value }),
        }
        Ok(())
    }

    /// Answers a get now or later.
    pub(super) fn get(&mut self, from: Waiter, key: Vec<u8>, wait: bool) {
        if let Some(value) = self.known(&key) {
            return self.answer(&from, &key, wait, Some(value));
        }
        let next = self.owner(&key);
        // A Get must not go back to the server that sent it: then the servers do not agree on the owner.
        let next = next.filter(|conn| from != Waiter::Server(*conn));
        if next.is_none() && !wait {
            return self.answer(&from, &key, wait, None);
        }
        let first = self.gets.open(wait).wait(&key, from);
        if let (true, Some(conn)) = (first, next) {
            self.send(conn, &Message::Get { key, wait });
        }
    }

    /// Another server has answered a Get.
    pub(super) fn get_reply(&mut self, key: &[u8], wait: bool, value: Option<Vec<u8>>) {
        let waiting = self.gets.open(wait).serve(key);
        if waiting.is_empty() {
            return; // the value came another way meanwhile
        }
        if let Some(value) = &value {
            // Stored for all processes of the node until the next fence, which may change the value. If there is no
            // room, the answer is still right.
            let _ = self.store.lease(key, value);
        }
        for from in waiting {
            self.answer(&from, key, wait, value.clone());
        }
    }

    /// Answers those who wait for a key that has got its value.
    pub(super) fn wake(&mut self, key: &[u8], value: &[u8]) {
        for from in self.gets.waiting.serve(key) {
            self.answer(&from, key, true, Some(value.to_vec()));
        }
    }

    fn answer(&mut self, from: &Waiter, key: &[u8], wait: bool, value: Option<Vec<u8>>) {
        match from {
            Waiter::Process(conn, form) => self.reply(*conn, form, &Reply::Get(value)),
            Waiter::Server(conn) => self.send(*conn, &Message::GetReply { key: key.to_vec(), wait, value }),
        }
    }

    pub(super) fn node_put(&mut self, conn: Conn, form: Form, key: Vec<u8>, value: Vec<u8>) {
        self.reply(conn, &form, &Reply::NodePut);
        let waiting = self.gets.node_waiting.serve(&key);
        let value = self.gets.node.entry(key).or_insert(value).clone();
        for (conn, form) in waiting {
            self.reply(conn, &form, &Reply::NodeGet(Some(value.clone())));
        }
    }

    pub(super) fn node_get(&mut self, conn: Conn, form: Form, key: Vec<u8>, wait: bool) {
        let value = self.gets.node.get(&key).cloned();
        if value.is_none() && wait {
            self.gets.node_waiting.wait(&key, (conn, form));
            return;
        }
        self.reply(conn, &form, &Reply::NodeGet(value));
    }
}
