//! An MPI operation under way.

use super::{MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::c_int;

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

    /// True when it is done, also when asked again.
    pub(crate) fn test(&mut self) -> Result<bool, MpiError> {
        let mut flag: c_int = 0;
        // SAFETY: a constant of the shim.
        let ignore = unsafe { sys::RSMPI_STATUS_IGNORE };
        mpi!(PMPI_Test(&mut self.0, &mut flag, ignore))?;
        Ok(flag != 0)
    }
}
