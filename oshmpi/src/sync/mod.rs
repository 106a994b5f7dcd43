//! Algorithms on words that several processes share, written over a trait so that the same code runs on a mapping and
//! in a model: loom's atomics cannot live in an `mmap`.

pub(crate) mod atomics;
pub(crate) mod barrier;
pub(crate) mod card;
pub(crate) mod freelist;
pub(crate) mod ledger;
pub(crate) mod lock;
pub(crate) mod lock32;
#[cfg(not(loom))]
pub(crate) mod wait;

/// How a caller waits for a condition that another process makes true. The shared-memory algorithms know conditions
/// only; spinning, yielding and sleeping are decided outside (see `wait::Waiter`), and by loom in a model.
pub(crate) trait Wait {
    /// Returns when `ready` gives true. `ready` must load with Acquire what the other side stored with Release.
    fn until(&self, ready: impl FnMut() -> bool);
    /// Says that something others may wait for has been stored.
    fn tell(&self);
}
