//! The symmetric allocator: best fit, deterministic, with its records outside the heap.
//!
//! Every PE runs the same calls in the same order, and nothing here depends on addresses, time or chance. So every PE
//! gets the same offsets. All sizes and offsets are bytes.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes: the alignment of every block, at which any C object may lie. Blocks below [`LINE`] are multiples of it.
const SMALL: usize = 16;
/// Bytes of a cache line. Blocks that are allocated with at least this size start at a line and fill whole lines, so
/// that no other block shares them. Smaller blocks may share a line, which saves memory; so may one that has grown in
/// place.
const LINE: usize = 64;
/// Bytes: the largest alignment of a block; requests above it are refused. Heaps start at a multiple of it on every PE,
/// unless MPI has allocated them.
pub(crate) const MAX_ALIGN: usize = 1 << 30;

/// What `shmem_realloc` has to do with the bytes of the block.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Resized {
    /// The block stays where it is.
    InPlace,
    /// There is a new block at `to`. The caller copies `bytes` bytes and then frees the old block.
    Moved { to: usize, bytes: usize },
}

/// The symmetric heap `[0, len)`: a part for everything, and behind it a part for words whose AMOs an adapter carries
/// out. The second part is empty at first, and takes what it needs from the end of the first one.
#[derive(Debug)]
pub(crate) struct Heap {
    common: Part,
    words: Part,
}

/// Bytes by which the part for words grows, at least. With fewer it grows more often. With more, a few words take more
/// of the heap.
const GROWTH: usize = 64 << 10;

impl Heap {
    pub(crate) fn new(len: usize) -> Heap {
        Heap { common: Part::new(0, len), words: Part::new(len, len) }
    }

    /// Allocates a block of `size > 0` bytes whose offset is a multiple of `align` (a power of two). None if no free
    /// range has room for it.
    pub(crate) fn alloc(&mut self, size: usize, align: usize) -> Option<usize> {
        self.common.alloc(size, align)
    }

    /// [`Heap::alloc`] in the part for words, or in the other part if this one cannot grow.
    pub(crate) fn alloc_words(&mut self, size: usize, align: usize) -> Option<usize> {
        if let Some(at) = self.words.alloc(size, align) {
            return Some(at);
        }
        // The part may begin anywhere, and the block in whole lines. Both cost less than a line or the alignment.
        let more = size.checked_add(LINE)?.checked_add(align.max(LINE))?.checked_next_multiple_of(GROWTH)?;
        if self.common.give_end(more) {
            self.words.take_before(more);
            return self.words.alloc(size, align);
        }
        self.common.alloc(size, align)
    }

    pub(crate) fn words_begin(&self) -> usize {
        self.words.begin
    }

    fn part(&self, at: usize) -> &Part {
        if at < self.words.begin { &self.common } else { &self.words }
    }

    fn part_mut(&mut self, at: usize) -> &mut Part {
        if at < self.words.begin { &mut self.common } else { &mut self.words }
    }

    /// Frees the block at `at`; false when there is none. What is then free at the border goes back to the common part.
    pub(crate) fn free(&mut self, at: usize) -> bool {
        let freed = self.part_mut(at).free(at);
        let spare = self.words.give_begin();
        self.common.take_behind(spare);
        freed
    }

    /// Resizes the block at `at` to `size > 0` bytes. None if that is not possible; nothing has changed then.
    pub(crate) fn resize(&mut self, at: usize, size: usize) -> Option<Resized> {
        let (bytes, is_word) = (self.block(at)?, at >= self.words.begin);
        self.part_mut(at).resize(at, size).or_else(|| {
            let to = is_word.then(|| self.alloc_words(size, SMALL))??;
            Some(Resized::Moved { to, bytes })
        })
    }

    /// The length of the block at `at`, which is at least the size that was requested.
    pub(crate) fn block(&self, at: usize) -> Option<usize> {
        self.part(at).live.get(&at).copied()
    }

    /// The offset of the block that holds the byte at `at`.
    pub(crate) fn block_around(&self, at: usize) -> Option<usize> {
        let (&begin, &len) = self.part(at).live.range(..=at).next_back()?;
        (at < begin + len).then_some(begin)
    }

