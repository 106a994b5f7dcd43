//! Agreement: the members of a group compare and combine a few words each. The length of a message does not depend on
//! the number of members. The allocator, team splits and the comparison of `SHMEM_DEBUG` use it.

use super::hierarchy::NodeStage;
use super::messages::MemberMessages;
use super::{bytes, dissemination, op};
use crate::memory::local::Dest;
use crate::memory::node::WORDS;
use crate::sync::plain::Plain;

/// A word that counts as equal to every other word. No address, length or name has this value.
pub(crate) const ANY: u64 = u64::MAX - 1;

/// The index of the least words in [`Combined`]; those of the greatest words and of the common bits follow.
const LEAST: usize = 0;
const MOST: usize = 1;
const BITS: usize = 2;

/// The words of one member, or of several members combined: for each of [`WORDS`] words the least, the greatest and the
/// common bits. Missing words are zeros, so that all agreements have messages of one length, and members in different
/// routines find that their words differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Combined([[u64; WORDS]; 3]);

// SAFETY: numbers only.
unsafe impl Plain for Combined {}

impl Combined {
    pub(crate) fn of(words: &[u64]) -> Combined {
        let mut own = [0; WORDS];
        own[..words.len()].copy_from_slice(words);
        let unless_any = |instead: u64| own.map(|word| if word == ANY { instead } else { word });
        Combined([unless_any(u64::MAX), unless_any(0), own])
    }

    pub(crate) fn join(mut self, other: Combined) -> Combined {
        for i in 0..WORDS {
            self.0[LEAST][i] = self.0[LEAST][i].min(other.0[LEAST][i]);
            self.0[MOST][i] = self.0[MOST][i].max(other.0[MOST][i]);
            self.0[BITS][i] &= other.0[BITS][i];
        }
        self
    }

    /// Whether the first `n` words of all members are equal.
    pub(crate) fn same(&self, n: usize) -> bool {
        // If all members have posted [`ANY`], the least is above the greatest.
        (0..n).all(|i| self.0[LEAST][i] >= self.0[MOST][i])
    }

    /// The least of words `i`.
    pub(crate) fn least(&self, i: usize) -> u64 {
        self.0[LEAST][i]
    }

    /// The greatest of words `i`.
    pub(crate) fn most(&self, i: usize) -> u64 {
        self.0[MOST][i]
    }

    /// The bits that are set in all words `i`.
    pub(crate) fn bits(&self, i: usize) -> u64 {
        self.0[BITS][i]
    }

    fn dest(&mut self) -> Dest<'_> {
        Dest::of_slice(self.0.as_flattened_mut())
    }
}

/// Between nodes: combines the words of all members, and is a barrier. The first member of a node combines the words
/// that the node's members have placed in its memory. These leaders combine by dissemination, and each places the
/// result for its node.
///
/// Bound: ceil(log2 nodes) messages of [`Combined`]'s 168 bytes by a leader, none by others. Each
/// eager buffer of a node is read once on the way up: by the leader, or by the member above its owner in the tree.
pub(super) async fn between<W: MemberMessages>(w: &W, mut all: Combined) -> Combined {
    let len = all.dest().len();
    let Some(nodes) = w.hierarchy().filter(|nodes| len <= nodes.here.eager()) else {
        combine(w, &mut all).await;
        return all;
    };
    let here = nodes.here;
    here.gather_with(all.dest(), |mine, theirs| op::each::<Combined>(mine, theirs, Combined::join)).await;
    if nodes.leads() {
        combine(&nodes.leaders(w), &mut all).await;
    }
    let words = all.dest();
    here.hand_out(0, bytes::written(words), words).await;
    all
}

/// The agreement of members of which no two share a node.
async fn combine(w: &impl MemberMessages, all: &mut Combined) {
    let mut theirs = Combined::of(&[]);
    dissemination::dissemination(w, all.dest(), theirs.dest(), |mine, theirs| {
        op::each::<Combined>(mine, theirs, Combined::join)
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::super::at_once::at_once;
    use super::super::threads;
    use super::*;
    use proptest::prelude::*;

    /// The words of some members.
    fn members() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let word = prop_oneof![0u64..4, any::<u64>(), Just(ANY)];
        prop::collection::vec(prop::collection::vec(word, 5), 1..20)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Every member learns least, greatest and common bits, within the bound.
        #[test]
        fn all_members_learn_the_same(words in members()) {
            let n = words.len();
            threads::run(n, |w| {
                let all = at_once(|| between(w, Combined::of(&words[w.me()])));
                let (messages, sent) = w.sent();
                assert_eq!((messages, sent), (n.next_power_of_two().ilog2() as usize, messages * 168));
                for i in 0..5 {
                    let column = || words.iter().map(|member| member[i]);
                    let cared = || column().filter(|&word| word != ANY);
                    assert_eq!(all.least(i), cared().min().unwrap_or(u64::MAX));
                    assert_eq!(all.most(i), cared().max().unwrap_or(0));
                    assert_eq!(all.bits(i), column().fold(u64::MAX, |a, b| a & b));
                    let equal = (0..=i).all(|k| {
                        let cared = words.iter().map(|member| member[k]).filter(|&word| word != ANY);
                        cared.collect::<std::collections::BTreeSet<_>>().len() <= 1
                    });
                    assert_eq!(all.same(i + 1), equal);
                }
            });
        }
    }
}
