//! Put with signal, and operations on signal words.

use super::slow::{self, NamedWord};
use super::{amo, order, rma, wait::OwnWords};
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::local::Source;
use crate::memory::translate::FAST;
use crate::net::Returns;
use crate::state;
use crate::sync::plain::Plain;
use crate::transport::amo::{Amo, Op};
use core::ffi::c_int;

/// `SHMEM_SIGNAL_*` of shmem.h.
const SET: c_int = 0;
const ADD: c_int = 1;

/// put_signal and its nonblocking form: puts the source to `dest` at `pe`, then updates the signal there. Without
/// elements only the signal is updated.
#[inline]
#[allow(clippy::too_many_arguments)] // they are the standard's
pub(crate) fn put<T>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: Source,
    sig_addr: *mut u64,
    signal: u64,
    sig_op: c_int,
    pe: c_int,
) {
    if sig_op != SET && sig_op != ADD {
        fatal(routine, format_args!("sig_op {sig_op} is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD"));
    }
    let (to, word, len) = (dest as usize, sig_addr as usize, source.len());
    // Overlap test. The distances are unsigned, so a range that lies before the other is far away.
    if word.wrapping_sub(to) < len || (len > 0 && to.wrapping_sub(word) < size_of::<u64>()) {
        fatal(routine, format_args!("dest {to:#x} ({len} bytes) and sig_addr {word:#x} overlap"));
    }
    let returns = match FAST.complete_at_once() {
        true => Returns::BeforeSignal,
        false => slow::returns_before_signal(routine, word),
    };
    rma::put_any(routine, ctx, dest, source, pe, returns);
    match sig_op {
        // The data has arrived when put returns, and the AMO is a release for the stores before it.
        SET if FAST.complete_at_once() => amo::signal_set(routine, ctx, sig_addr, signal, pe),
        ADD if FAST.complete_at_once() => amo::signal_add(routine, ctx, sig_addr, signal, pe),
        _ => {
            let update = Amo::Op(if sig_op == SET { Op::Store } else { Op::Add }, signal);
            slow::signal(routine, ctx, (to, len), NamedWord::new("sig_addr", sig_addr), pe, update);
        }
    }
}

/// The value of a signal word of this PE.
pub(crate) fn fetch<T: Plain>(routine: &'static str, sig_addr: *const T) -> T {
    order::serve(state::up(routine));
    OwnWords::polled(routine, "sig_addr", sig_addr, 1).value()
}
