//! The carrier of a job's tagged messages: MPI, over the job's communicator, or a library of the network.

use super::native::Native;
use super::tagged::TaggedMessages;
use crate::mpi::{self, Comm};
use crate::net::NetError;
use core::ffi::c_int;

/// The carrier of a job on several nodes.
#[derive(Clone, Copy)]
pub(crate) enum Carrier {
    Mpi(&'static Comm),
    Native(&'static Native),
}

impl Carrier {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Carrier::Mpi(_) => "MPI",
            Carrier::Native(native) => native.library.name,
        }
    }

    /// Its word in `OSHMPI_TRANSPORT`.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Carrier::Mpi(_) => "mpi",
            Carrier::Native(native) => native.library.word,
        }
    }

    /// Whether messages can be sent and received: false once MPI has ended under its messages.
    pub(crate) fn is_usable(self) -> bool {
        match self {
            Carrier::Mpi(_) => mpi::usable(),
            Carrier::Native(_) => true,
        }
    }

    pub(crate) fn send_word(self, to: u32, tag: c_int, word: u64) -> Result<(), NetError> {
        match self {
            Carrier::Mpi(comm) => comm.send_word(to, tag, word),
            Carrier::Native(native) => native.send_word(to, tag, word),
        }
    }

    pub(crate) fn next_word(self, tag: c_int) -> Result<Option<u64>, NetError> {
        match self {
            Carrier::Mpi(comm) => comm.next_word(tag),
            Carrier::Native(native) => native.next_word(tag),
        }
    }
}
