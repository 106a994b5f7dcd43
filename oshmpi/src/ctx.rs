//! Communication contexts: a team and options. They are made and destroyed locally, in memory that is reused.
//!
//! A context tells which team PE numbers belong to, lets `SHMEM_DEBUG` notice misuse, and has a ledger of its
//! operations to other nodes. On a node an operation is complete when its call returns.

use crate::diag::fatal;
use crate::os::process;
use crate::sync::atomics::Ordering;
use crate::sync::ledger::{Lane, Ledger};
use crate::sync::tally::{Moved, Tally, Verb};
use crate::team::{List, Members, TeamHandle};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// `shmem_ctx_t`. 0 is `SHMEM_CTX_INVALID`, 1 is `SHMEM_CTX_DEFAULT`; others are made by [`Contexts`].
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ctx(usize);

/// Option bits of a context, as `SHMEM_CTX_SERIALIZED` and the others of shmem.h.
pub(crate) const SERIALIZED: i64 = 1;
pub(crate) const PRIVATE: i64 = 2;
pub(crate) const NOSTORE: i64 = 4;

/// Contexts in one chunk of memory. With the most chunks that the table holds, 16 million contexts can exist at a time.
/// A larger chunk costs a program with few contexts more memory.
const CHUNK: usize = 1024;
/// Chunks in the table, at most. The table has a pointer for each: 128 KiB, which is touched as chunks are made.
const CHUNKS: usize = 16 << 10;
/// Contexts that can be alive at a time.
pub(crate) const MOST: c_int = (CHUNK * CHUNKS) as c_int;

/// A context, or a place where one can be made. All words are atomic, because a program may use a handle that it has
/// destroyed.
#[derive(Default)]
pub(crate) struct Context {
    /// How often a context was made or destroyed at this place: odd while one lives.
    life: AtomicU32,
    options: AtomicU32,
    start: AtomicU32,
    stride: AtomicI32,
    size: AtomicU32,
    /// Null if the team has no list.
    list: AtomicPtr<List>,
    /// The thread that made the context; noted with `SHMEM_DEBUG` only.
    owner: AtomicI32,
    team: AtomicUsize,
    /// With `SHMEM_DEBUG`: a thread uses this serialized context.
    pub(crate) busy: AtomicBool,
    /// The lane of the context's operations to other nodes.
    lane: AtomicU8,
    /// Made when the context first reaches another node; stays with the place.
    ledger: OnceLock<Box<Ledger>>,
    /// Made when an operation on the context is first counted; stays with the place.
    counted: OnceLock<Box<Counted>>,
}

/// What was issued on a context, and what of it is complete.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    pub(crate) issued: Tally,
    /// The writes and the reads that were complete at the last quiet.
    completed: [AtomicU64; 2],
}

/// All contexts of this PE.
pub(crate) struct Contexts {
    chunks: Box<[AtomicPtr<Context>]>,
    pool: Mutex<Pool>,
    /// What was issued on all contexts but the default one.
    all: Tally,
    /// The writes and the reads of the default context that were complete at its last quiet. What was issued on it is
    /// what the PE has issued minus `all`.
    completed: [AtomicU64; 2],
}

#[derive(Default)]
struct Pool {
    /// Places of contexts that have ended.
    free: Vec<usize>,
    /// The number of places that were ever used.
    used: usize,
}

impl std::fmt::Display for Ctx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl Ctx {
    pub(crate) const INVALID: Ctx = Ctx(0);
    pub(crate) const DEFAULT: Ctx = Ctx(1);

    fn of(place: usize, life: u32) -> Ctx {
        Ctx((life as usize) << 32 | place)
    }

    fn place(self) -> usize {
        self.0 & u32::MAX as usize
    }
}

