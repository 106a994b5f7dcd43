//! A group whose members send each other messages, by the job's carrier.

use super::active_set::ActiveSet;
use super::agree::{self, Combined};
use super::at_once::at_once;
use super::buffer::{Buffer, Buffers};
use super::hierarchy::{self, Hierarchy, NodeStage, Side};
use super::intra_node::{IntraNode, Placed};
use super::messages::{MemberMessages, Message};
use super::{bytes, select};
use crate::diag::fatal;
use crate::env::CollOrder;
use crate::env::coll_select::{CollSelect, Collective};
use crate::memory::local::{Dest, Source};
use crate::memory::node::EAGER_BYTES;
use crate::mpi::collective::{Combine, Exact, MpiCollective};
use crate::mpi::{self, Comm};
use crate::net::NetError;
use crate::net::Progress;
use crate::net::carrier::Carrier;
use crate::net::comm_cache::{CommCache, Key};
use crate::net::tagged::{self, InFlight, Kind, TaggedMessages, job_comm};
use crate::state::Runtime;
use crate::sync::awaited::Awaited;
use crate::sync::{Wait, order, tasks};
use crate::team::{Layout, Members, NodeRequest, PLACED, Request, Team, TeamHandle};
use core::cell::{Cell, RefCell};
use core::ffi::c_int;
use smallvec::SmallVec;
use std::sync::Arc;

/// Bytes up to which a receive is posted behind the sends of its step. Posting takes a fortieth of a step of short
/// messages. A longer message that comes before its receive costs more: MPI copies it, or keeps its sender waiting.
const POSTED_LATER: usize = 4 << 10;

/// The members of a group, in a call of `routine`, which only send messages.
#[derive(Clone, Copy)]
pub(super) struct Direct<'a> {
    rt: &'a Runtime,
    routine: &'static str,
    members: Members,
    me: usize,
    /// The tag of a team is the number of its sync slot: equal on all members, and different for every team of a PE,
    /// because threads may be in collectives of different teams at the same time. All active sets have one tag, because
    /// any two PEs see the collectives of their common sets in the same order.
    tag: c_int,
    /// A member waits inside. Else it is a task, which goes on when it is polled.
    waits: bool,
}

/// A group on several nodes that has the caller as a member.
pub(crate) struct MessageGroup<'a> {
    direct: Direct<'a>,
    /// The team, whose members on one node use its sync slots. None for an active set.
    team: Option<&'a Team>,
    /// The request of the team for which the group is, and which may then be on one node. None for a blocking call.
    request: Option<&'a Request>,
    /// The layout of an active set. A team keeps its layout.
    layout: Option<Layout>,
    /// The symmetric buffers of the call, if it has some.
    buffers: Cell<Option<Buffers<'a>>>,
}

