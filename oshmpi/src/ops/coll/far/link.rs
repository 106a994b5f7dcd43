//! Members of a group that send each other messages through MPI.

use super::{Stages, Wire, gather};
use crate::diag::fatal;
use crate::mpi::MpiError;
use crate::mpi::message::Pending;
use crate::state::Runtime;
use crate::sync::Wait;
use crate::team::{Members, Team};
use crate::transport::post;
use core::ffi::c_int;

/// Tag of all active sets: any two PEs see the sets that both are in at work in the same order. A team's tag is its desk,
/// the same number on all members and another one for every team of a PE, because threads may be in collectives of
/// different teams at a time.
const SETS: c_int = crate::memory::node::DESKS as c_int;

/// A group that the caller is in, in a call of `routine`.
#[derive(Clone, Copy)]
pub(crate) struct Link<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    members: Members,
    me: usize,
    tag: c_int,
    /// A team has desks, so that those on one node can meet there.
    team: Option<&'a Team>,
}

impl<'a> Link<'a> {
    pub(in super::super) fn team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> Link<'a> {
        let (members, me, tag) = (team.members, team.me as usize, team.desk_number() as c_int);
        Link { rt, routine, members, me, tag, team: Some(team) }
    }

    pub(in super::super) fn set(rt: &'a Runtime, routine: &'static str, members: Members, me: usize) -> Link<'a> {
        Link { rt, routine, members, me, tag: SETS, team: None }
    }

    /// World PE of a member.
    pub(in super::super) fn pe(&self, member: usize) -> u32 {
        self.members.world(member as u32)
    }

    /// A message that failed cannot be repaired: the others wait for it.
    fn sent(&self, pe: u32, result: Result<(), MpiError>) {
        if let Err(e) = result {
            fatal(self.routine, format_args!("cannot exchange messages with PE {pe}: {e}"));
        }
    }
}

impl Wire for Link<'_> {
    type Pending = Pending;

    fn size(&self) -> usize {
        self.members.size as usize
    }

    fn me(&self) -> usize {
        self.me
    }

    unsafe fn send(&self, pending: &mut Pending, to: usize, at: *const u8, len: usize) {
        let pe = self.pe(to);
        // SAFETY: passed on to the caller.
        self.sent(pe, unsafe { post::comm().send(pending, pe, self.tag, at, len) });
    }

    unsafe fn receive(&self, pending: &mut Pending, from: usize, at: *mut u8, len: usize) {
        let pe = self.pe(from);
        // SAFETY: passed on to the caller.
        self.sent(pe, unsafe { post::comm().receive(pending, pe, self.tag, at, len) });
    }

    fn finish(&self, mut pending: Pending) {
        self.rt.node.own_waiter().until(|| match pending.ended() {
            Ok(ended) => ended,
            Err(e) => fatal(self.routine, format_args!("cannot exchange messages with the other PEs: {e}")),
        });
    }

    fn stages(&self) -> Option<Stages<'_>> {
        let team = self.team?;
        let parts = team.parts(|leader| {
            let mut all = vec![0u32; self.size()];
            // The members do not know their parts yet.
            let alike = Link { team: None, ..*self };
            // SAFETY: every member has one number, and there is room for all.
            unsafe { gather(&alike, (&raw const leader).cast(), all.as_mut_ptr().cast(), |i| i * size_of::<u32>()) };
            all
        })?;
        Some(Stages { here: team.here(&self.rt.node), parts })
    }
}
