//! The node's shared memory: one nameless file, mapped once by every PE of the node.
//!
//! ```text
//! | header page | control pages | sync slots | eager buffers | lines of requests | lines of short requests |
//! | pair words | slot of PE 0 | slot of PE 1 | ...
//!   sync slot = the words that one PE posts to one team
//!   slot = | heap (page multiple) | padding | statics (page multiple) | padding |
//! ```
//! Heaps, statics and slots begin at multiples of a huge page. Where the heaps are in reserved huge pages, they are a
//! second file: | heap of PE 0 | heap of PE 1 | ..., each of whole huge pages. Its heaps are mapped over those of the
//! slots.
//!
//! A peer's byte lies at `slot0 + index * stride + offset`, so no table grows with the number of PEs. The file holds
//! offsets and counters, and no pointers. Pages that are never touched take no memory. `control`
//! has the words that tell what became of each PE and what it waits for.

use super::addr::{Pe, SegId};
use super::placement::{Map, Placement};
use super::places::Places;
use crate::os::{affinity, huge, map};
use crate::sync::atomics::AtomicU64;
use crate::sync::publication;
use crate::sync::tree::Locality;
use crate::sync::wait::{Backoff, EventCount, Meanwhile, WaitPolicy, Waiter};
use core::sync::atomic::{AtomicU32, Ordering};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

/// Bytes of the header and of each control page. They do not depend on the machine's page size.
const CONTROL: usize = 4096;
/// Bytes: slots, and so heaps, start at a multiple of this. It is the size of a huge page on machines with pages of 4
/// KiB, so huge pages can serve a heap. A smaller alignment would leave the ends of heaps to small pages.
const SLOT_ALIGN: usize = huge::SIZE;

// Byte offsets in the header. Each group has a cache line for itself.
const TOKEN: usize = 0;
const NODE_EVENTS: usize = 64;
const NODE_WAITERS: usize = 68;
const TOOL: usize = 128;
const ENDING: usize = 192;
const ENDING_SEEN: usize = 200;
/// From here on the header's words are those of `control`.
pub(super) const HEADER_CONTROL: usize = 256;
/// Flag in the word at `ENDING`, above the status: the job is ending.
const IS_ENDING: u64 = 1 << 32;

// Byte offsets in the control page of a PE.
const PUBLISHED: usize = 0;
const AMO_LOCK: usize = 64;
const PE_EVENTS: usize = 128;
const PE_WAITERS: usize = 132;
/// From here on the words of a control page are those of `control`.
pub(super) const PE_CONTROL: usize = 192;
/// The counters of a PE begin here, behind the words of `control`.
pub(super) const PE_COUNTERS: usize = 1024;

/// The number of teams that can exist on a PE at a time, the two predefined ones included. Memory of sync slots that no
/// team uses is never touched.
pub(crate) const SYNC_SLOTS: usize = 256;
/// Bytes of one sync slot. Its lines are two for arrivals (odd and even rounds), each with a sequence number and
/// [`WORDS`] words. Behind these, each word has two lines for itself, because processors fetch lines in pairs: the
/// counter of `barrier::Style::Count`, the round that is over, and the arrival of `barrier::Style::Tree`. The sync
/// slots of all members of a team lie together, so that a round touches few pages.
pub(super) const SYNC_SLOT_BYTES: usize = 512;
/// Words that are posted with an arrival: the rest of its cache line.
pub(crate) const WORDS: usize = 7;
/// Bytes of an eager buffer. Every sync slot has two, for odd and even rounds.
pub(crate) const EAGER_BYTES: usize = 2048;

/// Requests of a team that may be under way at a time: collectives that were started. The next one is started when the
/// oldest has ended. Each has two lines as those of a sync slot at every member. Twice as many short requests have one
/// line each: see `sync/short`. Both are 2 KiB for each team and PE. Memory that no request uses is never touched.
pub(crate) const UNDER_WAY: usize = 16;
pub(super) const REQUEST_BYTES: usize = 128;

pub(super) const PAIR_BYTES: usize = 32;

/// Bytes of the token at the head of the file. Two processes that read the same token have mapped the same memory.
pub(crate) const TOKEN_BYTES: usize = 16;

