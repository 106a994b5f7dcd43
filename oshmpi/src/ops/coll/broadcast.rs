//! broadcast: the root's bytes to the dests of all, in teams the root's too.

use super::buffer::Buffers;
use super::group::Group;
use super::hierarchy::{Hierarchy, NodeStage, Side};
use super::intra_node::IntraNode;
use super::messages::{MemberMessages, Message, Subgroup};
use super::select::{self, Shape};
use super::{Call, Whom, allgather, bytes};
use crate::diag::fatal;
use crate::env::coll_select::{Algorithm, Collective};
use crate::memory::local::{Dest, Source, bytes_of};
use crate::mpi::collective::MpiCollective;
use core::ffi::c_int;

/// `nelems` elements of the member `root`. In an active set the root's dest is left alone.
pub(crate) fn broadcast<T>(routine: &'static str, whom: Whom, addresses: [usize; 2], nelems: usize, root: c_int) {
    let call = Call::new(routine, whom);
    let root = match usize::try_from(root) {
        Ok(r) if r < call.group.size() => r,
        _ => fatal(routine, format_args!("PE_root {root} is out of range 0..{}", call.group.size() - 1)),
    };
    let len = bytes_of::<T>(nelems);
    let (buffers, _alone) =
        call.checked(Collective::Broadcast, addresses, [len, len], false, [nelems as u64, 0, root as u64]);
    // On all members alike: dest and source are the same objects there.
    let root_copies = call.team.is_some() && addresses[0] != addresses[1];
    match &call.group {
        Group::IntraNode(g) => on_node(&call, g, &buffers, root, root_copies),
        Group::InterNode(g) => {
            let (source, dest) = (buffers.source, buffers.dest);
            between(g.with(buffers), root, source.source(), dest.dest());
            if g.me() == root && root_copies {
                bytes::copy(dest.dest(), source.source());
            }
        }
    }
}

/// The root's copy to itself comes after the others have been let go: they copy meanwhile.
fn on_node(call: &Call, g: &IntraNode<'_>, buffers: &Buffers<'_>, root: usize, root_copies: bool) {
    let (dest, source) = (buffers.dest.dest(), buffers.source.source());
    let len = dest.len();
    let i_am_root = g.me() == root;
    let own_copy = || {
        if root_copies {
            bytes::copy(dest, source);
        }
    };
    let shape = Shape::on_node(g, len, buffers.dest.writable() && !root_copies);
    match select::select(Collective::Broadcast, true, &shape, call.chosen()) {
        // One copy in, n - 1 copies out; members wait for the root only.
        Algorithm::Eager => {
            if i_am_root {
                bytes::copy(g.place(len), source);
            }
            g.wait_for_root(root);
            if i_am_root { own_copy() } else { bytes::copy(dest, g.placed(root, len)) }
        }
        // n - 1 copies of all but an n-th each at the root, which writes the rest: all are done at the same time.
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
        // n - 1 copies at the root, which waits for them.
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

/// The root's bytes at `source` to `dest` of every other member; both are the buffers of the call.
#[inline(never)] // what is short keeps its registers
pub(super) fn between<W: MemberMessages>(w: &W, root: usize, source: Source, dest: Dest) {
    let len = dest.len();
    if w.by_mpi(Collective::Broadcast, &MpiCollective::Broadcast { root, source, dest }) {
        return;
    }
    match select::between(w, Collective::Broadcast, len, len) {
        Algorithm::Hierarchical => hierarchical(w, root, source, dest),
        algorithm => flat(w, algorithm, root, source, dest),
    }
}

/// From member to member: for members of which none share a node.
fn flat(w: &impl MemberMessages, algorithm: Algorithm, root: usize, source: Source, dest: Dest) {
    match algorithm {
        Algorithm::ScatterAllgather => scatter_allgather(w, root, source, dest),
        _ => binomial(w, root, source, dest),
    }
}

/// As [`flat`], among one member of each node.
fn among_leaders(w: &impl MemberMessages, root: usize, source: Source, dest: Dest) {
    let algorithm = select::between(w, Collective::Broadcast, dest.len(), dest.len());
    flat(w, algorithm, root, source, dest);
}

/// Bytes of a leader's share from which a node has one more leader.
const PER_LEADER: usize = 128 << 10;

/// By nodes. One member of each node gets the bytes, by one of the other algorithms among these; the others of the node
/// read its eager buffer, or its dest, or the root's source. Of many bytes the first members of each node get a share
/// each, as many on every node; those of the root's node send what they see in its source.
///
/// Bound: a leader sends the messages of that algorithm among the nodes, others none; a node's border is crossed by as
/// many bytes as if one member were on each node. A member reads the bytes once on its node, and waits there once,
/// twice or, with several leaders, twice.
fn hierarchical<W: MemberMessages>(w: &W, root: usize, source: Source, dest: Dest) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, layout, len) = (nodes.here, nodes.layout, dest.len());
    let roots = layout.node(root);
    let leaders = (len / PER_LEADER).clamp(1, layout.least());
    if leaders > 1 {
        return in_shares(w, &nodes, root, source, dest, leaders);
    }
    // Who has the bytes first on this node.
    let local = if roots == nodes.node { layout.local(root) } else { 0 };
    let first = here.me() == local;
    if first {
        among_leaders(&nodes.leaders_with(w, 0, root), roots, source, dest);
    }
    if here.eager() > 0 && len <= here.eager() {
        if first {
            bytes::copy(here.place(len), if w.me() == root { source } else { bytes::written(dest) });
        }
        here.wait_for_root(local);
        if !first {
            bytes::copy(dest, here.placed(local, len));
        }
        return;
    }
    here.wait_for_root(local);
    if !first {
        here.read(if roots == nodes.node { Side::Source } else { Side::Dest }, local, 0, dest);
    }
    here.notify_root(local);
}

