//! A line of the Table: ten slots in one cache line. A look-up reads one line and, nearly always, one entry.
//!
//! ```text
//! word 0   tags of slots 0..4         16 bits of each key's hash
//! word 1   tags of slots 4..8
//! word 2   tags of slots 8..10 | head of the chain (upper half): entries for which the line has no slot
//! word 3.. offsets of the slots' entries, two in a word
//! ```
//! A tag tells which slot may hold the key, so entries of other keys are not touched. Among thousands of look-ups one
//! finds a tag that is equal by chance, which costs one more look. Tag and offset are read one after the other and may
//! belong to different entries; that does no harm, because the entry's key is compared.

use super::layout::{LINE, SLOTS};
use super::sync::Ordering;
use super::words::Words;

/// Words that hold tags and the chain's head.
pub(crate) const TAGS: usize = 3;

/// Where the line of a hash begins, in words after the header. `buckets` is a power of two and at least a line. For any
/// other number the result is a line in which the key is not found.
#[inline(always)]
pub(crate) fn start(hash: u64, buckets: usize) -> usize {
    hash as usize & buckets.wrapping_sub(1) & !(LINE - 1)
}

/// The bits of a hash that a slot keeps. None of them chooses the line.
pub(crate) fn tag(hash: u64) -> u16 {
    (hash >> 48) as u16
}

/// The slots whose tag is `tag`.
#[inline(always)]
pub(crate) fn matching(tags: &[u64; TAGS], tag: u16) -> Slots {
    #[cfg(target_arch = "x86_64")]
    let equal = {
        use std::arch::x86_64::{
            _mm_cmpeq_epi16, _mm_cvtsi64_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_set_epi64x, _mm_set1_epi16,
        };
        // A lane of 16 bits becomes a byte, and its highest bit one of the mask.
        // SAFETY: SSE2, which every x86-64 processor has; registers only.
        unsafe {
            let all = _mm_set1_epi16(tag as i16);
            let low = _mm_cmpeq_epi16(_mm_set_epi64x(tags[1] as i64, tags[0] as i64), all);
            let high = _mm_cmpeq_epi16(_mm_cvtsi64_si128(tags[2] as i64), all);
            _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32
        }
    };
    #[cfg(not(target_arch = "x86_64"))]
    let equal = one_by_one(tags, tag);
    // Behind the last slot comes the chain's head.
    Slots(equal & ((1 << SLOTS) - 1))
}

/// Compares one slot after the other: bit i for slot i.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn one_by_one(tags: &[u64; TAGS], tag: u16) -> u32 {
    (0..SLOTS).fold(0, |all, slot| all | u32::from((tags[slot / 4] >> (slot % 4 * 16)) as u16 == tag) << slot)
}

/// Some slots of a line, in order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots(u32);

impl Iterator for Slots {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let slot = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(slot)
    }
}

/// Head of the chain, out of the tag words.
pub(crate) fn chain(tags: &[u64; TAGS]) -> usize {
    (tags[2] >> 32) as usize
}

/// The offset in a slot of the line at `line`. `None`: beyond the words.
#[inline(always)]
pub(crate) fn get(table: &impl Words, line: usize, slot: usize, order: Ordering) -> Option<usize> {
    let word = table.get(line + TAGS + slot / 2, order)?;
    Some((word >> (slot % 2 * 32)) as u32 as usize)
}

/// Puts an offset into a slot; false beyond the words. This function and those below are the writer's.
pub(crate) fn set(table: &impl Words, line: usize, slot: usize, at: u32) -> bool {
    let word = line + TAGS + slot / 2;
    // Relaxed: the only writer reads what it wrote itself.
    let Some(old) = table.get(word, Ordering::Relaxed) else { return false };
    table.set(word, part(old, slot % 2 * 32, 32, u64::from(at)), Ordering::Release) // SYNC kvs-link
}

