//! The runtime of programs that `oshcc -oshmpi-race` has built. The compiler has put a call before each load and store
//! (those of ThreadSanitizer), which this library implements; and each `shmem_` routine is first a function of this
//! library, which notes what the routine reads, writes and orders, and then calls `pshmem_`.
//!
//! * `c/instrumented.c`: what compilers call; `c/intercepted.c`: the C library and threads; `c/openmp.c`, `c/ompt.c`:
//!   OpenMP of gcc and of clang;
//! * the functions before the routines, which `cargo xtask install` generates from `spec/race.effects`;
//! * [`memory`]: which shadow an address has; [`node`]: what the PEs of the node share;
//! * [`thread`]: the calling thread; [`effects`] and [`collective`]: what the routines do, over `oshmpi_race::order`;
//! * [`far`]: what PEs of different nodes tell each other;
//! * [`site`]: places in the program; [`symbols`]: their names; [`report`]: races as text and JSON; [`options`].

pub mod collective;
pub mod effects;
pub mod far;
pub mod memory;
pub mod node;
pub mod options;
pub mod report;
pub mod site;
pub mod symbols;
pub mod sync;
pub mod thread;

/// What the library and the generated functions have. The unit tests are linked without them, and call none of it.
#[cfg(test)]
mod not_linked {
    #[unsafe(no_mangle)]
    extern "C" fn oshmpi_tool_notes(_take: extern "C" fn(u32, *const u8, usize, *mut u8, usize)) {}

    #[unsafe(no_mangle)]
    extern "C" fn oshmpi_tool_slot(_pe: i32) -> i32 {
        -1
    }

    #[unsafe(no_mangle)]
    extern "C" fn oshmpi_race_stack() -> *mut core::ffi::c_void {
        core::ptr::null_mut()
    }

    #[unsafe(export_name = "oshmpi_race_routines")]
    static ROUTINES: [usize; 0] = [];
}
