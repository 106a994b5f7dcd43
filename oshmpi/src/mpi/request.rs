//! An MPI operation under way.

use super::{MpiError, mpi};
use ::mpi::ffi as sys;

/// To be tested until it is done; what it moves must stay where it is until then.
pub(crate) struct Request(pub(super) sys::MPI_Request);

impl Request {
    pub(super) fn null() -> Request {
        // SAFETY: a constant of the shim.
        Request(unsafe { sys::RSMPI_REQUEST_NULL })
    }

    /// Blocks in MPI, which serves others meanwhile.
    pub(crate) fn wait(mut self) -> Result<(), MpiError> {
        // SAFETY: a constant of the shim.
        let ignore = unsafe { sys::RSMPI_STATUS_IGNORE };
        mpi!(PMPI_Wait(&mut self.0, ignore))
    }
}
