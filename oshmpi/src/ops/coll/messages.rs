//! Messages between the members of a group that are not all on one node: what the algorithms between nodes are made
//! of. Messages move bytes, of elements of any type.

use super::hierarchy::{Hierarchy, NoNode, NodeStage};
use crate::env::coll_select::{CollSelect, Collective};
use crate::memory::local::{Dest, Source};
use crate::mpi::collective::MpiCollective;

/// A message to or from a member. Of no bytes there is none.
#[derive(Clone, Copy)]
pub(super) enum Message {
    Send(usize, Source),
    /// As many bytes as the member sends.
    Receive(usize, Dest),
}

/// How members of a group send each other bytes. Between two members, messages arrive in the order they were sent.
pub(super) trait MemberMessages {
    /// What members on a node do through its memory.
    type Node: NodeStage;

    fn size(&self) -> usize;

    /// The caller's number in the group.
    fn me(&self) -> usize;

    /// Starts all messages, in their order, and returns when all have ended.
    fn transfer(&self, messages: impl IntoIterator<Item = Message>);

    /// The group by nodes, where some members share one.
    fn hierarchy(&self) -> Option<Hierarchy<'_, Self::Node>> {
        None
    }

    /// Algorithms that are taken before those of the table.
    fn chosen(&self) -> CollSelect {
        CollSelect::NONE
    }

    /// Elements are combined from left to right, in the order of the members, where the order makes a difference.
    fn strict(&self) -> bool {
        false
    }

    /// Does it by MPI's own collective, where that is wanted and can be; false: it is to be done by messages. The
    /// answer is the same on all members.
    fn by_mpi(&self, _collective: Collective, _call: &MpiCollective<'_>) -> bool {
        false
    }
}

/// A part of a group: member i of it is member `outside(i)` of the whole.
pub(super) struct Subgroup<'a, W, F> {
    pub(super) w: &'a W,
    pub(super) size: usize,
    pub(super) me: usize,
    pub(super) outside: F,
}

impl<W: MemberMessages, F: Fn(usize) -> usize> MemberMessages for Subgroup<'_, W, F> {
    /// Its members are on nodes of their own, or do not use that they share one.
    type Node = NoNode;

    fn size(&self) -> usize {
        self.size
    }

    fn me(&self) -> usize {
        self.me
    }

    fn transfer(&self, messages: impl IntoIterator<Item = Message>) {
        self.w.transfer(messages.into_iter().map(|message| match message {
            Message::Send(to, from) => Message::Send((self.outside)(to), from),
            Message::Receive(from, to) => Message::Receive((self.outside)(from), to),
        }));
    }

    fn chosen(&self) -> CollSelect {
        self.w.chosen()
    }

    fn strict(&self) -> bool {
        self.w.strict()
    }
}

impl<N: NodeStage> Hierarchy<'_, N> {
    /// The first member of each node.
    pub(super) fn leaders<'w, W>(&self, w: &'w W) -> Subgroup<'w, W, impl Fn(usize) -> usize + use<'_, 'w, W, N>> {
        self.leaders_at(w, 0)
    }

    /// Member `local` of each node.
    pub(super) fn leaders_at<'w, W>(
        &self,
        w: &'w W,
        local: usize,
    ) -> Subgroup<'w, W, impl Fn(usize) -> usize + use<'_, 'w, W, N>> {
        let layout = self.layout;
        Subgroup { w, size: layout.nodes(), me: self.node, outside: move |node| layout.member(node, local) }
    }

    /// As `leaders_at`, but `root` is its node's.
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
