//! A symmetric buffer of a collective, which members read and write on each other.

use super::{bytes, check};
use crate::args;
use crate::ctx::Ctx;
use crate::env::StatsAs;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::counters::By;
use crate::memory::local::{Dest, Source};
use crate::memory::translate::{self, Reach};
use crate::ops::{rma, stats};
use crate::state::Runtime;
use crate::transport::stream;
use core::ffi::c_int;

/// A symmetric range. It is checked once, in [`Buffer::new`].
#[derive(Clone, Copy)]
pub(super) struct Buffer<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    /// The address of the caller's copy.
    addr: usize,
    len: usize,
    /// None: the buffer has no bytes, and its address may have any value.
    range: Option<SymRange>,
    /// Copies are made past the caches.
    streams: bool,
}

/// dest and source of a collective.
#[derive(Clone, Copy)]
pub(crate) struct Buffers<'a> {
    pub(super) dest: Buffer<'a>,
    pub(super) source: Buffer<'a>,
}

impl<'a> Buffers<'a> {
    /// The buffers, when the length of dest is known.
    pub(super) fn of_length(self, len: usize) -> Buffers<'a> {
        let Buffers { dest: Buffer { rt, routine, addr, .. }, source } = self;
        args::disjoint(rt, routine, (addr, len), (source.addr, source.len));
        Buffers { dest: Buffer::new(rt, routine, "dest", addr, len), source }
    }
}

impl<'a> Buffer<'a> {
    /// Checks that `len` bytes at `addr` (argument `arg`) are symmetric. Ends the job if they are not. A buffer of 0
    /// bytes is not checked.
    #[inline(always)]
    pub(super) fn new(rt: &'a Runtime, routine: &'static str, arg: &str, addr: usize, len: usize) -> Buffer<'a> {
        let range = (len > 0).then(|| args::symmetric(rt, routine, arg, addr, len));
        Buffer { rt, routine, addr, len, range, streams: false }
    }

    /// The place of a source, which its members post for those that have none.
    pub(super) fn place(&self) -> u64 {
        if self.len > 0 { check::place_of(self.rt, self.addr) } else { check::NOWHERE }
    }

    /// The source of other members, of which one has posted the place.
    pub(super) fn at(&self, place: u64, len: usize) -> Buffer<'a> {
        if len == 0 {
            return *self;
        }
        Buffer::new(self.rt, self.routine, "source", check::address_of(self.rt, place), len)
    }

    /// The buffer for a call in which all members together read and write `bytes` bytes.
    pub(super) fn of_many(self, bytes: usize) -> Buffer<'a> {
        Buffer { streams: stream::worth(bytes), ..self }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The caller's copy, to be written.
    #[inline(always)]
    pub(super) fn dest(&self) -> Dest<'a> {
        // SAFETY: the range is symmetric or empty. A segment stays mapped as long as the library is up.
        unsafe { Dest::of::<u8>(self.addr as *mut u8, self.len) }
    }

    /// The caller's copy, to be read.
    #[inline(always)]
    pub(super) fn source(&self) -> Source<'a> {
        bytes::written(self.dest())
    }

    fn copy(&self, to: Dest, from: Source) {
        if self.streams { bytes::copy_past_caches(to, from) } else { bytes::copy(to, from) }
    }

    /// The `len` bytes from byte `off` of `pe`'s copy, if they are mapped here.
    pub(super) fn mapped(&self, pe: u32, off: usize, len: usize) -> Option<Dest<'a>> {
        let range = self.range.filter(|_| self.writable())?;
        let slot = self.rt.node.places.local(Pe(pe))?;
        if self.rt.env.stats != StatsAs::None {
            stats::met(By::Memory, Pe(pe));
        }
        let at = translate::mapped(&self.rt.node, range, Pe(pe), slot);
        let at = at.unwrap_or_else(|| self.not_shared(range.seg, pe)) as *mut u8;
        // SAFETY: the range lies in the segment of every PE, and those of the node's PEs are mapped here.
        Some(unsafe { Dest::of::<u8>(at, self.len) }.part(off, len))
    }

    /// Ends the job: the buffer lies in a space of which a member of the collective has no part.
    #[cold]
    fn not_shared(&self, seg: SegId, pe: u32) -> ! {
        args::shared_with(self.rt, self.routine, "a buffer", self.addr, seg, Pe(pe));
        unreachable!("a PE of this node that shares a space has a part of it here");
    }

    /// Whether the copies of the members on each node can be written from every PE of that node. The answer is equal on
    /// all members, on whatever nodes they are.
    #[inline]
    pub(super) fn writable_on_all_nodes(&self) -> bool {
        self.range.is_some_and(|range| self.rt.segments.mapped_everywhere(range.seg))
    }

    /// Whether the copies of all members on this node can be written from here. The answer is equal on the members of
    /// the node.
    #[inline]
    pub(super) fn writable(&self) -> bool {
        self.range.is_some_and(|range| self.rt.segments.reach(range.seg) == Reach::Mapped)
    }

    /// Copies `from` to byte `off` of `pe`'s copy, which is [`Buffer::writable`] and ready.
    pub(super) fn write(&self, pe: u32, off: usize, from: Source) {
        if from.len() > 0 {
            self.copy(self.mapped(pe, off, from.len()).expect("asked for writable memory on this node"), from);
        }
    }

    /// Fills `to` from byte `off` of `pe`'s copy.
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
