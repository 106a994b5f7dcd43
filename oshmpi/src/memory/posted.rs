//! The words that PEs of a node post to each other: in the sync slots of teams, in the lines of requests, and those of
//! pairs of PEs.

use super::node::{EAGER_BYTES, Node, PAIR_BYTES, REQUEST_BYTES, SYNC_SLOT_BYTES, SYNC_SLOTS, UNDER_WAY, WORDS};
use crate::sync::atomics::AtomicU64;

// Byte offsets in a sync slot.
const SYNC_SLOT_LINE: usize = 64;
const SYNC_SLOT_COUNT: usize = 128;
const SYNC_SLOT_RELEASED: usize = 256;
const SYNC_SLOT_UP: usize = 384;

impl Node {
    /// Sync slot `sync_slot` of the PE at `index`: the words that this PE posts to one of its teams.
    #[inline]
    pub(crate) fn sync_slot(&self, index: usize, sync_slot: usize) -> SyncSlot<'_> {
        debug_assert!(index < self.shape.n && sync_slot < SYNC_SLOTS);
        let number = sync_slot * self.shape.n + index;
        let eager = self.shape.eager_buffers + number * 2 * EAGER_BYTES;
        SyncSlot { node: self, at: self.shape.sync_slots + number * SYNC_SLOT_BYTES, eager }
    }

    /// The lines of a request of the team with this sync slot, at the PE at `index`. They have no eager buffers.
    pub(crate) fn request_lines(&self, index: usize, sync_slot: usize, number: u64) -> SyncSlot<'_> {
        let at = self.shape.requests + self.request(index, sync_slot, number) * REQUEST_BYTES;
        SyncSlot { node: self, at, eager: 0 }
    }

    /// The lines of a short request of the team with this sync slot, one for each PE.
    #[inline]
    pub(crate) fn short_lines(&self, sync_slot: usize, number: u64) -> ShortLines<'_> {
        let pair = self.request(0, sync_slot, number / 2);
        let at = self.shape.shorts + pair * REQUEST_BYTES + SYNC_SLOT_LINE * (number % 2) as usize;
        ShortLines { node: self, at }
    }

    #[inline]
    fn request(&self, index: usize, sync_slot: usize, number: u64) -> usize {
        debug_assert!(index < self.shape.n && sync_slot < SYNC_SLOTS);
        (sync_slot * UNDER_WAY + (number % UNDER_WAY as u64) as usize) * self.shape.n + index
    }

    pub(crate) fn pair(&self, owner: usize, peer: usize) -> Pair<'_> {
        debug_assert!(owner < self.shape.n && peer < self.shape.n);
        Pair { node: self, at: self.shape.pairs + (owner * self.shape.n + peer) * PAIR_BYTES }
    }
}

/// The lines of a short request; see [`Node::short_lines`].
#[derive(Clone, Copy)]
pub(crate) struct ShortLines<'a> {
    node: &'a Node,
    at: usize,
}

impl<'a> ShortLines<'a> {
    /// The line of the PE at `index`, as that of an even round. It has no eager buffer.
    #[inline]
    pub(crate) fn of(self, index: usize) -> SyncSlot<'a> {
        debug_assert!(index < self.node.shape.n);
        SyncSlot { node: self.node, at: self.at + index * REQUEST_BYTES, eager: 0 }
    }
}

/// The words of one PE for one team; see [`Node::sync_slot`].
#[derive(Clone, Copy)]
pub(crate) struct SyncSlot<'a> {
    node: &'a Node,
    at: usize,
    eager: usize,
}

