//! Shared memory for the algorithms: words of 8 bytes that other processes may change. Nothing can be borrowed from it.

use super::sync::Ordering;

/// Consecutive words of 8 bytes. Every access is checked, and an index beyond the end gives `None`. So offsets read
/// from shared memory need not be trusted.
pub(crate) trait Words {
    /// Number of words that can be reached.
    fn len(&self) -> usize;

    /// The word at `at`, or `None` beyond the end.
    fn get(&self, at: usize, order: Ordering) -> Option<u64>;

    /// `N` words from `at` on.
    #[inline(always)]
    fn some<const N: usize>(&self, at: usize, order: Ordering) -> Option<[u64; N]> {
        let mut words = [0; N];
        for (i, word) in words.iter_mut().enumerate() {
            *word = self.get(at + i, order)?;
        }
        Some(words)
    }

    /// Whether the words from `at` on hold `bytes`, padded with zeros.
    #[inline(always)]
    fn equals(&self, at: usize, bytes: &[u8]) -> bool {
        // Relaxed: what is compared was written before the link to it was published, and the link was read with
        // acquire.
        (0..words_for(bytes.len())).all(|i| self.get(at + i, Ordering::Relaxed) == Some(word_of(bytes, i)))
    }

    /// Copies from word `at` on into `out`. False: the words end before `out` is full.
    #[inline(always)]
    fn read(&self, at: usize, out: &mut [u8]) -> bool {
        for (i, part) in out.chunks_mut(8).enumerate() {
            // Relaxed: as in `equals`.
            let Some(word) = self.get(at + i, Ordering::Relaxed) else { return false };
            part.copy_from_slice(&word.to_ne_bytes()[..part.len()]);
        }
        true
    }

    /// Prefetches the word at `at`, if there is one.
    fn expect(&self, at: usize) {
        let _ = at;
    }

    /// Replaces the word at `at`; false beyond the end. Only the writer calls this.
    fn set(&self, at: usize, word: u64, order: Ordering) -> bool;
}

/// Words that `bytes` bytes take.
pub(crate) const fn words_for(bytes: usize) -> usize {
    bytes.div_ceil(8)
}

/// The `i`-th word of `bytes`, the missing end filled with zeros.
pub(crate) fn word_of(bytes: &[u8], i: usize) -> u64 {
    let rest = &bytes[i * 8..];
    match rest.first_chunk::<8>() {
        Some(whole) => u64::from_ne_bytes(*whole),
        None => {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            u64::from_ne_bytes(word)
        }
    }
}

/// The two words of a key of 9 to 16 bytes.
#[inline(always)]
pub(crate) fn two(bytes: &[u8]) -> Option<[u64; 2]> {
    if bytes.len() <= 8 || bytes.len() > 16 {
        return None;
    }
    let (first, last) = (bytes.first_chunk::<8>()?, bytes.last_chunk::<8>()?);
    // The last eight bytes, without those that are in the first word.
    let rest = u64::from_le_bytes(*last) >> (8 * (16 - bytes.len()));
    Some([u64::from_ne_bytes(*first), rest.to_le()])
}

/// Writes `bytes` from word `at` on, padded with zeros. False: they do not fit.
pub(crate) fn write(words: &impl Words, at: usize, bytes: &[u8]) -> bool {
    // Relaxed: the link that makes these words reachable is stored with release.
    (0..words_for(bytes.len())).all(|i| words.set(at + i, word_of(bytes, i), Ordering::Relaxed))
}

#[cfg(test)]
pub(crate) mod fake {
    //! Words in ordinary memory, for the model and for unit tests.

    use super::{Ordering, Words};
    #[cfg(loom)]
    use loom::sync::atomic::AtomicU64;
    #[cfg(not(loom))]
    use std::sync::atomic::AtomicU64;

    pub(crate) struct Cells(pub(crate) Vec<AtomicU64>);

    impl Cells {
        pub(crate) fn zeros(n: usize) -> Cells {
            Cells((0..n).map(|_| AtomicU64::new(0)).collect())
        }
    }

    impl Words for Cells {
        fn len(&self) -> usize {
            self.0.len()
        }

        fn get(&self, at: usize, order: Ordering) -> Option<u64> {
            self.0.get(at).map(|cell| cell.load(order))
        }

        fn set(&self, at: usize, word: u64, order: Ordering) -> bool {
            self.0.get(at).map(|cell| cell.store(word, order)).is_some()
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::fake::Cells;
    use super::*;

    #[test]
    fn bytes_come_back_and_compare() {
        for len in 0..40 {
            let bytes: Vec<u8> = (1..=len).collect();
            let words = Cells::zeros(8);
            assert!(write(&words, 2, &bytes));
            assert!(words.equals(2, &bytes));
            let mut back = vec![0; bytes.len()];
            assert!(words.read(2, &mut back));
            assert_eq!(back, bytes);
            if let Some(last) = bytes.len().checked_sub(1) {
                let mut other = bytes.clone();
                other[last] ^= 0x80;
                assert!(!words.equals(2, &other));
            }
        }
    }

    #[test]
    fn two_words_are_the_words() {
        for len in 0..20 {
            let bytes: Vec<u8> = (1..=len).collect();
            let expected = (len > 8 && len <= 16).then(|| [word_of(&bytes, 0), word_of(&bytes, 1)]);
            assert_eq!(two(&bytes), expected, "{len}");
        }
    }

    #[test]
    fn beyond_the_end_is_nothing() {
        let words = Cells::zeros(2);
        assert!(!write(&words, 1, &[1; 9]));
        assert!(!words.equals(2, &[0]));
        assert!(!words.read(1, &mut [0; 9]));
        assert!(words.equals(9, &[]), "no bytes are everywhere");
    }
}
