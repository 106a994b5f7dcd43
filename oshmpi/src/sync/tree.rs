//! Barrier rounds of many members by a tree that follows the machine. Members that share a last-level cache form
//! groups. The first members of these groups form the groups of a socket, and the first members of the sockets form the
//! last group. A group that would have more than [`FAN_IN`] members is divided once more.
//!
//! A member waits for the other members of the groups that it leads. Then it arrives at the first member of its own
//! group, for itself and all members below it. Member 0 is the root. It releases the others down the same tree, the
//! farthest first. Each group has a word for the release, which lies with its second member, because no member is
//! second or later in two groups.
//!
//! Bound, for n members: n - 1 arrivals and at most n - 1 releases for a round, each of which transfers one cache line.
//! A line has at most `FAN_IN` - 1 readers. The longest path goes through the levels of the tree twice. Their number is
//! the sum of the logarithms to the base `FAN_IN` of the members of a cache, of the caches of a socket, and of the
//! sockets, each rounded up. A member keeps O(log n) numbers, those of the groups that it leads. Making them takes O(n
//! log n) time, once for a team.

use super::Wait;
use super::atomics::{Ordering, Word};
use super::awaited::Awaited;

/// Members of a group, at most. With fewer the tree is deeper, and each level costs a transfer from farther away. With
/// more a member reads more lines one after the other.
pub(crate) const FAN_IN: usize = 8;

/// Members of the smallest group that uses a tree: the longest path of smaller ones has as many transfers as a counter.
#[cfg(not(loom))]
pub(crate) const FROM: usize = 16;

/// Members of the smallest group in which bytes of one member are handed out down a tree. In smaller groups all read
/// the member's line: the copies of a line that is only read follow each other closely.
#[cfg(not(loom))]
pub(crate) const HAND_OUT_FROM: usize = 64;

/// Where a member runs: a socket, and a last-level cache there. Equal numbers on one machine mean the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Locality {
    pub(crate) socket: u16,
    pub(crate) cache: u16,
}

#[cfg(not(loom))] // for what models do not have
impl Locality {
    pub(crate) fn to_word(self) -> u32 {
        u32::from(self.socket) << 16 | u32::from(self.cache)
    }

    pub(crate) fn of_word(word: u32) -> Locality {
        Locality { socket: (word >> 16) as u16, cache: word as u16 }
    }
}

/// The words of the tree of one group of members, all 0 at first.
pub(crate) trait TreeWords {
    type Word: Word;
    /// The last round that `member` and all members below it have entered. Only `member` writes it.
    fn up(&self, member: usize) -> &Self::Word;
    /// The last round that is over, for the members that read the word of `holder`.
    fn released(&self, holder: usize) -> &Self::Word;
    /// The part of `me` in the tree.
    fn tree(&self, me: usize) -> &Tree;
}

/// The part of one member in a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    /// The other members of the groups that the member leads, the nearest group first.
    leads: Box<[Box<[u32]>]>,
    /// The group in which the member is not the first. None: it is the root.
    own: Option<OwnGroup>,
}

/// A group in which the member is not the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OwnGroup {
    first: u32,
    /// The second member, which holds the word of the group.
    holder: u32,
}

impl Tree {
    /// The part of `me` among `n` members, whose places `locality` tells.
    pub(crate) fn new(n: usize, me: usize, locality: impl Fn(usize) -> Locality) -> Tree {
        let mut tree = Tree { leads: Box::default(), own: None };
        let mut leads: Vec<Box<[u32]>> = Vec::new();
        groups(n, locality, |group| match group.iter().position(|&member| member as usize == me) {
            Some(0) => leads.push(group[1..].into()),
            Some(_) => tree.own = Some(OwnGroup { first: group[0], holder: group[1] }),
            None => {}
        });
        tree.leads = leads.into_boxed_slice();
        tree
    }

    /// The member is the first of a group, so it passes on what it is told.
    #[cfg(not(loom))]
    pub(crate) fn leads(&self) -> bool {
        !self.leads.is_empty()
    }

