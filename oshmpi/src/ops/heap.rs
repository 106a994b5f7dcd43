//! The calls of the symmetric allocator, in the heap and in spaces. They are collective. A block has the same offset on
//! all PEs, and all PEs get null or none does.

use super::coll;
use crate::args;
use crate::diag::{fatal, print};
use crate::memory::addr::{Pe, SegId, Span};
use crate::memory::heap::{Heap, Resized};
use crate::memory::local::Source;
use crate::memory::node::Limit;
use crate::memory::spaces::SPACES;
use crate::memory::translate::{FAST, Reach};
use crate::os::{huge, map, memfd};
use crate::state::{self, Runtime};
use crate::sync::atomics::Ordering;
use crate::team::{Space, Team, TeamHandle};
use crate::transport::device;
use core::ffi::{c_long, c_void};
use core::sync::atomic::AtomicBool;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::MutexGuard;

/// Which allocator call this is, as the word that PEs compare. Other collectives use other numbers there.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(super) enum HeapCall {
    Alloc = u64::from_le_bytes(*b"sh alloc"),
    Words = u64::from_le_bytes(*b"sh words"),
    Free = u64::from_le_bytes(*b"sh free "),
    Realloc = u64::from_le_bytes(*b"sh reall"),
    Destroy = u64::from_le_bytes(*b"sh destr"),
}

/// What the calls of the allocator work on: the symmetric heap, or a space.
#[derive(Clone, Copy)]
pub(super) struct Area {
    rt: &'static Runtime,
    /// None: the symmetric heap.
    space: Option<&'static Space>,
}

impl Area {
    fn of_heap(rt: &'static Runtime) -> Area {
        Area { rt, space: None }
    }

    pub(super) fn of_space(rt: &'static Runtime, space: &'static Space) -> Area {
        Area { rt, space: Some(space) }
    }

    /// That in which an address lies; the heap if it lies in none.
    fn around(rt: &'static Runtime, ptr: *mut c_void) -> Area {
        let place = SPACES.find(ptr as usize, 0).and_then(|range| range.seg.space());
        let space = place.and_then(|place| rt.spaces.of_place(place));
        Area { rt, space }
    }

