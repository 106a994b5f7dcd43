//! What programs call that were compiled with `oshcc -oshmpi-inline`, before `main` and behind it.

use crate::memory::inline::{self, Numbers};
use crate::memory::translate::FAST;

/// Has a program's copy of the fast path's numbers filled in, now and whenever they change. `layout` is the version of
/// the copy; a copy of another version than the library's stays as it is.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_inline_add(copy: *mut Numbers, layout: u32) {
    if inline::add(copy, layout) {
        FAST.tell();
    }
}

/// The program, or the shared object, is leaving.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_inline_remove(copy: *mut Numbers) {
    inline::remove(copy);
}
