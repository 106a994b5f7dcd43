//! Creates, queries and destroys teams and contexts. A team that is destroyed takes along its contexts, those of one
//! thread excepted.

use crate::args;
use crate::ctx::{self, Ctx};
use crate::diag::{fatal, print};
use crate::memory::node::SYNC_SLOTS;
use crate::net::comm_cache::Key;
use crate::ops::coll::{self, Group, Posted, check};
use crate::ops::query;
use crate::state::{self, Runtime};
use crate::team::{Members, Team, TeamHandle};
use core::ffi::{c_int, c_long, c_void};

/// `shmem_team_config_t`.
#[repr(C)]
pub(crate) struct Config {
    num_contexts: c_int,
}

/// `SHMEM_TEAM_NUM_CONTEXTS`.
const NUM_CONTEXTS: c_long = 1;

/// A pointer to which a result is written.
#[derive(Clone, Copy)]
pub(crate) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// # Safety
    /// A `T` can be written to `to` until the call returns, or `to` is null.
    #[inline(always)]
    pub(crate) unsafe fn new(to: *mut T) -> Out<T> {
        Out(to)
    }

    pub(super) fn write(self, routine: &str, arg: &str, value: T) {
        if self.0.is_null() {
            fatal(routine, format_args!("{arg} is null"));
        }
        // SAFETY: not null, so promised to `new`.
        unsafe { self.0.write(value) };
    }
}

/// The configuration of a team that the C caller passes.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    mask: c_long,
    /// None: the pointer was null.
    contexts: Option<c_int>,
}

impl Wanted {
    /// # Safety
    /// `config` is null, or can be read if `mask` is not 0.
    pub(crate) unsafe fn new(config: *const Config, mask: c_long) -> Wanted {
        let readable = mask & NUM_CONTEXTS != 0 && !config.is_null();
        // SAFETY: promised.
        Wanted { mask, contexts: readable.then(|| unsafe { (*config).num_contexts }) }
    }

    /// The number of contexts that the program requests; 0 if the mask does not select it. None: no PE can have that
    /// many.
    fn contexts(self, rt: &Runtime, routine: &str) -> Option<c_int> {
        let mask = self.mask;
        if mask & !NUM_CONTEXTS != 0 {
            print(format_args!("{routine}: config_mask {mask:#x} has bits that mean nothing"));
        }
        if mask & NUM_CONTEXTS == 0 {
            return Some(0);
        }
        let no_config = || fatal(routine, format_args!("config is null, with config_mask {mask:#x}"));
        let contexts = self.contexts.unwrap_or_else(no_config);
        let possible = (0..=ctx::MOST).contains(&contexts);
        if !possible && rt.env.debug {
            print(format_args!("{routine}: num_contexts is {contexts}, expected 0 to {}", ctx::MOST));
        }
        possible.then_some(contexts)
    }
}

/// A bit of the words that members of the parent compare: a requested number of contexts is too large. So no PE makes
/// the team if one PE requests too many.
fn refused<const N: usize>(contexts: [Option<c_int>; N]) -> u64 {
    u64::from(contexts.contains(&None)) << 32
}

/// The team was not made. All members of the parent get the same error.
struct NotMade;

/// Words that identify the call, before the words that list the free sync slots.
const FREE: usize = 3;

/// What members post about a sync slot: the slot was taken, another thread of the PE took it first, or none is free.
/// The greatest number counts.
const TAKEN: u64 = 0;
const AGAIN: u64 = 1;
const FULL: u64 = 2;

/// A split of a team under way.
struct Split<'a> {
    rt: &'static Runtime,
    routine: &'static str,
    parent: &'static Team,
    group: &'a Group<'static>,
    /// The members of the new team that has the caller, if one has.
    mine: Option<Members>,
}

/// Has all members of `parent` make their new teams; `mine` may be None. `call` must be equal on all members. Either
/// all new teams are made or none is. Collective over the parent.
fn make(
    rt: &'static Runtime,
    routine: &'static str,
    parent: &'static Team,
    call: [u64; 2],
    mine: Option<Members>,
    num_contexts: c_int,
) -> Result<TeamHandle, NotMade> {
    let _alone = args::collective(rt, routine, parent);
    let group = &Group::of_team(rt, routine, parent);
    let split = Split { rt, routine, parent, group, mine };
    for attempt in 0.. {
        let common = split.free_slots(call)?;
        let (outcome, sync_slot, latest) = split.take_slot(common, attempt);
        let (outcome, latest) = match group.agree(&[check::name(routine), outcome, latest], 1) {
            Ok(all) => (all.most(1), all.most(2)),
            Err(posted) => {
                check::same_routine(routine, group, &posted);
                return Err(NotMade);
            }
        };
        if outcome == TAKEN {
            let (Some(members), Some(sync_slot)) = (mine, sync_slot) else { return Ok(TeamHandle::INVALID) };
            let me = members.index(rt.pe.0).expect("a PE wants teams that it is in");
            return Ok(rt.teams.insert(members, &rt.node.places, me, sync_slot, latest, num_contexts));
        }
        if let Some(slot) = sync_slot {
            rt.teams.give(slot, 0);
        }
        if outcome == FULL {
            return Err(NotMade);
        }
    }
    unreachable!("the loop ends by a result")
}

