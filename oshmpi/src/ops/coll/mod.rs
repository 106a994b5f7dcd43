//! Collectives. Every one of them is written once, over [`Group`]: a team, or an active set of the old interface. Members
//! that are not all on one node send each other messages, or call MPI's collectives: see `inter_node`. On a node:
//!
//! Small data travels with the arrival: one round. Larger data is written into the peers' buffers, one round behind it, or read
//! where it lies, a round before (sources are ready) and one after (sources may be reused).

mod active;
mod buffer;
pub(crate) mod check;
mod group;
mod inter_node;
mod r#move;
mod real16;
mod reduce;
mod scan;
mod transfer;

pub(crate) use group::Group;
pub(crate) use inter_node::end_communicator;
pub(crate) use r#move::{alltoall, alltoalls, broadcast, collect, fcollect};
pub(crate) use r#move::{set_alltoall, set_alltoalls, set_broadcast, set_collect, set_fcollect};
pub(crate) use real16::Real16;
pub(crate) use reduce::{And, Complex, LongDouble, Max, Min, Or, Prod, Sum, Xor, reduce, to_all, to_all_of};
pub(crate) use scan::{exscan, inscan};

use crate::args;
use crate::ctx::Ctx;
use crate::ops::order;
use crate::state::{self, Runtime};
use crate::team::TeamHandle;
use core::ffi::{c_int, c_long};

/// All PEs meet. On a node puts and AMOs of before are complete when issued, and a round orders them.
#[inline]
pub(crate) fn sync_world(rt: &Runtime) {
    Group::of_team(rt, "shmem_barrier_all", &rt.world).barrier();
}

/// `shmem_barrier_all`: what was issued on the default context is complete everywhere, then all meet.
#[inline]
pub(crate) fn barrier_all(routine: &'static str) {
    complete(state::up(routine), routine);
    sync_all(routine);
}

/// `shmem_sync_all`.
#[inline]
pub(crate) fn sync_all(routine: &'static str) {
    let rt = state::up(routine);
    let group = Group::of_team(rt, routine, &rt.world);
    let _alone = check::alike(rt, routine, &rt.world, &group, [0; 2], [0; 3]);
    group.barrier();
}

/// `shmem_team_sync`.
pub(crate) fn team_sync(routine: &'static str, team: TeamHandle) -> c_int {
    let rt = state::up(routine);
    let team = args::team(rt, routine, team);
    let group = Group::of_team(rt, routine, team);
    let _alone = check::alike(rt, routine, team, &group, [0; 2], [0; 3]);
    group.barrier();
    0
}

/// Completes what was issued on the default context, for those collectives that promise it: on a node it is complete.
#[inline]
pub(crate) fn complete(rt: &'static Runtime, routine: &'static str) {
    if rt.remote.is_some() {
        order::quiet_remote(rt, routine, Ctx::DEFAULT);
    }
}

/// `shmem_sync` on an active set.
///
/// # Safety
/// What C promises of pSync.
pub(crate) unsafe fn sync(routine: &'static str, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    let rt = state::up(routine);
    // SAFETY: passed on to the caller.
    unsafe { Group::of_set(rt, routine, (start, log_stride, size), psync, None) }.barrier();
}

/// `shmem_barrier` on an active set: also completes what the members issued on the default context.
///
/// # Safety
/// What C promises of pSync.
pub(crate) unsafe fn barrier(routine: &'static str, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    complete(state::up(routine), routine);
    // SAFETY: passed on.
    unsafe { sync(routine, start, log_stride, size, psync) }
}
