//! The words of barrier rounds that a team has on its node.

use super::{Members, NodeTeam};
use crate::sync::atomics::{AtomicU64, Ordering};
use crate::sync::awaited::Awaited;
use crate::sync::barrier::BarrierWords;
use crate::sync::tree::{Tree, TreeWords};

/// The most members that a waiting member looks at before it yields. More take longer than a yield.
const LOOKED_AT: usize = 32;

impl TreeWords for NodeTeam<'_> {
    type Word = AtomicU64;

    #[inline]
    fn up(&self, member: usize) -> &AtomicU64 {
        self.sync_slot_of(member).up()
    }

    #[inline]
    fn released(&self, holder: usize) -> &AtomicU64 {
        self.sync_slot_of(holder).released()
    }

    fn tree(&self, me: usize) -> &Tree {
        let make = || Tree::new(self.size(), me, |member| self.node.locality(self.slot(member)));
        self.team.tree.get_or_init(|| Box::new(make()))
    }
}

impl BarrierWords for NodeTeam<'_> {
    #[inline]
    fn arrived(&self, member: usize, seq: u64) -> &AtomicU64 {
        self.sync_slot_of(member).arrived(seq)
    }

    #[inline]
    fn count(&self) -> &AtomicU64 {
        self.sync_slot_of(0).count()
    }

    fn here(&self, member: usize) -> bool {
        self.node.core_of(self.slot(member)) == self.node.note_core()
    }

    fn needed_here(&self, seq: u64) -> bool {
        if self.size() > LOOKED_AT {
            return true;
        }
        let own = self.node.note_core();
        let here = |i: usize| self.node.core_of(self.slot(i)) == own;
        let late = |i: usize| here(i) && self.arrived(i, seq).load(Ordering::Relaxed) < seq; // a guess, no more
        (0..self.size()).any(|i| i != self.me() && late(i))
    }

    fn awaited(&self, seq: u64, only: Option<usize>) -> Awaited {
        if !self.team.here.listed.is_empty() {
            return Awaited::Other;
        }
        let Members { start, stride, size, .. } = self.team.here.slots;
        let only = only.map(|member| self.slot(member) as u32);
        Awaited::Arrivals { sync_slot: self.team.sync_slot, seq, start, stride, size, only }
    }
}
