//! The job's communicator: the library's one copy of MPI's world. Windows are made over it. Active messages and, where
//! MPI carries them, tagged messages travel on it, with different tags. MPI's ranks are PE numbers.

use super::tagged;
use crate::mpi::Comm;
use crate::mpi::MpiError;
use core::ffi::c_int;
use std::sync::OnceLock;

/// Tag of active messages.
pub(crate) const MESSAGES: c_int = tagged::FREE;
/// Tag of the probe of windows at the start.
pub(crate) const PROBE: c_int = tagged::FREE + 1;

static COMM: OnceLock<Comm> = OnceLock::new();

/// The communicator, made at the first call. That call is collective over the job, and comes from boot. The
/// communicator is kept to the end of the process.
pub(crate) fn made() -> Result<&'static Comm, MpiError> {
    match COMM.get() {
        Some(comm) => Ok(comm),
        None => {
            let comm = Comm::world()?;
            Ok(COMM.get_or_init(|| comm))
        }
    }
}

/// The communicator.
pub(crate) fn comm() -> &'static Comm {
    COMM.get().expect("a job whose data goes through MPI has made it")
}