    /// The free range that holds the byte at `at`: offset and length.
    pub(crate) fn free_around(&self, at: usize) -> Option<(usize, usize)> {
        let (&from, &len) = self.part(at).free.range(..=at).next_back()?;
        (at < from + len).then_some((from, len))
    }

    /// Bytes: all that are free, the largest free range, and the whole heap.
    pub(crate) fn room(&self) -> (usize, usize, usize) {
        let largest = |part: &Part| part.by_len.last().map_or(0, |&(len, _)| len);
        (self.words.end - self.in_use().1, largest(&self.common).max(largest(&self.words)), self.words.end)
    }

    /// The number of allocated blocks, and their bytes.
    pub(crate) fn in_use(&self) -> (usize, usize) {
        let blocks = [&self.common, &self.words].map(|part| part.live.values());
        blocks.into_iter().flatten().fold((0, 0), |(n, sum), len| (n + 1, sum + len))
    }
}

/// The blocks and free ranges of the part `[begin, end)` of a heap.
#[derive(Debug)]
struct Part {
    begin: usize,
    end: usize,
    /// Free ranges: offset to length. No two of them touch.
    free: BTreeMap<usize, usize>,
    /// Free ranges as (length, offset), to find the best fit.
    by_len: BTreeSet<(usize, usize)>,
    /// Allocated blocks: offset to length.
    live: BTreeMap<usize, usize>,
}

impl Part {
    fn new(begin: usize, end: usize) -> Part {
        let mut part = Part { begin, end, free: BTreeMap::new(), by_len: BTreeSet::new(), live: BTreeMap::new() };
        part.insert_free(begin, end - begin);
        part
    }

    /// Gives the last `len` bytes away, if they are free.
    fn give_end(&mut self, len: usize) -> bool {
        let Some((&from, &room)) = self.free.last_key_value().filter(|&(&from, &room)| from + room == self.end) else {
            return false;
        };
        if room < len {
            return false;
        }
        self.remove_free(from, room);
        self.insert_free(from, room - len);
        self.end -= len;
        true
    }

    /// Gives all free bytes at the begin away: their number.
    fn give_begin(&mut self) -> usize {
        let len = self.free.get(&self.begin).copied().unwrap_or(0);
        self.remove_free(self.begin, len);
        self.begin += len;
        len
    }

    /// Takes the `len` bytes behind the part.
    fn take_behind(&mut self, len: usize) {
        let last = self.free.last_key_value().filter(|&(&from, &room)| from + room == self.end);
        let (from, room) = last.map_or((self.end, 0), |(&from, &room)| (from, room));
        self.remove_free(from, room);
        self.end += len;
        self.insert_free(from, room + len);
    }

    /// Takes the `len` bytes before the part.
    fn take_before(&mut self, len: usize) {
        let after = self.free.get(&self.begin).copied().unwrap_or(0);
        self.remove_free(self.begin, after);
        self.begin -= len;
        self.insert_free(self.begin, len + after);
    }

    /// Allocates a block of `size > 0` bytes whose offset is a multiple of `align` (a power of two). None if no free
    /// range has room for it.
    fn alloc(&mut self, size: usize, align: usize) -> Option<usize> {
        let grain = if size >= LINE { LINE } else { SMALL };
        let size = size.checked_next_multiple_of(grain)?;
        let align = align.max(grain);
        if align > MAX_ALIGN {
            return None;
        }
        let (from, len, at) = self.by_len.range((size, 0)..).find_map(|&(len, from)| {
            let at = from.checked_next_multiple_of(align)?;
            (at + size <= from + len).then_some((from, len, at))
        })?;
        self.remove_free(from, len);
        if at > from {
            self.insert_free(from, at - from);
        }
        if at + size < from + len {
            self.insert_free(at + size, from + len - at - size);
        }
        self.live.insert(at, size);
        Some(at)
    }

    /// Frees the block at `at`; false when there is none.
    fn free(&mut self, at: usize) -> bool {
        let Some(mut len) = self.live.remove(&at) else {
            return false;
        };
        let mut from = at;
        if let Some(after) = self.free.get(&(at + len)).copied() {
            self.remove_free(at + len, after);
            len += after;
        }
        if let Some((&before, &before_len)) = self.free.range(..at).next_back()
            && before + before_len == at
        {
            self.remove_free(before, before_len);
            from = before;
            len += before_len;
        }
        self.insert_free(from, len);
        true
    }

