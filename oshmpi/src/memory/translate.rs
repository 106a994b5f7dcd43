//! Address of a symmetric object here → address of the same object on a peer. One comparison per segment, one multiply,
//! one add; everything else (mistakes, checks of `SHMEM_DEBUG`, peers that are not mapped) is the else branch.

use super::addr::{Pe, SegId, Span, SymRange};
use super::node::Node;
use core::ffi::c_int;
use core::sync::atomic::{AtomicUsize, Ordering};

/// What the fast path reads: one cache line or two, never written while the library is up.
///
/// All lengths are 0 before init, after finalize and with `SHMEM_DEBUG`, so that every call takes the slow path then.
#[repr(align(64))]
pub(crate) struct Fast {
    /// PEs that are reached by memory; PE k is the k-th of this node.
    pes: AtomicUsize,
    stride: AtomicUsize,
    heap_base: AtomicUsize,
    heap_len: AtomicUsize,
    /// Heap of PE 0 as mapped here.
    heap_first: AtomicUsize,
    data_base: AtomicUsize,
    data_len: AtomicUsize,
    /// Statics of PE 0 as mapped here.
    data_first: AtomicUsize,
}

pub(crate) static FAST: Fast = Fast {
    pes: AtomicUsize::new(0),
    stride: AtomicUsize::new(0),
    heap_base: AtomicUsize::new(0),
    heap_len: AtomicUsize::new(0),
    heap_first: AtomicUsize::new(0),
    data_base: AtomicUsize::new(0),
    data_len: AtomicUsize::new(0),
    data_first: AtomicUsize::new(0),
};

impl Fast {
    /// Where `[addr, addr+len)` of PE `pe` is mapped here. None: take the slow path.
    #[inline(always)]
    pub(crate) fn peer(&self, addr: usize, len: usize, pe: c_int) -> Option<usize> {
        let get = |v: &AtomicUsize| v.load(Ordering::Relaxed); // set before the program can call us, or 0
        let pe = pe as u32 as usize; // negative numbers become too large
        if pe < get(&self.pes) {
            let off = addr.wrapping_sub(get(&self.heap_base));
            let size = get(&self.heap_len);
            if off < size && len <= size - off {
                return Some(get(&self.heap_first) + pe * get(&self.stride) + off);
            }
            let off = addr.wrapping_sub(get(&self.data_base));
            let size = get(&self.data_len);
            if off < size && len <= size - off {
                return Some(get(&self.data_first) + pe * get(&self.stride) + off);
            }
        }
        None
    }

    /// Opens the fast path.
    pub(crate) fn open(&self, segments: &Segments, node: &Node) {
        let set = |v: &AtomicUsize, to: usize| v.store(to, Ordering::Relaxed);
        set(&self.stride, node.shape.stride);
        set(&self.heap_base, segments.heap.base);
        set(&self.heap_first, node.first(SegId::Heap));
        set(&self.heap_len, segments.heap.len);
        if segments.statics == Reach::Mapped {
            set(&self.data_base, segments.data.base);
            set(&self.data_first, node.first(SegId::Data));
            set(&self.data_len, segments.data.len);
        }
        set(&self.pes, node.shape.n);
    }

    /// Sends every call to the slow path.
    pub(crate) fn close(&self) {
        for v in [&self.pes, &self.heap_len, &self.data_len] {
            v.store(0, Ordering::Relaxed);
        }
    }
}

/// How a segment of a node peer is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Mapped here: loads, stores, CPU atomics.
    Mapped,
    /// By the kernel, process to process.
    Kernel,
    /// By an MPI window.
    Window,
    /// Not at all.
    None,
}

/// This PE's symmetric segments.
#[derive(Debug)]
pub(crate) struct Segments {
    pub(crate) heap: Span,
    pub(crate) data: Span,
    pub(crate) statics: Reach,
}

impl Segments {
    /// The symmetric range at `[addr, addr+len)`, if it is one.
    pub(crate) fn find(&self, addr: usize, len: usize) -> Option<SymRange> {
        if let Some(off) = self.heap.offset_of(addr, len) {
            return Some(SymRange { seg: SegId::Heap, off, len });
        }
        if self.statics == Reach::None {
            return None;
        }
        self.data.offset_of(addr, len).map(|off| SymRange { seg: SegId::Data, off, len })
    }

    pub(crate) fn reach(&self, seg: SegId) -> Reach {
        match seg {
            SegId::Heap => Reach::Mapped,
            SegId::Data => self.statics,
        }
    }
}

/// Where a mapped range of a peer lies here.
pub(crate) fn mapped(node: &Node, range: SymRange, pe: Pe) -> usize {
    node.first(range.seg) + pe.0 as usize * node.shape.stride + range.off
}
