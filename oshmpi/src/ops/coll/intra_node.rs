//! A group whose members are all on one node: what a collective does through the node's memory, for a team or an active
//! set.

use super::active_set::ActiveSet;
use super::bytes;
use crate::memory::local::{Dest, Source};
use crate::team::{NodeTeam, Readers};

/// A group on one node.
#[derive(Clone, Copy)]
pub(crate) enum IntraNode<'a> {
    Team(NodeTeam<'a>),
    /// An active set has no sync slots, so no bytes can be placed.
    Set(ActiveSet<'a>),
}

/// The other members, beginning with the one after the caller, so that not all members access the same PE at the same
/// time.
pub(super) fn from_next(g: &IntraNode<'_>) -> impl Iterator<Item = usize> + use<> {
    let (n, me) = (g.size(), g.me());
    (0..n).map(move |k| (me + 1 + k) % n)
}

/// Bytes that members have placed for a round.
pub(super) trait Placed {
    /// The `len` bytes that `member` placed.
    fn placed(&self, member: usize, len: usize) -> Source<'_>;
}

impl Placed for IntraNode<'_> {
    #[inline(always)]
    fn placed(&self, member: usize, len: usize) -> Source<'_> {
        self.team().placed(member, len)
    }
}

impl IntraNode<'_> {
    pub(super) fn size(&self) -> usize {
        match self {
            IntraNode::Team(t) => t.size(),
            IntraNode::Set(s) => s.size,
        }
    }

    /// The caller's number in the group.
    pub(super) fn me(&self) -> usize {
        match self {
            IntraNode::Team(t) => t.me(),
            IntraNode::Set(s) => s.me,
        }
    }

    /// The world PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        match self {
            IntraNode::Team(t) => t.pe(member),
            IntraNode::Set(s) => s.pe(member),
        }
    }

    /// A barrier that is a part of a collective with data.
    #[inline(always)]
    pub(super) fn barrier(&self) {
        match self {
            IntraNode::Team(t) => t.barrier(),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// Returns when at least the members before the caller have arrived.
    #[inline(always)]
    pub(super) fn wait_for_prefix(&self) {
        match self {
            IntraNode::Team(t) => t.wait_for_prefix(),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// Returns when `root` has arrived.
    #[inline(always)]
    pub(super) fn wait_for_root(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.wait_for_root(root),
            IntraNode::Set(s) => s.wait_for_root(root),
        }
    }

    /// On `root`: returns when all members have arrived.
    #[inline(always)]
    pub(super) fn notify_root(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.notify_root(root),
            IntraNode::Set(s) => s.notify_root(root),
        }
    }

    /// The first half of a barrier: member 0 returns when all have come.
    pub(super) fn gather(&self) {
        match self {
            IntraNode::Team(t) => t.gather(),
            IntraNode::Set(s) => s.notify_root(0),
        }
    }

    /// The second half of a barrier: the others return when member 0 has come.
    pub(super) fn release(&self) {
        match self {
            IntraNode::Team(t) => t.release(),
            IntraNode::Set(s) => s.wait_for_root(0),
        }
    }

    /// A barrier. The members of a team check that all are in the same collective: each that it is in member 0's.
    pub(super) fn signed_barrier(&self) {
        match self {
            IntraNode::Team(t) => {
                t.barrier_with(0, |_| ());
                t.check(0);
            }
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// As `wait_for_root`. The members of a team check that they are in the root's collective.
    pub(super) fn wait_for_signed_root(&self, root: usize) {
        match self {
            IntraNode::Team(t) => {
                if t.me() == root {
                    t.post_signature();
                }
                t.wait_for_root(root);
                t.check(root);
            }
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// `root` returns when all members have arrived, the others when `root` has.
    pub(super) fn gather_and_release(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.gather_and_release(root),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// A barrier for which each member places `len` bytes, at most `EAGER_BYTES`, that `fill` writes. For teams only.
    #[inline]
    pub(super) fn barrier_with(&self, len: usize, fill: impl FnOnce(Dest)) {
        self.team().barrier_with(len, fill);
    }

    /// The group is large, and its node has trees.
    #[inline(always)]
    pub(super) fn has_tree(&self) -> bool {
        matches!(self, IntraNode::Team(t) if t.has_tree())
    }

    /// The group is so large that bytes are handed out down a tree.
    #[inline(always)]
    pub(super) fn hands_out_in_tree(&self) -> bool {
        matches!(self, IntraNode::Team(t) if t.hands_out_in_tree())
    }

    /// A barrier with a tree, to which each comes with `source`, at most `EAGER_BYTES`. Gives what `join` makes of all
    /// of them, in an order that depends on where members run.
    pub(super) fn joined(&self, source: Source, join: impl Fn(Dest, Source)) -> Source<'_> {
        self.team().joined(source.len(), |place| bytes::copy(place, source), join, bytes::copy)
    }

    /// The first half of a barrier with a tree, to which each member comes with `acc`, at most `EAGER_BYTES`. `join`
    /// adds the bytes of another member to `acc`. On member 0, `acc` is then what `join` makes of all of them. The
    /// order depends on where members run, and on whether each PE has a core.
    ///
    /// Bound: a member reads the bytes of at most [`FAN_IN`](crate::sync::tree::FAN_IN) - 1 members in each level of
    /// the tree.
    pub(super) fn gather_in_tree(&self, acc: Dest, join: impl Fn(Dest, Source)) {
        let (t, len) = (self.team(), acc.len());
        let mut into = acc;
        if t.me() != 0 {
            into = t.place(Readers::Neighbours, len, |place| bytes::copy(place, bytes::written(acc)));
        }
        t.gather_in_tree(|member| join(into, t.placed(member, len)));
    }

    /// Copies `from` of `root`, at most `EAGER_BYTES`, to `to` of all other members, down a tree. `root` waits for
    /// nobody.
    ///
    /// Bound: at most [`FAN_IN`](crate::sync::tree::FAN_IN) - 1 members read what a member places for a level of the
    /// tree, and member 0 what `root` places.
    pub(super) fn hand_out_in_tree(&self, root: usize, from: Source, to: Dest) {
        let (t, len) = (self.team(), to.len());
        let is_root = t.me() == root;
        let fill = |place: Dest| {
            if is_root {
                bytes::copy(place, from);
            }
        };
        let place = (is_root || t.leads()).then(|| t.place(Readers::Neighbours, len, fill));
        t.release_in_tree(root, |first| bytes::copy(place.unwrap_or(to), t.placed(first, len)));
        if let Some(place) = place.filter(|_| !is_root) {
            bytes::copy(to, bytes::written(place));
        }
    }

    /// Places bytes, at most `EAGER_BYTES`, for the caller's next arrival. For teams only.
    #[inline(always)]
    pub(super) fn place(&self, from: Source) {
        self.team().place(Readers::All, from.len(), |place| bytes::copy(place, from));
    }

    /// A barrier for which each member posts a number and, in teams only, places at most `EAGER_BYTES`.
    #[inline]
    pub(super) fn barrier_with_number(&self, number: u64, data: Option<Source>) {
        match (self, data) {
            (IntraNode::Team(t), Some(data)) => {
                t.barrier_with_word(number, data.len(), |place| bytes::copy(place, data));
            }
            (IntraNode::Team(t), None) => {
                t.post(&[number]);
                t.barrier();
            }
            (IntraNode::Set(s), _) => s.barrier(number),
        }
    }

    /// The number that `member` posted for the barrier just over.
    #[inline]
    pub(super) fn number_of(&self, member: usize) -> u64 {
        match self {
            IntraNode::Team(t) => t.read(member, 0),
            IntraNode::Set(s) => s.read(member),
        }
    }

    /// The bytes that `member` placed with its number.
    #[inline]
    pub(super) fn sent_with(&self, member: usize, len: usize) -> Source<'_> {
        self.team().sent_with(member, len)
    }

    #[inline]
    fn team(&self) -> &NodeTeam<'_> {
        match self {
            IntraNode::Team(t) => t,
            IntraNode::Set(_) => unreachable!("an active set has no eager buffers"),
        }
    }
}
