//! Messages between the members of a group that are not all on one node. The algorithms between nodes are written over
//! these traits. Messages move bytes, of elements of any type.

use super::hierarchy::{Hierarchy, NodeStage};
use crate::env::coll_select::{CollSelect, Collective};
use crate::memory::local::{Dest, Source};
use crate::mpi::collective::MpiCollective;

/// A message to or from a member. A message of 0 bytes is not sent.
#[derive(Clone, Copy)]
pub(super) enum Message<'a> {
    Send(usize, Source<'a>),
    /// Receives as many bytes as the member sends.
    Receive(usize, Dest<'a>),
}

/// How members of a group send each other bytes. Messages between two members arrive in the order in which they were
/// sent.
pub(super) trait MemberMessages {
    /// The stage of the members on the caller's node.
    type Node: NodeStage;

    fn size(&self) -> usize;

    /// The caller's number in the group.
    fn me(&self) -> usize;

    /// Starts all messages, and returns when all have ended. Those to one member leave in their order. Receives from
    /// one member take its messages in their order, if all have at most 4 KiB or all have more: short ones may be
    /// posted behind all other messages of the call.
    async fn transfer<'m>(&self, messages: impl IntoIterator<Item = Message<'m>>);

    /// The group by nodes, if some members share one.
    fn hierarchy(&self) -> Option<Hierarchy<'_, Self::Node>> {
        None
    }

    /// Algorithms that take precedence over the table.
    fn chosen(&self) -> CollSelect {
        CollSelect::NONE
    }

    /// Whether elements are combined from left to right, in the order of the members, for operations whose result
    /// depends on the order.
    fn strict(&self) -> bool {
        false
    }

    /// Does the call by MPI's collective, if that is selected and possible. False: the caller uses messages. The answer
    /// is equal on all members.
    fn by_mpi(&self, _collective: Collective, _call: &MpiCollective<'_>) -> bool {
        false
    }
}

/// A part of a group. Its member i is member `outside(i)` of the group.
pub(super) struct Subgroup<'a, W, F> {
    pub(super) w: &'a W,
    pub(super) size: usize,
    pub(super) me: usize,
    pub(super) outside: F,
}

impl<W: MemberMessages, F: Fn(usize) -> usize> MemberMessages for Subgroup<'_, W, F> {
    /// The members of a part count as on different nodes: none has a node stage.
    type Node = W::Node;

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    async fn transfer<'m>(&self, messages: impl IntoIterator<Item = Message<'m>>) {
        self.w
            .transfer(messages.into_iter().map(|message| match message {
                Message::Send(to, from) => Message::Send((self.outside)(to), from),
                Message::Receive(from, to) => Message::Receive((self.outside)(from), to),
            }))
            .await;
    }

    fn chosen(&self) -> CollSelect {
        self.w.chosen()
    }

    fn strict(&self) -> bool {
        self.w.strict()
    }
}

impl<N: NodeStage> Hierarchy<'_, N> {
    /// The group of the first members of all nodes.
    pub(super) fn leaders<'w, W>(&self, w: &'w W) -> Subgroup<'w, W, impl Fn(usize) -> usize + use<'_, 'w, W, N>> {
        self.leaders_at(w, 0)
    }

    /// The group of member `local` of each node.
    pub(super) fn leaders_at<'w, W>(
        &self,
        w: &'w W,
        local: usize,
    ) -> Subgroup<'w, W, impl Fn(usize) -> usize + use<'_, 'w, W, N>> {
        let layout = self.layout;
        Subgroup { w, size: layout.nodes(), me: self.node, outside: move |node| layout.member(node, local) }
    }

    /// As `leaders_at`, but with `root` as the member of its node.
    pub(super) fn leaders_with<'w, W>(
        &self,
        w: &'w W,
        local: usize,
        root: usize,
    ) -> Subgroup<'w, W, impl Fn(usize) -> usize + use<'_, 'w, W, N>> {
        let (layout, roots) = (self.layout, self.layout.node(root));
        let outside = move |node| if node == roots { root } else { layout.member(node, local) };
        Subgroup { w, size: layout.nodes(), me: self.node, outside }
    }
}
