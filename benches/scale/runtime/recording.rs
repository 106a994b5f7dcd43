//! What a thread writes down while it plays a member of a group: copies and combinations, which are then not done.

pub(super) use crate::os::counting::{held, uncounted};

use crate::os::counting;
use bench_scale::Program;
use std::cell::RefCell;

thread_local! {
    static PROGRAM: RefCell<Option<Program>> = const { RefCell::new(None) };
}

/// Records by `note` on a thread that records; false: the thread does not.
pub(super) fn note(note: impl FnOnce(&mut Program)) -> bool {
    uncounted(|| PROGRAM.with_borrow_mut(|program| program.as_mut().map(note).is_some()))
}

/// Bytes would be copied.
pub(super) fn copied(bytes: usize) -> bool {
    note(|program| program.copy(bytes as u64))
}

/// Bytes of elements would be combined.
pub(super) fn combined(bytes: usize) -> bool {
    note(|program| program.combine(bytes as u64))
}

/// What `body` writes down, and the most bytes that it has allocated.
pub(super) fn all_of(body: impl FnOnce()) -> (Program, usize) {
    PROGRAM.set(Some(Program::default()));
    let ((), most) = counting::most(body);
    (PROGRAM.take().expect("set above"), most)
}
