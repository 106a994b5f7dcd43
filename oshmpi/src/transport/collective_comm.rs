//! Messages between PEs that do not share a node, over a communicator of our own: collectives are made of them. MPI's
//! ranks are PE numbers.

use crate::mpi::{Comm, MpiError};
use std::sync::OnceLock;

static COMM: OnceLock<Comm> = OnceLock::new();

/// Opens the post. Collective over the job; kept to the end of the process.
pub(crate) fn open() -> Result<(), MpiError> {
    if COMM.set(Comm::world()?).is_err() {
        unreachable!("the post is opened once, at boot");
    }
    Ok(())
}

/// Where messages go.
pub(crate) fn comm() -> &'static Comm {
    COMM.get().expect("a job with members elsewhere has opened the post")
}