/// Makes a team of the same members for the library's own use; None if there are too many teams. Collective over
/// `parent`.
pub(super) fn duplicate(rt: &'static Runtime, routine: &'static str, parent: &'static Team) -> Option<TeamHandle> {
    make(rt, routine, parent, [0; 2], Some(parent.members), 0).ok()
}

impl Split<'_> {
    /// A bit mask of the sync slots that are free on all members of the caller's new team. An error, on all members of
    /// the parent, if their calls differ.
    fn free_slots(&self, call: [u64; 2]) -> Result<[u64; SYNC_SLOTS / 64], NotMade> {
        let (group, routine, free) = (self.group, self.routine, self.rt.teams.look());
        let posted = [check::name(routine), call[0], call[1], free[0], free[1], free[2], free[3]];
        let all = match group.agree(&posted, FREE) {
            Ok(all) => std::array::from_fn(|w| all.bits(FREE + w)),
            Err(posted) => {
                self.complain(&posted);
                return Err(NotMade);
            }
        };
        if all != [0; SYNC_SLOTS / 64] {
            return Ok(all);
        }
        // No slot is free on all members of the parent. Disjoint teams can have the same slot, so each new team looks
        // for one among its members.
        let inside = group.agree_within(self.mine, &free);
        Ok(inside.map_or(all, |inside| std::array::from_fn(|w| inside.bits(w))))
    }

    /// With `SHMEM_DEBUG`: reports that the calls of the parent's members differ.
    fn complain(&self, posted: &Posted<'_>) {
        let (group, routine) = (self.group, self.routine);
        let differs = |&i: &usize| (0..FREE).any(|w| posted.word(i, w) != posted.word(0, w));
        if let Some(i) = (0..group.size()).find(differs)
            && self.rt.env.debug
        {
            check::same_routine(routine, group, posted);
            if group.me() == 0 {
                let (one, other) = (group.pe(0), group.pe(i));
                print(format_args!("{routine}: PE {other} called it with other arguments than PE {one}"));
            }
        }
    }

    /// Takes one of the sync slots in `common`, if the caller will be in a team. Returns what to post, the slot, and
    /// the latest round that the slot has seen.
    fn take_slot(&self, common: [u64; SYNC_SLOTS / 64], attempt: usize) -> (u64, Option<usize>, u64) {
        if self.mine.is_none() {
            return (TAKEN, None, 0);
        }
        // Threads of a PE that split different teams at the same time begin with different slots: the parents' slots
        // differ on a PE, and each is the same on all its members.
        let from = self.parent.sync_slot_number() * 59 + attempt * 7;
        let first = (0..SYNC_SLOTS).map(|d| (from + d) % SYNC_SLOTS).find(|d| common[d / 64] >> (d % 64) & 1 == 1);
        match first.map(|slot| (slot, self.rt.teams.take(slot))) {
            None => (FULL, None, 0),
            Some((slot, Some(seen))) => (TAKEN, Some(slot), seen),
            Some((_, None)) => (AGAIN, None, 0),
        }
    }
}

pub(crate) fn split_strided(
    routine: &'static str,
    parent: TeamHandle,
    [start, stride, size]: [c_int; 3],
    wanted: Wanted,
    new_team: Out<TeamHandle>,
) -> c_int {
    let rt = state::up(routine);
    new_team.write(routine, "new_team", TeamHandle::INVALID);
    if parent == TeamHandle::INVALID {
        return 1;
    }
    let contexts = wanted.contexts(rt, routine);
    let parent = args::team(rt, routine, parent);
    let part = parent.members.part(start, stride, size);
    if part.is_none() && rt.env.debug {
        print(format_args!(
            "{routine}: start {start}, stride {stride}, size {size} is not a part of {} PEs",
            parent.size()
        ));
    }
    let call = [(start as u32 as u64) << 32 | u64::from(size as u32), u64::from(stride as u32) | refused([contexts])];
    // A triplet that is impossible is so on all members. They must still compare their calls, because those may differ.
    let mine = part.filter(|m| contexts.is_some() && m.index(rt.pe.0).is_some());
    match (part.and(contexts), make(rt, routine, parent, call, mine, contexts.unwrap_or(0))) {
        (Some(_), Ok(handle)) => {
            new_team.write(routine, "new_team", handle);
            0
        }
        _ => 1,
    }
}