    fn heap(self) -> MutexGuard<'static, Heap> {
        self.space.map_or(&self.rt.heap, |space| &space.heap).lock().unwrap_or_else(|e| e.into_inner())
    }

    /// This PE's part.
    fn span(self) -> Span {
        self.space.map_or(self.rt.segments.heap, |space| space.own)
    }

    /// The PEs that call alike.
    fn team(self, routine: &'static str) -> &'static Team {
        self.space.map_or(&self.rt.world, |space| args::team(self.rt, routine, space.team))
    }

    /// The number of the next call.
    fn next_call(self) -> u64 {
        self.space.map_or(&self.rt.calls, |space| &space.calls).fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The largest alignment of a block.
    fn most(self) -> usize {
        self.space.map_or(self.rt.segments.heap_align, |_| huge::SIZE)
    }

    /// The file of the memory and where the part begins there, if pages are taken when a block is allocated.
    fn committed(self) -> Option<(BorrowedFd<'static>, u64)> {
        match self.space {
            Some(space) => space.backing.limit.map(|_| (space.backing.file.as_fd(), space.backing.begin)),
            None => (self.rt.segments.heaps == Reach::Mapped && self.rt.node.heap_limit().is_some())
                .then(|| self.rt.node.heap_file()),
        }
    }

    /// Whether pages that [`Area::committed`] has taken may be given back. Those of a file of the program hold its
    /// data, and those of promised huge pages would no longer be promised.
    fn gives_back(self) -> bool {
        let limit = self.space.map_or(self.rt.node.heap_limit(), |space| space.backing.limit);
        self.rt.gives_pages_back() && !matches!(limit, Some(Limit::Disk | Limit::HugeSpace))
    }

    fn address(self, at: usize) -> *mut c_void {
        (self.span().base + at) as *mut c_void
    }
}

/// The barrier of an allocator call, in which all PEs compare their calls: kind, two arguments, and with `SHMEM_DEBUG`
/// the routine. `ok` tells whether the call succeeded on this PE. The error is the first PE on which it failed. Calls
/// that differ end the job. The standard requires this barrier, so it also completes the default context's operations.
pub(super) fn agree(area: Area, routine: &'static str, kind: HeapCall, args: [u64; 2], ok: bool) -> Result<(), usize> {
    let rt = area.rt;
    args::thread(rt, routine);
    let call = area.next_call();
    let kind = if rt.env.debug { kind as u64 ^ coll::check::name(routine) } else { kind as u64 };
    let mine = [kind, call, args[0], args[1]];
    let failed = if ok { u64::MAX } else { rt.pe.0.into() };
    coll::complete(rt, routine);
    let group = coll::Group::of_team(rt, routine, area.team(routine));
    match group.agree(&[mine[0], mine[1], mine[2], mine[3], failed], mine.len()) {
        Ok(all) if all.least(4) == u64::MAX => Ok(()),
        Ok(all) => Err(all.least(4) as usize),
        Err(posted) => {
            let call = |i| (group.pe(i), std::array::from_fn(|word| posted.word(i, word)));
            differ(routine, mine, (0..group.size()).map(call))
        }
    }
}

/// Ends the job: names the first PE whose call differs from `mine`, the call of this PE.
#[cold]
fn differ(routine: &str, mine: [u64; 4], mut calls: impl Iterator<Item = (u32, [u64; 4])>) -> ! {
    let (pe, theirs) = calls.find(|(_, theirs)| *theirs != mine).expect("some calls differ");
    let what = if theirs[..2] == mine[..2] {
        format!("PE {pe} called it with {} and {}, this PE with {} and {}", theirs[2], theirs[3], mine[2], mine[3])
    } else {
        format!("PE {pe} is in another call")
    };
    fatal(routine, format_args!("the PEs must call it alike: {what}"))
}

/// Commits the memory of a block if memory is limited, and makes its pages huge if the user wants that and the kernel
/// does not do it at the first write.
fn commit(area: Area, at: usize, len: usize) -> std::io::Result<()> {
    if let Some((file, begin)) = area.committed() {
        memfd::commit(file, begin + at as u64, len as u64)?;
    }
    let (rt, size) = (area.rt, area.rt.segments.collapse);
    if area.space.is_none() && rt.segments.heaps == Reach::Mapped && size > 0 && len >= size {
        collapse(rt, at, len);
    }
    Ok(())
}

/// Makes huge pages of the pages of a block, and of what shares huge pages with its ends. Where the kernel finds none,
/// pages stay small.
fn collapse(rt: &Runtime, at: usize, len: usize) {
    let (heap, huge) = (rt.segments.heap, rt.segments.collapse);
    let from = at / huge * huge;
    let to = (at + len).next_multiple_of(huge).min(heap.len / huge * huge);
    if from < to {
        for first in (from..to).step_by(huge) {
            // The byte is one of the block: where memory is limited, what lies before the block may have none.
            // SAFETY: the byte lies in this PE's heap, which is mapped.
            unsafe { map::touch(heap.base + first.max(at), 1, huge) };
        }
        map::collapse(heap.base + from, to - from);
    }
}

/// Why a PE cannot allocate a block.
enum NoBlock {
    /// The heap has no free range that is large enough.
    Full,
    /// The heaps of the PEs have no larger alignment in common than `most`.
    Alignment { wanted: usize, most: usize },
    /// The system refuses the memory.
    Refused(std::io::Error),
}

/// The first PE that got no block prints why, once for each reason: a program may allocate until nothing is left.
fn complain(area: Area, routine: &str, len: usize, why: &NoBlock, agreed: Result<(), usize>) {
    /// For the heap and for spaces.
    static REPORTED: [[AtomicBool; 3]; 2] = [const { [const { AtomicBool::new(false) }; 3] }; 2];
    let (rt, reported) = (area.rt, &REPORTED[usize::from(area.space.is_some())]);
    let reported = match why {
        NoBlock::Full => &reported[0],
        NoBlock::Alignment { .. } => &reported[1],
        NoBlock::Refused(_) => &reported[2],
    };
    if agreed != Err(rt.pe.0 as usize) || reported.swap(true, Ordering::Relaxed) {
        return;
    }
    match why {
        NoBlock::Full => {
            let room = area.heap().room();
            let (free, largest, all, unit) = in_one_unit(room);
            let (what, raise) = match area.space {
                None => ("heap", "SHMEM_SYMMETRIC_SIZE"),
                Some(_) => ("space", "its size in config"),
            };
            let why = match len > room.2 {
                true => format!("{len} bytes are more than the {what} of {all} {unit}"),
                false => {
                    format!("{what} full: no room for {len} bytes, {free} of {all} {unit} free, {largest} in one piece")
                }
            };
            print(format_args!("{routine}: {why}; raise {raise}"));
        }
        NoBlock::Alignment { wanted, most } => {
            print(format_args!("{routine}: alignment {wanted} is above the largest, {most} bytes"));
        }
        NoBlock::Refused(e) => {
            let limit = area.space.map_or(rt.node.heap_limit(), |space| space.backing.limit);
            let advice = limit.map_or("", |limit| limit.advice());
            print(format_args!("{routine}: no memory for {len} bytes: {e}; {advice}"));
        }
    }
}

/// The three numbers of bytes in one unit, and its name: the largest unit in which the last number has at least two
/// digits.
fn in_one_unit((free, largest, all): (usize, usize, usize)) -> (usize, usize, usize, &'static str) {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB"), (0, "bytes")];
    let (shift, unit) = units.into_iter().find(|&(shift, _)| all >> shift >= 10).unwrap_or((0, "bytes"));
    (free >> shift, largest >> shift, all >> shift, unit)
}

/// For a call whose behaviour is undefined and that other libraries tolerate: one PE prints what is wrong, and all PEs
/// get a null pointer. With `SHMEM_DEBUG` the call ends the job.
fn refuse(rt: &Runtime, routine: &str, agreed: Result<(), usize>, problem: impl std::fmt::Display) -> *mut c_void {
    if agreed == Err(rt.pe.0 as usize) {
        match rt.env.debug {
            true => fatal(routine, problem),
            false => print(format_args!("{routine}: {problem}; the result is a null pointer")),
        }
    }
    core::ptr::null_mut()
}

/// Gives back memory that [`commit`] took for bytes that are in no block: another PE may lack it. A page that also
/// holds bytes of a block is given back when that block is free.
fn uncommit(area: Area, heap: &Heap, at: usize, len: usize) {
    let Some((file, begin)) = area.committed().filter(|_| area.gives_back() && len > 0) else { return };
    let Some((free, free_len)) = heap.free_around(at) else { return };
    let page = map::page();
    let from = free.next_multiple_of(page).max(at / page * page);
    let to = ((free + free_len) / page * page).min((at + len).next_multiple_of(page));
    if from < to {
        // A file system that cannot punch holes keeps the pages.
        let _ = memfd::discard(file, begin + from as u64, (to - from) as u64);
    }
}

/// Frees the block at `at` and gives its memory back. The part for words may shrink by it. Another PE that still has
/// the old border has no block between the two.
fn release(area: Area, at: usize) {
    let mut heap = area.heap();
    let (len, before) = (heap.block(at).unwrap_or(0), heap.words_begin());
    heap.free(at);
    if heap.words_begin() != before {
        words_begin_at(area.rt, heap.words_begin());
    }
    uncommit(area, &heap, at, len);
}

/// Gives back the memory of a block at `at` that was shortened from `had` bytes.
fn release_tail(area: Area, at: usize, had: usize) {
    let heap = area.heap();
    let has = heap.block(at).unwrap_or(had);
    uncommit(area, &heap, at + has, had.saturating_sub(has));
}

/// The message for an address at which no block begins.
fn no_block(area: Area, ptr: *mut c_void) -> String {
    match area.space {
        _ if SPACES.was_of_one(ptr as usize) => {
            format!("{ptr:p} belonged to a space that was destroyed (shmemx_space_destroy)")
        }
        Some(_) => format!("{ptr:p} is no block of this space, or is freed already"),
        None => format!("{ptr:p} was not returned by shmem_malloc or its kin, or is freed already"),
    }
}

/// The offset of the block at `ptr`. Ends the job if no block begins there.
fn block(area: Area, routine: &'static str, ptr: *mut c_void) -> usize {
    let at = area.span().offset_of(ptr as usize, 0).filter(|&at| area.heap().block(at).is_some());
    at.unwrap_or_else(|| fatal(routine, no_block(area, ptr)))
}

/// Where an address lies in the symmetric heap.
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
    let area = Area::of_heap(rt);
    match area.span().offset_of(addr, 0).map(|at| area.heap().block_around(at).map(|begin| begin == at)) {
        None => Lookup::Outside,
        Some(None) => Lookup::Free,
        Some(Some(true)) => Lookup::Block,
        Some(Some(false)) => Lookup::Inside,
    }
}

