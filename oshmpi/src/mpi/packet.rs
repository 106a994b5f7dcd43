//! Messages whose sender and length the receiver does not know beforehand, one at a time.

use super::{Comm, MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::c_int;

/// A message that was started. What it moves stays where it is until it has ended.
pub(crate) struct Packet(sys::MPI_Request);

// SAFETY: a handle is a number or an address that MPI itself may use from any thread it is called from.
unsafe impl Send for Packet {}

/// A message that is here, taken out of MPI's queue: nobody else gets it.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) from: u32,
    pub(crate) tag: c_int,
    pub(crate) len: usize,
    handle: sys::MPI_Message,
}

// SAFETY: as a packet's.
unsafe impl Send for Waiting {}

impl Packet {
    /// It has ended: what was sent may be reused, what was to come is there. Not to be asked again after that.
    pub(crate) fn ended(&mut self) -> Result<bool, MpiError> {
        let mut flag: c_int = 0;
        // SAFETY: a constant of the shim.
        let ignore = unsafe { sys::RSMPI_STATUS_IGNORE };
        mpi!(PMPI_Test(&mut self.0, &mut flag, ignore))?;
        Ok(flag != 0)
    }
}

fn count(len: usize) -> Result<c_int, MpiError> {
    c_int::try_from(len).map_err(|_| MpiError { call: "a message of more than 2 GiB", code: 0 })
}

impl Comm {
    /// Starts sending `len` bytes.
    ///
    /// # Safety
    /// The bytes stay as they are until the packet has ended.
    pub(crate) unsafe fn send_packet(
        &self,
        to: u32,
        tag: c_int,
        from: *const u8,
        len: usize,
    ) -> Result<Packet, MpiError> {
        let n = count(len)?;
        // SAFETY: constants of the shim.
        let (byte, mut request) = unsafe { (sys::RSMPI_UINT8_T, sys::RSMPI_REQUEST_NULL) };
        mpi!(PMPI_Isend(from.cast(), n, byte, to as c_int, tag, self.raw(), &mut request))?;
        Ok(Packet(request))
    }

    /// The next message from anybody, if there is one, which then has to be taken. Messages of one sender come in the order
    /// they were sent.
    pub(crate) fn next_packet(&self) -> Result<Option<Waiting>, MpiError> {
        let (mut flag, mut len): (c_int, c_int) = (0, 0);
        // SAFETY: numbers only, for which zeros are values.
        let mut status: sys::MPI_Status = unsafe { core::mem::zeroed() };
        // SAFETY: constants of the shim.
        let (source, tag, byte) = unsafe { (sys::RSMPI_ANY_SOURCE, sys::RSMPI_ANY_TAG, sys::RSMPI_UINT8_T) };
        // SAFETY: as above.
        let mut handle = unsafe { sys::RSMPI_MESSAGE_NULL };
        // Matched while it is found: a look at it first and a receive for it afterwards takes a tenth longer there and back.
        mpi!(PMPI_Improbe(source, tag, self.raw(), &mut flag, &mut handle, &mut status))?;
        if flag == 0 {
            return Ok(None);
        }
        mpi!(PMPI_Get_count(&status, byte, &mut len))?;
        Ok(Some(Waiting { from: status.MPI_SOURCE as u32, tag: status.MPI_TAG, len: len.max(0) as usize, handle }))
    }

    /// Starts taking a message.
    ///
    /// # Safety
    /// There is room for its length at `to`, and nobody else uses it until the packet has ended.
    pub(crate) unsafe fn take_packet(&self, what: &mut Waiting, to: *mut u8) -> Result<Packet, MpiError> {
        let n = count(what.len)?;
        // SAFETY: constants of the shim.
        let (byte, mut request) = unsafe { (sys::RSMPI_UINT8_T, sys::RSMPI_REQUEST_NULL) };
        mpi!(PMPI_Imrecv(to.cast(), n, byte, &mut what.handle, &mut request))?;
        Ok(Packet(request))
    }
}
