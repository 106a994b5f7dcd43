//! The windows over the two segments, and where a symmetric range lies in them.

use crate::memory::addr::{Pe, SegId, Span, SymRange};
use crate::mpi::request::Request;
use crate::mpi::rma::WindowGuard;
use crate::mpi::window::{Use, Window};
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
    /// MPI has allocated the heap with its window, whose displacement 0 is `base`. The heap begins there or behind it.
    Allocated { heap: Window, base: usize },
}

impl Mode {
    /// Makes and closes windows of this PE alone over the memory that is there, and so finds out whether MPI can
    /// register it. To be asked first: an MPI whose registration fails on one PE leaves the others in their call for
    /// ever.
    pub(crate) fn is_possible(&self, exposed: Exposed, used: Use) -> Result<(), MpiError> {
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
        all.try_for_each(|span| Window::create(&alone, span.base, span.len, used).map(|window| window.close()))?;
        alone.end()
    }
}

pub(super) struct SegmentWindows {
    heap: Window,
    /// None: the heap's window serves the statics too.
    statics: Option<Window>,
    statics_used: AtomicBool,
    bases: SegmentBases,
    has_heap: bool,
}

impl SegmentWindows {
    /// Makes the windows. Collective.
    pub(super) fn make(comm: &Comm, mode: Mode, exposed: Exposed, used: Use) -> Result<SegmentWindows, MpiError> {
        let Exposed { heap: own_heap, statics: own_statics } = exposed;
        let over_statics = || Window::create(comm, own_statics.base, own_statics.len, used);
        let (heap, statics, bases) = match mode {
            Mode::Slot(slot) => {
                let statics = slot.len - own_statics.len;
                (Window::create(comm, slot.base, slot.len, used)?, None, SegmentBases::of_offsets([0, statics as u64]))
            }
            Mode::Create => {
                let heap = Window::create(comm, own_heap.base, own_heap.len, used)?;
                (heap, Some(over_statics()?), SegmentBases::of_offsets([0, 0]))
            }
            Mode::Allocated { heap, base } => {
                let bases = SegmentBases::exchange(comm, [(own_heap.base - base) as u64, 0])?;
                (heap, Some(over_statics()?), bases)
            }
        };
        let (statics_used, has_heap) = (AtomicBool::new(false), own_heap.len > 0);
        Ok(SegmentWindows { heap, statics, statics_used, bases, has_heap })
    }

    /// The window through which a range is reached, and its displacement there.
    pub(super) fn place(&self, range: SymRange, pe: Pe) -> Result<(&Window, usize), MpiError> {
        let disp = self.bases.base(pe, range.seg)?.wrapping_add(range.off);
        let window = match (range.seg, &self.statics) {
            (SegId::Data, Some(statics)) => {
                // set before the operation, so that a flush includes the window
                self.statics_used.store(true, Ordering::Relaxed);
                statics
            }
            _ => &self.heap,
        };
        Ok((window, disp))
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
        let at = self.bases.base(pe, SegId::Heap)?;
        // SAFETY: the caller's promise; the first byte of a heap lies in its window.
        self.has_heap.then(|| unsafe { self.heap.request(pe.0, at, to, 1) }).transpose()
    }

    /// Closes the windows. Collective.
    pub(super) fn close(&self) {
        self.heap.close();
        if let Some(statics) = &self.statics {
            statics.close();
        }
        self.bases.close();
    }
}

/// The bases of heap and statics.
type Bases = [u64; 2];

/// The displacements at which a peer's segments start. A window over one segment has the segment at 0. A window over
/// the slot has the statics behind the heap. In memory that MPI has allocated, the heap begins at a multiple of its
/// alignment. Bases that are equal on all PEs need no exchange. Others are fetched from their owner at first contact.
enum SegmentBases {
    /// The bases are equal on all PEs.
    Common(Bases),
    /// Each PE has its bases in its part of a window.
    Fetched(BaseWindow),
}

/// A window that exposes this PE's bases, and the bases of PEs that were contacted.
struct BaseWindow {
    window: Window,
    known: RwLock<HashMap<Pe, Bases>>,
}

/// Bases alone on a page, because window bases are page-aligned.
#[repr(C, align(4096))]
struct Page(Bases);

impl SegmentBases {
    /// Bases that are equal on all PEs.
    fn of_offsets(bases: Bases) -> SegmentBases {
        SegmentBases::Common(bases)
    }

    /// Each PE passes its bases. Collective: one reduction, and a window if they differ.
    fn exchange(comm: &Comm, own: Bases) -> Result<SegmentBases, MpiError> {
        let [heap, statics] = own;
        // The least of a number and the least of its complement tell whether all PEs have the same number.
        let least = comm.least(&[heap, !heap, statics, !statics])?;
        if least[0] == !least[1] && least[2] == !least[3] {
            return Ok(SegmentBases::Common(own));
        }
        // The page must live as long as the window, which lives as long as MPI.
        let page = Box::leak(Box::new(Page(own)));
        let window = Window::create(comm, (&raw mut *page) as usize, size_of::<Page>(), Use::Copies)?;
        Ok(SegmentBases::Fetched(BaseWindow { window, known: RwLock::new(HashMap::new()) }))
    }

    /// The displacement at which a segment of a PE starts. The first call for a PE may fetch it.
    #[inline]
    fn base(&self, pe: Pe, seg: SegId) -> Result<usize, MpiError> {
        let [heap, statics] = match self {
            SegmentBases::Common(bases) => *bases,
            SegmentBases::Fetched(window) => window.bases(pe)?,
        };
        Ok(match seg {
            SegId::Heap => heap,
            SegId::Data => statics,
            SegId::Space(_) => unreachable!("spaces are reached by messages"),
        } as usize)
    }

    /// Closes the window, if there is one. Collective.
    fn close(&self) {
        if let SegmentBases::Fetched(bases) = self {
            bases.window.close();
        }
    }
}

impl BaseWindow {
    fn bases(&self, pe: Pe) -> Result<Bases, MpiError> {
        if let Some(bases) = self.known.read().unwrap_or_else(|e| e.into_inner()).get(&pe) {
            return Ok(*bases);
        }
        let mut bases: Bases = [0; 2];
        // SAFETY: a local variable of as many bytes. Every PE has its bases at displacement 0.
        unsafe { self.window.get_blocking(pe.0, 0, bases.as_mut_ptr().cast(), size_of::<Bases>())? };
        self.known.write().unwrap_or_else(|e| e.into_inner()).insert(pe, bases);
        Ok(bases)
    }
}
