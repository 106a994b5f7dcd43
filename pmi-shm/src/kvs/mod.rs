//! The key-value store of a node in shared memory.
//!
//! The server has a [`Store`] and is the only one that writes. Every client has a [`View`] of the same memory and looks
//! keys up by itself, without a message and without a lock.
//!
//! | module   | duty |
//! |----------|------|
//! | `table`  | insert and find on words, so that the model can run them |
//! | `memory` | a memfd that clients can only read, and its mapping |
//! | `store`  | the server's side and a client's |
//!
//! Reasons and measurements: `docs/design/pmi.md`.

#![cfg_attr(loom, allow(dead_code, reason = "a model build has the algorithms only"))]

#[cfg(not(loom))]
mod memory;
#[cfg(all(test, loom))]
mod model;
#[cfg(not(loom))]
mod store;
mod table;

#[cfg(not(loom))]
pub use store::{Store, View};
pub use table::{KEY_MAX, VALUE_MAX};

use crate::limits;
use std::io;

/// Why a store could not be made, written or opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{what}: {source}{}", limits::hint(source))]
    Os { what: &'static str, source: io::Error },
    #[error("a key of {0} bytes: the store takes 1 to {KEY_MAX}")]
    Key(usize),
    #[error("a value of {0} bytes: the store takes at most {VALUE_MAX}")]
    Value(usize),
    #[error("the key-value store is full: it has {0} bytes")]
    Full(usize),
    #[error("not a key-value store that this version can read")]
    Foreign,
}

/// What a look-up has found instead of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The store has no such key now.
    Absent,
    /// Only the server can tell: the value was learnt before the last fence.
    AskServer,
}
