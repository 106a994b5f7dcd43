//! alltoall and alltoalls: a block from every member to every member, of elements that may lie apart.

use super::buffer::Buffers;
use super::group::{Group, IntraNode, from_next};
use super::message_group::MessageGroup;
use super::messages::{MemberMessages, Message};
use super::select::{self, Shape};
use super::{Call, Whom, bytes};
use crate::args;
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source};
use crate::mpi::collective::MpiCollective;

/// Peers with whom messages are under way at a time: enough to hide the way there and back, and no flood.
const AT_A_TIME: usize = 16;

/// Blocks of `nelems` elements of type `T`, which lie `dst` elements apart in dest and `sst` in source.
struct Blocks {
    nelems: usize,
    dst: usize,
    sst: usize,
}

/// `nelems` elements to every member.
pub(crate) fn alltoall<T: Copy>(routine: &'static str, whom: Whom, addresses: [usize; 2], nelems: usize) {
    alltoalls::<T>(routine, whom, addresses, 1, 1, nelems);
}

/// Element `(l * nelems + i) * sst` of member k becomes element `(k * nelems + i) * dst` of member l.
pub(crate) fn alltoalls<T: Copy>(
    routine: &'static str,
    whom: Whom,
    addresses: [usize; 2],
    dst: isize,
    sst: isize,
    nelems: usize,
) {
    let call = Call::new(routine, whom);
    args::stride(routine, "dst", dst);
    args::stride(routine, "sst", sst);
    let all = nelems.saturating_mul(call.group.size());
    let strides = if nelems == 0 { 0 } else { (dst as u64) << 32 ^ sst as u64 };
    let blocks = Blocks { nelems, dst: dst as usize, sst: sst as usize };
    let lens = [blocks.dst, blocks.sst].map(|stride| bytes::strided::<T>(all, stride));
    let (buffers, _alone) = call.checked(Collective::Alltoall, addresses, lens, false, [nelems as u64, strides, 0]);
    if all == 0 {
        return call.group.barrier();
    }
    match &call.group {
        Group::IntraNode(g) => on_node::<T>(&call, g, &buffers, &blocks),
        Group::InterNode(g) => strided_between::<T>(g, buffers.dest.dest(), buffers.source.source(), &blocks),
    }
}

/// A member copies n blocks, and waits at one barrier; at two where it reads. Eager, all blocks of a member have to fit
/// into its eager buffer, and are copied twice.
fn on_node<T: Copy>(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, blocks: &Blocks) {
    let all = size_of::<T>() * blocks.nelems * g.size();
    let shape = Shape::on_node(g, all, buffers.dest.writable());
    match select::select(Collective::Alltoall, true, &shape, call.chosen()) {
        Algorithm::Eager => eager::<T>(g, buffers, blocks),
        Algorithm::Write => write::<T>(call, g, buffers, blocks),
        _ => read::<T>(g, buffers, blocks),
    }
}

/// Elements that may lie next to each other, in one copy if they do on both sides.
#[inline]
fn copy_elements<T: Copy>(to: Dest, dst: usize, from: Source, sst: usize, n: usize) {
    if dst == 1 && sst == 1 { bytes::copy(to, from) } else { bytes::copy_strided::<T>(to, dst, from, sst, n) }
}

impl Blocks {
    /// Where block k begins among blocks whose elements are `stride` apart, and its bytes.
    fn of<T>(&self, k: usize, stride: usize) -> (usize, usize) {
        (k * self.nelems * stride * size_of::<T>(), bytes::strided::<T>(self.nelems, stride))
    }
}

fn eager<T: Copy>(g: &IntraNode<'_>, buffers: &Buffers<'_>, blocks: &Blocks) {
    let (n, nelems) = (g.size(), blocks.nelems);
    let block = nelems * size_of::<T>();
    let (dest, source) = (buffers.dest.dest(), buffers.source.source());
    g.barrier_with(block * n, |place| copy_elements::<T>(place, 1, source, blocks.sst, nelems * n));
    for k in 0..n {
        let (at, len) = blocks.of::<T>(k, blocks.dst);
        let theirs = g.placed(k, block * n).part(g.me() * block, block);
        copy_elements::<T>(dest.part(at, len), blocks.dst, theirs, 1, nelems);
    }
}

