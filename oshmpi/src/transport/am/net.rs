//! How messages travel: through MPI, or between the threads of a test.

use crate::mpi::packet::{Packet, Waiting};
use crate::mpi::{Comm, MpiError};
use core::ffi::c_int;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Request,
    /// To one message of requests.
    Answer,
}

/// Messages of one sender arrive in the order they were sent. Nothing here waits.
pub(crate) trait Net {
    fn send(&mut self, to: u32, kind: Kind, message: Vec<u8>) -> Result<(), MpiError>;
    /// The next message that is here.
    fn receive(&mut self) -> Result<Option<(u32, Kind, Vec<u8>)>, MpiError>;
    /// An empty buffer.
    fn buffer(&mut self) -> Vec<u8>;
    /// One that is not used any more.
    fn give_back(&mut self, buffer: Vec<u8>);
    /// Everything that was sent has left, as far as `receive` knows.
    fn is_sent(&self) -> bool;
}

/// Buffers kept for later.
const KEPT: usize = 32;

pub(crate) struct MpiNet {
    comm: Comm,
    /// On their way out.
    sending: Vec<(Packet, Vec<u8>)>,
    /// The one that is coming in.
    coming: Option<(Packet, Waiting, Vec<u8>)>,
    free: Vec<Vec<u8>>,
}

impl MpiNet {
    pub(super) fn new(comm: Comm) -> MpiNet {
        MpiNet { comm, sending: Vec::new(), coming: None, free: Vec::new() }
    }

    /// Lets go of what has left.
    fn retire(&mut self) -> Result<(), MpiError> {
        let mut i = 0;
        while i < self.sending.len() {
            if self.sending[i].0.ended()? {
                let (_, buffer) = self.sending.swap_remove(i);
                self.give_back(buffer);
            } else {
                i += 1;
            }
        }
        Ok(())
    }
}

fn tag(kind: Kind) -> c_int {
    match kind {
        Kind::Request => 0,
        Kind::Answer => 1,
    }
}

impl Net for MpiNet {
    fn send(&mut self, to: u32, kind: Kind, message: Vec<u8>) -> Result<(), MpiError> {
        // SAFETY: the buffer is kept as it is until the packet has ended; moving the Vec does not move its bytes.
        let mut packet = unsafe { self.comm.send_packet(to, tag(kind), message.as_ptr(), message.len())? };
        // Short ones have left already.
        if packet.ended()? {
            self.give_back(message);
        } else {
            self.sending.push((packet, message));
        }
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<(u32, Kind, Vec<u8>)>, MpiError> {
        if !self.sending.is_empty() {
            self.retire()?;
        }
        if self.coming.is_none() {
            let Some(mut what) = self.comm.next_packet()? else { return Ok(None) };
            let mut buffer = self.buffer();
            buffer.reserve(what.len);
            // SAFETY: room for its length, kept until the packet has ended.
            let packet = unsafe { self.comm.take_packet(&mut what, buffer.as_mut_ptr())? };
            self.coming = Some((packet, what, buffer));
        }
        let Some((packet, _, _)) = &mut self.coming else { return Ok(None) };
        if !packet.ended()? {
            return Ok(None);
        }
        let Some((_, what, mut buffer)) = self.coming.take() else { return Ok(None) };
        // SAFETY: MPI has filled so many bytes of what was reserved.
        unsafe { buffer.set_len(what.len) };
        let kind = if what.tag == tag(Kind::Request) { Kind::Request } else { Kind::Answer };
        Ok(Some((what.from, kind, buffer)))
    }

    fn buffer(&mut self) -> Vec<u8> {
        self.free.pop().unwrap_or_default()
    }

    fn give_back(&mut self, mut buffer: Vec<u8>) {
        if self.free.len() < KEPT {
            buffer.clear();
            self.free.push(buffer);
        }
    }

    fn is_sent(&self) -> bool {
        self.sending.is_empty()
    }
}
