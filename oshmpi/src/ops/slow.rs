//! The slow side of every access. It reports wrong arguments and makes the checks of `SHMEM_DEBUG`. It reaches memory
//! that is not mapped: PEs of other nodes, and statics that could not be moved, which the kernel or an MPI window
//! reaches.

use super::{notify, order, polling, stats};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::counters::By;
use crate::memory::local::{Dest, Source};
use crate::memory::translate::{self, FAST, Reach};
use crate::mpi::blocks::Blocks;
use crate::net::{Remote, Returns};
use crate::state::{self, Runtime};
use crate::sync::ledger::Ledger;
use crate::sync::tally::Verb;
use crate::transport::amo::Amo;
use crate::transport::kernel::StaticsLocation;
use crate::transport::{device, node};
use core::ffi::c_int;
use std::fmt::Display;

/// The remote side of an access, checked: a symmetric range at a PE.
struct Target {
    rt: &'static Runtime,
    routine: &'static str,
    ctx: Ctx,
    range: SymRange,
    pe: Pe,
}

/// How a target is reached.
enum Route {
    /// The target is mapped here, at this address.
    Mapped(usize),
    /// The kernel copies, from or to the process in this slot of the node.
    Kernel(usize),
    Remote(&'static Remote),
}

impl Target {
    /// The target that the argument `arg` names: `at` is an address and a number of bytes. Ends the job if they are not
    /// symmetric, lie in a space that the PE does not share, or are not aligned to `align` bytes (see `args::aligned`).
    fn new(
        rt: &'static Runtime,
        routine: &'static str,
        ctx: Ctx,
        arg: &str,
        at: (usize, usize),
        align: usize,
        pe: Pe,
    ) -> Target {
        let range = args::symmetric(rt, routine, arg, at.0, at.1);
        args::shared_with(rt, routine, arg, at.0, range.seg, pe);
        args::aligned(rt, routine, arg, at.0, align);
        Target { rt, routine, ctx, range, pe }
    }

    /// A number for this target, by which polls are recognised. Another target has the same number only by chance.
    fn known_by(&self) -> usize {
        self.rt.segments.address(self.range) ^ (self.pe.0 as usize) << 48
    }

    /// The `len` bytes that begin at byte `from`.
    fn part(&self, from: usize, len: usize) -> Target {
        Target { range: self.range.part(from, len), ..*self }
    }

    /// Whether the target is this PE's memory.
    fn is_here(&self) -> bool {
        self.pe == self.rt.pe
    }

    fn route(&self) -> Route {
        let rt = self.rt;
        match (rt.node.places.local(self.pe), rt.segments.reach(self.range.seg), &rt.remote) {
            (Some(slot), Reach::Mapped, _) => {
                let at = translate::mapped(&rt.node, self.range, self.pe, slot);
                Route::Mapped(at.expect("the PE was found to share the space"))
            }
            (Some(slot), Reach::Kernel, _) => Route::Kernel(slot),
            (_, Reach::None, _) => unreachable!("no range is found in a segment that is not reached"),
            // A local operation that messages would carry out at another PE is done at once.
            (_, _, Some(remote)) if self.is_here() && remote.has_messages() => {
                Route::Mapped(rt.segments.address(self.range))
            }
            (_, _, Some(remote)) => Route::Remote(remote),
            (_, _, None) => unreachable!("a job has a way to all that is not mapped"),
        }
    }

    /// Where the PE in this slot has its statics.
    fn statics(&self, slot: usize) -> StaticsLocation {
        StaticsLocation::of(&self.rt.node, slot)
    }

    /// The ledger of the target's context, which is known to exist.
    fn ledger(&self) -> &'static Ledger {
        order::ledger(self.rt, self.ctx).expect("a context in use lives")
    }

    /// The value of a result. An error of the kernel or of MPI ends the job: the routine has no return value for it.
    fn done<T, E: Display>(&self, result: Result<T, E>) -> T {
        result.unwrap_or_else(|e| {
            fatal(self.routine, format_args!("cannot reach the memory of PE {}: {e}", self.pe.0));
        })
    }

    /// Counts an operation, for the PE and for its context.
    fn count(&self, by: By, verb: Verb, bytes: usize) {
        stats::count(self.rt, self.ctx, by, verb, (self.pe, bytes));
    }

    /// The way of this route, for the counters.
    fn by(route: &Route) -> By {
        if matches!(route, Route::Remote(_)) { By::Network } else { By::Memory }
    }

