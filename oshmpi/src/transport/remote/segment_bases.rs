//! Where a peer's segments start in the windows: nowhere else than at 0 where a window was made over the segment, at an
//! address of the peer's where the window is a dynamic one. Addresses that all PEs share need no exchange; others are
//! fetched from their owner at first contact.

use crate::memory::addr::SegId;
use crate::mpi::{Comm, MpiError, window::Window};
use std::collections::HashMap;
use std::sync::RwLock;

/// Heap, statics.
type Bases = [u64; 2];

pub(super) struct SegmentBases {
    /// What holds for everybody.
    common: Option<Bases>,
    base_window: Option<BaseWindow>,
}

/// The own bases where others can get it, and the bases of PEs that were met.
struct BaseWindow {
    window: Window,
    known: RwLock<HashMap<u32, Bases>>,
}

/// A bases by itself on a page: window bases are page-aligned.
#[repr(C, align(4096))]
struct Page(Bases);

impl SegmentBases {
    /// Displacements are offsets.
    pub(super) fn of_offsets() -> SegmentBases {
        SegmentBases { common: Some([0, 0]), base_window: None }
    }

    /// Displacements are offsets from what each PE gives. Collective.
    pub(super) fn exchange(comm: &Comm, own: Bases) -> Result<SegmentBases, MpiError> {
        let [heap, statics] = own;
        // The least of a number and of its complement: both together say whether all are equal.
        let least = comm.least(&[heap, !heap, statics, !statics])?;
        if least[0] == !least[1] && least[2] == !least[3] {
            return Ok(SegmentBases { common: Some(own), base_window: None });
        }
        // Lives as long as the window, which is as long as MPI.
        let page = Box::leak(Box::new(Page(own)));
        let window = Window::create(comm, (&raw mut *page) as usize, size_of::<Page>())?;
        Ok(SegmentBases { common: None, base_window: Some(BaseWindow { window, known: RwLock::new(HashMap::new()) }) })
    }

    /// Where a segment of a PE starts.
    #[inline]
    pub(super) fn base(&self, pe: u32, seg: SegId) -> Result<usize, MpiError> {
        let bases = match (&self.common, &self.base_window) {
            (Some(common), _) => *common,
            (None, Some(base_window)) => base_window.bases(pe)?,
            (None, None) => unreachable!("bases are common or on a base_window"),
        };
        let [heap, statics] = bases;
        Ok(match seg {
            SegId::Heap => heap,
            SegId::Data => statics,
        } as usize)
    }

    /// Collective.
    pub(super) fn close(&self) {
        if let Some(base_window) = &self.base_window {
            base_window.window.close();
        }
    }
}

impl BaseWindow {
    fn bases(&self, pe: u32) -> Result<Bases, MpiError> {
        if let Some(bases) = self.known.read().unwrap_or_else(|e| e.into_inner()).get(&pe) {
            return Ok(*bases);
        }
        let mut bases: Bases = [0; 2];
        // SAFETY: as many bytes as a bases has, which every PE has at the start of its window.
        unsafe { self.window.get_blocking(pe, 0, bases.as_mut_ptr().cast(), size_of::<Bases>())? };
        self.known.write().unwrap_or_else(|e| e.into_inner()).insert(pe, bases);
        Ok(bases)
    }
}
