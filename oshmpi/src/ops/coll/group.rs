//! A group of PEs in a collective. It decides whether the members use the memory of their node or send messages.

use super::active_set::{ActiveSet, SetArgs};
use super::intra_node::IntraNode;
use super::message_group::MessageGroup;
use super::messages::MemberMessages;
use crate::state::Runtime;
use crate::team::Team;

/// A group that has the caller as a member. All members get the same variant.
pub(crate) enum Group<'a> {
    /// All members are on this node.
    IntraNode(IntraNode<'a>),
    /// Some members are on other nodes. Boxed, so that a call on a node moves a `Group` in a few registers. Messages
    /// cost far more than an allocation.
    InterNode(Box<MessageGroup<'a>>),
}

impl<'a> Group<'a> {
    /// The group of a team, in a call of `routine`.
    #[inline(always)]
    pub(crate) fn of_team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> Group<'a> {
        match team.on(&rt.node, routine) {
            Some(node_team) => Group::IntraNode(IntraNode::Team(node_team)),
            None => Group::InterNode(MessageGroup::team(rt, routine, team)),
        }
    }

    /// The group of an active set, in a call of `routine`. A set that is the whole world is the world's team.
    pub(super) fn of_set(rt: &'a Runtime, routine: &'static str, args: SetArgs) -> Group<'a> {
        args.check_work(rt, routine);
        let set = ActiveSet::new(rt, routine, args);
        if set.size as u32 == rt.n_pes {
            return Group::of_team(rt, routine, &rt.world);
        }
        if set.members.all_on(&rt.node.places) {
            return Group::IntraNode(IntraNode::Set(set));
        }
        Group::InterNode(MessageGroup::set(rt, routine, set.members, set.me))
    }

    pub(crate) fn size(&self) -> usize {
        match self {
            Group::IntraNode(g) => g.size(),
            Group::InterNode(group) => group.size(),
        }
    }

    /// The caller's number in the group.
    pub(crate) fn me(&self) -> usize {
        match self {
            Group::IntraNode(g) => g.me(),
            Group::InterNode(group) => group.me(),
        }
    }

    /// The world PE of a member.
    pub(crate) fn pe(&self, member: usize) -> u32 {
        match self {
            Group::IntraNode(g) => g.pe(member),
            Group::InterNode(group) => group.pe(member),
        }
    }
}