impl<'a> SyncSlot<'a> {
    /// The arrival word for round `seq`: the last odd or even round at which the owner has arrived.
    #[inline]
    pub(crate) fn arrived(self, seq: u64) -> &'a AtomicU64 {
        self.node.word64(self.at + SYNC_SLOT_LINE * (seq % 2) as usize)
    }

    /// Word `i` of those that the owner posts at round `seq`. It stays until the round after the next.
    #[inline]
    pub(crate) fn word(self, seq: u64, i: usize) -> &'a AtomicU64 {
        debug_assert!(i < WORDS);
        self.node.word64(self.at + SYNC_SLOT_LINE * (seq % 2) as usize + 8 + 8 * i)
    }

    #[inline]
    pub(crate) fn words_at(self, seq: u64) -> usize {
        self.node.address(self.at + SYNC_SLOT_LINE * (seq % 2) as usize + 8)
    }

    /// The address of the eager buffer of round `seq`, for longer messages.
    #[inline]
    pub(crate) fn eager_at(self, seq: u64) -> usize {
        self.node.address(self.eager + EAGER_BYTES * (seq % 2) as usize)
    }

    /// The last round to which the owner has come with all that are behind it in the tree of its team.
    #[inline]
    pub(crate) fn up(self) -> &'a AtomicU64 {
        self.node.word64(self.at + SYNC_SLOT_UP)
    }

    /// The counter of arrivals of the team whose first member owns this sync slot.
    #[inline]
    pub(crate) fn count(self) -> &'a AtomicU64 {
        self.node.word64(self.at + SYNC_SLOT_COUNT)
    }

    /// The last round that is over, for the members of the owner's team that look here: all of them at the sync slot of
    /// the first member, or in a tree some at that of one of them.
    #[inline]
    pub(crate) fn released(self) -> &'a AtomicU64 {
        self.node.word64(self.at + SYNC_SLOT_RELEASED)
    }
}

/// The words that `peer` posts to `owner`, and their counters. Any active sets that contain both PEs have their rounds
/// in the same order on both, so one pair of counters serves all of these sets.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    node: &'a Node,
    at: usize,
}

impl<'a> Pair<'a> {
    /// The number of rounds at which `peer` has arrived.
    pub(crate) fn arrived(self) -> &'a AtomicU64 {
        self.node.word64(self.at)
    }

    /// The number of rounds at which the owner has seen `peer` arrive. Only the owner uses this word.
    pub(crate) fn seen(self) -> &'a AtomicU64 {
        self.node.word64(self.at + 8)
    }

    /// The word that `peer` posts at its round `seq` with the owner.
    pub(crate) fn word(self, seq: u64) -> &'a AtomicU64 {
        self.node.word64(self.at + 16 + 8 * (seq % 2) as usize)
    }
}

#[cfg(test)]
mod of_tests {
    use super::*;
    use crate::memory::addr::Pe;
    use crate::memory::node::{NodePlan, Shape};
    use crate::memory::placement::Placement;
    use crate::memory::places::Places;
    use crate::os::memfd;
    use crate::sync::wait::{Backoff, NOTHING_MEANWHILE, WaitPolicy};
    use core::ops::Range;

    impl Node {
        /// The memory of a node of `n` PEs that are threads, as each has it mapped.
        pub(crate) fn of_threads(n: u32) -> Vec<Node> {
            let (places, shape) = (Places::spaced(0, 1, n, n), Shape::new(n as usize, 0, 0, 0).unwrap());
            let file = memfd::create().unwrap().fd;
            memfd::resize(&file, shape.total() as u64).unwrap();
            let map = |me: u32| {
                let plan = NodePlan {
                    heaps: None,
                    shape,
                    places: places.clone(),
                    placement: Some(Placement::one_node(n)),
                    localities: None,
                    policy: WaitPolicy::Spin,
                    one_machine: true,
                    limit: None,
                };
                Node::map(file.try_clone().unwrap(), Pe(me), plan, Backoff::NOTIFIED, &NOTHING_MEANWHILE).unwrap()
            };
            (0..n).map(map).collect()
        }

        /// The lines in a part of the memory that are not empty.
        pub(crate) fn lines_written(&self, part: Range<usize>) -> usize {
            let mut all = vec![0; part.len()];
            memfd::read_at(self.fd(), &mut all, part.start as u64).unwrap();
            all.chunks(64).filter(|line| line.iter().any(|&byte| byte != 0)).count()
        }
    }
}
