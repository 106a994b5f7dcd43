//! Where a call of an `any` routine (wait or test) starts: at a random word, so that repeated calls return every word
//! whose comparison is true. A turn per array would need memory for each, and calls of two kinds on one array could
//! send each other back to the same words for ever.

use core::cell::Cell;

thread_local! {
    /// The state of the generator (xorshift64).
    static RANDOM: Cell<u64> = const { Cell::new(0x9e37_79b9_7f4a_7c15) };
}

/// A word of `n`, at least one.
pub(super) fn start(n: usize) -> usize {
    let mut random = RANDOM.get();
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    RANDOM.set(random);
    (random >> 8) as usize % n
}

#[cfg(test)]
mod tests {
    use super::start;

    /// Words of which all hold, in several arrays asked in turn: each word is returned in ten times as many calls.
    #[test]
    fn all_words_get_their_turn() {
        for lens in [&[1, 100][..], &[2, 10], &[8, 64, 3]] {
            let mut left: Vec<Vec<usize>> = lens.iter().map(|&n| (0..n).collect()).collect();
            for _ in 0..10 * lens.iter().max().unwrap() {
                left.iter_mut().zip(lens).for_each(|(left, &n)| {
                    let given = start(n);
                    left.retain(|&word| word != given);
                });
            }
            assert!(left.iter().all(Vec::is_empty), "{left:?}");
        }
    }
}
