//! Statics of a node's PEs through an MPI window: made at boot when nothing better works, or on request.

use crate::mpi::{self, Comm, MpiError, window::Window};
use std::sync::OnceLock;

static STATICS: OnceLock<Statics> = OnceLock::new();

pub(crate) struct Statics {
    comm: Comm,
    window: Window,
}

/// Makes the window over `[base, base+len)` of every PE, to the end of the process. Collective.
pub(crate) fn make(comm: Comm, base: usize, len: usize) -> Result<(), MpiError> {
    let window = Window::create(&comm, base, len)?;
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
    /// # Safety
    /// `[from, from+len)` can be read; the range lies inside the segment.
    pub(crate) unsafe fn put(&self, pe: u32, off: usize, from: *const u8, len: usize) -> Result<(), MpiError> {
        // SAFETY: passed on to the caller; the flush completes it.
        unsafe { self.window.put(pe, off, from, len)? };
        self.window.flush(pe)
    }

    /// # Safety
    /// `[to, to+len)` can be written; the range lies inside the segment.
    pub(crate) unsafe fn get(&self, pe: u32, off: usize, to: *mut u8, len: usize) -> Result<(), MpiError> {
        // SAFETY: passed on to the caller.
        unsafe { self.window.get_blocking(pe, off, to, len) }
    }
}
