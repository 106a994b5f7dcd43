//! Collectives. Each is written once, over [`Group`]: a team or an active set. If not all members are on one node, they
//! send messages ([`messages`]) or call MPI's collectives.
//!
//! On one node, small data travels with the arrival, in one barrier. Larger data is written into the peers' buffers
//! before a barrier. If buffers cannot be written, data is read from its owner, between a barrier (sources are ready)
//! and another one (sources may be reused).
//!
//! Each collective has a file with all its algorithms. [`select`] has the table that chooses among them.

mod active_set;
mod agree;
mod allgather;
mod alltoall;
mod at_once;
mod barrier;
mod broadcast;
mod buffer;
mod bytes;
pub(crate) mod check;
mod collect;
mod dissemination;
mod exchange;
mod group;
mod hierarchy;
mod intra_node;
mod message_group;
mod messages;
mod op;
mod plan;
mod rabenseifner;
#[cfg(test)]
#[path = "../../../../benches/scale/runtime/recorded.rs"]
mod recorded;
#[cfg(test)]
#[path = "../../../../benches/scale/runtime/recorder.rs"]
mod recorder;
#[cfg(test)]
#[path = "../../../../benches/scale/runtime/recording.rs"]
mod recording;
mod recursive_doubling;
mod reduce;
mod requests;
mod scan;
mod select;
mod short;
mod staged;
#[cfg(test)]
mod threads;

pub(crate) use active_set::SetArgs;
pub(crate) use allgather::fcollect;
pub(crate) use alltoall::{alltoall, alltoalls};
pub(crate) use barrier::{barrier, barrier_all, complete, start_barrier_all, sync, sync_all, sync_ends, sync_world};
pub(crate) use broadcast::broadcast;
pub(crate) use collect::collect;
pub(crate) use exchange::Posted;
pub(crate) use group::Group;
pub(crate) use message_group::end as end_communicator;
pub(crate) use op::{And, Complex, LongDouble, Max, Min, Or, Prod, Real16, Sum, Xor};
pub(crate) use plan::{Asked, run, run_in_set, start};
pub(crate) use reduce::{reduce, reduce_in_set};
pub(crate) use requests::{Req, none_under_way, test, wait};
pub(crate) use scan::{exscan, inscan};

use crate::args::{self, Alone};
use crate::env::CollOrder;
use crate::env::coll_select::CollSelect;
use crate::state::{self, Runtime};
use crate::team::{Team, TeamHandle};
use buffer::Buffers;

/// The members of a collective, as the C caller names them: a team or an active set.
pub(crate) trait Whom: Copy {
    /// A call of `routine` by these members.
    fn call(self, routine: &'static str) -> Call;
}

impl Whom for TeamHandle {
    // See `plan::run`.
    #[inline(always)]
    fn call(self, routine: &'static str) -> Call {
        let rt = state::up(routine);
        Call::of_team(rt, routine, args::team(rt, routine, self))
    }
}

impl Whom for SetArgs {
    #[inline(always)]
    fn call(self, routine: &'static str) -> Call {
        let rt = state::up(routine);
        Call { rt, routine, team: None, group: Group::of_set(rt, routine, self) }
    }
}

/// A call of a collective.
pub(crate) struct Call {
    rt: &'static Runtime,
    routine: &'static str,
    /// None for an active set.
    team: Option<&'static Team>,
    pub(crate) group: Group<'static>,
}

impl Call {
    #[inline(always)]
    pub(crate) fn of_team(rt: &'static Runtime, routine: &'static str, team: &'static Team) -> Call {
        Call { rt, routine, team: Some(team), group: Group::of_team(rt, routine, team) }
    }

    /// Compares the members' calls: see [`check::alike`]. Members of an active set do not compare theirs.
    #[inline(always)]
    pub(crate) fn alike(&self, addresses: [usize; 2], rest: [u64; 3]) -> Alone {
        match self.team {
            Some(team) if self.rt.env.debug => check::alike(self.rt, self.routine, team, &self.group, addresses, rest),
            _ => Alone::FREE,
        }
    }

    /// The buffers dest and source, checked on this PE. With `SHMEM_DEBUG` all members' calls are compared afterwards,
    /// so a PE's own mistake is reported first. Buffers of 0 bytes are neither checked nor compared.
    #[inline(always)]
    fn checked(&self, addresses: [usize; 2], asked: Asked) -> (Buffers<'static>, Alone) {
        let (lens, rest) = asked.compared(self);
        let range = |i: usize| (addresses[i], lens[i]);
        let buffers = check::buffers(self.rt, self.routine, range(0), range(1), asked.in_place());
        let compared = [0, 1].map(|i| if lens[i] == 0 { 0 } else { addresses[i] });
        let alone = self.alike(compared, rest);
        // After the comparison, which says more than a signature that differs.
        if let Some(team) = self.team {
            team.set_signature(check::signature(asked.kind(), lens, rest));
        }
        (buffers, alone)
    }

    /// The bytes of source and dest of all members together.
    fn moved(&self, buffers: &Buffers<'_>) -> usize {
        self.group.size().saturating_mul(buffers.dest.len().saturating_add(buffers.source.len()))
    }

    /// Reductions combine elements in the order of the members, whoever shares a node.
    #[inline(always)]
    fn strict(&self) -> bool {
        self.rt.env.coll_order == CollOrder::Strict
    }

    /// The algorithms that `OSHMPI_COLL_SELECT` names.
    fn chosen(&self) -> CollSelect {
        self.rt.env.coll_select
    }
}
