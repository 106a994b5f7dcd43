//! MPI requests.

use super::{MpiError, constants, mpi, source, word};
use core::ffi::c_int;
use oshmpi_mpi_table as sys;

/// Polls of a request between two yields of the core: some microseconds. With fewer the core changes more often than
/// needed; with more a process that has to answer waits longer for the core.
const POLLS: u32 = 64;

/// An MPI operation under way. It must be tested or waited for until it is done. Its buffers stay in place until then.
pub(crate) struct Request(pub(super) sys::MPI_Request);

impl Request {
    pub(super) fn null() -> Request {
        Request(constants().RSMPI_REQUEST_NULL)
    }

    /// Waits for the operation. MPI serves other processes meanwhile. Every [`POLLS`] polls the core is yielded,
    /// because the process that has to answer may need it.
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

    /// Whether the operation is done. Lets MPI make progress.
    pub(crate) fn is_done(&mut self) -> Result<bool, MpiError> {
        let mut flag: c_int = 0;
        let ignore = constants().RSMPI_STATUS_IGNORE;
        mpi!(PMPI_Test(&mut self.0, &mut flag, ignore))?;
        Ok(flag != 0)
    }

    /// Sender and length of a message, once it has arrived. Not to be called again after that.
    pub(crate) fn arrived(&mut self) -> Result<Option<Arrived>, MpiError> {
        let (mut flag, mut len): (c_int, c_int) = (0, 0);
        let mut status = sys::MPI_Status::EMPTY;
        mpi!(PMPI_Test(&mut self.0, &mut flag, &mut status))?;
        if flag == 0 {
            return Ok(None);
        }
        let byte = word(1);
        mpi!(PMPI_Get_count(&status, byte, &mut len))?;
        Ok(Some(Arrived { from: source(&status), len: len.max(0) as usize }))
    }

    /// Cancels a receive. When this returns, MPI does not write to its buffer.
    pub(crate) fn cancel(mut self) -> Result<(), MpiError> {
        let ignore = constants().RSMPI_STATUS_IGNORE;
        mpi!(PMPI_Cancel(&mut self.0))?;
        mpi!(PMPI_Wait(&mut self.0, ignore))
    }
}

/// Sender and length of a message that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrived {
    pub(crate) from: u32,
    pub(crate) len: usize,
}
