//! broadcast: copies the root's bytes to every member's dest; in teams also to the root's dest.

use super::buffer::Buffers;
use super::hierarchy::{Hierarchy, NodeStage, Side};
use super::intra_node::{IntraNode, Placed};
use super::messages::{MemberMessages, Message, Subgroup};
use super::plan::{Asked, OnNode, Plan};
use super::select::{self, Shape};
use super::{Call, allgather, bytes};
use crate::diag::fatal;
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};
use crate::mpi::collective::MpiCollective;
use core::ffi::c_int;

/// Broadcasts `nelems` elements of the member `root`. In an active set the root's dest is not written.
#[inline(always)]
pub(crate) fn broadcast<T>(nelems: usize, root: c_int) -> Plan<impl Fn() -> Asked, impl OnNode> {
    let on_node = move |call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>| on_node(call, g, buffers, root as usize);
    Plan { asked: move || Asked::Broadcast { len: bytes_of::<T>(nelems), root }, on_node }
}

#[inline(always)]
pub(super) fn check_root(routine: &str, members: usize, root: c_int) {
    if usize::try_from(root).is_ok_and(|root| root < members) {
        return;
    }
    fatal(routine, format_args!("PE_root {root} is out of range 0..{}", members - 1))
}

/// On one node. The root copies to its own dest after it has released the others, which copy meanwhile.
fn on_node(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, root: usize) {
    let (dest, source) = (buffers.dest.dest(), buffers.source.source());
    // Equal on all members, because dest and source are the same objects on all of them.
    let root_copies = call.team.is_some() && dest.address() != source.address();
    let len = dest.len();
    let i_am_root = g.me() == root;
    let own_copy = || {
        if root_copies {
            bytes::copy(dest, source);
        }
    };
    let shape = Shape::on_node(g, len, buffers.dest.writable() && !root_copies);
    match select::select(Collective::Broadcast, true, &shape, call.chosen()) {
        // Down a tree.
        Algorithm::Eager if g.hands_out_in_tree() => {
            g.hand_out_in_tree(root, source, dest);
            if i_am_root {
                own_copy();
            }
        }
        // One copy into the eager buffer, n - 1 copies out of it. Members wait for the root only.
        Algorithm::Eager => {
            if i_am_root {
                g.place(source);
            }
            g.wait_for_root(root);
            if i_am_root { own_copy() } else { bytes::copy(dest, g.placed(root, len)) }
        }
        // Each of the n - 1 other members reads all but an n-th, which the root writes for them. All take the same
        // time.
        Algorithm::ReadWrite => {
            g.wait_for_signed_root(root);
            let theirs = len - len / g.size();
            if i_am_root {
                let rest = source.part(theirs, len - theirs);
                (0..g.size()).filter(|&i| i != root).for_each(|i| buffers.dest.write(g.pe(i), theirs, rest));
            } else {
                buffers.source.read(g.pe(root), 0, dest.part(0, theirs));
            }
            g.gather_and_release(root);
        }
        // The n - 1 other members read the root's source, and the root waits for them.
        _ => {
            g.wait_for_signed_root(root);
            if i_am_root {
                own_copy()
            } else {
                buffers.source.read(g.pe(root), 0, dest)
            }
            g.notify_root(root);
        }
    }
}

/// Between nodes: copies the root's `source` to `dest` of every other member. Both are the buffers of the call.
pub(super) async fn between<W: MemberMessages>(w: &W, root: usize, source: Source<'_>, dest: Dest<'_>) {
    let len = dest.len();
    if w.by_mpi(Collective::Broadcast, &MpiCollective::Broadcast { root, source, dest }) {
        return;
    }
    match select::between(w, Collective::Broadcast, len, len) {
        Algorithm::Hierarchical => hierarchical(w, root, source, dest).await,
        algorithm => flat(w, algorithm, root, source, dest).await,
    }
}

/// By messages between members of which no two share a node.
async fn flat(w: &impl MemberMessages, algorithm: Algorithm, root: usize, source: Source<'_>, dest: Dest<'_>) {
    match algorithm {
        Algorithm::ScatterAllgather => scatter_allgather(w, root, source, dest).await,
        _ => binomial(w, root, source, dest).await,
    }
}

