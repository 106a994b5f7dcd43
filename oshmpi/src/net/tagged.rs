//! Tagged messages between PEs of different nodes: those of collectives, and the words of departures. The job's
//! [carrier](super::carrier) takes them. A tag tells what a message is for; messages of one tag between two PEs arrive
//! in the order in which they were sent.
//!
//! Bound: nothing is kept for a PE to which nothing was sent.

use crate::memory::local::{Dest, Source};
use crate::memory::node::{SYNC_SLOTS, UNDER_WAY};
use crate::mpi::message::LONGEST;
use crate::mpi::request::Request;
use crate::mpi::{Comm, MpiError};
use crate::net::NetError;
use core::ffi::c_int;
use smallvec::SmallVec;
use std::sync::OnceLock;

/// Tag of the collectives of active sets. Below it each team has a tag, the number of its sync slot.
pub(crate) const SETS: c_int = SYNC_SLOTS as c_int;
/// Tag of the rounds in which all PEs end. A barrier of the program must not be taken for one.
pub(crate) const ENDS: c_int = SETS + 1;
/// Tag of the departures of PEs that have left.
pub(crate) const DEPARTURES: c_int = SETS + 2;
/// The first tag of requests. Each team has as many as it has requests under way.
const REQUESTS: c_int = SETS + 3;
/// Tag of active messages.
pub(crate) const MESSAGES: c_int = REQUESTS + (SYNC_SLOTS * UNDER_WAY) as c_int;
/// Tag of what PEs tell each other at the start, before there are teams.
pub(crate) const START: c_int = MESSAGES + 1;

/// The tag of a request of the team with this sync slot. A request that is [`UNDER_WAY`] later has the same. A member
/// starts that one when it has sent and received all messages of the earlier one, and messages of one tag keep their
/// order.
pub(crate) fn of_request(sync_slot: usize, number: u64) -> c_int {
    REQUESTS + (sync_slot * UNDER_WAY) as c_int + (number % UNDER_WAY as u64) as c_int
}

/// The library's one copy of MPI's world. Windows are made over it. Active messages and, where MPI carries them, tagged
/// messages travel on it. MPI's ranks are PE numbers.
static JOB_COMM: OnceLock<Comm> = OnceLock::new();

/// The job's communicator, made at the first call. That call is collective over the job, and comes from boot. The
/// communicator is kept to the end of the process.
pub(crate) fn job_comm() -> Result<&'static Comm, MpiError> {
    match JOB_COMM.get() {
        Some(comm) => Ok(comm),
        None => {
            let comm = Comm::world()?;
            Ok(JOB_COMM.get_or_init(|| comm))
        }
    }
}

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    SentTo(u32),
    /// It is to bring so many bytes.
    From {
        pe: u32,
        bytes: usize,
    },
    Collective,
}

/// Why a message has failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unheard {
    #[error(transparent)]
    Failed(#[from] NetError),
    /// A message was shorter than its receive buffer, part of which is not written.
    #[error(
        "{came} bytes came from PE {from} where {wanted} were expected; do all call it alike? (SHMEM_DEBUG=1 checks)"
    )]
    Short { from: u32, came: usize, wanted: usize },
    /// A message was longer than its receive buffer.
    #[error(
        "more bytes came from PE {from} than the {wanted} that were expected; do all call it alike? (SHMEM_DEBUG=1 \
         checks)"
    )]
    Long { from: u32, wanted: usize },
}

/// What it means that a message has brought `came` bytes where `wanted` were expected: it has ended.
pub(super) fn heard(from: u32, came: usize, wanted: usize) -> Result<bool, Unheard> {
    if came == wanted { Ok(true) } else { Err(Unheard::Short { from, came, wanted }) }
}

/// Messages of most steps of a collective: one each way. They take no allocation.
const AT_A_TIME: usize = 2;

/// Messages of one caller that were started, some of which may have ended.
pub(crate) struct InFlight<R> {
    messages: SmallVec<[(R, Kind); AT_A_TIME]>,
    /// The number of messages at the front that have ended.
    ended: usize,
}

impl<R> Default for InFlight<R> {
    fn default() -> InFlight<R> {
        InFlight { messages: SmallVec::new(), ended: 0 }
    }
}

impl<R> InFlight<R> {
    /// The request of a collective of MPI.
    pub(crate) fn of_collective(request: R) -> InFlight<R> {
        InFlight { messages: SmallVec::from_iter([(request, Kind::Collective)]), ended: 0 }
    }

    /// Whether all have ended, as `one` tells of each until it is true.
    pub(super) fn have_ended(
        &mut self,
        mut one: impl FnMut(&mut R, Kind) -> Result<bool, Unheard>,
    ) -> Result<bool, Unheard> {
        while let Some((request, kind)) = self.messages.get_mut(self.ended) {
            if !one(request, *kind)? {
                return Ok(false);
            }
            self.ended += 1;
        }
        self.messages.clear();
        self.ended = 0;
        Ok(true)
    }

    /// The first message that had not ended when that was asked last.
    pub(crate) fn first(&self) -> Option<Kind> {
        self.messages.get(self.ended).map(|(_, kind)| *kind)
    }
}

