//! How active messages travel: as packets of MPI or UCX, or between the threads of a test.

use super::limits::LIMIT;
use crate::memory::addr::Pe;
use crate::mpi::packet::{Arrived, Packet};
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

/// A network on which messages of one sender arrive in the order in which they were sent. No call waits, but for `send`
/// over UCX to a PE that is used for the first time: it waits for that PE's record.
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

impl Net for Box<dyn Net + Send> {
    fn send(&mut self, to: Pe, kind: Kind, message: Vec<u8>) -> Result<(), MpiError> {
        (**self).send(to, kind, message)
    }

    fn receive(&mut self) -> Result<Option<(Pe, Kind, Vec<u8>)>, MpiError> {
        (**self).receive()
    }

    fn done_with(&mut self, message: Vec<u8>) -> Result<(), MpiError> {
        (**self).done_with(message)
    }

    fn buffer(&mut self) -> Vec<u8> {
        (**self).buffer()
    }

    fn is_sent(&self) -> bool {
        (**self).is_sent()
    }

    fn close(&mut self) -> Result<(), MpiError> {
        (**self).close()
    }
}

/// Unused buffers that are kept. More take more memory; fewer are allocated again more often.
const KEPT: usize = 32;
/// Receives that are posted at a time. The network has to buffer messages beyond these until one is read.
const AWAITED: usize = 4;

/// What carries the messages of a [`PacketNet`]. Messages of one sender arrive in the order in which they were sent.
pub(crate) trait Packets: Send {
    /// A message that was started. Its buffer stays in place until the message has ended.
    type Packet: Send;

    /// Starts sending a message.
    ///
    /// # Safety
    /// The bytes can be read and do not change until the packet has left.
    unsafe fn send(&self, to: Pe, message: &[u8]) -> Result<Self::Packet, MpiError>;

    /// Starts receiving the next message of any PE. The receive that was started first gets the first message.
    ///
    /// # Safety
    /// `len` bytes can be written at `to`, at least as many as any message has. Nobody else uses them until the packet
    /// has arrived or is cancelled.
    unsafe fn receive(&self, to: *mut u8, len: usize) -> Result<Self::Packet, MpiError>;

    /// As `receive`, if a message has come that no receive has got.
    ///
    /// # Safety
    /// As for `receive`.
    unsafe fn receive_found(&self, _to: *mut u8, _len: usize) -> Result<Option<Self::Packet>, MpiError> {
        unreachable!("receives of this network are posted")
    }

    /// Whether a message has left, so that its buffer may be reused. Not to be called again after true.
    fn left(&self, packet: &mut Self::Packet) -> Result<bool, MpiError>;

    /// Sender and length, once a message has arrived. Not to be called again after that.
    fn arrived(&self, packet: &mut Self::Packet) -> Result<Option<Arrived>, MpiError>;

    /// Cancels a receive. After success nobody writes to its buffer.
    fn cancel(&self, packet: Self::Packet) -> Result<(), MpiError>;
}

impl Packets for &'static Comm {
    type Packet = Packet;

    unsafe fn send(&self, to: Pe, message: &[u8]) -> Result<Packet, MpiError> {
        // SAFETY: the slice is as long as the message, and the caller keeps its bytes until the packet has left.
        unsafe { self.send_packet(to.0, MESSAGES, message.as_ptr(), message.len()) }
    }

    unsafe fn receive(&self, to: *mut u8, len: usize) -> Result<Packet, MpiError> {
        // SAFETY: nobody but MPI uses the `len` bytes until the caller has seen the packet arrive, or cancels it.
        unsafe { self.receive_packet(MESSAGES, to, len) }
    }

    unsafe fn receive_found(&self, to: *mut u8, len: usize) -> Result<Option<Packet>, MpiError> {
        let Some(found) = self.find_packet(MESSAGES)? else { return Ok(None) };
        // SAFETY: as in `receive`; no message is longer than `len`.
        unsafe { found.receive(to, len) }.map(Some)
    }

    fn left(&self, packet: &mut Packet) -> Result<bool, MpiError> {
        packet.left()
    }

    fn arrived(&self, packet: &mut Packet) -> Result<Option<Arrived>, MpiError> {
        packet.arrived()
    }

    fn cancel(&self, packet: Packet) -> Result<(), MpiError> {
        packet.cancel()
    }
}

/// A network over packets.
pub(crate) struct PacketNet<P: Packets> {
    packets: P,
    /// Receives are posted before their messages come. Otherwise a receive begins when its message was found.
    posted: bool,
    /// Messages that have not left yet.
    sending: Vec<(P::Packet, Vec<u8>)>,
    /// Receives that were begun, in the order in which they complete, with their buffers.
    awaited: VecDeque<(P::Packet, Vec<u8>)>,
    free: Vec<Vec<u8>>,
}

impl<P: Packets> PacketNet<P> {
    pub(super) fn new(packets: P, posted: bool) -> Result<PacketNet<P>, MpiError> {
        let mut net = PacketNet { packets, posted, sending: Vec::new(), awaited: VecDeque::new(), free: Vec::new() };
        for _ in 0..if posted { AWAITED } else { 0 } {
            net.await_into(Vec::new())?;
        }
        Ok(net)
    }

    /// Posts one more receive into `room`. Pages of the buffer that no message fills are never touched.
    fn await_into(&mut self, room: Vec<u8>) -> Result<(), MpiError> {
        let mut room = roomy(room);
        // SAFETY: the buffer has ROOM bytes and stays with the packet. Moving the Vec does not move its bytes.
        let packet = unsafe { self.packets.receive(room.as_mut_ptr(), ROOM)? };
        self.awaited.push_back((packet, room));
        Ok(())
    }

    /// Begins to receive the next message, if one has come.
    fn take_next(&mut self) -> Result<(), MpiError> {
        let mut room = roomy(self.buffer());
        // SAFETY: as in `await_into`.
        match unsafe { self.packets.receive_found(room.as_mut_ptr(), ROOM)? } {
            Some(packet) => self.awaited.push_back((packet, room)),
            None => self.keep(room),
        }
        Ok(())
    }

    /// Keeps a buffer that nobody uses.
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
            if self.packets.left(&mut self.sending[i].0)? {
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

/// If init fails, the network may still use the buffers while the process ends.
impl<P: Packets> Drop for PacketNet<P> {
    fn drop(&mut self) {
        core::mem::forget((core::mem::take(&mut self.awaited), core::mem::take(&mut self.sending)));
    }
}

impl<P: Packets> Net for PacketNet<P> {
    fn send(&mut self, to: Pe, kind: Kind, mut message: Vec<u8>) -> Result<(), MpiError> {
        message.push(kind as u8);
        // SAFETY: the buffer does not change until the packet has left. Moving the Vec does not move its bytes.
        let mut packet = unsafe { self.packets.send(to, &message)? };
        // A short message has left already.
        if self.packets.left(&mut packet)? {
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
        let Some(what) = self.packets.arrived(packet)? else { return Ok(None) };
        let Some((_, mut message)) = self.awaited.pop_front() else { return Ok(None) };
        // SAFETY: `what.len` bytes of the buffer are filled.
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
            if let Err(e) = self.packets.cancel(packet) {
                core::mem::forget(room); // the network may still write to it
                result = result.and(Err(e));
            }
        }
        result
    }
}
