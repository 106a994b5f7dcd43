//! The statics of a node's PEs through an MPI window. Boot makes it if no better way works, or if `OSHMPI_STATICS`
//! requests it.

use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::window::{Use, Window};
use crate::mpi::{self, Comm, MpiError};
use crate::transport::job_comm;
use std::sync::OnceLock;

/// Set by [`make`].
static STATICS: OnceLock<Statics> = OnceLock::new();

pub(crate) struct Statics {
    comm: &'static Comm,
    window: Window,
}

/// Makes the window over `[base, base+len)` of every PE. It stays until [`close`]. Collective.
pub(crate) fn make(base: usize, len: usize) -> Result<(), MpiError> {
    let comm = job_comm::made()?;
    let window = Window::create(comm, base, len, Use::Copies)?;
    if STATICS.set(Statics { comm, window }).is_err() {
        unreachable!("segments are made once");
    }
    mpi::life::hold();
    Ok(())
}

/// The window over the statics.
pub(crate) fn statics() -> &'static Statics {
    STATICS.get().expect("a segment reached by window has one")
}

/// Lets MPI serve peers while this PE waits.
pub(crate) fn poll() {
    if let Some(statics) = STATICS.get()
        && mpi::usable()
    {
        statics.comm.poll();
    }
}

/// Closes the window, if there is one. Collective.
pub(crate) fn close() {
    if let Some(statics) = STATICS.get() {
        statics.window.close();
    }
}

impl Statics {
    /// Puts to a range of a PE's statics.
    pub(crate) fn put(&self, pe: Pe, range: SymRange, source: Source) -> Result<(), MpiError> {
        // SAFETY: the source can be read until the flush below. The range lies inside the window.
        unsafe { self.window.put(pe.0, range.off, source.at(), source.len())? };
        self.window.flush(pe.0)
    }

    /// Gets a range of a PE's statics, and lets MPI serve peers: a program may wait for them with gets or AMOs alone.
    /// Open MPI 5 serves nobody in a get of a PE's own memory.
    pub(crate) fn get(&self, pe: Pe, range: SymRange, dest: Dest) -> Result<(), MpiError> {
        self.comm.poll();
        // SAFETY: the destination can be written until the call returns, which waits for the data. The range lies
        // inside the window.
        unsafe { self.window.get_blocking(pe.0, range.off, dest.at(), dest.len()) }
    }
}
