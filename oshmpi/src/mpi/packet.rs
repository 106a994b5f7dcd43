//! Messages whose sender and length the receiver does not know in advance.

use super::rma::word;
use super::{Comm, MpiError, constants, count, mpi, mpi_buffers, source};
use core::ffi::c_int;
use oshmpi_mpi_table as sys;

/// A message that was started. Its buffer stays in place until the message has ended.
pub(crate) struct Packet(sys::MPI_Request);

/// Sender and length of a message that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrived {
    pub(crate) from: u32,
    pub(crate) len: usize,
}

impl Packet {
    /// Whether the message has left, so that its buffer may be reused. Not to be called again after true.
    pub(crate) fn left(&mut self) -> Result<bool, MpiError> {
        let mut flag: c_int = 0;
        let ignore = constants().RSMPI_STATUS_IGNORE;
        mpi!(PMPI_Test(&mut self.0, &mut flag, ignore))?;
        Ok(flag != 0)
    }

    /// Sender and length, once the message has arrived. Not to be called again after that.
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

/// A message that has come and that no other call can receive.
pub(crate) struct Found(sys::MPI_Message);

impl Found {
    /// Starts receiving the message.
    ///
    /// # Safety
    /// `len` bytes can be written at `to`, at least as many as the message has. Nobody else uses them until the packet
    /// has arrived.
    pub(crate) unsafe fn receive(mut self, to: *mut u8, len: usize) -> Result<Packet, MpiError> {
        let n = count(len)?;
        let (byte, mut request) = (word(1), constants().RSMPI_REQUEST_NULL);
        // SAFETY: the caller has promised these bytes.
        unsafe { mpi_buffers!(PMPI_Imrecv(to.cast(), n, byte, &mut self.0, &mut request)) }?;
        Ok(Packet(request))
    }
}

impl Comm {
    /// Starts sending `len` bytes.
    ///
    /// # Safety
    /// The bytes can be read and do not change until the packet has left.
    pub(crate) unsafe fn send_packet(
        &self,
        to: u32,
        tag: c_int,
        from: *const u8,
        len: usize,
    ) -> Result<Packet, MpiError> {
        let n = count(len)?;
        let (byte, mut request) = (word(1), constants().RSMPI_REQUEST_NULL);
        // SAFETY: the caller has promised these bytes.
        unsafe { mpi_buffers!(PMPI_Isend(from.cast(), n, byte, to as c_int, tag, self.raw(), &mut request)) }?;
        Ok(Packet(request))
    }

    /// Starts receiving the next message with this tag from any rank. If several receives wait, the one that was
    /// started first gets the first message of a sender.
    ///
    /// # Safety
    /// `len` bytes can be written at `to`, at least as many as any message has. Nobody else uses them until the packet
    /// has arrived or is cancelled.
    pub(crate) unsafe fn receive_packet(&self, tag: c_int, to: *mut u8, len: usize) -> Result<Packet, MpiError> {
        let n = count(len)?;
        let (source, byte, mut request) = (constants().RSMPI_ANY_SOURCE, word(1), constants().RSMPI_REQUEST_NULL);
        // SAFETY: the caller has promised these bytes.
        unsafe { mpi_buffers!(PMPI_Irecv(to.cast(), n, byte, source, tag, self.raw(), &mut request)) }?;
        Ok(Packet(request))
    }

    /// The next message with this tag from any rank, if one has come.
    pub(crate) fn find_packet(&self, tag: c_int) -> Result<Option<Found>, MpiError> {
        let all = constants();
        let (source, ignore, mut message) = (all.RSMPI_ANY_SOURCE, all.RSMPI_STATUS_IGNORE, all.RSMPI_MESSAGE_NULL);
        let mut flag: c_int = 0;
        mpi!(PMPI_Improbe(source, tag, self.raw(), &mut flag, &mut message, ignore))?;
        Ok((flag != 0).then_some(Found(message)))
    }
}
