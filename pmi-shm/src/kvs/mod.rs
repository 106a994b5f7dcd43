//! The key-value store of a node in shared memory.
//!
//! The server has a [`Store`] and is the only one that writes; every client has a [`View`] of the same memory and looks
//! keys up by itself, without a message and without a lock. The store is two regions, after the SHMEMPMI paper: the
//! *Table* (where entries lie, by hash) and the *KVS* (entries). Both hold offsets only and grow where they are; when the Table has grown
//! it is made anew by a walk through the KVS. For comparison there is the variant with a single region,
//! [`Regions::One`], which must be copied when its buckets no longer suffice.
//!
//! | module   | duty |
//! |----------|------|
//! | `layout` | what lies where |
//! | `line`   | ten entries' places in a cache line of the Table |
//! | `chain`  | insert, find, rebuild: on any words, so that the model can run them |
//! | `region` | memory that clients can read and nothing else |
//! | `store`  | the server's side |
//! | `view`   | a client's side |
//! | `gather` | the region of an allgather: an array, no keys |
//! | `key`    | keys of ranks |
//!
//! Reasons and measurements: `docs/design/kvs.md`.

#![cfg_attr(loom, allow(dead_code, reason = "a model build has the algorithms only"))]

mod chain;
#[cfg(not(loom))]
mod gather;
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
    gather::{Gather, GatherView, Slots},
    region::Guard,
    store::{Regions, Settings, Store},
    view::View,
};

use crate::limits;
use std::fmt;
use std::io;

/// Why a store could not be made, written or opened.
#[derive(Debug)]
pub enum Error {
    /// The system refused; `what` says what was tried.
    Os { what: &'static str, source: io::Error },
    /// A key must have 1 to [`KEY_MAX`] bytes; this many it had.
    Key(usize),
    /// A value must have at most [`VALUE_MAX`] bytes, or what an allgather was told; this many it had.
    Value { len: usize, most: usize },
    /// A region would be larger than its 32-bit offsets reach (32 GiB).
    Full,
    /// The descriptor is not of a store of ours, or of another version: what is wrong with it.
    Foreign(String),
    /// Somebody else has written into the store.
    Damaged,
    /// A rank that an allgather does not have.
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Os { what, source } => match limits::advice(source) {
                Some(advice) => write!(f, "{what}: {source}; {advice}"),
                None => write!(f, "{what}: {source}"),
            },
            Error::Key(len) => write!(f, "a key of {len} bytes: the store takes 1 to {KEY_MAX}"),
            Error::Value { len, most } => write!(f, "a value of {len} bytes: at most {most} are possible"),
            Error::Full => write!(f, "the key-value store is full: its offsets reach 32 GiB"),
            Error::Foreign(why) => write!(f, "not a key-value store that this version can read: {why}"),
            Error::Damaged => write!(f, "the key-value store is damaged: another process has written into it"),
            Error::Rank { rank, ranks } => write!(f, "rank {rank} is out of range 0..{ranks}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Os { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// What a look into the store told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The value has this many bytes. Of a longer value the buffer has the first part.
    Found(usize),
    /// The store has no such key now.
    Absent,
    /// The store cannot tell: it is being rebuilt, or the value was learnt before the last fence, or the memory is
    /// damaged. The server can.
    AskServer,
}