/// Sizes and places of the parts of the file. They are equal on all PEs of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The number of PEs on this node.
    pub(crate) n: usize,
    /// Heap bytes, a multiple of the page.
    pub(crate) heap: usize,
    /// Bytes from the start of a slot to the statics: those of the heap in whole huge pages.
    pub(crate) heap_room: usize,
    /// Bytes for the statics, a multiple of the page.
    pub(crate) data: usize,
    /// Bytes from one PE's slot to the next.
    pub(crate) stride: usize,
    /// Where the words start in which PEs note their cores: one per PE.
    pub(crate) cores: usize,
    /// Where the words start that tell where PEs run: one per PE.
    pub(crate) localities: usize,
    /// Where the words start that tell the node of every PE of the job: none where a formula tells it.
    pub(crate) placement: usize,
    /// Where the sync slots start: for each of `SYNC_SLOTS` teams one per PE.
    pub(crate) sync_slots: usize,
    /// Where the eager buffers of the sync slots start.
    pub(crate) eager_buffers: usize,
    /// Where the lines of requests start: for each of `SYNC_SLOTS` teams and [`UNDER_WAY`] requests those of each PE.
    pub(crate) requests: usize,
    /// Where the lines of short requests start, as many.
    pub(crate) shorts: usize,
    /// Where the words of pairs start: n rows of n pairs.
    pub(crate) pairs: usize,
    /// Where the first slot starts.
    pub(crate) slots: usize,
}

impl Shape {
    /// The shape for these sizes, with room for the nodes of `listed` PEs. None when it does not fit into the address
    /// space.
    pub(crate) fn new(n: usize, heap: usize, data: usize, listed: usize) -> Option<Shape> {
        let page = map::page();
        let heap = map::round_up(heap, page)?;
        let data = map::round_up(data, page)?;
        let heap_room = map::round_up(heap, huge::SIZE)?;
        let stride = map::round_up(heap_room.checked_add(data)?.max(1), SLOT_ALIGN)?;
        let cores = CONTROL * (n + 1);
        let localities = cores + 4 * n;
        let placement = localities + 4 * n;
        let sync_slots = map::round_up(placement + 4 * listed, CONTROL)?;
        let eager_buffers = map::round_up(sync_slots + n * SYNC_SLOTS * SYNC_SLOT_BYTES, CONTROL)?;
        let requests = eager_buffers + n * SYNC_SLOTS * 2 * EAGER_BYTES;
        let shorts = requests + n * SYNC_SLOTS * UNDER_WAY * REQUEST_BYTES;
        let pairs = shorts + n * SYNC_SLOTS * UNDER_WAY * REQUEST_BYTES;
        let slots = map::round_up(pairs + n * n * PAIR_BYTES, SLOT_ALIGN)?;
        let shape = Shape {
            n,
            heap,
            heap_room,
            data,
            stride,
            cores,
            localities,
            placement,
            sync_slots,
            eager_buffers,
            requests,
            shorts,
            pairs,
            slots,
        };
        let total = stride.checked_mul(n)?.checked_add(slots)?;
        (total < map::ADDRESS_SPACE).then_some(shape)
    }

    pub(crate) fn total(&self) -> usize {
        self.slots + self.stride * self.n
    }
}

/// Why there may be less memory than address space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    /// The file lies in /dev/shm, and the size of that file system limits it.
    DevShm,
    /// The system promises no more memory than it has.
    NoOvercommit,
    /// Heaps are in huge pages that are promised to them. A control group may still refuse some.
    HugePages,
    /// A space is in huge pages that are promised to it.
    HugeSpace,
    /// A space is in a file of a file system, which may be full.
    Disk,
}

impl Limit {
    /// What a user can do when the limit is reached.
    pub(crate) fn advice(self) -> &'static str {
        match self {
            Limit::DevShm => {
                "memfd_create is refused, so memory is taken from /dev/shm: make that larger, or allow memfd_create"
            }
            Limit::NoOvercommit => "the system promises no more memory than it has (vm.overcommit_memory is 2)",
            Limit::HugePages => "the heap is in reserved huge pages; OSHMPI_PAGES=small has no need of them",
            Limit::HugeSpace => "a control group may use fewer huge pages than the space has (hugetlb.2MB.max)",
            Limit::Disk => "the file system of the space's file has no room: make some, or use a file elsewhere",
        }
    }
}

