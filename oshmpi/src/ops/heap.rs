//! The symmetric allocator's calls: collective, the same offset everywhere, null everywhere or nowhere.

use super::coll;
use crate::args;
use crate::diag::{fatal, print};
use crate::memory::addr::SegId;
use crate::memory::heap::{Heap, Resized};
use crate::memory::translate::Reach;
use crate::os::{map, memfd};
use crate::state::{self, Runtime};
use crate::sync::atomics::Ordering;
use crate::transport::node;
use core::ffi::{c_long, c_void};
use core::sync::atomic::AtomicBool;
use std::sync::MutexGuard;

/// Which call it is: numbers that no other collective posts in this place.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
enum Kind {
    Alloc = u64::from_le_bytes(*b"sh alloc"),
    Free = u64::from_le_bytes(*b"sh free "),
    Realloc = u64::from_le_bytes(*b"sh reall"),
}

fn heap(rt: &Runtime) -> MutexGuard<'_, Heap> {
    rt.heap.lock().unwrap_or_else(|e| e.into_inner())
}

/// A barrier of all PEs, which compare their calls (kind, two arguments, whether it worked here; with `SHMEM_DEBUG` the
/// routine); the error is the first PE on which it did not work. The round is the barrier the standard asks for, so
/// it completes what the default context has issued, too.
fn agree(rt: &'static Runtime, routine: &'static str, kind: Kind, args: [u64; 2], ok: bool) -> Result<(), usize> {
    args::thread(rt, routine);
    let call = rt.calls.fetch_add(1, Ordering::Relaxed) + 1;
    let kind = if rt.env.debug { kind as u64 ^ coll::check::name(routine) } else { kind as u64 };
    let mine = [kind, call, args[0], args[1]];
    let failed = if ok { u64::MAX } else { rt.pe.0.into() };
    coll::complete(rt, routine);
    let world = coll::Group::of_team(rt, routine, &rt.world);
    match world.agree(&[mine[0], mine[1], mine[2], mine[3], failed], mine.len()) {
        Ok(all) if all.least(4) == u64::MAX => Ok(()),
        Ok(all) => Err(all.least(4) as usize),
        Err(posted) => differ(routine, mine, (0..world.size()).map(|pe| std::array::from_fn(|i| posted.word(pe, i)))),
    }
}

/// The first PE whose call is not this PE's `mine`.
#[cold]
fn differ(routine: &str, mine: [u64; 4], calls: impl Iterator<Item = [u64; 4]>) -> ! {
    let (pe, theirs) = calls.enumerate().find(|(_, theirs)| *theirs != mine).expect("some calls differ");
    let what = if theirs[..2] == mine[..2] {
        format!("PE {pe} called it with {} and {}, this PE with {} and {}", theirs[2], theirs[3], mine[2], mine[3])
    } else {
        format!("PE {pe} is in another call")
    };
    fatal(routine, format_args!("the PEs must call it alike: {what}"))
}

/// Takes the memory of a block where it may be short.
fn commit(rt: &Runtime, at: usize, len: usize) -> std::io::Result<()> {
    if rt.node.limit.is_none() || rt.segments.heaps != Reach::Mapped {
        return Ok(());
    }
    memfd::commit(rt.node.fd(), rt.node.file_offset(SegId::Heap) + at as u64, len as u64)
}

/// The first PE that got no memory says so, once: the heap has room, so that a null pointer is not expected.
fn complain(rt: &Runtime, routine: &str, len: usize, got: std::io::Result<()>, agreed: Result<(), usize>) {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if let (Err(e), Some(limit)) = (got, rt.node.limit)
        && agreed == Err(rt.pe.0 as usize)
        && !REPORTED.swap(true, Ordering::Relaxed)
    {
        print(format_args!("{routine}: no memory for {len} bytes: {e}; {}", limit.advice()));
    }
}

/// What `commit` took for bytes that are in no block any more: another PE may fail for want of just that. Pages
/// shared with a block stay until that is free, too.
fn uncommit(rt: &Runtime, heap: &Heap, at: usize, len: usize) {
    if rt.node.limit.is_none() || rt.segments.heaps != Reach::Mapped || !rt.gives_pages_back() || len == 0 {
        return;
    }
    let Some((free, free_len)) = heap.free_around(at) else { return };
    let page = map::page();
    let from = free.next_multiple_of(page).max(at / page * page);
    let to = ((free + free_len) / page * page).min((at + len).next_multiple_of(page));
    if from < to {
        let offset = rt.node.file_offset(SegId::Heap) + from as u64;
        // A file system that cannot do this keeps them.
        let _ = memfd::discard(rt.node.fd(), offset, (to - from) as u64);
    }
}

/// Makes the block at `at` free, and its memory.
fn release(rt: &Runtime, at: usize) {
    let mut heap = heap(rt);
    let len = heap.block(at).unwrap_or(0);
    heap.free(at);
    uncommit(rt, &heap, at, len);
}

/// Gives back what the block at `at` has no more of the `had` bytes it had.
fn release_tail(rt: &Runtime, at: usize, had: usize) {
    let heap = heap(rt);
    let has = heap.block(at).unwrap_or(had);
    uncommit(rt, &heap, at + has, had.saturating_sub(has));
}

fn address(rt: &Runtime, at: usize) -> *mut c_void {
    (rt.segments.heap.base + at) as *mut c_void
}

/// The offset of a block that was handed out.
fn block(rt: &Runtime, routine: &'static str, ptr: *mut c_void) -> usize {
    let at = rt.segments.heap.offset_of(ptr as usize, 0).filter(|&at| heap(rt).block(at).is_some());
    at.unwrap_or_else(|| {
        fatal(routine, format_args!("{ptr:p} was not returned by shmem_malloc or its kin, or is freed already"))
    })
}

