//! The communicator of all PEs over which collectives send their messages. MPI's ranks are PE numbers.

use crate::mpi::{Comm, MpiError};
use std::sync::OnceLock;

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
