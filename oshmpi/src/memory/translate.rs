//! Translates the address of a symmetric object on this PE into the address at which a peer's object is mapped. That
//! takes one comparison per segment, one multiplication and one addition. Everything else takes the slow path:
//! mistakes, the checks of `SHMEM_DEBUG`, and peers that are not mapped.

use super::addr::{SegId, Span, SymRange};
use super::inline;
use super::node::Node;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// The numbers that the fast path reads. They are not written while the library is up, but for the heap's length, which
/// gets less when words are set aside for adapters. Those for the heap lie in one
/// cache line, those for statics in two.
///
/// All lengths are 0 before init, after finalize, with `SHMEM_DEBUG`, and where peers of other nodes are served in
/// calls only. Then every call takes the slow path.
#[repr(C, align(64))]
pub(crate) struct Fast {
    /// PEs whose memory is mapped: the first in the high half, and the number of consecutive PEs in the low half.
    pes: AtomicU64,
    /// PEs whose words this PE may change by CPU atomics, in the form of `pes`. None if other means execute the AMOs.
    words: AtomicU64,
    /// `pes`, for reads: none where PEs outnumber cores. Reads take their cold side then, which finds out whether the
    /// program polls.
    reads: AtomicU64,
    /// `words`, for AMOs that return a value: as `reads`.
    fetches: AtomicU64,
    stride: AtomicUsize,
    heap_base: AtomicUsize,
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
    pes: AtomicU64::new(0),
    words: AtomicU64::new(0),
    reads: AtomicU64::new(0),
    fetches: AtomicU64::new(0),
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

    /// The address at which a word of PE `pe` is mapped here, if CPU atomics may change it. None: take the slow path.
    #[inline(always)]
    pub(crate) fn word(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        self.among(&self.words, addr, len, pe)
    }

    /// `peer` for a call that reads. None where PEs outnumber cores, too.
    #[inline(always)]
    pub(crate) fn read(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        self.among(&self.reads, addr, len, pe)
    }

    /// `word` for an AMO that returns a value, as `read`.
    #[inline(always)]
    pub(crate) fn fetched_word(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        self.among(&self.fetches, addr, len, pe)
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
    fn among(&self, pes: &AtomicU64, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        let get = |v: &AtomicUsize| v.load(Ordering::Relaxed); // set before the program can call, or 0
        let pes = pes.load(Ordering::Relaxed);
        let pe = pe as u32; // a negative number becomes too large
        if pe.wrapping_sub((pes >> 32) as u32) < pes as u32 {
            let pe = pe as usize;
            let off = addr.wrapping_sub(get(&self.heap_base));
            let size = get(&self.heap_len);
            if off < size && len <= size - off {
                return Some(get(&self.heap_first).wrapping_add(pe * get(&self.stride)).wrapping_add(off));
            }
            let off = addr.wrapping_sub(get(&self.data_base));
            let size = get(&self.data_len);
            if off < size && len <= size - off {
                return Some(get(&self.data_first).wrapping_add(pe * get(&self.stride)).wrapping_add(off));
            }
        }
        None
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
            set(&self.heap_len, segments.heap.len);
        }
        if segments.statics == Reach::Mapped {
            set(&self.data_base, segments.data.base);
            set(&self.data_first, of_pe_0(SegId::Data));
            set(&self.data_len, segments.data.len);
        }
        let pes = u64::from(first) << 32 | u64::from(count);
        let words = if cpu_atomics { pes } else { 0 };
        let unless_crowded = |pes: u64| if self.crowded() { 0 } else { pes };
        self.words.store(words, Ordering::Relaxed);
        self.fetches.store(unless_crowded(words), Ordering::Relaxed);
        self.reads.store(unless_crowded(pes), Ordering::Relaxed);
        self.pes.store(pes, Ordering::Relaxed);
        self.tell();
    }

    /// Sends calls on bytes of the heap from byte `len` on to the slow path. No call on them is under way.
    pub(crate) fn limit_heap(&self, len: usize) {
        if len < self.heap_len.load(Ordering::Relaxed) {
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
            pes.iter().for_each(|(there, here)| there.store(here.load(Ordering::Relaxed), Ordering::Relaxed));
        }
    }

    /// Sends every call to the slow path.
    pub(crate) fn close(&self) {
        [&self.pes, &self.words, &self.reads, &self.fetches]
            .into_iter()
            .for_each(|pes| pes.store(0, Ordering::Relaxed));
        [&self.at_once, &self.orders_at_once].into_iter().for_each(|is| is.store(false, Ordering::Relaxed));
        for v in [&self.heap_len, &self.data_len] {
            v.store(0, Ordering::Relaxed);
        }
        self.tell();
    }
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
}

impl Segments {
    /// The symmetric range at `[addr, addr+len)`, if all of it lies in one segment.
    pub(crate) fn find(&self, addr: usize, len: usize) -> Option<SymRange> {
        if let Some(off) = self.heap.offset_of(addr, len) {
            return Some(SymRange { seg: SegId::Heap, off, len });
        }
        if self.statics == Reach::None {
            return None;
        }
        self.data.offset_of(addr, len).map(|off| SymRange { seg: SegId::Data, off, len })
    }

    /// The address of a range in this PE's memory.
    pub(crate) fn address(&self, range: SymRange) -> usize {
        range.off
            + match range.seg {
                SegId::Heap => self.heap.base,
                SegId::Data => self.data.base,
            }
    }

    pub(crate) fn reach(&self, seg: SegId) -> Reach {
        match seg {
            SegId::Heap => self.heaps,
            SegId::Data => self.statics,
        }
    }
}

/// The address at which a range of the PE in `slot` of this node is mapped here.
pub(crate) fn mapped(node: &Node, range: SymRange, slot: usize) -> usize {
    node.first(range.seg) + slot * node.shape.stride + range.off
}
