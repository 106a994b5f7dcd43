//! What the routines of OpenSHMEM order. One [`Pe`] per process, one [`Thread`] per thread of it.
//!
//! * A thread's own: loads, stores, the source of a put, gets, AMOs that fetch. They are known after its releases.
//! * [`RoleKind::Puts`], of a context and target: what a put writes, and the source of a nonblocking one. It is known
//!   after a quiet. A fence orders later operations of the context to this target after it.
//! * [`RoleKind::Tells`], of a context and target: AMOs that fetch nothing, puts of one element, puts with signal. As
//!   puts; and who sees the word knows them.
//! * [`RoleKind::Gets`], of a context: nonblocking gets and results of nonblocking fetches. They are known after a
//!   quiet.
//! * [`RoleKind::Request`]: the buffers of a collective that goes on, which has a context of its own.

use crate::cell::{Cell, Kind, Stamp};
use crate::clock::{Clock, Known, View};
use crate::owned::Mark;
use crate::shadow::Access;
use crate::table::{Role, RoleKind, SyncWord, Table};
use std::collections::BTreeMap;

mod again;

pub use again::InRow;

/// What accesses are compared with in a thread's epoch. `c/calls.h` of the runtime has the same.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Now {
    /// A store of the thread to all bytes of a granule.
    whole: Cell,
    /// A mark of all bytes in a page of the thread's own, but for the site.
    mark: u64,
    /// How a page says that it is the thread's own.
    owner: u32,
}

impl Now {
    /// Of no thread: it fits nothing.
    pub const NOBODY: Now = Now { whole: Cell(1), mark: u64::MAX, owner: u32::MAX };
}

/// A thread of a PE.
pub struct Thread {
    pub actor: u32,
    pub clock: Clock,
    now: Now,
    /// Where code that looks at it without a call finds the same. Null: nowhere.
    shown: *mut Now,
    /// It is in a row of AMOs: see [`again`].
    in_row: bool,
    /// Its first epoch. Of threads that have the same actor one after the other, each has another one.
    begun: u32,
    /// How much of what its PE has told it has heard.
    heard: u64,
    /// Of the actors before this one it knows all, if they are of other PEs.
    others: u32,
    /// Of each context by its number: how much of what is over it knows by quiets, and by fences.
    ended: Vec<[u64; 2]>,
}

impl Thread {
    /// A thread that knows nothing of others.
    pub fn new(actor: u32) -> Thread {
        Thread::after(Stamp { actor, epoch: 0 })
    }

    /// A thread that goes on where one has ended, whose actor it is.
    pub fn after(ended: Stamp) -> Thread {
        let mut clock = Clock::default();
        clock.raise(ended);
        let now = Now { whole: Cell::NONE, mark: 0, owner: ended.actor + 1 };
        let shown = core::ptr::null_mut();
        let (heard, others, ended_of) = (0, 1, Vec::new());
        let (actor, in_row) = (ended.actor, false);
        let mut thread = Thread { actor, clock, now, shown, in_row, begun: 0, heard, others, ended: ended_of };
        thread.tick();
        thread.begun = thread.now().epoch;
        thread
    }

    #[inline]
    pub fn now(&self) -> Stamp {
        self.now.whole.by()
    }

    /// The thread's first epoch: which thread it is of those that have its actor one after the other.
    pub fn begun(&self) -> u32 {
        self.begun
    }

    /// A store of the thread to all bytes of a granule.
    #[inline]
    pub fn whole(&self) -> Cell {
        self.now.whole
    }

