//! A group of several nodes by its nodes: what the members of a node do together through its memory, and which member
//! is on which node.

use super::bytes;
use crate::memory::local::{Dest, Source};
use crate::team::Layout;

/// A symmetric buffer of the call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Source,
    Dest,
}

/// What the members of a group on the caller's node do together through its memory. Numbers are theirs.
pub(crate) trait NodeStage: Copy {
    fn size(&self) -> usize;

    /// The caller's number among them.
    fn me(&self) -> usize;

    /// Nobody leaves before everybody has come.
    fn barrier(&self);

    /// `root` returns when all have come; the others wait for nobody.
    fn notify_root(&self, root: usize);

    /// The others return when `root` has come; `root` waits for nobody.
    fn wait_for_root(&self, root: usize);

    /// The first half of a barrier: member 0 returns when all have come. The others may wait for some members.
    fn gather(&self) {
        self.notify_root(0);
    }

    /// The second half: the others return when member 0 has come, which waits for nobody.
    fn release(&self) {
        self.wait_for_root(0);
    }

    /// Bytes that an eager buffer holds: 0 where there are none.
    fn eager(&self) -> usize;

    /// Where at most [`NodeStage::eager`] bytes go that travel with the caller's next arrival at one of the three.
    /// They stay until all have come to the arrival after the next.
    fn place(&self, len: usize) -> Dest;

    /// What `member` placed for the arrival just over.
    fn placed(&self, member: usize, len: usize) -> Source;

    /// The call has symmetric buffers, and these of all members are mapped here. All members find the same, unless they
    /// bring different numbers of bytes.
    fn writable(&self, side: Side) -> bool;

    /// The bytes from `off` of a member's buffer, if they are mapped here.
    fn mapped(&self, side: Side, member: usize, off: usize, len: usize) -> Option<Dest>;

    /// Fills `to` from `off` of a member's buffer.
    fn read(&self, side: Side, member: usize, off: usize, to: Dest);

    /// Writes to `off` of a member's dest, which is [`NodeStage::writable`] and expects it.
    fn write(&self, member: usize, off: usize, from: Source) {
        if from.len() > 0 {
            let to = self.mapped(Side::Dest, member, off, from.len());
            bytes::copy(to.expect("asked for writable memory on this node"), from);
        }
    }
}

/// A group of several nodes with several members on some.
pub(crate) struct Hierarchy<'a, N> {
    /// The members on the caller's node, in the order of the group.
    pub(crate) here: N,
    pub(crate) layout: &'a Layout,
    /// The caller's node among those of the group.
    pub(crate) node: usize,
}

impl<N: NodeStage> Hierarchy<'_, N> {
    /// The caller is the first member on its node.
    pub(super) fn leads(&self) -> bool {
        self.here.me() == 0
    }

    /// Number in the group of the first member on the caller's node.
    pub(super) fn leader(&self) -> usize {
        self.layout.leader(self.node)
    }
}

/// For groups whose members do not know of each other's nodes.
#[derive(Clone, Copy)]
pub(crate) enum NoNode {}

impl NodeStage for NoNode {
    fn size(&self) -> usize {
        match *self {}
    }
    fn me(&self) -> usize {
        match *self {}
    }
    fn barrier(&self) {
        match *self {}
    }
    fn notify_root(&self, _root: usize) {
        match *self {}
    }
    fn wait_for_root(&self, _root: usize) {
        match *self {}
    }
    fn eager(&self) -> usize {
        match *self {}
    }
    fn place(&self, _len: usize) -> Dest {
        match *self {}
    }
    fn placed(&self, _member: usize, _len: usize) -> Source {
        match *self {}
    }
    fn writable(&self, _side: Side) -> bool {
        match *self {}
    }
    fn mapped(&self, _side: Side, _member: usize, _off: usize, _len: usize) -> Option<Dest> {
        match *self {}
    }
    fn read(&self, _side: Side, _member: usize, _off: usize, _to: Dest) {
        match *self {}
    }
}
