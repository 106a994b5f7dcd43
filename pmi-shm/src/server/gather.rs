//! Allgather: one value of each process for all, without keys.
//!
//! Clients that say how long a slot is get a region of shared memory, one per node; the others get the bytes, in the
//! form of those who invented the call: a length, then 1024 bytes for each rank.

use super::Conn;
use super::client::Form;
use super::link::{Message, Pairs, Side};
use super::node::Node;
use crate::kvs::{Gather, Guard, Slots};
use crate::wire::{Malformed, Reply};
use std::collections::{HashMap, VecDeque};
use std::os::fd::AsRawFd;

/// Bytes per rank where no slot is named.
const STRIDE: usize = 1024;

/// Regions that can still be opened: a process opens one before it enters the next allgather, so one more than the
/// latest is enough.
const KEPT: usize = 2;

/// What is being gathered on one side of the processes' connections.
#[derive(Default)]
pub(super) struct Gathers {
    here: HashMap<Conn, Entered>,
    below: HashMap<Conn, Pairs>,
    told: bool,
    kept: VecDeque<Gather>,
}

struct Entered {
    form: Form,
    value: Vec<u8>,
    slot: Option<usize>,
}

impl Node {
    pub(super) fn enter_gather(&mut self, conn: Conn, form: Form, side: Side, value: Vec<u8>, slot: Option<usize>) {
        let gather = &mut self.gathers[side as usize];
        let most = slot.unwrap_or(STRIDE);
        if value.len() >= most || gather.told || gather.here.contains_key(&conn) {
            let what = format!("enters an allgather twice, or with {} bytes for slots of {most}", value.len());
            return self.broken(conn, what);
        }
        gather.here.insert(conn, Entered { form, value, slot });
        self.pass_gather(side);
    }

    pub(super) fn gather_from_below(&mut self, conn: Conn, side: Side, values: Pairs) -> Result<(), Malformed> {
        if self.gathers[side as usize].below.insert(conn, values).is_some() {
            return Err(Malformed("enters an allgather twice".to_owned()));
        }
        self.pass_gather(side);
        Ok(())
    }

    fn pass_gather(&mut self, side: Side) {
        let (ranks, children) = (self.ranks().to_vec(), self.children());
        let gather = &mut self.gathers[side as usize];
        if gather.told || gather.here.len() < ranks.len() || gather.below.len() < children.len() {
            return;
        }
        gather.told = true;
        let mut values = Pairs::default();
        for rank in ranks {
            values.push(&rank.to_le_bytes(), &gather.here[&side.conn(rank)].value);
        }
        for (_, theirs) in gather.below.drain() {
            values.append(&theirs);
        }
        if !self.root() {
            return self.tell(Conn::Parent, &Message::GatherUp { side, values });
        }
        if let Err(Malformed(what)) = self.gather_done(side, values) {
            self.broken(side.conn(0), what);
        }
    }

    pub(super) fn gather_done(&mut self, side: Side, values: Pairs) -> Result<(), Malformed> {
        let gather = &mut self.gathers[side as usize];
        gather.told = false;
        let here = std::mem::take(&mut gather.here);
        for child in self.children() {
            self.tell(Conn::Child(child), &Message::GatherDown { side, values: values.clone() });
        }
        let wrong = || Malformed("an allgather with values that do not fit".to_owned());
        let list: Option<Vec<(u32, &[u8])>> =
            values.iter().map(|(rank, value)| Some((u32::from_le_bytes(rank.try_into().ok()?), value))).collect();
        let list = list.ok_or_else(wrong)?;
        // All processes name the same slot; each size that is named is made once.
        let mut regions: HashMap<usize, Reply> = HashMap::new();
        let mut bytes = None;
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
        Ok(())
    }

    /// The values in shared memory: the file by which processes of this node open it, and its number.
    fn region(&mut self, side: Side, slot: usize, list: &[(u32, &[u8])]) -> Result<(Vec<u8>, u128), String> {
        if !self.spec.share {
            return Err("shared memory is not offered".to_owned());
        }
        let size = self.spec.servers.size();
        let mut made = Gather::create(Slots::Plain, size, slot, Guard::Sealed).map_err(|e| e.to_string())?;
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

/// The answer without a frame: its length as the processor has it, then a fixed number of bytes for each rank.
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
