//! Statics through an MPI window: made at boot when nothing better works, or on request.

use crate::mpi::{self, window::Window};
use std::sync::OnceLock;

static STATICS: OnceLock<Window> = OnceLock::new();

/// Keeps the window to the end of the process.
pub(crate) fn keep(window: Window) {
    if STATICS.set(window).is_err() {
        unreachable!("segments are made once");
    }
    mpi::life::before_end(close);
}

/// The window over the statics.
pub(crate) fn statics() -> &'static Window {
    STATICS.get().expect("a segment reached by window has one")
}

/// Lets MPI serve peers while this PE waits.
pub(crate) fn poll() {
    if let Some(window) = STATICS.get() {
        window.poll();
    }
}

/// Collective.
fn close() {
    if let Some(window) = STATICS.get() {
        window.close();
    }
}
