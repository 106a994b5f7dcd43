//! Active sets: start, log2 of the stride, size. Only the members take part. pSync is not needed and left as it is: the
//! node's pair counters carry the meeting.

use crate::diag::fatal;
use crate::state::{self, Runtime};
use crate::sync::Wait;
use crate::sync::atomics::Ordering;
use core::ffi::{c_int, c_long};

/// A set that the caller is a member of.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveSet {
    start: usize,
    log_stride: u32,
    pub(super) size: usize,
}

impl ActiveSet {
    /// Checks what C gave: members in range, the caller among them.
    pub(super) fn new(rt: &Runtime, routine: &str, start: c_int, log_stride: c_int, size: c_int) -> ActiveSet {
        let n = rt.n_pes as u64;
        let bad = |what: &str| -> ! {
            fatal(
                routine,
                format_args!("active set (PE_start {start}, logPE_stride {log_stride}, PE_size {size}): {what}"),
            )
        };
        if start < 0 || log_stride < 0 || size < 1 {
            bad("start and stride must not be negative, size must be positive");
        }
        let last = u64::from((size - 1) as u32)
            .checked_shl(log_stride as u32)
            .filter(|&l| l >> log_stride.min(63) == (size - 1) as u64);
        if last.is_none_or(|last| start as u64 + last >= n) {
            bad(&format!("reaches beyond PE {}", n - 1));
        }
        let set = ActiveSet { start: start as usize, log_stride: log_stride as u32, size: size as usize };
        if !set.members().any(|pe| pe == rt.pe.0 as usize) {
            bad(&format!("PE {} is not a member", rt.pe.0));
        }
        set
    }

    /// World numbers in set order.
    pub(super) fn members(self) -> impl Iterator<Item = usize> {
        (0..self.size).map(move |i| self.start + (i << self.log_stride))
    }

    /// The members meet: the first gathers, then lets go.
    pub(super) fn meet(self, rt: &Runtime) {
        let (me, lead, wait) = (rt.node.me, self.start, rt.node.waiter());
        if me == lead {
            for peer in self.members().skip(1) {
                let pair = rt.node.pair(me, peer);
                let next = pair.arrived_seen().load(Ordering::Relaxed) + 1;
                wait.until(|| pair.arrived().load(Ordering::Acquire) >= next); // SYNC set-arrive
                pair.arrived_seen().store(next, Ordering::Relaxed);
            }
            for peer in self.members().skip(1) {
                let pair = rt.node.pair(peer, me);
                let next = pair.released().load(Ordering::Relaxed) + 1;
                pair.released().store(next, Ordering::Release); // SYNC set-release
            }
            wait.tell();
        } else {
            let pair = rt.node.pair(lead, me);
            let next = pair.arrived().load(Ordering::Relaxed) + 1;
            pair.arrived().store(next, Ordering::Release); // SYNC set-arrive
            wait.tell();
            let own = rt.node.pair(me, lead);
            let next = own.released_seen().load(Ordering::Relaxed) + 1;
            wait.until(|| own.released().load(Ordering::Acquire) >= next); // SYNC set-release
            own.released_seen().store(next, Ordering::Relaxed);
        }
    }
}

/// `shmem_sync` on an active set.
///
/// # Safety
/// None: pSync is not touched.
pub(crate) unsafe fn sync(routine: &'static str, start: c_int, log_stride: c_int, size: c_int, _psync: *mut c_long) {
    let rt = state::up(routine);
    ActiveSet::new(rt, routine, start, log_stride, size).meet(rt);
}

/// `shmem_barrier` on an active set: also completes what the members issued on the default context, which on the node
/// is complete already.
///
/// # Safety
/// None: pSync is not touched.
pub(crate) unsafe fn barrier(routine: &'static str, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    // SAFETY: passed on.
    unsafe { sync(routine, start, log_stride, size, psync) }
}
