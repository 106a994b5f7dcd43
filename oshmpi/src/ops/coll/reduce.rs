//! Reductions. On a node elements are combined in the order of the members, or in that of a [tree](crate::sync::tree);
//! between nodes see [`hierarchical`]. Each result is computed by one PE, or by all in the same order, so all PEs get
//! identical bits, also of floating-point numbers.

use super::buffer::Buffers;
use super::hierarchy::{NodeStage, Side};
use super::intra_node::{IntraNode, Placed};
use super::message_group::NodeMembers;
use super::messages::MemberMessages;
use super::op::{Op, Operation, combine};
use super::plan::{Asked, OnNode, Plan};
use super::select::{self, Shape};
use super::{Call, allgather, alltoall, bytes, rabenseifner, recursive_doubling};
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};
use crate::mpi::collective::MpiCollective;
use crate::sync::plain::Plain;

/// Bytes of a member's elements that are processed at a time between nodes, so that the memory of a call is bounded.
/// Fewer make more messages.
pub(super) const AT_A_TIME: usize = 4 << 20;

/// Combines the `n` elements of all members, element by element, into every member's dest, which may be source.
#[inline(always)]
pub(crate) fn reduce<T: Plain, O: Op<T>>(n: usize) -> Plan<impl Fn() -> Asked, impl OnNode> {
    Plan {
        asked: move || Asked::Reduce { len: bytes_of::<T>(n), op: const { &Operation::of::<T, O>() } },
        on_node: |call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>| {
            on_node(call, g, buffers, Operation::of::<T, O>(), combine::<T, O>);
        },
    }
}

/// [`reduce`] for an active set. All types and operations share its code.
pub(crate) fn reduce_in_set<T: Plain, O: Op<T>>(n: usize) -> Plan<impl Fn() -> Asked, impl OnNode> {
    of_operation(bytes_of::<T>(n), const { &Operation::of::<T, O>() })
}

fn of_operation(len: usize, op: &'static Operation) -> Plan<impl Fn() -> Asked, impl OnNode> {
    let on_node = move |call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>| {
        on_node(call, g, buffers, *op, |acc, from| op.after(acc, from));
    };
    Plan { asked: move || Asked::Reduce { len, op }, on_node }
}

/// `combine` does what `op.after` does.
#[inline(always)]
fn on_node(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, op: Operation, combine: impl Fn(Dest, Source)) {
    let (dest, source) = (buffers.dest.dest(), buffers.source.source());
    let len = dest.len();
    let shape = Shape::on_node(g, len, buffers.dest.writable());
    match select::select(Collective::Reduce, true, &shape, call.chosen()) {
        // A barrier with a tree: a member combines the elements of those that it waits for, and nobody reads those of
        // all. The order depends on where members run.
        Algorithm::Eager if g.has_tree() && (op.any_order || !call.strict()) => in_tree(g, dest, source, op),
        // One barrier. A member reads and combines the elements of all members.
        Algorithm::Eager => {
            g.barrier_with(len, |place| bytes::copy(place, source));
            combined(dest, source, g.me(), g.size(), g, combine);
        }
        algorithm => in_shares(g, buffers, op, algorithm == Algorithm::Write),
    }
}

/// Combines the elements that all members have placed, in the order of the members.
#[inline(always)]
pub(super) fn combined<'a>(
    dest: Dest,
    source: Source<'a>,
    me: usize,
    n: usize,
    all: &'a impl Placed,
    combine: impl Fn(Dest, Source),
) {
    // In place, dest has taken the elements of others when the caller's are needed.
    let own = (dest.at().cast_const() != source.at()).then_some((me, source));
    let of = |i| own.filter(|(me, _)| i == *me).map_or_else(|| all.placed(i, dest.len()), |(_, source)| source);
    bytes::copy(dest, of(0));
    (1..n).for_each(|i| combine(dest, of(i)));
}

