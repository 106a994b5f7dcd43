//! Where the next any call starts looking, so that repeated calls come to every word that holds: behind the one that
//! was found last, for each array and each thread.

use core::cell::RefCell;

/// Arrays that a thread remembers.
const ARRAYS: usize = 16;

#[derive(Clone, Copy)]
struct Last {
    ivars: usize,
    next: usize,
}

struct Memory {
    last: [Last; ARRAYS],
    /// State of a generator, for arrays that are not remembered: two that put each other out still start anywhere in
    /// the long run, whatever the pattern of calls.
    random: u64,
}

impl Memory {
    const EMPTY: Memory = Memory { last: [Last { ivars: 0, next: 0 }; ARRAYS], random: 0x9e37_79b9_7f4a_7c15 };

    /// Neighbouring arrays go to different places.
    fn place(ivars: usize) -> usize {
        (ivars >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - ARRAYS.trailing_zeros())
    }

    fn start(&mut self, ivars: usize, n: usize) -> usize {
        let last = self.last[Memory::place(ivars)];
        if last.ivars == ivars {
            return last.next % n;
        }
        for (left, shift) in [(true, 13), (false, 7), (true, 17)] {
            self.random ^= if left { self.random << shift } else { self.random >> shift }; // xorshift64
        }
        (self.random >> 8) as usize % n
    }

    fn took(&mut self, ivars: usize, i: usize) {
        self.last[Memory::place(ivars)] = Last { ivars, next: i + 1 };
    }
}

thread_local! {
    static MEMORY: RefCell<Memory> = const { RefCell::new(Memory::EMPTY) };
}

/// First index to look at among the `n` (not 0) at `ivars`.
pub(super) fn start(ivars: usize, n: usize) -> usize {
    MEMORY.with_borrow_mut(|m| m.start(ivars, n))
}

/// Index `i` at `ivars` was given to the program.
pub(super) fn took(ivars: usize, i: usize) {
    MEMORY.with_borrow_mut(|m| m.took(ivars, i));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls on arrays of which all words hold, none masked; each word of each array must be given.
    fn given(arrays: &[(usize, usize)], rounds: usize) -> bool {
        let mut memory = Memory::EMPTY;
        let mut seen: Vec<Vec<bool>> = arrays.iter().map(|&(_, n)| vec![false; n]).collect();
        for _ in 0..rounds {
            for (&(at, n), seen) in arrays.iter().zip(&mut seen) {
                let i = memory.start(at, n);
                memory.took(at, i);
                seen[i] = true;
            }
        }
        seen.iter().flatten().all(|&s| s)
    }

    #[test]
    fn all_get_their_turn_at_once_in_one_array() {
        assert!(given(&[(0x1000, 100)], 100));
    }

    #[test]
    fn arrays_do_not_disturb_each_other() {
        assert!(given(&[(0x1000, 2), (0x2000, 3), (0x2008, 5)], 5));
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
