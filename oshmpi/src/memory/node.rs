//! The node's shared memory: one nameless file, mapped once by every PE of the node.
//!
//! ```text
//! | header page | control pages | sync slots | eager buffers | pair words | slot of PE 0 | slot of PE 1 | ...
//!   sync slot = what one PE says to one team
//!   slot = | heap (page multiple) | statics (page multiple) | padding to the stride |
//! ```
//! A peer's byte is `slot0 + index * stride + offset`: no table, whatever the number of PEs. No pointer is stored
//! here, only offsets and counters. What is never touched costs no memory.

use super::addr::{Pe, SegId};
use super::places::Places;
use crate::os::{affinity, map};
use crate::sync::atomics::AtomicU64;
use crate::sync::publication;
use crate::sync::wait::{Backoff, EventCount, WaitPolicy, Waiter};
use core::sync::atomic::{AtomicU32, Ordering};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes of the header and of each control page, whatever the machine's page size.
const CONTROL: usize = 4096;
/// Heaps start at a multiple of this in every slot, so that huge pages can serve them.
const SLOT_ALIGN: usize = 2 << 20;

// Header: byte offsets. Each group has its own cache line.
const TOKEN: usize = 0;
const NODE_EVENTS: usize = 64;
const NODE_WAITERS: usize = 68;
const ENDING: usize = 192;
const ENDING_SEEN: usize = 200;
/// Beside the status in the word at `ENDING`: the job is ending.
const IS_ENDING: u64 = 1 << 32;

// Control page of a PE: byte offsets.
const PUBLISHED: usize = 0;
const AMO_LOCK: usize = 64;
const PE_EVENTS: usize = 128;
const PE_WAITERS: usize = 132;

/// Teams that can exist on a PE at a time, the two predefined ones included. SyncSlots are touched only when used.
pub(crate) const SYNC_SLOTS: usize = 256;
/// The lines of one sync slot: two (odd and even rounds) of a sequence number and [`WORDS`] words, and the counters of
/// `barrier::Style::Count`. All sync slots of a team lie together, so that round many PEs touches few pages.
const SYNC_SLOT_BYTES: usize = 256;
const SYNC_SLOT_LINE: usize = 64;
const SYNC_SLOT_COUNT: usize = 128;
const SYNC_SLOT_RELEASED: usize = 192;
/// Words that travel with an arrival.
pub(crate) const WORDS: usize = 7;
/// Bytes that travel in a eager buffer; every sync slot has two.
pub(crate) const EAGER_BYTES: usize = 2048;

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
    /// Where the cores stand that PEs were last seen on.
    pub(crate) cores: usize,
    /// Where the sync slots start: `SYNC_SLOTS` times one per PE.
    pub(crate) sync_slots: usize,
    /// Where their eager buffers start.
    pub(crate) eager_buffers: usize,
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
        let cores = CONTROL * (n + 1);
        let sync_slots = map::round_up(cores + 4 * n, CONTROL)?;
        let eager_buffers = map::round_up(sync_slots + n * SYNC_SLOTS * SYNC_SLOT_BYTES, CONTROL)?;
        let pairs = eager_buffers + n * SYNC_SLOTS * 2 * EAGER_BYTES;
        let slots = map::round_up(pairs + n * n * PAIR_BYTES, SLOT_ALIGN)?;
        let shape = Shape { n, heap, data, stride, cores, sync_slots, eager_buffers, pairs, slots };
        stride.checked_mul(n)?.checked_add(slots)?;
        Some(shape)
    }

    pub(crate) fn total(&self) -> usize {
        self.slots + self.stride * self.n
    }
}

/// Why there can be less memory than addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// The size of the file system.
    DevShm,
    /// The system promises no memory that it does not have.
    NoOvercommit,
}

impl Limit {
    /// What is to be done when it is reached.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Limit::DevShm => {
                "memfd_create is refused, so memory is taken from /dev/shm: make that larger, or allow memfd_create"
            }
            Limit::NoOvercommit => "the system promises no more memory than it has (vm.overcommit_memory is 2)",
        }
    }
}

