//! allgather (`shmem_fcollect`): every member receives the blocks of all members, in the order of the members. Between
//! nodes the blocks may have any lengths (allgatherv), and several other collectives use it.

use super::buffer::Buffers;
use super::hierarchy::{Hierarchy, NodeStage, Side};
use super::intra_node::{IntraNode, Placed, from_next};
use super::messages::{MemberMessages, Message};
use super::plan::{Asked, OnNode, Plan};
use super::select::{self, Shape};
use super::{Call, bytes};
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};
use crate::mpi::collective::MpiCollective;

/// `shmem_fcollect`: every member has `nelems` elements of type `T`.
#[inline(always)]
pub(crate) fn fcollect<T>(nelems: usize) -> Plan<impl Fn() -> Asked, impl OnNode> {
    let len = bytes_of::<T>(nelems);
    let on_node = move |call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>| on_node(call, g, buffers, len);
    Plan { asked: move || Asked::Allgather { len }, on_node }
}

/// On one node. Bound: a member copies n blocks and waits in one barrier, or in two if members read.
fn on_node(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, block: usize) {
    let (dest, own) = (buffers.dest.dest(), buffers.source.source());
    let shape = Shape::on_node(g, block, buffers.dest.writable());
    match select::select(Collective::Allgather, true, &shape, call.chosen()) {
        Algorithm::Eager => {
            g.barrier_with(block, |place| bytes::copy(place, own));
            gathered(dest, own, g.me(), g.size(), g);
        }
        Algorithm::Write => {
            // The standard requires that dest is ready on all members when one calls.
            let result = buffers.dest.of_many(call.moved(buffers));
            from_next(g).for_each(|i| result.write(g.pe(i), g.me() * block, own));
            g.signed_barrier();
        }
        _ => {
            g.signed_barrier(); // all sources are ready
            from_next(g).for_each(|i| buffers.source.read(g.pe(i), 0, dest.part(i * block, block)));
            g.barrier(); // no source is read after this
        }
    }
}

/// Copies the blocks that all members have placed.
#[inline(always)]
pub(super) fn gathered(dest: Dest, own: Source, me: usize, n: usize, all: &impl Placed) {
    for i in 0..n {
        let from = if i == me { own } else { all.placed(i, own.len()) };
        bytes::copy(dest.part(i * own.len(), own.len()), from);
    }
}

/// Which of `own` and `dest` of [`between`] are the symmetric buffers of the call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Symmetric {
    Nothing,
    /// `dest` only: members of a node write into each other's dests, and a member may have no source.
    Dest,
    Both,
}

/// Between nodes: stores the blocks of all members in every member's `dest`. Block i is bytes `at(i)` to `at(i + 1)` of
/// `dest`. These numbers are equal on all members and ascend from 0. `own` is the caller's block: it is at its place in
/// `dest`, or overlaps no block there.
pub(super) async fn between<W: MemberMessages>(
    w: &W,
    own: Source<'_>,
    dest: Dest<'_>,
    at: impl Fn(usize) -> usize + Copy,
    symmetric: Symmetric,
) {
    if w.by_mpi(Collective::Allgather, &MpiCollective::Allgather { own, dest, at: &at }) {
        return;
    }
    let total = at(w.size());
    let mut shape = Shape::between(w, total.div_ceil(w.size()), total);
    shape.symmetric = symmetric != Symmetric::Nothing;
    match select::select(Collective::Allgather, false, &shape, w.chosen()) {
        Algorithm::Hierarchical if shape.hands_on() => few(w, own, dest, at).await,
        Algorithm::Hierarchical => hierarchical(w, own, dest, at, symmetric).await,
        algorithm => flat(w, algorithm, own, dest, at).await,
    }
}

/// By messages between members of which no two share a node.
async fn flat(
    w: &impl MemberMessages,
    algorithm: Algorithm,
    own: Source<'_>,
    dest: Dest<'_>,
    at: impl Fn(usize) -> usize,
) {
    match algorithm {
        Algorithm::Bruck => bruck(w, own, dest, at).await,
        _ => ring(w, own, dest, at).await,
    }
}

/// As [`flat`], by the algorithm that [`select`] gives for this part of a group.
pub(super) async fn among_leaders(
    w: &impl MemberMessages,
    own: Source<'_>,
    dest: Dest<'_>,
    at: impl Fn(usize) -> usize,
) {
    let total = at(w.size());
    flat(w, select::between(w, Collective::Allgather, total.div_ceil(w.size()), total), own, dest, at).await;
}

