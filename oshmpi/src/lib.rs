//! `liboshmpi`: OpenSHMEM 1.6 for C, C++ and Fortran programs.
//!
//! A call goes `api` (symbol) → `ops` (meaning of the verb) → `memory` (address → segment + offset) → `transport`
//! (loads, stores and CPU atomics on the node) or `net` (to PEs of other nodes). A start goes through `boot`.
//! `ARCHITECTURE.md` at the top of the repository is the map; nothing here is a Rust API for others, who use the C
//! symbols (or the crate `shmem-sys`).

// A model run compiles the algorithms of `sync` against loom's atomics and nothing that needs the real machine.
#[cfg(not(loom))]
mod api;
#[cfg(not(loom))]
mod args;
#[cfg(not(loom))]
mod boot;
#[cfg(not(loom))]
mod ctx;
#[cfg(not(loom))]
mod diag;
#[cfg(not(loom))]
mod env;
#[cfg(not(loom))]
mod hooks;
#[cfg(not(loom))]
mod memory;
#[cfg(not(loom))]
mod mpi;
#[cfg(not(loom))]
mod net;
#[cfg(not(loom))]
mod ops;
#[cfg(not(loom))]
mod os;
#[cfg(not(loom))]
mod state;
mod sync;
#[cfg(not(loom))]
mod team;
#[cfg(not(loom))]
mod transport;
