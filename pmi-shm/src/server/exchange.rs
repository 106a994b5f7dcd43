//! Exchanges of bytes among servers, and messages from one server to another. Both go along the tree. A fence is an
//! exchange, too; the bytes of the others mean nothing here.

use super::channel::{Key, Members, Message};
use super::core::Server;
use super::tree::Tree;
use super::{Conn, Event};
use crate::error::Error;
use crate::pairs;
use crate::wire::Malformed;
use std::collections::{BTreeMap, HashMap};

/// An exchange that some members have entered.
#[derive(Default)]
struct Gathered {
    own: Option<Vec<u8>>,
    /// Data by child, in the order of the tree.
    below: BTreeMap<u32, Vec<u8>>,
    /// This server and all members below have entered.
    sent_up: bool,
}

/// All exchanges that have begun and are not complete, by key.
#[derive(Default)]
pub(super) struct Exchanges(HashMap<Key, Gathered>);

impl Members {
    pub fn contains(&self, server: u32) -> bool {
        self.0.is_empty() || self.0.contains(&server)
    }

    /// The children of this server below which there are members.
    fn below(&self, tree: &Tree) -> Vec<u32> {
        let part = |child: &u32| self.0.is_empty() || self.0.iter().any(|&s| tree.towards(s) == Some(*child));
        tree.children().filter(part).collect()
    }
}

impl Server {
    /// Enters the exchange `key` among `servers` (an empty list means all) with `data`. When all of them have entered,
    /// each gets [`Event::Exchanged`] with the data of all, one after the other, in the same order on all servers. Then
    /// the key may be used again.
    ///
    /// Each server with members at it or below it sends one message to its parent and gets one from it. So a byte goes
    /// over a tree channel at most once upwards and once downwards. A server keeps the data from below until it sends
    /// it on.
    pub fn exchange(&mut self, key: Vec<u8>, servers: &[u32], data: Vec<u8>) -> Result<(), Error> {
        let members = Members(servers.to_vec());
        let unknown = servers.iter().find(|&&s| s >= self.spec.servers.nodes());
        if !members.contains(self.spec.node) || unknown.is_some() {
            return Err(Error::Exchange(self.spec.node));
        }
        self.enter_exchange(Key::Own(key), members, data)
    }

    pub(super) fn enter_exchange(&mut self, key: Key, members: Members, data: Vec<u8>) -> Result<(), Error> {
        let e = self.exchanges.0.entry(key.clone()).or_default();
        if e.sent_up || e.own.is_some() {
            return Err(Error::Exchange(self.spec.node));
        }
        e.own = Some(data);
        self.advance_exchange(key, members);
        Ok(())
    }

    /// Sends `data` to a server, which may be this one. That server gets [`Event::Message`].
    pub fn send_message(&mut self, to: u32, data: Vec<u8>) {
        self.forward(to, self.spec.node, data);
    }

    fn forward(&mut self, to: u32, from: u32, data: Vec<u8>) {
        match self.toward(to) {
            Some(next) => self.send(next, &Message::Direct { to, from, data }),
            None => self.event(Event::Message { from, data }),
        }
    }

    /// Forwards a message that came from a neighbour, unless it is for a server that does not exist.
    pub(super) fn forward_from_peer(&mut self, to: u32, from: u32, data: Vec<u8>) -> Result<(), Malformed> {
        if to >= self.spec.servers.nodes() {
            return Err(Malformed(format!("a message to server {to}")));
        }
        self.forward(to, from, data);
        Ok(())
    }

    /// Sends the data on when this server and all members below have entered.
    fn advance_exchange(&mut self, key: Key, members: Members) {
        let below = members.below(&self.tree);
        let Some(e) = self.exchanges.0.get_mut(&key) else { return };
        if e.sent_up || e.below.len() < below.len() || (e.own.is_none() && members.contains(self.spec.node)) {
            return;
        }
        e.sent_up = true;
        let mut data = e.own.take().unwrap_or_default();
        for part in std::mem::take(&mut e.below).into_values() {
            data.extend(part);
        }
        if self.root() {
            self.complete_exchange(key, members, data);
        } else {
            self.send(Conn::Parent, &Message::ExchangeUp { key, members, data });
        }
    }

    /// A neighbour's fence is the next one, is one of all servers, and has whole pairs.
    fn check_fence(&self, key: &Key, members: &Members, data: &[u8]) -> Result<(), Malformed> {
        match *key {
            Key::Fence(side, number)
                if number != self.fences[side as usize].done || !members.0.is_empty() || !pairs::are_whole(data) =>
            {
                Err(Malformed(format!("has fence {number} out of turn, or with pairs that are cut off")))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn exchange_from_below(
        &mut self,
        child: u32,
        key: Key,
        members: Members,
        data: Vec<u8>,
    ) -> Result<(), Malformed> {
        self.check_fence(&key, &members, &data)?;
        let e = self.exchanges.0.entry(key.clone()).or_default();
        if e.sent_up || e.below.insert(child, data).is_some() || !members.below(&self.tree).contains(&child) {
            return Err(Malformed("enters an exchange that it takes no part in, or twice".to_owned()));
        }
        self.advance_exchange(key, members);
        Ok(())
    }

    pub(super) fn exchange_from_above(&mut self, key: Key, members: Members, data: Vec<u8>) -> Result<(), Malformed> {
        if !self.exchanges.0.get(&key).is_some_and(|e| e.sent_up) {
            return Err(Malformed("completes an exchange that has not begun".to_owned()));
        }
        self.check_fence(&key, &members, &data)?;
        self.complete_exchange(key, members, data);
        Ok(())
    }

    fn complete_exchange(&mut self, key: Key, members: Members, data: Vec<u8>) {
        self.exchanges.0.remove(&key);
        self.stats.fences += 1;
        for child in members.below(&self.tree) {
            let down = Message::ExchangeDown { key: key.clone(), members: members.clone(), data: data.clone() };
            self.send(Conn::Child(child), &down);
        }
        match key {
            Key::Fence(side, _) => self.complete_fence(side, &data),
            Key::Own(key) if members.contains(self.spec.node) => self.event(Event::Exchanged { key, data }),
            Key::Own(_) => {}
        }
    }
}
