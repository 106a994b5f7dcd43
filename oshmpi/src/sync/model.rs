//! What the loom models of this module share.

use super::Wait;

/// Explores `body` with at most `preemptions` preemptions in an execution, or without a bound for `None`. Some models
/// take minutes without a bound.
pub(super) fn check(preemptions: impl Into<Option<usize>>, body: impl Fn() + Sync + Send + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = preemptions.into();
    model.check(body);
}

/// A thread of a model waits by letting loom run another thread. It never sleeps, so nobody has to notify it.
pub(super) struct Loom;

impl Wait for Loom {
    fn until(&self, mut ready: impl FnMut() -> bool) {
        while !ready() {
            loom::thread::yield_now();
        }
    }
    fn notify(&self) {}
}