/// malloc, align and calloc: a block of `size` bytes at a multiple of `align`. Size 0 returns null without a barrier.
pub(crate) fn alloc(routine: &'static str, size: usize, align: usize, zero: bool) -> *mut c_void {
    alloc_as(Area::of_heap(state::up(routine)), routine, HeapCall::Alloc, size, align, zero)
}

/// `alloc` in an area, or with [`HeapCall::Words`] a block of words whose AMOs an adapter carries out.
pub(super) fn alloc_as(
    area: Area,
    routine: &'static str,
    kind: HeapCall,
    size: usize,
    align: usize,
    zero: bool,
) -> *mut c_void {
    if size == 0 {
        return core::ptr::null_mut();
    }
    if !align.is_power_of_two() {
        let agreed = agree(area, routine, kind, [size as u64, align as u64], false);
        return refuse(area.rt, routine, agreed, format_args!("alignment {align} is not a power of two"));
    }
    let most = area.most();
    // Smaller alignments than a pointer's are rounded up: every block has at least that of a C object.
    let got = match kind {
        _ if align > most => Err(NoBlock::Alignment { wanted: align, most }),
        HeapCall::Words => words(area.rt, size, align).ok_or(NoBlock::Full),
        _ => area.heap().alloc(size, align).ok_or(NoBlock::Full),
    };
    let at = got.as_ref().ok().copied();
    let committed = got.and_then(|at| commit(area, at, size).map_err(NoBlock::Refused));
    let ready = committed.is_ok();
    if zero
        && ready
        && let Some(at) = at
    {
        let block = area.address(at);
        // SAFETY: the block was allocated above, and no peer can use it before the barrier.
        match unsafe { device::zero(block as usize, size) } {
            Some(done) => done.unwrap_or_else(|e| fatal(routine, e)),
            // SAFETY: as above.
            None => unsafe { core::ptr::write_bytes(block.cast::<u8>(), 0, size) },
        }
    }
    let agreed = agree(area, routine, kind, [size as u64, align as u64], ready);
    if let Err(why) = &committed {
        complain(area, routine, size, why, agreed);
    }
    match at {
        Some(at) if agreed.is_ok() => area.address(at),
        Some(at) => {
            release(area, at);
            core::ptr::null_mut()
        }
        None => core::ptr::null_mut(),
    }
}

