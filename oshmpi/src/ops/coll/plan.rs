//! Collectives as values: what a call asks for. The same value is done in the call ([`run`]) or started ([`start`]), so
//! that checks and algorithms between members stand once.

use super::alltoall::{self, Blocks};
use super::at_once::at_once;
use super::buffer::Buffers;
use super::group::Group;
use super::intra_node::IntraNode;
use super::message_group::MessageGroup;
use super::messages::MemberMessages;
use super::op::Operation;
use super::requests::Req;
use super::scan::{self, Prefix};
use super::staged::Staged;
use super::{Call, SetArgs, Whom, allgather, barrier, broadcast, bytes, check, collect, reduce};
use crate::env::coll_select::Collective;
use crate::memory::spaces::SPACES;
use crate::team::TeamHandle;
use core::ffi::c_int;

/// What a call asks for. It does not depend on the type of the elements, beside their bytes and their operation. `len`:
/// bytes of a member's elements.
#[derive(Clone, Copy)]
pub(crate) enum Asked {
    Barrier,
    Broadcast { len: usize, root: c_int },
    Collect { len: usize },
    Allgather { len: usize },
    Alltoall { unit: usize, blocks: Blocks },
    Reduce { len: usize, op: &'static Operation },
    Scan { len: usize, prefix: &'static Prefix },
}

/// A call's collective, and how members of one node do it. What it asks for is a function, so that a call on a node
/// does not store it.
pub(crate) struct Plan<A, F> {
    pub(crate) asked: A,
    pub(super) on_node: F,
}

/// A collective among members of one node.
pub(crate) trait OnNode: FnOnce(&Call, &IntraNode<'_>, &Buffers<'_>) {}

impl<F: FnOnce(&Call, &IntraNode<'_>, &Buffers<'_>)> OnNode for F {}

/// Bytes of dest and source, and what members compare beside those: number of elements or bytes, strides, root.
type Compared = ([usize; 2], [u64; 3]);

impl Asked {
    #[inline(always)]
    pub(super) fn kind(&self) -> Collective {
        match self {
            Asked::Barrier => Collective::Barrier,
            Asked::Broadcast { .. } => Collective::Broadcast,
            Asked::Collect { .. } => Collective::Collect,
            Asked::Allgather { .. } => Collective::Allgather,
            Asked::Alltoall { .. } => Collective::Alltoall,
            Asked::Reduce { .. } => Collective::Reduce,
            Asked::Scan { .. } => Collective::Scan,
        }
    }

    /// dest may be source.
    #[inline(always)]
    pub(super) fn in_place(&self) -> bool {
        matches!(self, Asked::Reduce { .. } | Asked::Scan { .. })
    }

    /// Ends the job if an argument is out of range.
    #[inline(always)]
    pub(super) fn compared(&self, call: &Call) -> Compared {
        let members = call.group.size();
        match *self {
            Asked::Barrier => ([0; 2], [0; 3]),
            Asked::Broadcast { len, root } => {
                broadcast::check_root(call.routine, members, root);
                ([len, len], [len as u64, 0, root as u64])
            }
            // The length of dest is not known yet; it is at least that of the caller's block.
            Asked::Collect { len } => ([if call.rt.env.debug { len } else { 0 }, len], [0; 3]),
            Asked::Allgather { len } => ([len.saturating_mul(members), len], [len as u64, 0, 0]),
            Asked::Alltoall { unit, blocks } => blocks.compared(call.routine, unit, members),
            Asked::Reduce { len, .. } => ([len, len], [len as u64, 0, 0]),
            Asked::Scan { len, prefix } => ([len, len], [len as u64, prefix.inclusive.into(), 0]),
        }
    }

    /// What members do that send messages, or go on in steps. `of_team`: the call is for a team. An active set of all
    /// PEs has the group of the world. Gives the bytes of dest, if the caller could not know them.
    pub(super) async fn play<'a>(self, g: &MessageGroup<'a>, buffers: Buffers<'a>, of_team: bool) -> Option<usize> {
        let (g, dest, source) = (g.with(buffers), buffers.dest.dest(), buffers.source.source());
        match self {
            Asked::Barrier => barrier::between(g).await,
            Asked::Broadcast { root, .. } => {
                broadcast::between(g, root as usize, source, dest).await;
                if g.me() == root as usize && of_team && dest.address() != source.address() {
                    bytes::copy(dest, source);
                }
            }
            Asked::Collect { .. } => return Some(collect::between(g, buffers).await),
            Asked::Allgather { len } => {
                allgather::between(g, source, dest, |i| i * len, allgather::Symmetric::Both).await;
            }
            Asked::Alltoall { unit, blocks } => alltoall::between(g, dest, source, unit, &blocks).await,
            Asked::Reduce { op, .. } => reduce::between(g, dest, source, *op).await,
            Asked::Scan { prefix, .. } => scan::between(g, dest, source, *prefix).await,
        }
        None
    }
}

/// Does a collective.
#[inline(always)]
pub(crate) fn run(
    routine: &'static str,
    whom: impl Whom,
    dest: usize,
    source: usize,
    plan: Plan<impl Fn() -> Asked, impl OnNode>,
) {
    match SPACES.has_devices() {
        false => run_on_host(routine, whom, dest, source, plan),
        true => run_on_devices(routine, whom, dest, source, plan),
    }
}

#[cold]
#[inline(never)]
fn run_on_devices(
    routine: &'static str,
    whom: impl Whom,
    dest: usize,
    source: usize,
    plan: Plan<impl Fn() -> Asked, impl OnNode>,
) {
    let staged = Staged::new(routine, whom, [dest, source], false, (plan.asked)());
    let [dest, source] = staged.buffers;
    run_on_host(routine, whom, dest, source, plan);
    staged.finish(None);
}

/// All routines of one plan share this, unless the compiler finds it better inlined. Its arguments are words, which go
/// through registers.
#[inline]
fn run_on_host(
    routine: &'static str,
    whom: impl Whom,
    dest: usize,
    source: usize,
    plan: Plan<impl Fn() -> Asked, impl OnNode>,
) {
    // The functions it calls are inlined: that is a few instructions in each collective, while a `Call` that is
    // returned would go through memory.
    let call = whom.call(routine);
    let (buffers, _alone) = call.checked([dest, source], (plan.asked)());
    match &call.group {
        Group::IntraNode(g) => (plan.on_node)(&call, g, &buffers),
        Group::InterNode(g) => by_messages(g, buffers, (plan.asked)(), call.team.is_some()),
    }
}

/// [`run`] for an active set, by a function of its own: that of teams is then found better inlined.
#[inline(never)]
pub(crate) fn run_in_set(
    routine: &'static str,
    set: SetArgs,
    dest: usize,
    source: usize,
    plan: Plan<impl Fn() -> Asked, impl OnNode>,
) {
    let on_node = |call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>| (plan.on_node)(call, g, buffers);
    run(routine, set, dest, source, Plan { asked: plan.asked, on_node });
}

#[inline(never)]
fn by_messages<'a>(g: &MessageGroup<'a>, buffers: Buffers<'a>, asked: Asked, of_team: bool) {
    at_once(|| asked.play(g, buffers, of_team));
}

/// Starts a collective of a team. What it asks for is a function, as in [`run`]: a short request stores a part of it.
#[inline]
pub(crate) fn start(
    routine: &'static str,
    team: TeamHandle,
    [dest, source]: [usize; 2],
    asked: impl Fn() -> Asked,
    req: Req,
) -> c_int {
    req.check(routine);
    let staged = SPACES.has_devices().then(|| Staged::new(routine, team, [dest, source], true, asked()));
    let call = team.call(routine);
    let asked = asked();
    let (lens, rest) = asked.compared(&call);
    let [dest, source] = staged.as_ref().map_or([dest, source], |staged| staged.buffers);
    let buffers = check::buffers(call.rt, routine, (dest, lens[0]), (source, lens[1]), asked.in_place());
    let signature = check::signature(asked.kind(), lens, rest);
    call.start(req, signature, asked, buffers, staged);
    0
}
