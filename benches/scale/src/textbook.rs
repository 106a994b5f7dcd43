//! Algorithms as textbooks have them, flat over the members of a group.

use crate::layout::log2_up;
use crate::schedule::{Message, Program};

/// A member of a group. Where the group is a part of a larger one, [`Program::append`] renames it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Member {
    pub size: u32,
    pub me: u32,
}

impl Member {
    pub fn new(size: u32, me: u32) -> Member {
        Member { size, me }
    }

    pub(crate) fn send(self, to: u32, bytes: u64) -> Option<Message> {
        (bytes > 0).then_some(Message::Send { to, bytes })
    }

    pub(crate) fn receive(self, from: u32, bytes: u64) -> Option<Message> {
        (bytes > 0).then_some(Message::Receive { from, bytes })
    }

    pub(crate) fn after(self, away: u32) -> u32 {
        ((u64::from(self.me) + u64::from(away)) % u64::from(self.size)) as u32
    }

    pub(crate) fn before(self, away: u32) -> u32 {
        self.after(self.size - away % self.size)
    }
}

fn exchange(p: &mut Program, m: Member, (to, out): (u32, u64), (from, into): (u32, u64)) {
    p.transfer([m.receive(from, into), m.send(to, out)].into_iter().flatten());
}

/// Barrier: in round k every member hears of 2^k members more.
pub fn dissemination(p: &mut Program, m: Member) {
    for away in (0..log2_up(m.size)).map(|k| 1 << k) {
        exchange(p, m, (m.after(away), 1), (m.before(away), 1));
    }
}

/// Broadcast of `bytes` from `root`, down a binomial tree.
pub fn binomial(p: &mut Program, m: Member, root: u32, bytes: u64) {
    let me = m.before(root);
    let member = |relative: u32| Member { me: root, ..m }.after(relative);
    let bit = if me == 0 { m.size.next_power_of_two() } else { me & me.wrapping_neg() };
    if me != 0 {
        p.transfer(m.receive(member(me - bit), bytes));
    }
    let children = (0..bit.trailing_zeros()).rev().map(|k| me + (1 << k)).filter(|&child| child < m.size);
    p.transfer(children.filter_map(|child| m.send(member(child), bytes)));
}

/// Allgather: block i, of `at(i)` to `at(i + 1)`, goes round in at most `steps` of n - 1 steps.
pub fn ring(p: &mut Program, m: Member, at: impl Fn(u32) -> u64, steps: u32) {
    let len = |i: u32| at(i + 1) - at(i);
    for step in 1..m.size.min(steps.saturating_add(1)) {
        let (mine, theirs) = (m.before(step - 1), m.before(step));
        exchange(p, m, (m.after(1), len(mine)), (m.before(1), len(theirs)));
    }
}

/// Allgather: after round k a member has the blocks of 2^k members.
pub fn bruck(p: &mut Program, m: Member, at: impl Fn(u32) -> u64) {
    // Bytes of `count` blocks that begin with that of `first`.
    let stretch = |first: u32, count: u32| {
        let end = u64::from(first) + u64::from(count);
        match end.checked_sub(m.size.into()) {
            Some(beyond) => at(m.size) - at(first) + at(beyond as u32),
            None => at(end as u32) - at(first),
        }
    };
    let mut have = 1;
    while have < m.size {
        let count = have.min(m.size - have);
        exchange(p, m, (m.before(have), stretch(m.me, count)), (m.after(have), stretch(m.after(have), count)));
        have += count;
    }
}

/// Peers with whom a pairwise exchange has messages under way at a time.
pub(crate) const AT_A_TIME: u32 = 16;

/// A block of `len(from, to)` bytes from everybody to everybody, by at most `steps` of n - 1 steps.
pub fn pairwise(p: &mut Program, m: Member, len: impl Fn(u32, u32) -> u64, steps: u32) {
    let end = m.size.min(steps.saturating_add(1));
    for first in (1..end).step_by(AT_A_TIME as usize) {
        p.transfer((first..end.min(first + AT_A_TIME)).flat_map(|away| {
            let (to, from) = (m.after(away), m.before(away));
            [m.receive(from, len(from, m.me)), m.send(to, len(m.me, to))].into_iter().flatten()
        }));
    }
}

/// Alltoall of equal blocks: in round k a member sends the blocks for members whose distance has bit k.
pub fn bruck_alltoall(p: &mut Program, m: Member, block: u64) {
    p.copy(block * u64::from(m.size));
    for away in (0..log2_up(m.size)).map(|k| 1u32 << k) {
        // Of the distances below the size, those that have the bit.
        let (whole, rest) = (m.size / (2 * away) * away, m.size % (2 * away));
        let count = u64::from(whole + rest.saturating_sub(away));
        exchange(p, m, (m.after(away), count * block), (m.before(away), count * block));
        p.copy(2 * count * block);
    }
    p.copy(block * u64::from(m.size));
}

