//! Exchange of and agreement on a few words among the members of a group. Allocation, team splits and the checks of
//! `SHMEM_DEBUG` use them.

use super::agree::{self, Combined};
use super::allgather::all_numbers;
use super::at_once::at_once;
use super::group::Group;
use super::intra_node::IntraNode;
use crate::memory::node::WORDS;
use crate::team::{Members, NodeTeam};

/// The words that the members have posted in an exchange.
pub(crate) enum Posted<'a> {
    /// The words lie on the sync slots. They must be read before the next barrier.
    SyncSlots(NodeTeam<'a>),
    /// The words of all members, and the number of words of each.
    Words(Vec<u64>, usize),
}

impl Posted<'_> {
    /// Word `i` of a member.
    pub(crate) fn word(&self, member: usize, i: usize) -> u64 {
        match self {
            Posted::SyncSlots(node_team) => node_team.read(member, i),
            Posted::Words(words, each) => words[member * each + i],
        }
    }

    /// The first `n` words of these members, combined.
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
    /// Every member posts the same number of words, at most [`WORDS`], and can read those of all. It is a barrier.
    /// Between nodes every member receives the words of all, by the messages of an allgather, so it is only for words
    /// that must be known of each member.
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
                // All members send [`WORDS`] words, so that members in different routines can compare theirs.
                let mut own = [0; WORDS];
                own[..each].copy_from_slice(words);
                Posted::Words(at_once(|| all_numbers(&**group, &own)), WORDS)
            }
        }
    }

    /// Every member posts the same number of words, at most [`WORDS`], and receives the combined words. It is a
    /// barrier. The first `same` words must be equal on all members. If they differ, all members exchange their words,
    /// which are the error. Where members may be in different routines, the first word tells the routine.
    ///
    /// Bound: that of [`agree::between`]. On a node each member reads the words of all. Only if words differ, each
    /// member receives those of all.
    pub(crate) fn agree(&self, words: &[u64], same: usize) -> Result<Combined, Posted<'a>> {
        let (all, posted) = match self {
            Group::IntraNode(_) => {
                let posted = self.exchange(words);
                (posted.combined(words.len(), 0..self.size()), Some(posted))
            }
            Group::InterNode(group) => (at_once(|| agree::between(&**group, Combined::of(words))), None),
        };
        if all.same(same) { Ok(all) } else { Err(posted.unwrap_or_else(|| self.exchange(words))) }
    }

    /// As [`Group::agree`], among the members of a new team that has the caller. All members of the group call this,
    /// and no two of the new teams have a common member.
    pub(crate) fn agree_within(&self, members: Option<Members>, words: &[u64]) -> Option<Combined> {
        match self {
            Group::IntraNode(_) => {
                let posted = self.exchange(words);
                let inside = |members: Members| (0..self.size()).filter(move |&i| members.index(self.pe(i)).is_some());
                members.map(|members| posted.combined(words.len(), inside(members)))
            }
            Group::InterNode(group) => {
                let within = group.within(members?);
                Some(at_once(|| agree::between(&within, Combined::of(words))))
            }
        }
    }
}
