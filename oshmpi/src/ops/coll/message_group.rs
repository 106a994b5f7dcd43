//! Members of a group that send each other messages through MPI.

use super::agree::{self, Combined};
use super::hierarchy::Hierarchy;
use super::messages::{self, MemberMessages, Message};
use super::{bytes, op, recursive_doubling, select};
use crate::diag::fatal;
use crate::env::coll_select::{CollSelect, Collective};
use crate::mpi::collective::{Combine, Exact, MpiCollective};
use crate::mpi::message::InFlight;
use crate::mpi::{self, Comm, MpiError};
use crate::state::Runtime;
use crate::sync::awaited::Awaited;
use crate::sync::{Wait, order};
use crate::team::{Layout, Members, Team, TeamHandle};
use crate::transport::comm_cache::{CommCache, Key};
use crate::transport::job_comm;
use core::ffi::c_int;
use std::sync::Arc;

/// A group that the caller is in, in a call of `routine`.
#[derive(Clone, Copy)]
pub(crate) struct MessageGroup<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    members: Members,
    me: usize,
    /// A team's is its sync slot, the same number on all members and another one for every team of a PE, because
    /// threads may be in collectives of different teams at a time. All active sets have one: any two PEs see the sets
    /// that both are in at work in the same order.
    tag: c_int,
    /// A team has sync slots, so that its members on one node can use them.
    team: Option<&'a Team>,
    /// Neither by nodes nor by MPI: what the members need before they know how to do that.
    straight: bool,
}

impl<'a> MessageGroup<'a> {
    pub(super) fn team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> MessageGroup<'a> {
        let (members, me, tag) = (team.members, team.me as usize, team.sync_slot_number() as c_int);
        MessageGroup { rt, routine, members, me, tag, team: Some(team), straight: false }
    }

    pub(super) fn set(rt: &'a Runtime, routine: &'static str, members: Members, me: usize) -> MessageGroup<'a> {
        MessageGroup { rt, routine, members, me, tag: job_comm::SETS, team: None, straight: false }
    }

    /// The same members, for a round in which all PEs end.
    pub(super) fn for_the_end(self) -> MessageGroup<'a> {
        MessageGroup { tag: job_comm::ENDS, straight: true, ..self }
    }

    /// World PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        self.members.world(member as u32)
    }

    /// The group's communicator, where MPI is to do its collectives. All members come here at the same call.
    fn communicator(&self, cache: &CommCache) -> Option<Arc<Comm>> {
        if self.straight {
            return None;
        }
        let Members { start, stride, size } = self.members;
        let key = self.team.map_or(Key::Set(start, stride, size), |team| Key::Team(team.sync_slot_number()));
        match cache.find(key) {
            None if cache.count_use(key) => self.make_communicator(cache, key),
            found => found,
        }
    }

    /// Makes it, if all members can keep one more.
    #[cold]
    fn make_communicator(&self, cache: &CommCache, key: Key) -> Option<Arc<Comm>> {
        // Everybody is on the way to it then: making one waits inside MPI, where this PE serves nobody.
        let straight = MessageGroup { straight: true, ..*self };
        if agree::between(&straight, Combined::of(&[cache.has_room(key).into()])).least(0) == 0 {
            return None;
        }
        let Members { start, stride, size } = self.members;
        match job_comm::comm().part(start, stride, size, self.tag) {
            Ok(comm) => Some(cache.keep(key, comm)),
            Err(e) => fatal(self.routine, format_args!("cannot make a communicator of {size} PEs: {e}")),
        }
    }

    /// Those of the group's members that will be in a team, the caller among them.
    pub(super) fn within(&self, members: Members) -> MessageGroup<'a> {
        let me = members.index(self.rt.pe.0).expect("a PE wants teams that it is in") as usize;
        MessageGroup { members, me, team: None, straight: true, ..*self }
    }

    /// Does it by MPI.
    fn whole(&self, comm: &Comm, call: &MpiCollective<'_>) {
        order::message_leaves();
        let mut in_flight = InFlight::default();
        if let Err(e) = comm.start(&mut in_flight, (self.me, self.size()), call) {
            fatal(self.routine, format_args!("cannot do it by MPI: {e}"));
        }
        self.finish(in_flight, Awaited::Other);
    }

    /// Returns when all has ended, and everything that was to come is there.
    fn finish(&self, mut in_flight: InFlight, what: Awaited) {
        let ready = || match in_flight.ended() {
            Ok(ended) => ended,
            Err(e) => fatal(self.routine, format_args!("cannot exchange messages with the other PEs: {e}")),
        };
        self.rt.node.own_waiter().until_told(ready, || what);
        order::message_is_here();
    }

    /// Behind a barrier of all PEs: now and then those let go of old communicators together, if one of them has no room
    /// for more.
    fn sweep(&self, cache: &CommCache, world: &Comm) {
        let Some(full) = cache.barrier_of_all() else { return };
        let mut any = bytes::Scratch::new(1);
        let (dest, source) = (any.dest(), bytes::of_numbers(&[u8::from(full)]));
        const ANY: Exact = Exact::new(Combine::Or, 1, false).expect("bits can be combined");
        bytes::copy(dest, source);
        self.whole(world, &MpiCollective::Reduce { op: ANY, dest, source: bytes::written(dest), n: 1 });
        if any.first_byte() != 0 {
            cache.sweep().into_iter().for_each(|key| end(self.routine, cache, key));
        }
    }

    /// A message that failed cannot be repaired: the others wait for it.
    fn sent(&self, pe: u32, result: Result<(), MpiError>) {
        if let Err(e) = result {
            fatal(self.routine, format_args!("cannot exchange messages with PE {pe}: {e}"));
        }
    }
}

