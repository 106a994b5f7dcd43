//! Members of a group that send each other messages through MPI.

use super::{Stages, Wire, gather};
use crate::diag::fatal;
use crate::mpi::collective::{Collective, Combine, Exact};
use crate::mpi::message::InFlight;
use crate::mpi::{self, Comm, MpiError};
use crate::state::Runtime;
use crate::sync::{Wait, order};
use crate::team::{Members, Team, TeamHandle};
use crate::transport::collective_comm;
use crate::transport::comm_cache::{CommCache, Key};
use core::ffi::c_int;
use std::sync::Arc;

/// Tag of all active sets: any two PEs see the sets that both are in at work in the same order. A team's tag is its sync slot,
/// the same number on all members and another one for every team of a PE, because threads may be in collectives of
/// different teams at a time.
const SETS: c_int = crate::memory::node::SYNC_SLOTS as c_int;

/// A group that the caller is in, in a call of `routine`.
#[derive(Clone, Copy)]
pub(crate) struct MessageGroup<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    members: Members,
    me: usize,
    tag: c_int,
    /// A team has sync slots, so that those on one node can meet there.
    team: Option<&'a Team>,
    /// By messages from each to each, as long as the members do not know more of each other.
    straight: bool,
}

impl<'a> MessageGroup<'a> {
    pub(in super::super) fn team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> MessageGroup<'a> {
        let (members, me, tag) = (team.members, team.me as usize, team.sync_slot_number() as c_int);
        MessageGroup { rt, routine, members, me, tag, team: Some(team), straight: false }
    }

    pub(in super::super) fn set(
        rt: &'a Runtime,
        routine: &'static str,
        members: Members,
        me: usize,
    ) -> MessageGroup<'a> {
        MessageGroup { rt, routine, members, me, tag: SETS, team: None, straight: false }
    }

    /// World PE of a member.
    pub(in super::super) fn pe(&self, member: usize) -> u32 {
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
        if self.all_numbers(cache.has_room(key).into()).contains(&0) {
            return None;
        }
        let Members { start, stride, size } = self.members;
        match collective_comm::comm().part(start, stride, size, self.tag) {
            Ok(comm) => Some(cache.keep(key, comm)),
            Err(e) => fatal(self.routine, format_args!("cannot make a communicator of {size} PEs: {e}")),
        }
    }

    /// A number of every member, by messages.
    fn all_numbers(&self, mine: u32) -> Vec<u32> {
        let mut all = vec![0u32; self.size()];
        let straight = MessageGroup { straight: true, ..*self };
        // SAFETY: every member has one number, and there is room for all.
        unsafe { gather(&straight, (&raw const mine).cast(), all.as_mut_ptr().cast(), |i| i * size_of::<u32>()) };
        all
    }

    /// Does it by MPI.
    unsafe fn whole(&self, comm: &Comm, what: &Collective<'_>) {
        order::message_leaves();
        let mut pending = InFlight::default();
        // SAFETY: passed on to the caller.
        if let Err(e) = unsafe { comm.start(&mut pending, (self.me, self.size()), what) } {
            fatal(self.routine, format_args!("cannot do it by MPI: {e}"));
        }
        self.finish(pending);
    }

    /// All PEs have met: now and then those let go of old communicators together, if one of them has no room for more.
    fn met(&self, cache: &CommCache, world: &Comm) {
        let Some(full) = cache.met() else { return };
        let (mine, mut any) = (u8::from(full), 0u8);
        const ANY: Exact = Exact::new(Combine::Or, 1, false).expect("bits can be combined");
        // SAFETY: both bytes outlive it.
        unsafe { self.whole(world, &Collective::Reduce { op: ANY, dest: &mut any, source: &mine, n: 1 }) };
        if any != 0 {
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

impl Wire for MessageGroup<'_> {
    type InFlight = InFlight;

    fn size(&self) -> usize {
        self.members.size as usize
    }

    fn me(&self) -> usize {
        self.me
    }

    unsafe fn send(&self, pending: &mut InFlight, to: usize, at: *const u8, len: usize) {
        order::message_leaves();
        let pe = self.pe(to);
        // SAFETY: passed on to the caller.
        self.sent(pe, unsafe { collective_comm::comm().send(pending, pe, self.tag, at, len) });
    }

    unsafe fn receive(&self, pending: &mut InFlight, from: usize, at: *mut u8, len: usize) {
        let pe = self.pe(from);
        // SAFETY: passed on to the caller.
        self.sent(pe, unsafe { collective_comm::comm().receive(pending, pe, self.tag, at, len) });
    }

    fn finish(&self, mut pending: InFlight) {
        self.rt.node.own_waiter().until(|| match pending.ended() {
            Ok(ended) => ended,
            Err(e) => fatal(self.routine, format_args!("cannot exchange messages with the other PEs: {e}")),
        });
        order::message_is_here();
    }

    fn stages(&self) -> Option<Stages<'_>> {
        let team = self.team?;
        if self.straight {
            return None;
        }
        let parts = team.parts(|leader| self.all_numbers(leader))?;
        Some(Stages { here: team.here(&self.rt.node), parts })
    }

    unsafe fn by_mpi(&self, what: &Collective<'_>) -> bool {
        let Some(cache) = &self.rt.comm_cache else { return false };
        if !what.fits(self.size()) {
            return false;
        }
        let Some(comm) = self.communicator(cache) else { return false };
        // SAFETY: passed on to the caller.
        unsafe { self.whole(&comm, what) };
        if matches!(what, Collective::Barrier) && self.team.is_some_and(|team| team.handle == TeamHandle::WORLD) {
            self.met(cache, &comm);
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
