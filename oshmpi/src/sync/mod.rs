//! Algorithms on words that several processes share, written over a trait so that the same code runs on a mapping and
//! in a model: loom's atomics cannot live in an `mmap`.

pub(crate) mod amo_lock;
pub(crate) mod arrivals;
pub(crate) mod atomics;
pub(crate) mod barrier;
pub(crate) mod event_count;
pub(crate) mod freelist;
pub(crate) mod ledger;
pub(crate) mod lock;
pub(crate) mod lock32;
pub(crate) mod order;
pub(crate) mod publication;
#[cfg(not(loom))]
pub(crate) mod wait;

/// How a caller waits for a condition that another process makes true. The shared-memory algorithms know conditions
/// only; spinning, yielding and sleeping are decided outside (see `wait::Waiter`), and by loom in a model.
pub(crate) trait Wait {
    /// Returns when `ready` gives true. `ready` must load with Acquire what the other side stored with Release.
    fn until(&self, ready: impl FnMut() -> bool);
    /// The same for a caller that can say more: `needed_here` tells whether somebody who has to run before `ready` can
    /// become true runs on the caller's core.
    fn until_given(&self, ready: impl FnMut() -> bool, needed_here: impl Fn() -> bool) {
        let _ = needed_here;
        self.until(ready);
    }
    /// Says that something others may wait for has been stored.
    fn notify(&self);
    /// Lets another one of the caller's core run, once.
    fn give_way(&self) {}
}