impl<'a> MessageGroup<'a> {
    #[inline(never)] // calls on a node keep their registers
    pub(super) fn team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> Box<MessageGroup<'a>> {
        Box::new(MessageGroup::of(rt, routine, team, None))
    }

    /// The members of a team, in a call that waits or in a request.
    pub(super) fn of(
        rt: &'a Runtime,
        routine: &'static str,
        team: &'a Team,
        request: Option<&'a Request>,
    ) -> MessageGroup<'a> {
        let (members, me, slot) = (team.members, team.me as usize, team.sync_slot_number());
        let tag = request.map_or(slot as c_int, |request| tagged::of_request(slot, request.number));
        let direct = Direct { rt, routine, members, me, tag, waits: request.is_none() };
        MessageGroup { direct, team: Some(team), request, layout: None, buffers: Cell::new(None) }
    }

    /// A member of a request needs nothing from the others any more.
    pub(super) fn end(&self) {
        if let Some(Hierarchy { here: NodeMembers { group: Here::Steps(request), .. }, .. }) = self.hierarchy() {
            request.end();
        }
    }

    /// Whether the group is a team on one node, which has no messages.
    fn on_one_node(&self) -> bool {
        self.team.is_some_and(|team| team.layout(&self.direct.rt.node).nodes() == 1)
    }

    #[inline(never)] // as `team`
    pub(super) fn set(rt: &'a Runtime, routine: &'static str, members: Members, me: usize) -> Box<MessageGroup<'a>> {
        let layout = Some(Layout::new(members, &rt.node.placement));
        let direct = Direct { rt, routine, members, me, tag: tagged::SETS, waits: true };
        Box::new(MessageGroup { direct, team: None, request: None, layout, buffers: Cell::new(None) })
    }

    /// Adds the symmetric buffers of the call, which members of a node read and write on each other.
    pub(super) fn with(&self, buffers: Buffers<'a>) -> &Self {
        self.buffers.set(Some(buffers));
        self
    }

    /// The members, for the barrier at the end of all PEs.
    pub(super) fn for_the_end(&self) -> Direct<'a> {
        Direct { tag: tagged::ENDS, ..self.direct }
    }

    /// The world PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        self.direct.pe(member)
    }

    /// Whether all collectives of this group go by messages.
    pub(super) fn by_messages(&self) -> bool {
        self.direct.rt.comm_cache.is_none()
    }

    /// The group's communicator, if MPI does its collectives. All members call this in the same call.
    fn communicator(&self, cache: &CommCache) -> Option<Arc<Comm>> {
        let Members { start, stride, size, .. } = self.direct.members; // of several nodes: no list
        let key = self.team.map_or(Key::Set(start, stride, size), |team| Key::Team(team.sync_slot_number()));
        match cache.find(key) {
            None if cache.count_use(key) => self.make_communicator(cache, key),
            found => found,
        }
    }

    /// Makes the communicator, if all members can keep one more. Collective over the group.
    #[cold]
    fn make_communicator(&self, cache: &CommCache, key: Key) -> Option<Arc<Comm>> {
        // After the agreement all members are about to make the communicator. That waits inside MPI, where this PE does
        // not serve others.
        if at_once(|| agree::between(&self.direct, Combined::of(&[cache.has_room(key).into()]))).least(0) == 0 {
            return None;
        }
        let Direct { members: Members { start, stride, size, .. }, routine, tag, .. } = self.direct;
        match job_comm().and_then(|comm| comm.part(start, stride, size, tag)) {
            Ok(comm) => Some(cache.keep(key, comm)),
            Err(e) => fatal(routine, format_args!("cannot make a communicator of {size} PEs: {e}")),
        }
    }

    /// The members of the group that will be in a new team, which has the caller.
    pub(super) fn within(&self, members: Members) -> Direct<'a> {
        let me = members.index(self.direct.rt.pe.0).expect("a PE wants teams that it is in") as usize;
        Direct { members, me, ..self.direct }
    }

    /// Does the call by MPI.
    fn whole(&self, comm: &Comm, call: &MpiCollective<'_>) {
        order::message_leaves();
        // SAFETY: the makers of the buffers have promised them until the call that got them returns, and that call
        // waits below until the collective has ended. An error ends the process.
        let started = unsafe { comm.start((self.me(), self.size()), call) };
        let started = started.unwrap_or_else(|e| fatal(self.direct.routine, format_args!("cannot do it by MPI: {e}")));
        at_once(|| self.direct.finish(comm, InFlight::of_collective(started.request)));
        drop(started.kept);
    }

    /// After a barrier of all PEs: if a sweep is due and some PE has no room, all PEs free old communicators.
    fn sweep(&self, cache: &CommCache, world: &Comm) {
        let Some(full) = cache.barrier_of_all() else { return };
        let mut any = [u8::from(full)];
        let dest = Dest::of_slice(&mut any);
        const ANY: Exact = Exact::new(Combine::Or, 1, false).expect("bits can be combined");
        self.whole(world, &MpiCollective::Reduce { op: ANY, dest, source: bytes::written(dest), n: 1 });
        if any != [0] {
            cache.sweep().into_iter().for_each(|key| end(self.direct.routine, cache, key));
        }
    }
}