    /// An access of the thread itself.
    #[inline(always)]
    pub fn access(&self, kind: Kind, site: u32) -> Access<'_> {
        Access::of_thread(self.now(), kind, &self.clock, site)
    }

    /// Shows the words of its epochs from now on, to code that looks at them without a call.
    ///
    /// # Safety
    /// `at` may be written until the thread is shown elsewhere, or goes.
    pub unsafe fn show(&mut self, at: *mut Now) {
        self.shown = at;
        self.write_shown(self.now);
    }

    fn write_shown(&self, now: Now) {
        if !self.shown.is_null() {
            // SAFETY: by the promise to show.
            unsafe { self.shown.write(now) };
        }
    }

    /// Of a context's [`Ctx::over`]: the number of the first that the thread does not know by a quiet or by a fence.
    fn ended(&mut self, ctx: u32, by: By) -> &mut u64 {
        let ctx = ctx as usize;
        if self.ended.len() <= ctx {
            self.ended.resize(ctx + 1, [0; 2]);
        }
        &mut self.ended[ctx][by as usize]
    }

    /// After its clock was given to somebody: what the thread does now is not in it.
    pub fn tick(&mut self) {
        self.clock.tick(self.actor);
        let now = Stamp { actor: self.actor, epoch: self.clock.get(self.actor) };
        self.now.whole = Cell::new(now, 0xff, Kind::WRITE);
        self.now.mark = Mark::word(now.epoch);
        self.write_shown(self.now);
    }
}

/// How a thread knows what is over.
#[derive(Clone, Copy)]
enum By {
    Quiet,
    Fence,
}

/// Operations that an actor has under way.
#[derive(Clone, Copy, Debug)]
struct Lane {
    actor: u32,
    /// The epoch of the operations that are started now.
    epoch: u32,
    /// Some were started in this epoch.
    used: bool,
}

impl Lane {
    fn stamp(&mut self) -> Stamp {
        self.used = true;
        Stamp { actor: self.actor, epoch: self.epoch }
    }

    /// Ends the epoch; returns the last one that is over.
    fn end(&mut self) -> Stamp {
        self.epoch += u32::from(self.used);
        self.used = false;
        Stamp { actor: self.actor, epoch: self.epoch - 1 }
    }

    /// Ends the epoch, if operations were started in it.
    fn end_used(&mut self) -> Option<Stamp> {
        self.used.then(|| self.end())
    }
}

/// The actor that counts what fences have ended of a lane.
fn fenced(actor: u32) -> u32 {
    actor + 1
}

/// How many operations in a row that change a word are told apart: who sees one word knows nothing of the others.
const TELLS: usize = 2;

/// What a context has under way to a target.
#[derive(Default)]
struct Target {
    puts: Option<Lane>,
    tells: [Option<Lane>; TELLS],
    next: usize,
    row: again::Row,
}

impl Target {
    /// The epochs that a fence of this thread, or one it knows of, has ended.
    fn fenced_before(&self, thread: &Thread) -> [Stamp; 1 + TELLS] {
        let of = |lane: Option<Lane>| {
            lane.map_or(Stamp { actor: thread.actor, epoch: 0 }, |lane| Stamp {
                actor: lane.actor,
                epoch: thread.clock.get(fenced(lane.actor)),
            })
        };
        core::array::from_fn(|i| of(if i == 0 { self.puts } else { self.tells[i - 1] }))
    }
}

/// From here on, the numbers of contexts are those of requests: of collectives that go on.
pub const FIRST_REQUEST: u64 = 1 << 63;

/// A context.
struct Ctx {
    /// Its number, for messages.
    number: u32,
    is_request: bool,
    targets: BTreeMap<u32, Target>,
    gets: Lane,
    /// Targets to which puts were started since the last quiet or fence. A quiet of one PE leaves its target here.
    open: Vec<u32>,
    /// Epochs of operations that a later quiet or fence ends for its thread.
    over: Log,
}

impl Ctx {
    /// Ends the epochs of puts that have operations. `each` is called with the last epoch of each.
    ///
    /// Bound: a step for each target to which puts were started since the last call.
    fn end(&mut self, mut each: impl FnMut(Stamp)) -> usize {
        let steps = self.open.len();
        for target in self.open.drain(..) {
            let puts = self.targets.get_mut(&target).and_then(|to| to.puts.as_mut());
            if let Some(over) = puts.and_then(Lane::end_used) {
                self.over.add(over);
                each(over);
            }
        }
        steps
    }