/// What carries tagged messages. Callers end the job with an error.
pub(crate) trait TaggedMessages {
    /// A message that was started.
    type Request;

    /// The most bytes of a message. Longer ones go in several.
    fn longest(&self) -> usize;

    /// Starts sending a message.
    ///
    /// # Safety
    /// As for `send`.
    unsafe fn send_one(&self, to: u32, tag: c_int, from: Source) -> Result<Self::Request, NetError>;

    /// Starts receiving a message.
    ///
    /// # Safety
    /// As for `receive`.
    unsafe fn receive_one(&self, from: u32, tag: c_int, to: Dest) -> Result<Self::Request, NetError>;

    /// Whether all messages have ended: send buffers may then be reused, and receive buffers are filled. The caller
    /// calls again until the answer is true. Each call also makes progress.
    fn ended(&self, in_flight: &mut InFlight<Self::Request>) -> Result<bool, Unheard>;

    /// Nobody waits for a message.
    fn forget(&self, _: Self::Request) {}

    /// The next word that a PE has sent with this tag, if one has come.
    fn next_word(&self, tag: c_int) -> Result<Option<u64>, NetError>;

    /// Starts sending bytes to a PE.
    ///
    /// # Safety
    /// The bytes can be read and do not change until `ended` has been true, or to the end of the process.
    unsafe fn send(
        &self,
        in_flight: &mut InFlight<Self::Request>,
        to: u32,
        tag: c_int,
        from: Source,
    ) -> Result<(), NetError> {
        for first in (0..from.len()).step_by(self.longest()) {
            let piece = from.part(first, self.longest().min(from.len() - first));
            // SAFETY: passed on to the caller.
            in_flight.messages.push((unsafe { self.send_one(to, tag, piece)? }, Kind::SentTo(to)));
        }
        Ok(())
    }

    /// Starts receiving bytes from a PE, which must send as many: otherwise `ended` returns an error.
    ///
    /// # Safety
    /// The bytes can be written, and nobody else uses them, until `ended` has been true, or to the end of the process.
    unsafe fn receive(
        &self,
        in_flight: &mut InFlight<Self::Request>,
        from: u32,
        tag: c_int,
        to: Dest,
    ) -> Result<(), NetError> {
        for first in (0..to.len()).step_by(self.longest()) {
            let piece = to.part(first, self.longest().min(to.len() - first));
            let kind = Kind::From { pe: from, bytes: piece.len() };
            // SAFETY: passed on to the caller.
            in_flight.messages.push((unsafe { self.receive_one(from, tag, piece)? }, kind));
        }
        Ok(())
    }

    /// Sends a PE a word, for which the caller does not wait. The word takes 8 bytes to the end of the process, over
    /// MPI also what MPI keeps of a message.
    fn send_word(&self, to: u32, tag: c_int, word: u64) -> Result<(), NetError> {
        let bytes: &'static [u8; 8] = Box::leak(Box::new(word.to_ne_bytes()));
        // SAFETY: the bytes are there to the end of the process, and nobody writes to them.
        self.forget(unsafe { self.send_one(to, tag, Source::of_slice(bytes))? });
        Ok(())
    }
}

impl TaggedMessages for Comm {
    type Request = Request;

    fn longest(&self) -> usize {
        LONGEST
    }

    unsafe fn send_one(&self, to: u32, tag: c_int, from: Source) -> Result<Request, NetError> {
        // SAFETY: passed on to the caller.
        Ok(unsafe { Comm::send(self, to, tag, from)? })
    }

    unsafe fn receive_one(&self, from: u32, tag: c_int, to: Dest) -> Result<Request, NetError> {
        // SAFETY: passed on to the caller.
        Ok(unsafe { Comm::receive(self, Some(from), tag, to)? })
    }

    /// One by one: an error of MPI_Testall goes to the handler of MPI_COMM_WORLD, which ends the job in MPI's words. An
    /// error of MPI_Test goes to the handler of the message's communicator.
    fn ended(&self, in_flight: &mut InFlight<Request>) -> Result<bool, Unheard> {
        in_flight.have_ended(|request, kind| {
            let Kind::From { pe, bytes: wanted } = kind else {
                return Ok(request.is_done().map_err(NetError::from)?);
            };
            match request.arrived() {
                Err(e) if e.is_truncation() => Err(Unheard::Long { from: pe, wanted }),
                Err(e) => Err(Unheard::Failed(e.into())),
                Ok(None) => Ok(false),
                Ok(Some(came)) => heard(pe, came.len, wanted),
            }
        })
    }

    fn next_word(&self, tag: c_int) -> Result<Option<u64>, NetError> {
        let Some(found) = self.find(tag)? else { return Ok(None) };
        let mut bytes = [0; 8];
        // SAFETY: a word has 8 bytes, and so has the buffer, which stays until the message has arrived.
        unsafe { found.receive(Dest::of::<u8>(bytes.as_mut_ptr(), bytes.len()))? }.wait()?;
        Ok(Some(u64::from_ne_bytes(bytes)))
    }
}