impl Direct<'_> {
    /// The world PE of a member.
    fn pe(&self, member: usize) -> u32 {
        self.members.world(member as u32)
    }

    /// Returns when all messages have ended.
    async fn finish<T: TaggedMessages>(&self, carrier: &T, in_flight: InFlight<T::Request>) {
        let in_flight = RefCell::new(in_flight);
        let ready = || match carrier.ended(&mut in_flight.borrow_mut()) {
            Ok(ended) => {
                if self.waits {
                    Progress::polled(); // a task may be polled by the progress thread
                }
                ended
            }
            Err(e) => fatal(self.routine, format_args!("cannot exchange messages with the other PEs: {e}")),
        };
        let what = || match in_flight.borrow().first() {
            Some(Kind::From { pe, .. }) => Awaited::Peer { pe, request: 0 },
            Some(Kind::SentTo(pe)) => Awaited::Answer { pe },
            Some(Kind::Collective) | None => Awaited::Other,
        };
        if self.waits {
            self.rt.node.own_waiter().until_told(ready, what);
        } else {
            tasks::until(ready, what).await;
        }
        order::message_is_here();
    }

    /// See `MemberMessages::transfer`. Short receives are posted behind the sends, which travel meanwhile.
    async fn transfer_by<'m, T: TaggedMessages>(&self, carrier: &T, messages: impl IntoIterator<Item = Message<'m>>) {
        order::message_leaves();
        let mut in_flight = InFlight::default();
        let mut later = SmallVec::<[(usize, Dest); 1]>::new();
        let receive = |in_flight: &mut InFlight<T::Request>, from, to| {
            let pe = self.pe(from);
            // SAFETY: the maker of `to` has promised it until the call that got it returns, and that call waits below
            // until all messages have ended. An error ends the process.
            self.sent(pe, unsafe { carrier.receive(in_flight, pe, self.tag, to) });
        };
        for message in messages {
            match message {
                Message::Send(to, from) => {
                    let pe = self.pe(to);
                    // SAFETY: as for a receive.
                    self.sent(pe, unsafe { carrier.send(&mut in_flight, pe, self.tag, from) });
                }
                Message::Receive(from, to) if to.len() <= POSTED_LATER => later.push((from, to)),
                Message::Receive(from, to) => receive(&mut in_flight, from, to),
            }
        }
        later.into_iter().for_each(|(from, to)| receive(&mut in_flight, from, to));
        self.finish(carrier, in_flight).await;
    }

    /// Ends the job after an error of a message, because the other members wait for it.
    fn sent(&self, pe: u32, result: Result<(), NetError>) {
        if let Err(e) = result {
            fatal(self.routine, format_args!("cannot exchange messages with PE {pe}: {e}"));
        }
    }
}

impl<'a> MemberMessages for Direct<'a> {
    type Node = NodeMembers<'a>;

    fn size(&self) -> usize {
        self.members.size as usize
    }

    fn me(&self) -> usize {
        self.me
    }

    async fn transfer<'m>(&self, messages: impl IntoIterator<Item = Message<'m>>) {
        match self.rt.carrier {
            Some(Carrier::Mpi(comm)) => self.transfer_by(comm, messages).await,
            Some(Carrier::Native(native)) => self.transfer_by(native, messages).await,
            None => assert!(messages.into_iter().next().is_none(), "a job on several nodes has a carrier"),
        }
    }
}

impl<'a> MemberMessages for MessageGroup<'a> {
    type Node = NodeMembers<'a>;

    fn size(&self) -> usize {
        self.direct.size()
    }

    fn me(&self) -> usize {
        self.direct.me
    }

    async fn transfer<'m>(&self, messages: impl IntoIterator<Item = Message<'m>>) {
        self.direct.transfer(messages).await;
    }

    fn hierarchy(&self) -> Option<Hierarchy<'_, NodeMembers<'a>>> {
        let (rt, members) = (self.direct.rt, self.direct.members);
        let layout = self.layout.as_ref().or_else(|| Some(self.team?.layout(&rt.node)))?;
        if layout.nodes() == layout.members() {
            return None;
        }
        let node = layout.node(self.me());
        let here = |team: &'a Team| team.here(&rt.node, self.direct.routine);
        let group = match (self.team, self.request) {
            (Some(team), Some(request)) => Here::Steps(here(team).in_request(request)),
            (Some(team), None) => Here::Waits(IntraNode::Team(here(team))),
            (None, _) => {
                let (first, stride, size) = layout.triplet(node)?;
                let first = members.world(first as u32);
                let here = Members::spaced(first, members.stride * stride as i32, size as u32);
                Here::Waits(IntraNode::Set(ActiveSet::part(rt, here)?))
            }
        };
        Some(Hierarchy { here: NodeMembers { group, buffers: self.buffers.get() }, layout, node })
    }

    fn chosen(&self) -> CollSelect {
        if self.on_one_node() { CollSelect::NONE } else { self.direct.rt.env.coll_select }
    }

    fn strict(&self) -> bool {
        // On a node, elements are combined in the order of the members.
        self.direct.rt.env.coll_order == CollOrder::Strict && !self.on_one_node()
    }

    fn by_mpi(&self, collective: Collective, call: &MpiCollective<'_>) -> bool {
        let Some(cache) = &self.direct.rt.comm_cache else { return false };
        if !self.direct.waits || !call.fits(self.size()) || select::names_one(collective, self.chosen()) {
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

/// The members of a group that are on the caller's node.
#[derive(Clone, Copy)]
pub(super) struct NodeMembers<'a> {
    group: Here<'a>,
    buffers: Option<Buffers<'a>>,
}

/// How these members wait for each other.
#[derive(Clone, Copy)]
enum Here<'a> {
    Waits(IntraNode<'a>),
    /// A request, which goes on in steps.
    Steps(NodeRequest<'a>),
}

impl<'a> NodeMembers<'a> {
    /// The members of a group that is on one node, in a call that waits.
    pub(super) fn of(group: &IntraNode<'a>, buffers: &Buffers<'a>) -> NodeMembers<'a> {
        NodeMembers { group: Here::Waits(*group), buffers: Some(*buffers) }
    }

    /// The world PE of a member.
    fn pe(&self, member: usize) -> u32 {
        match &self.group {
            Here::Waits(group) => group.pe(member),
            Here::Steps(request) => request.team.pe(member),
        }
    }

    fn buffer(&self, side: Side) -> Buffer<'a> {
        let buffers = self.buffers.expect("a call that uses buffers of peers has them");
        match side {
            Side::Source => buffers.source,
            Side::Dest => buffers.dest,
        }
    }
}

