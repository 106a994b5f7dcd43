//! Translates the address of a symmetric object on this PE into the address at which a peer's object is mapped. That
//! takes one comparison per segment, one multiplication and one addition. Everything else takes the slow path:
//! mistakes, the checks of `SHMEM_DEBUG`, peers that are not mapped, and spaces.

use super::addr::{Pe, SegId, Span, SymRange};
use super::inline;
use super::node::Node;
use super::spaces::SPACES;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

/// Some consecutive PEs. The two numbers are read one by one: they change only while no PE is in use. But the count may
/// become 0 while threads are in calls.
struct Pes {
    first: AtomicU32,
    count: AtomicU32,
}

impl Pes {
    const fn none() -> Pes {
        Pes { first: AtomicU32::new(0), count: AtomicU32::new(0) }
    }

    #[inline(always)]
    fn contains(&self, pe: c_int) -> bool {
        // A negative number becomes too large.
        (pe as u32).wrapping_sub(self.first.load(Ordering::Relaxed)) < self.count.load(Ordering::Relaxed)
    }

    fn set(&self, first: u32, count: u32) {
        self.first.store(first, Ordering::Relaxed);
        self.count.store(count, Ordering::Relaxed);
    }

    /// From now on there are none. The first one stays: beside the old count, another one would name PEs of other
    /// nodes.
    fn clear(&self) {
        self.count.store(0, Ordering::Relaxed);
    }

    /// The first PE in the high half, and the number of PEs in the low half.
    fn in_one(&self) -> u64 {
        u64::from(self.first.load(Ordering::Relaxed)) << 32 | u64::from(self.count.load(Ordering::Relaxed))
    }
}

/// The numbers that the fast path reads. They are not written while the library is up, but for the heap's length, which
/// gets less when words are set aside for adapters. Those for the heap lie in one cache line, those for statics in two.
///
/// All lengths are 0 before init, after finalize, with `SHMEM_DEBUG` or `OSHMPI_STATS`, where peers of other nodes are
/// served in calls only, and with statics by an MPI window on one node. So they are from this PE's first space on a
/// device on, because the local buffer of any call may lie there. Those of both kinds of PEs are 0 where the PEs of the
/// node do not follow each other. Then every call takes the slow path.
#[repr(C, align(64))]
pub(crate) struct Fast {
    /// PEs whose memory is mapped.
    pes: Pes,
    /// PEs whose words this PE may change by CPU atomics. None if other means execute the AMOs.
    words: Pes,
    /// `pes`, for reads: none where PEs outnumber cores. Reads take their cold side then, which finds out whether the
    /// program polls.
    reads: Pes,
    /// `words`, for AMOs that return a value: as `reads`.
    fetches: Pes,
    stride: AtomicUsize,
    heap_base: AtomicUsize,
    /// A multiple of 8, so that an aligned word that begins in the heap also ends there.
    heap_len: AtomicUsize,
    /// The address at which PE 0's heap would be mapped here if PE 0 were on this node.
    heap_first: AtomicUsize,
    /// Every operation of this PE is complete at its target when its call returns, so a quiet has nothing to complete.
    at_once: AtomicBool,
    /// A quiet or a fence has nothing to do but to order memory. False where PEs outnumber cores: there each of them is
    /// counted.
    orders_at_once: AtomicBool,
    /// PEs outnumber cores on this node. A PE that waits for a word sleeps soon then, so a PE that changes a word reads
    /// whether there are waiters.
    crowded: AtomicBool,
    data_base: AtomicUsize,
    data_len: AtomicUsize,
    /// The address at which PE 0's statics would be mapped here if PE 0 were on this node.
    data_first: AtomicUsize,
}

pub(crate) static FAST: Fast = Fast {
    pes: Pes::none(),
    words: Pes::none(),
    reads: Pes::none(),
    fetches: Pes::none(),
    stride: AtomicUsize::new(0),
    heap_base: AtomicUsize::new(0),
    heap_len: AtomicUsize::new(0),
    heap_first: AtomicUsize::new(0),
    at_once: AtomicBool::new(false),
    orders_at_once: AtomicBool::new(false),
    crowded: AtomicBool::new(false),
    data_base: AtomicUsize::new(0),
    data_len: AtomicUsize::new(0),
    data_first: AtomicUsize::new(0),
};

impl Fast {
    /// The address at which `[addr, addr+len)` of PE `pe` is mapped here. None: take the slow path.
    #[inline(always)]
    pub(crate) fn peer(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        self.among(&self.pes, addr, len, pe)
    }

    /// The address at which a word of 4 or 8 bytes of PE `pe` is mapped here, if CPU atomics may change it. None: take
    /// the slow path, as for a word that is not aligned.
    #[inline(always)]
    pub(crate) fn word(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        self.aligned(&self.words, addr, len, pe)
    }

    /// `peer` for a call that reads. None where PEs outnumber cores, too.
    #[inline(always)]
    pub(crate) fn read(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        self.among(&self.reads, addr, len, pe)
    }

    /// `word` for an AMO that returns a value, as `read`.
    #[inline(always)]
    pub(crate) fn fetched_word(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        self.aligned(&self.fetches, addr, len, pe)
    }