/// What an address is to the symmetric heap.
pub(crate) enum Lookup {
    /// The begin of a block.
    Block,
    /// In a block, behind its begin.
    Inside,
    /// In the heap, in no block.
    Free,
    Outside,
}

pub(crate) fn look_up(routine: &str, addr: usize) -> Lookup {
    let rt = state::up(routine);
    match rt.segments.heap.offset_of(addr, 0).map(|at| heap(rt).block_around(at).map(|begin| begin == at)) {
        None => Lookup::Outside,
        Some(None) => Lookup::Free,
        Some(Some(true)) => Lookup::Block,
        Some(Some(false)) => Lookup::Inside,
    }
}

/// malloc, align, calloc and malloc_with_hints. Size 0 gives null and is no round.
pub(crate) fn alloc(routine: &'static str, size: usize, align: usize, zero: bool) -> *mut c_void {
    let rt = state::up(routine);
    if size == 0 {
        return core::ptr::null_mut();
    }
    if !align.is_power_of_two() || !align.is_multiple_of(size_of::<*const c_void>()) {
        fatal(
            routine,
            format_args!("alignment {align} is not a power of two and a multiple of {}", size_of::<usize>()),
        );
    }
    let got = if align <= rt.segments.heap_align { heap(rt).alloc(size, align) } else { None };
    let committed = got.map_or(Ok(()), |at| commit(rt, at, size));
    let ready = got.is_some() && committed.is_ok();
    if zero
        && ready
        && let Some(at) = got
    {
        // SAFETY: the block is ours since a moment ago, and no peer knows it before the round.
        unsafe { core::ptr::write_bytes(address(rt, at).cast::<u8>(), 0, size) };
    }
    let agreed = agree(rt, routine, Kind::Alloc, [size as u64, align as u64], ready);
    complain(rt, routine, size, committed, agreed);
    match got {
        Some(at) if agreed.is_ok() => address(rt, at),
        Some(at) => {
            release(rt, at);
            core::ptr::null_mut()
        }
        None => core::ptr::null_mut(),
    }
}

/// Hints are advice: all of this heap is coherent memory that atomics and signals reach alike.
pub(crate) fn alloc_with_hints(routine: &'static str, size: usize, hints: c_long) -> *mut c_void {
    /// `SHMEM_MALLOC_ATOMICS_REMOTE` and `SHMEM_MALLOC_SIGNAL_REMOTE`.
    const KNOWN: c_long = 3;
    if hints & !KNOWN != 0 && state::up(routine).env.debug {
        print(format_args!("{routine}: hints {hints:#x} has bits that mean nothing"));
    }
    alloc(routine, size, 16, false)
}

/// `count` times `size`; an overflow is a size that does not fit.
pub(crate) fn calloc(routine: &'static str, count: usize, size: usize) -> *mut c_void {
    if count == 0 || size == 0 {
        return alloc(routine, 0, 16, true);
    }
    alloc(routine, count.saturating_mul(size), 16, true)
}

/// Gives a block back after all PEs have come to it. Null is nothing and no round.
pub(crate) fn free(routine: &'static str, ptr: *mut c_void) {
    if state::is_child() {
        return; // the block is the PE's
    }
    let rt = state::up(routine);
    if ptr.is_null() {
        return;
    }
    let at = block(rt, routine, ptr);
    let _ = agree(rt, routine, Kind::Free, [at as u64, 0], true);
    release(rt, at);
}

/// Grows or shrinks a block; null on all PEs and nothing changed when one of them cannot.
pub(crate) fn realloc(routine: &'static str, ptr: *mut c_void, size: usize) -> *mut c_void {
    if ptr.is_null() {
        return alloc(routine, size, 16, false);
    }
    if size == 0 {
        free(routine, ptr);
        return core::ptr::null_mut();
    }
    let rt = state::up(routine);
    let at = block(rt, routine, ptr);
    // On entry: nobody's operations on the old block are under way when its bytes are moved.
    let _ = agree(rt, routine, Kind::Realloc, [at as u64, size as u64], true);
    let old = heap(rt).block(at).expect("checked above");
    let done = heap(rt).resize(at, size);
    let to = match done {
        Some(Resized::InPlace) => Some(at),
        Some(Resized::Moved { to, .. }) => Some(to),
        None => None,
    };
    let committed = to.map_or(Ok(()), |to| commit(rt, to, size));
    let ready = to.is_some() && committed.is_ok();
    if ready && let Some(Resized::Moved { to, bytes }) = done {
        // SAFETY: both blocks are live and disjoint, and hold `bytes` bytes.
        unsafe { node::copy(address(rt, to).cast(), address(rt, at).cast(), bytes) };
    }
    let agreed = agree(rt, routine, Kind::Realloc, [at as u64, size as u64], ready);
    complain(rt, routine, size, committed, agreed);
    match (done, agreed.is_ok()) {
        (Some(Resized::InPlace), true) => {
            release_tail(rt, at, old);
            ptr
        }
        (Some(Resized::Moved { to, .. }), true) => {
            release(rt, at);
            address(rt, to)
        }
        (Some(Resized::InPlace), false) => {
            let now = heap(rt).block(at).unwrap_or(old);
            heap(rt).resize(at, old);
            release_tail(rt, at, now);
            core::ptr::null_mut()
        }
        (Some(Resized::Moved { to, .. }), false) => {
            release(rt, to);
            core::ptr::null_mut()
        }
        (None, _) => core::ptr::null_mut(),
    }
}
