//! How active messages travel: as packets of MPI or of a library of the network, or between the threads of a test.

use super::LIMIT;
use crate::memory::addr::Pe;
use crate::memory::local::{Dest, Source};
use crate::mpi::Comm;
use crate::mpi::request::{Arrived, Request};
use crate::net::NetError;
use crate::net::tagged::MESSAGES;
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PacketKind {
    Request = 0,
    /// The answer to one message of requests.
    Answer = 1,
}

/// The last byte of a message that holds its sender's record: see [`Packets::know`].
pub(crate) const RECORD: u8 = 2;

/// Bytes of a message on the network, at most. Its last byte tells its kind. All kinds have one tag, so that all
/// messages of a sender stay in order.
const ROOM: usize = LIMIT + 1;

/// Unused buffers that are kept. More take more memory; fewer are allocated again more often.
const KEPT: usize = 32;
/// Receives that are posted at a time. The network has to buffer messages beyond these until one is read.
const AWAITED: usize = 4;
/// Messages under way of which one poll finds out whether they have left. With more a poll takes longer while many are
/// under way, such as those to PEs whose connections are being made. With fewer, buffers are free again later.
const RETIRED: usize = 8;

/// What carries the messages of a [`PacketNet`]. Messages of one sender arrive in the order in which they were sent. No
/// call waits, but for `send` over a library of the network to a PE that is used for the first time and has sent
/// nothing yet: it waits for that PE's record.
pub(crate) trait Packets: Send {
    /// A message that was started. Its buffer stays in place until the message has ended.
    type Packet: Send;

    /// Starts sending a message. None: it has left already, as most short ones.
    ///
    /// # Safety
    /// The bytes can be read and do not change until the packet has left.
    unsafe fn send(&self, to: Pe, message: &[u8]) -> Result<Option<Self::Packet>, NetError>;

    /// Starts receiving the next message of any PE. The receive that was started first gets the first message.
    ///
    /// # Safety
    /// `len` bytes can be written at `to`, at least as many as any message has. Nobody else uses them until the packet
    /// has arrived or is cancelled.
    unsafe fn receive(&self, to: *mut u8, len: usize) -> Result<Self::Packet, NetError>;

    /// The record of PE `from` has come, which this PE needs to answer. A network whose PEs have records sends its own,
    /// with [`RECORD`] as the last byte, before the first message to a PE.
    fn know(&self, _from: Pe, _record: &[u8]) -> Result<(), NetError> {
        unreachable!("this network sends no records")
    }

    /// Whether a message has left, so that its buffer may be reused. Not to be called again after true.
    fn left(&self, packet: &mut Self::Packet) -> Result<bool, NetError>;

    /// Sender and length, once a message has arrived. Not to be called again after that.
    fn arrived(&self, packet: &mut Self::Packet) -> Result<Option<Arrived>, NetError>;

    /// Cancels a receive. After success nobody writes to its buffer.
    fn cancel(&self, packet: Self::Packet) -> Result<(), NetError>;
}

/// Messages of MPI on the job's communicator. With `posted`, receives are posted before their messages come. Otherwise
/// a receive begins when its message was found.
pub(crate) struct ByMpi {
    pub(super) comm: &'static Comm,
    pub(super) posted: bool,
}

/// A message of MPI.
pub(crate) enum MpiPacket {
    Begun(Request),
    /// A receive that is not posted.
    Later(Dest<'static>),
}

impl Packets for ByMpi {
    type Packet = MpiPacket;

    unsafe fn send(&self, to: Pe, message: &[u8]) -> Result<Option<MpiPacket>, NetError> {
        // SAFETY: the caller keeps the bytes until the packet has left.
        let mut packet = unsafe { self.comm.send(to.0, MESSAGES, Source::of_slice(message))? };
        Ok(if packet.is_done()? { None } else { Some(MpiPacket::Begun(packet)) })
    }

    unsafe fn receive(&self, to: *mut u8, len: usize) -> Result<MpiPacket, NetError> {
        // SAFETY: nobody but MPI uses the `len` bytes until the caller has seen the packet arrive, or cancels it.
        unsafe {
            let to = Dest::of::<u8>(to, len);
            Ok(if self.posted {
                MpiPacket::Begun(self.comm.receive(None, MESSAGES, to)?)
            } else {
                MpiPacket::Later(to)
            })
        }
    }

