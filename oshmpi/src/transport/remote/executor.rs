//! The interface of executors, which carry out operations on the memory of remote PEs. [`Remote`](super::Remote)
//! chooses between executors and keeps the order of operations. An executor knows neither other executors nor ledgers.
//!
//! | verb | complete at the target |
//! |---|---|
//! | `put`, `put_nbi`, `put_blocks`, `amo_nbi` | when `quiet` or `quiet_pe` has returned |
//! | `get_nbi` and results of `amo_nbi` | the bytes are here when `quiet`, `quiet_pe` or `local_gets` has returned |
//! | `get`, `get_blocks`, `amo` | when the call has returned |

use crate::memory::addr::{Pe, SymRange};
use crate::memory::local::{Dest, Source};
use crate::mpi::MpiError;
use crate::mpi::blocks::Blocks;
use crate::transport::amo::Amo;

/// How an executor should carry out a transfer. An executor to which a field means nothing ignores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct How {
    /// The source is copied, so that the call does not wait until it has left.
    pub(crate) aside: bool,
    /// The caller issues another request to this PE right after this one. Both may leave in one message.
    pub(crate) with_next: bool,
}

/// In all verbs the local buffer is as long as the range, in bytes, and the range lies inside the segment of `pe`. An
/// error is one of MPI; callers end the job.
pub(crate) trait Executor: Send + Sync {
    /// Puts. The source may be reused when the call returns.
    fn put(&self, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), MpiError>;

    /// Puts. The source must stay until a quiet.
    fn put_nbi(&self, range: SymRange, pe: Pe, source: Source) -> Result<(), MpiError>;

    fn get(&self, range: SymRange, pe: Pe, dest: Dest) -> Result<(), MpiError>;

    fn get_nbi(&self, range: SymRange, pe: Pe, dest: Dest) -> Result<(), MpiError>;

    /// Runs an AMO on a word of 4 or 8 bytes and returns the old value.
    fn amo(&self, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, MpiError>;

    /// Runs an AMO on a word of 4 or 8 bytes. `result`, if there is one, gets the old value.
    fn amo_nbi(&self, word: SymRange, pe: Pe, amo: Amo, result: Option<Dest>) -> Result<(), MpiError>;

    /// Completes what was issued to one PE.
    fn quiet_pe(&self, pe: Pe) -> Result<(), MpiError>;

    /// Completes what was issued to these PEs; with None, to all PEs. One call of the library for each PE that was used
    /// since its last completion, so none for others.
    fn quiet(&self, pes: Option<&[Pe]>) -> Result<(), MpiError>;

    /// Whether operations to one PE are carried out in the order in which they were issued. Then a fence need not wait.
    fn keeps_order(&self) -> bool;

    /// The CPUs of a word's node carry out AMOs on it, so the PEs of that node need no executor for theirs.
    fn amos_by_cpu(&self) -> bool;

    /// Tells a PE that operations on it by another executor follow, for which its progress thread must be awake.
    fn announce(&self, _: Pe) -> Result<(), MpiError> {
        unreachable!("this executor sends no announcements")
    }

    /// Has a note of a tool taken by a PE. If `answer` has bytes, they are here when the call has returned. Otherwise
    /// the note may leave with the next request to the PE, before which it is taken.
    fn note(&self, _: Pe, _: Source, _: Dest) -> Result<(), MpiError> {
        unreachable!("this executor sends no notes")
    }

    /// Polls once for requests of other PEs, and carries them out. Returns whether there was one. None: another thread
    /// is polling.
    fn serve(&self) -> Option<bool>;

    /// Sends operations that the executor may otherwise keep until a quiet. Called in waits, because the PE that this
    /// one waits for may need them.
    fn push(&self) {}

    /// Runs `serve` for the progress thread, unless a thread of the program is in a call of this executor.
    fn beside_program(&self, serve: &mut dyn FnMut() -> Option<bool>) -> Option<bool> {
        serve()
    }

    /// Returns when the sources of puts to `pe` may be reused.
    fn local_puts(&self, pe: Pe) -> Result<(), MpiError> {
        self.quiet_pe(pe)
    }

    /// Returns when the data of gets from `pe` has arrived.
    fn local_gets(&self, pe: Pe) -> Result<(), MpiError> {
        self.quiet_pe(pe)
    }

    /// Bytes of the longest block that `put_blocks` and `get_blocks` accept; 0: the executor does not have these verbs.
    fn longest_block(&self) -> usize {
        0
    }

    /// Puts blocks. The range spans from the first block to the end of the last. The source may be reused when the call
    /// returns.
    fn put_blocks(&self, _: SymRange, _: Pe, _: Source, _: Blocks, _: How) -> Result<(), MpiError> {
        unreachable!("this executor takes no blocks")
    }

    /// Gets blocks. The range spans from the first block to the end of the last.
    fn get_blocks(&self, _: SymRange, _: Pe, _: Dest, _: Blocks) -> Result<(), MpiError> {
        unreachable!("this executor takes no blocks")
    }

    /// Frees everything that the executor has in MPI. Collective, before MPI ends.
    fn close(&self);
}
