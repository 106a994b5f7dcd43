//! collect: every member receives the blocks of all members, in the order of the members. Blocks have any lengths, and
//! each member knows only the length of its own.

use super::allgather::Symmetric;
use super::buffer::Buffers;
use super::group::Group;
use super::hierarchy::{Hierarchy, NodeStage};
use super::intra_node::{IntraNode, from_next};
use super::message_group::MessageGroup;
use super::messages::MemberMessages;
use super::plan::{Asked, OnNode, Plan};
use super::select::{self, Shape};
use super::{Call, allgather, bytes, check};
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};

/// `shmem_collect`: this member has `nelems` elements. Ends the job if the sum of all does not fit into dest's segment.
#[inline(always)]
pub(crate) fn collect<T>(nelems: usize) -> Plan<impl Fn() -> Asked, impl OnNode> {
    Plan { asked: move || Asked::Collect { len: bytes_of::<T>(nelems) }, on_node }
}

/// Between nodes: the members first learn the places of their blocks, then exchange the blocks. Gives the bytes of all.
pub(super) async fn between<'a>(g: &MessageGroup<'a>, given: Buffers<'a>) -> usize {
    let source = given.source.source();
    let by_nodes = g.hierarchy().filter(|nodes| nodes.here.eager() > 0 && nodes.layout.blocks());
    let chosen = select::between(g, Collective::Collect, 0, 0);
    let Some(nodes) = by_nodes.filter(|_| chosen == Algorithm::Hierarchical && g.by_messages()) else {
        return by_members(g, given).await;
    };
    let places = Places::learn(g, &nodes, source.len(), given.source.place()).await;
    let mut buffers = given.of_length(places.total);
    if places.total == 0 {
        return 0;
    }
    if nodes.leads() && !buffers.dest.writable_on_all_nodes() {
        let longest = places.of_members.iter().map(|of| of.1).max();
        buffers.source = given.source.at(places.source, longest.unwrap_or(0));
    }
    let nodes = g.with(buffers).hierarchy().expect("it was there before");
    let (into, place) = (buffers.dest.dest(), |member: usize| places.of_members[member]);
    allgather::through_leader(g, &nodes, source, places.own, into, |node| places.nodes[node], place).await;
    places.total
}

/// The places of blocks, in bytes from dest.
pub(super) struct Places {
    /// The place of the caller's block.
    pub(super) own: usize,
    pub(super) total: usize,
    /// On leaders: the first byte of each node's blocks, and the end of all.
    pub(super) nodes: Vec<usize>,
    /// On leaders: the first byte and the bytes of each block of the node.
    of_members: Vec<(usize, usize)>,
    /// The place of the sources of those members of the node that have elements.
    source: u64,
}

impl Places {
    /// Learns the places, if the members of each node follow each other and nodes have eager buffers.
    ///
    /// Bound: leaders gather a number of each node. Every member reads two numbers of each member of its node, and
    /// waits twice there.
    pub(super) async fn learn<W: MemberMessages>(
        w: &W,
        nodes: &Hierarchy<'_, W::Node>,
        len: usize,
        source: u64,
    ) -> Places {
        const NUMBER: usize = size_of::<u64>();
        let here = nodes.here;
        here.place(Source::of_slice(&[len as u64, source])).await;
        here.barrier().await;
        let (mut before, mut of_node, mut of_members, mut source) = (0, 0usize, Vec::new(), check::NOWHERE);
        for i in 0..here.size() {
            if i == here.me() {
                before = of_node;
            }
            let mut posted = [0u64; 2];
            bytes::copy(Dest::of_slice(&mut posted), here.placed(i, 2 * NUMBER));
            let len = posted[0] as usize;
            if nodes.leads() {
                of_members.push((of_node, len));
            }
            source = if len > 0 { posted[1] } else { source };
            of_node = of_node.saturating_add(len);
        }
        // The first byte of the node's blocks, and the bytes of all members.
        let mut known = [0u64; 2];
        let mut ends = Vec::new();
        if nodes.leads() {
            let lens = allgather::all_numbers(&nodes.leaders(w), &[of_node as u64]).await;
            ends = starts(&lens);
            known = [ends[nodes.node] as u64, ends[lens.len()] as u64];
            here.place(Source::of_slice(&known)).await;
        }
        here.wait_for_root(0).await;
        if !nodes.leads() {
            bytes::copy(Dest::of_slice(&mut known), here.placed(0, 2 * NUMBER));
        }
        let first = known[0] as usize;
        of_members.iter_mut().for_each(|of| of.0 += first);
        Places { own: first + before, total: known[1] as usize, nodes: ends, of_members, source }
    }
}

