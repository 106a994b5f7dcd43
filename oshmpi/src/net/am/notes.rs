//! Notes: what a tool that is loaded with the program, such as the race detector, tells its own part in another PE.
//! They go by the messages of operations, in the order in which both were issued, so a note is taken before the
//! operation that is issued after it. A job without such a tool sends none.

use crate::memory::local::Source;
use std::sync::OnceLock;

/// Takes the note of a PE: `len` bytes at `text`. It writes `room` bytes to `answer`, which are zero before. It is
/// called by any thread of the process, by one at a time, and sends nothing itself.
pub(crate) type Take = extern "C" fn(from: u32, text: *const u8, len: usize, answer: *mut u8, room: usize);

static TAKER: OnceLock<Take> = OnceLock::new();

/// In jobs that start from now on, notes are taken by `take`. Only the first call counts.
pub(crate) fn take_by(take: Take) {
    let _ = TAKER.set(take);
}

/// Who takes the notes of other PEs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Notes(Option<Take>);

impl Notes {
    pub(crate) fn of_program() -> Notes {
        Notes(TAKER.get().copied())
    }

    #[cfg(test)]
    pub(super) fn of(take: Take) -> Notes {
        Notes(Some(take))
    }

    pub(crate) fn are_taken(self) -> bool {
        self.0.is_some()
    }

    /// Has a note taken. None: there is nobody.
    pub(super) fn take(self, from: u32, text: Source, answer: &mut [u8]) -> Option<()> {
        self.0?(from, text.at(), text.len(), answer.as_mut_ptr(), answer.len());
        Some(())
    }
}