/// What a node is, beside its memory.
pub(crate) struct NodePlan {
    /// The file of the heaps, if they are in reserved huge pages.
    pub(crate) heaps: Option<OwnedFd>,
    pub(crate) shape: Shape,
    pub(crate) places: Places,
    /// None where the table in the node's memory tells it, which has been written.
    pub(crate) placement: Option<Placement>,
    /// Where each PE runs, if large teams use trees: one for each slot.
    pub(crate) localities: Option<Vec<Locality>>,
    pub(crate) policy: WaitPolicy,
    pub(crate) one_machine: bool,
    pub(crate) limit: Option<Limit>,
}

/// The node's memory as this PE has it mapped. It lives to the end of the process and never changes.
pub(crate) struct Node {
    base: usize,
    fd: OwnedFd,
    /// The file of the heaps, if they are in reserved huge pages.
    heaps: Option<OwnedFd>,
    pub(crate) shape: Shape,
    /// This PE's slot.
    pub(crate) me: usize,
    /// Which PE has which slot.
    pub(crate) places: Places,
    /// Which node each PE of the job is on.
    pub(crate) placement: Placement,
    /// Teams of at least `tree::FROM` members use trees.
    pub(crate) trees: bool,
    pub(crate) policy: WaitPolicy,
    /// All PEs of the job have one node id: machine, boot and IPC namespace. Those that OSHMPI_ROUTE=mpi keeps apart
    /// count, too; those of another container do not.
    pub(crate) one_machine: bool,
    /// Set if the memory of the file has a limit. What is committed there cannot be refused later.
    pub(crate) limit: Option<Limit>,
    /// What a wait does beside polling.
    meanwhile: &'static Meanwhile,
    /// How long PEs that wait for others of the node sleep at most.
    pub(crate) backoff: Backoff,
}

