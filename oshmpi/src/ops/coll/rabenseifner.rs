//! Rabenseifner's algorithm: a reduction of many bytes to all members of a group that sends messages (allreduce), as a
//! reduce-scatter by recursive halving and an allgather by recursive doubling.

use super::bytes;
use super::messages::{MemberMessages, Message};
use super::op::Operation;
use super::recursive_doubling::Rounds;
use crate::memory::local::{Dest, Source};

/// Combines all members' `source` into every member's `acc`, which may be `source`. Each element is combined in the
/// tree of `recursive_doubling::allreduce`, so results do not depend on the number of bytes.
///
/// With n = 2^k + extra members, the first `extra` pairs are folded first, as in recursive doubling. If there are none,
/// the first round sends from `source` and receives into `acc`, so `source` is not copied.
///
/// Bound: a member sends at most 2 floor(log2 n) + 1 messages, waits for one at a time, and needs memory for as many
/// bytes as `acc` has. If n is a power of two, it sends and receives less than twice the bytes of `acc`, else at most
/// three times, and one element more in each message.
pub(super) async fn allreduce(w: &impl MemberMessages, source: Source<'_>, acc: Dest<'_>, op: Operation) {
    let Some((rounds, mut aside, direct)) = Rounds::fold_of(w, source, acc, op).await else { return };
    let unit = op.unit;
    let (bits, aside) = (rounds.bits, aside.dest());
    let part = |(from, to): (usize, usize)| acc.part(from * unit, (to - from) * unit);
    let of_source = |(from, to): (usize, usize)| source.part(from * unit, (to - from) * unit);
    // The elements that the caller combines from round k on, and those that it gives to a partner in that round.
    let halves = |k: u32| {
        (0..=k).fold(((0, acc.len() / unit), (0, 0)), |((from, to), _), k| {
            let (lower, upper) = ((from, usize::midpoint(from, to)), (usize::midpoint(from, to), to));
            if rounds.number & 1 << k == 0 { (lower, upper) } else { (upper, lower) }
        })
    };
    for k in 0..bits {
        let (mine, given) = halves(k);
        let (keep, give) = (part(mine), part(given));
        if k == 0 && direct {
            rounds.first(w, of_source(given), keep, of_source(mine), op).await;
            continue;
        }
        let theirs = aside.part(0, keep.len());
        let partner = rounds.partner(1 << k);
        w.transfer([Message::Receive(partner, theirs), Message::Send(partner, bytes::written(give))]).await;
        let from = bytes::written(theirs);
        if rounds.number & 1 << k == 0 { op.after(keep, from) } else { op.before(keep, from) }
    }
    for k in (0..bits).rev() {
        let (mine, other) = halves(k);
        let partner = rounds.partner(1 << k);
        w.transfer([Message::Receive(partner, part(other)), Message::Send(partner, bytes::written(part(mine)))]).await;
    }
    rounds.unfold(w, acc).await;
}

#[cfg(test)]
mod tests {
    use super::super::at_once::at_once;
    use super::super::op::{self, Sum};
    use super::super::{recursive_doubling, threads};
    use super::*;

    /// Sums that depend on the order have the bits of recursive doubling.
    #[test]
    fn all_members_get_the_bits_of_recursive_doubling_within_the_bound() {
        for n in (1..=17usize).chain([31, 32, 33]) {
            for len in [0, 1, 2, 3, 7, 64, 1001] {
                for inside in [false, true] {
                    threads::run(n, |w| judge(w, len, inside));
                }
            }
        }
    }

    fn judge(w: &threads::Member<'_>, len: usize, inside: bool) {
        let n = w.size();
        let source: Vec<f64> = (0..len).map(|k| threads::element(w.me(), k)).collect();
        let (mut one, mut other) = (if inside { source.clone() } else { vec![f64::NAN; len] }, source.clone());
        at_once(|| recursive_doubling::allreduce(w, Dest::of_slice(&mut other), op::combine::<f64, Sum>));
        let (messages_before, bytes_before) = w.sent();
        let acc = Dest::of_slice(&mut one);
        let from = if inside { bytes::written(acc) } else { Source::of_slice(&source) };
        at_once(|| allreduce(w, from, acc, Operation::of::<f64, Sum>()));
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&one), bits(&other), "{n} members, {len} elements");
        assert!(
            source.iter().enumerate().all(|(k, &x)| x == threads::element(w.me(), k)),
            "the source has not changed"
        );
        let (messages, sent) = (w.sent().0 - messages_before, w.sent().1 - bytes_before);
        let folded = !n.is_power_of_two();
        assert!(messages <= 2 * n.ilog2() as usize + usize::from(folded), "{n} members: {messages}");
        let times = if folded { 3 } else { 2 };
        assert!(sent <= times * 8 * len + 8 * messages, "{n} members: {sent} bytes");
        assert!(w.counts().fan_in <= 1);
    }
}
