//! alltoall and alltoalls: every member sends a block to every member. Elements may have strides.

use super::at_once::at_once;
use super::buffer::Buffers;
use super::hierarchy::{NodeStage, Side};
use super::intra_node::{IntraNode, Placed, from_next};
use super::message_group::NodeMembers;
use super::messages::{MemberMessages, Message};
use super::op::LongDouble;
use super::plan::{Asked, OnNode, Plan};
use super::select::{self, Shape};
use super::{Call, barrier, bytes};
use crate::args;
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source};
use crate::mpi::collective::MpiCollective;
use crate::sync::plain::Plain;

/// Peers with which messages are under way at a time. With fewer, the network is idle during a round trip; more would
/// flood the receivers.
const AT_A_TIME: usize = 16;

/// Blocks of `nelems` elements, with strides of `dst` elements in dest and `sst` elements in source.
#[derive(Clone, Copy)]
pub(crate) struct Blocks {
    pub(super) nelems: usize,
    pub(super) dst: usize,
    pub(super) sst: usize,
}

/// `shmem_alltoall`: every member sends `nelems` elements to every member.
#[inline(always)]
pub(crate) fn alltoall<T: Plain>(nelems: usize) -> Plan<impl Fn() -> Asked, impl OnNode> {
    of_blocks::<T>(move || Blocks { nelems, dst: 1, sst: 1 })
}

/// `shmem_alltoalls`: element `(l * nelems + i) * sst` of member k becomes element `(k * nelems + i) * dst` of member
/// l.
#[inline(always)]
pub(crate) fn alltoalls<T: Plain>(dst: isize, sst: isize, nelems: usize) -> Plan<impl Fn() -> Asked, impl OnNode> {
    of_blocks::<T>(move || Blocks { nelems, dst: dst as usize, sst: sst as usize })
}

#[inline(always)]
fn of_blocks<T: Plain>(blocks: impl Fn() -> Blocks + Copy) -> Plan<impl Fn() -> Asked, impl OnNode> {
    let asked = move || Asked::Alltoall { unit: size_of::<T>(), blocks: blocks() };
    let on_node =
        move |call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>| on_node::<T>(call, g, buffers, &blocks());
    Plan { asked, on_node }
}

/// Calls a function for elements of a number of bytes: what it does depends on nothing else of the type.
macro_rules! by_unit {
    ($unit:expr, $f:ident ($($a:expr),*) $($await:tt)*) => {
        match $unit {
            1 => $f::<u8>($($a),*) $($await)*,
            2 => $f::<u16>($($a),*) $($await)*,
            4 => $f::<u32>($($a),*) $($await)*,
            8 => $f::<u64>($($a),*) $($await)*,
            16 => $f::<LongDouble>($($a),*) $($await)*,
            unit => unreachable!("no type has {unit} bytes"),
        }
    };
}

/// Between nodes: moves elements of `unit` bytes. `dest` and `source` are the buffers of the call.
pub(super) async fn between(w: &impl MemberMessages, dest: Dest<'_>, source: Source<'_>, unit: usize, blocks: &Blocks) {
    if blocks.nelems == 0 {
        return barrier::between(w).await;
    }
    by_unit!(unit, strided_between(w, dest, source, blocks).await)
}

/// On one node. Bound: a member copies n blocks and waits in one barrier, or in two if members read. With `Eager` all
/// blocks of a member fit into its eager buffer and are copied twice.
fn on_node<T: Plain>(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, blocks: &Blocks) {
    if blocks.nelems == 0 {
        return call.group.barrier();
    }
    let all = size_of::<T>() * blocks.nelems * g.size();
    let shape = Shape::on_node(g, all, buffers.dest.writable());
    match select::select(Collective::Alltoall, true, &shape, call.chosen()) {
        Algorithm::Eager => eager::<T>(g, buffers, blocks),
        Algorithm::Write => write::<T>(call, g, buffers, blocks),
        _ => at_once(|| read::<T>(NodeMembers::of(g, buffers), buffers.dest.dest(), blocks)),
    }
}

