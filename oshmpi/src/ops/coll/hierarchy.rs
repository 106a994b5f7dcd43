//! A group of several nodes by its nodes: the members of each barrier by their sync slots, one of each sends messages.

use super::messages::Subgroup;
use crate::team::{NodeTeam, Parts};

/// A group of several nodes with several members on some.
#[derive(Clone, Copy)]
pub(super) struct Hierarchy<'a> {
    /// The members on the caller's node.
    pub(super) here: NodeTeam<'a>,
    pub(super) parts: &'a Parts,
}

impl<'a> Hierarchy<'a> {
    pub(super) fn nodes(&self) -> usize {
        self.parts.count()
    }

    /// Members follow each other node by node.
    pub(super) fn blocks(&self) -> bool {
        self.parts.blocks
    }

    /// Number in the group of the first member on the caller's node.
    pub(super) fn leader(&self) -> usize {
        self.parts.leader(self.parts.mine)
    }

    /// One member of each node: its leader, or the root on the root's node if there is one.
    pub(super) fn leaders<'w, W>(
        &self,
        w: &'w W,
        root: Option<usize>,
    ) -> Subgroup<'w, W, impl Fn(usize) -> usize + use<'a, 'w, W>> {
        let parts = self.parts;
        let roots = root.map(|r| (parts.of(r), r));
        let outside = move |part: usize| match roots {
            Some((p, r)) if p == part => r,
            _ => parts.leader(part),
        };
        Subgroup { w, size: parts.count(), me: parts.mine, outside }
    }

    /// The caller is the first member on its node.
    pub(super) fn leads(&self) -> bool {
        self.here.me() == 0
    }
}
