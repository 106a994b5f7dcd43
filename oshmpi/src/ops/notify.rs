//! Wakes a PE that sleeps until a word of its symmetric memory changes. This is done only where PEs outnumber cores.
//! With a core for each PE, a waiting PE sleeps only after a long time and for short times, so operations need not wake
//! it.

use crate::memory::addr::Pe;
use crate::memory::translate::FAST;
use crate::state;

/// Wakes the PE that waits for the word mapped at `at`, after a sequentially consistent operation on it. Returns
/// `result`, so that a caller can end with this call and needs no stack.
#[inline(always)]
pub(super) fn waiters_of<R>(at: usize, result: R) -> R {
    if FAST.crowded() { notify_owner(at, result) } else { result }
}

/// As [`waiters_of`], for a word of `pe`, a PE of this node. The word may lie in a space.
pub(super) fn waiters_of_pe<R>(pe: Pe, result: R) -> R {
    if FAST.crowded()
        && let Some(rt) = state::made()
        && let Some(slot) = rt.node.places.local(pe)
    {
        rt.node.notify(slot);
    }
    result
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
