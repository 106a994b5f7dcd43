//! Prefix sums in the order of the members: inscan with the caller's element, exscan without (member 0 gets zeros).

use super::at_once::at_once;
use super::buffer::Buffers;
use super::hierarchy::{NodeStage, Side};
use super::intra_node::{IntraNode, Placed};
use super::message_group::NodeMembers;
use super::messages::MemberMessages;
use super::op::{Op, Operation, Sum, combine};
use super::plan::{Asked, OnNode, Plan};
use super::reduce::{Gathered, lines, parts, share};
use super::select::{self, Shape};
use super::{Call, alltoall, bytes};
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};
use crate::mpi::collective::MpiCollective;
use crate::sync::plain::Plain;

/// A scan of one type of elements, as a value.
#[derive(Clone, Copy)]
pub(crate) struct Prefix {
    op: Operation,
    /// See [`sum_one`].
    step: fn(Dest, Source, Dest, bool, bool),
    pub(super) inclusive: bool,
}

impl Prefix {
    pub(super) const fn of<T: Plain>(inclusive: bool) -> Prefix
    where
        Sum: Op<T>,
    {
        Prefix { op: Operation::of::<T, Sum>(), step: sum_one::<T>, inclusive }
    }

    /// `acc[k] += from[k]`.
    pub(super) fn add(&self, acc: Dest, from: Source) {
        self.op.after(acc, from);
    }

    /// The number of members whose elements are a member's result.
    pub(super) fn upto(self, me: usize) -> usize {
        me + usize::from(self.inclusive)
    }
}

#[inline(always)]
pub(crate) fn inscan<T: Plain>(nelems: usize) -> Plan<impl Fn() -> Asked, impl OnNode>
where
    Sum: Op<T>,
{
    scan::<T, true>(nelems)
}

#[inline(always)]
pub(crate) fn exscan<T: Plain>(nelems: usize) -> Plan<impl Fn() -> Asked, impl OnNode>
where
    Sum: Op<T>,
{
    scan::<T, false>(nelems)
}

/// Stores in dest the sum of the sources of the members before the caller, with `INCLUSIVE` also of its own. dest may
/// be source.
#[inline(always)]
fn scan<T: Plain, const INCLUSIVE: bool>(n: usize) -> Plan<impl Fn() -> Asked, impl OnNode>
where
    Sum: Op<T>,
{
    let asked = move || Asked::Scan { len: bytes_of::<T>(n), prefix: const { &Prefix::of::<T>(INCLUSIVE) } };
    Plan { asked, on_node: on_node::<T, INCLUSIVE> }
}

fn on_node<T: Plain, const INCLUSIVE: bool>(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>)
where
    Sum: Op<T>,
{
    let writable = buffers.source.writable() && buffers.dest.writable();
    let shape = Shape::on_node(g, buffers.dest.len(), writable);
    match select::select(Collective::Scan, true, &shape, call.chosen()) {
        Algorithm::Eager => eager::<T>(g, buffers, g.me() + usize::from(INCLUSIVE)),
        Algorithm::Write => write(g, buffers, Prefix::of::<T>(INCLUSIVE)),
        _ => read_on_node(g, buffers, Prefix::of::<T>(INCLUSIVE)),
    }
}

/// On one node, by eager buffers. Each member sums the elements of those before it as soon as they have arrived. On
/// average it reads the elements of half of the members.
#[inline(always)]
fn eager<T: Plain>(g: &IntraNode<'_>, buffers: &Buffers<'_>, upto: usize)
where
    Sum: Op<T>,
{
    g.place(buffers.source.source());
    g.wait_for_prefix();
    summed(buffers.dest.dest(), upto, g, combine::<T, Sum>);
}

