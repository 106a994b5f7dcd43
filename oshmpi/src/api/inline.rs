//! What programs that were compiled with `oshcc -oshmpi-inline` call, before `main` and after it.

use crate::memory::inline::{self, Numbers};
use crate::memory::translate::FAST;

/// Adds a program's copy of the fast path's numbers. The library writes the numbers into the copy in this call and
/// whenever they change. `layout` is the version of the copy: a copy of another version than the library's is left
/// alone.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_inline_add(copy: *mut Numbers, layout: u32) {
    if inline::add(copy, layout) {
        FAST.tell();
    }
}

/// Removes a copy: its program or shared object is unloaded.
#[unsafe(no_mangle)]
extern "C" fn oshmpi_inline_remove(copy: *mut Numbers) {
    inline::remove(copy);
}
