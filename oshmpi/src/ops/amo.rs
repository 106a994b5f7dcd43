//! Atomic memory operations. One executor per word: the CPUs of its node, told by messages from elsewhere; or, where that is
//! asked for, MPI for every word of a job on several nodes, the node's own and this PE's own included: the two would not see
//! each other's operations as atomic.

use super::slow::Answer;
use super::{notify, slow};
use crate::args;
use crate::ctx::Ctx;
use crate::memory::translate::FAST;
use crate::mpi::rma::Op;
use crate::state;
use crate::transport::node::{Int, Word};
use crate::transport::remote::Amo;
use core::ffi::c_int;

/// Runs an AMO on the word at `pe`: `op` where CPU atomics are in force. A word that is mapped but not aligned takes
/// the slow side, which says so.
#[inline(always)]
fn on<T: Word, R: Answer<T>>(
    routine: &'static str,
    ctx: Ctx,
    arg: &'static str,
    target: *const T,
    pe: c_int,
    amo: Amo,
    op: impl Fn(*mut T) -> R,
) -> R {
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.word(target as usize, size_of::<T>(), pe) {
        Some(at) if at.is_multiple_of(align_of::<T>()) => op(at as *mut T),
        _ => slow::amo(routine, ctx, arg, target as usize, pe, amo, op),
    }
}

/// The same with a place for the old value, which gets it at the latest by quiet; on the node, at once.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // a word, and where its value goes
unsafe fn on_later<T: Word>(
    routine: &'static str,
    ctx: Ctx,
    fetch: *mut T,
    arg: &'static str,
    target: *const T,
    pe: c_int,
    amo: Amo,
    op: impl Fn(*mut T) -> T,
) {
    if fetch.is_null() {
        state::up(routine);
        args::local(routine, "fetch", 0, size_of::<T>());
    }
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.word(target as usize, size_of::<T>(), pe) {
        // SAFETY: the C caller promises that `fetch` can be written.
        Some(at) if at.is_multiple_of(align_of::<T>()) => unsafe { fetch.write_unaligned(op(at as *mut T)) },
        // SAFETY: as above, until quiet.
        _ => unsafe { slow::amo_later(routine, ctx, fetch, arg, target as usize, pe, amo, op) },
    }
}

/// Runs `op` on a word that is there, and wakes whoever waits for it to change.
#[inline(always)]
fn here<T, R>(amo: Amo, at: *mut T, op: impl Fn(*mut T) -> R) -> R {
    let result = op(at);
    if !matches!(amo, Amo::Op(Op::Fetch, _)) {
        notify::waiters_of(at as usize);
    }
    result
}

unsafe fn inc<T: Int>(at: *mut T) -> T {
    // SAFETY: passed on to the caller.
    unsafe { T::add(at, T::ONE) }
}

/// Forms that give the old value, and those that write it to `fetch`.
macro_rules! fetching {
    ($($(#[$doc:meta])* $name:ident, $later:ident<$bound:ident>($arg:ident: $ptr:ty $(, $v:ident: T)*) = $op:expr, $amo:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// None beyond what is checked; unsafe as all bodies of C symbols are.
        #[inline(always)]
        pub(crate) unsafe fn $name<T: $bound>(routine: &'static str, ctx: Ctx, $arg: $ptr $(, $v: T)*, pe: c_int) -> T {
            let amo = $amo;
            // SAFETY: the word is mapped and aligned, or a copy of ours.
            on(routine, ctx, stringify!($arg), $arg as *const T, pe, amo, |at| here(amo, at, |at| unsafe { $op(at $(, $v)*) }))
        }
        /// The nonblocking form.
        ///
        /// # Safety
        /// The C caller promises that `fetch` can be written until quiet.
        #[inline(always)]
        pub(crate) unsafe fn $later<T: $bound>(
            routine: &'static str, ctx: Ctx, fetch: *mut T, $arg: $ptr $(, $v: T)*, pe: c_int,
        ) {
            let amo = $amo;
            // SAFETY: as above; `fetch` is the caller's promise.
            unsafe {
                on_later(routine, ctx, fetch, stringify!($arg), $arg as *const T, pe, amo, |at| here(amo, at, |at| $op(at $(, $v)*)))
            }
        }
    )* };
}

fetching! {
    /// Gives the value.
    fetch, fetch_nbi<Word>(source: *const T) = T::fetch, Amo::Op(Op::Fetch, 0);
    /// Stores a value and gives the old one.
    swap, swap_nbi<Word>(dest: *mut T, value: T) = T::swap, Amo::Op(Op::Store, value.bits());
    /// Stores `value` if the word holds `cond`; gives what it held.
    compare_swap, compare_swap_nbi<Int>(dest: *mut T, cond: T, value: T) = T::compare_swap,
        Amo::CompareSwap { cond: cond.bits(), value: value.bits() };
    /// Adds 1 and gives the old value; wraps.
    fetch_inc, fetch_inc_nbi<Int>(dest: *mut T) = inc, Amo::Op(Op::Add, 1);
    /// Adds and gives the old value; wraps.
    fetch_add, fetch_add_nbi<Int>(dest: *mut T, value: T) = T::add, Amo::Op(Op::Add, value.bits());
    /// Bitwise and; gives the old value.
    fetch_and, fetch_and_nbi<Int>(dest: *mut T, value: T) = T::and, Amo::Op(Op::And, value.bits());
    /// Bitwise or; gives the old value.
    fetch_or, fetch_or_nbi<Int>(dest: *mut T, value: T) = T::or, Amo::Op(Op::Or, value.bits());
    /// Bitwise exclusive or; gives the old value.
    fetch_xor, fetch_xor_nbi<Int>(dest: *mut T, value: T) = T::xor, Amo::Op(Op::Xor, value.bits());
}

/// Forms that give nothing back: complete at the latest by quiet.
macro_rules! silent {
    ($($(#[$doc:meta])* $name:ident<$bound:ident>($arg:ident $(, $v:ident: T)*) = $op:expr, $amo:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// None beyond what is checked; unsafe as all bodies of C symbols are.
        #[inline(always)]
        pub(crate) unsafe fn $name<T: $bound>(routine: &'static str, ctx: Ctx, $arg: *mut T $(, $v: T)*, pe: c_int) {
            let amo = $amo;
            on(routine, ctx, stringify!($arg), $arg.cast_const(), pe, amo, |at: *mut T| {
                here(amo, at, |at| {
                    // SAFETY: the word is mapped and aligned, or a copy of ours.
                    let _ = unsafe { $op(at $(, $v)*) };
                })
            })
        }
    )* };
}

silent! {
    /// Stores a value.
    set<Word>(dest, value: T) = T::set, Amo::Op(Op::Store, value.bits());
    /// Adds 1; wraps.
    inc_only<Int>(dest) = inc, Amo::Op(Op::Add, 1);
    /// Adds; wraps.
    add<Int>(dest, value: T) = T::add, Amo::Op(Op::Add, value.bits());
    /// Bitwise and.
    and<Int>(dest, value: T) = T::and, Amo::Op(Op::And, value.bits());
    /// Bitwise or.
    or<Int>(dest, value: T) = T::or, Amo::Op(Op::Or, value.bits());
    /// Bitwise exclusive or.
    xor<Int>(dest, value: T) = T::xor, Amo::Op(Op::Xor, value.bits());
    /// Stores a signal.
    signal_set<Word>(sig_addr, signal: T) = T::set, Amo::Op(Op::Store, signal.bits());
    /// Adds to a signal; wraps.
    signal_add<Int>(sig_addr, signal: T) = T::add, Amo::Op(Op::Add, signal.bits());
}
