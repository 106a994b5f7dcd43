//! Bytes of a protocol that this crate knows nothing of: exchanges among servers, and letters from one server to another.
//! Both go along the tree.

use super::link::{Among, Message};
use super::node::Node;
use super::{Conn, Event};
use crate::ext::Tree;
use crate::job::Error;
use crate::wire::Malformed;
use std::collections::{BTreeMap, HashMap};

/// An exchange that is being gathered.
#[derive(Default)]
struct Gathered {
    own: Option<Vec<u8>>,
    /// By child, so that the order is that of the tree.
    below: BTreeMap<u32, Vec<u8>>,
    /// Everybody here and below has entered.
    told: bool,
}

/// All exchanges that have begun and are not complete, by key.
#[derive(Default)]
pub(super) struct Exchanges(HashMap<Vec<u8>, Gathered>);

impl Among {
    pub fn holds(&self, server: u32) -> bool {
        self.0.is_empty() || self.0.contains(&server)
    }

    /// The children of this server below which somebody takes part.
    fn below(&self, tree: &Tree) -> Vec<u32> {
        let part = |child: &u32| self.0.is_empty() || self.0.iter().any(|&s| tree.towards(s) == Some(*child));
        tree.children().filter(part).collect()
    }
}

impl Node {
    /// Enters the exchange `key` among `servers` (none: all of them) with `data`. When all have entered, each of them gets
    /// [`Event::Exchanged`] with the data of all, one after the other, in the same order everywhere. A key may be used again
    /// after that.
    ///
    /// Each server below which somebody takes part sends one message to its parent and gets one from it: a byte goes up at most
    /// once and down at most once on every link of the tree. A server holds what is below it until it has passed it on.
    pub fn exchange(&mut self, key: Vec<u8>, servers: &[u32], data: Vec<u8>) -> Result<(), Error> {
        let among = Among(servers.to_vec());
        let unknown = servers.iter().find(|&&s| s >= self.spec.servers.nodes());
        if !among.holds(self.spec.node) || unknown.is_some() {
            return Err(Error(format!("server {} enters an exchange among {servers:?}", self.spec.node)));
        }
        let e = self.exchanges.0.entry(key.clone()).or_default();
        if e.told || e.own.is_some() {
            return Err(Error("an exchange is entered twice".to_owned()));
        }
        e.own = Some(data);
        self.pass_exchange(key, among);
        Ok(())
    }

    /// Sends `data` to another server, or to this one: [`Event::Letter`] there.
    pub fn letter(&mut self, to: u32, data: Vec<u8>) {
        self.forward(Message::Letter { to, from: self.spec.node, data });
    }

    pub(super) fn forward(&mut self, letter: Message) {
        let Message::Letter { to, .. } = &letter else { return };
        match self.toward(*to) {
            Some(next) => self.tell(next, &letter),
            None => {
                let Message::Letter { from, data, .. } = letter else { return };
                self.event(Event::Letter { from, data });
            }
        }
    }

    /// A letter that came from a neighbour; to a server that is not there it goes nowhere.
    pub(super) fn letter_came(&mut self, letter: Message) -> Result<(), Malformed> {
        if let Message::Letter { to, .. } = &letter
            && *to >= self.spec.servers.nodes()
        {
            return Err(Malformed(format!("a letter to server {to}")));
        }
        self.forward(letter);
        Ok(())
    }

    /// Goes on when everybody here and below has entered.
    fn pass_exchange(&mut self, key: Vec<u8>, among: Among) {
        let below = among.below(&self.tree);
        let Some(e) = self.exchanges.0.get_mut(&key) else { return };
        if e.told || e.below.len() < below.len() || (e.own.is_none() && among.holds(self.spec.node)) {
            return;
        }
        e.told = true;
        let mut data = e.own.take().unwrap_or_default();
        for part in std::mem::take(&mut e.below).into_values() {
            data.extend(part);
        }
        if self.root() {
            self.complete_exchange(key, among, data);
        } else {
            self.tell(Conn::Parent, &Message::ExchangeUp { key, among, data });
        }
    }

    pub(super) fn exchange_from_below(
        &mut self,
        child: u32,
        key: Vec<u8>,
        among: Among,
        data: Vec<u8>,
    ) -> Result<(), Malformed> {
        let e = self.exchanges.0.entry(key.clone()).or_default();
        if e.told || e.below.insert(child, data).is_some() || !among.below(&self.tree).contains(&child) {
            return Err(Malformed("enters an exchange that it takes no part in, or twice".to_owned()));
        }
        self.pass_exchange(key, among);
        Ok(())
    }

    pub(super) fn exchange_from_above(&mut self, key: Vec<u8>, among: Among, data: Vec<u8>) -> Result<(), Malformed> {
        if !self.exchanges.0.get(&key).is_some_and(|e| e.told) {
            return Err(Malformed("completes an exchange that has not begun".to_owned()));
        }
        self.complete_exchange(key, among, data);
        Ok(())
    }

    fn complete_exchange(&mut self, key: Vec<u8>, among: Among, data: Vec<u8>) {
        self.exchanges.0.remove(&key);
        self.stats.fences += 1;
        for child in among.below(&self.tree) {
            let down = Message::ExchangeDown { key: key.clone(), among: among.clone(), data: data.clone() };
            self.tell(Conn::Child(child), &down);
        }
        if among.holds(self.spec.node) {
            self.event(Event::Exchanged { key, data });
        }
    }
}
