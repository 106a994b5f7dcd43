//! The node's shared memory: one nameless file, mapped once by every PE of the node.
//!
//! ```text
//! | header page | control page of PE 0 | ... of PE n-1 | pair words | slot of PE 0 | slot of PE 1 | ...
//!   slot = | heap (page multiple) | statics (page multiple) | padding to the stride |
//! ```
//! A peer's byte is `slot0 + index * stride + offset`: no table, whatever the number of PEs. No pointer is stored
//! here, only offsets and counters. What is never touched costs no memory.

use super::addr::SegId;
use crate::os::map;
use crate::sync::atomics::AtomicU64;
use crate::sync::barrier::{self, Style};
use crate::sync::card;
use crate::sync::wait::{Bell, Naps, Patience, Waiter};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes of the header and of each control page, whatever the machine's page size.
const CONTROL: usize = 4096;
/// Heaps start at a multiple of this in every slot, so that huge pages can serve them.
const SLOT_ALIGN: usize = 2 << 20;

// Header: byte offsets. Each group has its own cache line.
const TOKEN: usize = 0;
const BELL_RINGS: usize = 64;
const BELL_SLEEPERS: usize = 68;
const RELEASED: usize = 128;
const COUNT: usize = 256;
const ENDING: usize = 192;
const ENDING_STATUS: usize = 196;
const ENDING_SEEN: usize = 200;

// Control page of a PE: byte offsets.
const ARRIVED: usize = 0;
const CALL: usize = 64;
const CALL_BYTES: usize = 64;
const CARD: usize = 256;
const AMO_LOCK: usize = 384;
const OWN_RINGS: usize = 448;
const OWN_SLEEPERS: usize = 452;

/// Words of one pair (i, j): see `Pair`.
const PAIR_BYTES: usize = 32;

/// Bytes at the head of the file that prove two processes see the same memory.
pub(crate) const TOKEN_BYTES: usize = 16;

/// How much of what lies where: equal on all PEs of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// PEs on this node.
    pub(crate) n: usize,
    /// Heap bytes, a multiple of the page.
    pub(crate) heap: usize,
    /// Bytes for the statics, a multiple of the page.
    pub(crate) data: usize,
    /// Bytes from one PE's slot to the next.
    pub(crate) stride: usize,
    /// Where the pair words start: n rows of n.
    pub(crate) pairs: usize,
    /// Where the first slot starts.
    pub(crate) slots: usize,
}

impl Shape {
    /// None when the address space is too small for it.
    pub(crate) fn new(n: usize, heap: usize, data: usize) -> Option<Shape> {
        let page = map::page();
        let heap = map::round_up(heap, page)?;
        let data = map::round_up(data, page)?;
        let stride = map::round_up(heap.checked_add(data)?.max(1), SLOT_ALIGN)?;
        let pairs = CONTROL * (n + 1);
        let slots = map::round_up(pairs + n * n * PAIR_BYTES, SLOT_ALIGN)?;
        let shape = Shape { n, heap, data, stride, pairs, slots };
        stride.checked_mul(n)?.checked_add(slots)?;
        Some(shape)
    }

    pub(crate) fn total(&self) -> usize {
        self.slots + self.stride * self.n
    }
}

/// PEs outnumber cores here: whoever waits for a word sleeps soon, so whoever changes words looks for sleepers.
pub(crate) static CROWDED: AtomicBool = AtomicBool::new(false);

/// The node's memory as this PE has it mapped. Lives to the end of the process.
pub(crate) struct Node {
    base: usize,
    fd: OwnedFd,
    pub(crate) shape: Shape,
    /// This PE's index on the node.
    pub(crate) me: usize,
    pub(crate) patience: Patience,
    /// The file system behind it has a limit, so allocations are committed when they are made.
    pub(crate) limited: bool,
    pub(crate) interrupted: fn(),
}