/// Sums the elements that the first `upto` members have placed. The caller's are read from where it placed them,
/// because dest may be source.
#[inline(always)]
pub(super) fn summed(dest: Dest, upto: usize, all: &impl Placed, add: impl Fn(Dest, Source)) {
    if upto == 0 {
        return bytes::clear(dest);
    }
    bytes::copy(dest, all.placed(0, dest.len()));
    (1..upto).for_each(|i| add(dest, all.placed(i, dest.len())));
}

/// On one node: the caller sums its share of the elements for all members, between two barriers. Each source and each
/// dest goes through one cache once. In place, an element is read before it is written.
#[inline(never)] // short calls keep their registers
fn write(g: &IntraNode<'_>, buffers: &Buffers<'_>, prefix: Prefix) {
    let (unit, n) = (prefix.op.unit, buffers.dest.len() / prefix.op.unit);
    let [from, to] = [0, 1].map(|i| lines(unit, n, g.size(), g.me() + i));
    g.signed_barrier(); // all sources are ready
    let mut sums = bytes::Scratch::new(prefix.op.chunk().min(to - from));
    for (off, len) in chunks(prefix.op, to - from) {
        let sums = sums.dest().part(0, len);
        bytes::clear(sums);
        prefix.results(NodeMembers::of(g, buffers), from + off, sums, true);
    }
    g.barrier(); // all shares are written, and no source is read after this
}

#[inline(never)] // short calls keep their registers
fn read_on_node(g: &IntraNode<'_>, buffers: &Buffers<'_>, prefix: Prefix) {
    let dest = buffers.dest.dest();
    at_once(|| read(NodeMembers::of(g, buffers), 0, dest, prefix));
    if prefix.upto(g.me()) == 0 {
        bytes::clear(dest);
    }
}

/// The first byte and the bytes of each chunk of `len` bytes.
fn chunks(op: Operation, len: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..len).step_by(op.chunk()).map(move |off| (off, op.chunk().min(len - off)))
}

impl Prefix {
    /// Stores the results of a node's members from byte `from` of their dests. `sums` has the sums of the members
    /// before them; with `first` there are none.
    #[inline]
    fn results(self, here: impl NodeStage, from: usize, sums: Dest, first: bool) {
        for i in 0..here.size() {
            let of = |side| here.mapped(side, i, from, sums.len()).expect("asked for writable memory on this node");
            (self.step)(sums, bytes::written(of(Side::Source)), of(Side::Dest), first && i == 0, self.inclusive);
        }
    }
}

/// Adds a member's elements to the sums, and stores in `into` the sums before the addition, or after it if `inclusive`.
/// The first member's elements are the sums. Not inlined, because it is called in loops over parts: see [`Operation`].
#[inline(never)]
fn sum_one<T: Plain>(sums: Dest, theirs: Source, into: Dest, first: bool, inclusive: bool)
where
    Sum: Op<T>,
{
    assert!(sums.len() == theirs.len() && sums.len() == into.len(), "as many elements everywhere");
    #[cfg(test)]
    if super::recording::combined(sums.len()) {
        return;
    }
    let n = sums.len() / size_of::<T>();
    let (sums, theirs, into) = (sums.at().cast::<T>(), theirs.at().cast::<T>(), into.at().cast::<T>());
    for k in 0..n {
        // SAFETY: the makers of the values have promised these elements. The accesses are raw, because another process
        // may own `theirs`. In place `into` is `theirs`.
        unsafe {
            let (before, own) = (sums.add(k).read_unaligned(), theirs.add(k).read_unaligned());
            let after = if first { own } else { Sum::apply(before, own) };
            sums.add(k).write_unaligned(after);
            into.add(k).write_unaligned(if inclusive { after } else { before });
        }
    }
}

