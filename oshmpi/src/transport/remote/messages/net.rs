//! How active messages travel: through MPI, or between the threads of a test.

use super::limits::LIMIT;
use crate::memory::addr::Pe;
use crate::mpi::packet::Packet;
use crate::mpi::{Comm, MpiError};
use crate::transport::job_comm::MESSAGES;
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Request = 0,
    /// The answer to one message of requests.
    Answer = 1,
}

/// Bytes of a message on the network, at most. Its last byte tells its kind. Both kinds have one tag, so that all
/// messages of a sender stay in order.
const ROOM: usize = LIMIT + 1;

/// A network on which messages of one sender arrive in the order in which they were sent. No call waits.
pub(crate) trait Net {
    fn send(&mut self, to: Pe, kind: Kind, message: Vec<u8>) -> Result<(), MpiError>;
    /// The next message that has come, if there is one.
    fn receive(&mut self) -> Result<Option<(Pe, Kind, Vec<u8>)>, MpiError>;
    /// Takes back the buffer of a message that `receive` has returned.
    fn done_with(&mut self, message: Vec<u8>) -> Result<(), MpiError>;
    /// An empty buffer for a message to send.
    fn buffer(&mut self) -> Vec<u8>;
    /// Whether everything that was sent has left, as far as `receive` has noticed.
    fn is_sent(&self) -> bool;
    /// Cancels the receives. Called when no message can come.
    fn close(&mut self) -> Result<(), MpiError>;
}

/// Unused buffers that are kept. More take more memory; fewer are allocated again more often.
const KEPT: usize = 32;
/// Receives that are posted at a time. MPI has to buffer messages beyond these until one is read.
const AWAITED: usize = 4;

pub(crate) struct MpiNet {
    comm: &'static Comm,
    /// Receives are posted before their messages come.
    posted: bool,
    /// Messages that have not left yet.
    sending: Vec<(Packet, Vec<u8>)>,
    /// Receives that were begun, in the order in which they complete, with their buffers.
    awaited: VecDeque<(Packet, Vec<u8>)>,
    free: Vec<Vec<u8>>,
}

impl MpiNet {
    pub(super) fn new(comm: &'static Comm, posted: bool) -> Result<MpiNet, MpiError> {
        let mut net = MpiNet { comm, posted, sending: Vec::new(), awaited: VecDeque::new(), free: Vec::new() };
        for _ in 0..if posted { AWAITED } else { 0 } {
            net.await_into(Vec::new())?;
        }
        Ok(net)
    }

    /// Posts one more receive into `room`. Pages of the buffer that no message fills are never touched.
    fn await_into(&mut self, room: Vec<u8>) -> Result<(), MpiError> {
        let mut room = roomy(room);
        // SAFETY: the buffer has ROOM bytes and stays with the packet. Moving the Vec does not move its bytes.
        let packet = unsafe { self.comm.receive_packet(MESSAGES, room.as_mut_ptr(), ROOM)? };
        self.awaited.push_back((packet, room));
        Ok(())
    }

    /// Begins to receive the next message, if a probe finds one.
    fn take_next(&mut self) -> Result<(), MpiError> {
        let Some(found) = self.comm.find_packet(MESSAGES)? else { return Ok(()) };
        let mut room = roomy(self.buffer());
        // SAFETY: as in `await_into`.
        let packet = unsafe { found.receive(room.as_mut_ptr(), ROOM)? };
        self.awaited.push_back((packet, room));
        Ok(())
    }

    /// Keeps a buffer whose message has left.
    fn keep(&mut self, mut buffer: Vec<u8>) {
        if self.free.len() < KEPT {
            buffer.clear();
            self.free.push(buffer);
        }
    }

    /// Takes back the buffers of messages that have left.
    fn retire(&mut self) -> Result<(), MpiError> {
        let mut i = 0;
        while i < self.sending.len() {
            if self.sending[i].0.left()? {
                let (_, buffer) = self.sending.swap_remove(i);
                self.keep(buffer);
            } else {
                i += 1;
            }
        }
        Ok(())
    }
}

/// A buffer for a message of any length.
fn roomy(mut buffer: Vec<u8>) -> Vec<u8> {
    buffer.clear();
    buffer.reserve(ROOM);
    buffer
}

/// If init fails, MPI may still use the buffers while the process ends.
impl Drop for MpiNet {
    fn drop(&mut self) {
        core::mem::forget((core::mem::take(&mut self.awaited), core::mem::take(&mut self.sending)));
    }
}

impl Net for MpiNet {
    fn send(&mut self, to: Pe, kind: Kind, mut message: Vec<u8>) -> Result<(), MpiError> {
        message.push(kind as u8);
        // SAFETY: the buffer does not change until the packet has left. Moving the Vec does not move its bytes.
        let mut packet = unsafe { self.comm.send_packet(to.0, MESSAGES, message.as_ptr(), message.len())? };
        // A short message has left already.
        if packet.left()? {
            self.keep(message);
        } else {
            self.sending.push((packet, message));
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<(Pe, Kind, Vec<u8>)>, MpiError> {
        if !self.sending.is_empty() {
            self.retire()?;
        }
        if !self.posted && self.awaited.is_empty() {
            self.take_next()?;
        }
        let Some((packet, _)) = self.awaited.front_mut() else { return Ok(None) };
        let Some(what) = packet.arrived()? else { return Ok(None) };
        let Some((_, mut message)) = self.awaited.pop_front() else { return Ok(None) };
        // SAFETY: MPI has filled `what.len` bytes of the buffer.
        unsafe { message.set_len(what.len) };
        let kind = if message.pop() == Some(Kind::Answer as u8) { Kind::Answer } else { Kind::Request };
        Ok(Some((Pe(what.from), kind, message)))
    }

    fn done_with(&mut self, message: Vec<u8>) -> Result<(), MpiError> {
        if self.posted {
            return self.await_into(message);
        }
        self.keep(message);
        Ok(())
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.free.pop().unwrap_or_default()
    }

    fn is_sent(&self) -> bool {
        self.sending.is_empty()
    }

    fn close(&mut self) -> Result<(), MpiError> {
        let mut result = Ok(());
        while let Some((packet, room)) = self.awaited.pop_front() {
            if let Err(e) = packet.cancel() {
                core::mem::forget(room); // MPI may still write to it
                result = result.and(Err(e));
            }
        }
        result
    }
}
