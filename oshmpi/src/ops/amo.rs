//! Atomic memory operations. Each word has one executor, because operations of CPUs and of MPI on one word are not
//! atomic with each other. The executor is the CPUs of the word's node, which PEs of other nodes reach by messages.
//! With `OSHMPI_TRANSPORT=rma` it is MPI for all words: this PE's and its node's words included.

use super::slow::{self, NamedWord};
use super::{notify, polling};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::frames::Frame;
use crate::memory::local::Dest;
use crate::memory::translate::FAST;
use crate::state;
use crate::transport::amo::{Amo, AmoWord, Int, Op};
use core::ffi::c_int;

/// The address at which the word of `pe` is mapped here, if CPU atomics execute the AMOs on it. None for a word that is
/// not aligned: the slow side reports it.
#[inline(always)]
fn mapped<T>(target: *const T, pe: c_int) -> Option<*mut T> {
    FAST.word(target as usize, size_of::<T>(), pe).map(|at| at as *mut T)
}

/// `mapped` for an AMO that returns a value: none where PEs outnumber cores. There the slow side looks whether the
/// program polls, and whether a PE sleeps until the word changes.
#[inline(always)]
fn mapped_fetched<T>(target: *const T, pe: c_int) -> Option<*mut T> {
    FAST.fetched_word(target as usize, size_of::<T>(), pe).map(|at| at as *mut T)
}

/// Runs an AMO where PEs outnumber cores, and returns the old value. It first wakes a PE that sleeps until the word
/// changes, and notes a poll if the word is as it was.
///
/// # Safety
/// `at` is a mapped and aligned word for which CPU atomics are in force.
#[inline(always)]
unsafe fn fetched<T: AmoWord>(amo: Amo, at: *mut T) -> T {
    // SAFETY: what the caller promises.
    let old = changed(amo, at, unsafe { amo.on(at) });
    let polls = !amo.changes()
        || polling::found_again(at as usize, old.bits()) && {
            // If another PE has changed the word meanwhile, that is news, and no poll.
            // SAFETY: what the caller promises.
            unsafe { Amo::Op(Op::Fetch, 0).on(at) }.bits() == old.bits()
        };
    if polls {
        polling::looked(at as usize, old.bits());
    }
    old
}

/// Returns `result`. If the AMO may have changed the word, it first wakes a PE that sleeps until the word changes.
#[inline(always)]
fn changed<T, R>(amo: Amo, at: *mut T, result: R) -> R {
    if amo.changes() { notify::waiters_of(at as usize, result) } else { result }
}

