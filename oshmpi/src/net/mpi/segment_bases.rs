//! The displacements at which a peer's segments start. A window over one segment has the segment at 0. A window over
//! the slot has the statics behind the heap. In memory that MPI has allocated, the heap begins at a multiple of its
//! alignment. Bases that are equal on all PEs need no exchange. Others are fetched from their owner at first contact.

use crate::memory::addr::{Pe, SegId};
use crate::mpi::window::{Use, Window};
use crate::mpi::{Comm, MpiError};
use std::collections::HashMap;
use std::sync::RwLock;

/// The bases of heap and statics.
type Bases = [u64; 2];

pub(super) enum SegmentBases {
    /// The bases are equal on all PEs.
    Common(Bases),
    /// Each PE has its bases in its part of a window.
    Fetched(BaseWindow),
}

/// A window that exposes this PE's bases, and the bases of PEs that were contacted.
pub(super) struct BaseWindow {
    window: Window,
    known: RwLock<HashMap<Pe, Bases>>,
}

/// Bases alone on a page, because window bases are page-aligned.
#[repr(C, align(4096))]
struct Page(Bases);

impl SegmentBases {
    /// Bases that are equal on all PEs.
    pub(super) fn of_offsets(bases: Bases) -> SegmentBases {
        SegmentBases::Common(bases)
    }

    /// Each PE passes its bases. Collective: one reduction, and a window if they differ.
    pub(super) fn exchange(comm: &Comm, own: Bases) -> Result<SegmentBases, MpiError> {
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

    /// Closes the window, if there is one. Collective.
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
        // SAFETY: a local variable of as many bytes. Every PE has its bases at displacement 0.
        unsafe { self.window.get_blocking(pe.0, 0, bases.as_mut_ptr().cast(), size_of::<Bases>())? };
        self.known.write().unwrap_or_else(|e| e.into_inner()).insert(pe, bases);
        Ok(bases)
    }
}
