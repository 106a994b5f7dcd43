//! Strided puts and gets: many blocks in one operation.

use super::path_key::Path;
use super::{COPIED, Remote};
use crate::memory::addr::SymRange;
use crate::mpi::MpiError;
use crate::mpi::blocks::Blocks;
use crate::mpi::window::Window;
use crate::sync::ledger::Ledger;
use crate::transport::node;

/// Fewer blocks are faster one by one: making and freeing two datatypes costs as much as two to four operations.
const FROM: usize = 4;

impl Remote {
    /// Such blocks go in one operation.
    pub(crate) fn takes_blocks(&self, blocks: &Blocks) -> bool {
        self.only_am().is_none() && blocks.n >= FROM && Window::takes_blocks(blocks.len)
    }

    /// Puts blocks that this [takes](Remote::takes_blocks); the source may be reused when it returns. The range reaches from the first to the end of the last.
    ///
    /// # Safety
    /// The blocks at `from` can be read; the range lies inside the segment.
    pub(crate) unsafe fn put_blocks(
        &self,
        ledger: &Ledger,
        range: SymRange,
        pe: u32,
        from: *const u8,
        blocks: Blocks,
    ) -> Result<(), MpiError> {
        self.before(ledger, pe, Path::Window)?;
        self.stats.put(pe, blocks.bytes());
        let (window, disp) = self.place(range, pe)?;
        if blocks.bytes() > COPIED {
            // SAFETY: the caller's promise.
            unsafe { window.put_blocks(pe, disp, from, blocks)? };
            window.flush_local(pe)?;
            self.serve(); // nobody could meanwhile
            return self.noted(ledger, pe, Path::Window);
        }
        // SAFETY: the caller's blocks, copied side by side to where they stay until a flush.
        self.aside(blocks.bytes(), |copy| unsafe {
            for b in 0..blocks.n {
                node::copy(copy.add(b * blocks.len), from.add(b * blocks.here), blocks.len);
            }
            window.put_blocks(pe, disp, copy, Blocks { here: blocks.len, ..blocks })
        })?;
        self.noted(ledger, pe, Path::Window)
    }

    /// Gets blocks that this [takes](Remote::takes_blocks). The range reaches from the first to the end of the last.
    ///
    /// # Safety
    /// The blocks at `to` can be written; the range lies inside the segment.
    pub(crate) unsafe fn get_blocks(
        &self,
        range: SymRange,
        pe: u32,
        to: *mut u8,
        blocks: Blocks,
    ) -> Result<(), MpiError> {
        self.stats.get(pe, blocks.bytes());
        let (window, disp) = self.place(range, pe)?;
        // SAFETY: the caller's promise.
        unsafe { window.get_blocks(pe, disp, to, blocks)? };
        window.flush_local(pe).map(|()| self.serve())
    }
}