impl MemberMessages for MessageGroup<'_> {
    fn size(&self) -> usize {
        self.members.size as usize
    }

    fn me(&self) -> usize {
        self.me
    }

    fn transfer(&self, messages: impl IntoIterator<Item = Message>) {
        order::message_leaves();
        let (comm, mut in_flight) = (job_comm::comm(), InFlight::default());
        let mut what = Awaited::Other;
        for message in messages {
            match message {
                Message::Send(to, from) => {
                    let pe = self.pe(to);
                    self.sent(pe, comm.send(&mut in_flight, pe, self.tag, from));
                }
                Message::Receive(from, to) => {
                    let pe = self.pe(from);
                    what = Awaited::Peer { pe };
                    self.sent(pe, comm.receive(&mut in_flight, pe, self.tag, to));
                }
            }
        }
        self.finish(in_flight, what);
    }

    fn hierarchy(&self) -> Option<Hierarchy<'_>> {
        let team = self.team?;
        if self.straight {
            return None;
        }
        let straight = MessageGroup { straight: true, ..*self };
        let everybodys = |mut layout: Layout| {
            let join = |lower, upper| op::each::<Layout>(lower, upper, Layout::join);
            recursive_doubling::allreduce(&straight, bytes::into_numbers(&mut layout.0), join);
            layout
        };
        let parts = team.parts(&self.rt.node, everybodys, |leader| messages::all_numbers(&straight, &[leader]))?;
        Some(Hierarchy { here: team.here(&self.rt.node), parts })
    }

    fn chosen(&self) -> CollSelect {
        self.rt.env.coll_select
    }

    fn by_mpi(&self, collective: Collective, call: &MpiCollective<'_>) -> bool {
        let Some(cache) = &self.rt.comm_cache else { return false };
        if !call.fits(self.size()) || select::names_one(collective, self.chosen()) {
            return false;
        }
        let Some(comm) = self.communicator(cache) else { return false };
        self.whole(&comm, call);
        if matches!(call, MpiCollective::Barrier) && self.team.is_some_and(|team| team.handle == TeamHandle::WORLD) {
            self.sweep(cache, &comm);
        }
        true
    }
}

/// Gives a group's communicator back, if it has one. All members do, in the same order.
pub(crate) fn end(routine: &str, cache: &CommCache, key: Key) {
    if let Some(comm) = cache.take(key)
        && mpi::usable()
        && let Err(e) = comm.end()
    {
        fatal(routine, format_args!("cannot free a communicator: {e}"));
    }
}