impl Node {
    /// Maps the whole file. The size of the file must be set before the first access.
    pub(crate) fn map(
        fd: OwnedFd,
        me: Pe,
        plan: NodePlan,
        backoff: Backoff,
        meanwhile: &'static Meanwhile,
    ) -> io::Result<Node> {
        let NodePlan { heaps, shape, places, placement, localities, policy, one_machine, limit } = plan;
        let me = places.local(me).expect("a PE is on its own node");
        let base = map::reserve(shape.total(), SLOT_ALIGN)?;
        // SAFETY: the range was reserved by the call above, and nobody else knows its address.
        unsafe { map::shared_over(base, fd.as_fd(), 0, shape.total())? };
        if let Some(heaps) = &heaps {
            // A call and a mapping for each PE of the node, whatever the job's size.
            for slot in 0..shape.n {
                let (at, offset) = (base + shape.slots + slot * shape.stride, (slot * shape.heap_room) as u64);
                // SAFETY: the heap's part of a slot, inside the mapping made above, which nobody else knows.
                unsafe { map::shared_over(at, heaps.as_fd(), offset, shape.heap_room)? };
            }
        }
        // A core file of one PE must not hold the heaps of all PEs, and writing it must not give memory to every page
        // that nobody has touched. The PE's own heap and statics are in the core file, because the program uses other
        // mappings of them.
        map::keep_out_of_cores(base, shape.total());
        let placement = placement.unwrap_or_else(|| {
            let (at, pes) = ((base + shape.placement) as *const AtomicU32, places.job());
            // SAFETY: the shape has so many words for this, and the mapping is never removed. All processes access them
            // by atomics only.
            let table = unsafe { core::slice::from_raw_parts(at, pes as usize) };
            Placement { map: Map::Table(table), pes }
        });
        let trees = localities.is_some();
        let node = Node {
            base,
            fd,
            heaps,
            shape,
            me,
            places,
            placement,
            trees,
            policy,
            one_machine,
            limit,
            meanwhile,
            backoff,
        };
        // All PEs of the node store the same before they read.
        for (slot, locality) in localities.unwrap_or_default().into_iter().enumerate() {
            node.word32(shape.localities + 4 * slot).store(locality.to_word(), Ordering::Relaxed);
        }
        Ok(node)
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Bytes from the start of a slot to a segment.
    fn seg_offset(&self, seg: SegId) -> usize {
        match seg {
            SegId::Heap => 0,
            SegId::Data => self.shape.heap_room,
            SegId::Space(_) => unreachable!("a space does not lie in slots"),
        }
    }

    /// The address at which the segment of the node's first PE is mapped here. Those of the others follow at multiples
    /// of the stride.
    pub(crate) fn first(&self, seg: SegId) -> usize {
        self.base + self.shape.slots + self.seg_offset(seg)
    }

    /// The address at which a segment of this PE is mapped together with those of the others.
    pub(crate) fn own(&self, seg: SegId) -> usize {
        self.first(seg) + self.me * self.shape.stride
    }

    /// Where this PE's statics start in the file.
    pub(crate) fn data_offset(&self) -> u64 {
        (self.own(SegId::Data) - self.base) as u64
    }

    /// The file of this PE's heap, and where the heap starts there.
    pub(crate) fn heap_file(&self) -> (BorrowedFd<'_>, u64) {
        match &self.heaps {
            Some(heaps) => (heaps.as_fd(), (self.me * self.shape.heap_room) as u64),
            None => (self.fd(), (self.own(SegId::Heap) - self.base) as u64),
        }
    }

    /// Set if the memory of heaps has a limit. Allocations are committed when they are made then.
    pub(crate) fn heap_limit(&self) -> Option<Limit> {
        if self.heaps.is_some() { Some(Limit::HugePages) } else { self.limit }
    }

    /// The slot in which an address lies, if it lies in one. `shmem_ptr` gives programs such addresses.
    pub(crate) fn slot_of(&self, addr: usize) -> Option<usize> {
        let off = addr.checked_sub(self.base + self.shape.slots)?;
        (off < self.shape.stride * self.shape.n).then(|| off / self.shape.stride)
    }

    /// The address of what lies at this byte of the memory.
    #[inline(always)]
    pub(super) fn word_at<T>(&self, offset: usize) -> *mut T {
        (self.base + offset) as *mut T
    }

    #[inline]
    pub(super) fn address(&self, offset: usize) -> usize {
        self.base + offset
    }

    fn word32(&self, offset: usize) -> &AtomicU32 {
        // SAFETY: the mapping is never removed. Callers pass aligned offsets of words that lie before the slots. All
        // processes access these words by atomics only.
        unsafe { AtomicU32::from_ptr(self.word_at(offset)) }
    }

    pub(super) fn word64(&self, offset: usize) -> &AtomicU64 {
        // SAFETY: the mapping is never removed. Callers pass aligned offsets of words that lie before the slots. All
        // processes access these words by atomics only.
        unsafe { AtomicU64::from_ptr(self.word_at(offset)) }
    }

    pub(super) fn control(&self, index: usize, offset: usize) -> usize {
        debug_assert!(index < self.shape.n && offset < CONTROL);
        CONTROL * (1 + index) + offset
    }

    /// The token at the head of the file.
    pub(crate) fn token(&self) -> [u64; 2] {
        [self.word64(TOKEN).load(Ordering::Relaxed), self.word64(TOKEN + 8).load(Ordering::Relaxed)]
    }

    /// How PEs of this node wait for each other.
    #[inline]
    pub(crate) fn waiter(&self) -> Waiter<'_> {
        Waiter {
            event_count: EventCount { events: self.word32(NODE_EVENTS), waiters: self.word32(NODE_WAITERS) },
            policy: self.policy,
            meanwhile: self.meanwhile,
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

    /// How this PE waits for words of its own symmetric memory.
    pub(crate) fn own_waiter(&self) -> Waiter<'_> {
        let backoff = if self.backoff.serve() { self.backoff } else { Backoff::UNNOTIFIED };
        Waiter { event_count: self.event_count(self.me), policy: self.policy, meanwhile: self.meanwhile, backoff }
    }

    /// The core on which the PE at `index` ran when it last waited.
    pub(crate) fn core_of(&self, index: usize) -> u32 {
        self.word32(self.shape.cores + 4 * index).load(Ordering::Relaxed)
    }

    /// Notes the core on which this PE runs, and returns it. The word is written only if the core has changed, because
    /// all PEs read it often.
    pub(crate) fn note_core(&self) -> u32 {
        let (here, noted) = (affinity::here(), self.word32(self.shape.cores + 4 * self.me));
        if noted.load(Ordering::Relaxed) != here {
            noted.store(here, Ordering::Relaxed);
        }
        here
    }

    /// Where the PE at `index` runs, if large teams use trees.
    pub(crate) fn locality(&self, index: usize) -> Locality {
        Locality::of_word(self.word32(self.shape.localities + 4 * index).load(Ordering::Relaxed))
    }

    /// The place where the PE at `index` publishes its PE info for first contact.
    pub(crate) fn published(&self, index: usize) -> Published<'_> {
        Published { node: self, at: self.control(index, PUBLISHED) }
    }

