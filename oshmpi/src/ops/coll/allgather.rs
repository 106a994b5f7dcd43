//! allgather (`shmem_fcollect`): a block of every member, in the order of the members, to all. Between nodes the blocks
//! may have any lengths (allgatherv), and several other collectives are made of it.

use super::buffer::Buffers;
use super::group::{Group, IntraNode, from_next};
use super::hierarchy::NodeStage;
use super::messages::{MemberMessages, Message};
use super::select::{self, Shape};
use super::{Call, Whom, bytes};
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};
use crate::mpi::collective::MpiCollective;

/// `nelems` elements of every member.
pub(crate) fn fcollect<T>(routine: &'static str, whom: Whom, addresses: [usize; 2], nelems: usize) {
    let call = Call::new(routine, whom);
    let block = bytes_of::<T>(nelems);
    let all = block.saturating_mul(call.group.size());
    let (buffers, _alone) = call.checked(addresses, [all, block], false, [nelems as u64, 0, 0]);
    match &call.group {
        Group::IntraNode(g) => on_node(&call, g, &buffers, block),
        Group::InterNode(g) => between(g, buffers.source.source(), buffers.dest.dest(), |i| i * block),
    }
}

/// A member copies n blocks, and waits at one barrier; at two where it reads.
fn on_node(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, block: usize) {
    let (dest, own) = (buffers.dest.dest(), buffers.source.source());
    let shape = Shape::on_node(g, block, buffers.dest.writable());
    match select::select(Collective::Allgather, true, &shape, call.chosen()) {
        Algorithm::Eager => {
            g.barrier_with(block, |place| bytes::copy(place, own));
            for i in 0..g.size() {
                let from = if i == g.me() { own } else { g.placed(i, block) };
                bytes::copy(dest.part(i * block, block), from);
            }
        }
        Algorithm::Write => {
            // dest is ready on all members when one calls.
            let result = buffers.dest.of_many(call.moved(buffers));
            from_next(g).for_each(|i| result.write(g.pe(i), g.me() * block, own));
            g.barrier();
        }
        _ => {
            g.barrier(); // all sources are ready
            from_next(g).for_each(|i| buffers.source.read(g.pe(i), 0, dest.part(i * block, block)));
            g.barrier(); // nobody reads a source any more
        }
    }
}

/// Puts the block of every member into everybody's `dest`. Block i lies from `at(i)` to `at(i + 1)`, in bytes from
/// `dest`: the same numbers on all members, ascending from 0. `own` is the caller's block; it may be its place in
/// `dest`, or overlaps no other.
#[inline(never)] // what is short keeps its registers
pub(super) fn between<W: MemberMessages>(w: &W, own: Source, dest: Dest, at: impl Fn(usize) -> usize) {
    if w.by_mpi(Collective::Allgather, &MpiCollective::Allgather { own, dest, at: &at }) {
        return;
    }
    match select::between(w, Collective::Allgather, own.len(), at(w.size())) {
        Algorithm::Hierarchical => hierarchical(w, own, dest, at),
        algorithm => flat(w, algorithm, own, dest, at),
    }
}

/// From member to member: for members of which none share a node.
fn flat(w: &impl MemberMessages, algorithm: Algorithm, own: Source, dest: Dest, at: impl Fn(usize) -> usize) {
    match algorithm {
        Algorithm::Bruck => bruck(w, own, dest, at),
        _ => ring(w, own, dest, at),
    }
}

/// As [`between`], in a part of a group, whose members do not share nodes.
pub(super) fn in_part(w: &impl MemberMessages, own: Source, dest: Dest, at: impl Fn(usize) -> usize) {
    flat(w, select::between(w, Collective::Allgather, own.len(), at(w.size())), own, dest, at);
}