/// A block in the heap's part for words. All PEs know where this part begins when the call ends on one of them, because
/// they have agreed after this. The fast path leaves the part alone: it does not tell words from other bytes.
fn words(rt: &'static Runtime, size: usize, align: usize) -> Option<usize> {
    let mut heap = Area::of_heap(rt).heap();
    let got = heap.alloc_words(size, align);
    words_begin_at(rt, heap.words_begin());
    got
}

fn words_begin_at(rt: &Runtime, begin: usize) {
    FAST.limit_heap(begin);
    rt.remote.as_ref().inspect(|remote| remote.set_adapter_words(begin));
}

/// Hints are advice. A block for remote atomics or signals lies in the heap's part for words if an adapter can carry
/// out AMOs. Otherwise the whole heap serves them alike.
pub(crate) fn alloc_with_hints(routine: &'static str, size: usize, hints: c_long) -> *mut c_void {
    /// `SHMEM_MALLOC_ATOMICS_REMOTE` and `SHMEM_MALLOC_SIGNAL_REMOTE`.
    const KNOWN: c_long = 3;
    let rt = state::up(routine);
    if hints & !KNOWN != 0 && rt.env.debug {
        print(format_args!("{routine}: hints {hints:#x} has bits that mean nothing"));
    }
    // A call with size 0 waits for nobody, and may be the first one.
    let for_words = size > 0 && hints & KNOWN != 0 && adapters(rt, routine);
    let kind = if for_words { HeapCall::Words } else { HeapCall::Alloc };
    alloc_as(Area::of_heap(rt), routine, kind, size, 16, false)
}

/// Whether adapters carry out AMOs on the memory of all PEs. The first call is collective: each PE asks its way to one
/// PE of another node, and all agree. Cost: a connection of each PE, and one agreement.
fn adapters(rt: &'static Runtime, routine: &'static str) -> bool {
    let Some(remote) = &rt.remote else { return false };
    *rt.adapters.get_or_init(|| {
        let (n, here, node) = (rt.n_pes, rt.node.shape.n as u32, rt.node.placement.node(rt.pe));
        let after = |k: u32| Pe((rt.pe.0 + k) % n);
        // Its counterpart on the next node, if all nodes have as many PEs.
        let mut others = (here..n).chain(1..here).map(after).filter(|&pe| rt.node.placement.node(pe) != node);
        let mine = others.next().is_some_and(|pe| {
            remote
                .has_adapter_amos(pe)
                .unwrap_or_else(|e| fatal(routine, format_args!("cannot reach PE {}: {e}", pe.0)))
        });
        let world = coll::Group::of_team(rt, routine, &rt.world);
        world.agree(&[mine.into()], 0).is_ok_and(|all| all.least(0) == 1)
    })
}

