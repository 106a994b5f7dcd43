//! Waking a PE that sleeps until a word of its symmetric memory changes. Only where PEs outnumber cores: with a core
//! for each, a waiting PE does not sleep before it has waited long, and operations stay free of this.

use crate::memory::translate::FAST;
use crate::state;

/// A sequentially consistent operation has just changed the word that is mapped at `at`. Gives `result` back: so the
/// call of the cold side is the last thing that a caller does, and the caller needs no stack for it.
#[inline(always)]
pub(super) fn waiters_of<R>(at: usize, result: R) -> R {
    if FAST.crowded() { notify_owner(at, result) } else { result }
}

#[cold]
#[inline(never)]
fn notify_owner<R>(at: usize, result: R) -> R {
    if let Some(rt) = state::made()
        && let Some(owner) = rt.node.slot_of(at)
    {
        rt.node.notify(owner);
    }
    result
}
