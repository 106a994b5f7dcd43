//! What the members of a large team do by the tree of their node: see `sync/tree`.

use super::NodeTeam;
use crate::memory::local::{Dest, Source};
use crate::sync::{barrier, tree};

impl NodeTeam<'_> {
    /// All members find the same.
    #[inline]
    pub(crate) fn has_tree(&self) -> bool {
        self.size() >= tree::FROM && self.node.trees
    }

    /// The first half of a barrier: member 0 returns when all have come. The others may wait for some members.
    pub(crate) fn gather(&self) {
        if !self.has_tree() {
            return self.notify_root(0);
        }
        barrier::gather(self, &self.node.waiter(), self.me(), self.next());
    }

    /// The second half of a barrier: the others return when member 0 has come, which waits for nobody.
    pub(crate) fn release(&self) {
        if !self.has_tree() {
            return self.wait_for_root(0);
        }
        barrier::release_all(self, &self.node.waiter(), self.me(), self.next());
    }

    /// A barrier with a tree, to which each member comes with `len` bytes, at most [`EAGER_BYTES`], that `fill` writes.
    /// On the way up, `join` combines those of a member with those of one behind it. On the way down `copy` hands on
    /// what member 0 has then. Gives that.
    pub(crate) fn joined(
        &self,
        len: usize,
        fill: impl FnOnce(Dest),
        join: impl Fn(Dest, Source),
        copy: impl FnOnce(Dest, Source),
    ) -> Source {
        let place = self.place(len);
        fill(place);
        let seq = self.next();
        let come = |member| join(place, self.placed(member, len));
        let told = |first| copy(place, self.placed(first, len));
        barrier::in_tree(self, &self.node.waiter(), self.me(), seq, come, told);
        self.passed(seq);
        self.placed(self.me(), len)
    }
}
