//! Gets: answered from the store, or by the node of the rank that puts the key, or by the key's owner, or when the key
//! is put.

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
    /// A server that asks the node of this rank, or the key's owner.
    Server(Conn, Option<u32>),
}

/// Gets that are not answered yet. For each key and rank there is at most one message to the next server. A later Get
/// of the same key waits for the same answer.
#[derive(Default)]
pub(super) struct Gets {
    /// To be answered when the key is put.
    waiting: WaitList<Waiter>,
    /// To be answered when the owner has told whether there is the key.
    looking: WaitList<Waiter>,
    /// `waiting` and `looking` for Gets on their way to the node of a rank. Its number comes before the key.
    direct: [WaitList<Waiter>; 2],
    /// Pairs for the processes of this node only. The first value of a key stays.
    node: HashMap<Vec<u8>, Vec<u8>>,
    node_waiting: WaitList<(Conn, Form)>,
}

impl Gets {
    /// Whether a put may answer a Get: [`Server::wake`] answers none that is on its way to the node of a rank.
    pub fn any_waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn open(&mut self, wait: bool) -> &mut WaitList<Waiter> {
        if wait { &mut self.waiting } else { &mut self.looking }
    }

    fn wait(&mut self, key: &[u8], wait: bool, source: Option<u32>, from: Waiter) -> bool {
        match source {
            None => self.open(wait).wait(key, from),
            Some(rank) => self.direct[usize::from(wait)].wait(&of_rank(rank, key), from),
        }
    }

    fn serve(&mut self, key: &[u8], wait: bool, source: Option<u32>) -> Vec<Waiter> {
        match source {
            None => self.open(wait).serve(key),
            Some(rank) => self.direct[usize::from(wait)].serve(&of_rank(rank, key)),
        }
    }
}

fn of_rank(rank: u32, key: &[u8]) -> Vec<u8> {
    [&rank.to_le_bytes(), key].concat()
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
            None => self.put_here(&key, &value)?,
            // The message is ahead of this server's message for the next fence, so the value is stored before any
            // process is told that the fence is over.
            Some(next) => self.send(next, &Message::Put { key, value }),
        }
        Ok(())
    }

    /// Answers a get now or later. The node of rank `source` is asked first, then the key's owner. One message to each
    /// server on the way there, and one back.
    pub(super) fn get(&mut self, from: Waiter, key: Vec<u8>, wait: bool, source: Option<u32>) {
        if let Some(value) = self.known(&key) {
            return self.answer(&from, &key, wait, Some(value));
        }
        // A Get must not go back to the server that sent it: then the servers do not agree on the way.
        let (back, asked_of) = match from {
            Waiter::Server(conn, of) => (Some(conn), of),
            Waiter::Process(..) => (None, None),
        };
        let direct = source.and_then(|rank| self.toward_rank(rank)).filter(|conn| Some(*conn) != back);
        // Here a Get that has come to the node of its rank may go back where it came from: it asks the owner from here.
        let to_owner = || self.owner(&key).filter(|conn| asked_of.is_some() || Some(*conn) != back);
        let source = source.filter(|_| direct.is_some());
        let next = direct.or_else(to_owner);
        if next.is_none() && !wait {
            return self.answer(&from, &key, wait, None);
        }
        let first = self.gets.wait(&key, wait, source, from);
        if let (true, Some(conn)) = (first, next) {
            self.send(conn, &Message::Get { key, wait, source });
        }
    }

    /// Another server has answered a Get.
    pub(super) fn get_reply(&mut self, key: &[u8], wait: bool, source: Option<u32>, value: Option<Vec<u8>>) {
        let waiting = self.gets.serve(key, wait, source);
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
            self.gets.node_waiting.wait(&key, (conn, form));
            return;
        }
        self.reply(conn, &form, &Reply::NodeGet(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_put_cannot_answer_does_not_wait_for_it() {
        let (mut gets, from) = (Gets::default(), Waiter::Process(Conn::Own(0), Form::Line));
        for source in [Some(3), None] {
            assert!(gets.wait(b"key", true, source, from.clone()));
            assert_eq!(gets.any_waits(), source.is_none());
        }
    }
}
