//! Teams, active sets, and the routines that several PEs call: who knows what after them, and which buffers they use.
//!
//! A member brings its clock when it enters. After a barrier or sync all members know what all have brought. Of other
//! collectives a member knows those whose data it has got. A collective completes no operation of the program; barriers
//! and allocations do, those of the default context.
//!
//! Clocks lie in the node's file, two per member and team. So that a member's is read before it is written again, each
//! collective begins with a sync of its members.

mod started;

use crate::effects::{DEFAULT, here};
use crate::far;
use crate::memory;
use crate::node::{Node, node};
use crate::options::options;
use crate::site::{self, mix};
use crate::thread::{Me, process};
use oshmpi_race::cell::Kind;
use oshmpi_race::clock::{Known, SharedClock, View};
use oshmpi_race::shadow::Access;
use oshmpi_race::table::TEAMS;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, Once};

/// `SHMEM_TEAM_WORLD` and `SHMEM_TEAM_SHARED`, which are the two atomicity domains, too.
pub const WORLD: usize = 1;
pub const SHARED: usize = 2;

unsafe extern "C" {
    fn pshmem_team_n_pes(team: usize) -> i32;
    fn pshmem_team_translate_pe(team: usize, pe: i32, to: usize) -> i32;
    fn pshmem_ctx_get_team(ctx: usize, team: *mut usize) -> i32;
    fn pshmem_team_sync(team: usize) -> i32;
    fn pshmem_sync(start: i32, log: i32, size: i32, psync: *mut i64);
    fn pshmem_query_initialized(initialized: *mut i32);
    fn oshmpi_tool_block_team(block: usize) -> usize;
}

/// Whether an address is in a space. A space has a team of its own, and its memory is not watched.
pub fn is_in_space(addr: usize) -> bool {
    // SAFETY: the library is up.
    unsafe { oshmpi_tool_block_team(addr) != WORLD }
}

/// PEs that call collectives together, in the order of their numbers there.
struct Group {
    key: u64,
    members: Vec<u32>,
    /// One member of each other node.
    elsewhere: Vec<u32>,
    domain: usize,
    /// Collectives so far, and those that were started.
    rounds: u64,
    started: u64,
    splits: u64,
}

#[derive(Default)]
struct Groups {
    teams: BTreeMap<usize, Group>,
    sets: BTreeMap<(i32, i32, i32), Group>,
    /// The domain and team of contexts.
    contexts: BTreeMap<usize, (usize, usize)>,
    /// Allocations: bytes, and where.
    blocks: BTreeMap<usize, (usize, u32)>,
}

static GROUPS: Mutex<Option<Groups>> = Mutex::new(None);

fn with<R>(f: impl FnOnce(&mut Groups) -> R) -> R {
    let mut groups: MutexGuard<'_, _> = GROUPS.lock().unwrap_or_else(|e| e.into_inner());
    f(groups.get_or_insert_with(Groups::default))
}

/// The members of an active set. Empty: the library refuses the set.
fn active_set(start: i32, log: i32, size: i32, n_pes: u32) -> Vec<u32> {
    let range = |n: i32| u32::try_from(n).ok().filter(|n| *n < n_pes);
    let (Some(start), Some(most), Ok(log)) = (range(start), range(size.saturating_sub(1)), u32::try_from(log)) else {
        return Vec::new();
    };
    let step = 1u64 << log.min(32);
    let members = (0..=u64::from(most)).map(|i| u64::from(start) + i * step);
    members.map(|pe| u32::try_from(pe).ok().filter(|pe| *pe < n_pes)).collect::<Option<_>>().unwrap_or_default()
}

/// Starts anew: what was before the last finalize is gone.
pub fn start() {
    with(|groups| *groups = Groups::default());
}

fn team_of(team: usize, parent: Option<(u64, usize, u64)>) -> Group {
    // SAFETY: the handle is one of the library's, which checks it.
    let members: Vec<u32> = unsafe {
        (0..pshmem_team_n_pes(team).max(0)).map(|i| pshmem_team_translate_pe(team, i, WORLD) as u32).collect()
    };
    let first = u64::from(members.first().copied().unwrap_or(0)) << 32 | members.len() as u64;
    let second = u64::from(members.get(1).copied().unwrap_or(0));
    let (key, domain) = match parent {
        Some((key, domain, split)) => (mix(mix(mix(key, split), first), second), domain),
        None => (mix(team as u64, first), team),
    };
    Group::new(key, members, domain)
}

