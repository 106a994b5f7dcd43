//! Where a peer's segments start in the windows: at 0 where a window was made over the segment, behind the heap where
//! one window was made over the slot, at an address of the peer's where the window is a dynamic one. Addresses that all
//! PEs share need no exchange. Others are fetched from their owner at first contact.

use crate::memory::addr::{Pe, SegId};
use crate::mpi::{Comm, MpiError, window::Window};
use std::collections::HashMap;
use std::sync::RwLock;

/// Heap, statics.
type Bases = [u64; 2];

pub(super) enum SegmentBases {
    /// What holds for everybody.
    Common(Bases),
    /// Each PE has its bases in its part of a window.
    Fetched(BaseWindow),
}

/// This PE's bases where others can get them, and the bases of PEs that were met.
pub(super) struct BaseWindow {
    window: Window,
    known: RwLock<HashMap<Pe, Bases>>,
}

/// Bases by themselves on a page: window bases are page-aligned.
#[repr(C, align(4096))]
struct Page(Bases);

impl SegmentBases {
    /// Displacements are offsets from these, which are equal on all PEs.
    pub(super) fn of_offsets(bases: Bases) -> SegmentBases {
        SegmentBases::Common(bases)
    }

    /// Displacements are offsets from what each PE gives. Collective.
    pub(super) fn exchange(comm: &Comm, own: Bases) -> Result<SegmentBases, MpiError> {
        let [heap, statics] = own;
        // The least of a number and of its complement: both together say whether all are equal.
        let least = comm.least(&[heap, !heap, statics, !statics])?;
        if least[0] == !least[1] && least[2] == !least[3] {
            return Ok(SegmentBases::Common(own));
        }
        // Lives as long as the window, which is as long as MPI.
        let page = Box::leak(Box::new(Page(own)));
        let window = Window::create(comm, (&raw mut *page) as usize, size_of::<Page>())?;
        Ok(SegmentBases::Fetched(BaseWindow { window, known: RwLock::new(HashMap::new()) }))
    }

    /// Where a segment of a PE starts.
    #[inline]
    pub(super) fn base(&self, pe: Pe, seg: SegId) -> Result<usize, MpiError> {
        let [heap, statics] = match self {
            SegmentBases::Common(bases) => *bases,
            SegmentBases::Fetched(window) => window.bases(pe)?,
        };
        Ok(match seg {
            SegId::Heap => heap,
            SegId::Data => statics,
        } as usize)
    }

    /// Collective.
    pub(super) fn close(&self) {
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
        // SAFETY: a local of as many bytes as are asked for, which every PE has at the start of its window.
        unsafe { self.window.get_blocking(pe.0, 0, bases.as_mut_ptr().cast(), size_of::<Bases>())? };
        self.known.write().unwrap_or_else(|e| e.into_inner()).insert(pe, bases);
        Ok(bases)
    }
}
