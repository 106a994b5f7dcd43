//! The interface of whatever carries out operations on the memory of remote PEs. [`Remote`](super::Remote) chooses
//! between executors and keeps the order of operations; an executor knows of neither.
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

/// How an executor should carry out a transfer. An executor that does not know a difference ignores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct How {
    /// As an accumulate (MPI's): one round trip less than a put or get takes with its flush.
    pub(crate) accumulate: bool,
    /// The source is copied aside, so that the call does not wait until it has left.
    pub(crate) aside: bool,
    /// The caller's next request to this PE follows at once: both may leave together.
    pub(crate) with_next: bool,
}

/// In all verbs the local buffer is as long as the range, which lies inside the segment of `pe`.
pub(crate) trait Executor: Send + Sync {
    /// The source may be reused when it returns.
    fn put(&self, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), MpiError>;

    /// The source must stay until a quiet.
    fn put_nbi(&self, range: SymRange, pe: Pe, source: Source, how: How) -> Result<(), MpiError>;

    fn get(&self, range: SymRange, pe: Pe, dest: Dest, how: How) -> Result<(), MpiError>;

    fn get_nbi(&self, range: SymRange, pe: Pe, dest: Dest, how: How) -> Result<(), MpiError>;

    /// Gives the old value of a word of 4 or 8 bytes.
    fn amo(&self, word: SymRange, pe: Pe, amo: Amo) -> Result<u64, MpiError>;

    /// `result` gets the old value; none: nobody wants it.
    fn amo_nbi(&self, word: SymRange, pe: Pe, amo: Amo, result: Option<Dest>) -> Result<(), MpiError>;

    /// Completes what was issued to one PE.
    fn quiet_pe(&self, pe: Pe) -> Result<(), MpiError>;

    /// Completes what was issued to any PE. `pes`: those that are known to have something under way, for a hint.
    fn quiet(&self, pes: &[Pe]) -> Result<(), MpiError>;

    /// What is issued to a PE does not pass what was issued to it before: a fence has nothing to wait for.
    fn keeps_order(&self) -> bool;

    /// Polls once for what other PEs want done here. Gives whether there was something; none: another thread polls.
    fn serve(&self) -> Option<bool>;

    /// Sends off what may be kept here until a quiet: the PE that this one waits for may be waiting for just that.
    fn push(&self) {}

    /// Runs `serve` for the thread that serves while the program computes, unless the program is in the way.
    fn beside_program(&self, serve: &mut dyn FnMut() -> Option<bool>) -> Option<bool> {
        serve()
    }

    /// Sources of what was put to `pe` may be reused.
    fn local_puts(&self, pe: Pe) -> Result<(), MpiError> {
        self.quiet_pe(pe)
    }

    /// What was got from `pe` is here.
    fn local_gets(&self, pe: Pe) -> Result<(), MpiError> {
        self.quiet_pe(pe)
    }

    /// Bytes of the longest block of which `put_blocks` and `get_blocks` take many; 0: there are no such verbs.
    fn longest_block(&self) -> usize {
        0
    }

    /// The range reaches from the first block to the end of the last. The source may be reused when it returns.
    fn put_blocks(&self, _: SymRange, _: Pe, _: Source, _: Blocks, _: How) -> Result<(), MpiError> {
        unreachable!("this executor takes no blocks")
    }

    /// The range reaches from the first block to the end of the last.
    fn get_blocks(&self, _: SymRange, _: Pe, _: Dest, _: Blocks) -> Result<(), MpiError> {
        unreachable!("this executor takes no blocks")
    }

    /// Collective, before MPI ends.
    fn close(&self);
}
