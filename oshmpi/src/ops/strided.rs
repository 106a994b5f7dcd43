//! iput, iget (single elements, two strides) and ibput, ibget (blocks of elements, two strides). Gaps on both sides are
//! not touched: every block is moved separately.

use super::{rma, slow};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::local::{Dest, Source, bytes_of, span_of};
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
    /// Bytes from the begin of the first to the end of the last block, for the stride of one side. `usize::MAX` stands
    /// for a span that no memory has.
    fn span<T>(&self, stride: usize) -> usize {
        span_of::<T>(stride as isize, self.bsize, self.nblocks)
    }

    /// The blocks in bytes. `here` and `there` are the strides in elements on this side and at the peer.
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

/// Puts blocks. `source` spans all blocks of this side.
fn scatter<T>(routine: &'static str, ctx: Ctx, dest: *mut T, source: Source, p: Pattern, pe: c_int) {
    order::put_begins();
    let (to, from, block) = (dest as usize, source.at(), bytes_of::<T>(p.bsize));
    let (here, there) = (p.span::<T>(p.sst), p.span::<T>(p.dst));
    if here == usize::MAX {
        fatal(routine, "source stretches over more than the address space");
    }
    assert_eq!(here, source.len());
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.peer(to, there, pe) {
        Some(at) if !from.is_null() => {
            // SAFETY: every block lies in the span that was found at the peer, and in the source, which is not null.
            p.each::<T>(|d, s| unsafe { node::copy((at + d) as *mut u8, from.add(s), block) });
        }
        _ => {
            slow::put_blocks(routine, ctx, (to, there), source, align_of::<T>(), pe, p.blocks::<T>(p.sst, p.dst));
        }
    }
}

/// Gets blocks. `dest` spans all blocks of this side.
fn gather<T>(routine: &'static str, ctx: Ctx, dest: Dest, source: *const T, p: Pattern, pe: c_int) {
    let (to, from, block) = (dest.at(), source as usize, bytes_of::<T>(p.bsize));
    let (here, there) = (p.span::<T>(p.dst), p.span::<T>(p.sst));
    if here == usize::MAX {
        fatal(routine, "dest stretches over more than the address space");
    }
    assert_eq!(here, dest.len());
    let pe = args::world_pe(routine, ctx, pe);
    match FAST.read(from, there, pe) {
        Some(at) if !to.is_null() => {
            // SAFETY: every block lies in the span that was found at the peer, and in the destination, which is not
            // null.
            p.each::<T>(|d, s| unsafe { node::copy(to.add(d), (at + s) as *const u8, block) });
        }
        _ => {
            slow::get_blocks(routine, ctx, dest, (from, there), align_of::<T>(), pe, p.blocks::<T>(p.dst, p.sst));
        }
    }
    order::get_ends();
}

/// Puts elements with two strides. `source` spans from the first element to the end of the last.
#[allow(clippy::too_many_arguments)] // they are the standard's
pub(crate) fn iput<T>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: Source,
    dst: isize,
    sst: isize,
    nelems: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, 1, nelems, false) {
        // Contiguous on both sides: one block.
        Some(p) if p.dst == 1 && p.sst == 1 => rma::put(routine, ctx, dest, source, pe),
        Some(p) => scatter(routine, ctx, dest, source, p, pe),
        // Nothing to move: only the other arguments are checked.
        None => rma::put(routine, ctx, dest, source, pe),
    }
}

/// Gets elements with two strides. `dest` spans from the first element to the end of the last.
#[allow(clippy::too_many_arguments)] // they are the standard's
pub(crate) fn iget<T>(
    routine: &'static str,
    ctx: Ctx,
    dest: Dest,
    source: *const T,
    dst: isize,
    sst: isize,
    nelems: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, 1, nelems, false) {
        Some(p) if p.dst == 1 && p.sst == 1 => rma::get(routine, ctx, dest, source, pe),
        Some(p) => gather(routine, ctx, dest, source, p, pe),
        None => rma::get(routine, ctx, dest, source, pe),
    }
}

/// Puts blocks with two strides. `source` spans from the first block to the end of the last.
#[allow(clippy::too_many_arguments)] // they are the standard's
pub(crate) fn ibput<T>(
    routine: &'static str,
    ctx: Ctx,
    dest: *mut T,
    source: Source,
    dst: isize,
    sst: isize,
    bsize: usize,
    nblocks: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, bsize, nblocks, true) {
        Some(p) => scatter(routine, ctx, dest, source, p, pe),
        None => rma::put(routine, ctx, dest, source, pe),
    }
}

/// Gets blocks with two strides. `dest` spans from the first block to the end of the last.
#[allow(clippy::too_many_arguments)] // they are the standard's
pub(crate) fn ibget<T>(
    routine: &'static str,
    ctx: Ctx,
    dest: Dest,
    source: *const T,
    dst: isize,
    sst: isize,
    bsize: usize,
    nblocks: usize,
    pe: c_int,
) {
    match pattern(routine, dst, sst, bsize, nblocks, true) {
        Some(p) => gather(routine, ctx, dest, source, p, pe),
        None => rma::get(routine, ctx, dest, source, pe),
    }
}
