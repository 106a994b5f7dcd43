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