impl Node {
    /// Maps the whole file. Its size must have been set by now or before the first access.
    pub(crate) fn map(fd: OwnedFd, shape: Shape, me: usize, patience: Patience, limited: bool) -> io::Result<Node> {
        let base = map::reserve(shape.total(), SLOT_ALIGN)?;
        // SAFETY: the range was reserved a line above for exactly this.
        unsafe { map::shared_over(base, fd.as_fd(), 0, shape.total())? };
        CROWDED.store(patience != Patience::Spin, Ordering::Relaxed);
        Ok(Node { base, fd, shape, me, patience, limited, interrupted: || {} })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Distance of a segment from the start of a slot.
    fn seg_offset(&self, seg: SegId) -> usize {
        match seg {
            SegId::Heap => 0,
            SegId::Data => self.shape.heap,
        }
    }

    /// Where the segment of the node's first PE is mapped here; others follow at multiples of the stride.
    pub(crate) fn first(&self, seg: SegId) -> usize {
        self.base + self.shape.slots + self.seg_offset(seg)
    }

    /// Where a segment of this PE starts in the file.
    pub(crate) fn file_offset(&self, seg: SegId) -> u64 {
        (self.shape.slots + self.me * self.shape.stride + self.seg_offset(seg)) as u64
    }

    /// Which peer's slot an address lies in, if any: such pointers come from `shmem_ptr`.
    pub(crate) fn slot_of(&self, addr: usize) -> Option<usize> {
        let off = addr.checked_sub(self.base + self.shape.slots)?;
        (off < self.shape.stride * self.shape.n).then(|| off / self.shape.stride)
    }

    fn word32(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: the mapping is never undone; callers use the offsets above, aligned and inside header or controls.
        unsafe { AtomicU32::from_ptr((self.base + offset) as *mut u32) }
    }

    fn word64(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: as in word32.
        unsafe { AtomicU64::from_ptr((self.base + offset) as *mut u64) }
    }

    fn control(&self, index: usize, offset: usize) -> usize {
        debug_assert!(index < self.shape.n && offset < CONTROL);
        CONTROL * (1 + index) + offset
    }

    /// The words that say this is the memory we think it is.
    pub(crate) fn token(&self) -> [u64; 2] {
        [self.word64(TOKEN).load(Ordering::Relaxed), self.word64(TOKEN + 8).load(Ordering::Relaxed)]
    }

    /// The way PEs of this node wait for each other.
    #[inline]
    pub(crate) fn waiter(&self) -> Waiter<'_> {
        Waiter {
            bell: Bell { rings: self.word32(BELL_RINGS), sleepers: self.word32(BELL_SLEEPERS) },
            patience: self.patience,
            interrupted: self.interrupted,
            naps: Naps::RUNG,
        }
    }

    /// The bell of the PE at `index`, for waits on words of its symmetric memory.
    fn bell(&self, index: usize) -> Bell<'_> {
        let word = |offset| self.word32(self.control(index, offset));
        Bell { rings: word(OWN_RINGS), sleepers: word(OWN_SLEEPERS) }
    }

    /// Wakes the PE at `index` if it sleeps until a word of its symmetric memory changes.
    pub(crate) fn ring(&self, index: usize) {
        self.bell(index).ring_if_heard();
    }

    /// The way this PE waits for words of its own symmetric memory.
    pub(crate) fn own_waiter(&self) -> Waiter<'_> {
        Waiter { bell: self.bell(self.me), patience: self.patience, interrupted: self.interrupted, naps: Naps::UNRUNG }
    }

    /// All PEs of the node meet for the `seq`-th time.
    #[inline]
    pub(crate) fn meet(&self, seq: u64) {
        let style = if self.patience == Patience::Spin { Style::Flags } else { Style::Count };
        barrier::meet(self, &self.waiter(), style, self.me, self.shape.n, seq);
    }

    /// Record of the `seq`-th allocator call of PE `index`. Two records per PE take turns: nobody can be two calls
    /// ahead, since every call meets.
    pub(crate) fn call_word(&self, index: usize, seq: u64, word: usize) -> &AtomicU64 {
        debug_assert!(word < CALL_BYTES / 8);
        self.word64(self.control(index, CALL + CALL_BYTES * (seq % 2) as usize + 8 * word))
    }

    /// PE `index`'s card for first contact.
    pub(crate) fn card(&self, index: usize) -> Card<'_> {
        Card { node: self, at: self.control(index, CARD) }
    }

    /// Word that serialises AMOs on statics of PE `index` where they cannot be mapped.
    pub(crate) fn amo_lock(&self, index: usize) -> &AtomicU32 {
        self.word32(self.control(index, AMO_LOCK))
    }

    /// Counters between the PE at `owner` and the one at `peer`.
    pub(crate) fn pair(&self, owner: usize, peer: usize) -> Pair<'_> {
        debug_assert!(owner < self.shape.n && peer < self.shape.n);
        Pair { node: self, at: self.shape.pairs + (owner * self.shape.n + peer) * PAIR_BYTES }
    }

    /// Tells every PE of the node that the job ends with `status`. The first to say so wins.
    pub(crate) fn announce_end(&self, status: i32) {
        self.word32(ENDING_STATUS).store(status as u32, Ordering::Relaxed);
        let first = self.word32(ENDING).compare_exchange(0, 1, Ordering::Release, Ordering::Relaxed);
        if first.is_ok() {
            self.word32(BELL_RINGS).fetch_add(1, Ordering::Release);
            crate::os::futex::wake_all(self.word32(BELL_RINGS));
        }
    }

    /// The status the job ends with, once somebody has ended it.
    pub(crate) fn ending(&self) -> Option<i32> {
        let ending = self.word32(ENDING).load(Ordering::Acquire) != 0;
        ending.then(|| self.word32(ENDING_STATUS).load(Ordering::Relaxed) as i32)
    }

    /// PEs that have noticed the end and written out their streams.
    pub(crate) fn end_seen(&self) -> &AtomicU32 {
        self.word32(ENDING_SEEN)
    }
}