/// What a node is, beside its memory.
pub(crate) struct NodePlan {
    pub(crate) shape: Shape,
    pub(crate) places: Places,
    pub(crate) policy: WaitPolicy,
    pub(crate) one_machine: bool,
    pub(crate) limit: Option<Limit>,
    pub(crate) interrupted: fn(),
    pub(crate) backoff: Backoff,
}

/// The node's memory as this PE has it mapped. Lives to the end of the process, and never changes.
pub(crate) struct Node {
    base: usize,
    fd: OwnedFd,
    pub(crate) shape: Shape,
    /// This PE's slot.
    pub(crate) me: usize,
    /// Who is in which slot.
    pub(crate) places: Places,
    pub(crate) policy: WaitPolicy,
    /// All PEs run here, also those that OSHMPI_ROUTE=mpi keeps apart.
    pub(crate) one_machine: bool,
    /// What its memory is taken from has a limit, so allocations are committed when they are made.
    pub(crate) limit: Option<Limit>,
    /// Called between two polls of a wait.
    interrupted: fn(),
    /// How long waiting PEs sleep at most.
    pub(crate) backoff: Backoff,
}

impl Node {
    /// Maps the whole file. Its size must have been set by now or before the first access.
    pub(crate) fn map(fd: OwnedFd, me: Pe, plan: NodePlan) -> io::Result<Node> {
        let NodePlan { shape, places, policy, one_machine, limit, interrupted, backoff } = plan;
        let me = places.local(me).expect("a PE is on its own node");
        let base = map::reserve(shape.total(), SLOT_ALIGN)?;
        // SAFETY: the range was reserved a line above for exactly this.
        unsafe { map::shared_over(base, fd.as_fd(), 0, shape.total())? };
        // One PE's core file is not to hold all PEs' heaps, nor writing it to give memory to every page nobody has touched. What
        // is this PE's own is in it: the program uses other mappings of that.
        map::keep_out_of_cores(base, shape.total());
        Ok(Node { base, fd, shape, me, places, policy, one_machine, limit, interrupted, backoff })
    }

    /// The node with another way to sleep, for a job that finds out late that MPI has to be served.
    pub(crate) fn with_backoff(self, backoff: Backoff) -> Node {
        Node { backoff, ..self }
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

    /// Which slot an address lies in, if any: such pointers come from `shmem_ptr`.
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
            event_count: EventCount { events: self.word32(NODE_EVENTS), waiters: self.word32(NODE_WAITERS) },
            policy: self.policy,
            interrupted: self.interrupted,
            backoff: self.backoff,
        }
    }

    /// The event count of the PE at `index`, for waits on words of its symmetric memory.
    fn event_count(&self, index: usize) -> EventCount<'_> {
        let word = |offset| self.word32(self.control(index, offset));
        EventCount { events: word(PE_EVENTS), waiters: word(PE_WAITERS) }
    }

    /// Wakes the PE at `index` if it sleeps until a word of its symmetric memory changes.
    pub(crate) fn notify(&self, index: usize) {
        self.event_count(index).notify();
    }

    /// The way this PE waits for words of its own symmetric memory.
    pub(crate) fn own_waiter(&self) -> Waiter<'_> {
        let backoff = if self.backoff.serve() { self.backoff } else { Backoff::UNNOTIFIED };
        Waiter { event_count: self.event_count(self.me), policy: self.policy, interrupted: self.interrupted, backoff }
    }

    /// SyncSlot `sync slot` of PE `index`: what that PE says to one of its teams.
    #[inline]
    pub(crate) fn sync_slot(&self, index: usize, sync_slot: usize) -> SyncSlot<'_> {
        debug_assert!(index < self.shape.n && sync_slot < SYNC_SLOTS);
        let number = sync_slot * self.shape.n + index;
        let eager = self.shape.eager_buffers + number * 2 * EAGER_BYTES;
        SyncSlot { node: self, at: self.shape.sync_slots + number * SYNC_SLOT_BYTES, eager }
    }

    /// The core PE `index` was on when it last waited.
    pub(crate) fn core_of(&self, index: usize) -> u32 {
        self.word32(self.shape.cores + 4 * index).load(Ordering::Relaxed)
    }

    /// Notes the core this PE runs on, and gives it. All PEs read these words and they rarely change, so they are written
    /// only then.
    pub(crate) fn note_core(&self) -> u32 {
        let (here, noted) = (affinity::here(), self.word32(self.shape.cores + 4 * self.me));
        if noted.load(Ordering::Relaxed) != here {
            noted.store(here, Ordering::Relaxed);
        }
        here
    }

    /// PE `index`'s PE info for first contact.
    pub(crate) fn published(&self, index: usize) -> Published<'_> {
        Published { node: self, at: self.control(index, PUBLISHED) }
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
        let word = IS_ENDING | u64::from(status as u32);
        // Relaxed: the word is all there is to know.
        let first = self.word64(ENDING).compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            self.waiter().event_count.notify_all();
        }
    }

    /// The status the job ends with, once somebody has ended it.
    pub(crate) fn ending(&self) -> Option<i32> {
        let word = self.word64(ENDING).load(Ordering::Relaxed);
        (word & IS_ENDING != 0).then_some(word as u32 as i32)
    }

    /// PEs that have noticed the end and written out their streams.
    pub(crate) fn end_seen(&self) -> &AtomicU32 {
        self.word32(ENDING_SEEN)
    }
}