/// As [`flat`], by the algorithm that [`select`] gives for one member of each node.
async fn among_leaders(w: &impl MemberMessages, root: usize, source: Source<'_>, dest: Dest<'_>) {
    let algorithm = select::between(w, Collective::Broadcast, dest.len(), dest.len());
    flat(w, algorithm, root, source, dest).await;
}

/// Bytes of a share for which a node has one more leader. With a lower value more leaders send short messages; with a
/// higher one fewer leaders share the work.
const PER_LEADER: usize = 128 << 10;

/// Hierarchical. One member of each node receives the bytes, by one of the other algorithms. The other members of the
/// node read its eager buffer or its dest; on the root's node they read the root's source. For many bytes the first
/// members of each node are leaders, the same number on every node, and each receives a share. On the root's node the
/// other members first copy the root's source, and each leader sends from its own copy.
///
/// Bound: a leader sends the messages of that algorithm among the nodes, and the other members none. As many bytes
/// cross a node's border as with one member per node. A member reads the bytes once on its node, and waits there at
/// most twice. If the members are scattered irregularly, those on the root's node look at each member before the root.
async fn hierarchical<W: MemberMessages>(w: &W, root: usize, source: Source<'_>, dest: Dest<'_>) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, layout, len) = (nodes.here, nodes.layout, dest.len());
    let roots = layout.node(root);
    let leaders = (len / PER_LEADER).clamp(1, layout.least());
    if leaders > 1 {
        return in_shares(w, &nodes, root, source, dest, leaders).await;
    }
    // The member that has the bytes first on this node.
    let local = if roots == nodes.node { layout.local(root) } else { 0 };
    let first = here.me() == local;
    if first {
        among_leaders(&nodes.leaders_with(w, 0, root), roots, source, dest).await;
    }
    if here.eager() > 0 && len <= here.eager() {
        return here.hand_out(local, if w.me() == root { source } else { bytes::written(dest) }, dest).await;
    }
    here.wait_for_root(local).await;
    if !first {
        here.read(if roots == nodes.node { Side::Source } else { Side::Dest }, local, 0, dest);
    }
    here.notify_root(local).await;
}

/// See [`hierarchical`]: several leaders on each node.
async fn in_shares<W: MemberMessages>(
    w: &W,
    nodes: &Hierarchy<'_, W::Node>,
    root: usize,
    source: Source<'_>,
    dest: Dest<'_>,
    leaders: usize,
) {
    let (here, layout, len) = (nodes.here, nodes.layout, dest.len());
    let (me, roots) = (here.me(), layout.node(root));
    let share = len.div_ceil(leaders).next_multiple_of(64);
    let part = |j: usize| ((j * share).min(len), share.min(len - (j * share).min(len)));
    let (at, mine) = part(me);
    let among = async |from: Source| {
        among_leaders(&nodes.leaders_at(w, me), roots, from.part(at, mine), dest.part(at, mine)).await;
    };
    if roots == nodes.node {
        let local = layout.local(root);
        here.wait_for_root(local).await; // the source is ready
        if me != local {
            here.read(Side::Source, local, 0, dest);
        }
        if me < leaders {
            among(if me == local { source } else { bytes::written(dest) }).await;
        }
        return here.notify_root(local).await; // the source is not read after this
    }
    if me < leaders {
        among(bytes::written(dest)).await;
    }
    here.barrier().await; // all shares have arrived
    for j in (0..leaders).filter(|&j| j != me) {
        let (at, len) = part(j);
        here.read(Side::Dest, j, at, dest.part(at, len));
    }
    here.barrier().await; // the caller's share is not read after this
}

/// Binomial tree: a member that has the bytes sends them to members at half the distance each time.
///
/// Bound: a member receives all bytes once and sends them at most log2 n times, rounded up.
async fn binomial(w: &impl MemberMessages, root: usize, source: Source<'_>, dest: Dest<'_>) {
    let n = w.size();
    let me = (w.me() + n - root) % n;
    let member = |relative: usize| (relative + root) % n;
    // The lowest set bit of the caller's number is the distance to its parent. The root's bit is above all numbers.
    let bit = if me == 0 { n.next_power_of_two() } else { me & me.wrapping_neg() };
    if me != 0 {
        w.transfer([Message::Receive(member(me - bit), dest)]).await;
    }
    let at = if me == 0 { source } else { bytes::written(dest) };
    let children = (0..bit.trailing_zeros()).rev().map(|k| me + (1 << k)).filter(|&child| child < n);
    w.transfer(children.map(|child| Message::Send(member(child), at))).await;
}

