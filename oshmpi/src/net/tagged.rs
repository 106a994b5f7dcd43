//! Tagged messages between PEs of different nodes: those of collectives, and the words of departures. The job's
//! [carrier](super::carrier) takes them. A tag tells what a message is for; messages of one tag between two PEs arrive
//! in the order in which they were sent.
//!
//! Bound: nothing is kept for a PE to which nothing was sent.

use crate::memory::local::{Dest, Source};
use crate::memory::node::{SYNC_SLOTS, UNDER_WAY};
use crate::mpi::Comm;
use crate::mpi::message::{InFlight, Kind, Unheard};
use crate::net::NetError;
use core::ffi::c_int;

/// Tag of the collectives of active sets. Below it each team has a tag, the number of its sync slot.
pub(crate) const SETS: c_int = SYNC_SLOTS as c_int;
/// Tag of the rounds in which all PEs end. A barrier of the program must not be taken for one.
pub(crate) const ENDS: c_int = SETS + 1;
/// Tag of the departures of PEs that have left.
pub(crate) const DEPARTURES: c_int = SETS + 2;
/// The first tag of requests. Each team has as many as it has requests under way.
const REQUESTS: c_int = SETS + 3;
/// The first tag that this module does not use.
pub(crate) const FREE: c_int = REQUESTS + (SYNC_SLOTS * UNDER_WAY) as c_int;

/// The tag of a request of the team with this sync slot. A request that is [`UNDER_WAY`] later has the same. A member
/// starts that one when it has sent and received all messages of the earlier one, and messages of one tag keep their
/// order.
pub(crate) fn of_request(sync_slot: usize, number: u64) -> c_int {
    REQUESTS + (sync_slot * UNDER_WAY) as c_int + (number % UNDER_WAY as u64) as c_int
}

/// What carries tagged messages. An error is one of MPI; callers end the job.
pub(crate) trait TaggedMessages {
    /// Messages of one caller that were started, some of which may have ended.
    type InFlight: Default;

    /// Starts sending bytes to a PE.
    ///
    /// # Safety
    /// The bytes can be read and do not change until `ended` has been true, or to the end of the process.
    unsafe fn send(&self, in_flight: &mut Self::InFlight, to: u32, tag: c_int, from: Source) -> Result<(), NetError>;

    /// Starts receiving bytes from a PE, which must send as many: otherwise `ended` returns an error.
    ///
    /// # Safety
    /// The bytes can be written, and nobody else uses them, until `ended` has been true, or to the end of the process.
    unsafe fn receive(&self, in_flight: &mut Self::InFlight, from: u32, tag: c_int, to: Dest) -> Result<(), NetError>;

    /// Whether all messages have ended: send buffers may then be reused, and receive buffers are filled. The caller
    /// calls again until the answer is true. Each call also makes progress.
    fn ended(&self, in_flight: &mut Self::InFlight) -> Result<bool, Unheard>;

    /// The first message that had not ended when `ended` was called last.
    fn first(in_flight: &Self::InFlight) -> Option<Kind>;

    /// Sends a PE a word, for which the caller does not wait. The word takes 8 bytes to the end of the process, over
    /// MPI also what MPI keeps of a message.
    fn send_word(&self, to: u32, tag: c_int, word: u64) -> Result<(), NetError>;

    /// The next word that a PE has sent with this tag, if one has come.
    fn next_word(&self, tag: c_int) -> Result<Option<u64>, NetError>;
}

impl TaggedMessages for Comm {
    type InFlight = InFlight;

    unsafe fn send(&self, in_flight: &mut InFlight, to: u32, tag: c_int, from: Source) -> Result<(), NetError> {
        // SAFETY: passed on to the caller.
        unsafe { self.send(in_flight, to, tag, from)? };
        Ok(())
    }

    unsafe fn receive(&self, in_flight: &mut InFlight, from: u32, tag: c_int, to: Dest) -> Result<(), NetError> {
        // SAFETY: passed on to the caller.
        unsafe { self.receive(in_flight, from, tag, to)? };
        Ok(())
    }

    fn ended(&self, in_flight: &mut InFlight) -> Result<bool, Unheard> {
        in_flight.ended()
    }

    fn first(in_flight: &InFlight) -> Option<Kind> {
        in_flight.first()
    }

    fn send_word(&self, to: u32, tag: c_int, word: u64) -> Result<(), NetError> {
        let bytes: &'static [u8; 8] = Box::leak(Box::new(word.to_ne_bytes()));
        // SAFETY: the bytes are there to the end of the process, and nobody writes to them.
        unsafe { self.send_packet(to, tag, bytes.as_ptr(), bytes.len())? };
        Ok(())
    }

    fn next_word(&self, tag: c_int) -> Result<Option<u64>, NetError> {
        let Some(found) = self.find_packet(tag)? else { return Ok(None) };
        let mut bytes = [0; 8];
        // SAFETY: a word has 8 bytes, and so has the buffer, which stays until the packet has arrived.
        let mut packet = unsafe { found.receive(bytes.as_mut_ptr(), bytes.len())? };
        while packet.arrived()?.is_none() {}
        Ok(Some(u64::from_ne_bytes(bytes)))
    }
}