/// Hierarchical, for blocks that together fit into an eager buffer, if the members of each node follow each other. The
/// leader of a node collects the blocks of its node, the leaders gather by one of the other algorithms, and each places
/// all blocks for its node.
///
/// Bound: a leader sends the messages of that algorithm among the nodes, and the other members none. The bytes over a
/// node's border are those of the leader. Every member waits twice on its node.
async fn few<W: MemberMessages>(w: &W, own: Source<'_>, dest: Dest<'_>, at: impl Fn(usize) -> usize) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, leader, all) = (nodes.here, nodes.leader(), at(w.size()));
    // Bytes that a member has placed stay until all have entered the barrier after the next.
    here.place(own).await;
    here.notify_root(0).await;
    if nodes.leads() {
        for local in 0..here.size() {
            let (from, to) = (at(leader + local), at(leader + local + 1));
            bytes::copy(dest.part(from, to - from), here.placed(local, to - from));
        }
        let part = |p: usize| at(nodes.layout.leader(p));
        let mine = dest.part(part(nodes.node), part(nodes.node + 1) - part(nodes.node));
        among_leaders(&nodes.leaders(w), bytes::written(mine), dest, part).await;
        here.place(bytes::written(dest.part(0, all))).await;
    }
    here.wait_for_root(0).await;
    if !nodes.leads() {
        bytes::copy(dest.part(0, all), here.placed(0, all));
    }
}

/// Bytes of a block, on average, from which several members of a node send. With a lower value more leaders send short
/// messages; with a higher one fewer members share the copies.
const PER_LEADER: usize = 16 << 10;

/// Hierarchical. The members of a node write their blocks into its leader's dest, the leaders gather the blocks of all
/// nodes by one of the other algorithms, and the members read all blocks from their leader's dest. If the members of a
/// node do not follow each other, a leader gathers in other memory and copies the blocks to their places.
///
/// Bound: a leader sends the messages of that algorithm among the nodes, and the other members none. All blocks cross a
/// node's border at most once in each direction. A member writes its block, reads all blocks, and waits three times on
/// its node. Scattered blocks need memory for all blocks and a number for each member.
async fn hierarchical<W: MemberMessages>(
    w: &W,
    own: Source<'_>,
    dest: Dest<'_>,
    at: impl Fn(usize) -> usize + Copy,
    symmetric: Symmetric,
) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, layout, n) = (nodes.here, nodes.layout, w.size());
    let leaders = layout.least();
    let large = at(n) / n >= PER_LEADER && symmetric == Symmetric::Both;
    if large && leaders > 1 && here.writable(Side::Dest) {
        return in_shares(w, &nodes, own, dest, at).await;
    }
    if layout.blocks() {
        let place = |local: usize| {
            let member = layout.leader(nodes.node) + local;
            (at(member), at(member + 1) - at(member))
        };
        return through_leader(w, &nodes, own, at(w.me()), dest, |node| at(layout.leader(node)), place).await;
    }
    let (order, starts) = layout.by_nodes();
    let len = |member: u32| at(member as usize + 1) - at(member as usize);
    let of = |node: usize| order[starts[node]..starts[node + 1]].iter().copied();
    let ends = order.iter().scan(0, |sum, &member| {
        *sum += len(member);
        Some(*sum)
    });
    let places: Vec<usize> = std::iter::once(0).chain(ends).collect();
    to_leader(&nodes, own, at(w.me()), dest, |local| {
        let member = order[starts[nodes.node] + local];
        (at(member as usize), len(member))
    })
    .await;
    if nodes.leads() {
        let mut aside = bytes::Scratch::unwritten(at(n));
        let aside = aside.dest();
        let copy_of = |member: u32| dest.part(at(member as usize), len(member));
        let room = |k: usize| aside.part(places[k], places[k + 1] - places[k]);
        for (k, member) in (starts[nodes.node]..).zip(of(nodes.node)) {
            bytes::copy(room(k), bytes::written(copy_of(member)));
        }
        let part = |node: usize| places[starts[node]];
        let mine = aside.part(part(nodes.node), part(nodes.node + 1) - part(nodes.node));
        among_leaders(&nodes.leaders(w), bytes::written(mine), aside, part).await;
        order.iter().enumerate().for_each(|(k, &member)| bytes::copy(copy_of(member), bytes::written(room(k))));
    }
    from_leader(&nodes, dest.part(0, at(n))).await;
}

