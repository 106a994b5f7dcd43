//! Puts and gets of blocks of equal length at equal distances, in one MPI call, by derived datatypes. MPI_Rput and
//! MPI_Rget are not used: with such types MPICH 4.0.2 (ch4:ucx) moves wrong bytes on created and allocated windows.

use super::rma::widest;
use super::window::Window;
use super::{MpiError, constants, mpi, mpi_buffers, word};
use core::ffi::c_int;
use oshmpi_mpi_table as sys;

/// Blocks and bytes per MPI call, at most. Counts are `int`, and the memory into which MPI packs stays bounded.
const MOST_BLOCKS: usize = 1 << 20;
const MOST_BYTES: usize = 16 << 20;

/// `n` blocks of `len` bytes each, not empty; block b begins at `b * here` bytes on this side and `b * there` at the
/// peer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Blocks {
    pub(crate) n: usize,
    pub(crate) len: usize,
    pub(crate) here: usize,
    pub(crate) there: usize,
}

impl Blocks {
    pub(crate) fn bytes(&self) -> usize {
        self.n * self.len
    }

    /// The blocks in runs of one MPI call each: the number of the first block, and the run.
    fn runs(self) -> impl Iterator<Item = (usize, Blocks)> {
        let most = (MOST_BYTES / self.len).clamp(1, MOST_BLOCKS);
        (0..self.n).step_by(most).map(move |first| (first, Blocks { n: most.min(self.n - first), ..self }))
    }
}

/// A derived datatype. MPI keeps it for operations that were begun with it when it is freed.
struct Type(sys::MPI_Datatype);

impl Type {
    /// `n` blocks of `len` bytes, `stride` bytes from one to the next.
    fn blocks(n: usize, len: usize, stride: usize) -> Result<Type, MpiError> {
        let unit = widest(len);
        // At most MOST_BLOCKS, and at most MOST_BYTES: see `LONGEST_BLOCK`.
        let (n, per_block) = (n as c_int, (len / unit) as c_int);
        let mut made = constants().RSMPI_DATATYPE_NULL;
        mpi!(PMPI_Type_create_hvector(n, per_block, stride as sys::MPI_Aint, word(unit), &mut made))?;
        let mut ty = Type(made);
        mpi!(PMPI_Type_commit(&mut ty.0))?;
        Ok(ty)
    }
}

impl Drop for Type {
    fn drop(&mut self) {
        // A type that cannot be freed only costs memory.
        let _ = mpi!(PMPI_Type_free(&mut self.0));
    }
}

impl Window {
    /// Bytes of the longest block that can be described.
    pub(crate) const LONGEST_BLOCK: usize = MOST_BYTES;

    /// One MPI call for each run of blocks. `call` gets where the run begins in the local buffer and in the window, and
    /// the types of its blocks on both sides.
    fn each_run(
        &self,
        pe: u32,
        disp: usize,
        blocks: Blocks,
        call: impl Fn(usize, sys::MPI_Aint, [sys::MPI_Datatype; 2]) -> Result<(), MpiError>,
    ) -> Result<(), MpiError> {
        blocks.runs().try_for_each(|(first, run)| {
            let (ours, theirs) = (Type::blocks(run.n, run.len, run.here)?, Type::blocks(run.n, run.len, run.there)?);
            let _guard = self.guard_for(pe);
            call(first * run.here, (disp + first * run.there) as sys::MPI_Aint, [ours.0, theirs.0])
        })
    }

    /// Issues a put of blocks.
    ///
    /// # Safety
    /// The blocks at `from` can be read and stay as they are until a flush; those at the target lie inside the window.
    pub(crate) unsafe fn put_blocks(
        &self,
        pe: u32,
        disp: usize,
        from: *const u8,
        blocks: Blocks,
    ) -> Result<(), MpiError> {
        self.each_run(pe, disp, blocks, |here, disp, [ours, theirs]| {
            let at = from.wrapping_add(here).cast();
            // SAFETY: the caller has promised the blocks of both sides, which the types describe.
            unsafe { mpi_buffers!(PMPI_Put(at, 1, ours, pe as c_int, disp, 1, theirs, self.win)) }
        })
    }

    /// Issues a get of blocks.
    ///
    /// # Safety
    /// The blocks at `to` can be written and are left alone until a flush; those at the target lie inside the window.
    pub(crate) unsafe fn get_blocks(&self, pe: u32, disp: usize, to: *mut u8, blocks: Blocks) -> Result<(), MpiError> {
        self.each_run(pe, disp, blocks, |here, disp, [ours, theirs]| {
            let at = to.wrapping_add(here).cast();
            // SAFETY: the caller has promised the blocks of both sides, which the types describe.
            unsafe { mpi_buffers!(PMPI_Get(at, 1, ours, pe as c_int, disp, 1, theirs, self.win)) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_all_blocks_in_bounds() {
        for (n, len) in
            [(1, 1), (3, 8), (MOST_BLOCKS + 1, 4), (5, MOST_BYTES), (5, MOST_BYTES - 1), (9, MOST_BYTES / 2)]
        {
            let blocks = Blocks { n, len, here: len, there: 2 * len };
            let mut next = 0;
            for (first, run) in blocks.runs() {
                assert_eq!(first, next);
                assert!(run.n <= MOST_BLOCKS && (run.n == 1 || run.bytes() <= MOST_BYTES));
                assert_eq!((run.len, run.here, run.there), (len, len, 2 * len));
                next += run.n;
            }
            assert_eq!(next, n);
        }
    }
}