impl Group {
    fn new(key: u64, members: Vec<u32>, domain: usize) -> Group {
        let elsewhere = far::one_of_each_node(&members);
        Group { key: key | 1, elsewhere, members, domain, rounds: 0, started: 0, splits: 0 }
    }
}

impl Groups {
    fn team(&mut self, team: usize) -> &mut Group {
        self.teams.entry(team).or_insert_with(|| team_of(team, None))
    }

    fn set(&mut self, start: i32, log: i32, size: i32) -> &mut Group {
        self.sets.entry((start, log, size)).or_insert_with(|| {
            let members = active_set(start, log, size, node().map_or(0, |node| node.memory.n_pes));
            Group::new(mix(mix(mix(3, start as u64), log as u64), size as u64), members, WORLD)
        })
    }

    fn ctx(&mut self, ctx: usize) -> (usize, usize) {
        if ctx == DEFAULT {
            return (WORLD, WORLD);
        }
        if let Some(known) = self.contexts.get(&ctx) {
            return *known;
        }
        let mut team = WORLD;
        // SAFETY: the library checks the handle, and writes a handle.
        unsafe { pshmem_ctx_get_team(ctx, &mut team) };
        let domain = self.team(team).domain;
        self.contexts.insert(ctx, (domain, team));
        (domain, team)
    }
}

/// The atomicity domain of a context.
pub fn domain_of(ctx: usize) -> usize {
    if ctx == DEFAULT { WORLD } else { with(|g| g.ctx(ctx).0) }
}

/// The world's number of a PE as a context counts it.
pub fn world_pe(ctx: usize, pe: i32) -> u32 {
    if ctx == DEFAULT {
        return pe as u32;
    }
    with(|g| {
        let team = g.ctx(ctx).1;
        g.team(team).members.get(pe as usize).copied().unwrap_or(pe as u32)
    })
}

pub fn forget_ctx(ctx: usize) {
    with(|g| g.contexts.remove(&ctx));
}

/// Knows what everybody of the node does, and what this PE has told: for what came over another node, whose clocks are
/// not known.
pub fn know_all(me: &mut Me) {
    let process = process();
    process.pe.heard(&mut me.thread);
    process.pe.know_others(&mut me.thread);
}

/// One collective: the members, and the clocks that those of this node have brought.
struct Round {
    /// What the group's collectives write.
    kind: Kind,
    members: Vec<u32>,
    clocks: Vec<Option<SharedClock<'static>>>,
    /// Beside each clock: what a member of a collective that was started has brought. None: they have met.
    number: Option<u64>,
    /// Clocks of some had no room.
    full: bool,
    /// None: the calling PE is no member, so the library refuses the call.
    me: Option<usize>,
}

impl Round {
    /// The length that a member has brought. None: its clock has no room, or a later start is there.
    fn length(&self, member: usize) -> Option<usize> {
        let (number, bytes) = self.clocks[member]?.noted();
        self.number.is_none_or(|own| own == number).then_some(bytes as usize)
    }
}

/// Which group a routine is called for: a team, or an active set.
#[derive(Clone, Copy)]
enum Which {
    Team(usize),
    Set(i32, i32, i32),
}

/// Brings this thread's clock, and a length, and finds where those of the others are. Bound: a store for each actor of
/// the node, a look-up for each member, and a note for each other node of the group.
fn bring(me: &mut Me, node: &'static Node, which: Which, bytes: usize) -> Round {
    let (place, members, elsewhere) = with(|g| {
        let group = match which {
            Which::Team(team) => g.team(team),
            Which::Set(start, log, size) => g.set(start, log, size),
        };
        group.rounds += 1;
        ((group.key, group.rounds % 2 == 1), group.members.clone(), group.elsewhere.clone())
    });
    bring_to(me, node, place, (members, elsewhere), (0, bytes as u64))
}