/// The first bytes of adjacent ranges with these lengths, and the end of the last.
fn starts(lens: &[u64]) -> Vec<usize> {
    let ends = lens.iter().scan(0usize, |sum, &len| {
        *sum = sum.saturating_add(len as usize);
        Some(*sum)
    });
    std::iter::once(0).chain(ends).collect()
}

/// The members exchange the lengths of their blocks in an allgather, then the blocks in another.
///
/// Bound: the messages of these two, and memory for a number of each member.
async fn by_members<'a>(g: &MessageGroup<'a>, given: Buffers<'a>) -> usize {
    let source = given.source.source();
    let starts = starts(&allgather::all_numbers(g, &[source.len() as u64]).await);
    let buffers = given.of_length(starts[g.size()]);
    let symmetric = if buffers.dest.writable_on_all_nodes() { Symmetric::Dest } else { Symmetric::Nothing };
    allgather::between(g.with(buffers), source, buffers.dest.dest(), |i| starts[i], symmetric).await;
    starts[g.size()]
}

#[inline(always)]
fn algorithm(call: &Call, g: &IntraNode<'_>, len: usize, writable: bool) -> Algorithm {
    select::select(Collective::Collect, true, &Shape::on_node(g, len, writable), call.chosen())
}

/// On one node. A short block travels with its length: one barrier, and a member copies n blocks. Longer blocks follow
/// the lengths.
fn on_node(call: &Call, g: &IntraNode<'_>, given: &Buffers<'_>) {
    // The choice is made before dest is known, so dest always counts as writable.
    let travels = |len: usize| algorithm(call, g, len, true) == Algorithm::Eager;
    let source = given.source.source();
    let len = source.len();
    g.barrier_with_number(len as u64, travels(len).then_some(source));
    let lens = || (0..g.size()).map(|i| g.number_of(i) as usize);
    let (mut total, mut longest) = (0usize, 0);
    for l in lens() {
        total = total.saturating_add(l);
        longest = longest.max(l);
    }
    let buffers = given.of_length(total);
    if !travels(longest) {
        let write = algorithm(call, g, longest, buffers.dest.writable()) == Algorithm::Write;
        return on_node_long(g, &buffers, lens().collect(), travels, write);
    }
    let mut start = 0;
    for (i, l) in lens().enumerate() {
        let from = if i == g.me() { source } else { g.sent_with(i, l) };
        bytes::copy(buffers.dest.dest().part(start, l), from);
        start += l;
    }
}

/// Moves the blocks that have not travelled with their lengths `lens`: their owners write them, or all members read
/// them. Another barrier follows.
#[inline(never)]
fn on_node_long(
    g: &IntraNode<'_>,
    buffers: &Buffers<'_>,
    lens: Vec<usize>,
    travels: impl Fn(usize) -> bool,
    write: bool,
) {
    let (dest, source) = (buffers.dest.dest(), buffers.source.source());
    let result = buffers.dest.of_many(dest.len().saturating_mul(g.size() + 1));
    let mut start = 0;
    for (i, &l) in lens.iter().enumerate() {
        if travels(l) {
            bytes::copy(dest.part(start, l), g.sent_with(i, l));
        } else if write && i == g.me() {
            // The standard requires that dest is ready on all members when one calls.
            from_next(g).for_each(|peer| result.write(g.pe(peer), start, source));
        }
        start += l;
    }
    if !write {
        read_blocks(g, buffers, lens, travels);
    }
    g.barrier();
}

/// Reads the blocks that did not travel from their owners, which keep them until the next barrier.
fn read_blocks(g: &IntraNode<'_>, buffers: &Buffers<'_>, lens: Vec<usize>, travels: impl Fn(usize) -> bool) {
    let (dest, mut place) = (buffers.dest.dest(), buffers.source.place());
    if lens.contains(&0) {
        // A member without elements need not post its source's place.
        let posted = Group::IntraNode(*g).exchange(&[place]);
        let mut known = (0..lens.len()).map(|i| posted.word(i, 0));
        place = known.find(|&place| place != check::NOWHERE).unwrap_or(place);
    }
    let mut start = 0;
    for (i, l) in lens.into_iter().enumerate() {
        if !travels(l) && l > 0 {
            // The owner's block may be longer than the caller's, so its range is checked here.
            buffers.source.at(place, l).read(g.pe(i), 0, dest.part(start, l));
        }
        start += l;
    }
}
