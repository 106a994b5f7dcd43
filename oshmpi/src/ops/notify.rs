//! Waking a PE that sleeps until a word of its symmetric memory changes. Only where PEs outnumber cores: with a core
//! for each, a waiting PE does not sleep before it has waited long, and operations stay free of this.

use crate::memory::translate::FAST;
use crate::state;

/// Somebody has just changed the word that is mapped at `at`, by a sequentially consistent operation.
#[inline(always)]
pub(super) fn waiters_of(at: usize) {
    if FAST.crowded() {
        ring_owner(at);
    }
}

#[cold]
#[inline(never)]
fn ring_owner(at: usize) {
    // A copy of a word that is not mapped lies in no slot; its owner looks by itself.
    if let Some(rt) = state::made()
        && let Some(owner) = rt.node.slot_of(at)
    {
        rt.node.notify(owner);
    }
}
