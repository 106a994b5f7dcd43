//! Process management for parallel jobs, with the key-value store in shared memory.
//!
//! This crate knows nothing of OpenSHMEM. A runtime starts through [`Job`] (its rank, the number of processes, what the
//! others have published), which [`client::from_env`] finds in the environment. A launcher serves jobs through
//! [`server::Server`].
//!
//! | module   | duty |
//! |----------|------|
//! | `job`    | the interface through which a runtime starts, and the job of one process |
//! | `abort`  | the call that ends a whole job |
//! | `error`  | why a call could not be served |
//! | `kvs`    | the store in shared memory: offsets only, one writer, readers without a lock |
//! | `pairs`  | pairs of byte strings in one piece of bytes |
//! | `frame`  | messages in a byte stream |
//! | `wire`   | the PMI-1 and PMI-2 protocols |
//! | `pmix`   | the data of PMIx, and its library, loaded at run time |
//! | `server` | the server of a node: Put, Fence, Gets that wait; servers form a k-ary tree |
//! | `table`  | what ranks do, as lines for people |
//! | `top`    | the live table: numbers of ranks, every few seconds |
//! | `tcp`    | options of TCP connections between hosts |
//! | `fd`     | descriptors that a process keeps for itself |
//! | `limits` | advice for errors that come from limits of processes |
//! | `client` | jobs over `OSHRUN_FD`, `PMI_FD` and PMIx; Gets read shared memory if the server offers it |

#[cfg(not(loom))]
mod abort;
#[cfg(not(loom))]
pub mod client;
#[cfg(not(loom))]
mod error;
#[cfg(not(loom))]
pub mod fd;
#[cfg(not(loom))]
pub mod files;
#[cfg(not(loom))]
pub mod frame;
#[cfg(not(loom))]
mod job;
pub mod kvs;
pub mod limits;
#[cfg(all(test, not(loom)))]
mod mangled;
#[cfg(not(loom))]
pub mod pairs;
#[cfg(not(loom))]
pub mod pmix;
#[cfg(not(loom))]
pub mod server;
#[cfg(not(loom))]
pub mod table;
#[cfg(not(loom))]
pub mod tcp;
#[cfg(not(loom))]
pub mod top;
#[cfg(not(loom))]
pub mod wire;

#[cfg(not(loom))]
pub use {
    error::Error,
    job::{BoxedJob, Job, LauncherJob, Singleton},
};
