//! Recursive doubling: a reduction of few bytes to all members of a group that sends messages (allreduce).

use super::bytes;
use super::messages::{MemberMessages, Message};
use super::op::Operation;
use crate::memory::local::{Dest, Source};
use core::mem::swap;

/// The members that take part in the rounds: the largest power of two, 2^k. In each of the first `extra` pairs of
/// members the even one takes part for both.
pub(super) struct Rounds {
    /// The number of rounds, k.
    pub(super) bits: u32,
    /// The caller's number among the members that take part.
    pub(super) number: usize,
    extra: usize,
}

impl Rounds {
    /// Folds pairs. The odd member sends `acc` to the even one, which combines it by `combine(acc, from)`. The odd
    /// member then receives the result and is done: `None`. The other members get memory for as many bytes as `acc`
    /// has.
    pub(super) async fn fold(
        w: &impl MemberMessages,
        acc: Dest<'_>,
        combine: impl FnOnce(Dest<'_>, Source<'_>),
    ) -> Option<(Rounds, bytes::Scratch)> {
        let (n, me) = (w.size(), w.me());
        if n == 1 || acc.len() == 0 {
            return None;
        }
        let bits = n.ilog2();
        let extra = n - (1 << bits);
        let in_pair = me < 2 * extra;
        if in_pair && me % 2 == 1 {
            w.transfer([Message::Send(me - 1, bytes::written(acc))]).await;
            w.transfer([Message::Receive(me - 1, acc)]).await;
            return None;
        }
        let mut aside = bytes::Scratch::unwritten(acc.len());
        if in_pair {
            w.transfer([Message::Receive(me + 1, aside.dest())]).await;
            combine(acc, bytes::written(aside.dest()));
        }
        let number = if in_pair { me / 2 } else { me - extra };
        Some((Rounds { bits, number, extra }, aside))
    }

    /// As `fold`, of `source`, which may be `acc`. True: `source` is not copied, because nothing is folded. Then `acc`
    /// has no elements yet, and round 0 is [`first`](Rounds::first).
    pub(super) async fn fold_of(
        w: &impl MemberMessages,
        source: Source<'_>,
        acc: Dest<'_>,
        op: Operation,
    ) -> Option<(Rounds, bytes::Scratch, bool)> {
        let apart = source.address() != acc.address();
        let direct = apart && w.size() > 1 && w.size().is_power_of_two();
        if apart && !direct {
            bytes::copy(acc, source);
        }
        let (rounds, aside) = Rounds::fold(w, acc, |acc, from| op.after(acc, from)).await?;
        Some((rounds, aside, direct))
    }

    /// The member whose number differs from the caller's in `bit`.
    pub(super) fn partner(&self, bit: usize) -> usize {
        let number = self.number ^ bit;
        if number < self.extra { 2 * number } else { number + self.extra }
    }

    /// Round 0 of elements apart from `keep`: sends `give`, receives into `keep`, and combines that with `own`.
    pub(super) async fn first(
        &self,
        w: &impl MemberMessages,
        give: Source<'_>,
        keep: Dest<'_>,
        own: Source<'_>,
        op: Operation,
    ) {
        let partner = self.partner(1);
        w.transfer([Message::Receive(partner, keep), Message::Send(partner, give)]).await;
        if self.number & 1 == 0 { op.before(keep, own) } else { op.after(keep, own) }
    }

    /// Sends the result to the odd member of the caller's pair, if the caller is in one.
    pub(super) async fn unfold(&self, w: &impl MemberMessages, result: Dest<'_>) {
        if self.number < self.extra {
            w.transfer([Message::Send(w.me() + 1, bytes::written(result))]).await;
        }
    }
}

/// Combines all members' `acc` into every member's `acc`. `combine(lower, upper)` stores `lower op upper` in `lower`.
/// It gets the elements of members with lower numbers first, and the same pairs on all members. So all members get
/// identical bits, even if the operation is neither commutative nor associative.
///
/// If n is a power of two, round k exchanges `acc` with the member whose number differs in bit k. With n = 2^k + extra
/// members, the first `extra` pairs are folded first: the odd member sends `acc` to the even one, and receives the
/// result at the end.
///
/// Bound: a member sends and receives at most floor(log2 n) + 1 messages with the bytes of `acc`, and exactly log2 n if
/// n is a power of two. It waits for one message at a time, and needs memory for as many bytes as `acc` has.
pub(super) async fn allreduce(w: &impl MemberMessages, acc: Dest<'_>, combine: impl Fn(Dest<'_>, Source<'_>)) {
    let Some((rounds, aside)) = Rounds::fold(w, acc, &combine).await else { return };
    exchange(w, &rounds, 0, acc, aside, combine).await;
}

/// As [`allreduce`], of all members' `source`, which may be `acc`.
pub(super) async fn allreduce_of(w: &impl MemberMessages, source: Source<'_>, acc: Dest<'_>, op: Operation) {
    let Some((rounds, aside, direct)) = Rounds::fold_of(w, source, acc, op).await else { return };
    if direct {
        rounds.first(w, source, acc, source, op).await;
    }
    exchange(w, &rounds, u32::from(direct), acc, aside, |acc, from| op.after(acc, from)).await;
}