/// The leader of a node collects its members' blocks, the leaders gather by one of the other algorithms, and each
/// hands all blocks to its node through its eager buffer, which has to hold them. Needs members that follow each
/// other node by node.
fn hierarchical<W: MemberMessages>(w: &W, own: Source, dest: Dest, at: impl Fn(usize) -> usize) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, leader, all) = (nodes.here, nodes.leader(), at(w.size()));
    // What a member has placed stays until all have come to the barrier after the next.
    bytes::copy(here.place(own.len()), own);
    here.notify_root(0);
    if nodes.leads() {
        for local in 0..here.size() {
            let (from, to) = (at(leader + local), at(leader + local + 1));
            bytes::copy(dest.part(from, to - from), here.placed(local, to - from));
        }
        let part = |p: usize| at(nodes.layout.leader(p));
        let mine = dest.part(part(nodes.node), part(nodes.node + 1) - part(nodes.node));
        in_part(&nodes.leaders(w), bytes::written(mine), dest, part);
        bytes::copy(here.place(all), bytes::written(dest.part(0, all)));
    }
    here.wait_for_root(0);
    if !nodes.leads() {
        bytes::copy(dest.part(0, all), here.placed(0, all));
    }
}

/// Ring: every block goes round once. n - 1 rounds, in each of which a member sends one block to the next member and
/// receives one from the member before.
fn ring(w: &impl MemberMessages, own: Source, dest: Dest, at: impl Fn(usize) -> usize) {
    let (n, me) = (w.size(), w.me());
    let block = |i: usize| dest.part(at(i), at(i + 1) - at(i));
    if block(me).address() != own.address() {
        bytes::copy(block(me), own);
    }
    for step in 1..n {
        let (mine, theirs) = ((me + n + 1 - step) % n, (me + n - step) % n);
        let send = Message::Send((me + 1) % n, bytes::written(block(mine)));
        w.transfer([Message::Receive((me + n - 1) % n, block(theirs)), send]);
    }
}

/// Bruck's algorithm: after round k a member has the blocks of 2^k members, its own first. log2 n rounds, rounded up,
/// in each of which a member sends and receives one message; every block is received once. The blocks are collected
/// aside, because they begin with another one at each member.
fn bruck(w: &impl MemberMessages, own: Source, dest: Dest, at: impl Fn(usize) -> usize) {
    let (n, me) = (w.size(), w.me());
    let of = |k: usize| (me + k) % n;
    let len = |i: usize| at(i + 1) - at(i);
    // Where the block of member me + k starts aside.
    let ends = (0..n).scan(0, |sum, k| {
        *sum += len(of(k));
        Some(*sum)
    });
    let starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let mut scratch = bytes::Scratch::new(starts[n]);
    let aside = scratch.dest();
    bytes::copy(aside.part(0, own.len()), own);
    let mut have = 1;
    while have < n {
        let count = have.min(n - have);
        let missing = aside.part(starts[have], starts[have + count] - starts[have]);
        // The member `have` before the caller wants as many blocks as the caller wants of the one behind.
        let send = Message::Send((me + n - have) % n, bytes::written(aside.part(0, starts[count])));
        w.transfer([Message::Receive(of(have), missing), send]);
        have += count;
    }
    for (k, &start) in starts[..n].iter().enumerate() {
        let len = len(of(k));
        bytes::copy(dest.part(at(of(k)), len), bytes::written(aside.part(start, len)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;
    use proptest::prelude::*;

    fn block(member: usize, len: usize) -> impl Iterator<Item = u8> {
        (0..len).map(move |k| (member * 37 + k * 11) as u8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Blocks of any length, empty ones too, by every algorithm, from outside of dest or from the place itself.
        #[test]
        fn everybody_gets_all_blocks_in_order(
            lens in prop::collection::vec(0usize..40, 1..12),
            large: bool,
            inside: bool,
            chosen in prop::sample::select(vec!["", "allgather:ring", "allgather:bruck"]),
        ) {
            let scale = if large { 1000 } else { 1 };
            let lens: Vec<usize> = lens.iter().map(|l| l * scale).collect();
            let starts: Vec<usize> = (0..=lens.len()).map(|i| lens[..i].iter().sum()).collect();
            let expect: Vec<u8> = lens.iter().enumerate().flat_map(|(i, &l)| block(i, l)).collect();
            threads::run_with(lens.len(), chosen, |w| {
                let me = w.me();
                let own: Vec<u8> = block(me, lens[me]).collect();
                let mut dest = vec![0xaa; expect.len()];
                dest[starts[me]..starts[me + 1]].copy_from_slice(&own);
                let into = threads::into(&mut dest);
                let place = bytes::written(into).part(starts[me], lens[me]);
                let from = if inside { place } else { bytes::of_numbers(&own) };
                between(w, from, into, |i| starts[i]);
                assert_eq!(dest, expect);
            });
        }
    }
}
