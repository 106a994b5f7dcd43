//! How much travels at a time.

use super::wire::HEAD;

/// Bytes of a message at most, and of its answer: so much room stands ready for each that may come.
pub(super) const LIMIT: usize = 64 << 10;
/// Bytes that a put or a get moves with one message; longer ones go in several.
pub(super) const PIECE: usize = LIMIT - HEAD;
/// Messages to one PE that may wait for their answers; then further requests wait here. Fewer leave the network idle.
pub(super) const DEPTH: usize = 4;
/// While so many messages are under way or fewer, a further one leaves whatever it holds: data, and the flag that is
/// put behind the data. Behind them short requests are gathered.
pub(super) const AT_ONCE: usize = 2;
/// Bytes, or bytes of answers, that are worth a message while [`AT_ONCE`] are under way; fewer wait for company.
pub(super) const LOAD: usize = 16 << 10;
/// Messages that one poll serves at most: the caller has its own work.
pub(super) const SERVED: usize = 64;
/// Polls for answers to leave at the end of the process. A peer that is gone takes no answer.
pub(super) const POLLS_AT_END: u32 = 10_000;
/// Polls of a wait between two pushes of what windows keep: an answer that is on its way comes in fewer.
pub(super) const POLLS_BEFORE_PUSH: u32 = 64;
/// While requests are being gathered, one poll of the network for so many of them: it costs as much as some tens.
pub(super) const GATHERED: u64 = 64;