#[inline(never)] // for large groups only
fn in_tree(g: &IntraNode<'_>, dest: Dest, source: Source, op: Operation) {
    bytes::copy(dest, g.joined(source, |acc, from| op.after(acc, from)));
}

/// Reduce-scatter and allgather in shared memory: every member combines its share of the elements of all members, and
/// writes it to the others, or lets them read it. Bound: a member reads and combines an n-th of all elements and moves
/// as many bytes as it has. Two barriers, or three if shares are read. Only the caller reads its share of each source,
/// so in place needs no other buffer.
#[inline(never)] // short calls keep their registers
fn in_shares(g: &IntraNode<'_>, buffers: &Buffers<'_>, op: Operation, write: bool) {
    let (here, n, dest) = (NodeMembers::of(g, buffers), buffers.dest.len() / op.unit, buffers.dest.dest());
    let range = |i: usize| (lines(op.unit, n, g.size(), i), lines(op.unit, n, g.size(), i + 1));
    let part = |(from, to): (usize, usize)| dest.part(from, to - from);
    let others = || (0..g.size()).filter(|&i| i != g.me());
    g.signed_barrier(); // all sources are ready
    let mine = range(g.me());
    combine_node(here, mine.0, mine.1 - mine.0, part(mine), g.me(), op);
    if write {
        // dest is ready on all members when one calls.
        others().for_each(|i| here.write(i, mine.0, bytes::written(part(mine))));
        return g.barrier(); // all shares are written, and no source is read after this
    }
    g.barrier(); // all shares are combined, and no source is read after this
    others().for_each(|i| here.read(Side::Dest, i, range(i).0, part(range(i))));
    g.barrier(); // the caller's share is not read after this
}

/// The first byte of the share of member `i` of `size`, among `n` elements of `unit` bytes.
pub(super) fn share(unit: usize, n: usize, size: usize, i: usize) -> usize {
    (n.div_ceil(size) * i).min(n) * unit
}

/// `share` in whole cache lines, if the buffer begins at one: no two members write into a line. Some members may have
/// no share then.
pub(super) fn lines(unit: usize, n: usize, size: usize, i: usize) -> usize {
    let line = (64 / unit).max(1);
    (n.div_ceil(size).next_multiple_of(line) * i).min(n) * unit
}

/// The first byte and the bytes of each part of `n` elements of `size` bytes. A part has at most [`AT_A_TIME`] bytes.
/// Loops over the elements of a part are functions of their own: see [`Operation`].
pub(super) fn parts(size: usize, n: usize) -> impl Iterator<Item = (usize, usize)> {
    let most = (AT_A_TIME / size).max(1);
    (0..n).step_by(most).map(move |first| (first * size, most.min(n - first) * size))
}

/// The bytes of all members, one after the other, in memory of this call.
pub(super) struct Gathered {
    room: bytes::Scratch,
    each: usize,
}

impl Gathered {
    fn room(size: usize, each: usize) -> Gathered {
        Gathered { room: bytes::Scratch::unwritten(size * each), each }
    }

    /// The bytes of each member.
    pub(super) fn parts<'a>(&'a mut self) -> impl Fn(usize) -> Dest<'a> {
        let (room, each) = (self.room.dest(), self.each);
        move |member| room.part(member * each, each)
    }

    /// The elements of all members, by an allgather.
    ///
    /// Bound: the messages of that allgather, and memory for the sources of all members.
    pub(super) async fn all(w: &impl MemberMessages, source: Source<'_>) -> Gathered {
        let mut all = Gathered::room(w.size(), source.len());
        allgather::between(w, source, all.room.dest(), |i| i * source.len(), allgather::Symmetric::Nothing).await;
        all
    }

    /// The caller's share of all members' elements, by a pairwise exchange.
    ///
    /// Bound: n - 1 messages with a share each, and memory for n shares: the bytes of one source, rounded up.
    pub(super) async fn shares(w: &impl MemberMessages, source: Source<'_>, unit: usize) -> Gathered {
        let (size, n) = (w.size(), source.len() / unit);
        let at = |i: usize| share(unit, n, size, i);
        let mine = at(w.me() + 1) - at(w.me());
        let mut all = Gathered::room(size, mine);
        let room = all.room.dest();
        alltoall::pairwise(w, |i| source.part(at(i), at(i + 1) - at(i)), |i| room.part(i * mine, mine)).await;
        all
    }

    /// Combines the bytes of the first `members` members, in their order, into `dest`.
    pub(super) fn combined(&mut self, members: usize, dest: Dest, op: Operation) {
        let of = self.parts();
        (1..members).for_each(|i| op.after(of(0), bytes::written(of(i))));
        bytes::copy(dest, bytes::written(of(0)));
    }
}