#[inline(never)] // what is short keeps its registers
fn write<T: Copy>(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, blocks: &Blocks) {
    let (source, result) = (buffers.source.source(), buffers.dest.of_many(call.moved(buffers)));
    let (at, len) = blocks.of::<T>(g.me(), blocks.dst);
    // dest is ready on all members when one calls.
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

#[inline(never)] // what is short keeps its registers
fn read<T: Copy>(g: &IntraNode<'_>, buffers: &Buffers<'_>, blocks: &Blocks) {
    let (dest, source) = (buffers.dest.dest(), &buffers.source);
    let (from, stretch) = blocks.of::<T>(g.me(), blocks.sst);
    let mut aside = None;
    g.signed_barrier(); // all sources are ready
    for k in from_next(g) {
        let (at, len) = blocks.of::<T>(k, blocks.dst);
        let to = dest.part(at, len);
        if blocks.dst == 1 && blocks.sst == 1 {
            source.read(g.pe(k), from, to);
            continue;
        }
        let theirs = source.mapped(g.pe(k), from, stretch).unwrap_or_else(|| {
            // One transfer of the whole stretch, not one per element.
            let aside = aside.get_or_insert_with(|| bytes::Scratch::new(stretch)).dest();
            source.read(g.pe(k), from, aside);
            aside
        });
        bytes::copy_strided::<T>(to, blocks.dst, bytes::written(theirs), blocks.sst, blocks.nelems);
    }
    g.barrier(); // nobody reads a source any more
}

/// Between nodes. Strided elements are packed before it and unpacked behind it.
#[inline(never)] // what is short keeps its registers
fn strided_between<T: Copy>(w: &MessageGroup<'_>, dest: Dest, source: Source, blocks: &Blocks) {
    let all = w.size() * blocks.nelems;
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
    between(w, from, to, blocks.nelems * size_of::<T>());
    if blocks.dst > 1 {
        bytes::copy_strided::<T>(dest, blocks.dst, bytes::written(to), 1, all);
    }
}

/// Block i of `source` to member i, as the block of the caller's number in its `dest`; blocks of `block` bytes. There
/// is one algorithm.
fn between(w: &impl MemberMessages, source: Source, dest: Dest, block: usize) {
    if !w.by_mpi(Collective::Alltoall, &MpiCollective::Alltoall { source, dest, block }) {
        pairwise(w, |i| source.part(i * block, block), |i| dest.part(i * block, block));
    }
}

/// Pairwise exchange: sends `out(i)` to member i and receives member i's block for the caller at `into(i)`, and copies
/// its own. n - 1 messages each way, [`AT_A_TIME`] of them under way at a time; every byte is sent once.
pub(super) fn pairwise(w: &impl MemberMessages, out: impl Fn(usize) -> Source, into: impl Fn(usize) -> Dest) {
    let (n, me) = (w.size(), w.me());
    bytes::copy(into(me), out(me));
    for first in (1..n).step_by(AT_A_TIME) {
        w.transfer((first..n.min(first + AT_A_TIME)).flat_map(|away| {
            let (to, from) = ((me + away) % n, (me + n - away) % n);
            [Message::Receive(from, into(from)), Message::Send(to, out(to))]
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;

    /// Blocks of different lengths, between more members than are served at a time.
    #[test]
    fn every_block_goes_where_it_belongs() {
        for n in [1, 2, 3, 8, AT_A_TIME + 5] {
            let len = |from: usize, to: usize| (from * 3 + to * 5) % 40;
            let value = |from: usize, to: usize| (from * 31 + to + 1) as u8;
            threads::run(n, |w| {
                let me = w.me();
                let out: Vec<Vec<u8>> = (0..n).map(|to| vec![value(me, to); len(me, to)]).collect();
                let mut into: Vec<Vec<u8>> = (0..n).map(|from| vec![0; len(from, me)]).collect();
                let rooms: Vec<Dest> = into.iter_mut().map(|b| threads::into(b)).collect();
                pairwise(w, |i| bytes::of_numbers(&out[i]), |i| rooms[i]);
                for (from, block) in into.iter().enumerate() {
                    assert_eq!(*block, vec![value(from, me); len(from, me)]);
                }
            });
        }
    }
}