pub(crate) fn split_2d(
    routine: &'static str,
    parent: TeamHandle,
    xrange: c_int,
    x: (Wanted, Out<TeamHandle>),
    y: (Wanted, Out<TeamHandle>),
) -> c_int {
    let rt = state::up(routine);
    x.1.write(routine, "xaxis_team", TeamHandle::INVALID);
    y.1.write(routine, "yaxis_team", TeamHandle::INVALID);
    if parent == TeamHandle::INVALID {
        return 1;
    }
    let contexts = [x.0.contexts(rt, routine), y.0.contexts(rt, routine)];
    let parent = args::team(rt, routine, parent);
    let n = parent.size() as c_int;
    let (me, range) = (parent.me as c_int, xrange.min(n));
    let call = |axis: u64| [u64::from(xrange as u32), axis | refused(contexts)];
    let ([Some(x_contexts), Some(y_contexts)], 1..) = (contexts, range) else {
        if range < 1 && rt.env.debug {
            print(format_args!("{routine}: xrange {xrange} is not positive"));
        }
        // The members compare their calls, because others may have passed a valid range.
        let _ = make(rt, routine, parent, call(0), None, 0);
        return 1;
    };
    let (col, row) = (me % range, me / range);
    let row_part = parent.members.part(row * range, 1, range.min(n - row * range));
    let col_part = parent.members.part(col, range, (n - col - 1) / range + 1);
    let Ok(x_team) = make(rt, routine, parent, call(0), row_part, x_contexts) else { return 1 };
    let Ok(y_team) = make(rt, routine, parent, call(1), col_part, y_contexts) else {
        rt.teams.remove(x_team);
        return 1;
    };
    x.1.write(routine, "xaxis_team", x_team);
    y.1.write(routine, "yaxis_team", y_team);
    0
}