    /// The other members of the groups that the member is in, of its own group only the first one. There are at most
    /// `FAN_IN` in each level of the tree.
    #[cfg(not(loom))]
    pub(crate) fn neighbours(&self) -> impl Iterator<Item = usize> {
        let below = self.leads.iter().flatten().copied();
        below.chain(self.own.map(|own| own.first)).map(|member| member as usize)
    }
}

/// Calls `found` for each group of at least two members. The groups that a member leads come before the group in which
/// it is not the first.
fn groups(n: usize, locality: impl Fn(usize) -> Locality, mut found: impl FnMut(&[u32])) {
    use std::collections::BTreeMap;
    // Caches and sockets in the order of their first members, so that member 0 is the first of all.
    let (mut sockets, mut caches) = (BTreeMap::new(), BTreeMap::new());
    let mut members: Vec<(u32, u32, u32)> = Vec::with_capacity(n);
    for member in 0..n as u32 {
        let at = locality(member as usize);
        let socket = *sockets.entry(at.socket).or_insert(member);
        let cache = *caches.entry((at.socket, at.cache)).or_insert(member);
        members.push((socket, cache, member));
    }
    members.sort_unstable();
    let caches = first_of_each(&members, |m| (m.0, m.1), &mut found);
    let sockets = first_of_each(&caches, |m| (m.0, 0), &mut found);
    first_of_each(&sockets, |_| (0, 0), &mut found);
}

/// Groups neighbours of the list in the same domain, until one member of each domain is left.
fn first_of_each(
    members: &[(u32, u32, u32)],
    domain: impl Fn(&(u32, u32, u32)) -> (u32, u32),
    found: &mut impl FnMut(&[u32]),
) -> Vec<(u32, u32, u32)> {
    let mut left = Vec::new();
    for alike in members.chunk_by(|a, b| domain(a) == domain(b)) {
        let mut level: Vec<u32> = alike.iter().map(|m| m.2).collect();
        while level.len() > 1 {
            // The groups have nearly equal sizes, because a few large ones would delay the others.
            let number = level.len().div_ceil(FAN_IN);
            let start = |group: usize| group * level.len() / number;
            (0..number).map(|g| &level[start(g)..start(g + 1)]).filter(|g| g.len() > 1).for_each(&mut *found);
            level = (0..number).map(|g| level[start(g)]).collect();
        }
        left.push(alike[0]);
    }
    left
}

/// Member `me` enters round `seq`. It arrives at the first member of its group when all members below it have entered.
/// Member 0 returns when all have entered. `come` is called for each member that `me` waits for, when that one has
/// arrived.
pub(super) fn gather<W: TreeWords>(
    words: &W,
    wait: &impl Wait,
    me: usize,
    seq: u64,
    awaited: impl Fn() -> Awaited,
    mut come: impl FnMut(usize),
) {
    let tree = words.tree(me);
    for &member in tree.leads.iter().flatten() {
        // SYNC tree-up: pairs with the store below, by the member that is waited for
        let is_up = || words.up(member as usize).load(Ordering::Acquire) >= seq;
        wait.until_given(is_up, || true, &awaited);
        come(member as usize);
    }
    if tree.own.is_some() {
        words.up(me).store(seq, Ordering::Release); // SYNC tree-up: pairs with the load above
        wait.notify();
    }
}

/// Member `me` waits for its release from round `seq`, if it has to wait and is not member 0, and then releases the
/// members below it. Before that, `told` is called with the member that has released `me`.
pub(super) fn release<W: TreeWords>(
    words: &W,
    wait: &impl Wait,
    me: usize,
    waits: bool,
    seq: u64,
    awaited: impl Fn() -> Awaited,
    told: impl FnOnce(usize),
) {
    let tree = words.tree(me);
    if let Some(own) = tree.own.filter(|_| waits) {
        // SYNC tree-down: pairs with the stores below, by the first of the group
        let over = || words.released(own.holder as usize).load(Ordering::Acquire) >= seq;
        wait.until_given(over, || true, awaited);
        told(own.first as usize);
    }
    for group in tree.leads.iter().rev() {
        // SYNC tree-down: pairs with the load above
        words.released(group[0] as usize).store(seq, Ordering::Release);
    }
    if !tree.leads.is_empty() {
        wait.notify();
    }
}

#[cfg(test)]
mod tests;
