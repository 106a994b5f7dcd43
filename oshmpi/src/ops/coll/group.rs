//! What a collective needs of a group of PEs, and where it is decided whether its members use the memory of their
//! node or send each other messages.

use super::active_set::{ActiveSet, SetArgs};
use super::agree::{self, Combined};
use super::message_group::MessageGroup;
use super::messages::{self, MemberMessages};
use super::{barrier, bytes};
use crate::memory::local::{Dest, Source};
use crate::memory::node::WORDS;
use crate::state::Runtime;
use crate::team::{Members, NodeTeam, Team};

/// A group in which the caller is a member. All members decide alike.
pub(crate) enum Group<'a> {
    /// All members are on this node.
    IntraNode(IntraNode<'a>),
    /// Boxed: a call on a node moves a `Group` in a few registers, and messages cost far more than an allocation.
    InterNode(Box<MessageGroup<'a>>),
}

/// A group on one node.
#[derive(Clone, Copy)]
pub(crate) enum IntraNode<'a> {
    Team(NodeTeam<'a>),
    /// Has no sync slots: nothing can be placed.
    Set(ActiveSet<'a>),
}

/// What the members posted at an exchange.
pub(crate) enum Posted<'a> {
    /// It lies on the sync slots: to be read before the next barrier.
    SyncSlots(NodeTeam<'a>),
    /// So many words of each.
    Words(Vec<u64>, usize),
}

impl Posted<'_> {
    /// Word `i` of what a member posted.
    pub(crate) fn word(&self, member: usize, i: usize) -> u64 {
        match self {
            Posted::SyncSlots(node_team) => node_team.read(member, i),
            Posted::Words(words, each) => words[member * each + i],
        }
    }

    /// The first `n` words of some members.
    fn combined(&self, n: usize, members: impl Iterator<Item = usize>) -> Combined {
        let of = |member: usize| {
            let mut words = [0; WORDS];
            words.iter_mut().take(n).enumerate().for_each(|(i, word)| *word = self.word(member, i));
            Combined::of(&words)
        };
        members.map(of).reduce(Combined::join).expect("the caller is a member")
    }
}

impl<'a> Group<'a> {
    /// A team, in a call of `routine`.
    #[inline]
    pub(crate) fn of_team(rt: &'a Runtime, routine: &'static str, team: &'a Team) -> Group<'a> {
        match team.on(&rt.node, routine) {
            Some(node_team) => Group::IntraNode(IntraNode::Team(node_team)),
            None => Group::InterNode(MessageGroup::team(rt, routine, team)),
        }
    }

    /// An active set, in a call of `routine`. A set that is the whole world is the world's team.
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

    /// World PE of a member.
    pub(crate) fn pe(&self, member: usize) -> u32 {
        match self {
            Group::IntraNode(g) => g.pe(member),
            Group::InterNode(group) => group.pe(member),
        }
    }

    /// Nobody leaves before everybody has come.
    #[inline]
    pub(crate) fn barrier(&self) {
        match self {
            Group::IntraNode(IntraNode::Team(t)) => t.sync(),
            Group::IntraNode(IntraNode::Set(s)) => s.barrier(0),
            Group::InterNode(group) => barrier::between(&**group),
        }
    }

    /// All members tell each other as many words, at most [`WORDS`]. It is a barrier, too. Between nodes every member
    /// receives the words of all: for what has to be known of each.
    pub(crate) fn exchange(&self, words: &[u64]) -> Posted<'a> {
        let (n, each) = (self.size(), words.len());
        match self {
            Group::IntraNode(IntraNode::Team(node_team)) => {
                node_team.post(words);
                node_team.barrier();
                Posted::SyncSlots(*node_team)
            }
            Group::IntraNode(IntraNode::Set(set)) => {
                let mut all = vec![0; n * each];
                for (i, &word) in words.iter().enumerate() {
                    set.barrier(word);
                    (0..n).for_each(|member| all[member * each + i] = set.read(member));
                }
                Posted::Words(all, each)
            }
            Group::InterNode(group) => {
                // As many words of everybody: members in different routines can compare theirs.
                let mut own = [0; WORDS];
                own[..each].copy_from_slice(words);
                Posted::Words(messages::all_numbers(&**group, &own), WORDS)
            }
        }
    }

    /// All members bring as many words, at most [`WORDS`], and learn what they are combined. It is a barrier, too. The
    /// first `same` words must be equal, and the very first one is the name of what the members do together. If they
    /// differ, all members tell each other theirs: that is the error. Members in different routines find that as well.
    ///
    /// Bound: as [`agree::between`]; on a node each member reads the words of all. Only if words differ, each member
    /// receives those of all.
    pub(crate) fn agree(&self, words: &[u64], same: usize) -> Result<Combined, Posted<'a>> {
        let (all, posted) = match self {
            Group::IntraNode(_) => {
                let posted = self.exchange(words);
                (posted.combined(words.len(), 0..self.size()), Some(posted))
            }
            Group::InterNode(group) => (agree::between(&**group, Combined::of(words)), None),
        };
        if all.same(same) { Ok(all) } else { Err(posted.unwrap_or_else(|| self.exchange(words))) }
    }

    /// As [`Group::agree`] of the members of a team that is to be made, if the caller is in one. All members of the
    /// group come here, and no two of the teams have a member in common.
    pub(crate) fn agree_within(&self, members: Option<Members>, words: &[u64]) -> Option<Combined> {
        match self {
            Group::IntraNode(_) => {
                let posted = self.exchange(words);
                let inside = |members: Members| (0..self.size()).filter(move |&i| members.index(self.pe(i)).is_some());
                members.map(|members| posted.combined(words.len(), inside(members)))
            }
            Group::InterNode(group) => Some(agree::between(&group.within(members?), Combined::of(words))),
        }
    }
}