/// Copies elements: in one copy if they are contiguous on both sides.
#[inline]
fn copy_elements<T: Plain>(to: Dest, dst: usize, from: Source, sst: usize, n: usize) {
    if dst == 1 && sst == 1 { bytes::copy(to, from) } else { copy_apart::<T>(to, dst, from, sst, n) }
}

#[inline(never)] // contiguous elements keep their registers
fn copy_apart<T: Plain>(to: Dest, dst: usize, from: Source, sst: usize, n: usize) {
    bytes::copy_strided::<T>(to, dst, from, sst, n);
}

impl Blocks {
    /// See [`Asked`]. Ends the job if a stride is out of range.
    #[inline(always)]
    pub(super) fn compared(&self, routine: &str, unit: usize, members: usize) -> ([usize; 2], [u64; 3]) {
        let Blocks { nelems, dst, sst } = *self;
        args::stride(routine, "dst", dst as isize);
        args::stride(routine, "sst", sst as isize);
        let all = nelems.saturating_mul(members);
        let strides = if nelems == 0 { 0 } else { (dst as u64) << 32 ^ sst as u64 };
        ([dst, sst].map(|stride| bytes::strided(unit, all, stride)), [nelems as u64, strides, 0])
    }

    /// The first byte of block k among blocks whose elements have this stride, and its bytes.
    fn of<T>(&self, k: usize, stride: usize) -> (usize, usize) {
        (k * self.nelems * stride * size_of::<T>(), bytes::strided(size_of::<T>(), self.nelems, stride))
    }
}

fn eager<T: Plain>(g: &IntraNode<'_>, buffers: &Buffers<'_>, blocks: &Blocks) {
    let (n, source) = (g.size(), buffers.source.source());
    g.barrier_with(blocks.nelems * size_of::<T>() * n, |place| packed::<T>(place, source, n, blocks));
    unpacked::<T>(buffers.dest.dest(), source, g.me(), n, blocks, g);
}

/// Places all blocks of a member for the `n` members, without strides.
pub(super) fn pack(place: Dest, source: Source, n: usize, unit: usize, blocks: &Blocks) {
    by_unit!(unit, packed(place, source, n, blocks))
}

#[inline(always)]
fn packed<T: Plain>(place: Dest, source: Source, n: usize, blocks: &Blocks) {
    copy_elements::<T>(place, 1, source, blocks.sst, blocks.nelems * n);
}

/// Copies the caller's blocks from what all members have placed.
pub(super) fn unpack(dest: Dest, source: Source, me: usize, n: usize, unit: usize, blocks: &Blocks, all: &impl Placed) {
    by_unit!(unit, unpacked(dest, source, me, n, blocks, all))
}

#[inline(always)]
fn unpacked<T: Plain>(dest: Dest, source: Source, me: usize, n: usize, blocks: &Blocks, all: &impl Placed) {
    let nelems = blocks.nelems;
    let block = nelems * size_of::<T>();
    for k in 0..n {
        let (at, len) = blocks.of::<T>(k, blocks.dst);
        let to = dest.part(at, len);
        if k == me {
            let (from, len) = blocks.of::<T>(me, blocks.sst);
            copy_elements::<T>(to, blocks.dst, source.part(from, len), blocks.sst, nelems);
        } else {
            let theirs = all.placed(k, block * n).part(me * block, block);
            copy_elements::<T>(to, blocks.dst, theirs, 1, nelems);
        }
    }
}

