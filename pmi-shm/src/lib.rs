//! Process management for parallel jobs, with the key-value store in shared memory.
//!
//! This crate knows nothing of OpenSHMEM. Today it holds what a runtime needs to start: the [`Job`] interface (who am
//! I, how many are we, what did the others publish) and [`Alone`], the job of one. The module plan for the rest:
//!
//! | module   | duty |
//! |----------|------|
//! | `job`    | the interface a runtime starts through, and the job of one |
//! | `kvs`    | the shared-memory table: two regions, offsets only, one writer, readers without a lock |
//! | `wire`   | the PMI-1 and PMI-2 line protocols, both roles |
//! | `server` | the process per node that serves Put and Fence, joined in a k-ary tree |
//! | `client` | a [`Job`] over `PMI_FD`, Get straight from shared memory where the server offers it |
//! | `capi`   | `libpmi.so.0` and `libpmi2.so.0` as drop-ins |
//!
//! `job` and `kvs` exist; the others come with the launcher.

pub mod ext;
mod job;
pub mod kvs;

pub use job::{Alone, Error, Job};
