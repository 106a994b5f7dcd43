//! Where a peer's segments start in the windows: nowhere else than at 0 where a window was made over the segment, at an
//! address of the peer's where the window is a dynamic one. Addresses that all PEs share need no exchange; others are
//! fetched from their owner at first contact.

use crate::memory::addr::SegId;
use crate::mpi::{Comm, MpiError, window::Window};
use std::collections::HashMap;
use std::sync::RwLock;

/// Heap, statics.
type Card = [u64; 2];

pub(super) struct Cards {
    /// What holds for everybody.
    common: Option<Card>,
    board: Option<Board>,
}

/// The own card where others can get it, and the cards of PEs that were met.
struct Board {
    window: Window,
    met: RwLock<HashMap<u32, Card>>,
}

/// A card by itself on a page: window bases are page-aligned.
#[repr(C, align(4096))]
struct Page(Card);

impl Cards {
    /// Displacements are offsets.
    pub(super) fn of_offsets() -> Cards {
        Cards { common: Some([0, 0]), board: None }
    }

    /// Displacements are offsets from what each PE gives. Collective.
    pub(super) fn exchange(comm: &Comm, own: Card) -> Result<Cards, MpiError> {
        let [heap, statics] = own;
        // The least of a number and of its complement: both together say whether all are equal.
        let least = comm.least(&[heap, !heap, statics, !statics])?;
        if least[0] == !least[1] && least[2] == !least[3] {
            return Ok(Cards { common: Some(own), board: None });
        }
        // Lives as long as the window, which is as long as MPI.
        let page = Box::leak(Box::new(Page(own)));
        let window = Window::create(comm, (&raw mut *page) as usize, size_of::<Page>())?;
        Ok(Cards { common: None, board: Some(Board { window, met: RwLock::new(HashMap::new()) }) })
    }

    /// Where a segment of a PE starts.
    #[inline]
    pub(super) fn base(&self, pe: u32, seg: SegId) -> Result<usize, MpiError> {
        let card = match (&self.common, &self.board) {
            (Some(common), _) => *common,
            (None, Some(board)) => board.card(pe)?,
            (None, None) => unreachable!("cards are common or on a board"),
        };
        let [heap, statics] = card;
        Ok(match seg {
            SegId::Heap => heap,
            SegId::Data => statics,
        } as usize)
    }

    /// Collective.
    pub(super) fn close(&self) {
        if let Some(board) = &self.board {
            board.window.close();
        }
    }
}

impl Board {
    fn card(&self, pe: u32) -> Result<Card, MpiError> {
        if let Some(card) = self.met.read().unwrap_or_else(|e| e.into_inner()).get(&pe) {
            return Ok(*card);
        }
        let mut card: Card = [0; 2];
        // SAFETY: as many bytes as a card has, which every PE has at the start of its window.
        unsafe { self.window.get_blocking(pe, 0, card.as_mut_ptr().cast(), size_of::<Card>())? };
        self.met.write().unwrap_or_else(|e| e.into_inner()).insert(pe, card);
        Ok(card)
    }
}