/// `place`: the key of the clocks, and which of two. `noted`: a number and a length.
fn bring_to(
    me: &mut Me,
    node: &'static Node,
    (key, odd): (u64, bool),
    (members, elsewhere): (Vec<u32>, Vec<u32>),
    noted: (u64, u64),
) -> Round {
    let mut full = false;
    let clock = |pe: &u32| {
        let index = node.clocks_of(*pe)?;
        let clock = node.table.round(index, key, odd);
        full |= clock.is_none();
        clock
    };
    let clocks: Vec<_> = members.iter().map(clock).collect();
    if full {
        tell_of_many();
    }
    let own = members.iter().position(|pe| *pe == node.memory.pe);
    if let Some(Some(clock)) = own.and_then(|own| clocks.get(own)) {
        clock.set(&me.thread.clock, node.table.actors());
        clock.note(noted.0, noted.1);
    }
    if node.far {
        far::bring(me, node, &elsewhere, (key, odd), noted);
    }
    me.thread.tick();
    Round { kind: Kind::collective(mix(key, 0) >> 8), members, clocks, number: None, full, me: own }
}

/// Some member has too many teams.
fn tell_of_many() {
    static TOLD: Once = Once::new();
    TOLD.call_once(|| {
        eprintln!(
            "oshmpi-race: a PE has more than {TEAMS} teams and active sets at a time, so it is taken to know all after \
             collectives of the others; races may be missed from now on"
        );
    });
}

/// Knows what these members have brought. Bound: a load for each actor of the node from the clock of each member. So a
/// collective of all P PEs costs each PE P times as many loads as there are actors, and a node P times as much again.
fn learn(me: &mut Me, node: &Node, round: &Round, from: core::ops::Range<usize>) {
    let (actors, clocks) = (node.table.actors(), &round.clocks[from]);
    let mut lost = round.full;
    for clock in clocks.iter().flatten() {
        match round.number.is_none_or(|number| clock.noted().0 == number) {
            true => me.thread.clock.join_shared(*clock, actors),
            false => lost = true,
        }
    }
    if lost {
        know_all(me);
    }
    if clocks.iter().any(Option::is_none) {
        far::heard_without_clock(me, node);
    }
}

/// The round that the thread has begun, until it ends it.
static BEGUN: Mutex<BTreeMap<u32, Round>> = Mutex::new(BTreeMap::new());

fn begin(which: Which, quiet: bool) {
    let Some((me, node)) = here() else { return };
    if quiet {
        process().pe.quiet(&mut me.thread, DEFAULT as u64);
    }
    let round = bring(me, node, which, 0);
    BEGUN.lock().unwrap_or_else(|e| e.into_inner()).insert(me.thread.actor, round);
}

/// Before a barrier, a sync, or what has one inside. `quiet`: it completes the default context's operations.
#[unsafe(no_mangle)]
extern "C" fn race_arrive(team: usize, quiet: i32) {
    begin(Which::Team(team), quiet != 0);
}

#[unsafe(no_mangle)]
extern "C" fn race_arrive_set(start: i32, log: i32, size: i32, quiet: i32) {
    begin(Which::Set(start, log, size), quiet != 0);
}

/// After it: all members know what all have brought.
#[unsafe(no_mangle)]
extern "C" fn race_depart() {
    let Some((me, node)) = here() else { return };
    let begun = BEGUN.lock().unwrap_or_else(|e| e.into_inner()).remove(&me.thread.actor);
    if let Some(round) = begun {
        learn(me, node, &round, 0..round.members.len());
    }
}

/// Which members' data the result of a collective is made of, and what it does to the buffers.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moves {
    Broadcast = 0,
    /// Of an active set: the root's destination is not written.
    BroadcastSet,
    Collect,
    Fcollect,
    Alltoall,
    Reduce,
    Inscan,
    Exscan,
    /// Nothing.
    Sync,
}

/// The buffers of a collective, in bytes. `c/effects.h` has the same.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Buffers {
    moves: Moves,
    dest: usize,
    source: usize,
    /// What one member gives (to one other).
    bytes: usize,
    /// Bytes of an element, and from one to the next in destination and source: for alltoalls. Else `bytes`.
    element: usize,
    dst: usize,
    sst: usize,
    root: i32,
}

impl Buffers {
    /// The members of a group of `n` whose data the result has.
    fn givers(&self, own: usize, n: usize) -> core::ops::Range<usize> {
        let root = self.root as usize;
        match self.moves {
            Moves::Broadcast | Moves::BroadcastSet => root..root + 1,
            Moves::Inscan => 0..own + 1,
            Moves::Exscan => 0..own,
            _ => 0..n,
        }
    }

