//! collect: a block of every member to all, in the order of the members, of any length: each member knows its own.

use super::buffer::{Buffer, Buffers};
use super::group::{Group, IntraNode, from_next};
use super::message_group::MessageGroup;
use super::messages;
use super::select::{self, Shape};
use super::{Call, Whom, allgather, bytes, check};
use crate::args;
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::bytes_of;

/// `nelems` elements of this member. Complains when the sum of all does not fit into symmetric memory.
pub(crate) fn collect<T>(routine: &'static str, whom: Whom, addresses: [usize; 2], nelems: usize) {
    let call = Call::new(routine, whom);
    let len = bytes_of::<T>(nelems);
    // The length of dest is not known yet. It is at least that of the caller's block.
    let least = if call.rt.env.debug { len } else { 0 };
    let (buffers, _alone) = call.checked(Collective::Collect, addresses, [least, len], false, [0; 3]);
    match &call.group {
        Group::IntraNode(g) => on_node(&call, g, addresses[0], &buffers.source),
        Group::InterNode(g) => between(&call, g, addresses[0], &buffers.source),
    }
}

/// dest and source, now that the length of dest is known.
fn buffers<'a>(call: &Call, dest: usize, total: usize, source: &Buffer<'a>) -> Buffers<'a> {
    let range = (source.source().address(), source.len());
    args::disjoint(call.rt, call.routine, (dest, total), range);
    Buffers { dest: Buffer::new(call.rt, call.routine, "dest", dest, total), source: *source }
}

/// The members tell each other how much they bring, in an allgather, before they send it, in another.
#[inline(never)] // what is short keeps its registers
fn between(call: &Call, g: &MessageGroup<'_>, dest: usize, source: &Buffer<'_>) {
    let lens = messages::all_numbers(g, &[source.len() as u64]);
    let ends = lens.iter().scan(0usize, |sum, &len| {
        *sum = sum.saturating_add(len as usize);
        Some(*sum)
    });
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let buffers = buffers(call, dest, starts[lens.len()], source);
    allgather::between(g, source.source(), buffers.dest.dest(), |i| starts[i]);
}

#[inline(always)]
fn algorithm(call: &Call, g: &IntraNode<'_>, len: usize, writable: bool) -> Algorithm {
    select::select(Collective::Collect, true, &Shape::on_node(g, len, writable), call.chosen())
}

/// A block that is short travels with its length: one barrier, and a member copies n blocks. Longer ones follow.
fn on_node(call: &Call, g: &IntraNode<'_>, dest: usize, source: &Buffer<'_>) {
    // Asked before dest is known, so with the same answer to whether it is writable each time.
    let travels = |len: usize| algorithm(call, g, len, true) == Algorithm::Eager;
    let len = source.len();
    g.barrier_with_number(len as u64, travels(len).then(|| source.source()));
    let lens = || (0..g.size()).map(|i| g.number_of(i) as usize);
    let (mut total, mut longest) = (0usize, 0);
    for l in lens() {
        total = total.saturating_add(l);
        longest = longest.max(l);
    }
    let buffers = buffers(call, dest, total, source);
    if !travels(longest) {
        let write = algorithm(call, g, longest, buffers.dest.writable()) == Algorithm::Write;
        return on_node_long(call, g, &buffers, lens().collect(), travels, write);
    }
    let mut start = 0;
    for (i, l) in lens().enumerate() {
        let from = if i == g.me() { source.source() } else { g.sent_with(i, l) };
        bytes::copy(buffers.dest.dest().part(start, l), from);
        start += l;
    }
}

/// Where some of the blocks have not travelled with their lengths `lens`: their owners write them, or all read them.
/// Another barrier ends it.
#[inline(never)]
fn on_node_long(
    call: &Call,
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
            // dest is ready on all members when one calls.
            from_next(g).for_each(|peer| result.write(g.pe(peer), start, source));
        }
        start += l;
    }
    if !write {
        read_blocks(call, g, buffers, lens, travels);
    }
    g.barrier();
}

/// Reads blocks that did not travel at their owners, who keep them until the next barrier.
fn read_blocks(
    call: &Call,
    g: &IntraNode<'_>,
    buffers: &Buffers<'_>,
    lens: Vec<usize>,
    travels: impl Fn(usize) -> bool,
) {
    let (dest, own) = (buffers.dest.dest(), buffers.source.source());
    let mut source = own.address();
    if lens.contains(&0) {
        // Whoever brings nothing need not say where the others have theirs.
        let place = if own.len() > 0 { check::place_of(call.rt, source) } else { check::NOWHERE };
        let group = Group::IntraNode(*g);
        let posted = group.exchange(&[place]);
        let known = (0..lens.len()).map(|i| posted.word(i, 0)).find(|&place| place != check::NOWHERE);
        source = known.map_or(source, |place| check::address_of(call.rt, place));
    }
    let mut start = 0;
    for (i, l) in lens.into_iter().enumerate() {
        if !travels(l) && l > 0 {
            // Its owner's count may be larger than the caller's, so its buffer is looked at anew.
            let theirs = Buffer::new(call.rt, call.routine, "source", source, l);
            theirs.read(g.pe(i), 0, dest.part(start, l));
        }
        start += l;
    }
}