#[inline(never)] // short calls keep their registers
fn write<T: Plain>(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, blocks: &Blocks) {
    let (source, result) = (buffers.source.source(), buffers.dest.of_many(call.moved(buffers)));
    let (at, len) = blocks.of::<T>(g.me(), blocks.dst);
    // The standard requires that dest is ready on all members when one calls.
    for k in from_next(g) {
        let (from, source_len) = blocks.of::<T>(k, blocks.sst);
        let from = source.part(from, source_len);
        if blocks.dst == 1 && blocks.sst == 1 {
            result.write(g.pe(k), at, from);
        } else {
            let to = result.mapped(g.pe(k), at, len).expect("asked for writable memory on this node");
            bytes::copy_strided::<T>(to, blocks.dst, from, blocks.sst, blocks.nelems);
        }
    }
    g.signed_barrier();
}

/// Members of one node that cannot write into each other's dests: a member reads its block of each source.
async fn read<T: Plain>(here: impl NodeStage, dest: Dest<'_>, blocks: &Blocks) {
    let (from, stretch) = blocks.of::<T>(here.me(), blocks.sst);
    let mut aside = None;
    here.signed_barrier().await; // all sources are ready
    for k in (1..=here.size()).map(|away| (here.me() + away) % here.size()) {
        let (at, len) = blocks.of::<T>(k, blocks.dst);
        let to = dest.part(at, len);
        if blocks.dst == 1 && blocks.sst == 1 {
            here.read(Side::Source, k, from, to);
            continue;
        }
        let theirs = here.mapped(Side::Source, k, from, stretch).unwrap_or_else(|| {
            // One transfer of the whole range, not one per element.
            let aside = aside.get_or_insert_with(|| bytes::Scratch::new(stretch)).dest();
            here.read(Side::Source, k, from, aside);
            aside
        });
        bytes::copy_strided::<T>(to, blocks.dst, bytes::written(theirs), blocks.sst, blocks.nelems);
    }
    here.barrier().await; // no source is read after this
}

/// Bytes of memory that the leader of a node uses for each direction, unless the blocks of one pair of nodes are more.
/// With fewer, fewer than [`AT_A_TIME`] exchanges are under way at a time.
const ASIDE: usize = 4 << 20;

pub(super) async fn strided_between<T: Plain>(
    w: &impl MemberMessages,
    dest: Dest<'_>,
    source: Source<'_>,
    blocks: &Blocks,
) {
    let all = w.size() * blocks.nelems;
    let block = blocks.nelems * size_of::<T>();
    let together = blocks.dst == 1 && blocks.sst == 1;
    if together && w.by_mpi(Collective::Alltoall, &MpiCollective::Alltoall { source, dest, block }) {
        return;
    }
    if let Some(nodes) = w.hierarchy().filter(|nodes| nodes.layout.nodes() == 1) {
        let writable = [Side::Source, Side::Dest].iter().all(|&side| nodes.here.writable(side));
        return if writable {
            hierarchical::<T, _>(w, source, blocks).await
        } else {
            read::<T>(nodes.here, dest, blocks).await
        };
    }
    let algorithm = select::between(w, Collective::Alltoall, block, block.saturating_mul(w.size()));
    if algorithm == Algorithm::Hierarchical {
        return hierarchical::<T, _>(w, source, blocks).await;
    }
    // Strided elements are packed before the exchange and unpacked after it.
    let room = |stride| bytes::Scratch::new(if stride > 1 { all * size_of::<T>() } else { 0 });
    let (mut packed, mut came) = (room(blocks.sst), room(blocks.dst));
    let (mut from, mut to) = (source, dest);
    if blocks.sst > 1 {
        bytes::copy_strided::<T>(packed.dest(), 1, source, blocks.sst, all);
        from = bytes::written(packed.dest());
    }
    if blocks.dst > 1 {
        to = came.dest();
    }
    if together || !w.by_mpi(Collective::Alltoall, &MpiCollective::Alltoall { source: from, dest: to, block }) {
        match algorithm {
            Algorithm::Bruck => bruck(w, from, to, block).await,
            _ if together => pairwise_between(w, from, to, block).await,
            _ => pairwise(w, |i| from.part(i * block, block), |i| to.part(i * block, block)).await,
        }
    }
    if blocks.dst > 1 {
        bytes::copy_strided::<T>(dest, blocks.dst, bytes::written(to), 1, all);
    }
}

