//! Algorithms on words that several processes share. Each is written over a trait that supplies its words, so the same
//! code runs on a mapping and in a loom model: loom's atomics cannot live in an `mmap`.

pub(crate) mod amo_lock;
pub(crate) mod arrivals;
pub(crate) mod atomics;
#[cfg(not(loom))]
pub(crate) mod awaited;
/// A model tells nobody what a wait is for.
#[cfg(loom)]
pub(crate) mod awaited {
    pub(crate) enum Awaited {
        Other,
    }
}
pub(crate) mod barrier;
pub(crate) mod event_count;
pub(crate) mod ledger;
#[cfg(test)]
mod local_words;
pub(crate) mod lock;
#[cfg(all(test, loom))]
mod model;
pub(crate) mod note;
pub(crate) mod order;
#[cfg(not(loom))]
pub(crate) mod plain;
pub(crate) mod publication;
pub(crate) mod short;
#[cfg(not(loom))]
pub(crate) mod tally;
#[cfg(not(loom))]
pub(crate) mod tasks;
pub(crate) mod tree;
#[cfg(not(loom))]
pub(crate) mod wait;

use awaited::Awaited;

/// How a caller waits for a condition that another process makes true. The algorithms of this module state the
/// condition only. `wait::Waiter` decides when to spin, yield or sleep; in a model, loom decides.
pub(crate) trait Wait {
    /// Returns when `ready` gives true. `ready` must load with Acquire what the other side stored with Release.
    fn until(&self, ready: impl FnMut() -> bool);
    /// [`Wait::until`] with words for people: `what` tells what the wait is for, if it lasts.
    #[cfg(not(loom))]
    fn until_told(&self, ready: impl FnMut() -> bool, what: impl Fn() -> Awaited) {
        let _ = what;
        self.until(ready);
    }
    /// [`Wait::until_told`] with a hint: `needed_here` tells whether a process that has to run before `ready` can
    /// become true runs on the caller's core.
    fn until_given(&self, ready: impl FnMut() -> bool, needed_here: impl Fn() -> bool, what: impl Fn() -> Awaited) {
        let _ = (needed_here, what);
        self.until(ready);
    }
    /// Wakes the processes that sleep until something is stored. The caller has just stored it.
    fn notify(&self);
    /// Lets another process that runs on the caller's core have it, once.
    fn give_way(&self) {}
}

/// Waits for what another thread is about to do, without serving peers.
#[cfg(not(loom))]
pub(crate) struct Yield;

#[cfg(not(loom))]
impl Wait for Yield {
    fn until(&self, mut ready: impl FnMut() -> bool) {
        while !ready() {
            std::thread::yield_now();
        }
    }
    fn notify(&self) {}
}