/// The rounds of [`allreduce`] from round `first`.
async fn exchange(
    w: &impl MemberMessages,
    rounds: &Rounds,
    first: u32,
    acc: Dest<'_>,
    mut aside: bytes::Scratch,
    combine: impl Fn(Dest<'_>, Source<'_>),
) {
    let (mut mine, mut theirs) = (acc, aside.dest());
    for bit in (first..rounds.bits).map(|k| 1 << k) {
        let partner = rounds.partner(bit);
        w.transfer([Message::Receive(partner, theirs), Message::Send(partner, bytes::written(mine))]).await;
        if rounds.number & bit == 0 {
            combine(mine, bytes::written(theirs));
        } else {
            combine(theirs, bytes::written(mine));
            swap(&mut mine, &mut theirs);
        }
    }
    rounds.unfold(w, mine).await;
    if mine != acc {
        bytes::copy(acc, bytes::written(mine));
    }
}

/// Prefixes: combines the `acc` of all members up to the caller into its `acc`, and those of the members before it into
/// `before`, which member 0 does not change. `combine(upper, lower)` stores `lower op upper` in `upper`. In round k a
/// member receives the combination of 2^k more members before it.
///
/// Bound: a member sends and receives at most log2 n messages, rounded up, with the bytes of `acc`. It waits for one
/// message at a time, and needs memory for as many bytes as `acc` has.
pub(super) async fn scan(
    w: &impl MemberMessages,
    acc: Dest<'_>,
    before: Option<Dest<'_>>,
    combine: impl Fn(Dest<'_>, Source<'_>),
) {
    let (n, me) = (w.size(), w.me());
    let mut aside = bytes::Scratch::unwritten(acc.len());
    let theirs = aside.dest();
    for away in (0..).map(|k| 1 << k).take_while(|&away| away < n) {
        let receive = (me >= away).then(|| Message::Receive(me - away, theirs));
        let send = (me + away < n).then(|| Message::Send(me + away, bytes::written(acc)));
        w.transfer(receive.into_iter().chain(send)).await;
        if receive.is_none() {
            continue;
        }
        match before {
            Some(before) if away == 1 => bytes::copy(before, bytes::written(theirs)),
            Some(before) => combine(before, bytes::written(theirs)),
            None => {}
        }
        combine(acc, bytes::written(theirs));
    }
}

#[cfg(test)]
mod tests {
    use super::super::at_once::at_once;
    use super::super::threads;
    use super::*;
    use std::sync::Mutex;

    /// A combination by a function of numbers.
    fn by(op: impl Fn(u64, u64) -> u64) -> impl Fn(Dest, Source) {
        move |lower, upper| {
            assert!(lower.len() == upper.len() && lower.len().is_multiple_of(8), "as many numbers");
            let (to, from) = (lower.at().cast::<u64>(), upper.at().cast::<u64>());
            for k in 0..lower.len() / 8 {
                // SAFETY: `k` is below the numbers of both ranges, which the test keeps.
                unsafe { to.add(k).write_unaligned(op(to.add(k).read_unaligned(), from.add(k).read_unaligned())) }
            }
        }
    }

    /// An operation that is neither commutative nor associative: each pair of operands gives a different number.
    fn hash(a: u64, b: u64) -> u64 {
        a.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ b.wrapping_mul(0xd1b5_4a32_d192_ed03).rotate_left(11)
    }

    /// An operation on intervals of members, [first, end). Two intervals that are not adjacent give an invalid one.
    fn joined(a: u64, b: u64) -> u64 {
        let adjacent = a != 0 && b != 0 && a as u32 == (b >> 32) as u32;
        if adjacent { a >> 32 << 32 | u64::from(b as u32) } else { 0 }
    }

    #[test]
    fn all_members_get_everybody_in_order_and_identical_bits_within_the_bound() {
        for n in 1..=33usize {
            let results = Mutex::new(Vec::new());
            threads::run(n, |w| {
                let me = w.me() as u64;
                let mut words = [me << 32 | (me + 1); 3];
                at_once(|| allreduce(w, Dest::of_slice(&mut words), by(joined)));
                assert_eq!(words, [n as u64; 3], "{n} members, member {me}");
                let (messages, sent_bytes) = w.sent();
                let most = n.ilog2() as usize + usize::from(!n.is_power_of_two());
                assert!(messages <= most, "{n} members: {messages} messages");
                assert!(!n.is_power_of_two() || messages == most, "{n} members: {messages} messages");
                assert_eq!(sent_bytes, messages * size_of_val(&words));
                let mut bits = [me + 1, !me];
                at_once(|| allreduce(w, Dest::of_slice(&mut bits), by(hash)));
                results.lock().unwrap().push(bits);
            });
            let results = results.into_inner().unwrap();
            assert!(results.len() == n && results.iter().all(|r| *r == results[0]), "{n} members");
        }
    }

    #[test]
    fn prefixes_are_in_order_within_the_bound() {
        for n in 1..=17usize {
            threads::run(n, |w| {
                let me = w.me() as u64;
                let (mut acc, mut before) = ([me << 32 | (me + 1); 2], [u64::MAX; 2]);
                let lower_first = |upper: Dest, lower: Source| by(|a, b| joined(b, a))(upper, lower);
                at_once(|| scan(w, Dest::of_slice(&mut acc), Some(Dest::of_slice(&mut before)), lower_first));
                assert_eq!((acc, before), ([me + 1; 2], [if me == 0 { u64::MAX } else { me }; 2]), "{n} members");
                assert!(w.sent().0 <= n.next_power_of_two().ilog2() as usize && w.counts().fan_in <= 1);
            });
        }
    }
}
