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

/// The strides as the caller gives them.
#[derive(Clone, Copy)]
pub(crate) struct Strides {
    dst: isize,
    sst: isize,
    bsize: usize,
    nblocks: usize,
    /// The routine has blocks, which must not overlap.
    blocked: bool,
}

impl Strides {
    /// Of single elements.
    pub(crate) fn elements(dst: isize, sst: isize, nelems: usize) -> Strides {
        Strides { dst, sst, bsize: 1, nblocks: nelems, blocked: false }
    }

    /// Of blocks of elements.
    pub(crate) fn blocks(dst: isize, sst: isize, bsize: usize, nblocks: usize) -> Strides {
        Strides { dst, sst, bsize, nblocks, blocked: true }
    }

    /// The pattern, checked. None: there is nothing to move, or single elements are contiguous on both sides and make
    /// one block.
    fn pattern(self, routine: &str) -> Option<Pattern> {
        let Strides { dst, sst, bsize, nblocks, blocked } = self;
        if bsize == 0 || nblocks == 0 {
            return None;
        }
        for (arg, stride) in [("dst", dst), ("sst", sst)] {
            if blocked { args::block_stride(routine, arg, stride, bsize) } else { args::stride(routine, arg, stride) }
        }
        let contiguous = !blocked && dst == 1 && sst == 1;
        (!contiguous).then_some(Pattern { dst: dst as usize, sst: sst as usize, bsize, nblocks })
    }
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

/// Puts elements or blocks with two strides. `source` spans from the first to the end of the last.
pub(crate) fn put<T>(routine: &'static str, ctx: Ctx, dest: *mut T, source: Source, strides: Strides, pe: c_int) {
    match strides.pattern(routine) {
        Some(p) => scatter(routine, ctx, dest, source, p, pe),
        None => rma::put(routine, ctx, dest, source, pe),
    }
}

/// Gets elements or blocks with two strides. `dest` spans from the first to the end of the last.
pub(crate) fn get<T>(routine: &'static str, ctx: Ctx, dest: Dest, source: *const T, strides: Strides, pe: c_int) {
    match strides.pattern(routine) {
        Some(p) => gather(routine, ctx, dest, source, p, pe),
        None => rma::get(routine, ctx, dest, source, pe),
    }
}
