//! Allgather: every process gives one value and gets the values of all, without keys.
//!
//! Clients that name the length of a slot get a region of shared memory, one per node. A client that cannot open the
//! region asks for the values one by one. Clients that name no slot get the bytes in the form of MVAPICH2, which
//! invented the call: a length, then 1024 bytes for each rank.

use super::Conn;
use super::channel::{Message, Side};
use super::client::Form;
use super::core::Server;
use crate::kvs::Gather;
use crate::pairs::Pairs;
use crate::wire::{GATHERED, Malformed, Reply};
use std::collections::{HashMap, VecDeque};
use std::os::fd::AsRawFd;

/// Bytes per rank where the client names no slot: the length that MVAPICH2 has fixed.
const STRIDE: usize = 1024;

/// How many of the latest regions can still be opened. A process opens a region before it enters the next allgather, so
/// one could close the region too early, and three would only take memory.
const KEPT: usize = 2;

/// The allgather on one side of the processes' connections.
#[derive(Default)]
pub(super) struct Gathers {
    here: HashMap<Conn, Entered>,
    below: HashMap<Conn, Pairs>,
    sent_up: bool,
    kept: VecDeque<Gather>,
    /// The values of the last allgather for which a process named a slot: once per node, as the region has them. A
    /// process asks for them before it enters the next one.
    last: Pairs,
}

struct Entered {
    form: Form,
    value: Vec<u8>,
    slot: Option<usize>,
}

impl Server {
    pub(super) fn enter_gather(&mut self, conn: Conn, form: Form, side: Side, value: Vec<u8>, slot: Option<usize>) {
        let gather = &mut self.gathers[side as usize];
        let most = slot.unwrap_or(STRIDE);
        if value.len() >= most || gather.sent_up || gather.here.contains_key(&conn) {
            let what = format!("enters an allgather twice, or with {} bytes for slots of {most}", value.len());
            return self.protocol_error(conn, what);
        }
        gather.here.insert(conn, Entered { form, value, slot });
        self.advance_gather(side);
    }

    pub(super) fn gather_from_below(&mut self, conn: Conn, side: Side, values: Pairs) -> Result<(), Malformed> {
        if self.gathers[side as usize].below.insert(conn, values).is_some() {
            return Err(Malformed("enters an allgather twice".to_owned()));
        }
        self.advance_gather(side);
        Ok(())
    }

    /// Sends the values on when all processes here and below have entered. Nobody waits for a server without processes
    /// here and below.
    fn advance_gather(&mut self, side: Side) {
        let (ranks, children) = (self.ranks().to_vec(), self.entering.clone());
        let gather = &mut self.gathers[side as usize];
        if gather.sent_up || gather.here.len() < ranks.len() || gather.below.len() < children.len() {
            return;
        }
        gather.sent_up = true;
        let mut values = Pairs::default();
        for rank in ranks {
            values.push(&rank.to_le_bytes(), &gather.here[&side.conn(rank)].value);
        }
        for (_, theirs) in gather.below.drain() {
            values.append(&theirs);
        }
        if !self.root() {
            return self.send(Conn::Parent, &Message::GatherUp { side, values });
        }
        if let Err(Malformed(what)) = self.gather_done(side, values) {
            self.protocol_error(side.conn(0), what);
        }
    }

    pub(super) fn gather_done(&mut self, side: Side, values: Pairs) -> Result<(), Malformed> {
        let gather = &mut self.gathers[side as usize];
        gather.sent_up = false;
        let here = std::mem::take(&mut gather.here);
        for child in self.entering.clone() {
            self.send(Conn::Child(child), &Message::GatherDown { side, values: values.clone() });
        }
        let wrong = || Malformed("an allgather with values that do not fit".to_owned());
        let list: Option<Vec<(u32, &[u8])>> =
            values.iter().map(|(rank, value)| Some((u32::from_le_bytes(rank.try_into().ok()?), value))).collect();
        let list = list.ok_or_else(wrong)?;
        // All processes should name the same slot. One region is made for each length that is named.
        let mut regions: HashMap<usize, Reply> = HashMap::new();
        let mut bytes = None;
        let named = here.values().any(|entered| entered.slot.is_some());
        for (conn, entered) in here {
            match entered.slot {
                Some(slot) => {
                    let made = regions.entry(slot).or_insert_with(|| Reply::Allgather(self.region(side, slot, &list)));
                    let reply = made.clone();
                    self.reply(conn, &entered.form, &reply);
                }
                None => {
                    if bytes.is_none() {
                        bytes = Some(flat(self.spec.servers.size(), &list).ok_or_else(wrong)?);
                    }
                    self.raw(conn, bytes.clone().unwrap_or_default());
                }
            }
        }
        if named {
            self.gathers[side as usize].last = values;
        }
        Ok(())
    }