/// See [`hierarchical`]: several leaders on each node.
fn in_shares<W: MemberMessages>(
    w: &W,
    nodes: &Hierarchy<'_, W::Node>,
    root: usize,
    source: Source,
    dest: Dest,
    leaders: usize,
) {
    let (here, layout, len) = (nodes.here, nodes.layout, dest.len());
    let (me, roots) = (here.me(), layout.node(root));
    let share = len.div_ceil(leaders).next_multiple_of(64);
    let part = |j: usize| ((j * share).min(len), share.min(len - (j * share).min(len)));
    let among = |from: Source| {
        let (at, len) = part(me);
        among_leaders(&nodes.leaders_at(w, me), roots, from, dest.part(at, len));
    };
    if roots == nodes.node {
        let local = layout.local(root);
        here.wait_for_root(local); // the source is ready
        if me != local {
            here.read(Side::Source, local, 0, dest);
        }
        if me < leaders {
            let (at, len) = part(me);
            among(if me == local { source } else { bytes::written(dest) }.part(at, len));
        }
        return here.notify_root(local); // nobody reads the source any more
    }
    if me < leaders {
        among(bytes::written(dest).part(part(me).0, part(me).1));
    }
    here.barrier(); // all shares are here
    for j in (0..leaders).filter(|&j| j != me) {
        let (at, len) = part(j);
        here.read(Side::Dest, j, at, dest.part(at, len));
    }
    here.barrier(); // nobody reads the caller's share any more
}

/// Binomial tree: whoever has the bytes gives them to a member that is half as far away as the last.
///
/// Bound: a member receives all bytes once and sends them at most log2 n times, rounded up.
fn binomial(w: &impl MemberMessages, root: usize, source: Source, dest: Dest) {
    let n = w.size();
    let me = (w.me() + n - root) % n;
    let member = |relative: usize| (relative + root) % n;
    // The lowest set bit of the caller's number says how far away its parent is; the root's is beyond all.
    let bit = if me == 0 { n.next_power_of_two() } else { me & me.wrapping_neg() };
    if me != 0 {
        w.transfer([Message::Receive(member(me - bit), dest)]);
    }
    let at = if me == 0 { source } else { bytes::written(dest) };
    let children = (0..bit.trailing_zeros()).rev().map(|k| me + (1 << k)).filter(|&child| child < n);
    w.transfer(children.map(|child| Message::Send(member(child), at)));
}

