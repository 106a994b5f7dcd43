//! The sizes at which the way of a transfer changes, in bytes except [`BLOCKS`]. They were measured between two hosts
//! with MPICH over TCP and OFI. Only [`choose`](super::choose) reads them.
//!
//! | up to | transfer | goes | longer ones |
//! |---|---|---|---|
//! | [`COPIED`] | put through a window | from a copy, and the call returns at once | the call waits until the source has left |
//! | [`SHORT`] | put, nonblocking get, where the target takes part in windows | by message | through a window |
//! | [`SHORT`] | put with signal, where messages carry out AMOs | by message, with its signal | through a window, then a quiet |
//! | [`SHORT_PUT`] | first put to a PE after a quiet | as an accumulate | as a put |
//! | [`SHORT_PUT`] | blocking put, where puts of [`SHORT`] go by message | as above | by message |
//! | [`SHORT_GET`] | first nonblocking get from a PE after a quiet; blocking get above [`SHORTEST_GET`] | as an accumulate | as a get |

/// A put of up to this many bytes is copied: the copy costs less than a wait for the network.
pub(super) const COPIED: usize = 8192;

/// A message of up to this many bytes costs less than a put and a flush in which the target takes part. Longer data
/// would be copied once more at both ends.
pub(super) const SHORT: usize = 16 << 10;

/// A put of up to this many bytes saves a round trip in the flush if it goes as an accumulate. A longer one goes in
/// several packets, and accumulates of several packets are slower than puts. Over TCP, MPICH cuts its puts into pieces
/// of 8 KiB. Messages are up to 64 KiB long.
pub(super) const SHORT_PUT: usize = 32 << 10;

/// A get of up to this many bytes saves a round trip if it goes as an accumulate that changes nothing. Longer ones are
/// faster as gets.
pub(super) const SHORT_GET: usize = 64 << 10;

/// A blocking get of up to this many bytes takes one round trip as a plain get.
pub(super) const SHORTEST_GET: usize = 4 << 10;

/// From this number of blocks on, they go in one operation. Fewer are faster one by one: making and freeing two
/// datatypes costs as much as two to four operations.
pub(super) const BLOCKS: usize = 4;
