//! Turns arguments as C gives them into checked values. Everything here is the cold side of a call: the fast path has
//! not found the address, or `SHMEM_DEBUG` wants a closer look.

use crate::ctx::{Context, Ctx, SERIALIZED};
use crate::diag::fatal;
use crate::memory::addr::{Pe, SegId, SymRange};
use crate::memory::spaces::SPACES;
use crate::memory::translate::Reach;
use crate::os::exe::{self, Object};
use crate::os::process;
use crate::state::{self, Runtime};
use crate::sync::tasks;
use crate::team::{Space, SpaceHandle, Team, TeamHandle};
use core::ffi::c_int;
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// A context that the program has created and not destroyed. Any other handle ends the job.
fn own_ctx(routine: &str, ctx: Ctx) -> &'static Context {
    let rt = state::up(routine);
    if ctx == Ctx::INVALID {
        fatal(routine, "ctx is SHMEM_CTX_INVALID");
    }
    let found = rt.contexts.find(ctx);
    found.unwrap_or_else(|| fatal(routine, format_args!("ctx {ctx} is not a context, or is destroyed already")))
}

/// The world PE of a PE number of the context's team. The default context's team is the world, whose numbers are
/// checked where they are used.
#[inline(always)]
pub(crate) fn world_pe(routine: &str, ctx: Ctx, pe: c_int) -> c_int {
    if ctx == Ctx::DEFAULT { pe } else { own_ctx(routine, ctx).world(routine, pe) }
}

/// Held during a call that only one thread at a time may be in. Dropping it releases what is held.
pub(crate) struct Alone(Option<&'static AtomicBool>, Level);

impl Alone {
    /// Holds nothing.
    pub(crate) const FREE: Alone = Alone(None, Level(false));

    /// Sets `busy` until the result is dropped. Ends the job with `complaint` if it is set already.
    pub(crate) fn take(routine: &str, busy: &'static AtomicBool, complaint: &str) -> Alone {
        // SYNC busy: what the last thread has done in its call comes before; pairs with drop
        if busy.swap(true, Ordering::Acquire) {
            fatal(routine, complaint);
        }
        Alone(Some(busy), Level(false))
    }
}

/// With `SHMEM_DEBUG`: one thread of a PE at a time may be in a collective of a team, and the thread level must allow
/// this thread to call.
pub(crate) fn collective(rt: &Runtime, routine: &str, team: &'static Team) -> Alone {
    if !rt.env.debug {
        return Alone::FREE;
    }
    thread(rt, routine);
    Alone::take(routine, team.busy(), "another thread of this PE is in a collective of this team")
}

impl Drop for Alone {
    fn drop(&mut self) {
        if let Some(busy) = self.0 {
            busy.store(false, Ordering::Release); // SYNC busy
        }
    }
}

/// With `SHMEM_DEBUG` at SHMEM_THREAD_SERIALIZED: the number of the thread that is in a call; 0: none.
static IN_CALL: AtomicI32 = AtomicI32::new(0);

/// Whether this value holds [`IN_CALL`], which its drop then releases.
struct Level(bool);

impl Level {
    /// At SHMEM_THREAD_SERIALIZED one thread at a time may be in a call. A call of the library may contain another one
    /// of the same thread.
    fn take(routine: &str) -> Level {
        if state::threads().0 != THREAD_SERIALIZED || tasks::is_polling() {
            return Level(false);
        }
        let me = process::thread_id();
        // SYNC in-call: pairs with drop
        match IN_CALL.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Level(true),
            Err(holder) if holder == me => Level(false),
            Err(_) => fatal(routine, "two threads are in calls at the same time, at SHMEM_THREAD_SERIALIZED"),
        }
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        if self.0 {
            IN_CALL.store(0, Ordering::Release); // SYNC in-call
        }
    }
}