    /// Whether a group of `n` may have such buffers. `watched`: and not in a space and longer than the heap.
    fn fits(&self, node: &Node, n: usize, watched: bool) -> bool {
        // Elements of all members from the first to the last, `stride` bytes apart.
        let span = |stride: usize| {
            let all = (self.bytes / self.element.max(1)).checked_mul(n)?;
            (stride >= self.element).then_some(())?;
            all.saturating_sub(1).checked_mul(stride)?.checked_add(self.element)
        };
        let (to, from) = match self.moves {
            Moves::Alltoall => (span(self.dst), span(self.sst)),
            Moves::Fcollect => (self.bytes.checked_mul(n), Some(self.bytes)),
            _ => (Some(self.bytes), Some(self.bytes)),
        };
        let fits = |addr: usize, len: Option<usize>| {
            len.is_some_and(|len| node.fits(addr, len) || !watched && is_in_space(addr))
        };
        fits(self.dest, to) && fits(self.source, from)
    }
}

#[unsafe(no_mangle)]
extern "C" fn race_collective(team: usize, buffers: &Buffers) {
    collective(Which::Team(team), buffers, core::ptr::null_mut());
}

#[unsafe(no_mangle)]
extern "C" fn race_collective_set(start: i32, log: i32, size: i32, psync: *mut i64, buffers: &Buffers) {
    collective(Which::Set(start, log, size), buffers, psync);
}

fn collective(which: Which, b: &Buffers, psync: *mut i64) {
    let Some((me, node)) = here() else { return };
    if b.bytes == 0 && b.moves != Moves::Collect {
        return;
    }
    let root = b.root as usize;
    let round = bring(me, node, which, b.bytes);
    let n = round.members.len();
    let Some(own) = round.me.filter(|_| root < n && b.fits(node, n, false)) else { return };
    // SAFETY: the members call this in the same order; the library checks the arguments.
    unsafe {
        match which {
            Which::Team(team) => {
                pshmem_team_sync(team);
            }
            Which::Set(start, log, size) => pshmem_sync(start, log, size, psync),
        }
    }
    let site = me.site(node, None);
    let (reads, parts) = if b.fits(node, n, true) { touched(b, own, &round) } else { Touched::default() };
    for (offset, len) in reads {
        memory::local(node, b.source + offset, len, &me.thread.access(Kind::READ, site));
    }
    // A member writes when it has called: what it knew then must be all that was done to the destination.
    for (from, offset, len) in parts.iter().filter(|part| part.0 != own) {
        if let Some(clock) = round.clocks.get(*from).copied().flatten() {
            let view = View { clock: Known::Member(clock), fenced: &[] };
            let by = Access { view, in_order: false, noted: false, ..me.thread.access(round.kind, site) };
            memory::local(node, b.dest + offset, *len, &by);
        }
    }
    learn(me, node, &round, b.givers(own, n));
    for (_, offset, len) in parts {
        memory::local(node, b.dest + offset, len, &me.thread.access(round.kind, site));
    }
}

/// What a member reads of its source (offset, bytes), and the parts of its result: whose data, offset, bytes.
type Touched = (Vec<(usize, usize)>, Vec<(usize, usize, usize)>);

fn touched(b: &Buffers, own: usize, round: &Round) -> Touched {
    let (n, root) = (round.members.len(), b.root as usize);
    let all = vec![(0, b.bytes)];
    match b.moves {
        Moves::Broadcast | Moves::BroadcastSet => {
            let gets = own != root || b.moves == Moves::Broadcast;
            (if own == root { all } else { Vec::new() }, gets.then_some((root, 0, b.bytes)).into_iter().collect())
        }
        Moves::Collect => {
            // Behind a member whose length is not known nothing is.
            let known = (0..n).map_while(|i| round.length(i));
            let parts = known.enumerate().scan(0, |at, (i, len)| {
                *at += len;
                Some((i, *at - len, len))
            });
            (all, parts.collect())
        }
        Moves::Fcollect => (all, (0..n).map(|i| (i, i * b.bytes, b.bytes)).collect()),
        Moves::Alltoall => {
            let elements = b.bytes / b.element.max(1);
            let blocks = |stride: usize| match stride == b.element {
                true => (1, b.bytes, b.bytes),
                false => (elements, stride, b.element),
            };
            let ((count, step, len), (gives, from, bytes)) = (blocks(b.dst), blocks(b.sst));
            let reads = (0..n * gives).map(|e| (e * from, bytes)).collect();
            (reads, (0..n * count).map(|e| (e / count, e * step, len)).collect())
        }
        // The result needs the own data, so by the data it cannot come before. By the text each member may write it as
        // soon as that member has called.
        Moves::Reduce | Moves::Inscan | Moves::Exscan => {
            let by_text = if options().strict { 0..n } else { own..own + 1 };
            (all, by_text.map(|i| (i, 0, b.bytes)).collect())
        }
        Moves::Sync => (Vec::new(), Vec::new()),
    }
}

