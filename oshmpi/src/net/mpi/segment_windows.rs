//! The windows over the two segments, and where a symmetric range lies in them.

use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::mpi::request::Request;
use crate::mpi::rma::WindowGuard;
use crate::mpi::window::Window;
use crate::mpi::{Comm, MpiError, faults};
use crate::net::fabric::Exposed;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::HashMap;
use std::sync::RwLock;

/// How the windows are made.
pub(crate) enum Mode {
    /// One window over the slot, in which heap and statics lie side by side.
    Slot(Span),
    /// One window over the heap and one over the statics, which are not on the slot.
    Create,
    /// MPI has allocated the heap with its window, whose displacement 0 is `base`. A word lies there, before the heap.
    Allocated { heap: Window, base: usize },
}

impl Mode {
    /// Makes and closes windows of this PE alone over the memory that is there, and so finds out whether MPI can
    /// register it. To be asked first: an MPI whose registration fails on one PE leaves the others in their call for
    /// ever.
    pub(crate) fn is_possible(&self, exposed: Exposed) -> Result<(), MpiError> {
        if !faults::makes_windows_alone() {
            return Ok(());
        }
        let (first, second) = match self {
            Mode::Slot(slot) => (Some(*slot), None),
            Mode::Create => (Some(exposed.heap), Some(exposed.statics)),
            Mode::Allocated { .. } => (None, Some(exposed.statics)),
        };
        let alone = Comm::alone()?;
        let mut all = [first, second].into_iter().flatten();
        all.try_for_each(|span| Window::create(&alone, span.base, span.len).map(|window| window.close()))?;
        alone.end()
    }
}

pub(super) struct SegmentWindows {
    heap: Window,
    /// None: the heap's window serves the statics too.
    statics: Option<Window>,
    statics_used: AtomicBool,
    heaps_at: HeapsAt,
    /// The displacement at which statics begin in their window: equal on all PEs.
    statics_at: usize,
    has_heap: bool,
}

/// The displacement at which a PE's heap begins in the window.
enum HeapsAt {
    /// It is equal on all PEs.
    Common(usize),
    /// Each PE has its own at displacement 0. Those of PEs that were contacted are known.
    Told(RwLock<HashMap<Pe, usize>>),
}

impl SegmentWindows {
    /// Makes the windows. Collective.
    pub(super) fn make(comm: &Comm, mode: Mode, exposed: Exposed) -> Result<SegmentWindows, MpiError> {
        let Exposed { heap: own_heap, statics: own_statics } = exposed;
        let over_statics = || Window::create(comm, own_statics.base, own_statics.len).map(Some);
        let (heap, statics, heaps_at, statics_at) = match mode {
            Mode::Slot(slot) => {
                let both = Window::create(comm, slot.base, slot.len)?;
                (both, None, HeapsAt::Common(0), slot.len - own_statics.len)
            }
            Mode::Create => {
                let heap = Window::create(comm, own_heap.base, own_heap.len)?;
                (heap, over_statics()?, HeapsAt::Common(0), 0)
            }
            Mode::Allocated { heap, base } => {
                let heaps_at = HeapsAt::tell(comm, base, own_heap.base - base)?;
                (heap, over_statics()?, heaps_at, 0)
            }
        };
        let (statics_used, has_heap) = (AtomicBool::new(false), own_heap.len > 0);
        Ok(SegmentWindows { heap, statics, statics_used, heaps_at, statics_at, has_heap })
    }

    /// The window through which a range is reached, and its displacement there.
    pub(super) fn place(&self, range: SymRange, pe: Pe) -> Result<(&Window, usize), MpiError> {
        let (window, begin) = match (range.seg, &self.statics) {
            (SegId::Heap, _) => (&self.heap, self.heap_at(pe)?),
            (SegId::Data, Some(statics)) => {
                // set before the operation, so that a flush includes the window
                self.statics_used.store(true, Ordering::Relaxed);
                (statics, self.statics_at)
            }
            (SegId::Data, None) => (&self.heap, self.statics_at),
            (SegId::Space(_), _) => unreachable!("spaces are reached by messages"),
        };
        Ok((window, begin.wrapping_add(range.off)))
    }

    /// The displacement at which the heap of a PE begins. The first call for a PE may fetch it.
    #[inline]
    fn heap_at(&self, pe: Pe) -> Result<usize, MpiError> {
        let known = match &self.heaps_at {
            HeapsAt::Common(at) => return Ok(*at),
            HeapsAt::Told(known) => known,
        };
        if let Some(at) = known.read().unwrap_or_else(|e| e.into_inner()).get(&pe) {
            return Ok(*at);
        }
        let mut at = 0usize;
        // SAFETY: a local variable of as many bytes. Every PE has its number at displacement 0.
        unsafe { self.heap.get_blocking(pe.0, 0, (&raw mut at).cast(), size_of::<usize>())? };
        known.write().unwrap_or_else(|e| e.into_inner()).insert(pe, at);
        Ok(at)
    }

    pub(super) fn each(&self, call: impl Fn(&Window) -> Result<(), MpiError>) -> Result<(), MpiError> {
        if let Some(statics) = &self.statics
            && self.statics_used.load(Ordering::Relaxed)
        {
            call(statics)?;
        }
        call(&self.heap)
    }

    /// The guards of the windows, unless another thread holds one.
    pub(super) fn try_guards(&self) -> Option<[Option<WindowGuard<'_>>; 2]> {
        let statics = match &self.statics {
            Some(statics) => Some(statics.try_guard()?),
            None => None,
        };
        Some([Some(self.heap.try_guard()?), statics])
    }

    /// Issues a get of a byte of a PE's heap. None: the heap is empty.
    ///
    /// # Safety
    /// The byte can be written at `to` until the request is done.
    pub(super) unsafe fn echo(&self, pe: Pe, to: *mut u8) -> Result<Option<Request>, MpiError> {
        let at = self.heap_at(pe)?;
        // SAFETY: the caller's promise; the first byte of a heap lies in its window.
        self.has_heap.then(|| unsafe { self.heap.request(pe.0, at, to, 1) }).transpose()
    }

    /// Closes the windows. Collective.
    pub(super) fn close(&self) {
        self.heap.close();
        if let Some(statics) = &self.statics {
            statics.close();
        }
    }
}

impl HeapsAt {
    /// Each PE passes where its heap begins in the window, and its window's first address. Collective: one reduction.
    fn tell(comm: &Comm, base: usize, own: usize) -> Result<HeapsAt, MpiError> {
        // SAFETY: a word lies there, which nobody uses before the reduction below.
        unsafe { (base as *mut usize).write_unaligned(own) };
        // The least of a number and the least of its complement tell whether all PEs have the same number.
        let least = comm.least(&[own as u64, !(own as u64)])?;
        Ok(if least[0] == !least[1] { HeapsAt::Common(own) } else { HeapsAt::Told(RwLock::default()) })
    }
}
