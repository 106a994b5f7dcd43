//! Reductions. Elements are always combined in the order of the members, each by one PE or by all alike, so that
//! everybody gets bit-identical results, floating point included.

use super::buffer::Buffers;
use super::group::{Group, IntraNode};
use super::messages::MemberMessages;
use super::op::{Op, combine};
use super::select::{self, Shape};
use super::{Call, Whom, allgather, alltoall, bytes};
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};
use crate::mpi::collective::MpiCollective;

/// Bytes combined at a time: what is accumulated stays in the first-level cache.
pub(super) const CHUNK: usize = 16 << 10;
/// Bytes of a member's elements that are worked on at a time between nodes: what is held aside stays bounded.
pub(super) const AT_A_TIME: usize = 4 << 20;

/// Combines `n` elements of all members, element by element, into everybody's dest, which may be source.
pub(crate) fn reduce<T: Copy, O: Op<T>>(routine: &'static str, whom: Whom, addresses: [usize; 2], n: usize) {
    let call = Call::new(routine, whom);
    let len = bytes_of::<T>(n);
    let (buffers, _alone) = call.checked(Collective::Reduce, addresses, [len, len], true, [n as u64, 0, 0]);
    match &call.group {
        Group::IntraNode(g) => on_node::<T, O>(&call, g, &buffers),
        Group::InterNode(g) => between::<T, O>(g, buffers.dest.dest(), buffers.source.source()),
    }
}

#[inline]
fn on_node<T: Copy, O: Op<T>>(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>) {
    let (dest, source) = (buffers.dest.dest(), buffers.source.source());
    let len = dest.len();
    let shape = Shape::on_node(g, len, buffers.dest.writable());
    match select::select(Collective::Reduce, true, &shape, call.chosen()) {
        // One barrier; a member reads and combines all elements of all.
        Algorithm::Eager => {
            g.barrier_with(len, |place| bytes::copy(place, source));
            bytes::copy(dest, g.placed(0, len));
            (1..g.size()).for_each(|i| combine::<T, O>(dest, g.placed(i, len)));
        }
        algorithm => in_shares::<T, O>(g, buffers, algorithm == Algorithm::Write),
    }
}

/// Reduce-scatter and allgather in shared memory: every member combines its share of the elements for all, and writes
/// it to the others, or lets them read it. A member reads and combines an n-th of all elements and moves as many
/// bytes as it has; two barriers, or three where shares are read. The caller's share of any source is read by nobody
/// else, so working in place needs no other buffer.
#[inline(never)] // what is short keeps its registers
fn in_shares<T: Copy, O: Op<T>>(g: &IntraNode<'_>, buffers: &Buffers<'_>, write: bool) {
    let (n, dest) = (buffers.dest.len() / size_of::<T>(), buffers.dest.dest());
    let range = |i: usize| (share::<T>(n, g.size(), i), share::<T>(n, g.size(), i + 1));
    let part = |(from, to): (usize, usize)| dest.part(from, to - from);
    let others = || (0..g.size()).filter(|&i| i != g.me());
    g.signed_barrier(); // all sources are ready
    let mine = range(g.me());
    combine_all::<T, O>(g, buffers, part(mine), mine.0);
    if write {
        // dest is ready on all members when one calls.
        others().for_each(|i| buffers.dest.write(g.pe(i), mine.0, bytes::written(part(mine))));
        return g.barrier(); // all shares have come, and nobody reads a source any more
    }
    g.barrier(); // all shares are combined, and no source is needed any more
    others().for_each(|i| buffers.dest.read(g.pe(i), range(i).0, part(range(i))));
    g.barrier(); // nobody reads the caller's share any more
}

/// The bytes from `from` of all members' sources, combined in member order, into `into`. It may be the same place as
/// the caller's source, which is read in its turn: so a chunk is combined aside and stored when it is whole.
fn combine_all<T: Copy, O: Op<T>>(g: &IntraNode<'_>, buffers: &Buffers<'_>, into: Dest, from: usize) {
    let chunk = (CHUNK / size_of::<T>()).max(1) * size_of::<T>();
    let mut room = bytes::Scratch::unwritten(chunk.min(into.len()));
    let mut theirs = None;
    for done in (0..into.len()).step_by(chunk) {
        let (off, len) = (from + done, chunk.min(into.len() - done));
        let acc = room.dest().part(0, len);
        buffers.source.read(g.pe(0), off, acc);
        for i in 1..g.size() {
            let at = buffers.source.mapped(g.pe(i), off, len).unwrap_or_else(|| {
                let aside = theirs.get_or_insert_with(|| bytes::Scratch::unwritten(chunk)).dest().part(0, len);
                buffers.source.read(g.pe(i), off, aside);
                aside
            });
            combine::<T, O>(acc, bytes::written(at));
        }
        bytes::copy(into.part(done, len), bytes::written(acc));
    }
}

/// Where the share of member `i` of `size` begins among `n` elements, in bytes.
pub(super) fn share<T>(n: usize, size: usize, i: usize) -> usize {
    (n.div_ceil(size) * i).min(n) * size_of::<T>()
}

/// Calls `part` for stretches of `n` elements: first byte and bytes.
///
/// Not inlined, and `part` not known to it: rustc 1.95 (LLVM 22) loses loops over a stretch whose number of turns it
/// sees computed in the loop over stretches (the loop vectorizer makes it poison); scans then left elements out.
#[inline(never)]
pub(super) fn in_parts(size: usize, n: usize, part: &mut dyn FnMut(usize, usize)) {
    let most = (AT_A_TIME / size).max(1);
    for first in (0..n).step_by(most) {
        part(first * size, most.min(n - first) * size);
    }
}

