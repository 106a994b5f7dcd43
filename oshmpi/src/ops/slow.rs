//! The other branch of every access: complains about arguments, makes the checks of `SHMEM_DEBUG`, and reaches memory
//! that is not mapped: PEs of other nodes through MPI, statics that could not be moved by kernel or window.

use super::order;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::addr::Pe;
use crate::memory::translate::{self, FAST, Reach};
use crate::mpi::blocks::Blocks;
use crate::state::{self, Runtime};
use crate::sync::ledger::Ledger;
use crate::transport::node::Word;
use crate::transport::remote::{Amo, Remote, Stats};
use crate::transport::{kernel, locked, node, statics_window};
use crate::{args, memory::addr::SymRange};
use core::ffi::c_int;
use std::fmt::Display;

/// What becomes of the old value of an AMO.
pub(super) trait Answer<T> {
    const WANTED: bool;
    fn of(old: T) -> Self;
}

impl<T: Word> Answer<T> for T {
    const WANTED: bool = true;
    #[inline(always)]
    fn of(old: T) -> T {
        old
    }
}

impl<T> Answer<T> for () {
    const WANTED: bool = false;
    #[inline(always)]
    fn of(_: T) {}
}

/// Where a symmetric range of a peer can be reached.
enum Route {
    Mapped(usize),
    Kernel(usize),
    Window(u32),
    Remote(&'static Remote),
}

impl Route {
    /// On this node, whoever copies.
    fn is_on_node(&self) -> bool {
        !matches!(self, Route::Remote(_))
    }
}

fn route(rt: &'static Runtime, range: SymRange, pe: Pe) -> Route {
    match (rt.node.places.local(pe), rt.segments.reach(range.seg), &rt.remote) {
        (Some(slot), Reach::Mapped, _) => Route::Mapped(translate::mapped(&rt.node, range, slot)),
        (Some(slot), Reach::Kernel, _) => Route::Kernel(slot),
        (_, Reach::None, _) => unreachable!("no range is found in a segment that is not reached"),
        // What messages carry out elsewhere is done here at once.
        (_, _, Some(remote)) if pe == rt.pe && remote.has_cpu_atomics() => Route::Mapped(rt.segments.address(range)),
        (_, _, Some(remote)) => Route::Remote(remote),
        (Some(_), Reach::Window, None) => Route::Window(pe.0),
        (None, _, None) => unreachable!("a job on several nodes has windows between them"),
    }
}

/// The ledger of a context that has been checked.
fn ledger(rt: &'static Runtime, ctx: Ctx) -> &'static Ledger {
    order::ledger(rt, ctx).expect("a context in use lives")
}

/// When the call returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Returns {
    /// When the local buffer may be used again.
    Done,
    /// At once: the buffer stays alone until quiet.
    AtOnce,
    /// As `Done`; a signal follows.
    BeforeSignal,
}

/// A copy by the kernel or by MPI that went wrong cannot be repaired: the call has no way to say so to the program.
fn moved<E: Display>(routine: &str, pe: Pe, result: Result<(), E>) {
    if let Err(e) = result {
        fatal(routine, format_args!("cannot reach the memory of PE {}: {e}", pe.0));
    }
}

/// Where the job's operations are counted, if they are.
fn counted(rt: &Runtime) -> Option<&'static Stats> {
    rt.env.stats.then(Stats::of_the_job)
}