/// Pairwise exchange with the members of other nodes. Members of the caller's node write into each other's dests.
///
/// Bound: a member sends and receives a message for each member of another node, [`AT_A_TIME`] at a time, and every
/// byte once. It waits once on its node.
async fn pairwise_between<W: MemberMessages>(w: &W, source: Source<'_>, dest: Dest<'_>, block: usize) {
    let Some(nodes) = w.hierarchy().filter(|nodes| nodes.here.writable(Side::Dest)) else {
        return pairwise(w, |i| source.part(i * block, block), |i| dest.part(i * block, block)).await;
    };
    let (n, me, here) = (w.size(), w.me(), nodes.here);
    let outside = |i: usize| nodes.layout.node(i) != nodes.node;
    // The standard requires that dest is ready on all members when one calls.
    let mates = (0..n).filter(|&i| !outside(i)).enumerate();
    mates.for_each(|(local, i)| here.write(local, me * block, source.part(i * block, block)));
    for first in (1..n).step_by(AT_A_TIME) {
        w.transfer((first..n.min(first + AT_A_TIME)).flat_map(|away| {
            let (to, from) = ((me + away) % n, (me + n - away) % n);
            let receive = outside(from).then(|| Message::Receive(from, dest.part(from * block, block)));
            let send = outside(to).then(|| Message::Send(to, source.part(to * block, block)));
            receive.into_iter().chain(send)
        }))
        .await;
    }
    here.barrier().await;
}

/// Bruck's algorithm: in round k a block goes to the member 2^k further if bit k of the distance to its target is set.
///
/// Bound: a member sends log2 n messages, rounded up, and waits for one at a time. Each message has half of its blocks.
/// It needs memory for twice its blocks.
async fn bruck(w: &impl MemberMessages, source: Source<'_>, dest: Dest<'_>, block: usize) {
    let (n, me) = (w.size(), w.me());
    let (mut rooms, mut packed, mut came) = (
        bytes::Scratch::unwritten(n * block),
        bytes::Scratch::unwritten(n.div_ceil(2) * block),
        bytes::Scratch::unwritten(n.div_ceil(2) * block),
    );
    let (rooms, packed, came) = (rooms.dest(), packed.dest(), came.dest());
    // Place k has the block for the member k further; at the end, the block of the member k before.
    let place = |k: usize| rooms.part(k * block, block);
    (0..n).for_each(|k| bytes::copy(place(k), source.part((me + k) % n * block, block)));
    for away in (0..).map(|k| 1 << k).take_while(|&away| away < n) {
        let moving = || (0..n).filter(|k| k & away != 0).enumerate();
        moving().for_each(|(i, k)| bytes::copy(packed.part(i * block, block), bytes::written(place(k))));
        let len = moving().count() * block;
        w.transfer([
            Message::Receive((me + n - away) % n, came.part(0, len)),
            Message::Send((me + away) % n, bytes::written(packed.part(0, len))),
        ])
        .await;
        moving().for_each(|(i, k)| bytes::copy(place(k), bytes::written(came.part(i * block, block))));
    }
    (0..n).for_each(|k| bytes::copy(dest.part((me + n - k) % n * block, block), bytes::written(place(k))));
}