/// Between nodes. `dest` may be `source`. Both are the buffers of the call.
pub(super) async fn between(w: &impl MemberMessages, dest: Dest<'_>, source: Source<'_>, op: Operation) {
    let (size, n) = (w.size(), source.len() / op.unit);
    let shape = Shape::between(w, source.len(), source.len().saturating_mul(size)).of_op(op.any_order);
    let algorithm = select::select(Collective::Reduce, false, &shape, w.chosen());
    // A part of the source may be overwritten when the exchange that sends it has returned.
    for (first, len) in parts(op.unit, n) {
        let (dest, source) = (dest.part(first, len), source.part(first, len));
        if let Some(exact) = op.exact
            && w.by_mpi(Collective::Reduce, &MpiCollective::Reduce { op: exact, dest, source, n: len / op.unit })
        {
            continue;
        }
        match algorithm {
            Algorithm::Allgather => Gathered::all(w, source).await.combined(size, dest, op),
            Algorithm::Hierarchical => hierarchical(w, first, dest, source, op).await,
            algorithm => flat(w, algorithm, source, dest, op).await,
        }
    }
}

/// By messages between members of which no two share a node. The result is in `acc` of each, which may be `source`.
async fn flat(w: &impl MemberMessages, algorithm: Algorithm, source: Source<'_>, acc: Dest<'_>, op: Operation) {
    match algorithm {
        Algorithm::ReduceScatter => reduce_scatter(w, acc, source, op).await,
        Algorithm::Rabenseifner => rabenseifner::allreduce(w, source, acc, op).await,
        _ => recursive_doubling::allreduce_of(w, source, acc, op).await,
    }
}

/// As [`flat`], by the algorithm that [`select`] gives for one member of each node.
async fn among_leaders(w: &impl MemberMessages, acc: Dest<'_>, op: Operation) {
    let shape = Shape::between(w, acc.len(), acc.len().saturating_mul(w.size())).of_op(true);
    let algorithm = select::select(Collective::Reduce, false, &shape, w.chosen());
    flat(w, algorithm, bytes::written(acc), acc, op).await;
}

/// Combines `acc` of all members, which fits into an eager buffer, into every member's `acc`. `combine(lower, upper)`
/// stores `lower op upper` in `lower`. The members of a node place their `acc` in eager buffers. These are combined, by
/// the leader or on the way of a tree, and the leader hands out the result.
///
/// Bound: a leader sends the messages of recursive doubling among the nodes, and the other members none. The bytes over
/// a node's border are those of the leader. A leader reads the eager buffers of its node, at most 7 in each level of a
/// tree. Every member waits twice on its node.
pub(super) async fn few(w: &impl MemberMessages, acc: Dest<'_>, combine: impl Fn(Dest<'_>, Source<'_>)) {
    let Some(nodes) = w.hierarchy().filter(|nodes| acc.len() <= nodes.here.eager()) else {
        return recursive_doubling::allreduce(w, acc, combine).await;
    };
    nodes.here.gather_with(acc, &combine).await;
    if nodes.leads() {
        recursive_doubling::allreduce(&nodes.leaders(w), acc, combine).await;
    }
    nodes.here.hand_out(0, bytes::written(acc), acc).await;
}