/// Puts an entry's offset and tag into the first free slot. `None`: no slot is free. False: beyond the words.
pub(crate) fn add(table: &impl Words, line: usize, tag: u16, at: u32) -> Option<bool> {
    let free = (0..SLOTS).find(|slot| get(table, line, *slot, Ordering::Relaxed).is_none_or(|at| at == 0))?;
    let word = line + free / 4;
    let Some(old) = table.get(word, Ordering::Relaxed) else { return Some(false) };
    let tags = part(old, free % 4 * 16, 16, u64::from(tag));
    Some(set(table, line, free, at) && table.set(word, tags, Ordering::Release)) // SYNC kvs-link
}

/// Makes `at` the first entry of the chain.
pub(crate) fn set_chain(table: &impl Words, line: usize, at: u32) -> bool {
    let Some(old) = table.get(line + TAGS - 1, Ordering::Relaxed) else { return false };
    table.set(line + TAGS - 1, part(old, 32, 32, u64::from(at)), Ordering::Release) // SYNC kvs-link
}

/// `word` with `bits` bits, from bit `low` on, replaced by `by`.
fn part(word: u64, low: usize, bits: usize, by: u64) -> u64 {
    let mask = ((1 << bits) - 1) << low;
    word & !mask | by << low
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::words::fake::Cells;
    use super::*;

    fn tags(line: &Cells) -> [u64; TAGS] {
        line.some(0, Ordering::Relaxed).unwrap()
    }

    #[test]
    fn a_line_holds_ten_and_a_chain() {
        let line = Cells::zeros(LINE);
        for i in 0..SLOTS as u32 {
            assert_eq!(add(&line, 0, 100 + i as u16, 1000 + i), Some(true));
        }
        assert_eq!(add(&line, 0, 1, 1), None);
        assert!(set_chain(&line, 0, u32::MAX));
        for slot in 0..SLOTS {
            assert_eq!(get(&line, 0, slot, Ordering::Relaxed), Some(1000 + slot));
            assert_eq!(matching(&tags(&line), 100 + slot as u16).next(), Some(slot));
        }
        assert_eq!(chain(&tags(&line)), u32::MAX as usize);
        assert!(set(&line, 0, 3, 77));
        assert_eq!((get(&line, 0, 3, Ordering::Relaxed), get(&line, 0, 2, Ordering::Relaxed)), (Some(77), Some(1002)));
        assert_eq!(matching(&tags(&line), 103).next(), Some(3));
        assert_eq!(matching(&tags(&line), u16::MAX).next(), None, "the chain's head is no tag");
    }

    #[test]
    fn slots_of_equal_tags_and_no_others() {
        for tag in [0, 1, 0x7fff, 0x8000, 0xffff] {
            for set in 0..1_u32 << SLOTS {
                let line = Cells::zeros(LINE);
                for slot in 0..SLOTS as u32 {
                    let other = tag ^ 1;
                    add(&line, 0, if set >> slot & 1 == 1 { tag } else { other }, 1 + slot);
                }
                set_chain(&line, 0, u32::from(tag) * 0x0001_0001);
                let found = matching(&tags(&line), tag).fold(0, |all, slot| all | 1_u32 << slot);
                assert_eq!(found, set, "tag {tag:#x}");
                assert_eq!(one_by_one(&tags(&line), tag), set, "tag {tag:#x}");
            }
        }
    }

    #[test]
    fn lines_are_whole() {
        for hash in [0, 7, 8, 0xffff_ffff_ffff_ffff] {
            assert_eq!(start(hash, LINE), 0);
            assert_eq!(start(hash, 1024) % LINE, 0);
        }
        assert_eq!(start(u64::MAX, 1024), 1024 - LINE);
    }

    #[test]
    fn beyond_the_end_is_nothing() {
        let line = Cells::zeros(2);
        assert_eq!(get(&line, 0, 0, Ordering::Relaxed), None);
        assert_eq!(add(&line, 0, 1, 1), Some(false));
        assert!(!set(&line, 0, 9, 1) && !set_chain(&line, 0, 1));
    }
}