    /// Copies the source to the target. Both have the same length.
    fn put(&self, source: Source, returns: Returns) {
        assert_eq!(self.range.len, source.len());
        let route = self.route();
        if !matches!(route, Route::Mapped(_))
            && let Some(bytes) = self.done(device::staged(source))
        {
            let returns = if returns == Returns::AtOnce { Returns::Done } else { returns };
            return self.put(Source::of_slice(&bytes), returns);
        }
        self.count(Target::by(&route), Verb::Put, source.len());
        match route {
            // SAFETY: the target's range is reached at `at`. The source has the same length.
            Route::Mapped(at) => self.done(unsafe { device::put(self.range.seg, at, source) }),
            Route::Kernel(slot) => self.done(self.statics(slot).put(self.range, source)),
            Route::Remote(remote) => self.done(remote.put(self.ledger(), self.range, self.pe, source, returns)),
        }
    }

    /// Copies the target to the destination. Both have the same length.
    fn get(&self, dest: Dest, returns: Returns) {
        assert_eq!(self.range.len, dest.len());
        let route = self.route();
        if !matches!(route, Route::Mapped(_)) && device::holds(dest.address()) {
            let mut bytes = vec![0u8; dest.len()];
            self.get(Dest::of_slice(&mut bytes), Returns::Done);
            // SAFETY: the vector is memory of the host, and has as many bytes as the destination.
            return self.done(unsafe { device::get(SegId::Heap, bytes.as_ptr() as usize, dest) });
        }
        self.count(Target::by(&route), Verb::Get, dest.len());
        if !matches!(route, Route::Remote(_)) {
            self.rt.remote.as_ref().inspect(|remote| remote.serve_in_gets());
        }
        match route {
            // SAFETY: the target's range is reached at `at`. The destination has the same length.
            Route::Mapped(at) => self.done(unsafe { device::get(self.range.seg, at, dest) }),
            Route::Kernel(slot) => self.done(self.statics(slot).get(self.range, dest)),
            Route::Remote(remote) => self.done(remote.get(self.ledger(), self.range, self.pe, dest, returns)),
        }
    }

    /// Notes what a blocking get has found in its first `len` bytes, in memory that CPUs can read.
    fn noted(&self, dest: Dest, len: usize) {
        if !device::holds(dest.address()) {
            // SAFETY: the get has filled these bytes.
            unsafe { polling::looked_at(self.known_by(), dest.at(), len) };
        }
    }

    /// With `SHMEM_DEBUG`: ends the job if the target is on this PE and shares bytes with the local buffer. `local` is
    /// an address and a number of bytes.
    fn disjoint(&self, local: (usize, usize), put: bool) {
        if self.is_here() {
            let target = (self.rt.segments.address(self.range), self.range.len);
            let (dest, source) = if put { (target, local) } else { (local, target) };
            args::disjoint(self.rt, self.routine, dest, source);
        }
    }
}

/// Puts `source` to the symmetric address `dest` at `pe`.
#[cold]
#[inline(never)]
pub(super) fn put(
    routine: &'static str,
    ctx: Ctx,
    dest: usize,
    source: Source,
    align: usize,
    pe: c_int,
    returns: Returns,
) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let (pe, len) = (args::pe(rt, routine, pe), source.len());
    if len == 0 {
        return;
    }
    args::local(routine, "source", source.address(), len);
    args::aligned(rt, routine, "source", source.address(), align);
    let target = Target::new(rt, routine, ctx, "dest", (dest, len), align, pe);
    target.disjoint((source.address(), len), true);
    target.put(source, returns);
}

/// Gets the symmetric address `source` at `pe` into `dest`.
#[cold]
#[inline(never)]
pub(super) fn get(
    routine: &'static str,
    ctx: Ctx,
    dest: Dest,
    source: usize,
    align: usize,
    pe: c_int,
    returns: Returns,
) {
    // Where PEs outnumber cores, gets of mapped memory come here so that polls are noticed.
    if let Some(at) = FAST.peer(source, dest.len(), pe).filter(|_| !dest.at().is_null()) {
        // SAFETY: as on the fast side: `dest.len()` bytes at `at` lie in the peer's segment, and the destination is not
        // null.
        unsafe { node::copy(dest.at(), at as *const u8, dest.len()) };
        if returns == Returns::Done {
            // SAFETY: the copy has filled the destination.
            unsafe { polling::looked_at(at, dest.at(), dest.len()) };
        }
        return;
    }
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let (pe, len) = (args::pe(rt, routine, pe), dest.len());
    if len == 0 {
        return;
    }
    args::local(routine, "dest", dest.address(), len);
    args::aligned(rt, routine, "dest", dest.address(), align);
    let target = Target::new(rt, routine, ctx, "source", (source, len), align, pe);
    target.disjoint((dest.address(), len), false);
    target.get(dest, returns);
    if returns == Returns::Done {
        target.noted(dest, len);
    }
}

