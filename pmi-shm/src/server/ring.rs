//! Ring exchange and allgather: collective over all processes, like a fence, but without the store.

use super::client::Form;
use super::link::{Message, Pairs, Side};
use super::node::Node;
use super::{Conn, Event};
use crate::wire::{Malformed, Reply};
use std::collections::HashMap;

/// Bytes per rank in the answer to an allgather, fixed by those who invented it.
const STRIDE: usize = 1024;

/// What is being exchanged on one side of the processes' connections.
#[derive(Default)]
pub(super) struct Meetings {
    ring: Ring,
    gather: Gather,
}

/// A part of the ring that is closed in itself but for its ends.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Arc {
    count: u32,
    left: Vec<u8>,
    right: Vec<u8>,
}

#[derive(Default)]
struct Ring {
    here: HashMap<Conn, (Form, Arc)>,
    below: HashMap<Conn, Arc>,
    /// While the rest of the ring is awaited: my part, in order.
    arcs: Vec<(Conn, Option<Form>, Arc)>,
}

#[derive(Default)]
struct Gather {
    here: HashMap<Conn, (Form, Vec<u8>)>,
    below: HashMap<Conn, Pairs>,
    told: bool,
}

impl Node {
    pub(super) fn enter_ring(&mut self, conn: Conn, form: Form, side: Side, count: u32, left: Vec<u8>, right: Vec<u8>) {
        let ring = &mut self.meetings[side as usize].ring;
        if !ring.arcs.is_empty() || ring.here.insert(conn, (form, Arc { count, left, right })).is_some() {
            let what = "enters a ring while it is in one".to_owned();
            return self.event(Event::Broken { conn, what });
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
        let ring = &mut self.meetings[side as usize].ring;
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
        let ring = &mut self.meetings[side as usize].ring;
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
        let arcs = std::mem::take(&mut self.meetings[side as usize].ring.arcs);
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

    pub(super) fn enter_gather(&mut self, conn: Conn, form: Form, side: Side, value: Vec<u8>, _shared: bool) {
        let gather = &mut self.meetings[side as usize].gather;
        if value.len() >= STRIDE || gather.told || gather.here.insert(conn, (form, value)).is_some() {
            let what = format!("enters an allgather twice, or with a value of more than {} bytes", STRIDE - 1);
            return self.event(Event::Broken { conn, what });
        }
        self.pass_gather(side);
    }

    pub(super) fn gather_from_below(&mut self, conn: Conn, side: Side, values: Pairs) -> Result<(), Malformed> {
        if self.meetings[side as usize].gather.below.insert(conn, values).is_some() {
            return Err(Malformed("enters an allgather twice".to_owned()));
        }
        self.pass_gather(side);
        Ok(())
    }

    fn pass_gather(&mut self, side: Side) {
        let (ranks, children) = (self.ranks().to_vec(), self.children());
        let gather = &mut self.meetings[side as usize].gather;
        if gather.told || gather.here.len() < ranks.len() || gather.below.len() < children.len() {
            return;
        }
        gather.told = true;
        let mut values = Pairs::default();
        for rank in ranks {
            let (_, value) = &gather.here[&side.conn(rank)];
            values.push(&rank.to_le_bytes(), value);
        }
        for (_, theirs) in gather.below.drain() {
            values.append(&theirs);
        }
        if self.root() {
            // The root made it, so it is in order.
            let _ = self.gather_done(side, values);
        } else {
            self.tell(Conn::Parent, &Message::GatherUp { side, values });
        }
    }

    pub(super) fn gather_done(&mut self, side: Side, values: Pairs) -> Result<(), Malformed> {
        let size = self.spec.servers.size() as usize;
        // The answer has no frame: its length, then a fixed number of bytes for each rank.
        let mut answer = ((size * STRIDE) as i32).to_ne_bytes().to_vec();
        let head = answer.len();
        answer.resize(head + size * STRIDE, 0);
        for (rank, value) in values.iter() {
            let rank = <[u8; 4]>::try_from(rank).map(u32::from_le_bytes).unwrap_or(u32::MAX) as usize;
            if rank >= size || value.len() > STRIDE {
                return Err(Malformed(format!("an allgather with a value of rank {rank}")));
            }
            let at = head + rank * STRIDE;
            answer[at..at + value.len()].copy_from_slice(value);
        }
        for child in self.children() {
            self.tell(Conn::Child(child), &Message::GatherDown { side, values: values.clone() });
        }
        let gather = &mut self.meetings[side as usize].gather;
        gather.told = false;
        for (conn, _) in std::mem::take(&mut gather.here) {
            self.raw(conn, answer.clone());
        }
        Ok(())
    }
}