    /// Tells the thread of the operations that are over and that it does not know by a quiet or fence. Returns the
    /// steps it took: one for each such operation.
    fn tell(&self, thread: &mut Thread, by: By) -> usize {
        let known = core::mem::replace(thread.ended(self.number, by), self.over.next);
        let new = self.over.since(known);
        for (_, over) in new {
            if matches!(by, By::Quiet) {
                thread.clock.raise(*over);
            }
            thread.clock.raise(Stamp { actor: fenced(over.actor), ..*over });
        }
        new.len()
    }
}

/// An operation: who accesses the target, and what a fence has ordered before it there.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    pub by: Stamp,
    fenced: [Stamp; 1 + TELLS],
    /// Its own epoch, if that is over for who sees the word that it changes.
    told: [Stamp; 1],
}

impl Op {
    /// What the operation knows at its target.
    pub fn view<'a>(&'a self, thread: &'a Thread) -> View<'a> {
        View { clock: Known::Thread(&thread.clock), fenced: &self.fenced }
    }

    /// What another node needs of it: what fences have ordered before it, and the epoch that is over for who sees the
    /// word.
    pub fn told(&self) -> (Vec<Stamp>, Stamp) {
        let [told] = self.told;
        (self.fenced.into_iter().filter(|stamp| stamp.epoch > 0).collect(), told)
    }

    /// Gives those who see the word that the operation changes what they know then.
    pub fn release(&self, thread: &Thread, word: &SyncWord<'_>) {
        let [told] = self.told;
        let [first, second, third] = self.fenced;
        word.release(&thread.clock, &[told, first, second, third]);
    }
}

/// Epochs of operations that are over, the last one of each actor at least. Threads read it, each from where it has
/// read before.
///
/// Bound: what is added costs a few steps, and what is read is read once by a thread. So a thread that reads takes as
/// many steps as there were additions since it last did, whatever the number of PEs. There are at most twice as many
/// entries as actors, and [`Log::SPARE`].
#[derive(Default)]
struct Log {
    /// In the order of their numbers.
    entries: Vec<(u64, Stamp)>,
    /// The number of the next one.
    next: u64,
    /// How many actors there were when older entries were last left out.
    actors: usize,
    /// Room for that: of each actor its last epoch and that one's number.
    last: Vec<(u32, u64)>,
}

impl Log {
    const SPARE: usize = 64;

    fn add(&mut self, over: Stamp) {
        self.entries.push((self.next, over));
        self.next += 1;
        if self.entries.len() > 2 * self.actors + Log::SPARE {
            // The last epochs, and not the last entries: operations share an actor if there are too few.
            let Log { entries, last, .. } = self;
            let actors = entries.iter().map(|(_, of)| of.actor as usize + 1).max().unwrap_or(0);
            last.clear();
            last.resize(actors, (0, 0));
            for (number, of) in entries.iter() {
                let at = &mut last[of.actor as usize];
                *at = (*at).max((of.epoch, *number));
            }
            entries.retain(|(number, of)| last[of.actor as usize].1 == *number);
            self.actors = self.entries.len();
        }
    }

    /// Those since a number.
    fn since(&self, number: u64) -> &[(u64, Stamp)] {
        &self.entries[self.entries.partition_point(|(n, _)| *n < number)..]
    }
}

/// The contexts of a process.
pub struct Pe {
    table: Table,
    /// What is over for who sees a word which this PE has changed, if somebody asks.
    told: Log,
    asked: bool,
    pe: u32,
    contexts: BTreeMap<u64, Ctx>,
    /// Those that were destroyed: their actors are used again.
    free: Vec<Ctx>,
    made: u32,
    /// Rows of AMOs that have begun.
    rows: u64,
    /// For operations when there are no actors left: they are less apart then.
    spare: Lane,
}

