//! Ring exchange: one message up the tree and one down for each server, whatever the number of its processes.

use super::Conn;
use super::client::Form;
use super::link::{Message, Side};
use super::node::Node;
use crate::wire::{Malformed, Reply};
use std::collections::HashMap;

/// A part of the ring that is closed in itself but for its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Arc {
    count: u32,
    left: Vec<u8>,
    right: Vec<u8>,
}

/// The ring that is being closed on one side of the processes' connections.
#[derive(Default)]
pub(super) struct Ring {
    here: HashMap<Conn, (Form, Arc)>,
    below: HashMap<Conn, Arc>,
    /// While the rest of the ring is awaited: my part, in order.
    arcs: Vec<(Conn, Option<Form>, Arc)>,
}

impl Node {
    pub(super) fn enter_ring(&mut self, conn: Conn, form: Form, side: Side, count: u32, left: Vec<u8>, right: Vec<u8>) {
        let ring = &mut self.rings[side as usize];
        if !ring.arcs.is_empty() || ring.here.insert(conn, (form, Arc { count, left, right })).is_some() {
            let what = "enters a ring while it is in one".to_owned();
            return self.broken(conn, what);
        }
        self.pass_ring(side);
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
        self.pass_ring(side);
        Ok(())
    }

    /// One message up when all here and below are in, one down to each child: two per server, whatever the number of
    /// processes.
    fn pass_ring(&mut self, side: Side) {
        let (ranks, children) = (self.ranks().to_vec(), self.children());
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
        // What processes say about themselves is not trusted to add up.
        let count = ring.arcs.iter().fold(0u32, |sum, (_, _, arc)| sum.wrapping_add(arc.count));
        if self.root() {
            // The ends meet.
            self.ring_done(side, 0, right, left);
        } else {
            self.tell(Conn::Parent, &Message::RingUp { side, count, left, right });
        }
    }

    /// `left` and `right` are what the neighbours outside my part hold out.
    pub(super) fn ring_done(&mut self, side: Side, first: u32, left: Vec<u8>, right: Vec<u8>) {
        let arcs = std::mem::take(&mut self.rings[side as usize].arcs);
        let mut count = first;
        for (i, (conn, form, arc)) in arcs.iter().enumerate() {
            let before = i.checked_sub(1).map_or(&left, |i| &arcs[i].2.right).clone();
            let after = arcs.get(i + 1).map_or(&right, |next| &next.2.left).clone();
            match form {
                Some(form) => self.reply(*conn, form, &Reply::Ring { count, left: before, right: after }),
                None => self.tell(*conn, &Message::RingDown { side, count, left: before, right: after }),
            }
            count = count.wrapping_add(arc.count);
        }
    }
}