/// Between nodes. `dest` may be `source`, and both are the buffers of the call.
pub(super) async fn between(w: &impl MemberMessages, dest: Dest<'_>, source: Source<'_>, prefix: Prefix) {
    let Prefix { op, inclusive, .. } = prefix;
    let n = source.len() / op.unit;
    let shape = Shape::between(w, source.len(), source.len().saturating_mul(w.size())).of_op(op.any_order);
    let algorithm = select::select(Collective::Scan, false, &shape, w.chosen());
    let upto = prefix.upto(w.me());
    for (first, len) in parts(op.unit, n) {
        let (dest, source) = (dest.part(first, len), source.part(first, len));
        let n = len / op.unit;
        let by_mpi = |exact| w.by_mpi(Collective::Scan, &MpiCollective::Scan { op: exact, dest, source, n, inclusive });
        match (algorithm, w.hierarchy()) {
            _ if op.exact.is_some_and(by_mpi) => {}
            (Algorithm::Hierarchical, _) if len <= shape.eager => few(w, dest, source, inclusive, op).await,
            (Algorithm::Hierarchical, _) => in_shares(w, first, dest, prefix).await,
            (_, Some(nodes)) if nodes.layout.nodes() == 1 => read(nodes.here, first, dest, prefix).await,
            (Algorithm::Allgather, _) => {
                let mut all = Gathered::all(w, source).await;
                if upto > 0 {
                    all.combined(upto, dest, op);
                }
            }
            (Algorithm::Pairwise, _) => pairwise(w, dest, source, inclusive, op).await,
            _ => recursive_doubling(w, dest, source, inclusive, op).await,
        }
        if upto == 0 {
            bytes::clear(dest);
        }
    }
}

/// Recursive doubling among all members. Bound: log2 n messages, rounded up, with all bytes; memory for twice the
/// bytes.
async fn recursive_doubling(
    w: &impl MemberMessages,
    dest: Dest<'_>,
    source: Source<'_>,
    inclusive: bool,
    op: Operation,
) {
    let combine = |acc: Dest, from: Source| op.before(acc, from);
    if inclusive {
        if dest.address() != source.address() {
            bytes::copy(dest, source);
        }
        return super::recursive_doubling::scan(w, dest, None, combine).await;
    }
    let mut acc = bytes::Scratch::unwritten(source.len());
    let acc = acc.dest();
    bytes::copy(acc, source);
    super::recursive_doubling::scan(w, acc, Some(dest), combine).await;
}

/// Hierarchical, by eager buffers, if the members of each node follow each other. A member sums the elements of those
/// before it on its node, the leaders scan the sums of their nodes by recursive doubling, and a member adds the sum of
/// the nodes before its own.
///
/// Bound: a leader sends the messages of recursive doubling among the nodes, and the other members none. A leader reads
/// all eager buffers of its node, another member half of them on average. Every member waits twice on its node.
async fn few(w: &impl MemberMessages, dest: Dest<'_>, source: Source<'_>, inclusive: bool, op: Operation) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, len) = (nodes.here, dest.len());
    here.place(source).await;
    here.barrier().await;
    let upto = here.me() + usize::from(inclusive);
    let sum = |to: Dest, count: usize| {
        bytes::copy(to, here.placed(0, len));
        (1..count).for_each(|i| op.after(to, here.placed(i, len)));
    };
    if upto > 0 {
        sum(dest, upto);
    }
    let (mut all, mut before) = (bytes::Scratch::unwritten(len), bytes::Scratch::unwritten(len));
    let (all, before) = (all.dest(), before.dest());
    if nodes.leads() {
        sum(all, here.size());
        super::recursive_doubling::scan(&nodes.leaders(w), all, Some(before), |acc, from| op.before(acc, from)).await;
        if nodes.node > 0 {
            here.place(bytes::written(before)).await;
        }
    }
    here.wait_for_root(0).await;
    if nodes.node > 0 {
        let before = if nodes.leads() { bytes::written(before) } else { here.placed(0, len) };
        if upto > 0 { op.before(dest, before) } else { bytes::copy(dest, before) }
    }
}