/// A zeroed block of `count` times `size` bytes. A product that overflows becomes a size that no heap has.
pub(crate) fn calloc(routine: &'static str, count: usize, size: usize) -> *mut c_void {
    if count == 0 || size == 0 {
        return alloc(routine, 0, 16, true);
    }
    alloc(routine, count.saturating_mul(size), 16, true)
}

/// Frees a block, after a barrier. Null is ignored, without a barrier.
pub(crate) fn free(routine: &'static str, ptr: *mut c_void) {
    if state::is_child() {
        return; // a forked child does not free the parent's block
    }
    let rt = state::up(routine);
    if ptr.is_null() {
        return;
    }
    free_in(Area::around(rt, ptr), routine, ptr);
}

/// The team whose members free and resize a block together.
pub(crate) fn team_of_block(rt: &'static Runtime, ptr: *mut c_void) -> TeamHandle {
    Area::around(rt, ptr).space.map_or(TeamHandle::WORLD, |space| space.team)
}

pub(super) fn free_in(area: Area, routine: &'static str, ptr: *mut c_void) {
    let at = block(area, routine, ptr);
    let _ = agree(area, routine, HeapCall::Free, [at as u64, 0], true);
    release(area, at);
}

/// Resizes the block at `at`. A block in the part for words may make this part grow.
fn resize(area: Area, at: usize, size: usize) -> Option<Resized> {
    let mut heap = area.heap();
    let before = heap.words_begin();
    let done = heap.resize(at, size);
    if heap.words_begin() != before {
        words_begin_at(area.rt, heap.words_begin());
    }
    done
}

/// Resizes a block. If one PE cannot, all PEs get null and the block does not change.
pub(crate) fn realloc(routine: &'static str, ptr: *mut c_void, size: usize) -> *mut c_void {
    if ptr.is_null() {
        return alloc(routine, size, 16, false);
    }
    if size == 0 {
        free(routine, ptr);
        return core::ptr::null_mut();
    }
    let rt = state::up(routine);
    let area = Area::around(rt, ptr);
    let freed = area.span().offset_of(ptr as usize, 0).filter(|&at| area.heap().block_around(at).is_none());
    let at = freed.unwrap_or_else(|| block(area, routine, ptr));
    // The barrier at the begin: operations on the old block are complete before its bytes are moved.
    let agreed = agree(area, routine, HeapCall::Realloc, [at as u64, size as u64], freed.is_none());
    if agreed.is_err() {
        return refuse(rt, routine, agreed, no_block(area, ptr));
    }
    let old = area.heap().block(at).expect("checked above");
    let done = resize(area, at, size);
    let to = match done {
        Some(Resized::InPlace) => Some(at),
        Some(Resized::Moved { to, .. }) => Some(to),
        None => None,
    };
    let committed = to.ok_or(NoBlock::Full).and_then(|to| commit(area, to, size).map_err(NoBlock::Refused));
    let ready = committed.is_ok();
    if ready && let Some(Resized::Moved { to, bytes }) = done {
        // SAFETY: both blocks are live and disjoint, and hold `bytes` bytes. That to which is copied is memory of a
        // device if the other one is.
        let copied = unsafe {
            let source = Source::of::<u8>(area.address(at).cast(), bytes);
            device::put(SegId::Heap, area.address(to) as usize, source)
        };
        copied.unwrap_or_else(|e| fatal(routine, e));
    }
    let agreed = agree(area, routine, HeapCall::Realloc, [at as u64, size as u64], ready);
    if let Err(why) = &committed {
        complain(area, routine, size, why, agreed);
    }
    match (done, agreed.is_ok()) {
        (Some(Resized::InPlace), true) => {
            release_tail(area, at, old);
            ptr
        }
        (Some(Resized::Moved { to, .. }), true) => {
            release(area, at);
            area.address(to)
        }
        (Some(Resized::InPlace), false) => {
            let now = area.heap().block(at).unwrap_or(old);
            area.heap().resize(at, old);
            release_tail(area, at, now);
            core::ptr::null_mut()
        }
        (Some(Resized::Moved { to, .. }), false) => {
            release(area, to);
            core::ptr::null_mut()
        }
        (None, _) => core::ptr::null_mut(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_heap_are_told_in_one_unit() {
        assert_eq!(in_one_unit((12 << 20, 3 << 20, 512 << 20)), (12, 3, 512, "MiB"));
        assert_eq!(in_one_unit((12 << 20, 1 << 20, 2 << 30)), (12, 1, 2048, "MiB"));
        assert_eq!(in_one_unit((4096, 4096, 1 << 20)), (4, 4, 1024, "KiB"));
        assert_eq!(in_one_unit((0, 0, 0)), (0, 0, 0, "bytes"));
    }
}