    fn left(&self, packet: &mut MpiPacket) -> Result<bool, NetError> {
        let MpiPacket::Begun(request) = packet else { return Ok(false) };
        Ok(request.is_done()?)
    }

    fn arrived(&self, packet: &mut MpiPacket) -> Result<Option<Arrived>, NetError> {
        if let MpiPacket::Later(to) = packet
            && let Some(found) = self.comm.find(MESSAGES)?
        {
            // SAFETY: as in `receive`; no message is longer than the room for it.
            *packet = MpiPacket::Begun(unsafe { found.receive(*to)? });
        }
        let MpiPacket::Begun(request) = packet else { return Ok(None) };
        Ok(request.arrived()?)
    }

    fn cancel(&self, packet: MpiPacket) -> Result<(), NetError> {
        let MpiPacket::Begun(request) = packet else { return Ok(()) };
        Ok(request.cancel()?)
    }
}

/// A network over packets.
pub(crate) struct PacketNet<P: Packets> {
    packets: P,
    /// Messages that have not left yet, as far as this PE has found out.
    sending: Vec<(P::Packet, Vec<u8>)>,
    /// The index in `sending` of the one to look at next.
    next: usize,
    /// Receives, in the order in which they complete, with their buffers.
    awaited: VecDeque<(P::Packet, Vec<u8>)>,
    free: Vec<Vec<u8>>,
}

impl<P: Packets> PacketNet<P> {
    pub(super) fn new(packets: P) -> Result<PacketNet<P>, NetError> {
        let (sending, awaited, free) = (Vec::new(), VecDeque::new(), Vec::new());
        let mut net = PacketNet { packets, sending, next: 0, awaited, free };
        (0..AWAITED).try_for_each(|_| net.await_into(Vec::new()))?;
        Ok(net)
    }

    /// Takes back the buffer of a message, for one more receive. Pages that no message fills are never touched.
    pub(super) fn await_into(&mut self, mut room: Vec<u8>) -> Result<(), NetError> {
        room.clear();
        room.reserve(ROOM);
        // SAFETY: the buffer has ROOM bytes and stays with the packet. Moving the Vec does not move its bytes.
        let packet = unsafe { self.packets.receive(room.as_mut_ptr(), ROOM)? };
        self.awaited.push_back((packet, room));
        Ok(())
    }

    /// Keeps a buffer that nobody uses.
    fn keep(&mut self, mut buffer: Vec<u8>) {
        if self.free.len() < KEPT {
            buffer.clear();
            self.free.push(buffer);
        }
    }

    /// Takes back the buffers of messages that have left. Looks at up to [`RETIRED`] messages, in turn.
    fn retire(&mut self) -> Result<(), NetError> {
        for _ in 0..RETIRED.min(self.sending.len()) {
            if self.next >= self.sending.len() {
                self.next = 0;
            }
            if self.packets.left(&mut self.sending[self.next].0)? {
                let (_, buffer) = self.sending.swap_remove(self.next);
                self.keep(buffer);
            } else {
                self.next += 1;
            }
        }
        Ok(())
    }

    pub(super) fn send(&mut self, to: Pe, kind: PacketKind, mut message: Vec<u8>) -> Result<(), NetError> {
        message.push(kind as u8);
        // SAFETY: the buffer does not change until the packet has left. Moving the Vec does not move its bytes.
        match unsafe { self.packets.send(to, &message)? } {
            None => self.keep(message),
            Some(packet) => self.sending.push((packet, message)),
        }
        Ok(())
    }

    /// The next message that has come, if there is one.
    pub(super) fn receive(&mut self) -> Result<Option<(Pe, PacketKind, Vec<u8>)>, NetError> {
        if !self.sending.is_empty() {
            self.retire()?;
        }
        while let Some((packet, _)) = self.awaited.front_mut()
            && let Some(what) = self.packets.arrived(packet)?
            && let Some((_, mut message)) = self.awaited.pop_front()
        {
            // SAFETY: `what.len` bytes of the buffer are filled.
            unsafe { message.set_len(what.len) };
            let (from, kind) = (Pe(what.from), message.pop());
            if kind == Some(RECORD) {
                self.packets.know(from, &message)?;
                self.await_into(message)?;
                continue;
            }
            let is_answer = kind == Some(PacketKind::Answer as u8);
            return Ok(Some((from, if is_answer { PacketKind::Answer } else { PacketKind::Request }, message)));
        }
        Ok(None)
    }