/// Hierarchical: the blocks between the members of two nodes travel in one message in each direction. The first members
/// of each node are its leaders, the same number on every node. The distance between two nodes determines which of
/// their leaders exchange. It needs buffers that are mapped.
///
/// Bound: the leaders of a node together send one message to each other node, [`AT_A_TIME`] of a leader at a time, and
/// every byte once. For each direction a leader needs [`ASIDE`] bytes, or memory for the blocks of a pair of nodes if
/// they are more. Every member waits twice on its node.
async fn hierarchical<T: Plain, W: MemberMessages>(w: &W, source: Source<'_>, blocks: &Blocks) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, layout, node) = (nodes.here, nodes.layout, nodes.node);
    let (count, leaders, nelems) = (layout.nodes(), layout.least(), blocks.nelems);
    let block = nelems * size_of::<T>();
    // If members are scattered, a list tells which are on a node: a number for each member.
    let scattered = layout.triplet(node).is_none().then(|| layout.by_nodes());
    let member = |k: usize, local: usize| match &scattered {
        Some((order, starts)) => order[starts[k] + local] as usize,
        None => layout.member(k, local),
    };
    let theirs = |side, local, k: usize, stride| {
        let (at, len) = blocks.of::<T>(k, stride);
        here.mapped(side, local, at, len).expect("asked for buffers that are mapped")
    };
    here.signed_barrier().await; // all sources are ready
    for local in 0..here.size() {
        // Within the node, each member writes the others' blocks.
        let (at, len) = blocks.of::<T>(member(node, local), blocks.sst);
        let to = theirs(Side::Dest, local, w.me(), blocks.dst);
        copy_elements::<T>(to, blocks.dst, source.part(at, len), blocks.sst, nelems);
    }
    // The distances of the nodes with which this leader exchanges. At one time all leaders send over the same distance.
    let all = if here.me() < leaders { here.me()..count } else { 0..0 };
    let ways: Vec<usize> = all.step_by(leaders).filter(|&away| away > 0).collect();
    let pair = here.size() * layout.most() * block;
    let at_a_time = (ASIDE / pair).clamp(1, AT_A_TIME).min(ways.len());
    let among = nodes.leaders_at(w, here.me().min(leaders - 1));
    let [mut out, mut into] = [0; 2].map(|_| bytes::Scratch::unwritten(at_a_time * pair));
    let (out, into) = (out.dest(), into.dest());
    let bytes_of = |peer: usize| here.size() * layout.count(peer) * block;
    for ways in ways.chunks(at_a_time.max(1)) {
        let outs = || {
            ways.iter()
                .map(|away| (node + away) % count)
                .enumerate()
                .map(|(i, to)| (to, out.part(i * pair, bytes_of(to))))
        };
        let intos = || {
            ways.iter()
                .map(|away| (node + count - away) % count)
                .enumerate()
                .map(|(i, from)| (from, into.part(i * pair, bytes_of(from))))
        };
        for (peer, room) in outs() {
            let places = (0..here.size()).flat_map(|from| (0..layout.count(peer)).map(move |to| (from, to)));
            for (k, (from, to)) in places.enumerate() {
                let theirs = bytes::written(theirs(Side::Source, from, member(peer, to), blocks.sst));
                copy_elements::<T>(room.part(k * block, block), 1, theirs, blocks.sst, nelems);
            }
        }
        let receives = intos().map(|(from, room)| Message::Receive(from, room));
        among.transfer(receives.chain(outs().map(|(to, room)| Message::Send(to, bytes::written(room))))).await;
        for (peer, room) in intos() {
            let places = (0..layout.count(peer)).flat_map(|from| (0..here.size()).map(move |to| (from, to)));
            for (k, (from, to)) in places.enumerate() {
                let theirs = theirs(Side::Dest, to, member(peer, from), blocks.dst);
                let came = bytes::written(room.part(k * block, block));
                copy_elements::<T>(theirs, blocks.dst, came, 1, nelems);
            }
        }
    }
    here.barrier().await; // all blocks have arrived, and no source is read after this
}

