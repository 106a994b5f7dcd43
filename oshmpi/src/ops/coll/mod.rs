//! Collectives among PEs of one node. Every one of them is written once, over [`Group`]: a team, or an active set of the
//! old interface.
//!
//! Small data travels with the arrival: one meeting. Larger data is read from the peers' buffers where they lie: a
//! meeting before (sources are ready) and one after (sources may be reused).

mod active;
mod buffer;
mod check;
mod group;
mod r#move;
mod real16;
mod reduce;
mod scan;

pub(crate) use active::{barrier, sync};
pub(crate) use r#move::{alltoall, alltoalls, broadcast, collect, fcollect};
pub(crate) use r#move::{set_alltoall, set_alltoalls, set_broadcast, set_collect, set_fcollect};
pub(crate) use real16::Real16;
pub(crate) use reduce::{And, Complex, LongDouble, Max, Min, Or, Prod, Sum, Xor, reduce, to_all};
pub(crate) use scan::{exscan, inscan};

use crate::args;
use crate::state::{self, Runtime};
use crate::team::TeamHandle;
use core::ffi::c_int;

/// All PEs meet. Stores, puts and AMOs of before are visible after: on the node they are complete when issued, and a
/// meeting orders them.
#[inline]
pub(crate) fn barrier_all(rt: &Runtime) {
    rt.world.on(&rt.node).meet();
}

/// `shmem_barrier_all` and `shmem_sync_all` as the program calls them.
#[inline]
pub(crate) fn meet_world(routine: &'static str) {
    let rt = state::up(routine);
    let world = rt.world.on(&rt.node);
    let _alone = check::alike(rt, routine, &world, 0, 0, [0; 3]);
    world.meet();
}

/// `shmem_team_sync`.
pub(crate) fn team_sync(routine: &'static str, team: TeamHandle) -> c_int {
    let rt = state::up(routine);
    let team = args::team(rt, routine, team).on(&rt.node);
    let _alone = check::alike(rt, routine, &team, 0, 0, [0; 3]);
    team.meet();
    0
}