/// Hierarchical, if the members of each node follow each other and can write into each other's dests. The first members
/// of each node are its leaders, the same number on every node. Each sums its share of the elements of its node, scans
/// these sums with the other nodes' leaders of that share by recursive doubling, and then computes the results of all
/// members of its node in its share.
///
/// Bound: with N nodes, a leader sends log2 N messages, rounded up, with the bytes of its share, and needs memory for
/// three shares. Log2 N times the bytes of a member cross a node's border. A leader reads its share of all sources of
/// the node twice and writes it to all dests. Every member waits twice on its node.
///
/// `dest` begins at byte `base` of the call's dest, and may be the source.
async fn in_shares(w: &impl MemberMessages, base: usize, dest: Dest<'_>, prefix: Prefix) {
    let (nodes, op) = (w.hierarchy().expect("asked for"), prefix.op);
    let (here, n) = (nodes.here, dest.len() / op.unit);
    let leaders = nodes.layout.least();
    here.signed_barrier().await; // all sources are ready
    if here.me() < leaders {
        let [from, to] = [0, 1].map(|i| share(op.unit, n, leaders, here.me() + i));
        let len = to - from;
        let (mut sums, mut before) = (bytes::Scratch::unwritten(len), bytes::Scratch::new(len));
        let (sums, before) = (sums.dest(), before.dest());
        for (off, len) in chunks(op, len) {
            let sums = sums.part(off, len);
            let source = |i| {
                let theirs = here.mapped(Side::Source, i, base + from + off, len);
                bytes::written(theirs.expect("asked for writable memory on this node"))
            };
            bytes::copy(sums, source(0));
            (1..here.size()).for_each(|i| op.after(sums, source(i)));
        }
        let combine_before = |acc: Dest, from: Source| op.before(acc, from);
        super::recursive_doubling::scan(&nodes.leaders_at(w, here.me()), sums, Some(before), combine_before).await;
        for (off, len) in chunks(op, len) {
            prefix.results(here, base + from + off, before.part(off, len), nodes.node == 0);
        }
    }
    here.barrier().await; // all shares are written, and no source is read after this
}

/// Members of one node of which not all sources or dests are mapped: each reads the elements of those before it,
/// between two barriers. A result in place is kept in other memory until its source is not read. `dest` begins at byte
/// `base` of the call's dest.
///
/// Bound: memory for twice the bytes.
async fn read(here: impl NodeStage, base: usize, dest: Dest<'_>, prefix: Prefix) {
    let (mut sums, mut one) = (bytes::Scratch::unwritten(dest.len()), bytes::Scratch::unwritten(dest.len()));
    let upto = prefix.upto(here.me());
    here.signed_barrier().await; // all sources are ready
    for i in 0..upto {
        here.read(Side::Source, i, base, if i == 0 { sums.dest() } else { one.dest() });
        if i > 0 {
            prefix.op.after(sums.dest(), bytes::written(one.dest()));
        }
    }
    here.barrier().await; // no source is read after this
    if upto > 0 {
        bytes::copy(dest, bytes::written(sums.dest()));
    }
}

