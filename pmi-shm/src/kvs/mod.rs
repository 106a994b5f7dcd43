//! The key-value store of a node in shared memory.
//!
//! The server has a [`Store`] and is the only one that writes. Every client has a [`View`] of the same memory and looks
//! keys up by itself, without a message and without a lock. The store has two regions, after the SHMEMPMI paper: the
//! *Table* (where entries lie, by hash) and the *KVS* (the entries). Both hold offsets instead of addresses, and can
//! grow. When the Table has grown it is made anew by a walk through the KVS.
//!
//! | module   | duty |
//! |----------|------|
//! | `layout` | what lies where |
//! | `line`   | offsets of ten entries in a cache line of the Table |
//! | `chain`  | insert, find and rebuild on any words, so that the model can run them |
//! | `region` | memory that clients can only read |
//! | `store`  | the server's side |
//! | `view`   | a client's side |
//! | `key`    | keys of ranks |
//!
//! Reasons and measurements: `docs/design/pmi.md`.

#![cfg_attr(loom, allow(dead_code, reason = "a model build has the algorithms only"))]

mod chain;
mod key;
mod layout;
mod line;
#[cfg(all(test, loom))]
mod model;
#[cfg(not(loom))]
mod region;
#[cfg(not(loom))]
mod store;
mod sync;
#[cfg(not(loom))]
mod view;
mod words;

pub use key::{RankKey, rank_of};
pub use layout::{KEY_MAX, VALUE_MAX};
#[cfg(not(loom))]
pub use {
    region::Guard,
    store::{Settings, Store},
    view::View,
};

use crate::limits;
use std::io;

/// Why a store could not be made, written or opened.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{what}: {source}{}", limits::hint(source))]
    Os { what: &'static str, source: io::Error },
    #[error("a key of {0} bytes: the store takes 1 to {KEY_MAX}")]
    Key(usize),
    #[error("a value of {len} bytes: at most {most} are possible")]
    Value { len: usize, most: usize },
    #[error("the key-value store is full: its offsets reach 32 GiB")]
    Full,
    #[error("not a key-value store that this version can read: {0}")]
    Foreign(String),
    #[error("the key-value store is damaged: another process has written into it")]
    Damaged,
    #[error("rank {rank} is out of range 0..{ranks}")]
    Rank { rank: u32, ranks: u32 },
}

impl Error {
    #[cfg(not(loom))]
    fn os(what: &'static str, source: io::Error) -> Error {
        Error::Os { what, source }
    }
}

impl From<chain::Damaged> for Error {
    fn from(_: chain::Damaged) -> Error {
        Error::Damaged
    }
}

/// What a look-up has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The value has this many bytes. If the buffer is shorter, it has the first part.
    Found(usize),
    /// The store has no such key now.
    Absent,
    /// The store cannot tell, but the server can. The store is being rebuilt, or the value was learnt before the last
    /// fence, or the memory is damaged.
    AskServer,
}
