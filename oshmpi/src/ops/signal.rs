//! Data and then a word that says it is there.

use super::{amo, order, rma, slow, wait::Own};
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::state;
use core::ffi::c_int;

/// `SHMEM_SIGNAL_*` of shmem.h.
const SET: c_int = 0;
const ADD: c_int = 1;

/// put_signal, and its nonblocking form: `n` elements to `dest` at `pe`, then the update of the signal there. With no
/// element the signal is updated all the same.
///
/// # Safety
/// The C caller promises `n` readable elements at `source`.
#[inline]
#[allow(clippy::too_many_arguments)] // they are the standard's
pub(crate) unsafe fn put<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    sig_addr: *mut u64,
    signal: u64,
    sig_op: c_int,
    pe: c_int,
) {
    if sig_op != SET && sig_op != ADD {
        fatal(routine, format_args!("sig_op {sig_op} is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD"));
    }
    let (to, word, len) = (dest as usize, sig_addr as usize, rma::bytes_of::<T>(n));
    // Either distance, as an unsigned number: what lies before is far away.
    if word.wrapping_sub(to) < len || (n > 0 && to.wrapping_sub(word) < size_of::<u64>()) {
        fatal(routine, format_args!("dest {to:#x} ({len} bytes) and sig_addr {word:#x} overlap"));
    }
    // SAFETY: passed on to the caller. On the node the data is at its place when put returns, and the AMO releases what
    // was stored before it.
    unsafe {
        rma::put_before_signal(routine, ctx, dest, source, n, pe);
        slow::before_signal(routine, ctx, len, word, pe);
        match sig_op {
            SET => amo::signal_set(routine, ctx, sig_addr, signal, pe),
            _ => amo::signal_add(routine, ctx, sig_addr, signal, pe),
        }
    }
}

/// The signal word of this PE, now.
///
/// # Safety
/// None beyond what is checked; unsafe as all bodies of C symbols are.
pub(crate) unsafe fn fetch<T: Copy>(routine: &'static str, sig_addr: *const T) -> T {
    order::serve(state::up(routine));
    Own::new(routine, "sig_addr", sig_addr, 1).value()
}
