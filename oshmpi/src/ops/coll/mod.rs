//! Collectives among PEs of one node.

mod active;
mod reduce;

pub(crate) use active::{barrier, sync};
pub(crate) use reduce::{And, Complex, LongDouble, Max, Min, Or, Prod, Sum, Xor, to_all};

use crate::state::Runtime;
use core::sync::atomic::Ordering;

/// All PEs meet. Stores, puts and AMOs of before are visible after: on the node they are complete when issued, and a
/// meeting orders them.
#[inline]
pub(crate) fn barrier_all(rt: &Runtime) {
    // One thread of a PE at a time calls this, so the count needs no atomic addition.
    let seq = rt.meets.load(Ordering::Relaxed) + 1;
    rt.meets.store(seq, Ordering::Relaxed);
    rt.node.meet(seq);
}
