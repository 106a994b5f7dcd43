//! Which PEs are on this PE's node, and in which of its slots. Three numbers tell it where launchers place PEs
//! regularly (in blocks, or round robin). Otherwise it is a list of the node's PEs. In neither case does it grow with
//! the job.

use super::addr::Pe;
use serde::{Deserialize, Serialize};

/// The PEs of this node, in ascending order. The k-th of them, counted from 0, has slot k.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Places {
    count: u32,
    /// The number of PEs of the whole job.
    job: u32,
    map: SlotMap,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum SlotMap {
    /// PE `start + k * stride` has slot k.
    Regular { start: u32, stride: u32 },
    /// The PEs in ascending order.
    List(Box<[u32]>),
}

impl Places {
    /// `pes` are the node's PEs in ascending order, at least one. The job has `job` PEs.
    pub(crate) fn new(pes: Vec<u32>, job: u32) -> Places {
        let stride = pes.get(1).map_or(1, |second| second - pes[0]);
        let regular = pes.windows(2).all(|two| two[1] - two[0] == stride);
        let count = pes.len() as u32;
        let map =
            if regular { SlotMap::Regular { start: pes[0], stride } } else { SlotMap::List(pes.into_boxed_slice()) };
        Places { count, job, map }
    }

    /// PE `start + k * stride` for each k below `count`, which is at least 1.
    pub(crate) fn spaced(start: u32, stride: u32, count: u32, job: u32) -> Places {
        Places { count, job, map: SlotMap::Regular { start, stride: if count == 1 { 1 } else { stride } } }
    }

    /// Whether a PE can have made this for a node of a job of `job` PEs. What was read from another PE may be anything.
    pub(crate) fn are_of(&self, job: u32) -> bool {
        let last = u64::from(self.count).checked_sub(1);
        let fits = |last: u64| match &self.map {
            SlotMap::Regular { start, stride } => {
                *stride > 0 && u64::from(*start) + last * u64::from(*stride) < job.into()
            }
            SlotMap::List(pes) => {
                pes.len() as u64 == last + 1 && pes.is_sorted_by(|a, b| a < b) && pes.last().is_some_and(|&pe| pe < job)
            }
        };
        self.job == job && last.is_some_and(fits)
    }

    /// The slot of a PE; None if it is on another node.
    #[inline]
    pub(crate) fn local(&self, pe: Pe) -> Option<usize> {
        match &self.map {
            SlotMap::Regular { start, stride } => {
                let away = pe.0.wrapping_sub(*start);
                if *stride == 1 {
                    return (away < self.count).then_some(away as usize);
                }
                (away.is_multiple_of(*stride) && away / stride < self.count).then_some((away / stride) as usize)
            }
            SlotMap::List(pes) => pes.binary_search(&pe.0).ok(),
        }
    }

    /// The PE in a slot. `slot` is below [`Places::count`].
    #[inline]
    pub(crate) fn pe(&self, slot: usize) -> Pe {
        debug_assert!(slot < self.count as usize);
        Pe(match &self.map {
            SlotMap::Regular { start, stride } => start + slot as u32 * stride,
            SlotMap::List(pes) => pes[slot],
        })
    }

    /// The number of PEs on this node.
    pub(crate) fn count(&self) -> usize {
        self.count as usize
    }

    /// The number of PEs of the whole job.
    pub(crate) fn job(&self) -> u32 {
        self.job
    }

    /// The whole job is on this node.
    #[inline]
    pub(crate) fn everybody(&self) -> bool {
        self.count == self.job
    }

    /// The first PE, the stride and the number of PEs, if the PEs are placed regularly.
    pub(crate) fn regular(&self) -> Option<(u32, u32, u32)> {
        match self.map {
            SlotMap::Regular { start, stride } => Some((start, stride, self.count)),
            SlotMap::List(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// `local` and `pe` agree for every PE of the job and any placement.
        #[test]
        fn slots_are_found(mut pes in prop::collection::btree_set(0u32..60, 1..20), step in 1u32..5, regular: bool) {
            if regular {
                let start = *pes.first().unwrap();
                pes = (0..pes.len() as u32).map(|k| start + k * step).collect();
            }
            let list: Vec<u32> = pes.iter().copied().collect();
            let job = 200;
            let places = Places::new(list.clone(), job);
            prop_assert_eq!(places.count(), list.len());
            prop_assert!(!places.everybody() && places.are_of(job) && !places.are_of(job + 1));
            let last = list[list.len() - 1];
            prop_assert!(!Places::new(list.clone(), last).are_of(last), "a PE that the job has not");
            for pe in 0..job {
                let slot = list.iter().position(|&p| p == pe);
                prop_assert_eq!(places.local(Pe(pe)), slot);
                if let Some(slot) = slot {
                    prop_assert_eq!(places.pe(slot), Pe(pe));
                }
            }
            if regular {
                prop_assert!(places.regular().is_some());
            }
        }
    }

    #[test]
    fn what_no_pe_makes_is_refused() {
        for map in [
            SlotMap::Regular { start: 1, stride: 0 },
            SlotMap::Regular { start: u32::MAX, stride: u32::MAX },
            SlotMap::List([1].into()),
            SlotMap::List([5, 1].into()),
            SlotMap::List([5, 5].into()),
        ] {
            let places = Places { count: 2, job: 9, map };
            assert!(!places.are_of(9), "{places:?}");
        }
        assert!(!Places { count: 0, job: 9, map: SlotMap::Regular { start: 0, stride: 1 } }.are_of(9));
    }
}