/// Two pairwise exchanges: each member receives its share of all members' elements, computes all members' results in
/// that share, and sends them back. Bound: each member sends nearly every byte twice, in 2 (n - 1) messages, and needs
/// memory for n shares.
async fn pairwise(w: &impl MemberMessages, dest: Dest<'_>, source: Source<'_>, inclusive: bool, op: Operation) {
    let (size, n) = (w.size(), source.len() / op.unit);
    let mut all = Gathered::shares(w, source, op.unit).await;
    let of = all.parts();
    (1..size).for_each(|i| op.before(of(i), bytes::written(of(i - 1))));
    let at = |i: usize| share(op.unit, n, size, i);
    let into = |i: usize| dest.part(at(i), at(i + 1) - at(i));
    // Member 0 of an exclusive scan writes its zeros itself, and ignores what it receives.
    let out = |i: usize| bytes::written(of(if inclusive { i } else { i.saturating_sub(1) }));
    alltoall::pairwise(w, out, into).await;
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;

    #[test]
    fn scans_stop_before_me_or_at_me() {
        for (size, chosen) in threads::sizes_by(["", "scan:allgather", "scan:pairwise"]) {
            for n in [0, 1, 5, 1000, 4096] {
                threads::run_strict(size, chosen, |w| {
                    let source: Vec<f64> = (0..n).map(|k| threads::element(w.me(), k)).collect();
                    let (mut before, mut with_me) = (vec![f64::NAN; n], source.clone());
                    at_once(|| {
                        between(w, Dest::of_slice(&mut before), Source::of_slice(&source), Prefix::of::<f64>(false))
                    });
                    let both = Dest::of_slice(&mut with_me);
                    at_once(|| between(w, both, bytes::written(both), Prefix::of::<f64>(true)));
                    for k in 0..n {
                        let what = format!("{size} members, element {k} of {n}");
                        assert_eq!(before[k], threads::in_order(|a, b| a + b, k, w.me()), "{what}");
                        assert_eq!(with_me[k], threads::in_order(|a, b| a + b, k, w.me() + 1), "{what}");
                    }
                });
            }
        }
    }

    /// In every layout, by every algorithm, in place and not, integers are right, and a second run gives equal bits.
    #[test]
    fn all_layouts_get_prefixes_within_the_bounds() {
        let chosen = &["", "scan:pairwise", "scan:recursive-doubling"];
        let cases = threads::groups(chosen).flat_map(|group| [1, 5, 1000, 8500].map(|n| (group, n)));
        // Lengths for which the built-in choice takes another algorithm.
        for (group, n) in cases.filter(|(group, n)| group.chosen.is_empty() || *n <= 1000) {
            for inclusive in [false, true] {
                let size = group.nodes.len();
                let sent = threads::run_counted(group, |w| {
                    let mut source: Vec<u64> = (0..n).map(|k| (k * 3 + w.me()) as u64).collect();
                    let mut dest = vec![0u64; n];
                    let (from, into) = (Source::of_slice(&source), Dest::of_slice(&mut dest));
                    at_once(|| between(w.with(from, into), into, from, Prefix::of::<u64>(inclusive)));
                    let both = Dest::of_slice(&mut source);
                    at_once(|| {
                        between(
                            w.with(bytes::written(both), both),
                            both,
                            bytes::written(both),
                            Prefix::of::<u64>(inclusive),
                        )
                    });
                    let upto = w.me() + usize::from(inclusive);
                    let wanted = |k: usize| (0..upto).map(|i| (k * 3 + i) as u64).sum::<u64>();
                    assert!((0..n).all(|k| dest[k] == wanted(k)), "{group:?}, {n} elements, {inclusive}");
                    assert!(source == dest, "{group:?}, {n} elements in place, {inclusive}");
                    let floats: Vec<f64> = (0..n).map(|k| threads::element(w.me(), k)).collect();
                    let [mut one, mut other] = [0; 2].map(|_| vec![f64::NAN; n]);
                    for result in [&mut one, &mut other] {
                        let (from, into) = (Source::of_slice(&floats), Dest::of_slice(result));
                        at_once(|| between(w.with(from, into), into, from, Prefix::of::<f64>(inclusive)));
                    }
                    assert!(one.iter().zip(&other).all(|(a, b)| a.to_bits() == b.to_bits()), "{group:?}");
                });
                for (layout, members) in sent.by_nodes().filter(|_| group.chosen.is_empty()) {
                    let rounds = size.next_power_of_two().ilog2() as usize;
                    let by_nodes = layout.nodes() < size && layout.blocks() && group.mapped;
                    let pairwise = n * 8 >= 64 << 10 && !by_nodes;
                    let most = if pairwise { 2 * size } else { rounds };
                    assert!(members.iter().all(|sent| sent.messages <= 4 * most && sent.fan_in <= 16), "{group:?}");
                }
            }
        }
    }
}