/// Bytes of every member, one behind the other, in memory of this call.
pub(super) struct Gathered {
    room: bytes::Scratch,
    each: usize,
}

impl Gathered {
    fn room(size: usize, each: usize) -> Gathered {
        Gathered { room: bytes::Scratch::unwritten(size * each), each }
    }

    pub(super) fn of(&mut self, member: usize) -> Dest {
        self.room.dest().part(member * self.each, self.each)
    }

    /// Everybody's elements, by an allgather.
    pub(super) fn all(w: &impl MemberMessages, source: Source) -> Gathered {
        let mut all = Gathered::room(w.size(), source.len());
        allgather::between(w, source, all.room.dest(), |i| i * source.len());
        all
    }

    /// The caller's share of everybody's elements, by a pairwise exchange.
    pub(super) fn shares<T>(w: &impl MemberMessages, source: Source) -> Gathered {
        let (size, n) = (w.size(), source.len() / size_of::<T>());
        let at = |i: usize| share::<T>(n, size, i);
        let mine = at(w.me() + 1) - at(w.me());
        let mut all = Gathered::room(size, mine);
        let room = all.room.dest();
        alltoall::pairwise(w, |i| source.part(at(i), at(i + 1) - at(i)), |i| room.part(i * mine, mine));
        all
    }

    /// Combines what the first `members` have, in their order, into `dest`.
    pub(super) fn combined<T: Copy, O: Op<T>>(&mut self, members: usize, dest: Dest) {
        let acc = self.of(0);
        (1..members).for_each(|i| combine::<T, O>(acc, bytes::written(self.of(i))));
        bytes::copy(dest, bytes::written(acc));
    }
}

/// Between nodes. `dest` may be `source`.
#[inline(never)] // what is short keeps its registers
fn between<T: Copy, O: Op<T>>(w: &impl MemberMessages, dest: Dest, source: Source) {
    let (size, n) = (w.size(), source.len() / size_of::<T>());
    let algorithm = select::between(w, Collective::Reduce, source.len(), source.len().saturating_mul(size));
    // A part of the source is not needed any more when the exchange that sends it has returned.
    in_parts(size_of::<T>(), n, &mut |first, len| {
        let (dest, source) = (dest.part(first, len), source.part(first, len));
        if let Some(op) = O::EXACT
            && w.by_mpi(Collective::Reduce, &MpiCollective::Reduce { op, dest, source, n: len / size_of::<T>() })
        {
            return;
        }
        match algorithm {
            Algorithm::Allgather => Gathered::all(w, source).combined::<T, O>(size, dest),
            _ => reduce_scatter::<T, O>(w, dest, source),
        }
    });
}

/// Reduce-scatter by pairwise exchange, then allgather: every member combines its share of the elements of all. Each
/// sends nearly every byte twice, in n - 1 messages and those of the allgather.
fn reduce_scatter<T: Copy, O: Op<T>>(w: &impl MemberMessages, dest: Dest, source: Source) {
    let (size, n) = (w.size(), source.len() / size_of::<T>());
    let at = |i: usize| share::<T>(n, size, i);
    let mine = dest.part(at(w.me()), at(w.me() + 1) - at(w.me()));
    Gathered::shares::<T>(w, source).combined::<T, O>(size, mine);
    allgather::between(w, bytes::written(mine), dest, at);
}

#[cfg(test)]
mod tests {
    use super::super::op::{Max, Prod, Sum};
    use super::super::threads;
    use super::*;

    /// By every algorithm, in place and not: exactly what combining from left to right gives, although addition of
    /// these values depends on the order.
    #[test]
    fn everybody_gets_the_sum_from_left_to_right() {
        for (size, chosen) in threads::sizes_by(["", "reduce:allgather", "reduce:reduce-scatter"]) {
            for n in [0, 1, 5, 1000, 4096] {
                threads::run_with(size, chosen, |w| {
                    let source: Vec<f64> = (0..n).map(|k| threads::element(w.me(), k)).collect();
                    let mut dest = vec![f64::NAN; n];
                    let (mut inside, mut largest) = (source.clone(), source.clone());
                    between::<f64, Sum>(w, threads::into(&mut dest), bytes::of_numbers(&source));
                    let both = threads::into(&mut inside);
                    between::<f64, Prod>(w, both, bytes::written(both));
                    let both = threads::into(&mut largest);
                    between::<f64, Max>(w, both, bytes::written(both));
                    for k in 0..n {
                        let what = format!("{size} members, element {k} of {n}");
                        assert_eq!(dest[k], threads::in_order(|a, b| a + b, k, size), "{what}");
                        assert_eq!(inside[k], threads::in_order(|a, b| a * b, k, size), "{what}");
                        assert_eq!(largest[k], threads::in_order(f64::max, k, size), "{what}");
                    }
                });
            }
        }
    }

    /// Elements beyond one part, with a count that no size divides.
    #[test]
    fn long_arrays_are_worked_on_in_parts() {
        let n = 2 * AT_A_TIME / size_of::<u32>() + 13;
        threads::run(3, |w| {
            let source: Vec<u32> = (0..n).map(|k| (k * (w.me() + 1)) as u32).collect();
            let mut dest = vec![0u32; n];
            between::<u32, Sum>(w, threads::into(&mut dest), bytes::of_numbers(&source));
            assert!(dest.iter().enumerate().all(|(k, &v)| v == (k as u32).wrapping_mul(6)));
            super::super::scan::between::<u32>(w, threads::into(&mut dest), bytes::of_numbers(&source), false);
            let factor = [0u32, 1, 3][w.me()];
            assert!(dest.iter().enumerate().all(|(k, &v)| v == (k as u32).wrapping_mul(factor)));
        });
    }
}