/// The members of a node store their blocks in its leader's dest: the block of member `local` at `place(local)` (first
/// byte, bytes).
async fn to_leader<N: NodeStage>(
    nodes: &Hierarchy<'_, N>,
    own: Source<'_>,
    at: usize,
    dest: Dest<'_>,
    place: impl Fn(usize) -> (usize, usize),
) {
    let here = nodes.here;
    if nodes.leads() && dest.part(at, own.len()).address() != own.address() {
        bytes::copy(dest.part(at, own.len()), own);
    }
    let writes = here.writable(Side::Dest);
    if writes && !nodes.leads() {
        // The standard requires that dest is ready on all members when one calls.
        here.write(0, at, own);
    }
    here.notify_root(0).await;
    if !writes && nodes.leads() {
        for local in 1..here.size() {
            let (at, len) = place(local);
            here.read(Side::Source, local, 0, dest.part(at, len));
        }
    }
}

/// The members of a node copy the begin of its leader's dest.
async fn from_leader<N: NodeStage>(nodes: &Hierarchy<'_, N>, all: Dest<'_>) {
    let here = nodes.here;
    here.wait_for_root(0).await;
    if !nodes.leads() {
        here.read(Side::Dest, 0, 0, all);
    }
    here.notify_root(0).await; // the leader's dest is not read after this
}

/// See [`hierarchical`]: the blocks of node k are bytes `part(k)` to `part(k + 1)` of dest, and `own` begins at byte
/// `at`. `place` is used only if members cannot write.
pub(super) async fn through_leader<W: MemberMessages>(
    w: &W,
    nodes: &Hierarchy<'_, W::Node>,
    own: Source<'_>,
    at: usize,
    dest: Dest<'_>,
    part: impl Fn(usize) -> usize,
    place: impl Fn(usize) -> (usize, usize),
) {
    to_leader(nodes, own, at, dest, place).await;
    if nodes.leads() {
        let mine = dest.part(part(nodes.node), part(nodes.node + 1) - part(nodes.node));
        among_leaders(&nodes.leaders(w), bytes::written(mine), dest, part).await;
    }
    from_leader(nodes, dest).await;
}

/// See [`hierarchical`]: large blocks. The first members of each node are its leaders, the same number on every node,
/// and each leads some of the node's members. Leaders with the same number form a ring, in which each sends the blocks
/// that it leads. A leader writes the blocks that arrive into the dests of its node.
///
/// Bound: for each other node a leader sends a message per block that it leads, or one for all of them if they are
/// adjacent. All blocks cross a node's border at most once in each direction. A leader writes its share of all blocks
/// into each other dest of its node. Every member waits twice on its node.
async fn in_shares<W: MemberMessages>(
    w: &W,
    nodes: &Hierarchy<'_, W::Node>,
    own: Source<'_>,
    dest: Dest<'_>,
    at: impl Fn(usize) -> usize + Copy,
) {
    let (here, layout) = (nodes.here, nodes.layout);
    let (leaders, me, count) = (layout.least(), here.me(), layout.nodes());
    let place = dest.part(at(w.me()), own.len());
    if place.address() != own.address() {
        bytes::copy(place, own);
    }
    // The ranges of dest (first byte, bytes) that hold the blocks led by leader `me` of a node.
    let stretches = |node: usize| {
        let (from, to) = (me * layout.count(node) / leaders, (me + 1) * layout.count(node) / leaders);
        let together = layout.blocks();
        let step = if together { to - from } else { 1 };
        (from..to).step_by(step.max(1)).map(move |local| {
            let (first, last) = (layout.member(node, local), layout.member(node, local + step - 1));
            (at(first), at(last + 1) - at(first))
        })
    };
    here.barrier().await; // all sources are ready
    if me < leaders {
        let led = me * here.size() / leaders..(me + 1) * here.size() / leaders;
        for local in led.filter(|&local| local != me) {
            let member = layout.member(nodes.node, local);
            here.read(Side::Source, local, 0, dest.part(at(member), at(member + 1) - at(member)));
        }
        let among = nodes.leaders_at(w, me);
        let hand_on = |node: usize| {
            for (at, len) in stretches(node) {
                (0..here.size())
                    .filter(|&i| i != me)
                    .for_each(|i| here.write(i, at, bytes::written(dest.part(at, len))));
            }
        };
        let (next, before) = ((nodes.node + 1) % count, (nodes.node + count - 1) % count);
        for step in 1..count {
            let (mine, theirs) = ((nodes.node + count + 1 - step) % count, (nodes.node + count - step) % count);
            let receives = stretches(theirs).map(|(at, len)| Message::Receive(before, dest.part(at, len)));
            let sends = stretches(mine).map(|(at, len)| Message::Send(next, bytes::written(dest.part(at, len))));
            among.transfer(receives.chain(sends)).await;
            hand_on(mine);
        }
        hand_on(next);
    }
    here.barrier().await; // all blocks have arrived, and no source is read after this
}

