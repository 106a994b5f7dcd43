//! An MPI window over this PE's statics: the last resort where they can be neither moved nor copied by the kernel.
//!
//! All of it is passive: locked once, flushed per call.

use super::{Comm, MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::{c_int, c_void};

/// Bytes per MPI call: counts are `int`.
const CHUNK: usize = 1 << 30;

/// A window over the same segment of every PE of the job.
pub(crate) struct Window {
    win: sys::MPI_Win,
    comm: Comm,
}

// SAFETY: handles may be used from any thread that may call MPI.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    /// Collective. `base` is a page boundary: MPICH 4.0.2 puts data at the wrong place in windows whose base is not a
    /// multiple of 16.
    pub(crate) fn create(comm: Comm, base: usize, len: usize) -> Result<Window, MpiError> {
        assert_eq!(base % 4096, 0, "window bases are page-aligned");
        // SAFETY: constants of the shim.
        let (info, mut win) = unsafe { (sys::RSMPI_INFO_NULL, sys::RSMPI_WIN_NULL) };
        let len = sys::MPI_Aint::try_from(len).expect("a segment is smaller than half the address space");
        mpi!(PMPI_Win_create(base as *mut c_void, len, 1, info, comm.raw(), &mut win))?;
        // SAFETY: a constant of the shim.
        let errors_return = unsafe { sys::RSMPI_ERRORS_RETURN };
        mpi!(PMPI_Win_set_errhandler(win, errors_return))?;
        mpi!(PMPI_Win_lock_all(0, win))?;
        // Locking may need the others' help: nobody leaves before everybody has it.
        mpi!(PMPI_Barrier(comm.raw()))?;
        Ok(Window { win, comm })
    }

    /// Collective, before MPI ends: MPI does not like to find windows open then.
    pub(crate) fn close(&self) {
        let mut win = self.win;
        // At the end of the process nobody is left to hear of a failure.
        let _ = mpi!(PMPI_Win_unlock_all(win)).and_then(|()| mpi!(PMPI_Win_free(&mut win)));
    }

    /// Lets MPI serve others while this PE waits for something else.
    pub(crate) fn poll(&self) {
        if super::usable() {
            self.comm.poll();
        }
    }

    /// # Safety
    /// `[from, from+len)` can be read; the range lies inside the segment.
    pub(crate) unsafe fn put(&self, pe: u32, off: usize, from: *const u8, len: usize) -> Result<(), MpiError> {
        // SAFETY: a constant of the shim.
        let byte = unsafe { sys::RSMPI_UINT8_T };
        for done in (0..len).step_by(CHUNK) {
            let n = CHUNK.min(len - done) as c_int;
            // SAFETY: inside the caller's range.
            let from = unsafe { from.add(done) }.cast();
            let disp = (off + done) as sys::MPI_Aint;
            mpi!(PMPI_Put(from, n, byte, pe as c_int, disp, n, byte, self.win))?;
        }
        mpi!(PMPI_Win_flush(pe as c_int, self.win))
    }

    /// # Safety
    /// `[to, to+len)` can be written; the range lies inside the segment.
    pub(crate) unsafe fn get(&self, pe: u32, off: usize, to: *mut u8, len: usize) -> Result<(), MpiError> {
        // SAFETY: a constant of the shim.
        let byte = unsafe { sys::RSMPI_UINT8_T };
        for done in (0..len).step_by(CHUNK) {
            let n = CHUNK.min(len - done) as c_int;
            // SAFETY: inside the caller's range.
            let to = unsafe { to.add(done) }.cast();
            let disp = (off + done) as sys::MPI_Aint;
            mpi!(PMPI_Get(to, n, byte, pe as c_int, disp, n, byte, self.win))?;
        }
        mpi!(PMPI_Win_flush(pe as c_int, self.win))
    }
}