/// See [`Node::sync slot`].
#[derive(Clone, Copy)]
pub(crate) struct SyncSlot<'a> {
    node: &'a Node,
    at: usize,
    eager: usize,
}

impl<'a> SyncSlot<'a> {
    /// The owner has come to this round.
    #[inline]
    pub(crate) fn arrived(self, seq: u64) -> &'a AtomicU64 {
        self.node.word64(self.at + SYNC_SLOT_LINE * (seq % 2) as usize)
    }

    /// Word `i` of what the owner says at round `seq`; it stays until the round after the next.
    #[inline]
    pub(crate) fn word(self, seq: u64, i: usize) -> &'a AtomicU64 {
        debug_assert!(i < WORDS);
        self.node.word64(self.at + SYNC_SLOT_LINE * (seq % 2) as usize + 8 + 8 * i)
    }

    /// Where the words lie, as bytes.
    #[inline]
    pub(crate) fn words_at(self, seq: u64) -> usize {
        self.node.base + self.at + SYNC_SLOT_LINE * (seq % 2) as usize + 8
    }

    /// Where longer messages of round `seq` lie.
    #[inline]
    pub(crate) fn eager_at(self, seq: u64) -> usize {
        self.node.base + self.eager + EAGER_BYTES * (seq % 2) as usize
    }

    /// Counter of the team whose first member owns this sync slot.
    #[inline]
    pub(crate) fn count(self) -> &'a AtomicU64 {
        self.node.word64(self.at + SYNC_SLOT_COUNT)
    }

    #[inline]
    pub(crate) fn released(self) -> &'a AtomicU64 {
        self.node.word64(self.at + SYNC_SLOT_RELEASED)
    }
}

/// What `owner` hears from `peer`, counted: any active set that contains both sees the same order of their rounds, so a
/// pair of counters serves every set they are in.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    node: &'a Node,
    at: usize,
}

impl<'a> Pair<'a> {
    /// Meetings `peer` has come to.
    pub(crate) fn arrived(self) -> &'a AtomicU64 {
        self.node.word64(self.at)
    }

    /// Meetings the owner has seen `peer` at: the owner's own word.
    pub(crate) fn seen(self) -> &'a AtomicU64 {
        self.node.word64(self.at + 8)
    }

    /// What `peer` says at its round `seq` with the owner.
    pub(crate) fn word(self, seq: u64) -> &'a AtomicU64 {
        self.node.word64(self.at + 16 + 8 * (seq % 2) as usize)
    }
}

/// One PE's PE info on its control page.
pub(crate) struct Published<'a> {
    node: &'a Node,
    at: usize,
}

impl publication::Publication for Published<'_> {
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
            prop_assert!(CONTROL * (n + 1) <= s.cores && s.cores + 4 * n <= s.sync_slots && s.sync_slots + n * SYNC_SLOTS * SYNC_SLOT_BYTES <= s.eager_buffers);
            prop_assert!(s.eager_buffers + n * SYNC_SLOTS * 2 * EAGER_BYTES <= s.pairs);
            prop_assert!( s.pairs + n * n * PAIR_BYTES <= s.slots);
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