    /// Whether a quiet or a fence of the default context has nothing to do but to order memory.
    #[inline(always)]
    pub(crate) fn orders_at_once(&self) -> bool {
        self.orders_at_once.load(Ordering::Relaxed)
    }

    /// Whether a quiet of the default context only has to order memory.
    #[inline(always)]
    pub(crate) fn complete_at_once(&self) -> bool {
        self.at_once.load(Ordering::Relaxed)
    }

    /// Whether a PE may sleep until a word changes. This is known with `SHMEM_DEBUG`, too.
    #[inline(always)]
    pub(crate) fn crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    pub(crate) fn set_crowded(&self, crowded: bool) {
        self.crowded.store(crowded, Ordering::Relaxed);
    }

    #[inline(always)]
    fn among(&self, pes: &Pes, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        if !pes.contains(pe) {
            return None;
        }
        let get = |v: &AtomicUsize| v.load(Ordering::Relaxed); // set before the program can call, or 0
        let (off, size) = (addr.wrapping_sub(get(&self.heap_base)), get(&self.heap_len));
        // A range that begins in one segment and ends behind it is a mistake, so the other segment is not tried.
        let (first, off, size) = match off < size {
            true => (get(&self.heap_first), off, size),
            false => {
                let (off, size) = (addr.wrapping_sub(get(&self.data_base)), get(&self.data_len));
                if off >= size {
                    return None;
                }
                (get(&self.data_first), off, size)
            }
        };
        if len > size - off {
            return None;
        }
        // One multiplication for both segments: calls on statics take as long as those on the heap.
        Some(first.wrapping_add((pe as u32 as usize) * get(&self.stride)).wrapping_add(off))
    }

    #[inline(always)]
    fn aligned(&self, pes: &Pes, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        if !pes.contains(pe) {
            return None;
        }
        let off = addr.wrapping_sub(self.heap_base.load(Ordering::Relaxed));
        let at = match off < self.heap_len.load(Ordering::Relaxed) {
            true => self.of_heap(pe, off),
            false => {
                core::hint::cold_path(); // statics are found by a jump, so that words of the heap are found without one
                self.of_data(addr, len, pe)?
            }
        };
        // Slots and segments begin at pages, so the peer's word is aligned like this PE's.
        at.is_multiple_of(len).then_some(at)
    }

    #[inline(always)]
    fn of_heap(&self, pe: c_int, off: usize) -> usize {
        let slot = (pe as u32 as usize) * self.stride.load(Ordering::Relaxed);
        self.heap_first.load(Ordering::Relaxed).wrapping_add(slot).wrapping_add(off)
    }

    #[inline(always)]
    fn of_data(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        let off = addr.wrapping_sub(self.data_base.load(Ordering::Relaxed));
        let size = self.data_len.load(Ordering::Relaxed);
        let slot = (pe as u32 as usize) * self.stride.load(Ordering::Relaxed);
        let first = self.data_first.load(Ordering::Relaxed);
        (off < size && len <= size - off).then(|| first.wrapping_add(slot).wrapping_add(off))
    }

    /// Opens the fast path to the node's PEs, if they are consecutive. `remote`: some operations are completed after
    /// their call.
    pub(crate) fn open(&self, segments: &Segments, node: &Node, cpu_atomics: bool, remote: bool) {
        self.at_once.store(!remote, Ordering::Relaxed);
        self.orders_at_once.store(!remote && !self.crowded(), Ordering::Relaxed);
        let Some((first, 1, count)) = node.places.regular() else { return };
        let set = |v: &AtomicUsize, to: usize| v.store(to, Ordering::Relaxed);
        let of_pe_0 = |seg: SegId| node.first(seg).wrapping_sub(first as usize * node.shape.stride);
        set(&self.stride, node.shape.stride);
        if segments.heaps == Reach::Mapped {
            set(&self.heap_base, segments.heap.base);
            set(&self.heap_first, of_pe_0(SegId::Heap));
            set(&self.heap_len, whole_words(segments.heap.len));
        }
        if segments.statics == Reach::Mapped {
            set(&self.data_base, segments.data.base);
            set(&self.data_first, of_pe_0(SegId::Data));
            set(&self.data_len, segments.data.len);
        }
        let (words, uncrowded) = (if cpu_atomics { count } else { 0 }, if self.crowded() { 0 } else { count });
        self.words.set(first, words);
        self.fetches.set(first, words.min(uncrowded));
        self.reads.set(first, uncrowded);
        self.pes.set(first, count);
        self.tell();
    }

    /// Sends calls on bytes of the heap from byte `len` on to the slow path. No call on bytes that change their path is
    /// under way. Heaps that are not mapped here have no fast path.
    pub(crate) fn limit_heap(&self, len: usize) {
        let len = whole_words(len);
        let is_mapped = self.heap_base.load(Ordering::Relaxed) != 0;
        if is_mapped && len != self.heap_len.load(Ordering::Relaxed) {
            self.heap_len.store(len, Ordering::Relaxed);
            self.tell();
        }
    }

