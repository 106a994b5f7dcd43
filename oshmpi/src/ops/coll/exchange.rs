//! The members of a group tell each other a few words, or agree on them: what allocation, team splits and the checks of
//! `SHMEM_DEBUG` ask of a group.

use super::agree::{self, Combined};
use super::allgather::all_numbers;
use super::group::Group;
use super::intra_node::IntraNode;
use crate::memory::node::WORDS;
use crate::team::{Members, NodeTeam};

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
                Posted::Words(all_numbers(&**group, &own), WORDS)
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
