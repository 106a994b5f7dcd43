//! iput, iget (single elements, two strides) and ibput, ibget (blocks of elements, two strides). Gaps on both sides stay
//! untouched: every block is moved by itself.

use super::rma;
use super::slow::{self, Returns, Stretch};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::translate::FAST;
use crate::mpi::blocks::Blocks;
use crate::sync::order;
use crate::transport::node;
use core::ffi::c_int;

/// `nblocks` blocks of `bsize` elements; block b starts at element `b * dst` and `b * sst`.
#[derive(Clone, Copy)]
struct Pattern {
    dst: usize,
    sst: usize,
    bsize: usize,
    nblocks: usize,
}

impl Pattern {
    /// Bytes from the first to the end of the last element, for a stride on one side. Saturates: then it fits nowhere.
    fn span<T>(&self, stride: usize) -> usize {
        let elems = (self.nblocks - 1).checked_mul(stride).and_then(|n| n.checked_add(self.bsize));
        elems.and_then(|n| n.checked_mul(size_of::<T>())).unwrap_or(usize::MAX)
    }

    /// The blocks by bytes, with the strides on this side and at the peer.
    fn blocks<T>(&self, here: usize, there: usize) -> Blocks {
        let bytes = |elems: usize| elems.wrapping_mul(size_of::<T>()); // a single block may have any stride
        Blocks { n: self.nblocks, len: bytes(self.bsize), here: bytes(here), there: bytes(there) }
    }

    /// Calls `block(dst byte offset, src byte offset)` for every block. The spans have been found to fit in memory.
    #[inline(always)]
    fn each<T>(&self, mut block: impl FnMut(usize, usize)) {
        // A single block may have any stride.
        let (d, s) = (self.dst.wrapping_mul(size_of::<T>()), self.sst.wrapping_mul(size_of::<T>()));
        for b in 0..self.nblocks {
            block(b.wrapping_mul(d), b.wrapping_mul(s));
        }
    }
}

fn pattern(routine: &str, dst: isize, sst: isize, bsize: usize, nblocks: usize, blocked: bool) -> Option<Pattern> {
    if bsize == 0 || nblocks == 0 {
        return None;
    }
    for (arg, stride) in [("dst", dst), ("sst", sst)] {
        if blocked { args::block_stride(routine, arg, stride, bsize) } else { args::stride(routine, arg, stride) }
    }
    Some(Pattern { dst: dst as usize, sst: sst as usize, bsize, nblocks })
}

unsafe fn scatter<T: Copy>(routine: &'static str, ctx: Ctx, dest: *mut T, source: *const T, p: Pattern, pe: c_int) {
    order::put_begins();
    let (to, from, block) = (dest as usize, source.cast::<u8>(), rma::bytes_of::<T>(p.bsize));
    if p.span::<T>(p.sst) == usize::MAX {
        fatal(routine, "source stretches over more than the address space");
    }
    let span = p.span::<T>(p.dst);
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(to, span, pe) {
        Some(at) if !from.is_null() => {
            // SAFETY: every block lies in the span found at the peer; the source is the caller's promise.
            p.each::<T>(|d, s| unsafe { node::copy((at + d) as *mut u8, from.add(s), block) });
        }
        _ => {
            // A span that does not fit is complained of as a whole, before the first block is moved.
            let stretch = Stretch::new(routine, ctx, "dest", to, span, pe);
            // SAFETY: the source blocks are the caller's promise.
            unsafe {
                if !stretch.put(from, align_of::<T>(), p.blocks::<T>(p.sst, p.dst)) {
                    p.each::<T>(|d, s| {
                        let from = from.wrapping_add(s);
                        slow::put(routine, ctx, to + d, from, block, align_of::<T>(), pe, Returns::AtOnce)
                    });
                    stretch.puts_done();
                }
            }
        }
    }
}

unsafe fn gather<T: Copy>(routine: &'static str, ctx: Ctx, dest: *mut T, source: *const T, p: Pattern, pe: c_int) {
    let (to, from, block) = (dest.cast::<u8>(), source as usize, rma::bytes_of::<T>(p.bsize));
    if p.span::<T>(p.dst) == usize::MAX {
        fatal(routine, "dest stretches over more than the address space");
    }
    let span = p.span::<T>(p.sst);
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(from, span, pe) {
        Some(at) if !to.is_null() => {
            // SAFETY: every block lies in the span found at the peer; the destination is the caller's promise.
            p.each::<T>(|d, s| unsafe { node::copy(to.add(d), (at + s) as *const u8, block) });
        }
        _ => {
            let stretch = Stretch::new(routine, ctx, "source", from, span, pe);
            // SAFETY: the destination blocks are the caller's promise.
            unsafe {
                if !stretch.get(to, align_of::<T>(), p.blocks::<T>(p.dst, p.sst)) {
                    p.each::<T>(|d, s| {
                        let to = to.wrapping_add(d);
                        slow::get(routine, ctx, to, from + s, block, align_of::<T>(), pe, Returns::AtOnce)
                    });
                    stretch.gets_done();
                }
            }
        }
    }
    order::get_ends();
}

/// # Safety
/// The C caller promises readable elements at every source place.
pub(crate) unsafe fn iput<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    dst: isize,
    sst: isize,
    nelems: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, 1, nelems, false) {
        // Both dense: one block.
        // SAFETY: passed on to the caller.
        Some(p) if p.dst == 1 && p.sst == 1 => unsafe { rma::put(routine, ctx, dest, source, nelems, pe) },
        // SAFETY: passed on to the caller.
        Some(p) => unsafe { scatter(routine, ctx, dest, source, p, pe) },
        // SAFETY: nothing to move: for the check of the other arguments.
        None => unsafe { rma::put(routine, ctx, dest, source, 0, pe) },
    }
}

/// # Safety
/// The C caller promises writable elements at every destination place.
pub(crate) unsafe fn iget<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    dst: isize,
    sst: isize,
    nelems: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, 1, nelems, false) {
        // SAFETY: passed on to the caller.
        Some(p) if p.dst == 1 && p.sst == 1 => unsafe { rma::get(routine, ctx, dest, source, nelems, pe) },
        // SAFETY: passed on to the caller.
        Some(p) => unsafe { gather(routine, ctx, dest, source, p, pe) },
        // SAFETY: nothing to move.
        None => unsafe { rma::get(routine, ctx, dest, source, 0, pe) },
    }
}

/// # Safety
/// The C caller promises readable elements in every source block.
pub(crate) unsafe fn ibput<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    dst: isize,
    sst: isize,
    bsize: usize,
    nblocks: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, bsize, nblocks, true) {
        // SAFETY: passed on to the caller.
        Some(p) => unsafe { scatter(routine, ctx, dest, source, p, pe) },
        // SAFETY: nothing to move.
        None => unsafe { rma::put(routine, ctx, dest, source, 0, pe) },
    }
}

/// # Safety
/// The C caller promises writable elements in every destination block.
pub(crate) unsafe fn ibget<T: Copy>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: *const T,
    dst: isize,
    sst: isize,
    bsize: usize,
    nblocks: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, bsize, nblocks, true) {
        // SAFETY: passed on to the caller.
        Some(p) => unsafe { gather(routine, ctx, dest, source, p, pe) },
        // SAFETY: nothing to move.
        None => unsafe { rma::get(routine, ctx, dest, source, 0, pe) },
    }
}
