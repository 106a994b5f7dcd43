//! The sizes at which the way of a transfer changes. All in bytes, but for [`BLOCKS`]. They were measured between two
//! hosts with MPICH over TCP and OFI; [`choose`](super::choose) is the one reader.
//!
//! | up to | transfer | goes | longer ones |
//! |---|---|---|---|
//! | [`COPIED`] | put through a window | from a copy, and the call returns at once | the call waits until the source has left |
//! | [`SHORT`] | put, nonblocking get, where the target takes part in windows | by message | through a window |
//! | [`SHORT`] | put with signal, where messages carry out AMOs | by message, with its signal | through a window, then a quiet |
//! | [`SHORT_PUT`] | first put to a PE after a quiet | as an accumulate | as a put |
//! | [`SHORT_GET`] | first nonblocking get from a PE after a quiet; blocking get above [`SHORTEST_GET`] | as an accumulate | as a get |

/// A put of so many bytes is copied aside: the copy costs less than a wait for the network does.
pub(super) const COPIED: usize = 8192;

/// A message of so many bytes costs less than a put and a flush in which the target takes part. Longer ones would
/// be copied once more at either end.
pub(super) const SHORT: usize = 16 << 10;

/// A put of so many bytes as an accumulate saves a round trip in the flush. A longer one goes in several packets, and
/// accumulates of several packets are slower than puts.
pub(super) const SHORT_PUT: usize = 32 << 10;

/// A get of so many bytes as an accumulate, which changes nothing, saves a round trip.
pub(super) const SHORT_GET: usize = 64 << 10;

/// A blocking get of so many bytes comes in one round trip anyway: as a get.
pub(super) const SHORTEST_GET: usize = 4 << 10;

/// From this number of blocks on, they go in one operation. Fewer are faster one by one: making and freeing two
/// datatypes costs as much as two to four operations.
pub(super) const BLOCKS: usize = 4;
