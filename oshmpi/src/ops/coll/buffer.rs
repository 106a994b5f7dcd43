//! A symmetric buffer that members of a group read at each other.

use crate::args;
use crate::ctx::Ctx;
use crate::memory::addr::Pe;
use crate::memory::local::Dest;
use crate::memory::translate::{self, Reach};
use crate::ops::rma;
use crate::state::Runtime;
use crate::transport::{node, remote::Stats, stream};
use core::ffi::c_int;

/// A range that is symmetric, read at any PE.
#[derive(Clone, Copy)]
pub(super) struct Buffer<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    /// Address of the own copy.
    addr: usize,
    /// Address at which the copy of the node's first PE is mapped here, if it is.
    first: Option<usize>,
    /// Copies go past the caches.
    streams: bool,
}

impl<'a> Buffer<'a> {
    /// Checks that `len` bytes at `addr` (argument `arg`) are symmetric. Length 0 needs no address.
    pub(super) fn new(rt: &'a Runtime, routine: &'static str, arg: &str, addr: usize, len: usize) -> Buffer<'a> {
        let mut first = None;
        if len > 0 {
            let range = args::symmetric(rt, routine, arg, addr, len);
            if rt.segments.reach(range.seg) == Reach::Mapped {
                first = Some(translate::mapped(&rt.node, range, 0));
            }
        }
        Buffer { rt, routine, addr, first, streams: false }
    }

    /// In a call that reads and writes `bytes` on all members together.
    pub(super) fn of_many(self, bytes: usize) -> Buffer<'a> {
        Buffer { streams: stream::worth(bytes), ..self }
    }

    /// # Safety
    /// As for [`node::copy`].
    unsafe fn copy(&self, to: *mut u8, from: *const u8, len: usize) {
        // SAFETY: passed on to the caller.
        unsafe { if self.streams { stream::copy(to, from, len) } else { node::copy(to, from, len) } }
    }

    /// Where byte `off` of the copy at `pe` is mapped here, if it is.
    pub(super) fn mapped(&self, pe: u32, off: usize) -> Option<*const u8> {
        let (first, slot) = (self.first?, self.rt.node.places.local(Pe(pe))?);
        if self.rt.env.stats {
            Stats::of_the_job().memory_met(Pe(pe));
        }
        Some((first + slot * self.rt.node.shape.stride + off) as *const u8)
    }

    /// The group's copies can be written from here. All members find the same.
    pub(super) fn writable(&self) -> bool {
        self.first.is_some()
    }

    /// Copies `len` bytes to offset `off` of the copy at `pe`, if that is [`Buffer::writable`].
    ///
    /// # Safety
    /// `from` can be read for `len` bytes; the range lies inside the buffer, and its PE expects them.
    pub(super) unsafe fn write(&self, pe: u32, off: usize, from: *const u8, len: usize) {
        let to = self.mapped(pe, off).expect("asked for writable memory on this node");
        // SAFETY: passed on to the caller.
        unsafe { self.copy(to.cast_mut(), from, len) };
    }

    /// Copies `len` bytes from offset `off` of the copy at `pe`.
    ///
    /// # Safety
    /// `to` can be written for `len` bytes; the range lies inside the buffer.
    pub(super) unsafe fn read(&self, pe: u32, off: usize, to: *mut u8, len: usize) {
        // SAFETY: passed on to the caller.
        unsafe {
            match self.mapped(pe, off) {
                Some(from) => self.copy(to, from, len),
                None => {
                    let (dest, from) = (Dest::of::<u8>(to, len), (self.addr + off) as *const u8);
                    rma::get(self.routine, Ctx::DEFAULT, dest, from, pe as c_int)
                }
            }
        }
    }
}