/// `len` bytes from `source` here to symmetric `dest` at `pe`.
///
/// # Safety
/// As the C caller promises: `source` can be read.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // a call's own, and how it is made
pub(super) unsafe fn put(
    routine: &str,
    ctx: Ctx,
    dest: usize,
    source: *const u8,
    len: usize,
    align: usize,
    pe: c_int,
    returns: Returns,
) {
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
        let route = route(rt, range, pe);
        if route.is_on_node() {
            counted(rt).inspect(|stats| stats.memory_put(pe.0, len));
        }
        match route {
            Route::Mapped(at) => node::copy(at as *mut u8, source, len),
            Route::Kernel(index) => moved(routine, pe, kernel::put(&rt.node, index, range.off, source, len)),
            Route::Window(rank) => moved(routine, pe, statics_window::statics().put(rank, range.off, source, len)),
            Route::Remote(remote) if returns == Returns::Done => {
                moved(routine, pe, remote.put(ledger(rt, ctx), range, pe.0, source));
            }
            Route::Remote(remote) if returns == Returns::BeforeSignal => {
                moved(routine, pe, remote.put_before_signal(ledger(rt, ctx), range, pe.0, source));
            }
            Route::Remote(remote) => moved(routine, pe, remote.put_nbi(ledger(rt, ctx), range, pe.0, source)),
        }
    }
}

/// `len` bytes from symmetric `source` at `pe` to `dest` here.
///
/// # Safety
/// As the C caller promises: `dest` can be written.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // a call's own, and how it is made
pub(super) unsafe fn get(
    routine: &str,
    ctx: Ctx,
    dest: *mut u8,
    source: usize,
    len: usize,
    align: usize,
    pe: c_int,
    returns: Returns,
) {
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
        let route = route(rt, range, pe);
        if route.is_on_node() {
            counted(rt).inspect(|stats| stats.memory_get(pe.0, len));
            rt.remote.as_ref().inspect(|remote| remote.serve_in_gets());
        }
        match route {
            Route::Mapped(at) => {
                statics_window::poll();
                node::copy(dest, at as *const u8, len);
            }
            Route::Kernel(index) => moved(routine, pe, kernel::get(&rt.node, index, range.off, dest, len)),
            Route::Window(rank) => moved(routine, pe, statics_window::statics().get(rank, range.off, dest, len)),
            Route::Remote(remote) if returns == Returns::Done => moved(routine, pe, remote.get(range, pe.0, dest)),
            Route::Remote(remote) => moved(routine, pe, remote.get_nbi(ledger(rt, ctx), range, pe.0, dest)),
        }
    }
}

/// Between the `len` bytes of a put with signal and its signal: whatever carries out the signal finds them at their place.
#[inline]
pub(super) fn before_signal(routine: &str, ctx: Ctx, len: usize, sig_addr: usize, pe: c_int) {
    if FAST.complete_at_once() {
        return;
    }
    let rt = state::up(routine);
    if let Some(remote) = &rt.remote
        && len > 0
    {
        before_remote_signal(rt, remote, routine, ctx, len, sig_addr, pe);
    }
}

#[cold]
fn before_remote_signal(
    rt: &'static Runtime,
    remote: &Remote,
    routine: &str,
    ctx: Ctx,
    len: usize,
    sig_addr: usize,
    pe: c_int,
) {
    let pe = args::pe(rt, routine, args::world_pe(routine, ctx, pe));
    let word = args::symmetric(rt, routine, "sig_addr", sig_addr, size_of::<u64>());
    // Messages to one PE keep their order.
    let follows = remote.put_goes_by_message(len) && matches!(route(rt, word, pe), Route::Remote(_));
    if !follows {
        moved(routine, pe, remote.quiet_pe(ledger(rt, ctx), pe.0));
    }
}

/// The word of an AMO, checked.
fn word_at<T>(rt: &Runtime, routine: &str, arg: &str, target: usize, pe: c_int) -> (SymRange, Pe) {
    let pe = args::pe(rt, routine, pe);
    let range = args::symmetric(rt, routine, arg, target, size_of::<T>());
    if !target.is_multiple_of(align_of::<T>()) {
        fatal(routine, format_args!("{arg} {target:#x} is not aligned to {} bytes", align_of::<T>()));
    }
    (range, pe)
}