impl barrier::Words for Node {
    #[inline]
    fn arrived(&self, member: usize) -> &AtomicU64 {
        self.word64(self.control(member, ARRIVED))
    }

    #[inline]
    fn count(&self) -> &AtomicU64 {
        self.word64(COUNT)
    }

    #[inline]
    fn released(&self) -> &AtomicU64 {
        self.word64(RELEASED)
    }
}

/// What `owner` hears from `peer`, counted: any group that contains both sees the same order of their meetings, so a
/// pair of counters serves every group they are in. `*_seen` words are the owner's own.
pub(crate) struct Pair<'a> {
    node: &'a Node,
    at: usize,
}

impl Pair<'_> {
    /// Times `peer` arrived at `owner`, who leads.
    pub(crate) fn arrived(&self) -> &AtomicU64 {
        self.node.word64(self.at)
    }

    pub(crate) fn arrived_seen(&self) -> &AtomicU64 {
        self.node.word64(self.at + 8)
    }

    /// Times `peer`, who leads, let `owner` go.
    pub(crate) fn released(&self) -> &AtomicU64 {
        self.node.word64(self.at + 16)
    }

    pub(crate) fn released_seen(&self) -> &AtomicU64 {
        self.node.word64(self.at + 24)
    }
}

/// One PE's card on its control page.
pub(crate) struct Card<'a> {
    node: &'a Node,
    at: usize,
}

impl card::Board for Card<'_> {
    fn ready(&self) -> &AtomicU64 {
        self.node.word64(self.at)
    }

    fn word(&self, i: usize) -> &AtomicU64 {
        self.node.word64(self.at + 8 + 8 * i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Slots neither overlap nor touch the control pages, and everything lies inside the file.
        #[test]
        fn slots_are_disjoint(n in 1usize..300, heap in 0usize..1 << 36, data in 0usize..1 << 30) {
            let s = Shape::new(n, heap, data).unwrap();
            prop_assert!(s.heap >= heap && s.data >= data);
            prop_assert!(s.heap + s.data <= s.stride);
            prop_assert!(CONTROL * (n + 1) <= s.pairs && s.pairs + n * n * PAIR_BYTES <= s.slots);
            prop_assert_eq!(s.total(), s.slots + n * s.stride);
            prop_assert_eq!((s.slots % SLOT_ALIGN, s.stride % SLOT_ALIGN), (0, 0));
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        assert_eq!(Shape::new(2, usize::MAX, 0), None);
        assert_eq!(Shape::new(2, usize::MAX / 2, 0), None);
        assert_eq!(Shape::new(1000, 1 << 60, 0), None);
    }
}