    /// The value of one rank in the last allgather, by the name of the job attribute.
    pub(super) fn gathered(&self, side: Side, name: &[u8]) -> Option<Vec<u8>> {
        let rank: u32 = std::str::from_utf8(name.strip_prefix(GATHERED.as_bytes())?).ok()?.parse().ok()?;
        let mut values = self.gathers[side as usize].last.iter();
        values.find(|(of, _)| *of == rank.to_le_bytes()).map(|(_, value)| value.to_vec())
    }

    /// Puts the values into shared memory. The result is the file by which processes of this node open it, and its
    /// number.
    fn region(&mut self, side: Side, slot: usize, list: &[(u32, &[u8])]) -> Result<(Vec<u8>, u128), String> {
        if !self.spec.share {
            return Err("shared memory is not offered".to_owned());
        }
        let size = self.spec.servers.size();
        let mut made = Gather::create(size, slot).map_err(|e| e.to_string())?;
        for (rank, value) in list {
            made.insert(*rank, value).map_err(|e| e.to_string())?;
        }
        let shared = made.descriptor().ok_or_else(|| "no memory can be shared".to_owned())?;
        let file = format!("/proc/{}/fd/{}", std::process::id(), shared.as_raw_fd());
        if !std::path::Path::new(&file).exists() {
            return Err("there is no /proc to open shared memory through".to_owned());
        }
        let id = made.id();
        let kept = &mut self.gathers[side as usize].kept;
        kept.push_back(made);
        if kept.len() > KEPT {
            kept.pop_front();
        }
        Ok((file.into_bytes(), id))
    }
}

/// The answer without a frame: its length in the processor's byte order, then [`STRIDE`] bytes for each rank.
fn flat(size: u32, list: &[(u32, &[u8])]) -> Option<Vec<u8>> {
    let len = i32::try_from(size as usize * STRIDE).ok()?;
    let mut answer = len.to_ne_bytes().to_vec();
    let head = answer.len();
    answer.resize(head + size as usize * STRIDE, 0);
    for (rank, value) in list {
        let at = head + *rank as usize * STRIDE;
        answer.get_mut(at..at + STRIDE)?.get_mut(..value.len())?.copy_from_slice(value);
    }
    Some(answer)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Job;
    use super::*;
    use crate::wire::{NodeMap, Request};

    /// A root without ranks, a leaf without ranks, and one between two servers with ranks.
    #[test]
    fn servers_without_ranks_hold_nobody_up() {
        for (nodes, arity) in [(vec![1, 3, 4], 2), (vec![0, 2], 1), (vec![0, 5], 2), (vec![1, 6], 3)] {
            let size = nodes.len() as u32;
            let mut job = Job::new(NodeMap::of(nodes), arity);
            for round in 0..2 {
                for r in 0..size {
                    let value = vec![r as u8];
                    job.ask(Conn::Own(r), &Request::Allgather { value: value.clone(), slot: Some(8) });
                    job.ask(Conn::Rank(r), &Request::Ring { count: 1, left: value.clone(), right: value });
                }
                let mut left = Vec::new();
                for r in 0..size {
                    assert!(matches!(job.answer(Conn::Own(r)), Some(Reply::Allgather(Ok(_)))), "{round}");
                    let Some(Reply::Ring { left: theirs, .. }) = job.answer(Conn::Rank(r)) else { panic!("{round}") };
                    left.extend(theirs);
                }
                left.sort_unstable();
                assert_eq!(left, (0..size as u8).collect::<Vec<_>>(), "each rank is the neighbour of one");
            }
        }
    }
}