/// Runs an AMO on the word `target` (argument `arg`) of `pe`: by `op`, which gets the word itself, or a copy that is written
/// back before anybody else's AMO; on a word that `op` cannot have in a job on several nodes, by whoever can.
#[cold]
#[inline(never)]
pub(super) fn amo<T: Word, R: Answer<T>>(
    routine: &str,
    ctx: Ctx,
    arg: &str,
    target: usize,
    pe: c_int,
    amo: Amo,
    op: impl FnOnce(*mut T) -> R,
) -> R {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let (range, pe) = word_at::<T>(rt, routine, arg, target, pe);
    let Some(remote) = &rt.remote else { return node_amo(rt, routine, range, pe, op) };
    if let Some(at) = cpu_word(rt, remote, range, pe) {
        counted(rt).inspect(|stats| stats.memory_amo(pe.0));
        remote.serve_if_nobody_does();
        return op(at as *mut T);
    }
    let ledger = ledger(rt, ctx);
    let done = match amo {
        Amo::Op(what, operand) if !R::WANTED => {
            remote.amo_only(ledger, range, pe.0, what, operand).map(|()| R::of(T::of_bits(0)))
        }
        _ => remote.amo(ledger, range, pe.0, amo).map(|old| R::of(T::of_bits(old))),
    };
    done.unwrap_or_else(|e| fatal(routine, format_args!("cannot reach the memory of PE {}: {e}", pe.0)))
}

/// The same, with a place for the old value.
///
/// # Safety
/// `fetch` can be written until the context is quiet.
#[cold]
#[inline(never)]
#[allow(clippy::too_many_arguments)] // a call's own, and how it is made
pub(super) unsafe fn amo_later<T: Word>(
    routine: &str,
    ctx: Ctx,
    fetch: *mut T,
    arg: &str,
    target: usize,
    pe: c_int,
    amo: Amo,
    op: impl FnOnce(*mut T) -> T,
) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let (range, pe) = word_at::<T>(rt, routine, arg, target, pe);
    match &rt.remote {
        Some(remote) if let Some(at) = cpu_word(rt, remote, range, pe) => {
            counted(rt).inspect(|stats| stats.memory_amo(pe.0));
            // SAFETY: passed on to the caller.
            unsafe { fetch.write_unaligned(op(at as *mut T)) }
        }
        // SAFETY: passed on to the caller.
        Some(remote) => moved(routine, pe, unsafe { remote.amo_nbi(ledger(rt, ctx), range, pe.0, amo, fetch.cast()) }),
        // SAFETY: passed on to the caller.
        None => unsafe { fetch.write_unaligned(node_amo(rt, routine, range, pe, op)) },
    }
}

/// Where a word lies here for CPU atomics, in a job on several nodes whose AMOs are carried out by the CPUs of the word's
/// node. A node peer's that is not mapped is left to its owner.
fn cpu_word(rt: &'static Runtime, remote: &Remote, range: SymRange, pe: Pe) -> Option<usize> {
    if !remote.has_cpu_atomics() {
        return None;
    }
    match route(rt, range, pe) {
        Route::Mapped(at) => Some(at),
        Route::Kernel(_) if pe == rt.pe => Some(rt.segments.address(range)),
        _ => None,
    }
}

/// Runs an AMO in a job on one node.
fn node_amo<T: Copy, R>(
    rt: &'static Runtime,
    routine: &str,
    range: SymRange,
    pe: Pe,
    op: impl FnOnce(*mut T) -> R,
) -> R {
    let (node, off, len) = (&rt.node, range.off, size_of::<T>());
    let index = node.places.local(pe).expect("the job is on one node");
    counted(rt).inspect(|stats| stats.memory_amo(pe.0));
    let done = match route(rt, range, pe) {
        Route::Mapped(at) => {
            statics_window::poll();
            Ok(op(at as *mut T))
        }
        Route::Kernel(_) => {
            // SAFETY: a word of ours, as long as the one at the peer, which lies in its segment.
            let read = |to| unsafe { kernel::get(node, index, off, to, len) };
            // SAFETY: as above.
            let write = |from| unsafe { kernel::put(node, index, off, from, len) };
            locked::amo(node, index, read, write, op).map_err(|e| e.to_string())
        }
        Route::Window(rank) => {
            // SAFETY: as above.
            let read = |to| unsafe { statics_window::statics().get(rank, off, to, len) };
            // SAFETY: as above.
            let write = |from| unsafe { statics_window::statics().put(rank, off, from, len) };
            locked::amo(node, index, read, write, op).map_err(|e| e.to_string())
        }
        Route::Remote(_) => unreachable!("a job on one node has nothing remote"),
    };
    done.unwrap_or_else(|e| fatal(routine, format_args!("cannot reach the memory of PE {}: {e}", pe.0)))
}

