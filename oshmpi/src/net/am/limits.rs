//! Limits of messages.

use super::wire::HEAD;

/// Bytes of a message at most, and of its answer: a buffer of this size is ready for each that may come. A larger limit
/// takes more memory; a smaller one splits more transfers.
pub(super) const LIMIT: usize = 64 << 10;
/// Bytes that a put or a get moves with one message. Longer ones go in several.
pub(super) const PIECE: usize = LIMIT - HEAD;
/// Messages to one PE, at most, whose answers have not come. Further requests wait at the sender. With fewer the
/// network is idle between messages; with more the target needs more buffers.
pub(super) const DEPTH: usize = 4;
/// While fewer messages than this are unanswered, a request leaves at once. Further short requests are gathered. Two
/// let data and the flag that is put after it leave at once.
pub(super) const AT_ONCE: usize = 2;
/// Bytes of requests, or of their answers, with which a message leaves although [`AT_ONCE`] are unanswered. Fewer bytes
/// wait for more requests.
pub(super) const LOAD: usize = 16 << 10;
/// Messages that one poll serves at most. A higher limit delays the caller longer; a lower one leaves peers waiting.
pub(super) const SERVED: usize = 64;
/// Polls, at most, until answers have left at the end of the process. A peer that has ended takes no answer.
pub(super) const POLLS_AT_END: u32 = 10_000;
/// Polls of a wait between two pushes of operations that the fabric keeps. An answer that is already on its way comes
/// within fewer polls.
pub(super) const POLLS_BEFORE_PUSH: u32 = 64;
/// While requests are gathered, the network is polled once for this many of them: a poll costs as much as some tens of
/// requests.
pub(super) const GATHERED: u64 = 64;
