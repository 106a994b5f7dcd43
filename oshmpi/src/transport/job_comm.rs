//! The job's communicator: the library's one copy of MPI's world. Windows are made over it. Active messages and the
//! messages of collectives travel on it, with different tags. MPI's ranks are PE numbers.

use crate::memory::node::SYNC_SLOTS;
use crate::mpi::{Comm, MpiError};
use core::ffi::c_int;
use std::sync::OnceLock;

/// Tag of the collectives of active sets. Below it each team has a tag, the number of its sync slot.
pub(crate) const SETS: c_int = SYNC_SLOTS as c_int;
/// Tag of active messages.
pub(crate) const MESSAGES: c_int = SETS + 1;
/// Tag of the rounds in which all PEs end. A barrier of the program must not be taken for one.
pub(crate) const ENDS: c_int = SETS + 2;
/// Tag of the departures of PEs that have left.
pub(crate) const DEPARTURES: c_int = SETS + 3;
/// Tag of the probe of windows at the start.
pub(crate) const PROBE: c_int = SETS + 4;

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
    COMM.get().expect("a job on several nodes has made it")
}