/// Ring: every block goes round once. Bound: n - 1 rounds, in each of which a member sends one block to the next member
/// and receives one from the member before.
async fn ring(w: &impl MemberMessages, own: Source<'_>, dest: Dest<'_>, at: impl Fn(usize) -> usize) {
    let (n, me) = (w.size(), w.me());
    let block = |i: usize| dest.part(at(i), at(i + 1) - at(i));
    if block(me).address() != own.address() {
        bytes::copy(block(me), own);
    }
    for step in 1..n {
        let (mine, theirs) = ((me + n + 1 - step) % n, (me + n - step) % n);
        let send = Message::Send((me + 1) % n, bytes::written(block(mine)));
        w.transfer([Message::Receive((me + n - 1) % n, block(theirs)), send]).await;
    }
}

/// Bruck's algorithm: after round k a member has the blocks of 2^k members, its own first. Bound: log2 n rounds,
/// rounded up, in each of which a member sends and receives one message. Every block is received once. Each member
/// collects the blocks in other memory, because they begin with its own block there.
async fn bruck(w: &impl MemberMessages, own: Source<'_>, dest: Dest<'_>, at: impl Fn(usize) -> usize) {
    let (n, me) = (w.size(), w.me());
    let of = |k: usize| (me + k) % n;
    let len = |i: usize| at(i + 1) - at(i);
    // Where the block of member me + k starts in that memory.
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
        // The member `have` before the caller needs as many blocks as the caller needs of the member `have` after it.
        let send = Message::Send((me + n - have) % n, bytes::written(aside.part(0, starts[count])));
        w.transfer([Message::Receive(of(have), missing), send]).await;
        have += count;
    }
    for (k, &start) in starts[..n].iter().enumerate() {
        let len = len(of(k));
        bytes::copy(dest.part(at(of(k)), len), bytes::written(aside.part(start, len)));
    }
}

/// The numbers of all members, by messages. Bound: the messages of [`between`].
pub(super) async fn all_numbers(w: &impl MemberMessages, mine: &[u64]) -> Vec<u64> {
    let mut all = vec![0; w.size() * mine.len()];
    let each = size_of_val(mine);
    between(w, Source::of_slice(mine), Dest::of_slice(&mut all), |i| i * each, Symmetric::Nothing).await;
    all
}

#[cfg(test)]
mod tests {
    use super::super::at_once::at_once;
    use super::super::threads;
    use super::*;

    fn block(member: usize, len: usize) -> impl Iterator<Item = u8> {
        (0..len).map(move |k| (member * 37 + k * 11) as u8)
    }

    /// In every layout, by every algorithm, all blocks arrive. With the built-in choice, messages and bytes are within
    /// the bounds.
    #[test]
    fn blocks_come_to_all_members_of_all_layouts_within_the_bounds() {
        for group in threads::groups(&["", "allgather:ring", "allgather:bruck"]) {
            for len in [0, 5, 100, PER_LEADER] {
                let n = group.nodes.len();
                let expect: Vec<u8> = (0..n).flat_map(|i| block(i, len)).collect();
                let sent = threads::run_counted(group, |w| {
                    let own: Vec<u8> = block(w.me(), len).collect();
                    let mut dest = vec![0xaa; expect.len()];
                    let (from, into) = (Source::of_slice(&own), Dest::of_slice(&mut dest));
                    at_once(|| between(w.with(from, into), from, into, |i| i * len, Symmetric::Both));
                    assert!(dest == expect, "{group:?}, {len} bytes");
                });
                for (layout, members) in sent.by_nodes() {
                    // Members of a scattered set do not use each other's nodes.
                    if !group.chosen.is_empty() || !group.team && layout.triplet(0).is_none() {
                        continue;
                    }
                    let over_border: usize = members.iter().map(|sent| sent.over_border).sum();
                    assert!(over_border <= 2 * n * len, "{group:?}, {len} bytes: {over_border}");
                    let most = if len > 8 << 10 { n } else { n.next_power_of_two().ilog2() as usize + 1 };
                    let fan_in = if len > 8 << 10 { layout.most() } else { 1 };
                    assert!(members.iter().all(|s| s.messages <= most && s.fan_in <= fan_in), "{group:?}, {len} bytes");
                }
            }
        }
    }
}
