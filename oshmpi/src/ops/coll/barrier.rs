//! barrier and sync of all PEs, of a team and of an active set.

use super::at_once::at_once;
use super::dissemination::notify_all;
use super::group::Group;
use super::hierarchy::NodeStage;
use super::intra_node::IntraNode;
use super::messages::MemberMessages;
use super::plan::{self, Asked};
use super::requests::Req;
use super::{SetArgs, Whom, select};
use crate::ctx::Ctx;
use crate::env::coll_select::{Algorithm, Collective};
use crate::mpi::collective::MpiCollective;
use crate::ops::order;
use crate::state::{self, Runtime};
use crate::team::TeamHandle;
use core::ffi::c_int;

impl Group<'_> {
    /// No member leaves before all members have arrived.
    #[inline]
    pub(crate) fn barrier(&self) {
        match self {
            Group::IntraNode(IntraNode::Team(t)) => t.sync(),
            Group::IntraNode(IntraNode::Set(s)) => s.barrier(0),
            Group::InterNode(group) => at_once(|| between(&**group)),
        }
    }
}

/// A barrier of all PEs. On a node, earlier puts and AMOs are complete when their call returns, and the barrier orders
/// them.
#[inline]
pub(crate) fn sync_world(rt: &Runtime) {
    Group::of_team(rt, "shmem_barrier_all", &rt.world).barrier();
}

/// A barrier of all PEs at their end: in finalize, or after the program's end. Between nodes a separate tag keeps it
/// apart from other barriers; on a node see `life::wait_for_ends`. Bound between nodes: log2 n rounds, rounded up, with
/// one message each.
pub(crate) fn sync_ends(rt: &Runtime) {
    match Group::of_team(rt, "shmem_finalize", &rt.world) {
        Group::InterNode(group) => {
            let all = group.for_the_end();
            at_once(|| notify_all(&all));
        }
        group => group.barrier(),
    }
}

/// `shmem_barrier_all`: completes the operations of the default context, then synchronises all PEs.
#[inline]
pub(crate) fn barrier_all(routine: &'static str) {
    complete(state::up(routine), routine);
    sync_all(routine);
}

/// `shmem_sync_all`.
#[inline]
pub(crate) fn sync_all(routine: &'static str) {
    sync(routine, TeamHandle::WORLD);
}

/// `shmem_team_sync`, and `shmem_sync` on an active set.
#[inline]
pub(crate) fn sync(routine: &'static str, whom: impl Whom) {
    let call = whom.call(routine);
    let _alone = call.alike([0; 2], [0; 3]);
    call.group.barrier();
}

/// `shmem_barrier` on an active set: also completes the members' operations on the default context.
pub(crate) fn barrier(routine: &'static str, set: SetArgs) {
    complete(state::up(routine), routine);
    sync(routine, set);
}

/// `shmemx_barrier_all_nb`: completes the operations of the default context, then starts a barrier of all PEs.
pub(crate) fn start_barrier_all(routine: &'static str, req: Req) -> c_int {
    complete(state::up(routine), routine);
    plan::start(routine, TeamHandle::WORLD, [0; 2], || Asked::Barrier, req)
}

/// Completes the operations of the default context, for collectives that promise it. On a node they are complete.
#[inline]
pub(crate) fn complete(rt: &'static Runtime, routine: &'static str) {
    if rt.remote.is_some() {
        order::quiet_remote(rt, routine, Ctx::DEFAULT);
    }
}

/// Between nodes: no member leaves before all members have arrived. Bound: a leader sends log2 of the nodes messages,
/// rounded up, of one byte; other members send none.
pub(super) async fn between<W: MemberMessages>(w: &W) {
    if w.by_mpi(Collective::Barrier, &MpiCollective::Barrier) {
        return;
    }
    match (select::between(w, Collective::Barrier, 0, 0), w.hierarchy()) {
        (Algorithm::Hierarchical, Some(nodes)) => {
            // The leader waits for its node, the leaders for each other, each node for its leader.
            nodes.here.gather().await;
            if nodes.leads() {
                notify_all(&nodes.leaders(w)).await;
            }
            nodes.here.release().await;
        }
        _ => notify_all(w).await,
    }
}