/// Bytes of a share for which a node has one more leader. With a lower value more leaders send short messages; with a
/// higher one fewer leaders share the work.
const PER_LEADER: usize = 32 << 10;
/// Bytes of a share for which one more member of a node combines. With a lower value more members combine short shares;
/// with a higher one fewer members share the work.
const PER_HELPER: usize = 1 << 10;
/// Bytes up to which the leader of a node writes the results into all dests of the node. Longer results are read by the
/// members, in parallel.
const WRITTEN_BY_LEADER: usize = 4 << 10;

/// Hierarchical. Each node has the same number of leaders: its first members. Each leader has a share of the elements.
/// Each member combines a part of the sources of its node, and stores the result in the dest of the leader whose share
/// it is. The leaders of a share combine the results of all nodes by one of the other algorithms. The members of a node
/// get the shares from its leaders. Elements are combined in the order of the members on each node, then in the tree of
/// the nodes. That order is equal for all counts and on all PEs.
///
/// Bound: a leader sends the messages of that algorithm among the nodes, and the other members none. As many bytes
/// cross a node's border as with one member per node. On its node a member reads or writes at most its part of all
/// sources and all results, and waits at most four times. A member needs memory for one or two chunks
/// ([`Operation::chunk`]), and a leader for that algorithm.
///
/// `dest` and `source` begin at byte `base` of the call's buffers. `dest` may be `source`, because each byte of a
/// source is read by one member only, before that member writes there.
async fn hierarchical(w: &impl MemberMessages, base: usize, dest: Dest<'_>, source: Source<'_>, op: Operation) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, len) = (nodes.here, dest.len());
    if len <= here.eager() {
        if dest.address() != source.address() {
            bytes::copy(dest, source);
        }
        return few(w, dest, |acc, from| op.after(acc, from)).await;
    }
    let (n, size, me) = (len / op.unit, here.size(), here.me());
    let writable = here.writable(Side::Dest);
    let leaders = (len / PER_LEADER).clamp(1, nodes.layout.least());
    let led = |j: usize| (lines(op.unit, n, leaders, j), lines(op.unit, n, leaders, j + 1));
    // If members cannot write into a leader's dest, the leader combines its share alone.
    let helpers = if writable { (len / PER_HELPER).clamp(leaders, size) } else { leaders };
    let helped = |i: usize| (lines(op.unit, n, helpers, i), lines(op.unit, n, helpers, i + 1));

    here.signed_barrier().await; // all sources are ready
    if me < helpers {
        let (from, to) = helped(me);
        for j in 0..leaders {
            let (from, to) = (from.max(led(j).0), to.min(led(j).1));
            if from < to {
                combine_node(here, base + from, to - from, dest.part(from, to - from), j, op);
            }
        }
    }
    if helpers > leaders {
        here.barrier().await; // all leaders have the combined elements of their node
    }
    if me < leaders {
        let (from, to) = led(me);
        let mine = dest.part(from, to - from);
        among_leaders(&nodes.leaders_at(w, me), mine, op).await;
        if writable && (leaders == size || len <= WRITTEN_BY_LEADER) {
            (0..size).filter(|&i| i != me).for_each(|i| here.write(i, base + from, bytes::written(mine)));
        }
    }
    here.barrier().await; // the leaders have the results
    if !(writable && (leaders == size || len <= WRITTEN_BY_LEADER)) {
        for j in (0..leaders).filter(|&j| j != me) {
            let (from, to) = led(j);
            here.read(Side::Dest, j, base + from, dest.part(from, to - from));
        }
        here.barrier().await; // the caller's dest is not read after this
    }
}

