//! Collectives. Every one of them is written once, over [`Group`]: a team, or an active set of the old interface.
//! Members that are not all on one node send each other messages ([`messages`]), or call MPI's collectives. On a
//! node:
//!
//! Small data travels with the arrival: one barrier. Larger data is written into the peers' buffers, a barrier behind
//! it, or read where it lies, a barrier before (sources are ready) and one after (sources may be reused).
//!
//! A file for each collective has all its algorithms; [`select`] has the table that says which is taken when.

mod active_set;
mod agree;
mod allgather;
mod alltoall;
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
mod rabenseifner;
#[cfg(test)]
mod recorded;
#[cfg(test)]
mod recorder;
#[cfg(test)]
mod recording;
mod recursive_doubling;
mod reduce;
mod scan;
mod select;
#[cfg(test)]
mod threads;

pub(crate) use active_set::SetArgs;
pub(crate) use allgather::fcollect;
pub(crate) use alltoall::{alltoall, alltoalls};
pub(crate) use barrier::{barrier, barrier_all, complete, sync, sync_all, sync_ends, sync_world};
pub(crate) use broadcast::broadcast;
pub(crate) use collect::collect;
pub(crate) use exchange::Posted;
pub(crate) use group::Group;
pub(crate) use message_group::end as end_communicator;
pub(crate) use op::{And, Complex, LongDouble, Max, Min, Or, Prod, Real16, Sum, Xor};
pub(crate) use reduce::reduce;
pub(crate) use scan::{exscan, inscan};

use crate::args::{self, Alone};
use crate::env::coll_select::{CollSelect, Collective};
use crate::state::{self, Runtime};
use crate::team::{Team, TeamHandle};
use buffer::Buffers;

/// Who takes part in a collective, as C names them.
#[derive(Clone, Copy)]
pub(crate) enum Whom {
    Team(TeamHandle),
    Set(SetArgs),
}

/// A collective under way.
pub(crate) struct Call {
    rt: &'static Runtime,
    routine: &'static str,
    /// None for an active set.
    team: Option<&'static Team>,
    pub(crate) group: Group<'static>,
}

impl Call {
    // Inlined with all that is below: it is a few instructions in each collective, and a call is moved through memory.
    #[inline(always)]
    fn new(routine: &'static str, whom: Whom) -> Call {
        let rt = state::up(routine);
        match whom {
            Whom::Team(handle) => Call::of_team(rt, routine, args::team(rt, routine, handle)),
            Whom::Set(set) => Call { rt, routine, team: None, group: Group::of_set(rt, routine, set) },
        }
    }

    #[inline(always)]
    pub(crate) fn of_team(rt: &'static Runtime, routine: &'static str, team: &'static Team) -> Call {
        Call { rt, routine, team: Some(team), group: Group::of_team(rt, routine, team) }
    }

    /// The members' calls are alike: see [`check::alike`]. Members of an active set do not compare theirs.
    #[inline(always)]
    pub(crate) fn alike(&self, addresses: [usize; 2], rest: [u64; 3]) -> Alone {
        match self.team {
            Some(team) if self.rt.env.debug => check::alike(self.rt, self.routine, team, &self.group, addresses, rest),
            _ => Alone::FREE,
        }
    }

    /// dest and source, of `lens` bytes: this PE's are right, and with `SHMEM_DEBUG` all members have called alike. Of
    /// buffers without bytes nothing has to be right or alike. A PE's mistake is named before the others find that its
    /// call differs.
    #[inline(always)]
    fn checked(
        &self,
        kind: Collective,
        addresses: [usize; 2],
        lens: [usize; 2],
        in_place: bool,
        rest: [u64; 3],
    ) -> (Buffers<'static>, Alone) {
        if let Some(team) = self.team {
            team.set_signature(check::signature(kind, lens, rest));
        }
        let range = |i: usize| (addresses[i], lens[i]);
        let buffers = check::buffers(self.rt, self.routine, range(0), range(1), in_place);
        let compared = [0, 1].map(|i| if lens[i] == 0 { 0 } else { addresses[i] });
        (buffers, self.alike(compared, rest))
    }

    /// Bytes of source and dest of all members.
    fn moved(&self, buffers: &Buffers<'_>) -> usize {
        self.group.size().saturating_mul(buffers.dest.len().saturating_add(buffers.source.len()))
    }

    /// What `OSHMPI_COLL_SELECT` names.
    #[inline(always)]
    fn chosen(&self) -> CollSelect {
        self.rt.env.coll_select
    }
}
