//! Lines of short collectives that are started: each is one round, in which a member writes a line of its own, and
//! reads those of the others. Collectives of a group have numbers from 1 on, in the order in which all members start
//! them. A member starts one when the [`ShortWords::UNDER_WAY`] before it has ended there.
//!
//! So a member that has started a collective has ended all those that are as far before it, and reads their lines no
//! more. A line is written again twice as far later, when all other members have started the one in between, or a later
//! one. That is known without looking if a round in between was one in which all wait for all.

use super::atomics::{Ordering, Word};

/// The words of one collective of a group, all 0 at first.
pub(crate) trait ShortWords {
    type Word: Word;

    /// The most collectives of a group that are under way at a time.
    const UNDER_WAY: u64;

    /// The first word of the line that `member` writes for the collective: one of 2 [`ShortWords::UNDER_WAY`] lines.
    fn line(&self, member: usize) -> &Self::Word;

    /// Whether `member` has arrived at the collective of the group with this number, short or not, or at a later one
    /// that has the same line. What the member read before it arrived it has read.
    fn has_started(&self, member: usize, number: u64) -> bool;
}

/// Whether member `me` of `n` may write its line for the collective, which has this number: nobody reads what it wrote
/// there before. `seen`: a number up to which all others are known to have started.
///
/// Bound: nothing of another member is read if `seen` is late enough, else one line of each.
pub(crate) fn is_free<W: ShortWords>(words: &W, me: usize, n: usize, number: u64, seen: u64) -> bool {
    let between = number.saturating_sub(W::UNDER_WAY);
    seen >= between || between <= W::UNDER_WAY || (0..n).filter(|&i| i != me).all(|i| words.has_started(i, between))
}

/// Member `me` has written the rest of its line.
#[inline]
pub(crate) fn arrive<W: ShortWords>(words: &W, me: usize, word: u64) {
    words.line(me).store(word, Ordering::Release); // SYNC short: pairs with came
}

/// What `member` wrote last into its line.
#[inline]
pub(crate) fn came<W: ShortWords>(words: &W, member: usize) -> u64 {
    words.line(member).load(Ordering::Acquire) // SYNC short: pairs with arrive
}

#[cfg(all(test, loom))]
mod model {
    use super::super::atomics::AtomicU64;
    use super::super::model::check;
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use std::array::from_fn;

    /// Lines of two members of whose collectives one is under way at a time, with a datum beside each line.
    struct Two {
        lines: [[AtomicU64; 2]; 2],
        data: [[UnsafeCell<u64>; 2]; 2],
    }

    /// One of the collectives.
    struct Of<'a>(&'a Two, u64);

    impl ShortWords for Of<'_> {
        type Word = AtomicU64;
        const UNDER_WAY: u64 = 1;
        fn line(&self, member: usize) -> &AtomicU64 {
            &self.0.lines[member][(self.1 % 2) as usize]
        }
        fn has_started(&self, member: usize, number: u64) -> bool {
            came(&Of(self.0, number), member) >= number
        }
    }

    impl Two {
        /// A collective, in which `me` reads the other's datum if `reads`. Gives a number up to which the other is
        /// known to have started.
        fn play(&self, me: usize, number: u64, seen: u64, reads: bool) -> u64 {
            let (other, words) = (1 - me, Of(self, number));
            while !is_free(&words, me, 2, number, seen) {
                loom::thread::yield_now();
            }
            // SAFETY: nobody reads the datum of this line any more. Loom reports a race if somebody does.
            self.data[me][(number % 2) as usize].with_mut(|p| unsafe { *p = 10 * number + me as u64 });
            arrive(&words, me, number);
            if !reads {
                return seen;
            }
            while came(&words, other) < number {
                loom::thread::yield_now();
            }
            // SAFETY: the other member has written the datum, and writes it again when this one is known to have ended
            // this collective. Loom reports a race if that is not so.
            let datum = self.data[other][(number % 2) as usize].with(|p| unsafe { *p });
            assert_eq!(datum, 10 * number + other as u64);
            number
        }
    }

    /// What is written in a line is read by the other member before the line is written again: where both wait for each
    /// other, where only one waits, as in a broadcast, and where they do so in turn.
    #[test]
    fn loom_short_lines_are_read_before_they_are_written_again() {
        for readers in [[0b1111, 0b1111], [0b0000, 0b1111], [0b0101, 0b1010], [0b1100, 0b1110]] {
            check(3, move || {
                let shared = Arc::new(Two {
                    lines: from_fn(|_| from_fn(|_| AtomicU64::new(0))),
                    data: from_fn(|_| from_fn(|_| UnsafeCell::new(0))),
                });
                let body = move |shared: Arc<Two>, me: usize| {
                    let mut seen = 0;
                    for number in 1..=4 {
                        seen = shared.play(me, number, seen, readers[me] >> (number - 1) & 1 != 0);
                    }
                };
                let theirs = shared.clone();
                let other = loom::thread::spawn(move || body(theirs, 1));
                body(shared, 0);
                other.join().unwrap();
            });
        }
    }
}
