//! The contract of a fabric: what carries puts, gets and AMOs to the memory of PEs of other nodes. MPI's windows
//! ([`mpi`](super::mpi)) and the network's libraries ([`native`](super::native)) do it by themselves, as far as they
//! offer it. Active messages ([`am`](super::am)) have the target's CPUs do it. [`Remote`](super::Remote) chooses
//! between the two of a job and keeps the order of operations. A fabric knows neither the other one nor ledgers.
//!
//! | verb | complete at the target |
//! |---|---|
//! | `put`, `put_nbi`, `put_blocks`, `amo_nbi` | when `quiet` or `quiet_pe` has returned |
//! | `get_nbi` and results of `amo_nbi` | the bytes are here when `quiet`, `quiet_pe` or `local` has returned |
//! | `get`, `get_blocks`, `amo` | when the call has returned |

use super::NetError;
use crate::memory::addr::{Pe, Span, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::blocks::Blocks;
use crate::sync::ledger::Lane;
use crate::transport::amo::Amo;
use core::time::Duration;
use std::fmt;

/// What a fabric does on a PE's memory without that PE's CPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Offers {
    pub(crate) put: bool,
    pub(crate) get: bool,
    pub(crate) amo: bool,
}

impl Offers {
    pub(crate) const ALL: Offers = Offers { put: true, get: true, amo: true };
    pub(crate) const NONE: Offers = Offers { put: false, get: false, amo: false };

    /// Puts and gets.
    pub(crate) fn transfers(self) -> bool {
        self.put && self.get
    }

    /// As a number, which is least if the fewest operations are one-sided.
    pub(super) fn bits(self) -> u8 {
        u8::from(self.put) | u8::from(self.get) << 1 | u8::from(self.amo) << 2
    }

    pub(super) fn of_bits(n: u8) -> Offers {
        Offers { put: n & 1 != 0, get: n & 2 != 0, amo: n & 4 != 0 }
    }
}

impl fmt::Display for Offers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [put, get, amo] = [self.put, self.get, self.amo].map(|yes| if yes { "yes" } else { "no" });
        write!(f, "put {put}, get {get}, atomic operation {amo}")
    }
}

/// The memory of this PE that its peers can reach, beside its spaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exposed {
    pub(crate) heap: Span,
    /// The whole pages that hold the statics. Length 0 if they are not reachable.
    pub(crate) statics: Span,
}

/// How a fabric should carry out a transfer. A fabric to which a field means nothing ignores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct How {
    /// The source is copied, so that the call does not wait until it has left.
    pub(crate) copied: bool,
    /// The caller issues another request to this PE right after this one. Both may leave in one message.
    pub(crate) with_next: bool,
}

/// In all verbs the local buffer is as long as the range, in bytes, and the range lies inside the segment of `pe`.
/// Callers end the job with an error.
pub(crate) trait Fabric: Send + Sync {
    /// What the fabric does on a PE's memory by itself. It is asked about a PE once, and may connect to it.
    fn offers(&self, pe: Pe) -> Result<Offers, NetError>;

    /// Puts. The source may be reused when the call returns.
    fn put(&self, lane: Lane, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), NetError>;

    /// Puts. The source must stay until a quiet.
    fn put_nbi(&self, lane: Lane, range: SymRange, pe: Pe, source: Source<'static>) -> Result<(), NetError>;

    fn get(&self, lane: Lane, range: SymRange, pe: Pe, dest: Dest) -> Result<(), NetError>;

    fn get_nbi(&self, lane: Lane, range: SymRange, pe: Pe, dest: Dest<'static>) -> Result<(), NetError>;

    /// Runs an AMO on a word of 4 or 8 bytes and returns the old value.
    fn amo(&self, lane: Lane, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, NetError>;

    /// Runs an AMO on a word of 4 or 8 bytes. `old`, if there is one, gets the old value.
    fn amo_nbi(&self, lane: Lane, word: SymRange, pe: Pe, amo: Amo, old: Option<Dest<'static>>)
    -> Result<(), NetError>;

    /// Whether [`fence`](Fabric::fence) orders operations without waiting. Otherwise earlier ones have to be completed.
    fn has_fence(&self) -> bool {
        false
    }

    /// Orders what is issued to a PE later behind what was issued to it before.
    fn fence(&self, _: Lane) -> Result<(), NetError> {
        Ok(())
    }

    /// Completes what was issued to one PE on a lane.
    fn quiet_pe(&self, lane: Lane, pe: Pe) -> Result<(), NetError>;

    /// Completes what was issued to these PEs on a lane; with None, to all PEs. One call of the library for each
    /// PE that was used since its last completion, so none for others.
    fn quiet(&self, lane: Lane, pes: Option<&[Pe]>) -> Result<(), NetError>;

    /// Completes what was issued to all PEs on all lanes.
    fn quiet_all(&self) -> Result<(), NetError> {
        self.quiet(Lane::MAIN, None)
    }

    /// Polls once for requests of other PEs, and carries them out. Returns whether there was one. None: another thread
    /// is polling. In a job with messages too the fabric need not poll: their polls let the library below make
    /// progress.
    fn serve(&self) -> Option<bool> {
        Some(false)
    }

    /// Whether polls have done something since the last question, as far as the library below tells: for other PEs, or
    /// for this one. Only the progress thread asks.
    fn has_worked(&self) -> bool {
        false
    }

    /// Sends operations that the fabric may otherwise keep until a quiet. Called in waits, because the PE that this one
    /// waits for may need them.
    fn push(&self) {}

    /// Runs `serve` for the progress thread, unless a thread of the program is in a call of this fabric.
    fn beside_program(&self, serve: &mut dyn FnMut() -> Option<bool>) -> Option<bool> {
        serve()
    }

    /// Returns when the sources of puts to `pe` may be reused, and the data of gets from there has arrived.
    fn local(&self, lane: Lane, pe: Pe) -> Result<(), NetError> {
        self.quiet_pe(lane, pe)
    }

    /// What moves several blocks in one operation, if the fabric does that.
    fn blocks(&self) -> Option<&dyn BlockFabric> {
        None
    }

    /// Frees everything that the fabric has. Collective, before MPI ends.
    fn close(&self);
}

/// Operations on several blocks of the same length. The range spans from the first block to the end of the last.
pub(crate) trait BlockFabric {
    /// Bytes of the longest block that is not better put or got by itself.
    fn longest_block(&self) -> usize;

    /// Puts blocks. The source may be reused when the call returns.
    fn put_blocks(&self, range: SymRange, pe: Pe, source: Source, blocks: Blocks, how: How) -> Result<(), NetError>;

    /// Gets blocks.
    fn get_blocks(&self, range: SymRange, pe: Pe, dest: Dest, blocks: Blocks) -> Result<(), NetError>;
}

/// A fabric whose operations are messages to the target's CPUs, which carry them out in the order in which they were
/// issued.
pub(crate) trait ByMessage: Fabric {
    /// Tells a PE that operations on it by another fabric follow, for which its progress thread must be awake.
    fn announce(&self, pe: Pe) -> Result<(), NetError>;

    /// Whether an answer of a PE comes within a time. Any thread may ask, while there is a progress thread.
    fn answers(&self, pe: Pe, within: Duration) -> bool;

    /// Has a note of a tool taken by a PE. If `answer` has bytes, they are here when the call has returned. Otherwise
    /// the note may leave with the next request to the PE, before which it is taken.
    fn note(&self, pe: Pe, text: Source, answer: Dest) -> Result<(), NetError>;
}