/// AMOs that return the old value, and their nonblocking forms, which write it to `fetch`: on the node at once,
/// otherwise at the latest in the next quiet. The slow sides are separate functions that take the arguments in the
/// order of the C routine, so that the fast sides need no stack.
macro_rules! fetching {
    ($($(#[$doc:meta])* $name:ident, $later:ident<$bound:ident>($arg:ident: $ptr:ty $(, $v:ident: T)*)
        = $amo:expr;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<T: $bound>(routine: &'static str, ctx: Ctx, $arg: $ptr $(, $v: T)*, pe: c_int) -> T {
            #[cold]
            #[inline(never)]
            fn slow_side<T: $bound>($arg: $ptr $(, $v: T)*, pe: c_int, routine: &'static str, ctx: Ctx) -> T {
                if let Some(at) = mapped($arg, pe) {
                    // SAFETY: as on the fast side.
                    return unsafe { fetched($amo, at) };
                }
                T::of_bits(slow::amo(routine, ctx, NamedWord::new(stringify!($arg), $arg), pe, $amo, true))
            }
            let pe = args::world_pe(routine, ctx, pe);
            match mapped_fetched($arg, pe) {
                // SAFETY: the word is mapped and aligned, and CPU atomics are in force for it.
                Some(at) => unsafe { $amo.on(at) },
                None => {
                    // Not for an AMO that is a loop: the compiler would make the frame at the begin, on the fast side
                    // too.
                    let _frame = (!$amo.is_loop()).then_some(Frame);
                    slow_side($arg $(, $v)*, pe, routine, ctx)
                }
            }
        }
        /// The nonblocking form.
        #[inline(always)]
        pub(crate) fn $later<T: $bound>(
            routine: &'static str, ctx: Ctx, fetch: Dest<'static>, $arg: $ptr $(, $v: T)*, pe: c_int,
        ) {
            if fetch.address() == 0 {
                no_fetch::<T>(routine);
            }
            let pe = args::world_pe(routine, ctx, pe);
            match mapped($arg, pe) {
                Some(at) => {
                    // SAFETY: the word is mapped and aligned, and CPU atomics are in force for it.
                    let old = changed($amo, at, unsafe { $amo.on(at) });
                    // SAFETY: `fetch` is not null, so the caller has promised that a word can be written there.
                    unsafe { fetch.at().cast::<T>().write_unaligned(old) };
                }
                None => slow::amo_nbi(routine, ctx, NamedWord::new(stringify!($arg), $arg), pe, $amo, fetch),
            }
        }
    )* };
}

#[cold]
#[inline(never)]
fn no_fetch<T>(routine: &'static str) {
    state::up(routine);
    args::local(routine, "fetch", 0, size_of::<T>());
}

fetching! {
    /// Returns the value.
    fetch, fetch_nbi<AmoWord>(source: *const T) = Amo::Op(Op::Fetch, 0);
    /// Stores a value and returns the old one.
    swap, swap_nbi<AmoWord>(dest: *mut T, value: T) = Amo::Op(Op::Store, value.bits());
    /// Stores `value` if the word equals `cond`; returns the old value.
    compare_swap, compare_swap_nbi<Int>(dest: *mut T, cond: T, value: T)
        = Amo::CompareSwap { cond: cond.bits(), value: value.bits() };
    /// Adds 1 and returns the old value; wraps.
    fetch_inc, fetch_inc_nbi<Int>(dest: *mut T) = Amo::Op(Op::Add, 1);
    /// Adds and returns the old value; wraps.
    fetch_add, fetch_add_nbi<Int>(dest: *mut T, value: T) = Amo::Op(Op::Add, value.bits());
    /// Bitwise and; returns the old value.
    fetch_and, fetch_and_nbi<Int>(dest: *mut T, value: T) = Amo::Op(Op::And, value.bits());
    /// Bitwise or; returns the old value.
    fetch_or, fetch_or_nbi<Int>(dest: *mut T, value: T) = Amo::Op(Op::Or, value.bits());
    /// Bitwise exclusive or; returns the old value.
    fetch_xor, fetch_xor_nbi<Int>(dest: *mut T, value: T) = Amo::Op(Op::Xor, value.bits());
}

/// AMOs that return nothing. They are complete at the latest after the next quiet.
macro_rules! silent {
    ($($(#[$doc:meta])* $name:ident<$bound:ident>($arg:ident $(, $v:ident: T)*)
        = $amo:expr;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        pub(crate) fn $name<T: $bound>(routine: &'static str, ctx: Ctx, $arg: *mut T $(, $v: T)*, pe: c_int) {
            #[cold]
            #[inline(never)]
            fn slow_side<T: $bound>($arg: *mut T $(, $v: T)*, pe: c_int, routine: &'static str, ctx: Ctx) {
                slow::amo(routine, ctx, NamedWord::new(stringify!($arg), $arg), pe, $amo, false);
            }
            let pe = args::world_pe(routine, ctx, pe);
            match mapped($arg, pe) {
                Some(at) => {
                    // SAFETY: the word is mapped and aligned, and CPU atomics are in force for it.
                    unsafe { $amo.run(at) };
                    changed($amo, at, ());
                }
                None => {
                    let _frame = Frame;
                    slow_side($arg $(, $v)*, pe, routine, ctx)
                }
            }
        }
    )* };
}

silent! {
    /// Stores a value.
    set<AmoWord>(dest, value: T) = Amo::Op(Op::Store, value.bits());
    /// Adds 1; wraps.
    inc_only<Int>(dest) = Amo::Op(Op::Add, 1);
    /// Adds; wraps.
    add<Int>(dest, value: T) = Amo::Op(Op::Add, value.bits());
    /// Bitwise and.
    and<Int>(dest, value: T) = Amo::Op(Op::And, value.bits());
    /// Bitwise or.
    or<Int>(dest, value: T) = Amo::Op(Op::Or, value.bits());
    /// Bitwise exclusive or.
    xor<Int>(dest, value: T) = Amo::Op(Op::Xor, value.bits());
    /// Stores a signal.
    signal_set<AmoWord>(sig_addr, signal: T) = Amo::Op(Op::Store, signal.bits());
    /// Adds to a signal; wraps.
    signal_add<Int>(sig_addr, signal: T) = Amo::Op(Op::Add, signal.bits());
}