/// Checks that the handle is a context. With `SHMEM_DEBUG` it also checks that this thread may use the context now, and
/// that the thread level lets this thread call. The result holds a serialized context until the call ends.
pub(crate) fn ctx(routine: &str, ctx: Ctx) -> Alone {
    let rt = state::up(routine);
    let debug = rt.env.debug;
    thread(rt, routine);
    let found = (ctx != Ctx::DEFAULT).then(|| own_ctx(routine, ctx));
    if !debug {
        return Alone::FREE;
    }
    let level = Level::take(routine);
    let Some(found) = found else { return Alone(None, level) };
    found.check_thread(routine);
    if found.options() & SERIALIZED == 0 {
        return Alone(None, level);
    }
    let mut alone = Alone::take(routine, &found.busy, "ctx is SHMEM_CTX_SERIALIZED and in use by another thread");
    alone.1 = level;
    alone
}

/// `SHMEM_THREAD_FUNNELED`: up to it only one thread calls.
pub(crate) const FUNNELED: c_int = 1;
/// `SHMEM_THREAD_SERIALIZED`: one thread at a time calls.
const THREAD_SERIALIZED: c_int = 2;
/// `SHMEM_THREAD_MULTIPLE`: any thread calls at any time.
pub(crate) const MULTIPLE: c_int = 3;

/// With `SHMEM_DEBUG`: up to SHMEM_THREAD_FUNNELED only the thread that initialised calls the library. The progress
/// thread goes on with what was started.
pub(crate) fn thread(rt: &Runtime, routine: &str) {
    if !rt.env.debug || tasks::is_polling() {
        return;
    }
    let (level, main) = state::threads();
    if level <= FUNNELED && main != process::thread_id() {
        fatal(routine, "called by another thread than the one that initialised, below SHMEM_THREAD_SERIALIZED");
    }
}

