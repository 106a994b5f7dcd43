//! MPI requests.

use super::{MpiError, constants, mpi};
use core::ffi::{c_int, c_void};
use core::ptr::NonNull;
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
}

/// A get of one byte that is under way.
pub(crate) struct Echo {
    pub(super) request: Request,
    /// The byte's buffer, from a `Box`. A pointer and no box: MPI writes through it while the value moves. It is not
    /// freed before the byte has come: code that drops the value earlier ends the process after an error.
    room: NonNull<u8>,
}

impl Echo {
    pub(super) fn new() -> Echo {
        Echo { request: Request::null(), room: NonNull::from(Box::leak(Box::new(0))) }
    }

    pub(super) fn room(&self) -> *mut c_void {
        self.room.as_ptr().cast()
    }

    /// Whether the byte has come. Lets MPI make progress.
    pub(crate) fn is_back(&mut self) -> Result<bool, MpiError> {
        self.request.is_done()
    }

    /// Frees the buffer. To be called after [`Echo::is_back`] was true.
    pub(crate) fn end(self) {
        // SAFETY: `new` made it from a box, MPI has written the byte, and the value ends here.
        drop(unsafe { Box::from_raw(self.room.as_ptr()) });
    }
}