    /// An empty buffer for a message to send.
    pub(super) fn buffer(&mut self) -> Vec<u8> {
        self.free.pop().unwrap_or_default()
    }

    /// Whether everything that was sent has left, as far as `receive` has noticed.
    pub(super) fn is_sent(&self) -> bool {
        self.sending.is_empty()
    }

    /// Cancels the receives. Called when no message can come.
    pub(super) fn close(&mut self) -> Result<(), NetError> {
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

/// If init fails, the network may still use the buffers while the process ends.
impl<P: Packets> Drop for PacketNet<P> {
    fn drop(&mut self) {
        core::mem::forget((core::mem::take(&mut self.awaited), core::mem::take(&mut self.sending)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    /// A network to PEs whose connections are being made: no message leaves before `open`. What has come is `came`.
    #[derive(Default)]
    struct Slow {
        asked: AtomicUsize,
        open: AtomicUsize,
        came: std::sync::Mutex<VecDeque<Vec<u8>>>,
        known: std::sync::Mutex<Vec<Vec<u8>>>,
    }

    impl Packets for &'static Slow {
        type Packet = usize;

        unsafe fn send(&self, _: Pe, _: &[u8]) -> Result<Option<usize>, NetError> {
            Ok(Some(0))
        }

        unsafe fn receive(&self, to: *mut u8, _: usize) -> Result<usize, NetError> {
            Ok(to.expose_provenance())
        }

        fn know(&self, _: Pe, record: &[u8]) -> Result<(), NetError> {
            self.known.lock().unwrap().push(record.to_vec());
            Ok(())
        }

        fn left(&self, _: &mut usize) -> Result<bool, NetError> {
            self.asked.fetch_add(1, Relaxed);
            Ok(self.open.load(Relaxed) == 1)
        }

        fn arrived(&self, at: &mut usize) -> Result<Option<Arrived>, NetError> {
            let Some(message) = self.came.lock().unwrap().pop_front() else { return Ok(None) };
            // SAFETY: the buffer of a receive, which has room for every message.
            unsafe { core::ptr::with_exposed_provenance_mut::<u8>(*at).copy_from(message.as_ptr(), message.len()) };
            Ok(Some(Arrived { from: 1, len: message.len() }))
        }

        fn cancel(&self, _: usize) -> Result<(), NetError> {
            Ok(())
        }
    }

    fn net() -> (&'static Slow, PacketNet<&'static Slow>) {
        let slow: &'static Slow = Box::leak(Box::default());
        (slow, PacketNet::new(slow).unwrap())
    }

    /// However many messages have not left, a poll looks at no more than [`RETIRED`]; all are found in the end.
    #[test]
    fn a_poll_does_not_look_at_all_messages() {
        let (slow, mut net) = net();
        for pe in 0..1000 {
            net.send(Pe(pe), PacketKind::Request, Vec::new()).unwrap();
        }
        slow.asked.store(0, Relaxed);
        assert!(net.receive().unwrap().is_none());
        assert_eq!(slow.asked.load(Relaxed), RETIRED);
        slow.open.store(1, Relaxed);
        (0..1000 / RETIRED).for_each(|_| assert!(net.receive().unwrap().is_none()));
        assert!(net.is_sent());
    }

    /// A record goes to the network, and the message behind it to the caller.
    #[test]
    fn a_record_comes_before_a_message() {
        let (slow, mut net) = net();
        slow.came.lock().unwrap().extend([vec![9, 9, RECORD], vec![7, PacketKind::Request as u8]]);
        let (from, kind, message) = net.receive().unwrap().unwrap();
        assert_eq!((from, kind, message), (Pe(1), PacketKind::Request, vec![7]));
        assert_eq!(*slow.known.lock().unwrap(), [[9, 9]]);
    }
}
