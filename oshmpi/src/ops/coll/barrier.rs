//! barrier and sync, of all PEs, of a team and of an active set.

use super::dissemination::notify_all;
use super::group::Group;
use super::hierarchy::NodeStage;
use super::intra_node::IntraNode;
use super::messages::MemberMessages;
use super::{Call, Whom, select};
use crate::ctx::Ctx;
use crate::env::coll_select::{Algorithm, Collective};
use crate::mpi::collective::MpiCollective;
use crate::ops::order;
use crate::state::{self, Runtime};
use crate::team::TeamHandle;

impl Group<'_> {
    /// Nobody leaves before everybody has come.
    #[inline]
    pub(crate) fn barrier(&self) {
        match self {
            Group::IntraNode(IntraNode::Team(t)) => t.sync(),
            Group::IntraNode(IntraNode::Set(s)) => s.barrier(0),
            Group::InterNode(group) => between(&**group),
        }
    }
}

/// Barrier of all PEs. On a node puts and AMOs of before are complete when issued, and the barrier orders them.
#[inline]
pub(crate) fn sync_world(rt: &Runtime) {
    Group::of_team(rt, "shmem_barrier_all", &rt.world).barrier();
}

/// A barrier of all PEs in which they end: in finalize, or behind the program's end. Between nodes no other barrier is
/// taken for it; on a node see `life::wait_for_ends`. log2 n rounds between nodes, rounded up, of one message each.
pub(crate) fn sync_ends(rt: &Runtime) {
    match Group::of_team(rt, "shmem_finalize", &rt.world) {
        Group::InterNode(group) => notify_all(&group.for_the_end()),
        group => group.barrier(),
    }
}

/// `shmem_barrier_all`: what was issued on the default context is complete everywhere, then all PEs synchronize.
#[inline]
pub(crate) fn barrier_all(routine: &'static str) {
    complete(state::up(routine), routine);
    sync_all(routine);
}

/// `shmem_sync_all`.
#[inline]
pub(crate) fn sync_all(routine: &'static str) {
    sync(routine, Whom::Team(TeamHandle::WORLD));
}

/// `shmem_team_sync`, and `shmem_sync` on an active set.
#[inline]
pub(crate) fn sync(routine: &'static str, whom: Whom) {
    let call = Call::new(routine, whom);
    let _alone = call.alike([0; 2], [0; 3]);
    call.group.barrier();
}

/// `shmem_barrier` on an active set: also completes what the members issued on the default context.
pub(crate) fn barrier(routine: &'static str, whom: Whom) {
    complete(state::up(routine), routine);
    sync(routine, whom);
}

/// Completes what was issued on the default context, for those collectives that promise it: on a node it is complete.
#[inline]
pub(crate) fn complete(rt: &'static Runtime, routine: &'static str) {
    if rt.remote.is_some() {
        order::quiet_remote(rt, routine, Ctx::DEFAULT);
    }
}

/// Between nodes: nobody leaves before everybody has come.
pub(super) fn between<W: MemberMessages>(w: &W) {
    if w.by_mpi(Collective::Barrier, &MpiCollective::Barrier) {
        return;
    }
    match (select::between(w, Collective::Barrier, 0, 0), w.hierarchy()) {
        (Algorithm::Hierarchical, Some(nodes)) => {
            // The leader waits for its node, the leaders for each other, each node for its leader.
            nodes.here.gather();
            if nodes.leads() {
                notify_all(&nodes.leaders(w));
            }
            nodes.here.release();
        }
        _ => notify_all(w),
    }
}