/// Puts blocks to `dest` at `pe`. `dest` is the symmetric address and the number of bytes that the blocks span there.
/// The whole span is checked before the first block is moved.
#[cold]
#[inline(never)]
pub(super) fn put_blocks(
    routine: &'static str,
    ctx: Ctx,
    dest: (usize, usize),
    source: Source,
    align: usize,
    pe: c_int,
    blocks: Blocks,
) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    args::local(routine, "source", source.address(), blocks.len);
    args::aligned(rt, routine, "source", source.address(), align);
    let target = Target::new(rt, routine, ctx, "dest", dest, align, args::pe(rt, routine, pe));
    match target.route() {
        Route::Remote(remote) if !target.is_here() && !device::holds(source.address()) => {
            target.count(By::Network, Verb::Put, blocks.bytes());
            target.done(remote.put_blocks(target.ledger(), target.range, target.pe, source, blocks));
        }
        _ => {
            for b in 0..blocks.n {
                let (there, here) = (target.part(b * blocks.there, blocks.len), b * blocks.here);
                there.disjoint((source.address() + here, blocks.len), true);
                there.put(source.part(here, blocks.len), Returns::Done);
            }
        }
    }
}

/// Gets blocks from `source` at `pe`. `source` is the symmetric address and the number of bytes that the blocks span
/// there.
#[cold]
#[inline(never)]
pub(super) fn get_blocks(
    routine: &'static str,
    ctx: Ctx,
    dest: Dest,
    source: (usize, usize),
    align: usize,
    pe: c_int,
    blocks: Blocks,
) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    args::local(routine, "dest", dest.address(), blocks.len);
    args::aligned(rt, routine, "dest", dest.address(), align);
    let target = Target::new(rt, routine, ctx, "source", source, align, args::pe(rt, routine, pe));
    match target.route() {
        Route::Remote(remote) if !target.is_here() && !device::holds(dest.address()) => {
            target.count(By::Network, Verb::Get, blocks.bytes());
            target.done(remote.get_blocks(target.ledger(), target.range, target.pe, dest, blocks));
        }
        _ => {
            for b in 0..blocks.n {
                let (there, here) = (target.part(b * blocks.there, blocks.len), b * blocks.here);
                there.disjoint((dest.address() + here, blocks.len), false);
                there.get(dest.part(here, blocks.len), Returns::Done);
            }
        }
    }
    target.noted(dest, blocks.len);
}

/// The word of an AMO as the program names it.
#[derive(Clone, Copy)]
pub(super) struct NamedWord {
    /// The argument's name.
    arg: &'static str,
    address: usize,
    bytes: usize,
}

impl NamedWord {
    pub(super) fn new<T>(arg: &'static str, at: *const T) -> NamedWord {
        NamedWord { arg, address: at as usize, bytes: size_of::<T>() }
    }

    /// The word at `pe`, checked to be symmetric and aligned.
    fn at(self, rt: &'static Runtime, routine: &'static str, ctx: Ctx, pe: c_int) -> Target {
        let NamedWord { arg, address, bytes } = self;
        let target = Target::new(rt, routine, ctx, arg, (address, bytes), 1, args::pe(rt, routine, pe));
        if !address.is_multiple_of(bytes) {
            fatal(routine, format_args!("{arg} {address:#x} is not aligned to {bytes} bytes"));
        }
        target
    }
}

/// Runs an AMO on a word of `pe`. Returns the old value if it is `wanted`, else 0.
#[inline(never)]
pub(super) fn amo(routine: &'static str, ctx: Ctx, word: NamedWord, pe: c_int, amo: Amo, wanted: bool) -> u64 {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let target = word.at(rt, routine, ctx, pe);
    let old = target.amo(amo, wanted);
    if wanted {
        polling::looked(target.known_by(), old);
    }
    old
}

/// Runs a nonblocking AMO on a word of `pe`. `fetch` has the old value after the next quiet of the context.
#[inline(never)]
pub(super) fn amo_nbi(routine: &'static str, ctx: Ctx, word: NamedWord, pe: c_int, amo: Amo, fetch: Dest<'static>) {
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    let target = word.at(rt, routine, ctx, pe);
    if device::holds(fetch.address()) {
        let old = target.amo(amo, true).to_ne_bytes();
        // SAFETY: `old` has 8 bytes, at least as many as the word. The first ones are those of a narrow word.
        return target.done(unsafe { device::get(SegId::Heap, old.as_ptr() as usize, fetch) });
    }
    if let Some(remote) = &rt.remote
        && target.cpu_word(remote).is_none()
    {
        target.count(By::Network, Verb::Fetch, word.bytes);
        return target.done(remote.amo_nbi(target.ledger(), target.range, target.pe, amo, Some(fetch)));
    }
    fetch.store_word(target.amo(amo, true));
}

