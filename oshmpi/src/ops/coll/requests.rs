//! Collectives that are started and go on beside the program, as tasks: see [`tasks`]. A request plays the same
//! algorithm as the blocking call between nodes, also where all members are on one node.

use super::Call;
use super::buffer::Buffers;
use super::message_group::MessageGroup;
use super::plan::Asked;
use crate::diag::fatal;
use crate::memory::node::UNDER_WAY;
use crate::state;
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
    fn check(self, routine: &str) {
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
    pub(super) fn start(self, req: Req, signature: u64, asked: Asked, buffers: Buffers<'static>) -> c_int {
        let (rt, routine, team) = (self.rt, self.routine, self.team.expect("active sets have no requests"));
        req.check(routine);
        let (slot, number) = (team.sync_slot_number(), team.next_request());
        let oldest = number.saturating_sub(UNDER_WAY as u64);
        let has_room = || {
            tasks::poll();
            tasks::going_on(Some(slot), oldest) == 0
        };
        let is_in_the_way = |_, (of, number)| of == slot && number <= oldest;
        rt.node.own_waiter().until_told(has_room, || tasks::awaited(is_in_the_way));
        req.set(tasks::start(
            (slot, number),
            Box::pin(async move {
                let request = Request::new(number, signature);
                let group = MessageGroup::of(rt, routine, team, Some(&request));
                asked.play(&group, buffers, true).await;
                group.end();
            }),
        ));
        0
    }
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
    let rt = state::up(routine);
    req.check(routine);
    let id = req.get();
    rt.node.own_waiter().until_told(|| is_complete(routine, req), || tasks::awaited(|task, _| task == id));
}

/// Ends the job if requests of a team are under way, or of any team. The team, or the library, is about to end.
pub(crate) fn none_under_way(routine: &str, team: Option<&Team>) {
    let count = tasks::going_on(team.map(Team::sync_slot_number), u64::MAX);
    if count > 0 {
        let of = if team.is_some() { " of the team" } else { "" };
        let what =
            format_args!("collectives{of} that were started and are not complete: {count} (see shmemx_req_wait)");
        fatal(routine, what);
    }
}

fn is_complete(routine: &str, req: Req) -> bool {
    let id = req.get();
    if id == INVALID {
        fatal(routine, "req is SHMEMX_REQ_INVALID: it was found complete before, or never started");
    }
    match tasks::take(id) {
        Standing::GoesOn => return false,
        Standing::Ended => req.set(INVALID),
        Standing::Unknown => fatal(routine, format_args!("req {id:#x} is not under way: is it a copy?")),
    }
    true
}