impl NodeStage for NodeMembers<'_> {
    fn size(&self) -> usize {
        match &self.group {
            Here::Waits(group) => group.size(),
            Here::Steps(request) => request.team.size(),
        }
    }

    fn me(&self) -> usize {
        match &self.group {
            Here::Waits(group) => group.me(),
            Here::Steps(request) => request.team.me(),
        }
    }

    async fn barrier(&self) {
        match &self.group {
            Here::Waits(group) => group.barrier(),
            Here::Steps(request) => request.barrier().await,
        }
    }

    async fn signed_barrier(&self) {
        match &self.group {
            Here::Waits(group) => group.signed_barrier(),
            Here::Steps(request) => request.barrier().await,
        }
    }

    async fn notify_root(&self, root: usize) {
        match &self.group {
            Here::Waits(group) => group.notify_root(root),
            Here::Steps(request) => request.notify_root(root).await,
        }
    }

    async fn wait_for_root(&self, root: usize) {
        match &self.group {
            Here::Waits(group) => group.wait_for_root(root),
            Here::Steps(request) => request.wait_for_root(root).await,
        }
    }

    async fn gather(&self) {
        match &self.group {
            Here::Waits(group) => group.gather(),
            Here::Steps(request) => request.notify_root(0).await,
        }
    }

    async fn release(&self) {
        match &self.group {
            Here::Waits(group) => group.release(),
            Here::Steps(request) => request.wait_for_root(0).await,
        }
    }

    async fn gather_with(&self, acc: Dest<'_>, join: impl Fn(Dest<'_>, Source<'_>)) {
        match &self.group {
            Here::Waits(group) if group.has_tree() => group.gather_in_tree(acc, join),
            _ => hierarchy::gather_one_by_one(self, acc, join).await,
        }
    }

    async fn hand_out(&self, root: usize, from: Source<'_>, to: Dest<'_>) {
        match &self.group {
            Here::Waits(group) if group.hands_out_in_tree() => group.hand_out_in_tree(root, from, to),
            _ => hierarchy::hand_out_directly(self, root, from, to).await,
        }
    }

    fn eager(&self) -> usize {
        match &self.group {
            Here::Waits(IntraNode::Team(_)) => EAGER_BYTES,
            Here::Waits(IntraNode::Set(_)) => 0,
            Here::Steps(_) => PLACED,
        }
    }

    async fn place(&self, from: Source<'_>) {
        match &self.group {
            Here::Waits(group) => group.place(from),
            Here::Steps(request) => request.place(from, bytes::copy).await,
        }
    }

    fn placed(&self, member: usize, len: usize) -> Source<'_> {
        match &self.group {
            Here::Waits(group) => group.placed(member, len),
            Here::Steps(request) => request.placed(member, len),
        }
    }

    fn writable(&self, side: Side) -> bool {
        self.buffers.is_some() && self.buffer(side).writable_on_all_nodes()
    }

    fn mapped(&self, side: Side, member: usize, off: usize, len: usize) -> Option<Dest<'_>> {
        self.buffer(side).mapped(self.pe(member), off, len)
    }

    fn read(&self, side: Side, member: usize, off: usize, to: Dest) {
        self.buffer(side).read(self.pe(member), off, to);
    }
}

/// Frees a group's communicator, if it has one. Collective over the group.
pub(crate) fn end(routine: &str, cache: &CommCache, key: Key) {
    if let Some(comm) = cache.take(key)
        && mpi::usable()
        && let Err(e) = comm.end()
    {
        fatal(routine, format_args!("cannot free a communicator: {e}"));
    }
}