/// Pairwise exchange: sends `out(i)` to member i, receives the block of member i in `into(i)`, and copies the caller's
/// own block. Bound: n - 1 messages in each direction, [`AT_A_TIME`] under way at a time. Every byte is sent once.
pub(super) async fn pairwise<'m>(
    w: &impl MemberMessages,
    out: impl Fn(usize) -> Source<'m>,
    into: impl Fn(usize) -> Dest<'m>,
) {
    let (n, me) = (w.size(), w.me());
    bytes::copy(into(me), out(me));
    for first in (1..n).step_by(AT_A_TIME) {
        w.transfer((first..n.min(first + AT_A_TIME)).flat_map(|away| {
            let (to, from) = ((me + away) % n, (me + n - away) % n);
            [Message::Receive(from, into(from)), Message::Send(to, out(to))]
        }))
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;

    /// Blocks of different lengths, among more members than exchange at a time.
    #[test]
    fn every_block_goes_where_it_belongs() {
        for n in [1, 2, 3, 8, AT_A_TIME + 5] {
            let len = |from: usize, to: usize| (from * 3 + to * 5) % 40;
            let value = |from: usize, to: usize| (from * 31 + to + 1) as u8;
            threads::run(n, |w| {
                let me = w.me();
                let out: Vec<Vec<u8>> = (0..n).map(|to| vec![value(me, to); len(me, to)]).collect();
                let mut into: Vec<Vec<u8>> = (0..n).map(|from| vec![0; len(from, me)]).collect();
                let rooms: Vec<Dest> = into.iter_mut().map(|b| Dest::of_slice(b)).collect();
                at_once(|| pairwise(w, |i| Source::of_slice(&out[i]), |i| rooms[i]));
                for (from, block) in into.iter().enumerate() {
                    assert_eq!(*block, vec![value(from, me); len(from, me)]);
                }
            });
        }
    }

    /// In every layout, by every algorithm, with and without strides.
    #[test]
    fn blocks_go_where_they_belong_in_all_layouts() {
        let chosen = &["", "alltoall:pairwise", "alltoall:bruck", "alltoall:hierarchical"];
        for (group, nelems) in threads::groups(chosen).flat_map(|group| [1, 3, 100].map(|nelems| (group, nelems))) {
            for (dst, sst) in [(1, 1), (2, 3), (1, 2), (3, 1)] {
                let n = group.nodes.len();
                let value = |from: usize, to: usize, i: usize| (from * 1000 + to * 100_000 + i) as u32;
                let sent = threads::run_counted(group, |w| {
                    let mut source = vec![u32::MAX; n * nelems * sst];
                    let mut dest = vec![u32::MAX; n * nelems * dst];
                    for (to, i) in (0..n).flat_map(|to| (0..nelems).map(move |i| (to, i))) {
                        source[(to * nelems + i) * sst] = value(w.me(), to, i);
                    }
                    let blocks = Blocks { nelems, dst, sst };
                    let (from, into) = (Source::of_slice(&source), Dest::of_slice(&mut dest));
                    let part = |stride| bytes::strided(size_of::<u32>(), n * nelems, stride);
                    let (from, into) = (from.part(0, part(sst)), into.part(0, part(dst)));
                    at_once(|| strided_between::<u32>(w.with(from, into), into, from, &blocks));
                    for (k, &element) in dest.iter().enumerate() {
                        let (from, i) = (k / dst / nelems, k / dst % nelems);
                        let wanted = if k % dst == 0 { value(from, w.me(), i) } else { u32::MAX };
                        assert_eq!(element, wanted, "{group:?}, {nelems} elements, {dst} and {sst} apart");
                    }
                });
                for (layout, members) in sent.by_nodes() {
                    let by_nodes = group.mapped && layout.nodes() < n && nelems <= 64 && group.chosen.is_empty();
                    let messages: usize = members.iter().map(|sent| sent.messages).sum();
                    let bytes = members.len() * (n - members.len()) * nelems * size_of::<u32>();
                    let over_border: usize = members.iter().map(|sent| sent.over_border).sum();
                    assert!(members.iter().all(|sent| sent.messages < n && sent.fan_in <= AT_A_TIME));
                    if by_nodes && (group.team || layout.triplet(0).is_some()) {
                        assert!(messages < layout.nodes() || layout.triplet(0).is_none(), "{group:?}: {messages}");
                        assert!(over_border == bytes, "{group:?}: {over_border} bytes");
                    }
                }
            }
        }
    }
}
