//! An MPI operation under way.

use super::{MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::{c_int, c_void};

/// Looks at a request between two offers of the core: some microseconds.
const POLLS: u32 = 64;

/// To be tested until it is done; what it moves must stay where it is until then.
pub(crate) struct Request(pub(super) sys::MPI_Request);

impl Request {
    pub(super) fn null() -> Request {
        // SAFETY: a constant of the shim.
        Request(unsafe { sys::RSMPI_REQUEST_NULL })
    }

    /// Blocks in MPI, which serves others meanwhile. Now and then the core is offered to whoever wants it: the process
    /// that has to answer may be one of those.
    pub(crate) fn wait(mut self) -> Result<(), MpiError> {
        loop {
            for _ in 0..POLLS {
                if self.is_done()? {
                    return Ok(());
                }
            }
            std::thread::yield_now();
        }
    }

    /// It is done. Gives MPI the processor for one step.
    pub(crate) fn is_done(&mut self) -> Result<bool, MpiError> {
        let mut flag: c_int = 0;
        // SAFETY: a constant of the shim.
        let ignore = unsafe { sys::RSMPI_STATUS_IGNORE };
        mpi!(PMPI_Test(&mut self.0, &mut flag, ignore))?;
        Ok(flag != 0)
    }
}

/// A byte that is on its way here.
pub(crate) struct Echo {
    pub(super) request: Request,
    /// Never freed before the byte has come: whoever drops this earlier has met an error, and ends the process.
    room: core::mem::ManuallyDrop<Box<u8>>,
}

impl Echo {
    pub(super) fn new() -> Echo {
        Echo { request: Request::null(), room: core::mem::ManuallyDrop::new(Box::new(0)) }
    }

    pub(super) fn room(&mut self) -> *mut c_void {
        (&raw mut **self.room).cast()
    }

    /// It is here. Gives MPI the processor for one step.
    pub(crate) fn is_back(&mut self) -> Result<bool, MpiError> {
        self.request.is_done()
    }

    /// To be called when it is here.
    pub(crate) fn end(self) {
        drop(core::mem::ManuallyDrop::into_inner(self.room));
    }
}
