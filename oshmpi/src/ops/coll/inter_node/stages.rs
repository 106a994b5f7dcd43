//! Two stages where members share nodes: those of a node meet on their sync slots, one of each node sends messages.

use super::gather::from_all;
use super::spread::to_all;
use super::{Part, Wire, dissemination};
use crate::memory::node::EAGER_BYTES;
use crate::team::{NodeTeam, Parts};
use crate::transport::node;

/// A group of several nodes with several members on some.
#[derive(Clone, Copy)]
pub(in super::super) struct Stages<'a> {
    pub(super) here: NodeTeam<'a>,
    pub(super) parts: &'a Parts,
}

impl Stages<'_> {
    /// Members follow each other node by node.
    pub(super) fn blocks(&self) -> bool {
        self.parts.blocks
    }

    /// So many bytes of all members together can be gathered by stages.
    pub(super) fn fits(&self, len: usize) -> bool {
        self.parts.blocks && len <= EAGER_BYTES
    }

    /// One of each node: the leaders, but the root for its own node if there is one.
    fn one_each<'w, W>(&self, w: &'w W, root: Option<usize>) -> Part<'w, W, impl Fn(usize) -> usize> {
        let parts = self.parts;
        let roots = root.map(|r| (parts.of(r), r));
        let outside = move |part: usize| match roots {
            Some((p, r)) if p == part => r,
            _ => parts.leader(part),
        };
        Part { w, size: parts.count(), me: parts.mine, outside }
    }

    pub(super) fn barrier<W: Wire>(&self, w: &W) {
        self.here.notify_root(0);
        if self.here.me() == 0 {
            dissemination(&self.one_each(w, None));
        }
        self.here.wait_for_root(0);
    }

    /// See [`super::gather()`]; only what [`Stages::fits`].
    pub(super) unsafe fn gather<W: Wire>(&self, w: &W, own: *const u8, dest: *mut u8, at: impl Fn(usize) -> usize) {
        let (first, all) = (at(0), at(w.size()) - at(0));
        let (leader, me) = (self.parts.leader(self.parts.mine), w.me());
        let len = |i: usize| at(i + 1) - at(i);
        // SAFETY: the place holds my block. (All below: dest has room for all blocks, and what a member has placed stays
        // until all have come to the round after.)
        unsafe { node::copy(self.here.place(len(me)), own, len(me)) };
        self.here.notify_root(0);
        if self.here.me() == 0 {
            for seat in 0..self.here.size() {
                let i = leader + seat;
                // SAFETY: see above.
                unsafe { node::copy(dest.add(at(i)), self.here.placed(seat, len(i)), len(i)) };
            }
            // SAFETY: see above.
            unsafe {
                let part = |p: usize| at(self.parts.leader(p));
                from_all(&self.one_each(w, None), dest.add(at(leader)), dest, part);
                node::copy(self.here.place(all), dest.add(first), all);
            }
        }
        self.here.wait_for_root(0);
        if self.here.me() != 0 {
            // SAFETY: see above.
            unsafe { node::copy(dest.add(first), self.here.placed(0, all), all) };
        }
    }

    /// See [`super::broadcast`]; members are in blocks.
    pub(super) unsafe fn broadcast<W: Wire>(
        &self,
        w: &W,
        root: usize,
        source: *const u8,
        dest: *mut u8,
        len: usize,
        read: impl FnOnce(usize),
    ) {
        let parts = self.parts;
        let leader = parts.leader(parts.mine);
        // Who has the bytes first on this node.
        let (first, seat) = if parts.of(root) == parts.mine { (root, root - leader) } else { (leader, 0) };
        let mine = self.here.me() == seat;
        if mine {
            // SAFETY: passed on to the caller.
            unsafe { to_all(&self.one_each(w, Some(root)), parts.of(root), source, dest, len) };
        }
        if len <= EAGER_BYTES {
            if mine {
                let from = if first == root { source } else { dest.cast_const() };
                // SAFETY: the place holds `len` bytes, as does what has come.
                unsafe { node::copy(self.here.place(len), from, len) };
            }
            self.here.wait_for_root(seat);
            if !mine {
                // SAFETY: see above; what was placed stays until all have come to the round after.
                unsafe { node::copy(dest, self.here.placed(seat, len), len) };
            }
            return;
        }
        self.here.wait_for_root(seat);
        if !mine {
            read(first);
        }
        self.here.notify_root(seat);
    }
}