impl Contexts {
    pub(crate) fn new() -> Contexts {
        // Zeroed pages that are touched as chunks are made: the table costs nothing while there are few contexts.
        let chunks = (0..CHUNKS).map(|_| AtomicPtr::new(core::ptr::null_mut())).collect();
        // A handle is a life and a place. INVALID and DEFAULT are places 0 and 1 with life 0, and no context lives at
        // life 0. So these places can be used.
        Contexts { chunks, pool: Mutex::default(), all: Tally::default(), completed: Default::default() }
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn at(&self, place: usize) -> Option<&Context> {
        let chunk = self.chunks.get(place / CHUNK)?.load(Ordering::Acquire); // SYNC chunk: pairs with take_place
        // SAFETY: null, or CHUNK contexts that are never freed.
        (!chunk.is_null()).then(|| unsafe { &*chunk.add(place % CHUNK) })
    }

    /// A context on a team, or None when there are too many. `lanes`: threads may be in calls on several contexts at a
    /// time, so one that no two threads use at a time has a lane of its own, or of few.
    pub(crate) fn make(
        &self,
        team: TeamHandle,
        members: Members,
        options: i64,
        lanes: bool,
        debug: bool,
    ) -> Option<Ctx> {
        let place = self.take_place()?;
        let c = self.at(place)?;
        c.options.store(options as u32, Ordering::Relaxed);
        let alone = lanes && options & (SERIALIZED | PRIVATE) != 0;
        let lane = if alone { Lane(1 + (place % Lane::OTHERS) as u8) } else { Lane::MAIN };
        c.lane.store(lane.0, Ordering::Relaxed);
        c.ledger.get().inspect(|ledger| ledger.set_lane(lane));
        c.start.store(members.start, Ordering::Relaxed);
        c.stride.store(members.stride, Ordering::Relaxed);
        c.size.store(members.size, Ordering::Relaxed);
        c.list
            .store(members.list.map_or(core::ptr::null_mut(), |list| (&raw const *list).cast_mut()), Ordering::Relaxed);
        c.owner.store(if debug { process::thread_id() } else { 0 }, Ordering::Relaxed);
        c.team.store(team.0, Ordering::Relaxed);
        if let Some(counted) = c.counted.get() {
            counted.issued.reset();
            counted.completed.iter().for_each(|n| n.store(0, Ordering::Relaxed));
        }
        let life = c.life.load(Ordering::Relaxed) + 1;
        c.life.store(life, Ordering::Release); // SYNC context: pairs with find
        Some(Ctx::of(place, life))
    }

    /// The context of a handle, while it lives.
    #[inline]
    pub(crate) fn find(&self, ctx: Ctx) -> Option<&Context> {
        let life = (ctx.0 >> 32) as u32;
        let c = self.at(ctx.place())?;
        (life % 2 == 1 && c.life.load(Ordering::Acquire) == life).then_some(c) // SYNC context: pairs with make
    }

    /// The ledger of a context's operations to other nodes, while the context lives. The first call makes it.
    pub(crate) fn ledger(&self, ctx: Ctx) -> Option<&Ledger> {
        let c = self.find(ctx)?;
        Some(c.ledger.get_or_init(|| {
            let ledger = Box::<Ledger>::default();
            ledger.set_lane(Lane(c.lane.load(Ordering::Relaxed)));
            ledger
        }))
    }

    /// Counts an operation on a context that is not the default one.
    pub(crate) fn count(&self, ctx: Ctx, verb: Verb, bytes: usize) {
        self.all.count(verb, bytes);
        if let Some(c) = self.find(ctx) {
            c.counted.get_or_init(Box::default).issued.count(verb, bytes);
        }
    }

    /// What was issued on a context. `pe` is what the PE has issued on all contexts.
    pub(crate) fn issued(&self, ctx: Ctx, pe: Moved) -> Moved {
        match ctx {
            Ctx::DEFAULT => pe.with(&self.all.read(), u64::saturating_sub),
            _ => self.counted(ctx).map_or_else(Moved::default, |counted| counted.issued.read()),
        }
    }

    /// Writes and reads that were complete at the context's last quiet.
    pub(crate) fn completed(&self, ctx: Ctx) -> [u64; 2] {
        self.completed_words(ctx).map_or([0; 2], |words| core::array::from_fn(|i| words[i].load(Ordering::Relaxed)))
    }

    /// Notes that a quiet of the context has completed the operations of `issued`.
    pub(crate) fn set_completed(&self, ctx: Ctx, issued: Moved) {
        for (word, n) in self.completed_words(ctx).into_iter().flatten().zip([issued.writes(), issued.reads()]) {
            word.fetch_max(n, Ordering::Relaxed);
        }
    }

    fn completed_words(&self, ctx: Ctx) -> Option<&[AtomicU64; 2]> {
        if ctx == Ctx::DEFAULT { Some(&self.completed) } else { self.counted(ctx).map(|counted| &counted.completed) }
    }

    fn counted(&self, ctx: Ctx) -> Option<&Counted> {
        self.find(ctx)?.counted.get().map(|counted| &**counted)
    }

    /// Ends a context; false when it does not live.
    pub(crate) fn end(&self, ctx: Ctx) -> bool {
        let Some(c) = self.find(ctx) else { return false };
        // If two threads destroy the same context, one of them succeeds.
        let life = (ctx.0 >> 32) as u32;
        let ended = c.life.compare_exchange(life, life.wrapping_add(1), Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if ended {
            self.pool().free.push(ctx.place());
        }
        ended
    }

    /// Handles and options of the contexts that live on a team, or of all.
    pub(crate) fn living(&self, team: Option<TeamHandle>) -> Vec<(Ctx, i64)> {
        let used = self.pool().used;
        let places = (0..used).filter_map(|place| Some((place, self.at(place)?)));
        places
            .filter_map(|(place, c)| {
                let life = c.life.load(Ordering::Acquire); // SYNC context: pairs with make; the options read below are
                // of that life
                let meant = life % 2 == 1 && team.is_none_or(|t| c.team.load(Ordering::Relaxed) == t.0);
                meant.then(|| (Ctx::of(place, life), c.options()))
            })
            .collect()
    }

    /// A place for a context, if there is one.
    fn take_place(&self) -> Option<usize> {
        let mut pool = self.pool();
        if let Some(place) = pool.free.pop() {
            return Some(place);
        }
        let place = pool.used;
        let chunk = self.chunks.get(place / CHUNK)?;
        if place.is_multiple_of(CHUNK) {
            let made: Box<[Context]> = (0..CHUNK).map(|_| Context::default()).collect();
            chunk.store(Box::into_raw(made).cast(), Ordering::Release); // SYNC chunk: pairs with at
        }
        pool.used += 1;
        Some(place)
    }
}

impl Context {
    pub(crate) fn options(&self) -> i64 {
        i64::from(self.options.load(Ordering::Relaxed))
    }

    pub(crate) fn team(&self) -> TeamHandle {
        TeamHandle(self.team.load(Ordering::Relaxed))
    }

    /// The ledger, if the context ever had anything under way.
    pub(crate) fn ledger_in_use(&self) -> Option<&Ledger> {
        self.ledger.get().map(|ledger| &**ledger)
    }

    fn members(&self) -> Members {
        Members {
            start: self.start.load(Ordering::Relaxed),
            stride: self.stride.load(Ordering::Relaxed),
            size: self.size.load(Ordering::Relaxed),
            // SAFETY: null, or a list that is there to the end of the process and that nobody writes.
            list: unsafe { self.list.load(Ordering::Relaxed).as_ref() },
        }
    }

    /// The world PE of a number of the context's team. Another number ends the job.
    #[inline]
    pub(crate) fn world(&self, routine: &str, pe: c_int) -> c_int {
        let members = self.members();
        if pe as u32 >= members.size {
            fatal(routine, format_args!("pe {pe} is out of range 0..{} of the context's team", members.size - 1));
        }
        members.world(pe as u32) as c_int
    }

    /// With `SHMEM_DEBUG`: a private context belongs to the thread that made it.
    pub(crate) fn check_thread(&self, routine: &str) {
        let owner = self.owner.load(Ordering::Relaxed);
        if self.options() & PRIVATE != 0 && owner != 0 && owner != process::thread_id() {
            fatal(routine, "ctx is a SHMEM_CTX_PRIVATE context of another thread");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Members = Members::spaced(0, 1, 4);

    /// Contexts that threads share are on the main lane. So are all if threads are not in calls at a time.
    #[test]
    fn a_context_of_one_thread_has_a_lane() {
        let contexts = Contexts::new();
        let lane = |options, lanes| {
            let made = contexts.make(TeamHandle::WORLD, ALL, options, lanes, false).unwrap();
            let lane = contexts.ledger(made).unwrap().lane();
            assert!(contexts.end(made));
            lane
        };
        for alone in [PRIVATE, SERIALIZED, PRIVATE | NOSTORE] {
            assert_ne!(lane(alone, true), Lane::MAIN);
            assert_eq!(lane(NOSTORE, true), Lane::MAIN, "the place is used again");
            assert_eq!(lane(alone, false), Lane::MAIN);
        }
        let made = (0..Lane::OTHERS).map(|_| contexts.make(TeamHandle::WORLD, ALL, PRIVATE, true, false).unwrap());
        let mut lanes: Vec<u8> = made.map(|made| contexts.ledger(made).unwrap().lane().0).collect();
        lanes.sort_unstable();
        lanes.dedup();
        assert_eq!(lanes.len(), Lane::OTHERS, "as many contexts as lanes share none");
    }

    #[test]
    fn a_context_counts_for_itself_and_begins_with_nothing() {
        let contexts = Contexts::new();
        let make = || contexts.make(TeamHandle::WORLD, ALL, 0, false, false).unwrap();
        let pe = Tally::default();
        let [a, b] = [make(), make()];
        for ctx in [a, a, b, Ctx::DEFAULT, Ctx::DEFAULT, Ctx::DEFAULT] {
            pe.count(Verb::Put, 8);
            if ctx != Ctx::DEFAULT {
                contexts.count(ctx, Verb::Put, 8);
            }
        }
        let issued = |ctx| contexts.issued(ctx, pe.read()).writes();
        assert_eq!([a, b, Ctx::DEFAULT].map(issued), [2, 1, 3]);
        contexts.set_completed(a, contexts.issued(a, pe.read()));
        assert_eq!([a, b, Ctx::DEFAULT].map(|ctx| contexts.completed(ctx)[0]), [2, 0, 0]);
        assert!(contexts.end(a));
        let again = make();
        assert_eq!((issued(a), issued(again), contexts.completed(again), issued(Ctx::DEFAULT)), (0, 0, [0; 2], 3));
    }
}