/// The other side of a strided access, checked as a whole before its first block is moved.
pub(super) struct Stretch {
    rt: &'static Runtime,
    routine: &'static str,
    ctx: Ctx,
    range: SymRange,
    pe: Pe,
}

impl Stretch {
    /// Complains when `[addr, addr+len)` at `pe` is not symmetric.
    pub(super) fn new(routine: &'static str, ctx: Ctx, arg: &str, addr: usize, len: usize, pe: c_int) -> Stretch {
        let rt = state::up(routine);
        let _alone = args::ctx(routine, ctx);
        let pe = args::pe(rt, routine, pe);
        let range = args::symmetric(rt, routine, arg, addr, len);
        Stretch { rt, routine, ctx, range, pe }
    }

    /// A PE of another node that takes all blocks in one operation.
    fn remote(&self, blocks: &Blocks) -> Option<&'static Remote> {
        match route(self.rt, self.range, self.pe) {
            // Blocks that overlap are told one by one.
            Route::Remote(remote) if self.pe != self.rt.pe && remote.takes_blocks(blocks) => Some(remote),
            _ => None,
        }
    }

    /// Complains of what every block has in common, on this side, and of its alignment on both.
    fn check_here(&self, [there, here]: [&str; 2], addr: usize, align: usize) {
        args::local(self.routine, here, addr, 1);
        args::aligned(self.rt, self.routine, there, self.rt.segments.address(self.range), align);
        args::aligned(self.rt, self.routine, here, addr, align);
    }

    /// Puts the blocks if they go in one operation; false: nothing was done.
    ///
    /// # Safety
    /// As the C caller promises: the blocks at `source` can be read.
    pub(super) unsafe fn put(&self, source: *const u8, align: usize, blocks: Blocks) -> bool {
        let Some(remote) = self.remote(&blocks) else { return false };
        let _alone = args::ctx(self.routine, self.ctx);
        self.check_here(["dest", "source"], source as usize, align);
        // SAFETY: the range lies in the peer's segment, the source is the caller's promise.
        let result = unsafe { remote.put_blocks(ledger(self.rt, self.ctx), self.range, self.pe.0, source, blocks) };
        moved(self.routine, self.pe, result);
        true
    }

    /// Gets the blocks if they come in one operation; false: nothing was done.
    ///
    /// # Safety
    /// As the C caller promises: the blocks at `dest` can be written.
    pub(super) unsafe fn get(&self, dest: *mut u8, align: usize, blocks: Blocks) -> bool {
        let Some(remote) = self.remote(&blocks) else { return false };
        let _alone = args::ctx(self.routine, self.ctx);
        self.check_here(["source", "dest"], dest as usize, align);
        // SAFETY: the range lies in the peer's segment, the destination is the caller's promise.
        moved(self.routine, self.pe, unsafe { remote.get_blocks(self.range, self.pe.0, dest, blocks) });
        true
    }

    /// Blocks that were put one by one with [`Returns::AtOnce`]: their sources may be used again.
    pub(super) fn puts_done(&self) {
        if let Route::Remote(remote) = route(self.rt, self.range, self.pe) {
            moved(self.routine, self.pe, remote.sources_free(self.pe.0));
        }
    }

    /// Blocks that were got one by one with [`Returns::AtOnce`] are there.
    pub(super) fn gets_done(&self) {
        if let Route::Remote(remote) = route(self.rt, self.range, self.pe) {
            moved(self.routine, self.pe, remote.gets_done(self.pe.0));
        }
    }
}
