//! A group on several nodes, by its nodes: what the members of a node do through its memory, and which member is on
//! which node.

use super::bytes;
use crate::memory::local::{Dest, Source};
use crate::team::Layout;

/// Names a symmetric buffer of the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Source,
    Dest,
}

/// The node stage: what the members of a group on the caller's node do through its memory. Member numbers count these
/// members only.
pub(crate) trait NodeStage: Copy {
    fn size(&self) -> usize;

    /// The caller's number among these members.
    fn me(&self) -> usize;

    /// No member leaves before all members have arrived.
    async fn barrier(&self);

    /// As `barrier`, at the begin of a collective. The members may check that all are in the same one.
    async fn signed_barrier(&self) {
        self.barrier().await;
    }

    /// On `root`: returns when all members have arrived. The others do not wait.
    async fn notify_root(&self, root: usize);

    /// On the others: returns when `root` has arrived. `root` does not wait.
    async fn wait_for_root(&self, root: usize);

    /// The first half of a barrier: member 0 returns when all have come. The others may wait for some members.
    async fn gather(&self) {
        self.notify_root(0).await;
    }

    /// The second half: the others return when member 0 has come, which waits for nobody.
    async fn release(&self) {
        self.wait_for_root(0).await;
    }

    /// The first half of a barrier, to which each member comes with `acc`, at most [`NodeStage::eager`] bytes. On
    /// member 0, `acc` is then what `join` makes of all of them, one member at a time. On the others it stays.
    async fn gather_with(&self, acc: Dest<'_>, join: impl Fn(Dest<'_>, Source<'_>)) {
        gather_one_by_one(self, acc, join).await;
    }

    /// Copies `from` of `root`, at most [`NodeStage::eager`] bytes, to `to` of all other members. `root` waits for
    /// nobody.
    async fn hand_out(&self, root: usize, from: Source<'_>, to: Dest<'_>) {
        hand_out_directly(self, root, from, to).await;
    }

    /// Bytes of an eager buffer; 0 if there are none.
    fn eager(&self) -> usize;

    /// Places at most [`NodeStage::eager`] bytes for the caller's next `barrier`, `notify_root` or `wait_for_root`. The
    /// bytes stay until all members have arrived at the round after that one.
    async fn place(&self, from: Source<'_>);

    /// The `len` bytes that `member` placed for the arrival just over.
    fn placed(&self, member: usize, len: usize) -> Source<'_>;

    /// Whether the call has this symmetric buffer, and those of all members are mapped here. The answer is equal on all
    /// members, unless their numbers of bytes differ.
    fn writable(&self, side: Side) -> bool;

    /// `len` bytes from byte `off` of a member's buffer, if they are mapped here.
    fn mapped(&self, side: Side, member: usize, off: usize, len: usize) -> Option<Dest<'_>>;

    /// Fills `to` from byte `off` of a member's buffer.
    fn read(&self, side: Side, member: usize, off: usize, to: Dest);

    /// Writes to byte `off` of a member's dest, which is [`NodeStage::writable`] and ready.
    fn write(&self, member: usize, off: usize, from: Source) {
        if from.len() > 0 {
            let to = self.mapped(Side::Dest, member, off, from.len());
            bytes::copy(to.expect("asked for writable memory on this node"), from);
        }
    }
}

/// [`NodeStage::gather_with`] in which member 0 reads the eager buffers of all others.
pub(super) async fn gather_one_by_one(here: &impl NodeStage, acc: Dest<'_>, join: impl Fn(Dest<'_>, Source<'_>)) {
    if here.me() != 0 {
        here.place(bytes::written(acc)).await;
    }
    here.notify_root(0).await;
    if here.me() == 0 {
        (1..here.size()).for_each(|i| join(acc, here.placed(i, acc.len())));
    }
}

/// [`NodeStage::hand_out`] in which all others read the eager buffer of `root`.
pub(super) async fn hand_out_directly(here: &impl NodeStage, root: usize, from: Source<'_>, to: Dest<'_>) {
    if here.me() == root {
        here.place(from).await;
    }
    here.wait_for_root(root).await;
    if here.me() != root {
        bytes::copy(to, here.placed(root, to.len()));
    }
}

/// A group on several nodes, with several members on some of them.
pub(crate) struct Hierarchy<'a, N> {
    /// The members on the caller's node, in the order of the group.
    pub(crate) here: N,
    pub(crate) layout: &'a Layout,
    /// The number of the caller's node among those of the group.
    pub(crate) node: usize,
}

impl<N: NodeStage> Hierarchy<'_, N> {
    /// Whether the caller is the first member on its node.
    pub(super) fn leads(&self) -> bool {
        self.here.me() == 0
    }

    /// The number in the group of the first member on the caller's node.
    pub(super) fn leader(&self) -> usize {
        self.layout.leader(self.node)
    }
}