/// A team that a query names; None for `SHMEM_TEAM_INVALID`.
fn asked(routine: &'static str, team: TeamHandle) -> Option<&'static Team> {
    let rt = state::up(routine);
    (team != TeamHandle::INVALID).then(|| args::team(rt, routine, team))
}

/// The caller's number in the team; -1 for `SHMEM_TEAM_INVALID`.
pub(crate) fn my_pe(routine: &'static str, team: TeamHandle) -> c_int {
    asked(routine, team).map_or(-1, |team| team.me as c_int)
}

/// The number of PEs of the team; -1 for `SHMEM_TEAM_INVALID`.
pub(crate) fn n_pes(routine: &'static str, team: TeamHandle) -> c_int {
    asked(routine, team).map_or(-1, |team| team.size() as c_int)
}

pub(crate) fn get_config(routine: &'static str, team: TeamHandle, mask: c_long, config: Out<Config>) -> c_int {
    let Some(team) = asked(routine, team) else { return 1 };
    if mask & NUM_CONTEXTS != 0 {
        if config.0.is_null() {
            fatal(routine, format_args!("config is null, with config_mask {mask:#x}"));
        }
        config.write(routine, "config", Config { num_contexts: team.num_contexts });
    }
    0
}

/// The number in `dest` of member `pe` of `src`, or -1.
pub(crate) fn translate_pe(routine: &'static str, src: TeamHandle, pe: c_int, dest: TeamHandle) -> c_int {
    if src == TeamHandle::INVALID || dest == TeamHandle::INVALID {
        return -1;
    }
    let (Some(src), Some(dest)) = (asked(routine, src), asked(routine, dest)) else { return -1 };
    match u32::try_from(pe) {
        Ok(pe) if pe < src.members.size => dest.members.index(src.members.world(pe)).map_or(-1, |i| i as c_int),
        _ => -1,
    }
}

/// `shmem_ptr` with a team number; null for `SHMEM_TEAM_INVALID`.
pub(crate) fn ptr(routine: &'static str, team: TeamHandle, dest: *const c_void, pe: c_int) -> *mut c_void {
    match (asked(routine, team), u32::try_from(pe)) {
        (Some(team), Ok(i)) if i < team.members.size => query::ptr(routine, dest, team.members.world(i) as c_int),
        _ => core::ptr::null_mut(),
    }
}

/// Destroys the team's shareable contexts, then the team. Collective over the team.
pub(crate) fn destroy(routine: &'static str, team: TeamHandle) {
    if state::is_child() {
        return; // a forked child does not destroy the parent's team
    }
    let rt = state::up(routine);
    if team == TeamHandle::INVALID {
        return;
    }
    if team == TeamHandle::WORLD || team == TeamHandle::SHARED {
        fatal(routine, "a predefined team cannot be destroyed");
    }
    let found = args::team(rt, routine, team);
    coll::none_under_way(routine, Some(found));
    let call = coll::Call::of_team(rt, routine, found);
    let alone = call.alike([0; 2], [0; 3]);
    for (ctx, options) in rt.contexts.living(Some(team)) {
        if options & ctx::PRIVATE != 0 {
            if rt.env.debug {
                print(format_args!("{routine}: the team has a SHMEM_CTX_PRIVATE context that is not destroyed"));
            }
        } else {
            super::order::quiet_remote(rt, routine, ctx);
            rt.contexts.end(ctx);
        }
    }
    if let Some(cache) = &rt.comm_cache {
        cache.forget_uses(Key::Team(found.sync_slot_number()));
    }
    // After this barrier no member reads the team's words.
    call.group.barrier();
    core::mem::forget(alone); // what it holds ends with the team
    remove(rt, routine, team);
}

/// Removes a team that no member is using.
pub(super) fn remove(rt: &Runtime, routine: &str, handle: TeamHandle) {
    if let Some(team) = rt.teams.find(handle) {
        team.clear_requests(&rt.node);
    }
    if let (Some(cache), Some(team)) = (&rt.comm_cache, rt.teams.find(handle)) {
        coll::end_communicator(routine, cache, Key::Team(team.sync_slot_number()));
    }
    rt.teams.remove(handle);
}

/// Destroys the teams and contexts that the program has left, at the last finalize.
pub(crate) fn destroy_all(rt: &Runtime) {
    for (ctx, options) in rt.contexts.living(None) {
        if options & ctx::PRIVATE != 0 && rt.env.debug {
            print("shmem_finalize: a SHMEM_CTX_PRIVATE context was not destroyed");
        }
        rt.contexts.end(ctx);
    }
    let left = rt.teams.handles();
    if rt.env.debug && !left.is_empty() {
        print(format_args!("shmem_finalize: teams that were not destroyed: {}", left.len()));
    }
    for handle in left {
        remove(rt, "shmem_finalize", handle);
    }
}

pub(crate) fn create_ctx(routine: &'static str, team: TeamHandle, options: c_long, ctx: Out<Ctx>) -> c_int {
    let rt = state::up(routine);
    args::thread(rt, routine);
    ctx.write(routine, "ctx", Ctx::INVALID);
    if team == TeamHandle::INVALID {
        return 1;
    }
    if options & !(ctx::SERIALIZED | ctx::PRIVATE | ctx::NOSTORE) != 0 {
        print(format_args!("{routine}: options {options:#x} has bits that mean nothing"));
    }
    let team = args::team(rt, routine, team);
    match rt.contexts.make(team.handle, team.members, options, state::threads().0 == args::MULTIPLE, rt.env.debug) {
        Some(made) => {
            ctx.write(routine, "ctx", made);
            0
        }
        None => 1,
    }
}

/// Completes the operations of a context and destroys it.
pub(crate) fn destroy_ctx(routine: &'static str, ctx: Ctx) {
    if state::is_child() {
        return; // a forked child does not destroy the parent's context
    }
    let rt = state::up(routine);
    if ctx == Ctx::INVALID {
        return;
    }
    if ctx == Ctx::DEFAULT {
        fatal(routine, "SHMEM_CTX_DEFAULT cannot be destroyed");
    }
    super::order::quiet(routine, ctx);
    rt.contexts.end(ctx);
}

pub(crate) fn get_team(routine: &'static str, ctx: Ctx, team: Out<TeamHandle>) -> c_int {
    let rt = state::up(routine);
    team.write(routine, "team", TeamHandle::INVALID);
    let found = match ctx {
        Ctx::INVALID => return 1,
        Ctx::DEFAULT => TeamHandle::WORLD,
        _ => {
            let _alone = args::ctx(routine, ctx);
            rt.contexts.find(ctx).map_or(TeamHandle::INVALID, |c| c.team())
        }
    };
    team.write(routine, "team", found);
    0
}

/// `shmem_ctx_session_config_t`.
#[repr(C)]
pub(crate) struct SessionConfig {
    total_ops: usize,
}

/// Start of a session. Sessions are hints and have no effect here. The context and the pointer are checked.
pub(crate) fn session(routine: &'static str, ctx: Ctx, mask: c_long, config: *const SessionConfig) {
    let _ = state::up(routine);
    if ctx == Ctx::INVALID {
        return;
    }
    let _alone = args::ctx(routine, ctx);
    if mask != 0 && config.is_null() {
        fatal(routine, format_args!("config is null, with config_mask {mask:#x}"));
    }
}

/// End of a session.
pub(crate) fn stop_session(routine: &'static str, ctx: Ctx) {
    if state::is_child() {
        return; // a forked child does not end the parent's session
    }
    session(routine, ctx, 0, core::ptr::null());
}
