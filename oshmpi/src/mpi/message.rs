//! Messages of bytes between two processes. A request tells when one has left or arrived.

use super::request::Request;
use super::{Comm, MpiError, constants, count, mpi, mpi_buffers, word};
use crate::memory::local::{Dest, Source};
use core::ffi::c_int;
use oshmpi_mpi_table as sys;

/// The most bytes of a message: counts are `int`. Longer ones travel in pieces, which MPI keeps in order.
pub(crate) const LONGEST: usize = 1 << 30;

/// A message that has come and that no other call can receive.
pub(crate) struct Found(sys::MPI_Message);

impl Found {
    /// Starts receiving the message, which is not longer than the destination.
    ///
    /// # Safety
    /// The bytes can be written, and nobody else uses them, until the message has arrived.
    pub(crate) unsafe fn receive(mut self, to: Dest) -> Result<Request, MpiError> {
        let (n, byte, mut request) = (count(to.len())?, word(1), Request::null());
        // SAFETY: the caller has promised these bytes.
        unsafe { mpi_buffers!(PMPI_Imrecv(to.at().cast(), n, byte, &mut self.0, &mut request.0)) }?;
        Ok(request)
    }
}

impl Comm {
    /// Starts sending bytes to a rank.
    ///
    /// # Safety
    /// The bytes can be read and do not change until the message has left.
    pub(crate) unsafe fn send(&self, to: u32, tag: c_int, from: Source) -> Result<Request, MpiError> {
        let (n, byte, mut request) = (count(from.len())?, word(1), Request::null());
        let at = from.at().cast();
        // SAFETY: the caller has promised these bytes.
        unsafe { mpi_buffers!(PMPI_Isend(at, n, byte, to as c_int, tag, self.raw(), &mut request.0)) }?;
        Ok(request)
    }

    /// Starts receiving the next message with this tag from a rank, or from any. If several receives wait, the one that
    /// was started first gets the first message of a sender.
    ///
    /// # Safety
    /// The bytes can be written, and nobody else uses them, until the message has arrived or is cancelled.
    pub(crate) unsafe fn receive(&self, from: Option<u32>, tag: c_int, to: Dest) -> Result<Request, MpiError> {
        let (n, byte, mut request) = (count(to.len())?, word(1), Request::null());
        let from = from.map_or(constants().RSMPI_ANY_SOURCE, |from| from as c_int);
        // SAFETY: the caller has promised these bytes.
        unsafe { mpi_buffers!(PMPI_Irecv(to.at().cast(), n, byte, from, tag, self.raw(), &mut request.0)) }?;
        Ok(request)
    }

    /// The next message with this tag from any rank, if one has come.
    pub(crate) fn find(&self, tag: c_int) -> Result<Option<Found>, MpiError> {
        let all = constants();
        let (source, ignore, mut message) = (all.RSMPI_ANY_SOURCE, all.RSMPI_STATUS_IGNORE, all.RSMPI_MESSAGE_NULL);
        let mut flag: c_int = 0;
        mpi!(PMPI_Improbe(source, tag, self.raw(), &mut flag, &mut message, ignore))?;
        Ok((flag != 0).then_some(Found(message)))
    }
}