/// Scatter and allgather (van de Geijn): the root scatters the bytes among the other members down a binomial tree, and
/// these gather all of them.
///
/// Bound: the root sends log2 n messages, rounded up, and every byte once. In the scatter another member receives at
/// most half of the bytes and sends fewer. In the allgather it receives and sends nearly every byte once, in log2 n
/// messages, rounded up, for short parts, else in n - 2.
async fn scatter_allgather(w: &impl MemberMessages, root: usize, source: Source<'_>, dest: Dest<'_>) {
    let (n, len) = (w.size(), dest.len());
    let me = (w.me() + n - root) % n;
    let member = |relative: usize| (relative + root) % n;
    // Part i is for the member with number i + 1 relative to the root.
    let part = len.div_ceil(n - 1).next_multiple_of(64);
    let at = |i: usize| (i * part).min(len);
    // The parts of the members from `first` to the last one below it in the tree.
    let below = |first: usize| {
        let end = (first + (first & first.wrapping_neg())).min(n);
        (at(first - 1), at(end - 1) - at(first - 1))
    };
    let bit = if me == 0 { n.next_power_of_two() } else { me & me.wrapping_neg() };
    if me != 0 {
        let (from, len) = below(me);
        w.transfer([Message::Receive(member(me - bit), dest.part(from, len))]).await;
    }
    let have = if me == 0 { source } else { bytes::written(dest) };
    let children = (0..bit.trailing_zeros()).rev().map(|k| me + (1 << k)).filter(|&child| child < n);
    w.transfer(children.map(|child| {
        let (from, len) = below(child);
        Message::Send(member(child), have.part(from, len))
    }))
    .await;
    if me != 0 {
        let others = Subgroup { w, size: n - 1, me: me - 1, outside: |i: usize| member(i + 1) };
        let mine = dest.part(at(me - 1), at(me) - at(me - 1));
        allgather::among_leaders(&others, bytes::written(mine), dest, at).await;
    }
}

#[cfg(test)]
mod tests {
    use super::super::at_once::at_once;
    use super::super::threads;
    use super::*;

    /// `len` bytes that differ between members.
    fn bytes_of(member: usize, len: usize) -> Vec<u8> {
        (0..len).map(|k| (k * 7 + member) as u8).collect()
    }

    /// In every layout, from every root.
    #[test]
    fn all_layouts_get_the_roots_bytes_within_the_bounds() {
        for group in threads::groups(&["", "broadcast:binomial", "broadcast:scatter-allgather"]) {
            let n = group.nodes.len();
            let sources: Vec<Vec<u8>> = (0..n).map(|member| bytes_of(member, 3 * PER_LEADER)).collect();
            let calls = (0..n).flat_map(|root| [0, 100, 1000].map(|len| (root, len)));
            for (root, len) in calls.chain([(n / 2, 3 * PER_LEADER)]) {
                let sent = threads::run_counted(group, |w| {
                    let mut dest = vec![0xee; len];
                    let (from, into) = (Source::of_slice(&sources[w.me()][..len]), Dest::of_slice(&mut dest));
                    at_once(|| between(w.with(from, into), root, from, into));
                    assert!(w.me() == root || dest == sources[root][..len], "{group:?}, root {root}, {len} bytes");
                });
                for (layout, members) in sent.by_nodes() {
                    // Members of a scattered set do not use each other's nodes.
                    if !group.chosen.is_empty() || !group.team && layout.triplet(0).is_none() {
                        continue;
                    }
                    let rounds = layout.nodes().next_power_of_two().ilog2() as usize;
                    let over_border: usize = members.iter().map(|sent| sent.over_border).sum();
                    let most = if len < 64 << 10 { rounds * len } else { 2 * len };
                    assert!(over_border <= most.max(len), "{group:?}, root {root}, {len} bytes: {over_border}");
                    assert!(members.iter().all(|sent| sent.messages <= rounds + layout.nodes() && sent.fan_in <= 1));
                }
            }
        }
    }
}
