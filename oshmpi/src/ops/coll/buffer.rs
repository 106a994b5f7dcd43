//! A symmetric buffer of a collective, which members read and write at each other.

use super::bytes;
use crate::args;
use crate::ctx::Ctx;
use crate::env::StatsAs;
use crate::memory::addr::{Pe, SymRange};
use crate::memory::counters::By;
use crate::memory::local::{Dest, Source};
use crate::memory::translate::{self, Reach};
use crate::ops::{rma, stats};
use crate::state::Runtime;
use crate::transport::stream;
use core::ffi::c_int;

/// A range that is symmetric: checked once, when this is made.
#[derive(Clone, Copy)]
pub(super) struct Buffer<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    /// Address of the caller's copy.
    addr: usize,
    len: usize,
    /// None: it has no bytes, and its address may be anything.
    range: Option<SymRange>,
    /// Copies go past the caches.
    streams: bool,
}

/// dest and source of a collective.
#[derive(Clone, Copy)]
pub(super) struct Buffers<'a> {
    pub(super) dest: Buffer<'a>,
    pub(super) source: Buffer<'a>,
}

impl<'a> Buffer<'a> {
    /// Checks that `len` bytes at `addr` (argument `arg`) are symmetric. Length 0 needs no address.
    #[inline(always)]
    pub(super) fn new(rt: &'a Runtime, routine: &'static str, arg: &str, addr: usize, len: usize) -> Buffer<'a> {
        let range = (len > 0).then(|| args::symmetric(rt, routine, arg, addr, len));
        Buffer { rt, routine, addr, len, range, streams: false }
    }

    /// In a call that reads and writes `bytes` on all members together.
    pub(super) fn of_many(self, bytes: usize) -> Buffer<'a> {
        Buffer { streams: stream::worth(bytes), ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The caller's copy, to be written.
    #[inline(always)]
    pub(super) fn dest(&self) -> Dest {
        // SAFETY: it is symmetric, or empty: a segment stays mapped as long as the library is up.
        unsafe { Dest::of::<u8>(self.addr as *mut u8, self.len) }
    }

    /// The caller's copy, to be read.
    #[inline(always)]
    pub(super) fn source(&self) -> Source {
        bytes::written(self.dest())
    }

    fn copy(&self, to: Dest, from: Source) {
        if self.streams { bytes::copy_past_caches(to, from) } else { bytes::copy(to, from) }
    }

    /// Where `len` bytes from `off` of the copy at `pe` are mapped here, if they are.
    pub(super) fn mapped(&self, pe: u32, off: usize, len: usize) -> Option<Dest> {
        let range = self.range.filter(|_| self.writable())?;
        let slot = self.rt.node.places.local(Pe(pe))?;
        if self.rt.env.stats != StatsAs::None {
            stats::met(By::Memory, Pe(pe));
        }
        let at = translate::mapped(&self.rt.node, range, slot) as *mut u8;
        // SAFETY: the range lies in the segments of all PEs, and those of the node's PEs are mapped here.
        Some(unsafe { Dest::of::<u8>(at, self.len) }.part(off, len))
    }

    /// The copies of members on this node can be written from here. All members find the same.
    #[inline]
    pub(super) fn writable(&self) -> bool {
        self.range.is_some_and(|range| self.rt.segments.reach(range.seg) == Reach::Mapped)
    }

    /// Copies `from` to offset `off` of the copy at `pe`, which is [`Buffer::writable`] and expects it.
    pub(super) fn write(&self, pe: u32, off: usize, from: Source) {
        if from.len() > 0 {
            self.copy(self.mapped(pe, off, from.len()).expect("asked for writable memory on this node"), from);
        }
    }

    /// Fills `to` from offset `off` of the copy at `pe`.
    pub(super) fn read(&self, pe: u32, off: usize, to: Dest) {
        let len = to.len();
        if len == 0 {
            return;
        }
        if let Some(from) = self.mapped(pe, off, len) {
            return self.copy(to, bytes::written(from));
        }
        let from = (self.addr + off) as *const u8;
        rma::get(self.routine, Ctx::DEFAULT, to, from, pe as c_int);
    }
}
