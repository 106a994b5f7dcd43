//! Barrier rounds of the members of a group, in five styles. Rounds have sequence numbers that never go back.
//!
//! `Style::Flags` is for groups up to [`FLAT`] with a core for every PE. Each member has an arrival word, which all
//! others read. Two PEs need one cache-line transfer for a round. No word has two writers, and a member may wait for
//! one other member instead of all. There are two arrival words per member, for odd and even rounds: the words that a
//! member posts travel in the cache line of its arrival, and must stay until all others have read them.
//!
//! `Style::Count` is for larger groups, and where PEs outnumber cores. There is one counter, and the last member that
//! arrives releases the others. No member is woken before that, so a round costs each PE one turn on a core.
//!
//! `Style::Tree` is for groups from [`tree::FROM`] members on with a core for every PE: see `tree`.
//!
//! `Style::Led` is for rounds after which one member is needed first, such as the root of a broadcast, where PEs
//! outnumber cores. There is one counter, and this member releases the others. They find its data there when they next
//! run.
//!
//! `Style::InOrder` is for rounds after which each member is waited for by those behind it, as in a scan, where PEs
//! outnumber cores. Member 0 leads. A member gives way when a member before it still has to run on the core they share.

use super::Wait;
use super::atomics::{Ordering, Word};
use super::awaited::Awaited;
use super::tree::{self, TreeWords};

/// Members of the largest group that uses `Style::Flags`. In larger groups, reading all arrival words takes longer than
/// a counter.
#[cfg(not(loom))]
pub(crate) const FLAT: usize = 8;

/// Members of the largest group that leaves a round in order. In larger groups, reading the members' words takes longer
/// than waiting for one of them.
const ORDERED: usize = 32;

/// The first polls of a member that waits for one other member. During these it gives way only if that member runs on
/// its core. Afterwards it also gives way to other members that have not arrived. With fewer polls, it gives its core
/// away although the other member is about to arrive. With more, members that need this core wait longer for it.
const POLLS_FOR_ONE: u32 = 4;

/// How a round ends. All members name the same style for one round. Rounds of different styles may follow each other on
/// the same words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Each member reads the arrivals of all others.
    Flags,
    /// All members add to one counter. The last one releases the others.
    Count,
    /// Members wait for those behind them in a tree, and are released down the same tree.
    Tree,
    /// All members but this one add to the counter. This member waits for them and releases them.
    Led(usize),
    /// `Led(0)`, except that if members share a core, those with lower numbers leave the round first.
    InOrder,
}

/// The words of one group, all 0 at first.
pub(crate) trait BarrierWords: TreeWords {
    /// The arrival word of `member` for odd or for even `seq`. Only `member` writes it.
    fn arrived(&self, member: usize, seq: u64) -> &Self::Word;
    /// Members that have arrived at the current counted or led round, without the leader. 0 between rounds.
    fn count(&self) -> &Self::Word;
    /// A member runs on the caller's core, as far as is known.
    fn here(&self, member: usize) -> bool;
    /// Some member that runs on the caller's core has not arrived at round `seq` yet.
    fn needed_here(&self, seq: u64) -> bool;
    /// For people: arrivals at round `seq`, of all members or of one.
    fn awaited(&self, seq: u64, only: Option<usize>) -> Awaited {
        let _ = (seq, only);
        Awaited::Other
    }
}

/// Member `me` of `n` enters round `seq`, which is one more than its last round. Returns when all members have entered
/// it.
///
/// What a member stored before it entered is visible to all members after they return. `post` stores the words that
/// travel in the line of the arrival. It runs right before the arrival is stored: the others poll this line, and would
/// fetch it once more between the two stores.
#[inline]
pub(crate) fn enter(
    words: &impl BarrierWords,
    wait: &impl Wait,
    style: Style,
    me: usize,
    n: usize,
    seq: u64,
    post: impl FnOnce(),
) {
    if n == 1 {
        return post();
    }
    let arrived = words.arrived(me, seq);
    post();
    // The other styles store the arrival, too: members that wait for one other member read it (see `wait_for`), and so
    // does who tells which members are missing.
    arrived.store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
    match style {
        Style::Flags => {
            wait.notify();
            for other in (0..n).filter(|&i| i != me) {
                wait_for_told(words, wait, other, seq, None);
            }
        }
        Style::Led(by) if me == by => lead(words, wait, n, seq),
        Style::Led(by) => wait_for_leader(words, wait, by, n, seq),
        Style::InOrder if me == 0 => lead(words, wait, n, seq),
        Style::InOrder => {
            wait_for_leader(words, wait, 0, n, seq);
            if n <= ORDERED && before_here(words, me, seq + 1) {
                wait.give_way();
            }
        }
        Style::Count => count(words, wait, n, seq),
        Style::Tree => {
            tree::gather(words, wait, me, seq, || words.awaited(seq, None), |_| {});
            tree::release(words, wait, me, true, seq, || words.awaited(seq, None), |_| {});
        }
    }
}

/// Member `me` enters round `seq`, which has a tree, and returns when all members have entered it. On the way up,
/// `come` is called for each member directly below `me`, once that member and all members below it have entered. On the
/// way down, `told` is called with the member directly above `me`, once that member knows that all have entered. What a
/// member stores before it enters, or in `come`, is visible to the member above it in `come`. What a member stores in
/// `told` is visible to the members below it in `told`.
pub(crate) fn in_tree(
    words: &impl BarrierWords,
    wait: &impl Wait,
    me: usize,
    seq: u64,
    come: impl FnMut(usize),
    told: impl FnOnce(usize),
) {
    gather(words, wait, me, seq, come);
    tree::release(words, wait, me, true, seq, || words.awaited(seq, None), told);
}