/// A team was split: what the new teams are, on whoever has got one. Null handles are no team.
#[unsafe(no_mangle)]
extern "C" fn race_split(parent: usize, new: usize, other: usize) {
    with(|g| {
        let group = g.team(parent);
        group.splits += 1;
        let from = (group.key, group.domain, group.splits);
        for (team, axis) in [(new, 0), (other, 1u64 << 40)] {
            if team != 0 {
                let made = team_of(team, Some((from.0, from.1, from.2 | axis)));
                g.teams.insert(team, made);
            }
        }
    });
}

/// A team is destroyed, and with it its contexts, whose operations are complete then.
#[unsafe(no_mangle)]
extern "C" fn race_team_destroy(team: usize) {
    let Some((me, node)) = here() else { return };
    let (group, its): (_, Vec<usize>) = with(|g| {
        let its = g.contexts.extract_if(.., |_, (_, of)| *of == team).map(|(ctx, _)| ctx).collect();
        (g.teams.remove(&team), its)
    });
    if let Some(group) = group {
        let here = |pe: &&u32| **pe == node.memory.pe || node.slot(**pe).is_none();
        let clocks = group.members.iter().filter(here).filter_map(|pe| node.clocks_of(*pe));
        let keys = || started::keys(group.key).chain([group.key]);
        clocks.for_each(|index| keys().for_each(|key| node.table.forget_team(index, key)));
    }
    its.into_iter().for_each(|ctx| process().pe.destroy(&mut me.thread, ctx as u64));
}

/// An allocation, for messages.
#[unsafe(no_mangle)]
extern "C" fn race_allocated(at: usize, bytes: usize) {
    let Some((me, node)) = here() else { return };
    let site = me.site(node, None);
    if at != 0 {
        with(|g| g.blocks.insert(at, (bytes, site)));
    }
}

#[unsafe(no_mangle)]
extern "C" fn race_freed(at: usize) {
    with(|g| g.blocks.remove(&at));
}

/// The allocation that an address of this PE's heap is in: where it starts, its bytes, where it was made.
pub fn block_of(addr: usize) -> Option<(usize, usize, Option<site::Site>)> {
    let node = node()?;
    let (start, (bytes, site)) = with(|g| g.blocks.range(..=addr).next_back().map(|(at, b)| (*at, *b)))?;
    (addr - start < bytes).then(|| (start, bytes, site::read(node, site)))
}

/// After an init: `first`, if the library was not up before.
#[unsafe(no_mangle)]
extern "C" fn race_started(first: i32) {
    if first != 0 {
        crate::report::start();
    }
}

/// Before a finalize, which completes all and is a barrier.
#[unsafe(no_mangle)]
extern "C" fn race_finalizing() {
    let Some((me, _)) = here() else { return };
    process().pe.quiet_all(&mut me.thread);
    begin(Which::Team(WORLD), true);
}

/// After it.
#[unsafe(no_mangle)]
extern "C" fn race_finalized() {
    race_depart();
    let mut up = 0;
    // SAFETY: an int of this function.
    unsafe { pshmem_query_initialized(&mut up) };
    if up == 0 {
        memory::stop();
        start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_is_refused_has_no_members() {
        assert_eq!(active_set(1, 1, 3, 6), [1, 3, 5]);
        assert_eq!((active_set(5, 40, 1, 6), active_set(0, 0, 6, 6).len()), (vec![5], 6));
        let refused =
            [(1, 1, 4), (-1, 0, 2), (0, -1, 2), (0, 0, 7), (0, 40, 2), (0, 0, 0), (0, 0, i32::MIN), (6, 0, 1)];
        for (start, log, size) in refused {
            assert!(active_set(start, log, size, 6).is_empty(), "{start} {log} {size}");
        }
    }
}
