//! Messages of bytes between two processes, any number of them under way at a time.

use super::rma::word;
use super::{Comm, MpiError, constants, mpi, mpi_buffers, source};
use crate::memory::local::{Dest, Source};
use core::ffi::c_int;
use oshmpi_mpi_table as sys;
use smallvec::SmallVec;
use std::fmt;

/// Bytes per MPI message: counts are `int`. Longer ones travel in pieces, which MPI keeps in order.
pub(super) const PIECE: usize = 1 << 30;

/// Messages that were started, some of which may have ended.
#[derive(Default)]
pub(crate) struct InFlight {
    messages: SmallVec<[Started; AT_A_TIME]>,
    /// The number of messages at the front that have ended.
    ended: usize,
    /// Counts and displacements that MPI may read until all messages have ended.
    kept: Vec<Vec<c_int>>,
}

/// Messages of most steps of a collective: one each way. They take no allocation.
const AT_A_TIME: usize = 2;

struct Started {
    request: sys::MPI_Request,
    kind: Kind,
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
pub(crate) enum Unheard {
    Mpi(MpiError),
    /// A message was shorter than its receive buffer, part of which is not written.
    Short {
        from: u32,
        came: usize,
        wanted: usize,
    },
    /// A message was longer than its receive buffer.
    Long {
        from: u32,
        wanted: usize,
    },
}

impl From<MpiError> for Unheard {
    fn from(e: MpiError) -> Unheard {
        Unheard::Mpi(e)
    }
}

impl fmt::Display for Unheard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unheard::Mpi(e) => e.fmt(f),
            Unheard::Short { from, came, wanted } => write!(
                f,
                "{came} bytes came from PE {from} where {wanted} were expected; do all call it alike? \
                 (SHMEM_DEBUG=1 checks)"
            ),
            Unheard::Long { from, wanted } => write!(
                f,
                "more bytes came from PE {from} than the {wanted} that were expected; do all call it alike? \
                 (SHMEM_DEBUG=1 checks)"
            ),
        }
    }
}

impl InFlight {
    /// Whether all messages have ended: send buffers may then be reused, and receive buffers are filled. The caller
    /// calls again until the answer is true. Each call also lets MPI make progress.
    pub(crate) fn ended(&mut self) -> Result<bool, Unheard> {
        // One by one: an error of MPI_Testall goes to the handler of MPI_COMM_WORLD, which ends the job in MPI's words.
        // An error of MPI_Test goes to the handler of the message's communicator.
        while let Some(Started { request, kind }) = self.messages.get_mut(self.ended) {
            let kind = *kind;
            let mut flag: c_int = 0;
            let mut status = sys::MPI_Status::EMPTY;
            mpi!(PMPI_Test(request, &mut flag, &mut status)).map_err(|e| match kind {
                Kind::From { bytes, .. } if e.is_truncation() => Unheard::Long { from: source(&status), wanted: bytes },
                _ => e.into(),
            })?;
            if flag == 0 {
                return Ok(false);
            }
            if let Kind::From { bytes: wanted, .. } = kind {
                let mut came: c_int = 0;
                let byte = word(1);
                mpi!(PMPI_Get_count(&status, byte, &mut came))?;
                if came as usize != wanted {
                    let (from, came) = (source(&status), came as usize);
                    return Err(Unheard::Short { from, came, wanted });
                }
            }
            self.ended += 1;
        }
        self.messages.clear();
        self.ended = 0;
        self.kept.clear();
        Ok(true)
    }

    /// The first one that had not ended when `ended` was called last.
    pub(crate) fn first(&self) -> Option<Kind> {
        self.messages.get(self.ended).map(|started| started.kind)
    }

    /// Adds a request whose status is not examined.
    pub(super) fn push_any(&mut self, request: sys::MPI_Request) {
        self.push(request, Kind::Collective);
    }

    /// Keeps counts or displacements until all messages have ended.
    pub(super) fn keep(&mut self, numbers: Vec<c_int>) {
        self.kept.push(numbers);
    }

    fn push(&mut self, request: sys::MPI_Request, kind: Kind) {
        self.messages.push(Started { request, kind });
    }
}

impl Comm {
    /// Starts sending bytes to a rank.
    ///
    /// # Safety
    /// The bytes can be read and do not change until [`InFlight::ended`] has been true, or to the end of the process.
    pub(crate) unsafe fn send(
        &self,
        in_flight: &mut InFlight,
        to: u32,
        tag: c_int,
        from: Source,
    ) -> Result<(), MpiError> {
        let (byte, null) = (word(1), constants().RSMPI_REQUEST_NULL);
        for done in (0..from.len()).step_by(PIECE) {
            let piece = from.part(done, PIECE.min(from.len() - done));
            let (at, n) = (piece.at().cast(), piece.len() as c_int);
            let mut request = null;
            // SAFETY: the piece has `n` bytes, which the caller has promised.
            unsafe { mpi_buffers!(PMPI_Isend(at, n, byte, to as c_int, tag, self.raw(), &mut request)) }?;
            in_flight.push(request, Kind::SentTo(to));
        }
        Ok(())
    }

    /// Starts receiving bytes from a rank, which must send as many: otherwise [`InFlight::ended`] returns an error.
    ///
    /// # Safety
    /// The bytes can be written, and nobody else uses them, until [`InFlight::ended`] has been true, or to the end of
    /// the process.
    pub(crate) unsafe fn receive(
        &self,
        in_flight: &mut InFlight,
        from: u32,
        tag: c_int,
        to: Dest,
    ) -> Result<(), MpiError> {
        let (byte, null) = (word(1), constants().RSMPI_REQUEST_NULL);
        for done in (0..to.len()).step_by(PIECE) {
            let piece = to.part(done, PIECE.min(to.len() - done));
            let (at, n) = (piece.at().cast(), piece.len() as c_int);
            let mut request = null;
            // SAFETY: the piece has `n` bytes, which the caller has promised.
            unsafe { mpi_buffers!(PMPI_Irecv(at, n, byte, from as c_int, tag, self.raw(), &mut request)) }?;
            in_flight.push(request, Kind::From { pe: from, bytes: piece.len() });
        }
        Ok(())
    }
}