/// Scatter and allgather (van de Geijn): the root scatters the bytes among the others down a binomial tree, and these
/// gather them.
///
/// Bound: the root sends log2 n messages, rounded up, and every byte once. Another member receives at most half of the
/// bytes in the scatter and sends less on, and receives and sends nearly every byte once in the allgather: log2 n
/// messages, rounded up, while the parts are short, then n - 2.
fn scatter_allgather(w: &impl MemberMessages, root: usize, source: Source, dest: Dest) {
    let (n, len) = (w.size(), dest.len());
    let me = (w.me() + n - root) % n;
    let member = |relative: usize| (relative + root) % n;
    // Part i is for relative number i + 1.
    let part = len.div_ceil(n - 1).next_multiple_of(64);
    let at = |i: usize| (i * part).min(len);
    // What the members from `first` up to the next that is not below it in the tree are to have.
    let below = |first: usize| {
        let end = (first + (first & first.wrapping_neg())).min(n);
        (at(first - 1), at(end - 1) - at(first - 1))
    };
    let bit = if me == 0 { n.next_power_of_two() } else { me & me.wrapping_neg() };
    if me != 0 {
        let (from, len) = below(me);
        w.transfer([Message::Receive(member(me - bit), dest.part(from, len))]);
    }
    let have = if me == 0 { source } else { bytes::written(dest) };
    let children = (0..bit.trailing_zeros()).rev().map(|k| me + (1 << k)).filter(|&child| child < n);
    w.transfer(children.map(|child| {
        let (from, len) = below(child);
        Message::Send(member(child), have.part(from, len))
    }));
    if me != 0 {
        let others = Subgroup { w, size: n - 1, me: me - 1, outside: |i: usize| member(i + 1) };
        let mine = dest.part(at(me - 1), at(me) - at(me - 1));
        allgather::among_leaders(&others, bytes::written(mine), dest, at);
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;

    /// So many bytes that member `member` has and no other.
    fn bytes_of(member: usize, len: usize) -> Vec<u8> {
        (0..len).map(|k| (k * 7 + member) as u8).collect()
    }

    /// All sizes of groups around powers of two, all roots, all algorithms; the root's dest is left alone.
    #[test]
    fn everybody_gets_the_roots_bytes() {
        const LARGE: usize = 64 << 10;
        for (n, chosen) in
            (1..=9).flat_map(|n| ["", "broadcast:binomial", "broadcast:scatter-allgather"].map(|c| (n, c)))
        {
            let sources: Vec<Vec<u8>> = (0..n).map(|member| bytes_of(member, LARGE + 4567)).collect();
            for (root, len) in (0..n).flat_map(|root| [0, 1, 1000, LARGE, LARGE + 4567].map(|len| (root, len))) {
                threads::run_with(n, chosen, |w| {
                    let untouched = vec![0xee; len];
                    let mut dest = untouched.clone();
                    let into = threads::into(&mut dest);
                    between(w, root, bytes::of_numbers(&sources[w.me()][..len]), into);
                    let wanted = if w.me() == root { &untouched } else { &sources[root][..len] };
                    assert!(dest == wanted, "n {n}, root {root}, {len} bytes");
                });
            }
        }
    }

    /// In every layout, from every root.
    #[test]
    fn all_layouts_get_the_roots_bytes_within_the_bounds() {
        for group in threads::groups(&["", "broadcast:binomial"]) {
            let n = group.nodes.len();
            let sources: Vec<Vec<u8>> = (0..n).map(|member| bytes_of(member, 3 * PER_LEADER)).collect();
            let calls = (0..n).flat_map(|root| [0, 100, 1000].map(|len| (root, len)));
            for (root, len) in calls.chain([(n / 2, 3 * PER_LEADER)]) {
                let sent = threads::run_counted(group, |w| {
                    let mut dest = vec![0xee; len];
                    let (from, into) = (bytes::of_numbers(&sources[w.me()][..len]), threads::into(&mut dest));
                    between(w.with(from, into), root, from, into);
                    assert!(w.me() == root || dest == sources[root][..len], "{group:?}, root {root}, {len} bytes");
                });
                for (layout, members) in sent.by_nodes() {
                    // Members of a scattered set do not know of each other's nodes.
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
