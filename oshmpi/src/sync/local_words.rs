//! Words of barriers in ordinary memory, for tests and models.

use super::atomics::AtomicU64;
use super::barrier::BarrierWords;
use super::tree::{Locality, Tree, TreeWords};

/// The words of a group. All members count as running on the caller's core.
pub(super) struct LocalWords {
    arrived: Vec<[AtomicU64; 2]>,
    count: AtomicU64,
    up: Vec<AtomicU64>,
    released: Vec<AtomicU64>,
    trees: Vec<Tree>,
}

impl LocalWords {
    /// Members of one cache.
    pub(super) fn new(n: usize) -> LocalWords {
        LocalWords::at(n, |_| Locality::default())
    }

    pub(super) fn at(n: usize, locality: impl Fn(usize) -> Locality) -> LocalWords {
        let words = || (0..n).map(|_| AtomicU64::new(0)).collect();
        LocalWords {
            arrived: (0..n).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect(),
            count: AtomicU64::new(0),
            up: words(),
            released: words(),
            trees: (0..n).map(|me| Tree::new(n, me, &locality)).collect(),
        }
    }
}

impl TreeWords for LocalWords {
    type Word = AtomicU64;
    fn up(&self, member: usize) -> &AtomicU64 {
        &self.up[member]
    }
    fn released(&self, holder: usize) -> &AtomicU64 {
        &self.released[holder]
    }
    fn tree(&self, me: usize) -> &Tree {
        &self.trees[me]
    }
}

impl BarrierWords for LocalWords {
    fn arrived(&self, member: usize, seq: u64) -> &AtomicU64 {
        &self.arrived[member][(seq % 2) as usize]
    }
    fn count(&self) -> &AtomicU64 {
        &self.count
    }
    fn here(&self, _member: usize) -> bool {
        true
    }
    fn needed_here(&self, _seq: u64) -> bool {
        true
    }
}
