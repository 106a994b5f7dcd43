//! The symmetric allocator: best fit, deterministic, with its records outside the heap.
//!
//! Every PE runs the same calls in the same order, and nothing here depends on addresses, time or chance. So every PE
//! gets the same offsets. All sizes and offsets are bytes.

use std::collections::{BTreeMap, BTreeSet};

/// Bytes: the alignment of every block, at which any C object may lie. Blocks below [`LINE`] are multiples of it.
const SMALL: usize = 16;
/// Bytes of a cache line. Blocks of at least this size start at a line and fill whole lines, so that no other block
/// shares them. Smaller blocks may share a line, which saves memory.
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

/// The blocks and free ranges of a heap `[0, len)`.
#[derive(Debug)]
pub(crate) struct Heap {
    len: usize,
    /// Free ranges: offset to length. No two of them touch.
    free: BTreeMap<usize, usize>,
    /// Free ranges as (length, offset), to find the best fit.
    by_len: BTreeSet<(usize, usize)>,
    /// Allocated blocks: offset to length.
    live: BTreeMap<usize, usize>,
}

impl Heap {
    pub(crate) fn new(len: usize) -> Heap {
        let mut heap = Heap { len, free: BTreeMap::new(), by_len: BTreeSet::new(), live: BTreeMap::new() };
        if len > 0 {
            heap.insert_free(0, len);
        }
        heap
    }

    /// Allocates a block of `size > 0` bytes whose offset is a multiple of `align` (a power of two). None if no free
    /// range has room for it.
    pub(crate) fn alloc(&mut self, size: usize, align: usize) -> Option<usize> {
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
    pub(crate) fn free(&mut self, at: usize) -> bool {
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
    pub(crate) fn resize(&mut self, at: usize, size: usize) -> Option<Resized> {
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

    /// The length of the block at `at`, which is at least the size that was requested.
    pub(crate) fn block(&self, at: usize) -> Option<usize> {
        self.live.get(&at).copied()
    }

    /// The offset of the block that holds the byte at `at`.
    pub(crate) fn block_around(&self, at: usize) -> Option<usize> {
        let (&begin, &len) = self.live.range(..=at).next_back()?;
        (at < begin + len).then_some(begin)
    }

    /// The free range that holds the byte at `at`: offset and length.
    pub(crate) fn free_around(&self, at: usize) -> Option<(usize, usize)> {
        let (&from, &len) = self.free.range(..=at).next_back()?;
        (at < from + len).then_some((from, len))
    }

    /// Bytes: all that are free, the largest free range, and the whole heap.
    pub(crate) fn room(&self) -> (usize, usize, usize) {
        let largest = self.by_len.last().map_or(0, |&(len, _)| len);
        (self.len - self.in_use().1, largest, self.len)
    }

    /// The number of allocated blocks, and their bytes.
    pub(crate) fn in_use(&self) -> (usize, usize) {
        (self.live.len(), self.live.values().sum())
    }

    fn insert_free(&mut self, from: usize, len: usize) {
        debug_assert!(from + len <= self.len);
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
        let mut ranges: Vec<(usize, usize, bool)> = heap.free.iter().map(|(&o, &l)| (o, l, true)).collect();
        ranges.extend(heap.live.iter().map(|(&o, &l)| (o, l, false)));
        ranges.sort_unstable();
        let mut at = 0;
        let mut last_free = false;
        for (from, len, free) in ranges {
            assert_eq!(from, at);
            assert!(len > 0);
            assert!(!(free && last_free), "two free neighbours at {from}");
            at += len;
            last_free = free;
        }
        assert_eq!(at, heap.len);
        let by_len: BTreeSet<_> = heap.free.iter().map(|(&o, &l)| (l, o)).collect();
        assert_eq!(by_len, heap.by_len);
    }

    #[test]
    fn the_whole_heap_can_be_allocated_again_and_again() {
        let mut heap = Heap::new(1 << 20);
        for _ in 0..3 {
            assert_eq!(heap.alloc(1 << 20, 16), Some(0));
            assert_eq!(heap.alloc(1, 16), None);
            assert!(heap.free(0));
            check(&heap);
        }
        assert_eq!(Heap::new(0).alloc(1, 16), None);
        assert_eq!(heap.alloc(usize::MAX, 16), None);
        assert_eq!(heap.alloc(usize::MAX - 63, 16), None);
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
    fn freeing_twice_or_inside_a_block_is_refused() {
        let mut heap = Heap::new(4096);
        let a = heap.alloc(256, 16).unwrap();
        assert!(!heap.free(a + 64));
        assert_eq!((heap.free_around(a), heap.free_around(256)), (None, Some((256, 3840))));
        assert!(heap.free(a));
        assert_eq!((heap.free_around(300), heap.free_around(4096)), (Some((0, 4096)), None));
        assert!(!heap.free(a));
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

    #[derive(Clone, Debug)]
    enum Op {
        Alloc(usize, u32),
        Free(usize),
        Resize(usize, usize),
    }

    fn ops() -> impl Strategy<Value = Vec<Op>> {
        let op = prop_oneof![
            3 => (1usize..5000, 0u32..13).prop_map(|(n, a)| Op::Alloc(n, a)),
            2 => (0usize..64).prop_map(Op::Free),
            1 => (0usize..64, 1usize..5000).prop_map(|(i, n)| Op::Resize(i, n)),
        ];
        prop::collection::vec(op, 1..200)
    }

    proptest! {
        /// Any sequence of calls keeps what `check` asserts and honours alignments. Two PEs get equal offsets.
        #[test]
        fn any_sequence(ops in ops()) {
            let (mut heap, mut twin) = (Heap::new(64 << 10), Heap::new(64 << 10));
            let mut blocks: Vec<usize> = Vec::new();
            for op in ops {
                match op {
                    Op::Alloc(size, align) => {
                        let got = heap.alloc(size, 1 << align);
                        prop_assert_eq!(got, twin.alloc(size, 1 << align));
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
            prop_assert_eq!(heap.alloc(64 << 10, 16), Some(0));
        }
    }
}