/// Combines the `len` bytes from byte `from` of a node's sources, in the order of its members, into the dest of its
/// member `leader`. `own` is the same range of the caller's dest, which may be its source: each chunk is combined in
/// other memory.
fn combine_node(here: impl NodeStage, from: usize, len: usize, own: Dest, leader: usize, op: Operation) {
    let chunk = op.chunk();
    let mut room = bytes::Scratch::unwritten(chunk.min(len));
    let mut theirs = None;
    for done in (0..len).step_by(chunk) {
        let (off, len) = (from + done, chunk.min(len - done));
        let acc = room.dest().part(0, len);
        here.read(Side::Source, 0, off, acc);
        for i in 1..here.size() {
            let at = here.mapped(Side::Source, i, off, len).unwrap_or_else(|| {
                let aside = theirs.get_or_insert_with(|| bytes::Scratch::unwritten(chunk)).dest().part(0, len);
                here.read(Side::Source, i, off, aside);
                aside
            });
            op.after(acc, bytes::written(at));
        }
        if leader == here.me() {
            bytes::copy(own.part(done, len), bytes::written(acc));
        } else {
            here.write(leader, off, bytes::written(acc));
        }
    }
}

/// Reduce-scatter by pairwise exchange, then allgather: every member combines its share of all members' elements.
/// Bound: each sends nearly every byte twice, in n - 1 messages and those of the allgather, and needs memory for n
/// shares.
async fn reduce_scatter(w: &impl MemberMessages, dest: Dest<'_>, source: Source<'_>, op: Operation) {
    let (size, n) = (w.size(), source.len() / op.unit);
    let at = |i: usize| share(op.unit, n, size, i);
    let mine = dest.part(at(w.me()), at(w.me() + 1) - at(w.me()));
    Gathered::shares(w, source, op.unit).await.combined(size, mine, op);
    allgather::among_leaders(w, bytes::written(mine), dest, at).await;
}

#[cfg(test)]
mod tests {
    use super::super::at_once::at_once;
    use super::super::op::{Max, Sum};
    use super::super::threads;
    use super::*;

    /// Shares begin at cache lines, follow each other, and have all elements, whatever their number.
    #[test]
    fn shares_are_whole_lines() {
        for unit in [1, 2, 4, 8, 16, 32] {
            for (n, size) in [(0, 3), (1, 2), (65, 2), (1000, 7), (2049, 64), (4096, 128)] {
                let at: Vec<usize> = (0..=size).map(|i| lines(unit, n, size, i)).collect();
                assert!(at.is_sorted() && at[0] == 0 && at[size] == n * unit, "{n} elements of {unit} bytes: {at:?}");
                assert!(
                    at.iter().all(|&at| at.is_multiple_of(64) || at == n * unit),
                    "{n} elements of {unit} bytes: {at:?}"
                );
            }
        }
        assert_eq!(lines(8, 4096, 128, 1), 32 * 8, "shares that are whole lines stay as large");
    }

    /// With the strict order, operations whose result does not depend on it keep to the few messages of a tree. MPIs
    /// compute some of these wrongly: the greatest of unsigned numbers, sums of short ones.
    #[test]
    fn the_strict_order_costs_only_what_needs_it() {
        const SIZE: usize = 8;
        let count = |op: Operation| {
            let most = std::sync::atomic::AtomicUsize::new(0);
            threads::run_strict(SIZE, "", |w| {
                let (source, mut dest) = (vec![1u8; 40_000], vec![0u8; 40_000]);
                at_once(|| between(w, Dest::of_slice(&mut dest), Source::of_slice(&source), op));
                most.fetch_max(w.sent().0, std::sync::atomic::Ordering::Relaxed);
            });
            most.into_inner()
        };
        assert!(count(Operation::of::<u32, Max>()) <= 2 * 3);
        assert!(count(Operation::of::<u16, Sum>()) <= 2 * 3);
        assert!(count(Operation::of::<f32, Sum>()) >= SIZE - 1, "the order counts");
    }

