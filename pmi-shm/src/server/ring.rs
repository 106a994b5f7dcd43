//! Ring exchange: each server sends one message up the tree and gets one, independently of the number of its processes.

use super::Conn;
use super::channel::{Message, Side};
use super::client::Form;
use super::core::Server;
use crate::wire::{Malformed, Reply};
use std::collections::HashMap;

/// A part of the ring. Only its two ends are open.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Arc {
    count: u32,
    left: Vec<u8>,
    right: Vec<u8>,
}

/// The ring on one side of the processes' connections.
#[derive(Default)]
pub(super) struct Ring {
    here: HashMap<Conn, (Form, Arc)>,
    below: HashMap<Conn, Arc>,
    /// While the rest of the ring is awaited: the parts here and below, in order.
    arcs: Vec<(Conn, Option<Form>, Arc)>,
}

impl Server {
    pub(super) fn enter_ring(&mut self, conn: Conn, form: Form, side: Side, count: u32, left: Vec<u8>, right: Vec<u8>) {
        let ring = &mut self.rings[side as usize];
        if !ring.arcs.is_empty() || ring.here.insert(conn, (form, Arc { count, left, right })).is_some() {
            let what = "enters a ring while it is in one".to_owned();
            return self.protocol_error(conn, what);
        }
        self.advance_ring(side);
    }

    pub(super) fn ring_from_below(
        &mut self,
        conn: Conn,
        side: Side,
        count: u32,
        left: Vec<u8>,
        right: Vec<u8>,
    ) -> Result<(), Malformed> {
        let ring = &mut self.rings[side as usize];
        if ring.below.insert(conn, Arc { count, left, right }).is_some() {
            return Err(Malformed("enters a ring twice".to_owned()));
        }
        self.advance_ring(side);
        Ok(())
    }

    /// Sends one message up when all processes here and below have entered. Nobody waits for a server without processes
    /// here and below: it has no part of the ring.
    fn advance_ring(&mut self, side: Side) {
        let (ranks, children) = (self.ranks().to_vec(), self.entering.clone());
        let ring = &mut self.rings[side as usize];
        if ring.here.len() < ranks.len() || ring.below.len() < children.len() || !ring.arcs.is_empty() {
            return;
        }
        for rank in ranks {
            let conn = side.conn(rank);
            if let Some((form, arc)) = ring.here.remove(&conn) {
                ring.arcs.push((conn, Some(form), arc));
            }
        }
        for child in children {
            let conn = Conn::Child(child);
            if let Some(arc) = ring.below.remove(&conn) {
                ring.arcs.push((conn, None, arc));
            }
        }
        let (Some((_, _, first)), Some((_, _, last))) = (ring.arcs.first(), ring.arcs.last()) else {
            return;
        };
        let (left, right) = (first.left.clone(), last.right.clone());
        // The counts come from processes, and their sum may overflow.
        let count = ring.arcs.iter().fold(0u32, |sum, (_, _, arc)| sum.wrapping_add(arc.count));
        if self.root() {
            // At the root the two ends are neighbours.
            self.ring_done(side, 0, right, left);
        } else {
            self.send(Conn::Parent, &Message::RingUp { side, count, left, right });
        }
    }

    /// Answers all members. `left` and `right` are the values of the neighbours outside this server's part.
    pub(super) fn ring_done(&mut self, side: Side, first: u32, left: Vec<u8>, right: Vec<u8>) {
        let arcs = std::mem::take(&mut self.rings[side as usize].arcs);
        let mut count = first;
        for (i, (conn, form, arc)) in arcs.iter().enumerate() {
            let before = i.checked_sub(1).map_or(&left, |i| &arcs[i].2.right).clone();
            let after = arcs.get(i + 1).map_or(&right, |next| &next.2.left).clone();
            match form {
                Some(form) => self.reply(*conn, form, &Reply::Ring { count, left: before, right: after }),
                None => self.send(*conn, &Message::RingDown { side, count, left: before, right: after }),
            }
            count = count.wrapping_add(arc.count);
        }
    }
}
