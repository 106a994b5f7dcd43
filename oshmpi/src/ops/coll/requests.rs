//! Collectives that are started and go on beside the program, as tasks: see [`tasks`]. A request plays the same
//! algorithm as the blocking call between nodes, also where all members are on one node. [`short`] ones are no tasks.

use super::Call;
use super::buffer::Buffers;
use super::group::Group;
use super::intra_node::IntraNode;
use super::message_group::MessageGroup;
use super::plan::Asked;
use super::short;
use super::staged::Staged;
use crate::diag::fatal;
use crate::memory::node::UNDER_WAY;
use crate::state::{self, Runtime};
use crate::sync::{Wait, tasks};
use crate::team::{Request, Team};
use core::ffi::c_int;
use tasks::Standing;

/// A `shmemx_req_t *` of the C caller: where the number of a task lies. 0 is `SHMEMX_REQ_INVALID`, the number of a
/// request that was found complete.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Req(*mut tasks::Id);

const INVALID: tasks::Id = 0;

impl Req {
    #[inline]
    pub(super) fn check(self, routine: &str) {
        if self.0.is_null() {
            fatal(routine, "req is null");
        }
    }

    fn get(self) -> tasks::Id {
        // SAFETY: not null, and the C caller promises a request there. Callers check it first.
        unsafe { self.0.read() }
    }

    fn set(self, id: tasks::Id) {
        // SAFETY: as for `get`.
        unsafe { self.0.write(id) }
    }
}

impl Call {
    /// Starts a request. `signature` is what its members compare. If as many requests of the team as can be are under
    /// way, the oldest has to end first.
    #[inline(always)] // as in `plan::run`
    pub(super) fn start(
        &self,
        req: Req,
        signature: u64,
        asked: Asked,
        buffers: Buffers<'static>,
        staged: Option<Box<Staged>>,
    ) {
        let team = self.team.expect("active sets have no requests");
        let which = (team.sync_slot_number(), team.next_request());
        let place = short::place(which);
        if !has_room(which, place) {
            wait_for_room(self.rt, which);
        }
        team.here(&self.rt.node, self.routine).renew_lines(which.1);
        let short = match &self.group {
            Group::IntraNode(IntraNode::Team(here)) if !staged.as_ref().is_some_and(|staged| staged.goes_back()) => {
                short::start(*here, which, place, signature, asked, (buffers.dest.dest(), buffers.source.source()))
            }
            _ => None,
        };
        req.set(
            short.unwrap_or_else(|| start_task(self.rt, self.routine, team, which, signature, asked, buffers, staged)),
        );
    }
}

#[inline(never)] // short requests keep their registers
fn start_task(
    rt: &'static Runtime,
    routine: &'static str,
    team: &'static Team,
    which: (usize, u64),
    signature: u64,
    asked: Asked,
    buffers: Buffers<'static>,
    staged: Option<Box<Staged>>,
) -> tasks::Id {
    tasks::start(
        which,
        Box::pin(async move {
            let request = Request::new(which.1, signature);
            let group = MessageGroup::of(rt, routine, team, Some(&request));
            let got = asked.play(&group, buffers, true).await;
            group.end();
            if let Some(staged) = staged {
                staged.finish(got);
            }
        }),
    )
}

/// The number of the last request that must have ended before the one with this number starts.
fn oldest(number: u64) -> u64 {
    number.saturating_sub(UNDER_WAY as u64)
}

/// Whether a request can start. `which`: sync slot of the team, and number. `place`: what [`short::place`] gives.
#[inline]
fn has_room(which: (usize, u64), place: Option<&short::Place>) -> bool {
    short::make_room(which, place) && tasks::have_ended(which.0, oldest(which.1))
}

#[cold]
#[inline(never)]
fn wait_for_room(rt: &Runtime, which: (usize, u64)) {
    let is_in_the_way = |_, (of, number)| of == which.0 && number <= oldest(which.1);
    let what = || short::awaited_before(which).unwrap_or_else(|| tasks::awaited(is_in_the_way));
    rt.node.own_waiter().until_told(|| has_room(which, short::place(which)), what);
}

/// `shmemx_req_test`: 0 if the request is complete, which then becomes invalid.
pub(crate) fn test(routine: &'static str, req: Req) -> c_int {
    let rt = state::up(routine);
    req.check(routine);
    let complete = is_complete(routine, req) || {
        rt.node.own_waiter().pass();
        is_complete(routine, req)
    };
    c_int::from(!complete)
}

/// `shmemx_req_wait`: returns when the request is complete, which then becomes invalid.
pub(crate) fn wait(routine: &'static str, req: Req) {
    if state::is_child() {
        return; // a forked child does not wait for the parent's collective
    }
    let rt = state::up(routine);
    req.check(routine);
    if !found_complete(routine, req) {
        wait_for(rt, routine, req);
    }
}

#[inline(never)] // a request that is complete is found so without another call
fn wait_for(rt: &Runtime, routine: &str, req: Req) {
    let id = req.get();
    let what = || short::awaited(id).unwrap_or_else(|| tasks::awaited(|task, _| task == id));
    rt.node.own_waiter().until_told(|| is_complete(routine, req), what);
}

/// Ends the job if requests of a team are under way, or of any team. The team, or the library, is about to end.
pub(crate) fn none_under_way(routine: &str, team: Option<&Team>) {
    let count = tasks::going_on(team.map(Team::sync_slot_number), u64::MAX) + short::going_on(team);
    if count > 0 {
        let of = if team.is_some() { " of the team" } else { "" };
        let what =
            format_args!("collectives{of} that were started and are not complete: {count} (see shmemx_req_wait)");
        fatal(routine, what);
    }
}

#[inline(never)]
fn is_complete(routine: &str, req: Req) -> bool {
    found_complete(routine, req)
}

#[inline(always)]
fn found_complete(routine: &str, req: Req) -> bool {
    let id = req.get();
    if id == INVALID {
        fatal(routine, "req is SHMEMX_REQ_INVALID: it was found complete before, or never started");
    }
    match short::take(id).unwrap_or_else(|| tasks::take(id)) {
        Standing::GoesOn => return false,
        Standing::Ended => req.set(INVALID),
        Standing::Unknown => fatal(routine, format_args!("req {id:#x} is not under way: is it a copy?")),
    }
    true
}
