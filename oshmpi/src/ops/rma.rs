//! put, get, p, g and their nonblocking forms. On the node an operation is complete when the call returns, so the
//! nonblocking forms differ from the blocking ones on the way to other nodes only.

use super::slow::{self, Returns};
use crate::args;
use crate::ctx::Ctx;
use crate::memory::translate::FAST;
use crate::sync::order;
use crate::transport::node;
use core::ffi::c_int;

/// Bytes of `n` elements; more than the address space becomes a length that fits nowhere.
#[inline(always)]
pub(crate) fn bytes_of<T>(n: usize) -> usize {
    n.saturating_mul(size_of::<T>())
}

/// Writes `n` elements to `dest` at `pe`.
///
/// # Safety
/// The C caller promises `n` readable elements at `source`.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // the standard's, and how the call is made
unsafe fn put_any<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    pe: c_int,
    returns: Returns,
) {
    order::put_begins();
    let (to, from, len) = (dest as usize, source.cast::<u8>(), bytes_of::<T>(n));
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(to, len, pe) {
        Some(at) if !from.is_null() => {
            // SAFETY: `at` is the peer's copy, `len` bytes of it lie in its segment; the source is the caller's.
            unsafe { node::copy(at as *mut u8, from, len) }
        }
        // SAFETY: as above.
        _ => unsafe { slow::put(routine, ctx, to, from, len, align_of::<T>(), pe, returns) },
    }
}

/// Writes `n` elements to `dest` at `pe`. Returns when `source` may be reused.
///
/// # Safety
/// The C caller promises `n` readable elements at `source`.
#[inline(always)]
pub(crate) unsafe fn put<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    pe: c_int,
) {
    // SAFETY: passed on to the caller.
    unsafe { put_any(routine, ctx, dest, source, n, pe, Returns::Done) }
}

/// The same as the first half of a put with signal.
///
/// # Safety
/// The C caller promises `n` readable elements at `source`.
#[inline(always)]
pub(super) unsafe fn put_before_signal<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    pe: c_int,
) {
    // SAFETY: passed on to the caller.
    unsafe { put_any(routine, ctx, dest, source, n, pe, Returns::BeforeSignal) }
}

/// The nonblocking form.
///
/// # Safety
/// The C caller promises `n` readable elements at `source`, until quiet.
#[inline(always)]
pub(crate) unsafe fn put_nbi<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    pe: c_int,
) {
    // SAFETY: passed on to the caller.
    unsafe { put_any(routine, ctx, dest, source, n, pe, Returns::AtOnce) }
}

/// Reads `n` elements from `source` at `pe`.
///
/// # Safety
/// The C caller promises `n` writable elements at `dest`.
#[inline(always)]
#[allow(clippy::too_many_arguments)] // the standard's, and how the call is made
unsafe fn get_any<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    pe: c_int,
    returns: Returns,
) {
    let (to, from, len) = (dest.cast::<u8>(), source as usize, bytes_of::<T>(n));
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(from, len, pe) {
        Some(at) if !to.is_null() => {
            // SAFETY: `at` is the peer's copy, `len` bytes of it lie in its segment; the destination is the caller's.
            unsafe { node::copy(to, at as *const u8, len) }
        }
        // SAFETY: as above.
        _ => unsafe { slow::get(routine, ctx, to, from, len, align_of::<T>(), pe, returns) },
    }
    // A quiet ends the others.
    if returns != Returns::AtOnce {
        order::get_ends();
    }
}

/// Reads `n` elements from `source` at `pe`. Returns when they are in `dest`.
///
/// # Safety
/// The C caller promises `n` writable elements at `dest`.
#[inline(always)]
pub(crate) unsafe fn get<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    pe: c_int,
) {
    // SAFETY: passed on to the caller.
    unsafe { get_any(routine, ctx, dest, source, n, pe, Returns::Done) }
}

/// The nonblocking form.
///
/// # Safety
/// The C caller promises `n` writable elements at `dest`, until quiet.
#[inline(always)]
pub(crate) unsafe fn get_nbi<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    n: usize,
    pe: c_int,
) {
    // SAFETY: passed on to the caller.
    unsafe { get_any(routine, ctx, dest, source, n, pe, Returns::AtOnce) }
}

/// Writes one element.
///
/// # Safety
/// None beyond what is checked; unsafe as all bodies of C symbols are.
#[inline(always)]
pub(crate) unsafe fn p<T: Copy>(routine: &'static str, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
    order::put_begins();
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(dest as usize, size_of::<T>(), pe) {
        // SAFETY: the peer's element, inside its segment.
        Some(at) => unsafe { node::store(at as *mut T, value) },
        // SAFETY: the source is a local of ours.
        _ => unsafe {
            let from = (&raw const value).cast();
            slow::put(routine, ctx, dest as usize, from, size_of::<T>(), align_of::<T>(), pe, Returns::Done);
        },
    }
}

/// Reads one element.
///
/// # Safety
/// None beyond what is checked; unsafe as all bodies of C symbols are.
#[inline(always)]
pub(crate) unsafe fn g<T: Copy>(routine: &'static str, ctx: Ctx, source: *const T, pe: c_int) -> T {
    let pe = args::world_pe(routine, ctx, pe);
    let value = match FAST.peer(source as usize, size_of::<T>(), pe) {
        // SAFETY: the peer's element, inside its segment.
        Some(at) => unsafe { node::load(at as *const T) },
        _ => {
            let mut value = core::mem::MaybeUninit::<T>::uninit();
            let to = value.as_mut_ptr().cast();
            // SAFETY: the destination is a local of ours, which the call fills or does not return.
            unsafe {
                slow::get(routine, ctx, to, source as usize, size_of::<T>(), align_of::<T>(), pe, Returns::Done);
                value.assume_init()
            }
        }
    };
    order::get_ends();
    value
}