/// Member `me` arrives at round `seq`, which has a tree. Member 0 returns when all members have arrived. Each other
/// member returns when the members below it have arrived. `come` is called as in [`in_tree`].
pub(crate) fn gather(words: &impl BarrierWords, wait: &impl Wait, me: usize, seq: u64, come: impl FnMut(usize)) {
    words.arrived(me, seq).store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
    tree::gather(words, wait, me, seq, || words.awaited(seq, None), come);
}

/// Member `root` arrives at round `seq`, which has a tree, and waits for nobody. The others return when it has arrived:
/// member 0 waits for `root`, and the others for the members above them. `root` releases the members below it itself.
/// `told` is called with the member that the caller has waited for, before the caller releases others. What a member
/// stores before it arrives, or in `told`, is visible to the members that wait for it in their `told`.
#[cfg(not(loom))]
pub(crate) fn release_from(
    words: &impl BarrierWords,
    wait: &impl Wait,
    root: usize,
    me: usize,
    seq: u64,
    mut told: impl FnMut(usize),
) {
    words.arrived(me, seq).store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
    if me == root && root != 0 {
        wait.notify();
    } else if me == 0 && root != 0 {
        wait_for(words, wait, root, seq);
        told(root);
    }
    tree::release(words, wait, me, me != root, seq, || words.awaited(seq, Some(root)), told);
}

/// Member `me` arrives at round `seq` and waits for nobody.
#[inline]
pub(crate) fn arrive(words: &impl BarrierWords, wait: &impl Wait, me: usize, seq: u64) {
    words.arrived(me, seq).store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
    wait.notify();
}

/// [`arrive`] without a notification, for arrivals that no member sleeps long for.
#[inline]
pub(crate) fn arrive_quietly(words: &impl BarrierWords, me: usize, seq: u64) {
    words.arrived(me, seq).store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
}

/// Returns when `member` has arrived at round `seq` or a later one.
#[inline]
pub(crate) fn wait_for(words: &impl BarrierWords, wait: &impl Wait, member: usize, seq: u64) {
    wait_for_told(words, wait, member, seq, Some(member));
}

/// [`wait_for`], as a part of a wait for `only` or for all members.
#[inline]
fn wait_for_told(words: &impl BarrierWords, wait: &impl Wait, member: usize, seq: u64, only: Option<usize>) {
    // A member that runs on another core most likely arrives sooner than a switch between processes takes. So the first
    // polls give way to this member only.
    let alone = core::cell::Cell::new(POLLS_FOR_ONE);
    let needed_here = || {
        let left = alone.replace(alone.get().saturating_sub(1));
        words.here(member) || left == 0 && words.needed_here(seq)
    };
    // SYNC arrive: pairs with enter, arrive and arrive_quietly
    let ready = || words.arrived(member, seq).load(Ordering::Acquire) >= seq;
    wait.until_given(ready, needed_here, || words.awaited(seq, only));
}

/// Some member before `me` that runs on the caller's core has not arrived at round `seq` yet. A hint only: the load is
/// relaxed.
fn before_here(words: &impl BarrierWords, me: usize, seq: u64) -> bool {
    (0..me).any(|i| words.here(i) && words.arrived(i, seq).load(Ordering::Relaxed) < seq)
}

fn count(words: &impl BarrierWords, wait: &impl Wait, n: usize, seq: u64) {
    // SYNC count: pairs with the next addition. The chain of additions orders every member's stores before the release.
    if words.count().fetch_add(1, Ordering::AcqRel) + 1 == n as u64 {
        release(words, wait, seq);
    } else {
        wait_for_release(words, wait, seq, || words.needed_here(seq));
    }
}

fn lead(words: &impl BarrierWords, wait: &impl Wait, n: usize, seq: u64) {
    // SYNC count: pairs with the additions in wait_for_leader
    let ready = || words.count().load(Ordering::Acquire) == n as u64 - 1;
    wait.until_given(ready, || words.needed_here(seq), || words.awaited(seq, None));
    release(words, wait, seq);
}

fn wait_for_leader(words: &impl BarrierWords, wait: &impl Wait, leader: usize, n: usize, seq: u64) {
    // A load that sees the last addition acquires all of them, because only additions change the word.
    // SYNC count: pairs with the load in lead
    if words.count().fetch_add(1, Ordering::Release) + 1 == n as u64 - 1 {
        wait.notify(); // the leader may sleep
    }
    // The leader has to run once more after all others have arrived.
    wait_for_release(words, wait, seq, || words.here(leader) || words.needed_here(seq));
}

fn release(words: &impl BarrierWords, wait: &impl Wait, seq: u64) {
    words.count().store(0, Ordering::Relaxed); // no member arrives at the next round before the release below
    words.released(0).store(seq, Ordering::Release); // SYNC release: pairs with wait_for_release
    wait.notify();
}

fn wait_for_release(words: &impl BarrierWords, wait: &impl Wait, seq: u64, needed_here: impl Fn() -> bool) {
    // SYNC release: pairs with the store in release
    let ready = || words.released(0).load(Ordering::Acquire) >= seq;
    wait.until_given(ready, needed_here, || words.awaited(seq, None));
}

#[cfg(test)]
mod tests;
