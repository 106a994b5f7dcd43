//! Process management for parallel jobs, with the key-value store in shared memory.
//!
//! This crate knows nothing of OpenSHMEM. A runtime starts through [`Job`] (who am I, how many are we, what did the
//! others publish), which [`client::from_env`] finds in the environment; a launcher serves jobs through
//! [`server::Node`].
//!
//! | module   | duty |
//! |----------|------|
//! | `job`    | the interface a runtime starts through, and the job of one |
//! | `kvs`    | the shared-memory table: two regions, offsets only, one writer, readers without a lock |
//! | `pairs`  | keys and values behind each other, in one piece of bytes |
//! | `wire`   | the PMI-1 and PMI-2 protocols, both roles |
//! | `pmix`   | the data of PMIx, and its library, loaded at run time |
//! | `ext`    | what a server does beyond PMI-2, as state: owners of sparse keys, Gets that wait, the tree |
//! | `server` | the server of a node: Put, Fence, Get that waits; servers form a k-ary tree |
//! | `tcp`    | what every connection between hosts wants of TCP |
//! | `fd`     | descriptors that are none of the standard streams' |
//! | `limits` | what is to be done when a limit of processes is reached |
//! | `client` | jobs over `OSHRUN_FD`, `PMI_FD` and PMIx, Get straight from shared memory where the server offers it |
//!
//! `capi/` beside this crate holds `libpmi.so.0` and `libpmi2.so.0`.

#[cfg(not(loom))]
pub mod client;
pub mod ext;
pub mod fd;
#[cfg(not(loom))]
mod job;
pub mod kvs;
pub mod limits;
#[cfg(not(loom))]
pub mod pairs;
#[cfg(not(loom))]
pub mod pmix;
#[cfg(not(loom))]
pub mod server;
#[cfg(not(loom))]
pub mod tcp;
pub mod wire;

#[cfg(not(loom))]
pub use job::{Alone, Error, Job};