impl Pe {
    /// None if there are too many actors.
    pub fn new(table: Table, pe: u32) -> Option<Pe> {
        let spare = lane(&table, Role { pe, kind: RoleKind::Puts, ctx: 0, target: pe })?;
        Some(Pe {
            table,
            told: Log::default(),
            asked: true,
            pe,
            contexts: BTreeMap::new(),
            free: Vec::new(),
            made: 0,
            rows: 0,
            spare,
        })
    }

    /// Whether [`Pe::heard`] will be called.
    pub fn tells_others(&mut self, asked: bool) {
        self.asked = asked;
    }

    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The actor of a new thread.
    pub fn thread(&self) -> Option<u32> {
        self.table.actor(Role { pe: self.pe, kind: RoleKind::Thread, ctx: 0, target: 0 })
    }

    fn ctx(&mut self, handle: u64) -> &mut Ctx {
        let Pe { table, pe, contexts, free, made, spare, .. } = self;
        contexts.entry(handle).or_insert_with(|| {
            let is_request = handle >= FIRST_REQUEST;
            if let Some(at) = free.iter().rposition(|ctx| ctx.is_request == is_request) {
                return free.swap_remove(at);
            }
            let number = *made;
            *made += 1;
            let kind = if is_request { RoleKind::Request } else { RoleKind::Gets };
            let gets = lane(table, Role { pe: *pe, kind, ctx: number, target: 0 }).unwrap_or(*spare);
            Ctx { number, is_request, targets: BTreeMap::new(), gets, open: Vec::new(), over: Log::default() }
        })
    }

    /// A put of a block. The thread goes on to its next epoch: what it does to the source or target from now on is not
    /// what it did before.
    pub fn put(&mut self, thread: &mut Thread, ctx: u64, target: u32) -> Op {
        let (table, pe, spare) = (self.table, self.pe, self.spare);
        let ctx = self.ctx(ctx);
        let role = Role { pe, kind: RoleKind::Puts, ctx: ctx.number, target };
        let to = ctx.targets.entry(target).or_default();
        let puts = to.puts.get_or_insert_with(|| lane(&table, role).unwrap_or(spare));
        if !puts.used {
            ctx.open.push(target);
        }
        let by = puts.stamp();
        table.note_issue(by, thread.now());
        thread.tick();
        Op { by, fenced: to.fenced_before(thread), told: [Stamp::default()] }
    }

    /// An AMO that fetches nothing, a put of one element, a put with signal: over for who sees the word.
    pub fn tell(&mut self, thread: &Thread, ctx: u64, target: u32) -> Op {
        let (table, pe, spare, rows) = (self.table, self.pe, self.spare, self.rows);
        let ctx = self.ctx(ctx);
        let role = Role { pe, kind: RoleKind::Tells, ctx: ctx.number, target };
        let to = ctx.targets.entry(target).or_default();
        to.begin_row(rows);
        let next = to.next;
        to.next = (next + 1) % TELLS;
        let tells = to.tells[next].get_or_insert_with(|| lane(&table, role).unwrap_or(spare));
        let by = tells.stamp();
        // The next one has an epoch of its own.
        tells.end();
        table.note_issue(by, thread.now());
        let fenced = to.fenced_before(thread);
        ctx.over.add(by);
        if self.asked {
            self.told.add(by);
        }
        Op { by, fenced, told: [by] }
    }

    /// An AMO that has happened when the call returns.
    pub fn fetching_amo(&mut self, thread: &Thread, ctx: u64, target: u32) -> Op {
        let to = self.ctx(ctx).targets.entry(target).or_default();
        Op { by: thread.now(), fenced: to.fenced_before(thread), told: [Stamp::default()] }
    }

    /// A nonblocking get, or the result of a nonblocking fetch. The thread goes on to its next epoch, as in a put.
    pub fn get_nbi(&mut self, thread: &mut Thread, ctx: u64) -> Stamp {
        let table = self.table;
        let by = self.ctx(ctx).gets.stamp();
        table.note_issue(by, thread.now());
        thread.tick();
        by
    }

