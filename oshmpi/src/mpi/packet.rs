//! Messages whose sender and length the receiver does not know beforehand.

use super::{Comm, MpiError, mpi};
use ::mpi::ffi as sys;
use core::ffi::c_int;

/// A message that was started. What it moves stays where it is until it has ended.
pub(crate) struct Packet(sys::MPI_Request);

// SAFETY: a handle is a number or an address that MPI itself may use from any thread it is called from.
unsafe impl Send for Packet {}

/// What a receive has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arrived {
    pub(crate) from: u32,
    pub(crate) len: usize,
}

impl Packet {
    /// It has left: what was sent may be reused. Not to be asked again after that.
    pub(crate) fn left(&mut self) -> Result<bool, MpiError> {
        let mut flag: c_int = 0;
        // SAFETY: a constant of the shim.
        let ignore = unsafe { sys::RSMPI_STATUS_IGNORE };
        mpi!(PMPI_Test(&mut self.0, &mut flag, ignore))?;
        Ok(flag != 0)
    }

    /// What has come, if it is there. Not to be asked again after that.
    pub(crate) fn arrived(&mut self) -> Result<Option<Arrived>, MpiError> {
        let (mut flag, mut len): (c_int, c_int) = (0, 0);
        // SAFETY: numbers only, for which zeros are values.
        let mut status: sys::MPI_Status = unsafe { core::mem::zeroed() };
        mpi!(PMPI_Test(&mut self.0, &mut flag, &mut status))?;
        if flag == 0 {
            return Ok(None);
        }
        // SAFETY: a constant of the shim.
        let byte = unsafe { sys::RSMPI_UINT8_T };
        mpi!(PMPI_Get_count(&status, byte, &mut len))?;
        Ok(Some(Arrived { from: status.MPI_SOURCE as u32, len: len.max(0) as usize }))
    }

    /// Gives a receive up: MPI does not touch its room any more when this returns.
    pub(crate) fn cancel(mut self) -> Result<(), MpiError> {
        // SAFETY: a constant of the shim.
        let ignore = unsafe { sys::RSMPI_STATUS_IGNORE };
        mpi!(PMPI_Cancel(&mut self.0))?;
        mpi!(PMPI_Wait(&mut self.0, ignore))
    }
}

/// A message that has come and that nobody else receives.
pub(crate) struct Found(sys::MPI_Message);

impl Found {
    /// Starts receiving it.
    ///
    /// # Safety
    /// There is room for `len` bytes at `to`, as many as the message has or more, and nobody else uses it until the
    /// packet has arrived.
    pub(crate) unsafe fn receive(mut self, to: *mut u8, len: usize) -> Result<Packet, MpiError> {
        let n = count(len)?;
        // SAFETY: constants of the shim.
        let (byte, mut request) = unsafe { (sys::RSMPI_UINT8_T, sys::RSMPI_REQUEST_NULL) };
        mpi!(PMPI_Imrecv(to.cast(), n, byte, &mut self.0, &mut request))?;
        Ok(Packet(request))
    }
}

fn count(len: usize) -> Result<c_int, MpiError> {
    c_int::try_from(len).map_err(|_| MpiError { call: "a message of more than 2 GiB", code: 0 })
}

impl Comm {
    /// Starts sending `len` bytes.
    ///
    /// # Safety
    /// The bytes stay as they are until the packet has left.
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

    /// Starts receiving whatever comes next from anybody with this tag. Of several receives, the one that was started
    /// first gets the first message of a sender.
    ///
    /// # Safety
    /// There is room for `len` bytes at `to`, as many as any message has or more, and nobody else uses it until the
    /// packet has arrived or is cancelled.
    pub(crate) unsafe fn receive_packet(&self, tag: c_int, to: *mut u8, len: usize) -> Result<Packet, MpiError> {
        let n = count(len)?;
        // SAFETY: constants of the shim.
        let (source, byte, mut request) =
            unsafe { (sys::RSMPI_ANY_SOURCE, sys::RSMPI_UINT8_T, sys::RSMPI_REQUEST_NULL) };
        mpi!(PMPI_Irecv(to.cast(), n, byte, source, tag, self.raw(), &mut request))?;
        Ok(Packet(request))
    }

    /// The next message from anybody with this tag, if one is there.
    pub(crate) fn find_packet(&self, tag: c_int) -> Result<Option<Found>, MpiError> {
        // SAFETY: constants of the shim.
        let (source, ignore, mut message) =
            unsafe { (sys::RSMPI_ANY_SOURCE, sys::RSMPI_STATUS_IGNORE, sys::RSMPI_MESSAGE_NULL) };
        let mut flag: c_int = 0;
        mpi!(PMPI_Improbe(source, tag, self.raw(), &mut flag, &mut message, ignore))?;
        Ok((flag != 0).then_some(Found(message)))
    }
}