    /// The word that serialises AMOs on statics of the PE at `index`, where these cannot be mapped.
    pub(crate) fn amo_lock(&self, index: usize) -> &AtomicU32 {
        self.word32(self.control(index, AMO_LOCK))
    }

    /// A word for a tool that the program is linked with.
    pub(crate) fn tool_word(&self) -> &AtomicU64 {
        self.word64(TOOL)
    }

    /// Tells every PE of the node that the job ends with `status`. If several PEs do so, the first status counts.
    /// Returns whether this one is the first.
    pub(crate) fn announce_end(&self, status: i32) -> bool {
        let word = IS_ENDING | u64::from(status as u32);
        // Relaxed: a PE that reads the word reads nothing else because of it.
        let first = self.word64(ENDING).compare_exchange(0, word, Ordering::Relaxed, Ordering::Relaxed);
        if first.is_ok() {
            self.waiter().event_count.notify_all();
        }
        first.is_ok()
    }

    /// The status with which the job ends, once a PE has ended it.
    pub(crate) fn ending(&self) -> Option<i32> {
        let word = self.word64(ENDING).load(Ordering::Relaxed);
        (word & IS_ENDING != 0).then_some(word as u32 as i32)
    }

    /// The number of PEs that have noticed the end of the job and written out their streams.
    pub(crate) fn end_seen(&self) -> &AtomicU32 {
        self.word32(ENDING_SEEN)
    }
}

/// The PE info of one PE, on its control page.
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
        /// The parts of the file do not overlap, and all of them lie inside it.
        #[test]
        fn slots_are_disjoint(
            n in 1usize..300,
            heap in 0usize..1 << 36,
            data in 0usize..1 << 30,
            listed in 0usize..5000,
        ) {
            let s = Shape::new(n, heap, data, listed).unwrap();
            prop_assert!(s.heap >= heap && s.data >= data);
            prop_assert!(s.heap <= s.heap_room && s.heap_room + s.data <= s.stride);
            prop_assert!(CONTROL * (n + 1) <= s.cores && s.cores + 4 * n <= s.localities);
            prop_assert!(s.localities + 4 * n <= s.placement);
            prop_assert!(s.placement + 4 * listed <= s.sync_slots);
            prop_assert!(s.sync_slots + n * SYNC_SLOTS * SYNC_SLOT_BYTES <= s.eager_buffers);
            prop_assert!(s.eager_buffers + n * SYNC_SLOTS * 2 * EAGER_BYTES <= s.requests);
            prop_assert!(s.requests + n * SYNC_SLOTS * UNDER_WAY * REQUEST_BYTES <= s.shorts);
            prop_assert!(s.shorts + n * SYNC_SLOTS * UNDER_WAY * REQUEST_BYTES <= s.pairs);
            prop_assert!(s.pairs + n * n * PAIR_BYTES <= s.slots);
            prop_assert_eq!(s.total(), s.slots + n * s.stride);
            prop_assert_eq!((s.slots % SLOT_ALIGN, s.stride % SLOT_ALIGN, s.heap_room % huge::SIZE), (0, 0, 0));
        }
    }
}
