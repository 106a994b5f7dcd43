//! Rounds of a large team by the tree of its members: see `sync/tree`.

use super::{NodeTeam, Readers};
use crate::memory::local::{Dest, Source};
use crate::sync::atomics::Ordering;
use crate::sync::tree::TreeWords;
use crate::sync::{barrier, tree};

impl NodeTeam<'_> {
    /// Whether the team uses a tree. The answer is equal on all members.
    #[inline]
    pub(crate) fn has_tree(&self) -> bool {
        self.size() >= tree::FROM && self.node.trees
    }

    /// Whether the team hands out bytes of a member down its tree. The answer is equal on all members.
    #[inline]
    pub(crate) fn hands_out_in_tree(&self) -> bool {
        self.size() >= tree::HAND_OUT_FROM && self.node.trees
    }

    /// The first half of a barrier: member 0 returns when all members have arrived. The others may wait for some
    /// members.
    pub(crate) fn gather(&self) {
        if !self.has_tree() {
            return self.notify_root(0);
        }
        self.gather_in_tree(|_| {});
    }

    /// The second half of a barrier: the others return when member 0 has arrived. Member 0 does not wait.
    pub(crate) fn release(&self) {
        if !self.has_tree() {
            return self.wait_for_root(0);
        }
        self.release_in_tree(0, |_| {});
    }

    /// [`NodeTeam::gather`] of a team that has a tree. `come` is called for each member directly below this one, when
    /// that member and all members below it have arrived.
    pub(crate) fn gather_in_tree(&self, come: impl FnMut(usize)) {
        barrier::gather(self, &self.node.waiter(), self.me(), self.next(), come);
    }

    /// [`NodeTeam::wait_for_root`] of a team that has a tree. `told` is called with the member that this one has waited
    /// for, before this one releases others.
    pub(crate) fn release_in_tree(&self, root: usize, told: impl FnMut(usize)) {
        let seq = self.next();
        self.team.root.store(root, Ordering::Relaxed);
        barrier::release_from(self, &self.node.waiter(), root, self.me(), seq, told);
    }

    /// Whether members wait in the tree for this one.
    pub(crate) fn leads(&self) -> bool {
        TreeWords::tree(self, self.me()).leads()
    }

    /// A barrier by the tree, for which each member places `len` bytes, at most `EAGER_BYTES`, that `fill` writes. On
    /// the way up, `join` combines the bytes of a member with those of a member below it. On the way down, `copy`
    /// passes on the bytes of member 0, which are the result.
    pub(crate) fn joined(
        &self,
        len: usize,
        fill: impl FnOnce(Dest),
        join: impl Fn(Dest, Source),
        copy: impl FnOnce(Dest, Source),
    ) -> Source<'_> {
        let place = self.place(Readers::All, len, fill);
        let seq = self.next();
        let come = |member| join(place, self.placed(member, len));
        let told = |first| copy(place, self.placed(first, len));
        barrier::in_tree(self, &self.node.waiter(), self.me(), seq, come, told);
        self.passed(seq);
        self.placed(self.me(), len)
    }
}