/// When a put returns that a signal of this word follows, if the put is not complete at once. A signal that an adapter
/// updates does not follow the bytes by itself.
#[cold]
pub(super) fn returns_before_signal(routine: &'static str, sig_addr: usize) -> Returns {
    let rt = state::up(routine);
    let word = rt.segments.find(sig_addr, size_of::<u64>());
    let by_adapter = rt.remote.as_ref().zip(word).is_some_and(|(remote, word)| remote.is_adapter_word(word));
    if by_adapter { Returns::Done } else { Returns::BeforeSignal }
}

/// Updates the signal of a put with signal, after its bytes: `put` is the address of the put's dest and their number.
/// The update takes effect when the bytes have arrived.
#[cold]
#[inline(never)]
pub(super) fn signal(routine: &'static str, ctx: Ctx, put: (usize, usize), word: NamedWord, pe: c_int, amo: Amo) {
    let rt = state::up(routine);
    let pe = args::world_pe(routine, ctx, pe);
    let _alone = args::ctx(routine, ctx);
    let target = word.at(rt, routine, ctx, pe);
    if let Some(remote) = &rt.remote
        && let Some(put) = rt.segments.find(put.0, put.1).filter(|put| put.len > 0)
    {
        let word = matches!(target.route(), Route::Remote(_)).then_some(target.range);
        target.done(remote.before_signal(target.ledger(), (put.seg, put.len), word, target.pe));
    }
    target.amo(amo, false);
}

impl Target {
    /// Runs an AMO on the word, by the executor of all AMOs on the word. In a job on one node that is the CPU for a
    /// mapped word; otherwise a copy of the word is changed and written back under the lock of the word's owner.
    fn amo(&self, amo: Amo, wanted: bool) -> u64 {
        let verb = if wanted { Verb::Fetch } else { Verb::Amo };
        let Some(remote) = &self.rt.remote else {
            self.count(Target::by(&self.route()), verb, self.range.len);
            return self.node_amo(amo);
        };
        let here = self.cpu_word(remote);
        self.count(if here.is_some() { By::Memory } else { By::Network }, verb, self.range.len);
        if let Some(at) = here {
            remote.serve_if_nobody_does();
            return self.by_cpu(at, amo);
        }
        match amo {
            Amo::Op(..) if !wanted => {
                self.done(remote.amo_nbi(self.ledger(), self.range, self.pe, amo, None));
                0
            }
            _ => self.done(remote.amo(self.ledger(), self.range, self.pe, amo)),
        }
    }

    /// In a job on several nodes whose AMOs are carried out by the CPUs of the word's node: the address at which the
    /// word is mapped here. None for a node peer's word that is not mapped: its owner carries the AMO out. None for the
    /// word of an adapter. The CPUs of the node carry out those on words of spaces in any job.
    fn cpu_word(&self, remote: &Remote) -> Option<usize> {
        let at = match self.route() {
            Route::Mapped(at) => at,
            Route::Kernel(_) if self.is_here() => self.rt.segments.address(self.range),
            _ => return None,
        };
        let by_cpus = remote.has_messages() || self.range.seg.is_space();
        (by_cpus && !remote.is_adapter_word(self.range)).then_some(at)
    }

    /// Runs an AMO on the word, which is mapped at `at`, and wakes a PE that sleeps until the word changes.
    fn by_cpu(&self, at: usize, amo: Amo) -> u64 {
        // SAFETY: the word is mapped at `at`, its address was found to be aligned to its width, and its node's CPUs are
        // the executor of all AMOs on it. A word of a device is reached at `at`.
        let old = unsafe {
            match self.range.seg.device() {
                Some(place) => self.done(device::amo(place, Some(self.pe), at, self.range.len, amo)),
                None => amo.by_cpu(at, self.range.len),
            }
        };
        if amo.changes() { notify::waiters_of_pe(self.pe, old) } else { old }
    }

    /// Runs an AMO in a job on one node.
    fn node_amo(&self, amo: Amo) -> u64 {
        let node = &self.rt.node;
        match self.route() {
            Route::Mapped(at) => self.by_cpu(at, amo),
            Route::Kernel(slot) => {
                self.done(self.statics(slot).amo((node.amo_lock(slot), &node.waiter()), self.range, amo))
            }
            Route::Remote(_) => unreachable!("a job on one node has nothing remote"),
        }
    }
}
