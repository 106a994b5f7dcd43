//! Where the next call of an `any` routine (wait or test) starts, so that repeated calls return every word whose
//! comparison is true. It starts behind the word that was returned last, for each array and each thread. One call in
//! [`ANYWHERE`] starts at a random word. Otherwise a loop with two kinds of calls on one array (other lengths, masks or
//! values) could return the same words for ever.

use core::cell::RefCell;

/// Arrays that a thread remembers. With more arrays the others start at random words.
const ARRAYS: usize = 16;

/// One call in this many starts at a random word. With a lower number, words that are next in turn are returned later.
/// With a higher one, a cycle lasts longer.
const ANYWHERE: u64 = 8;

#[derive(Clone, Copy)]
struct Last {
    ivars: usize,
    next: usize,
}

struct Memory {
    last: [Last; ARRAYS],
    /// State of a random number generator. Calls on arrays that are not remembered start at a random word. So all words
    /// of two arrays that displace each other from this memory are returned in the long run.
    random: u64,
}

impl Memory {
    const EMPTY: Memory = Memory { last: [Last { ivars: 0, next: 0 }; ARRAYS], random: 0x9e37_79b9_7f4a_7c15 };

    /// The place at which an array is remembered. Neighbouring arrays have different places.
    fn place(ivars: usize) -> usize {
        (ivars >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - ARRAYS.trailing_zeros())
    }

    fn start(&mut self, ivars: usize, n: usize) -> Start {
        for (left, shift) in [(true, 13), (false, 7), (true, 17)] {
            self.random ^= if left { self.random << shift } else { self.random >> shift }; // xorshift64
        }
        let last = self.last[Memory::place(ivars)];
        let known = last.ivars == ivars;
        if known && !(self.random >> 32).is_multiple_of(ANYWHERE) {
            return Start { at: last.next % n, in_turn: true };
        }
        // A random start in a known array does not change its turn, so the other words wait for this one call only.
        Start { at: (self.random >> 8) as usize % n, in_turn: !known }
    }

    fn took(&mut self, ivars: usize, start: Start, i: usize) {
        if start.in_turn {
            self.last[Memory::place(ivars)] = Last { ivars, next: i + 1 };
        }
    }
}

/// Where a call starts.
#[derive(Clone, Copy)]
pub(super) struct Start {
    /// The first index that the call tests.
    pub(super) at: usize,
    /// The next call starts behind the word that this one returns.
    in_turn: bool,
}

thread_local! {
    static MEMORY: RefCell<Memory> = const { RefCell::new(Memory::EMPTY) };
}

/// Where a call on the `n` words (at least one) at `ivars` starts.
pub(super) fn start(ivars: usize, n: usize) -> Start {
    MEMORY.with_borrow_mut(|m| m.start(ivars, n))
}

/// Notes that the call that began at `start` returns index `i` of `ivars`.
pub(super) fn took(ivars: usize, start: Start, i: usize) {
    MEMORY.with_borrow_mut(|m| m.took(ivars, start, i));
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ops::Range;

    /// Makes the calls in turn. Each is an array, its length, and the range of words whose comparison is true. True if
    /// every such word was returned.
    fn given_of(calls: &[(usize, usize, Range<usize>)], rounds: usize) -> bool {
        let mut memory = Memory::EMPTY;
        let mut seen: Vec<Vec<bool>> = calls.iter().map(|&(_, n, _)| vec![false; n]).collect();
        for _ in 0..rounds {
            for ((at, n, hold), seen) in calls.iter().zip(&mut seen) {
                let start = memory.start(*at, *n);
                let i = (start.at..*n).chain(0..start.at).find(|i| hold.contains(i)).expect("one holds");
                memory.took(*at, start, i);
                seen[i] = true;
            }
        }
        calls.iter().zip(&seen).all(|((_, _, hold), seen)| seen[hold.clone()].iter().all(|&s| s))
    }

    /// As `given_of`, for calls in which all words hold.
    fn given(arrays: &[(usize, usize)], rounds: usize) -> bool {
        given_of(&arrays.iter().map(|&(at, n)| (at, n, 0..n)).collect::<Vec<_>>(), rounds)
    }

    /// All calls but those that start at a random word go round in order.
    #[test]
    fn all_get_their_turn_soon_in_one_array() {
        assert!(given(&[(0x1000, 100)], 100 + 100 / 4));
    }

    #[test]
    fn arrays_do_not_disturb_each_other() {
        assert!(given(&[(0x1000, 2), (0x2000, 3), (0x2008, 5)], 10));
    }

    /// Without starts at random words, two kinds of calls would send each other back to the same words for ever.
    #[test]
    fn one_array_asked_in_several_ways_gives_all() {
        assert!(given(&[(0x1000, 2), (0x1000, 10)], 600));
        for holds in [[0..5, 5..10], [9..10, 0..10], [0..10, 3..5], [0..1, 1..10]] {
            assert!(given_of(&holds.clone().map(|hold| (0x1000, 10, hold)), 1000), "{holds:?}");
        }
    }

    /// More arrays than a thread remembers.
    #[test]
    fn forgotten_arrays_get_their_turn_in_the_end() {
        for stride in [8, 0x50, 0x1000] {
            for arrays in [17, 40, 200] {
                let many: Vec<_> = (1..arrays).map(|i| (stride * i, 1 + i % 10)).collect();
                assert!(given(&many, 600), "{arrays} arrays, {stride} bytes apart");
            }
        }
    }
}
