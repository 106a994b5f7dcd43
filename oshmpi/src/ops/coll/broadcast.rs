//! broadcast: the root's bytes to the dests of all, in teams the root's too.

use super::buffer::Buffers;
use super::group::{Group, IntraNode};
use super::hierarchy::{NodeStage, Side};
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
    let (buffers, _alone) = call.checked(addresses, [len, len], false, [nelems as u64, 0, root as u64]);
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
            g.wait_for_root(root);
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
            g.wait_for_root(root);
            if i_am_root {
                own_copy()
            } else {
                buffers.source.read(g.pe(root), 0, dest)
            }
            g.notify_root(root);
        }
    }
}

/// The root's bytes at `source` to `dest` of every other member.
#[inline(never)] // what is short keeps its registers
fn between<W: MemberMessages>(w: &W, root: usize, source: Source, dest: Dest) {
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

/// One member of each node gets the bytes, by one of the other algorithms; the others of the node read its eager buffer,
/// or its dest, or the root's source.
fn hierarchical<W: MemberMessages>(w: &W, root: usize, source: Source, dest: Dest) {
    let nodes = w.hierarchy().expect("asked for");
    let (here, layout, len) = (nodes.here, nodes.layout, dest.len());
    // Who has the bytes first on this node.
    let roots = layout.node(root) == nodes.node;
    let local = if roots { layout.local(root) } else { 0 };
    let mine = here.me() == local;
    if mine {
        let leaders = nodes.leaders_with(w, 0, root);
        let algorithm = select::between(&leaders, Collective::Broadcast, len, len);
        flat(&leaders, algorithm, layout.node(root), source, dest);
    }
    if len <= here.eager() {
        if mine {
            bytes::copy(here.place(len), if roots { source } else { bytes::written(dest) });
        }
        here.wait_for_root(local);
        if !mine {
            bytes::copy(dest, here.placed(local, len));
        }
        return;
    }
    here.wait_for_root(local);
    if !mine {
        here.read(if roots { Side::Source } else { Side::Dest }, local, 0, dest);
    }
    here.notify_root(local);
}

/// Binomial tree: whoever has the bytes gives them to a member that is half as far away as the last. A member receives
/// all bytes once and sends them at most log2 n times, rounded up.
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

/// Scatter and allgather (van de Geijn): the root gives each of the others a part, and they gather the parts. The root
/// sends n - 1 messages and every byte once; the others send and receive nearly every byte once.
fn scatter_allgather(w: &impl MemberMessages, root: usize, source: Source, dest: Dest) {
    let (parts, len) = (w.size() - 1, dest.len());
    let me = w.me().saturating_sub(usize::from(w.me() > root));
    let others = Subgroup { w, size: parts, me, outside: |i: usize| i + usize::from(i >= root) };
    let part = len.div_ceil(parts).next_multiple_of(64);
    let at = |i: usize| (i * part).min(len);
    let size = |i: usize| at(i + 1) - at(i);
    if w.me() == root {
        return w.transfer((0..parts).map(|i| Message::Send((others.outside)(i), source.part(at(i), size(i)))));
    }
    let mine = dest.part(at(me), size(me));
    w.transfer([Message::Receive(root, mine)]);
    allgather::in_part(&others, bytes::written(mine), dest, at);
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;

    /// All sizes of groups around powers of two, all roots, all algorithms; the root's dest is left alone.
    #[test]
    fn everybody_gets_the_roots_bytes() {
        const LARGE: usize = 64 << 10;
        for (n, chosen) in
            (1..=9).flat_map(|n| ["", "broadcast:binomial", "broadcast:scatter-allgather"].map(|c| (n, c)))
        {
            for (root, len) in (0..n).flat_map(|root| [0, 1, 1000, LARGE, LARGE + 4567].map(|len| (root, len))) {
                threads::run_with(n, chosen, |w| {
                    let source: Vec<u8> = (0..len).map(|k| (k * 7 + w.me()) as u8).collect();
                    let mut dest = vec![0xee; len];
                    let into = threads::into(&mut dest);
                    between(w, root, bytes::of_numbers(&source), into);
                    let wanted = |k: usize| if w.me() == root { 0xee } else { (k * 7 + root) as u8 };
                    assert!(dest.iter().enumerate().all(|(k, &b)| b == wanted(k)), "n {n}, root {root}, {len} bytes");
                });
            }
        }
    }
}