/// Members beginning with the one behind the caller: not everybody reads or writes the same PE at the same time.
pub(super) fn from_next(g: &IntraNode<'_>) -> impl Iterator<Item = usize> + use<> {
    let (n, me) = (g.size(), g.me());
    (0..n).map(move |k| (me + 1 + k) % n)
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

    /// World PE of a member.
    pub(super) fn pe(&self, member: usize) -> u32 {
        match self {
            IntraNode::Team(t) => t.pe(member),
            IntraNode::Set(s) => s.pe(member),
        }
    }

    /// All have come: a part of moving data.
    #[inline]
    pub(super) fn barrier(&self) {
        match self {
            IntraNode::Team(t) => t.barrier(),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// Returns when at least the members before the caller have come.
    pub(super) fn wait_for_prefix(&self) {
        match self {
            IntraNode::Team(t) => t.wait_for_prefix(),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// Returns when `root` has come.
    pub(super) fn wait_for_root(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.wait_for_root(root),
            IntraNode::Set(s) => s.wait_for_root(root),
        }
    }

    /// `root` returns when all have come.
    pub(super) fn notify_root(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.notify_root(root),
            IntraNode::Set(s) => s.notify_root(root),
        }
    }

    /// A barrier at which the members of a team see whether all are in the same collective.
    pub(super) fn signed_barrier(&self) {
        match self {
            IntraNode::Team(t) => {
                t.post_signature();
                t.barrier();
                (0..t.size()).for_each(|i| t.check(i));
            }
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// As `wait_for_root`, and the members of a team see whether they are in the root's collective.
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

    /// `root` returns when all have come, the others when it has.
    pub(super) fn gather_and_release(&self, root: usize) {
        match self {
            IntraNode::Team(t) => t.gather_and_release(root),
            IntraNode::Set(s) => s.barrier(0),
        }
    }

    /// A barrier to which each comes with `len` bytes that `fill` writes. Only for teams, and at most `EAGER_BYTES`.
    #[inline]
    pub(super) fn barrier_with(&self, len: usize, fill: impl FnOnce(Dest)) {
        self.team().barrier_with(len, fill);
    }

    /// Where bytes go that travel with the next arrival. The same limits hold.
    #[inline]
    pub(super) fn place(&self, len: usize) -> Dest {
        self.team().place(len)
    }

    /// What `member` placed for the barrier just over.
    #[inline]
    pub(super) fn placed(&self, member: usize, len: usize) -> Source {
        self.team().placed(member, len)
    }

    /// A barrier to which each comes with a number and, only for teams, with at most `EAGER_BYTES`.
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

    /// The number `member` came with to the barrier just over.
    #[inline]
    pub(super) fn number_of(&self, member: usize) -> u64 {
        match self {
            IntraNode::Team(t) => t.read(member, 0),
            IntraNode::Set(s) => s.read(member),
        }
    }

    /// The bytes `member` sent with its number.
    #[inline]
    pub(super) fn sent_with(&self, member: usize, len: usize) -> Source {
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
