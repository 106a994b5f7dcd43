//! put, get, p, g and their nonblocking forms. On the node an operation is complete when the call returns. So
//! nonblocking forms differ from blocking ones only between nodes.

use super::{polling, slow};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::frames::Frame;
use crate::memory::local::{Dest, Source};
use crate::memory::translate::FAST;
use crate::net::Returns;
use crate::sync::order;
use crate::sync::plain::Plain;
use crate::transport::node;
use core::ffi::c_int;
use core::mem::MaybeUninit;

/// Puts elements of type `T` to `dest` at `pe`.
#[inline(always)]
pub(super) fn put_any<T>(routine: &'static str, ctx: Ctx, dest: *mut T, source: Source, pe: c_int, returns: Returns) {
    order::put_begins();
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(dest as usize, source.len(), pe) {
        Some(at) if !source.at().is_null() => {
            // SAFETY: `at` is the peer's copy of `dest`, and `source.len()` bytes from there lie in its segment. The
            // source is not null, so its bytes can be read.
            unsafe { node::copy(at as *mut u8, source.at(), source.len()) }
        }
        _ => slow::put(routine, ctx, dest as usize, source, align_of::<T>(), pe, returns),
    }
}

/// Puts. Returns when the source may be reused.
#[inline(always)]
pub(crate) fn put<T>(routine: &'static str, ctx: Ctx, dest: *mut T, source: Source, pe: c_int) {
    put_any(routine, ctx, dest, source, pe, Returns::Done)
}

/// Puts without waiting: the source must stay until quiet.
#[inline(always)]
pub(crate) fn put_nbi<T>(routine: &'static str, ctx: Ctx, dest: *mut T, source: Source<'static>, pe: c_int) {
    put_any(routine, ctx, dest, source, pe, Returns::AtOnce)
}

/// Gets elements of type `T` from `source` at `pe`.
#[inline(always)]
fn get_any<T>(routine: &'static str, ctx: Ctx, dest: Dest, source: *const T, pe: c_int, returns: Returns) {
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.read(source as usize, dest.len(), pe) {
        Some(at) if !dest.at().is_null() => {
            // SAFETY: `at` is the peer's copy of `source`, and `dest.len()` bytes from there lie in its segment. The
            // destination is not null, so its bytes can be written.
            unsafe { node::copy(dest.at(), at as *const u8, dest.len()) }
        }
        _ => slow::get(routine, ctx, dest, source as usize, align_of::<T>(), pe, returns),
    }
    // The quiet that completes a nonblocking get orders it.
    if returns != Returns::AtOnce {
        order::get_ends();
    }
}

/// Gets. Returns when the elements are in `dest`.
#[inline(always)]
pub(crate) fn get<T>(routine: &'static str, ctx: Ctx, dest: Dest, source: *const T, pe: c_int) {
    get_any(routine, ctx, dest, source, pe, Returns::Done)
}

/// Gets without waiting: the elements are in `dest` after quiet.
#[inline(always)]
pub(crate) fn get_nbi<T>(routine: &'static str, ctx: Ctx, dest: Dest<'static>, source: *const T, pe: c_int) {
    get_any(routine, ctx, dest, source, pe, Returns::AtOnce)
}

/// Writes one element.
#[inline(always)]
pub(crate) fn p<T: Plain>(routine: &'static str, ctx: Ctx, dest: *mut T, value: T, pe: c_int) {
    /// Not inlined, so that the fast side needs no address of the value and no stack. Arguments are in the order of the
    /// C routine.
    #[cold]
    #[inline(never)]
    fn slow_p<T>(dest: *mut T, value: T, pe: c_int, routine: &'static str, ctx: Ctx) {
        // SAFETY: an argument of this call, which is a blocking put.
        let source = unsafe { Source::of(&raw const value, 1) };
        slow::put(routine, ctx, dest as usize, source, align_of::<T>(), pe, Returns::Done);
    }
    order::put_begins();
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(dest as usize, size_of::<T>(), pe) {
        // SAFETY: `at` is the peer's copy of the element, which lies in its segment.
        Some(at) => unsafe { node::copy(at as *mut u8, (&raw const value).cast(), size_of::<T>()) },
        None => {
            let _frame = Frame;
            slow_p(dest, value, pe, routine, ctx)
        }
    }
}

/// Reads one element.
#[inline(always)]
pub(crate) fn g<T: Plain>(routine: &'static str, ctx: Ctx, source: *const T, pe: c_int) -> T {
    /// Not inlined, so that the fast side needs no memory for the value and no stack. Arguments are in the order of the
    /// C routine.
    #[cold]
    #[inline(never)]
    fn slow_g<T: Plain>(source: *const T, pe: c_int, routine: &'static str, ctx: Ctx) -> T {
        let mut value = MaybeUninit::<T>::uninit();
        if let Some(at) = FAST.peer(source as usize, size_of::<T>(), pe) {
            // SAFETY: as on the fast side.
            let value = value.write(unsafe { node::element(at as *const T) });
            // SAFETY: `value` was written above.
            unsafe { polling::looked_at(at, (&raw const *value).cast(), size_of::<T>()) };
            return *value;
        }
        // SAFETY: a local variable of this call, which is a blocking get.
        let dest = unsafe { Dest::of(value.as_mut_ptr(), 1) };
        slow::get(routine, ctx, dest, source as usize, align_of::<T>(), pe, Returns::Done);
        // SAFETY: the get has filled the value.
        unsafe { value.assume_init() }
    }
    let pe = args::world_pe(routine, ctx, pe);
    let value = match FAST.read(source as usize, size_of::<T>(), pe) {
        // SAFETY: `at` is the peer's copy of the element, which lies in its segment.
        Some(at) => unsafe { node::element(at as *const T) },
        None => {
            let _frame = Frame;
            slow_g(source, pe, routine, ctx)
        }
    };
    order::get_ends();
    value
}
