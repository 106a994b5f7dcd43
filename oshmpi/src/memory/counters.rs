//! The counters of a PE, on its control page, where all PEs of its node can read them. Only the PE adds to its
//! counters. All accesses are relaxed, because the numbers are only shown.

use super::node::{Node, PE_COUNTERS};
use crate::sync::atomics::AtomicU64;
use crate::sync::awaited::Awaited;
use crate::sync::tally::{Moved, Tally, Verb};
use core::sync::atomic::Ordering;

/// How an operation reaches its target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum By {
    /// Memory of the node: mapped here, or copied by the kernel.
    Memory,
    /// What carries data between nodes, or a window over statics.
    Network,
}

/// What a PE waits for, as far as the time of waits is counted. The order is that of [`CAUSES`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum Cause {
    /// Other PEs: in collectives, or for their messages.
    Pes,
    /// Answers of other nodes: to gets and AMOs, and in quiets.
    Answers,
    /// Words that other PEs change.
    Words,
    Locks,
    /// The ends of other PEs.
    Ends,
    Other,
}

pub(crate) const CAUSES: [&str; 6] = ["pes", "answers", "words", "locks", "ends", "other"];

impl Cause {
    pub(crate) fn of(awaited: Awaited) -> Cause {
        match awaited {
            Awaited::Arrivals { .. } | Awaited::Peer { .. } => Cause::Pes,
            Awaited::Answer { .. } => Cause::Answers,
            Awaited::Word { .. } | Awaited::Words { .. } => Cause::Words,
            Awaited::Lock { .. } => Cause::Locks,
            Awaited::Ends => Cause::Ends,
            Awaited::Other => Cause::Other,
        }
    }
}

#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Counters {
    moved: [Tally; 2],
    /// Microseconds by cause, in waits that slept.
    waited: [AtomicU64; CAUSES.len()],
}

impl Counters {
    pub(crate) fn count(&self, by: By, verb: Verb, bytes: usize) {
        self.moved[by as usize].count(verb, bytes);
    }

    pub(crate) fn moved(&self, by: By) -> Moved {
        self.moved[by as usize].read()
    }

    /// What was moved by both ways together.
    pub(crate) fn all_moved(&self) -> Moved {
        self.moved(By::Memory).with(&self.moved(By::Network), |a, b| a + b)
    }

    pub(crate) fn add_wait(&self, cause: Cause, micros: u64) {
        self.waited[cause as usize].fetch_add(micros, Ordering::Relaxed);
    }

    /// Microseconds of waiting, in the order of [`CAUSES`].
    pub(crate) fn waited(&self) -> [u64; CAUSES.len()] {
        core::array::from_fn(|i| self.waited[i].load(Ordering::Relaxed))
    }
}

impl Node {
    pub(crate) fn counters(&self, index: usize) -> &Counters {
        // SAFETY: the page ends behind the counters, is aligned to 64 bytes there, and stays mapped. All processes
        // access its words by atomics only, and any bits are a value of them. The pointer is made from the mapping's
        // address, not from a reference to the first word, which would reach no further than that word.
        unsafe { &*self.word_at::<Counters>(self.control(index, PE_COUNTERS)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_is_read_by_way_and_by_cause() {
        const { assert!(PE_COUNTERS + size_of::<Counters>() <= 4096) };
        let counters = Counters::default();
        counters.count(By::Memory, Verb::Put, 8);
        counters.count(By::Network, Verb::Put, 5);
        assert_eq!((counters.moved(By::Memory).put_bytes, counters.moved(By::Network).put_bytes), (8, 5));
        assert_eq!((counters.all_moved().puts, counters.all_moved().put_bytes), (2, 13));
        counters.add_wait(Cause::of(Awaited::Peer { pe: 3, request: 0 }), 7);
        counters.add_wait(Cause::Other, 2);
        assert_eq!(counters.waited(), [7, 0, 0, 0, 0, 2]);
    }
}
