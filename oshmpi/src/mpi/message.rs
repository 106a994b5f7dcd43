//! Messages of bytes between two processes, as many under way at a time as the caller likes.

use super::{Comm, MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::c_int;

/// Bytes per MPI message: counts are `int`. Longer ones travel in pieces, which MPI keeps in order.
const PIECE: usize = 1 << 30;

/// Messages that were started and are not known to have ended.
#[derive(Default)]
pub(crate) struct Pending(Vec<sys::MPI_Request>);

impl Pending {
    /// All have ended: what was sent may be reused, what was to come is there. To be asked again until it says so, which
    /// also gives MPI the processor.
    pub(crate) fn ended(&mut self) -> Result<bool, MpiError> {
        if self.0.is_empty() {
            return Ok(true);
        }
        let mut flag: c_int = 0;
        let n = c_int::try_from(self.0.len()).map_err(|_| MpiError { call: "PMPI_Testall", code: 0 })?;
        // SAFETY: a constant of the shim.
        let ignore = unsafe { sys::RSMPI_STATUSES_IGNORE };
        mpi!(PMPI_Testall(n, self.0.as_mut_ptr(), &mut flag, ignore))?;
        if flag != 0 {
            self.0.clear();
        }
        Ok(flag != 0)
    }
}

impl Comm {
    /// Starts sending `len` bytes to a rank.
    ///
    /// # Safety
    /// The bytes stay as they are until the message has ended.
    pub(crate) unsafe fn send(
        &self,
        pending: &mut Pending,
        to: u32,
        tag: c_int,
        from: *const u8,
        len: usize,
    ) -> Result<(), MpiError> {
        // SAFETY: constants of the shim.
        let (byte, null) = unsafe { (sys::RSMPI_UINT8_T, sys::RSMPI_REQUEST_NULL) };
        for done in (0..len).step_by(PIECE) {
            let n = PIECE.min(len - done) as c_int;
            let mut request = null;
            let at = from.wrapping_add(done).cast();
            mpi!(PMPI_Isend(at, n, byte, to as c_int, tag, self.raw(), &mut request))?;
            pending.0.push(request);
        }
        Ok(())
    }

    /// Starts receiving `len` bytes from a rank, which must be sending as many.
    ///
    /// # Safety
    /// The room is there, and nobody else's, until the message has ended.
    pub(crate) unsafe fn receive(
        &self,
        pending: &mut Pending,
        from: u32,
        tag: c_int,
        to: *mut u8,
        len: usize,
    ) -> Result<(), MpiError> {
        // SAFETY: constants of the shim.
        let (byte, null) = unsafe { (sys::RSMPI_UINT8_T, sys::RSMPI_REQUEST_NULL) };
        for done in (0..len).step_by(PIECE) {
            let n = PIECE.min(len - done) as c_int;
            let mut request = null;
            let at = to.wrapping_add(done).cast();
            mpi!(PMPI_Irecv(at, n, byte, from as c_int, tag, self.raw(), &mut request))?;
            pending.0.push(request);
        }
        Ok(())
    }
}
