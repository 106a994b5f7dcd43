//! The communicator of all PEs over which collectives send their messages. MPI's ranks are PE numbers.

use crate::mpi::{Comm, MpiError};
use core::ffi::c_int;
use std::sync::OnceLock;

/// Tag of departures that a PE has left: behind those of the collectives (`ops::coll::message_group`).
pub(crate) const DEPARTURES: c_int = crate::memory::node::SYNC_SLOTS as c_int + 2;

static COMM: OnceLock<Comm> = OnceLock::new();

/// Makes it. Collective over the job; it is kept to the end of the process.
pub(crate) fn open() -> Result<(), MpiError> {
    if COMM.set(Comm::world()?).is_err() {
        unreachable!("it is made once, at boot");
    }
    Ok(())
}

/// The communicator.
pub(crate) fn comm() -> &'static Comm {
    COMM.get().expect("a job on several nodes has made it")
}