    /// More elements than one part, with a count that no group size divides.
    #[test]
    fn long_arrays_are_worked_on_in_parts() {
        let n = 2 * AT_A_TIME / size_of::<u32>() + 13;
        threads::run(3, |w| {
            let source: Vec<u32> = (0..n).map(|k| (k * (w.me() + 1)) as u32).collect();
            let mut dest = vec![0u32; n];
            at_once(|| between(w, Dest::of_slice(&mut dest), Source::of_slice(&source), Operation::of::<u32, Sum>()));
            assert!(dest.iter().enumerate().all(|(k, &v)| v == (k as u32).wrapping_mul(6)));
            at_once(|| {
                let prefix = super::super::scan::Prefix::of::<u32>(false);
                super::super::scan::between(w, Dest::of_slice(&mut dest), Source::of_slice(&source), prefix)
            });
            let factor = [0u32, 1, 3][w.me()];
            assert!(dest.iter().enumerate().all(|(k, &v)| v == (k as u32).wrapping_mul(factor)));
        });
    }

    /// In every layout, by every algorithm, in place and not, integers are right, and floating-point sums have equal
    /// bits on all members and in a second run. With the built-in choice, messages and bytes are within the bounds.
    #[test]
    fn all_layouts_get_identical_bits_within_the_bounds() {
        let chosen = &["", "reduce:recursive-doubling", "reduce:rabenseifner", "reduce:reduce-scatter"];
        let cases = threads::groups(chosen).flat_map(|group| [0, 1, 5, 1000, 12_345].map(|n| (group, n)));
        // Lengths for which the built-in choice takes other algorithms.
        for (group, n) in cases.filter(|(group, n)| group.chosen.is_empty() || *n <= 1000) {
            let (size, len) = (group.nodes.len(), n * size_of::<f64>());
            let run = |inside: bool| {
                let results = std::sync::Mutex::new(Vec::new());
                let sent = threads::run_counted(group, |w| {
                    let mut source: Vec<f64> = (0..n).map(|k| threads::element(w.me(), k)).collect();
                    let mut dest = vec![f64::NAN; n];
                    let from = Dest::of_slice(&mut source);
                    let into = if inside { from } else { Dest::of_slice(&mut dest) };
                    let from = bytes::written(from);
                    at_once(|| between(w.with(from, into), into, from, Operation::of::<f64, Sum>()));
                    let sum = if inside { source } else { dest };
                    results.lock().unwrap().push(sum.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
                });
                let results = results.into_inner().unwrap();
                assert!(results.iter().all(|result| *result == results[0]), "{group:?}, {n} elements");
                (results[0].clone(), sent)
            };
            let ((first, sent), (second, _)) = (run(false), run(true));
            assert!(first == second, "{group:?}, {n} elements");
            let close = |k: usize| (f64::from_bits(first[k]) - threads::in_order(|a, b| a + b, k, size)).abs() < 1e3;
            assert!((0..n).all(close), "{group:?}, {n} elements");
            group.run(|w| {
                let source: Vec<u64> = (0..n).map(|k| (k * 3 + w.me()) as u64).collect();
                let mut dest = vec![0u64; n];
                let (from, into) = (Source::of_slice(&source), Dest::of_slice(&mut dest));
                at_once(|| between(w.with(from, into), into, from, Operation::of::<u64, Sum>()));
                let wanted = |k: usize| (0..size).map(|i| (k * 3 + i) as u64).sum::<u64>();
                assert!(dest.iter().enumerate().all(|(k, &v)| v == wanted(k)), "{group:?}, {n} elements");
            });
            if !group.chosen.is_empty() {
                continue;
            }
            for (layout, members) in sent.by_nodes() {
                let nodes = if group.team || layout.triplet(0).is_some() { layout.nodes() } else { size };
                let rounds = nodes.next_power_of_two().ilog2() as usize;
                let over_border: usize = members.iter().map(|sent| sent.over_border).sum();
                let most = if len <= 16 << 10 { (rounds + 1) * len } else { 4 * len };
                if nodes < size || nodes == layout.nodes() {
                    assert!(over_border <= most, "{group:?}, {len} bytes: {over_border}");
                }
                assert!(members.iter().all(|sent| sent.messages <= 2 * nodes && sent.fan_in <= 16));
            }
        }
    }
}
