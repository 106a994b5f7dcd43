//! Rounds of a large team by the tree of its members: see `sync/tree`.

use super::NodeTeam;
use crate::memory::local::{Dest, Source};
use crate::sync::{barrier, tree};

impl NodeTeam<'_> {
    /// Whether the team uses a tree. The answer is equal on all members.
    #[inline]
    pub(crate) fn has_tree(&self) -> bool {
        self.size() >= tree::FROM && self.node.trees
    }

    /// The first half of a barrier: member 0 returns when all members have arrived. The others may wait for some
    /// members.
    pub(crate) fn gather(&self) {
        if !self.has_tree() {
            return self.notify_root(0);
        }
        barrier::gather(self, &self.node.waiter(), self.me(), self.next());
    }

    /// The second half of a barrier: the others return when member 0 has arrived. Member 0 does not wait.
    pub(crate) fn release(&self) {
        if !self.has_tree() {
            return self.wait_for_root(0);
        }
        barrier::release_all(self, &self.node.waiter(), self.me(), self.next());
    }

    /// A barrier by the tree, for which each member places `len` bytes, at most [`EAGER_BYTES`], that `fill` writes. On
    /// the way up, `join` combines the bytes of a member with those of a member below it. On the way down, `copy`
    /// passes on the bytes of member 0, which are the result.
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