/// A team: predefined or made by the program.
pub(crate) fn team(rt: &'static Runtime, routine: &str, team: TeamHandle) -> &'static Team {
    match team {
        TeamHandle::WORLD => &rt.world,
        TeamHandle::SHARED => &rt.shared,
        TeamHandle::INVALID => fatal(routine, "team is SHMEM_TEAM_INVALID"),
        _ => rt.teams.find(team).unwrap_or_else(|| {
            fatal(routine, format_args!("team {:#x} is not a team, or is destroyed already", team.0))
        }),
    }
}

/// A space that the program has made, and its place. Any other handle ends the job.
pub(crate) fn space(rt: &'static Runtime, routine: &str, space: SpaceHandle) -> (u8, &'static Space) {
    if space == SpaceHandle::INVALID {
        fatal(routine, "space is SHMEMX_SPACE_INVALID");
    }
    rt.spaces.find(space).unwrap_or_else(|| {
        fatal(routine, format_args!("space {:#x} is not a space, or is destroyed already", space.0));
    })
}

/// A PE number of the world.
pub(crate) fn pe(rt: &Runtime, routine: &str, pe: c_int) -> Pe {
    match u32::try_from(pe) {
        Ok(pe) if pe < rt.n_pes => Pe(pe),
        _ => fatal(routine, format_args!("pe {pe} is out of range 0..{}", rt.n_pes - 1)),
    }
}

/// Checks a local buffer: it must not be null if `len` bytes are to be moved.
pub(crate) fn local(routine: &str, arg: &str, addr: usize, len: usize) {
    if addr == 0 && len > 0 {
        fatal(routine, format_args!("{arg} is null, with {len} bytes to move"));
    }
}

/// The symmetric range `[addr, addr+len)`, in bytes. Ends the job if any of it is not symmetric.
#[inline]
pub(crate) fn symmetric(rt: &Runtime, routine: &str, arg: &str, addr: usize, len: usize) -> SymRange {
    rt.segments.find(addr, len).unwrap_or_else(|| not_symmetric(rt, routine, arg, addr, len))
}

/// Ends the job if the range at `addr` lies in a space that `pe` does not share.
#[inline]
pub(crate) fn shared_with(rt: &Runtime, routine: &str, arg: &str, addr: usize, seg: SegId, pe: Pe) {
    if !rt.shares(seg, pe) {
        fatal(routine, format_args!("{arg} {addr:#x} lies in a space whose team does not have PE {}", pe.0));
    }
}

#[cold]
fn not_symmetric(rt: &Runtime, routine: &str, arg: &str, addr: usize, len: usize) -> ! {
    let s = &rt.segments;
    let range = |base: usize, len: usize| format!("{base:#x}-{:#x}", base + len);
    let what = |name: &str, base: usize, seg_len: usize| {
        let (start, end) = (base, base + seg_len);
        format!("{arg} {addr:#x} with {len} bytes runs past the end of the {name} ({start:#x}-{end:#x})")
    };
    if addr == 0 {
        fatal(routine, format_args!("{arg} is null, which is not symmetric"));
    }
    if s.heap.contains(addr) {
        fatal(routine, what("heap", s.heap.base, s.heap.len));
    }
    if s.statics != Reach::None && s.data.contains(addr) {
        fatal(routine, what("statics", s.data.base, s.data.len));
    }
    let own = s.find(addr, 0).and_then(|range| match range.seg {
        SegId::Space(place) => Some(SPACES.own(place)),
        SegId::Heap | SegId::Data => None,
    });
    if let Some(own) = own {
        fatal(routine, what("space", own.base, own.len));
    }
    if SPACES.was_of_one(addr) {
        fatal(routine, format_args!("{arg} {addr:#x} belonged to a space that was destroyed (shmemx_space_destroy)"));
    }
    let slot = rt.node.slot_of(addr);
    if let Some(Pe(owner)) = slot.map(|slot| rt.node.places.pe(slot)).or_else(|| SPACES.owner(addr)) {
        fatal(
            routine,
            format_args!("{arg} {addr:#x} is a pointer from shmem_ptr (to PE {owner}), which is not symmetric"),
        );
    }
    if rt.exe.is_some_and(|e| (e.start..e.end).contains(&addr)) {
        fatal(
            routine,
            format_args!(
                "{arg} {addr:#x} is a static variable, and they are not symmetric in this run (SHMEM_INFO=1 says why)"
            ),
        );
    }
    let heap = range(s.heap.base, s.heap.len);
    let statics = if s.statics == Reach::None { "off".to_owned() } else { range(s.data.base, s.data.len) };
    let owner = match exe::object_at(addr) {
        Some(Object::Library(library)) => format!(": it lies in {library}, and variables of shared libraries are not"),
        // Its variables are told above.
        Some(Object::Executable) => {
            ": it is a constant of the program (const variable or string literal), and those are not".to_owned()
        }
        None => String::new(),
    };
    fatal(routine, format_args!("{arg} {addr:#x} is not symmetric (heap {heap}, statics {statics}){owner}"))
}

/// With `SHMEM_DEBUG`: a typed or sized access must be naturally aligned.
pub(crate) fn aligned(rt: &Runtime, routine: &str, arg: &str, addr: usize, align: usize) {
    if rt.env.debug && !addr.is_multiple_of(align) {
        fatal(routine, format_args!("{arg} {addr:#x} is not aligned to {align} bytes"));
    }
}

/// With `SHMEM_DEBUG`: what is written and what is read, each `(address, bytes)` in this process, must not share bytes.
#[inline]
pub(crate) fn disjoint(rt: &Runtime, routine: &str, dest: (usize, usize), source: (usize, usize)) {
    let ends = (dest.0.saturating_add(dest.1), source.0.saturating_add(source.1));
    if rt.env.debug && dest.1 > 0 && source.1 > 0 && source.0 < ends.0 && dest.0 < ends.1 {
        overlap(routine, dest.0..ends.0, source.0..ends.1);
    }
}

#[cold]
fn overlap(routine: &str, dest: Range<usize>, source: Range<usize>) -> ! {
    let range = |r: Range<usize>| format!("{:#x}-{:#x}", r.start, r.end);
    fatal(routine, format_args!("source and dest overlap (source {}, dest {})", range(source), range(dest)));
}

/// A stride of iput, iget: at least 1.
pub(crate) fn stride(routine: &str, arg: &str, stride: isize) {
    if stride < 1 {
        fatal(routine, format_args!("{arg} is {stride}; a stride is at least 1 element"));
    }
}

/// A stride of ibput, ibget: at least the block size.
pub(crate) fn block_stride(routine: &str, arg: &str, stride: isize, bsize: usize) {
    if usize::try_from(stride).map_or(true, |s| s < bsize) {
        fatal(routine, format_args!("{arg} is {stride}; a stride is at least the block size, {bsize} elements"));
    }
}