    /// Writes the numbers to the copies in the program.
    pub(crate) fn tell(&self) {
        for copy in inline::each() {
            let pes = [(&copy.pes, &self.pes), (&copy.reads, &self.reads), (&copy.fetches, &self.fetches)];
            pes.iter().for_each(|(there, _)| there.store(0, Ordering::Relaxed));
            for (there, here) in [
                (&copy.stride, &self.stride),
                (&copy.heap_base, &self.heap_base),
                (&copy.heap_len, &self.heap_len),
                (&copy.heap_first, &self.heap_first),
                (&copy.data_base, &self.data_base),
                (&copy.data_len, &self.data_len),
                (&copy.data_first, &self.data_first),
            ] {
                there.store(here.load(Ordering::Relaxed) as u64, Ordering::Relaxed);
            }
            pes.iter().for_each(|(there, here)| there.store(here.in_one(), Ordering::Relaxed));
        }
    }

    /// Sends every call to the slow path. Other threads may be in calls.
    pub(crate) fn close(&self) {
        [&self.pes, &self.words, &self.reads, &self.fetches].into_iter().for_each(Pes::clear);
        [&self.at_once, &self.orders_at_once].into_iter().for_each(|is| is.store(false, Ordering::Relaxed));
        for v in [&self.heap_len, &self.data_len] {
            v.store(0, Ordering::Relaxed);
        }
        self.tell();
    }
}

/// The bytes of whole words of 8 bytes.
fn whole_words(len: usize) -> usize {
    len / 8 * 8
}

/// How a segment of another PE of the node is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// The segment is mapped here: loads, stores, CPU atomics.
    Mapped,
    /// The kernel copies from process to process.
    Kernel,
    /// Through an MPI window.
    Window,
    /// Not at all.
    None,
}

/// This PE's symmetric segments.
#[derive(Debug)]
pub(crate) struct Segments {
    pub(crate) heap: Span,
    /// How the heaps of the node's PEs are reached: mapped, unless MPI has allocated them.
    pub(crate) heaps: Reach,
    /// The base of the heap is a multiple of this number of bytes on every PE.
    pub(crate) heap_align: usize,
    /// Blocks of at least so many bytes have their pages made huge when they are allocated, in pages of this size; 0:
    /// none.
    pub(crate) collapse: usize,
    pub(crate) data: Span,
    /// How the statics of the node's PEs are reached.
    pub(crate) statics: Reach,
    /// On every node of the job the statics of its PEs are mapped. Equal on all PEs from the end of the first init on.
    pub(crate) statics_mapped: AtomicBool,
}

impl Segments {
    /// The symmetric range at `[addr, addr+len)`, if all of it lies in one segment.
    pub(crate) fn find(&self, addr: usize, len: usize) -> Option<SymRange> {
        if let Some(off) = self.heap.offset_of(addr, len) {
            return Some(SymRange { seg: SegId::Heap, off, len });
        }
        let data = self.data.offset_of(addr, len).filter(|_| self.statics != Reach::None);
        data.map(|off| SymRange { seg: SegId::Data, off, len }).or_else(|| SPACES.find(addr, len))
    }

    /// The address of a range in this PE's memory.
    pub(crate) fn address(&self, range: SymRange) -> usize {
        range.off
            + match range.seg {
                SegId::Heap => self.heap.base,
                SegId::Data => self.data.base,
                SegId::Space(place) => SPACES.own(place).base,
            }
    }

    /// Whether on every node of the job the segments of its PEs are mapped. The answer is equal on all PEs: `reach` may
    /// differ between nodes, as a node may be out of shared memory when it moves its statics.
    pub(crate) fn mapped_everywhere(&self, seg: SegId) -> bool {
        match seg {
            SegId::Heap => self.heaps == Reach::Mapped, // it depends on settings alone
            SegId::Data => self.statics_mapped.load(Ordering::Relaxed), // written before the program calls
            SegId::Space(_) => true,
        }
    }

    pub(crate) fn reach(&self, seg: SegId) -> Reach {
        match seg {
            SegId::Heap => self.heaps,
            SegId::Data => self.statics,
            SegId::Space(_) => Reach::Mapped,
        }
    }
}

/// The address at which a range of PE `pe`, in `slot` of this node, is mapped here. None: the range lies in a space of
/// which the PE has no part.
pub(crate) fn mapped(node: &Node, range: SymRange, pe: Pe, slot: usize) -> Option<usize> {
    match range.seg {
        SegId::Space(place) => SPACES.mapped(place, pe).map(|first| first + range.off),
        seg => Some(node.first(seg) + slot * node.shape.stride + range.off),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that reads the numbers one by one meanwhile finds the PEs from before, or none.
    #[test]
    fn pes_go_without_others_coming() {
        let pes = Pes::none();
        pes.set(4, 2);
        assert!(pes.contains(4) && pes.contains(5) && !pes.contains(0));
        pes.clear();
        assert!(![0, 4, 5].into_iter().any(|pe| pes.contains(pe)));
        assert_eq!(pes.in_one(), 4 << 32, "the first one has not changed");
    }
}
