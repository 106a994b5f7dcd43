//! The other branch of every access: complains about arguments, makes the checks of `SHMEM_DEBUG`, and reaches memory
//! that is not mapped.

use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::addr::Pe;
use crate::memory::translate::{self, Reach};
use crate::state::{self, Runtime};
use crate::transport::{kernel, locked, node, window};
use crate::{args, memory::addr::SymRange};
use core::ffi::c_int;
use std::fmt::Display;

/// Where a symmetric range of a peer can be reached.
enum Place {
    Mapped(usize),
    Kernel(usize),
    Window(u32),
}

fn place(rt: &Runtime, range: SymRange, pe: Pe) -> Place {
    let slot = rt.node.places.local(pe).expect("a job is on one node");
    match rt.segments.reach(range.seg) {
        Reach::Mapped => Place::Mapped(translate::mapped(&rt.node, range, slot)),
        Reach::Kernel => Place::Kernel(slot),
        Reach::Window => Place::Window(pe.0),
        Reach::None => unreachable!("no range is found in a segment that is not reached"),
    }
}

/// A copy by the kernel or by MPI that went wrong cannot be repaired: the call has no way to say so to the program.
fn moved<E: Display>(routine: &str, pe: Pe, result: Result<(), E>) {
    if let Err(e) = result {
        fatal(routine, format_args!("cannot reach the static variables of PE {}: {e}", pe.0));
    }
}

/// `len` bytes from `source` here to symmetric `dest` at `pe`.
///
/// # Safety
/// As the C caller promises: `source` can be read.
#[cold]
#[inline(never)]
pub(super) unsafe fn put(routine: &str, ctx: Ctx, dest: usize, source: *const u8, len: usize, align: usize, pe: c_int) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let pe = args::pe(rt, routine, pe);
    if len == 0 {
        return;
    }
    args::local(routine, "source", source as usize, len);
    let range = args::symmetric(rt, routine, "dest", dest, len);
    args::aligned(rt, routine, "dest", dest, align);
    args::aligned(rt, routine, "source", source as usize, align);
    if pe == rt.pe {
        args::disjoint(rt, routine, (dest, len), (source as usize, len));
    }
    // SAFETY: the range lies in the peer's segment, the source is the caller's promise.
    unsafe {
        match place(rt, range, pe) {
            Place::Mapped(at) => node::copy(at as *mut u8, source, len),
            Place::Kernel(index) => moved(routine, pe, kernel::put(&rt.node, index, range.off, source, len)),
            Place::Window(rank) => moved(routine, pe, window::statics().put(rank, range.off, source, len)),
        }
    }
}

/// `len` bytes from symmetric `source` at `pe` to `dest` here.
///
/// # Safety
/// As the C caller promises: `dest` can be written.
#[cold]
#[inline(never)]
pub(super) unsafe fn get(routine: &str, ctx: Ctx, dest: *mut u8, source: usize, len: usize, align: usize, pe: c_int) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let pe = args::pe(rt, routine, pe);
    if len == 0 {
        return;
    }
    args::local(routine, "dest", dest as usize, len);
    let range = args::symmetric(rt, routine, "source", source, len);
    args::aligned(rt, routine, "source", source, align);
    args::aligned(rt, routine, "dest", dest as usize, align);
    if pe == rt.pe {
        args::disjoint(rt, routine, (dest as usize, len), (source, len));
    }
    // SAFETY: the range lies in the peer's segment, the destination is the caller's promise.
    unsafe {
        match place(rt, range, pe) {
            Place::Mapped(at) => node::copy(dest, at as *const u8, len),
            Place::Kernel(index) => moved(routine, pe, kernel::get(&rt.node, index, range.off, dest, len)),
            Place::Window(rank) => moved(routine, pe, window::statics().get(rank, range.off, dest, len)),
        }
    }
}

/// Runs an AMO on the word `target` (argument `arg`) of `pe`. `op` gets the word itself, or a copy that is written
/// back before anybody else's AMO.
#[cold]
#[inline(never)]
pub(super) fn amo<T: Copy, R>(
    routine: &str,
    ctx: Ctx,
    arg: &str,
    target: usize,
    pe: c_int,
    op: impl FnOnce(*mut T) -> R,
) -> R {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let pe = args::pe(rt, routine, pe);
    let range = args::symmetric(rt, routine, arg, target, size_of::<T>());
    if !target.is_multiple_of(align_of::<T>()) {
        fatal(routine, format_args!("{arg} {target:#x} is not aligned to {} bytes", align_of::<T>()));
    }
    let (node, off, len) = (&rt.node, range.off, size_of::<T>());
    let index = rt.node.places.local(pe).expect("a job is on one node");
    let done = match place(rt, range, pe) {
        Place::Mapped(at) => Ok(op(at as *mut T)),
        Place::Kernel(_) => {
            // SAFETY: a word of ours, as long as the one at the peer, which lies in its segment.
            let read = |to| unsafe { kernel::get(node, index, off, to, len) };
            // SAFETY: as above.
            let write = |from| unsafe { kernel::put(node, index, off, from, len) };
            locked::amo(node, index, read, write, op).map_err(|e| e.to_string())
        }
        Place::Window(rank) => {
            // SAFETY: as above.
            let read = |to| unsafe { window::statics().get(rank, off, to, len) };
            // SAFETY: as above.
            let write = |from| unsafe { window::statics().put(rank, off, from, len) };
            locked::amo(node, index, read, write, op).map_err(|e| e.to_string())
        }
    };
    done.unwrap_or_else(|e| fatal(routine, format_args!("cannot reach the static variables of PE {}: {e}", pe.0)))
}

/// Complains when `[addr, addr+len)` at `pe` is not symmetric: a strided access is checked as a whole before its first
/// block is moved.
pub(super) fn check_remote(routine: &str, ctx: Ctx, arg: &str, addr: usize, len: usize, pe: c_int) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    args::pe(rt, routine, pe);
    args::symmetric(rt, routine, arg, addr, len);
}
