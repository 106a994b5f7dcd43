//! Gets: answered from the store, or by the node of the rank that puts the key, or when the key is put.
//!
//! **Later values.** Most puts are staged and travel with the fence. The root puts them into one order, and all nodes
//! insert them in that order, so all nodes agree. A value that stays on the node of its rank replaces the old one at
//! once. Other nodes hold copies of it with a lease (`kvs::Store::lease`) that ends with the next fence. So all
//! processes see the later value after a fence, and one of the two before it.

use super::Conn;
use super::channel::Message;
use super::client::Form;
use super::core::Server;
use crate::wire::Reply;
use std::collections::HashMap;
use std::hash::Hash;

/// Who has sent a Get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Waiter {
    Process(Conn, Form),
    /// A server that asks the node of this rank.
    Server(Conn, u32),
}

/// Who waits for what, in the order in which they came.
#[derive(Debug)]
struct WaitList<K, W>(HashMap<K, Vec<W>>);

impl<K, W> Default for WaitList<K, W> {
    fn default() -> Self {
        WaitList(HashMap::new())
    }
}

impl<K: Eq + Hash, W: PartialEq> WaitList<K, W> {
    /// True: nobody waited before, so a request must be sent on. Its answer serves all later ones.
    fn wait(&mut self, key: K, who: W) -> bool {
        let waiting = self.0.entry(key).or_default();
        if !waiting.contains(&who) {
            waiting.push(who);
            return waiting.len() == 1;
        }
        false
    }

    /// Those who wait, and wait no longer.
    fn serve(&mut self, key: &K) -> Vec<W> {
        self.0.remove(key).unwrap_or_default()
    }
}

/// Gets that are not answered yet.
#[derive(Default)]
pub(super) struct Gets {
    /// To be answered when the key is put here.
    waiting: WaitList<Vec<u8>, Waiter>,
    /// Sent on to the node of the rank, with one message for all: a Get of the key, and whether it waits there.
    asked: WaitList<(u32, bool, Vec<u8>), Waiter>,
    /// Pairs for the processes of this node only. The first value of a key stays.
    node: HashMap<Vec<u8>, Vec<u8>>,
    node_waiting: WaitList<Vec<u8>, (Conn, Form)>,
}

impl Server {
    /// A put that stays on this node.
    pub(super) fn put_here(&mut self, key: &[u8], value: &[u8]) -> Result<(), crate::kvs::Error> {
        self.store.insert(key, value)?;
        self.wake(key, value);
        Ok(())
    }

    /// The neighbour through which the node of a rank is reached. `None`: it is this one, or there is no such rank.
    fn toward_rank(&self, rank: u32) -> Option<Conn> {
        let servers = &self.spec.servers;
        (rank < servers.size()).then(|| self.toward(servers.node_of(rank))).flatten()
    }

    fn known(&self, key: &[u8]) -> Option<Vec<u8>> {
        // A value that a fence has brought comes before one that waits for a fence.
        let staged = || self.fences.iter().find_map(|f| f.staged(key).cloned());
        self.store.value(key).or_else(staged)
    }

    /// Answers a get now or later. The node of rank `source` is asked: one message to each server on the way there, and
    /// one back.
    pub(super) fn get(&mut self, from: Waiter, key: Vec<u8>, wait: bool, source: Option<u32>) {
        if let Some(value) = self.known(&key) {
            return self.answer(&from, &key, wait, Some(value));
        }
        // A Get must not go back to the server that sent it: then the servers do not agree on the way.
        let next = source.and_then(|rank| Some((rank, self.toward_rank(rank)?)));
        match next.filter(|(rank, conn)| from != Waiter::Server(*conn, *rank)) {
            Some((source, conn)) => {
                if self.gets.asked.wait((source, wait, key.clone()), from) {
                    self.send(conn, &Message::Get { key, wait, source });
                }
            }
            None if wait => {
                self.gets.waiting.wait(key, from);
            }
            None => self.answer(&from, &key, wait, None),
        }
    }

    /// Another server has answered a Get.
    pub(super) fn get_reply(&mut self, key: Vec<u8>, wait: bool, source: u32, value: Option<Vec<u8>>) {
        let asked = (source, wait, key);
        let waiting = self.gets.asked.serve(&asked);
        if let (Some(value), false) = (&value, waiting.is_empty()) {
            // Stored for all processes of the node until the next fence, which may change the value. If there is no
            // room, the answer is still right.
            let _ = self.store.lease(&asked.2, value);
        }
        for from in waiting {
            self.answer(&from, &asked.2, wait, value.clone());
        }
    }

    /// Answers those who wait for a key that has got its value.
    pub(super) fn wake(&mut self, key: &[u8], value: &[u8]) {
        if self.gets.waiting.0.is_empty() {
            return;
        }
        for from in self.gets.waiting.serve(&key.to_vec()) {
            self.answer(&from, key, true, Some(value.to_vec()));
        }
    }

    fn answer(&mut self, from: &Waiter, key: &[u8], wait: bool, value: Option<Vec<u8>>) {
        match from {
            Waiter::Process(conn, form) => self.reply(*conn, form, &Reply::Get(value)),
            Waiter::Server(conn, source) => {
                self.send(*conn, &Message::GetReply { key: key.to_vec(), wait, source: *source, value });
            }
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
            self.gets.node_waiting.wait(key, (conn, form));
            return;
        }
        self.reply(conn, &form, &Reply::NodeGet(value));
    }
}