    /// Resizes the block at `at` to `size > 0` bytes. None if that is not possible; nothing has changed then.
    fn resize(&mut self, at: usize, size: usize) -> Option<Resized> {
        let old = *self.live.get(&at)?;
        let want = size.checked_next_multiple_of(if size >= LINE { LINE } else { SMALL })?;
        let after = self.free.get(&(at + old)).copied().unwrap_or(0);
        if want <= old + after {
            if after > 0 {
                self.remove_free(at + old, after);
            }
            if old + after > want {
                self.insert_free(at + want, old + after - want);
            }
            self.live.insert(at, want);
            return Some(Resized::InPlace);
        }
        let to = self.alloc(size, SMALL)?;
        Some(Resized::Moved { to, bytes: old })
    }

    fn insert_free(&mut self, from: usize, len: usize) {
        debug_assert!(self.begin <= from && from + len <= self.end);
        if len == 0 {
            return;
        }
        self.free.insert(from, len);
        self.by_len.insert((len, from));
    }

    fn remove_free(&mut self, from: usize, len: usize) {
        self.free.remove(&from);
        self.by_len.remove(&(len, from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Free ranges and blocks cover the heap without gaps or overlaps, both indexes of the free ranges agree, and no
    /// two free ranges touch.
    fn check(heap: &Heap) {
        assert_eq!((heap.common.begin, heap.common.end), (0, heap.words.begin));
        [&heap.common, &heap.words].into_iter().for_each(check_part);
    }

    fn check_part(heap: &Part) {
        let mut ranges: Vec<(usize, usize, bool)> = heap.free.iter().map(|(&o, &l)| (o, l, true)).collect();
        ranges.extend(heap.live.iter().map(|(&o, &l)| (o, l, false)));
        ranges.sort_unstable();
        let mut at = heap.begin;
        let mut last_free = false;
        for (from, len, free) in ranges {
            assert_eq!(from, at);
            assert!(len > 0);
            assert!(!(free && last_free), "two free neighbours at {from}");
            at += len;
            last_free = free;
        }
        assert_eq!(at, heap.end);
        let by_len: BTreeSet<_> = heap.free.iter().map(|(&o, &l)| (l, o)).collect();
        assert_eq!(by_len, heap.by_len);
    }

    #[test]
    fn large_alignments_are_kept_and_waste_nothing() {
        let mut heap = Heap::new(8 << 20);
        let small = heap.alloc(100, 16).unwrap();
        let big = heap.alloc(1 << 20, 2 << 20).unwrap();
        assert_eq!((small, big), (0, 2 << 20));
        // The gap before the aligned block is free for other blocks.
        assert!(heap.alloc((2 << 20) - 128, 16).unwrap() < big);
        assert_eq!(heap.room(), (5 << 20, 5 << 20, 8 << 20));
        check(&heap);
    }

    #[test]
    fn a_block_grows_into_its_free_neighbour() {
        let mut heap = Heap::new(4096);
        let a = heap.alloc(64, 16).unwrap();
        let b = heap.alloc(64, 16).unwrap();
        heap.free(b);
        assert_eq!(heap.resize(a, 4096), Some(Resized::InPlace));
        assert_eq!(heap.resize(a, 64), Some(Resized::InPlace));
        let c = heap.alloc(64, 16).unwrap();
        assert_eq!(c, 64);
        assert_eq!(heap.resize(a, 128), Some(Resized::Moved { to: 128, bytes: 64 }));
        assert_eq!(heap.resize(a, 1 << 20), None);
        assert_eq!(heap.block(a), Some(64));
        check(&heap);
    }

    #[test]
    fn the_part_for_words_grows_from_the_end() {
        let mut heap = Heap::new(4 * GROWTH);
        assert_eq!(heap.words_begin(), 4 * GROWTH);
        let word = heap.alloc_words(8, 16).unwrap();
        assert_eq!((word, heap.words_begin()), (3 * GROWTH, 3 * GROWTH));
        let block = heap.alloc(GROWTH, 16).unwrap();
        assert_eq!(block, 0);
        let more = heap.alloc_words(GROWTH + 1, 16).unwrap();
        assert_eq!((more, heap.words_begin()), (GROWTH, GROWTH), "two more for the length and the alignment");
        check(&heap);
        // Nothing is left at the end of the common part.
        assert_eq!(heap.alloc_words(GROWTH, 16), None);
        assert_eq!(heap.resize(word, GROWTH + 1), None);
        assert!(heap.free(block));
        assert_eq!(heap.alloc_words(GROWTH, 16), Some(0), "where words cannot grow");
        assert!(heap.free(0));
        assert_eq!(heap.resize(word, 128), Some(Resized::InPlace));
        assert!(heap.free(word));
        assert_eq!(heap.words_begin(), GROWTH, "a block of words is at the border");
        assert!(heap.free(more) && !heap.free(more));
        assert_eq!((heap.in_use(), heap.room()), ((0, 0), (4 * GROWTH, 4 * GROWTH, 4 * GROWTH)));
        check(&heap);
    }

    /// The part for words may begin between two lines.
    #[test]
    fn the_part_for_words_grows_by_enough() {
        let mut heap = Heap::new(8 * GROWTH);
        let (first, second) = (heap.alloc_words(16, 16).unwrap(), heap.alloc_words(16, 16).unwrap());
        assert!(heap.free(first));
        assert_eq!(heap.words_begin(), second);
        let block = heap.alloc_words(GROWTH - 16, 16).unwrap();
        assert!(block >= heap.words_begin() && heap.block(block) == Some(GROWTH));
        check(&heap);
    }

    const SIZE: usize = 256 << 10;

    #[derive(Clone, Debug)]
    enum Op {
        Alloc(usize, u32),
        Words(usize, u32),
        Free(usize),
        Resize(usize, usize),
    }

    fn ops() -> impl Strategy<Value = Vec<Op>> {
        let op = prop_oneof![
            3 => (1usize..5000, 0u32..13).prop_map(|(n, a)| Op::Alloc(n, a)),
            1 => (1usize..90_000, 0u32..13).prop_map(|(n, a)| Op::Words(n, a)),
            2 => (0usize..64).prop_map(Op::Free),
            1 => (0usize..64, 1usize..5000).prop_map(|(i, n)| Op::Resize(i, n)),
        ];
        prop::collection::vec(op, 1..200)
    }

    proptest! {
        /// Any sequence of calls keeps what `check` asserts and honours alignments. Two PEs get equal offsets.
        #[test]
        #[cfg_attr(miri, ignore)] // takes minutes
        fn any_sequence(ops in ops()) {
            let (mut heap, mut twin) = (Heap::new(SIZE), Heap::new(SIZE));
            let mut blocks: Vec<usize> = Vec::new();
            for op in ops {
                match op {
                    Op::Alloc(size, align) | Op::Words(size, align) => {
                        let way = if matches!(op, Op::Alloc(..)) { Heap::alloc } else { Heap::alloc_words };
                        let before = heap.words_begin();
                        let got = way(&mut heap, size, 1 << align);
                        prop_assert_eq!(got, way(&mut twin, size, 1 << align));
                        prop_assert!(heap.words_begin() == before || got.is_some_and(|at| at >= heap.words_begin()));
                        if let Some(at) = got {
                            prop_assert_eq!(at % (1 << align).max(SMALL), 0);
                            prop_assert!(heap.block(at).unwrap() >= size);
                            blocks.push(at);
                        }
                    }
                    Op::Free(i) if !blocks.is_empty() => {
                        let at = blocks.swap_remove(i % blocks.len());
                        prop_assert!(heap.free(at) && twin.free(at));
                    }
                    Op::Resize(i, size) if !blocks.is_empty() => {
                        let i = i % blocks.len();
                        let got = heap.resize(blocks[i], size);
                        prop_assert_eq!(&got, &twin.resize(blocks[i], size));
                        if let Some(Resized::Moved { to, bytes }) = got {
                            prop_assert!(bytes < size);
                            prop_assert!(heap.free(blocks[i]) && twin.free(blocks[i]));
                            blocks[i] = to;
                        }
                    }
                    _ => {}
                }
                check(&heap);
            }
            for at in blocks {
                prop_assert!(heap.free(at));
            }
            prop_assert_eq!(heap.in_use(), (0, 0));
            prop_assert_eq!(heap.alloc(SIZE, 16), Some(0));
        }
    }
}