    /// All operations of the context are over for this thread. Returns the steps it took: at most two for each
    /// operation that was started since the thread's last quiet, whatever the number of targets.
    pub fn quiet(&mut self, thread: &mut Thread, ctx: u64) -> usize {
        let Some(ctx) = self.contexts.get_mut(&ctx) else { return 0 };
        thread.clock.raise(ctx.gets.end());
        ctx.end(|_| ()) + ctx.tell(thread, By::Quiet)
    }

    /// Operations of the context to these PEs are over for this thread. (Gets of it are, too: they are not told apart
    /// by their targets.)
    pub fn pe_quiet(&mut self, thread: &mut Thread, ctx: u64, targets: &[u32]) {
        let Some(Ctx { targets: all, gets, over: log, .. }) = self.contexts.get_mut(&ctx) else { return };
        for target in targets {
            let Some(to) = all.get_mut(target) else { continue };
            to.puts.iter_mut().filter_map(Lane::end_used).for_each(|over| log.add(over));
            for lane in to.puts.iter_mut().chain(to.tells.iter_mut().flatten()) {
                let over = lane.end();
                thread.clock.raise(over);
                thread.clock.raise(Stamp { actor: fenced(over.actor), ..over });
            }
        }
        if !targets.is_empty() {
            thread.clock.raise(gets.end());
        }
    }

    /// Puts and AMOs of the context so far come before those that this thread starts later, at each target. Returns the
    /// steps it took, as [`Pe::quiet`].
    pub fn fence(&mut self, thread: &mut Thread, ctx: u64) -> usize {
        let Pe { contexts, told, asked, .. } = self;
        let Some(ctx) = contexts.get_mut(&ctx) else { return 0 };
        let tell = |over| {
            if *asked {
                told.add(over);
            }
        };
        ctx.end(tell) + ctx.tell(thread, By::Fence)
    }

    /// Somebody has seen a word that this PE changed, and this thread has heard of it in a way whose clocks are not
    /// known. So it may know each such operation, and what fences have ordered before one. Returns the steps it took:
    /// see `Log`.
    pub fn heard(&self, thread: &mut Thread) -> usize {
        let new = self.told.since(thread.heard);
        new.iter().for_each(|(_, over)| thread.clock.raise(*over));
        thread.heard = self.told.next;
        new.len()
    }

    /// Knows all that the other PEs of the node do, now and later. Returns the steps it took: one for each actor that
    /// is new since the thread's last call.
    pub fn know_others(&self, thread: &mut Thread) -> usize {
        let before = thread.others;
        while (thread.others as usize) < self.table.actors() {
            // One that is being made is known later.
            let Some(role) = self.table.role(thread.others) else { break };
            if role.pe != self.pe {
                thread.clock.raise(Stamp { actor: thread.others, epoch: u32::MAX });
            }
            thread.others += 1;
        }
        (thread.others - before) as usize
    }

    /// Completes the context's operations and forgets it.
    pub fn destroy(&mut self, thread: &mut Thread, ctx: u64) {
        self.quiet(thread, ctx);
        self.free.extend(self.contexts.remove(&ctx));
    }

    /// Completes the operations of all contexts.
    pub fn quiet_all(&mut self, thread: &mut Thread) {
        let handles: Vec<u64> = self.contexts.keys().copied().collect();
        for ctx in handles {
            self.quiet(thread, ctx);
        }
    }
}

/// Two actors in a row: the operations, and what a fence has ordered of them.
fn lane(table: &Table, role: Role) -> Option<Lane> {
    loop {
        let actor = table.actor(role)?;
        let second = table.actor(Role { kind: RoleKind::Fenced, ..role })?;
        // Another PE may have come between.
        if second == fenced(actor) {
            return Some(Lane { actor, epoch: 1, used: false });
        }
    }
}

#[cfg(test)]
mod tests;
