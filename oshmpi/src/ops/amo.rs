//! Atomic memory operations. One executor per word: CPU atomics where the word is mapped, which on a node it is.

use super::{bell, slow};
use crate::args;
use crate::ctx::Ctx;
use crate::memory::translate::FAST;
use crate::transport::node::{Int, Word};
use core::ffi::c_int;

/// Runs `op` on the word at `pe`. A word that is mapped but not aligned takes the slow side, which says so.
#[inline(always)]
fn on<T: Copy, R>(
    routine: &'static str,
    ctx: Ctx,
    arg: &'static str,
    target: *const T,
    pe: c_int,
    op: impl Fn(*mut T) -> R,
) -> R {
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(target as usize, size_of::<T>(), pe) {
        Some(at) if at.is_multiple_of(align_of::<T>()) => op(at as *mut T),
        _ => slow::amo(routine, ctx, arg, target as usize, pe, op),
    }
}

macro_rules! verbs {
    ($($(#[$doc:meta])* $name:ident<$bound:ident>($arg:ident: $ptr:ty $(, $v:ident: T)*) -> $r:ty = $op:expr;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// None beyond what is checked; unsafe as all bodies of C symbols are.
        #[inline(always)]
        pub(crate) unsafe fn $name<T: $bound>(routine: &'static str, ctx: Ctx, $arg: $ptr $(, $v: T)*, pe: c_int) -> $r {
            on(routine, ctx, stringify!($arg), $arg.cast_const(), pe, |at| {
                // SAFETY: the word is mapped and aligned, or a copy of ours.
                let result = unsafe { $op(at $(, $v)*) };
                bell::ring(at as usize);
                result
            })
        }
    )* };
}

unsafe fn inc<T: Int>(at: *mut T) -> T {
    // SAFETY: passed on to the caller.
    unsafe { T::add(at, T::ONE) }
}

verbs! {
    /// Stores a value.
    set<Word>(dest: *mut T, value: T) -> () = T::set;
    /// Stores a value and gives the old one.
    swap<Word>(dest: *mut T, value: T) -> T = T::swap;
    /// Stores `value` if the word holds `cond`; gives what it held.
    compare_swap<Int>(dest: *mut T, cond: T, value: T) -> T = T::compare_swap;
    /// Adds 1 and gives the old value; wraps.
    fetch_inc<Int>(dest: *mut T) -> T = inc;
    /// Adds and gives the old value; wraps.
    fetch_add<Int>(dest: *mut T, value: T) -> T = T::add;
    /// Bitwise and; gives the old value.
    fetch_and<Int>(dest: *mut T, value: T) -> T = T::and;
    /// Bitwise or; gives the old value.
    fetch_or<Int>(dest: *mut T, value: T) -> T = T::or;
    /// Bitwise exclusive or; gives the old value.
    fetch_xor<Int>(dest: *mut T, value: T) -> T = T::xor;
    /// Stores a signal.
    signal_set<Word>(sig_addr: *mut T, signal: T) -> () = T::set;
    /// Adds to a signal; wraps.
    signal_plus<Int>(sig_addr: *mut T, signal: T) -> T = T::add;
}

/// Gives the value.
///
/// # Safety
/// None beyond what is checked; unsafe as all bodies of C symbols are.
#[inline(always)]
pub(crate) unsafe fn fetch<T: Word>(routine: &'static str, ctx: Ctx, source: *const T, pe: c_int) -> T {
    // SAFETY: the word is mapped and aligned, or a copy of ours.
    on(routine, ctx, "source", source, pe, |at| unsafe { T::fetch(at) })
}

/// The forms that give nothing back.
macro_rules! silent {
    ($($name:ident = $fetching:ident($($v:ident: T),*);)*) => { $(
        /// The form that gives nothing back.
        ///
        /// # Safety
        /// As for the fetching form.
        #[inline(always)]
        pub(crate) unsafe fn $name<T: Int>(routine: &'static str, ctx: Ctx, dest: *mut T $(, $v: T)*, pe: c_int) {
            // SAFETY: passed on to the caller.
            unsafe { $fetching(routine, ctx, dest $(, $v)*, pe) };
        }
    )* };
}

silent! {
    inc_only = fetch_inc();
    add = fetch_add(value: T);
    and = fetch_and(value: T);
    or = fetch_or(value: T);
    xor = fetch_xor(value: T);
    signal_add = signal_plus(value: T);
}

/// The nonblocking forms: the old value goes to `fetch`, at the latest by quiet; on the node, at once.
macro_rules! nonblocking {
    ($($name:ident<$bound:ident> = $fetching:ident($arg:ident: $ptr:ty $(, $v:ident: T)*);)*) => { $(
        /// The nonblocking form.
        ///
        /// # Safety
        /// The C caller promises that `fetch` can be written.
        #[inline(always)]
        pub(crate) unsafe fn $name<T: $bound>(
            routine: &'static str, ctx: Ctx, fetch: *mut T, $arg: $ptr $(, $v: T)*, pe: c_int,
        ) {
            if fetch.is_null() {
                args::local(routine, "fetch", 0, size_of::<T>());
            }
            // SAFETY: passed on to the caller.
            unsafe { fetch.write_unaligned($fetching(routine, ctx, $arg $(, $v)*, pe)) };
        }
    )* };
}

nonblocking! {
    fetch_nbi<Word> = fetch(source: *const T);
    swap_nbi<Word> = swap(dest: *mut T, value: T);
    compare_swap_nbi<Int> = compare_swap(dest: *mut T, cond: T, value: T);
    fetch_inc_nbi<Int> = fetch_inc(dest: *mut T);
    fetch_add_nbi<Int> = fetch_add(dest: *mut T, value: T);
    fetch_and_nbi<Int> = fetch_and(dest: *mut T, value: T);
    fetch_or_nbi<Int> = fetch_or(dest: *mut T, value: T);
    fetch_xor_nbi<Int> = fetch_xor(dest: *mut T, value: T);
}