/// The largest power of two that is not above `n`: so many take part once the others have handed theirs on.
fn power(n: u32) -> u32 {
    1 << n.ilog2()
}

/// Reduction to all, of everybody's `bytes` at every step. Where the size is no power of two, members beyond it hand
/// their elements to a partner before, and get the result behind.
pub fn recursive_doubling(p: &mut Program, m: Member, bytes: u64) {
    folded(p, m, bytes, |p, me, power| {
        for bit in (0..power.ilog2()).map(|k| 1 << k) {
            exchange(p, m, (me ^ bit, bytes), (me ^ bit, bytes));
            p.combine(bytes);
        }
    });
}

/// Rabenseifner's reduction to all: reduce-scatter by halving, allgather by doubling.
pub fn rabenseifner(p: &mut Program, m: Member, bytes: u64) {
    folded(p, m, bytes, |p, me, power| {
        let mut part = bytes;
        for bit in (0..power.ilog2()).rev().map(|k| 1 << k) {
            // An uneven half is the upper member's.
            let mine = if me & bit == 0 { part / 2 } else { part - part / 2 };
            exchange(p, m, (me ^ bit, part - mine), (me ^ bit, mine));
            p.combine(mine);
            part = mine;
        }
        // What a member has at a level, from the whole down to its share.
        let at_level = |who: u32, level: u32| {
            (level..power.ilog2()).rev().fold(
                bytes,
                |part, k| {
                    if who >> k & 1 == 0 { part / 2 } else { part - part / 2 }
                },
            )
        };
        for k in 0..power.ilog2() {
            let peer = me ^ 1 << k;
            exchange(p, m, (peer, at_level(me, k)), (peer, at_level(peer, k)));
        }
    });
}

fn folded(p: &mut Program, m: Member, bytes: u64, among: impl FnOnce(&mut Program, u32, u32)) {
    let power = power(m.size);
    if m.me >= power {
        p.transfer(m.send(m.me - power, bytes));
        p.transfer(m.receive(m.me - power, bytes));
        return;
    }
    let partner = (m.me + power < m.size).then_some(m.me + power);
    if let Some(partner) = partner {
        p.transfer(m.receive(partner, bytes));
        p.combine(bytes);
    }
    among(p, m.me, power);
    if let Some(partner) = partner {
        p.transfer(m.send(partner, bytes));
    }
}

/// Reduction to all by a ring: 2 (n - 1) steps of an n-th each, at most `steps` of each half.
pub fn ring_reduce(p: &mut Program, m: Member, bytes: u64, steps: u32) {
    let part = bytes.div_ceil(m.size.into());
    for _ in 0..steps.min(m.size - 1) {
        exchange(p, m, (m.after(1), part), (m.before(1), part));
        p.combine(part);
    }
    for _ in 0..steps.min(m.size - 1) {
        exchange(p, m, (m.after(1), part), (m.before(1), part));
    }
}

/// Prefix sums: in round k a member hears of the 2^k members before those it has heard of.
pub fn doubling_scan(p: &mut Program, m: Member, bytes: u64) {
    for away in (0..log2_up(m.size)).map(|k| 1u32 << k) {
        let to = m.me.checked_add(away).filter(|&to| to < m.size).and_then(|to| m.send(to, bytes));
        let from = m.me.checked_sub(away).and_then(|from| m.receive(from, bytes));
        p.transfer([from, to].into_iter().flatten());
        if from.is_some() {
            p.combine(bytes);
        }
    }
}

/// Broadcast: the root cuts its bytes into parts down a binomial tree, and a ring gathers them.
pub fn scatter_ring(p: &mut Program, m: Member, bytes: u64) {
    let at = |i: u32| bytes * u64::from(i) / u64::from(m.size);
    let bit = if m.me == 0 { m.size.next_power_of_two() } else { m.me & m.me.wrapping_neg() };
    let stretch = |first: u32, count: u32| at((first + count).min(m.size)) - at(first);
    if m.me != 0 {
        p.transfer(m.receive(m.me - bit, stretch(m.me, bit)));
    }
    let children = (0..bit.trailing_zeros()).rev().map(|k| 1 << k).filter(|k| m.me + k < m.size);
    p.transfer(children.filter_map(|k| m.send(m.me + k, stretch(m.me + k, k))));
    ring(p, m, at, u32::MAX);
}
