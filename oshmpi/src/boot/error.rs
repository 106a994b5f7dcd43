//! Errors of the start, each with the words that a user reads.

use super::launcher::Mismatch;
use crate::mpi::{MpiError, life::NoMpi};
use crate::net::MOST_PES;
use crate::net::{NativeLibrary, NetError};
use crate::state;
use pmi_shm::limits;
use std::io;

/// Why init has failed. All PEs fail together, and one of them reports it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BootError {
    #[error("another PE says why")]
    ReportedElsewhere,
    /// A call to the launcher's key-value store has failed.
    #[error(transparent)]
    Launcher(#[from] pmi_shm::Error),
    /// A call of MPI has failed.
    #[error(transparent)]
    Mpi(#[from] MpiError),
    #[error("{0}")]
    Net(#[from] NetError),
    /// MPI cannot be loaded or initialised.
    #[error(transparent)]
    NoMpi(#[from] NoMpi),
    /// A system call has failed.
    #[error(transparent)]
    System(#[from] io::Error),
    #[error("MPI has been finalized before the first shmem_init, so the job cannot be joined")]
    MpiFinalizedFirst,
    /// This process would be a job of its own where the launcher has started several.
    #[error("{0}")]
    ForeignLauncher(Mismatch),
    /// A PE has a setting that cannot be used: the line that says which.
    #[error("{0}")]
    Setting(String),
    /// A setting that must be equal on all PEs: its value on PE 0 and on the first of `others`.
    #[error("{name} differs between PEs: {on_zero} on PE 0, {on_others} on {}", list(others))]
    Differs { name: &'static str, on_zero: String, on_others: String, others: Vec<u32> },
    /// The PE info of this PE number cannot be decoded.
    #[error("PE {0} runs another version of liboshmpi")]
    OtherVersion(u32),
    #[error(
        "{} cannot share memory with PE 0 (another host, container or user), and OSHMPI_ROUTE=node is set",
        list(.0)
    )]
    NotOnOneNode(Vec<u32>),
    #[error("a heap of {heap} bytes for {pes} PEs is larger than the address space")]
    HeapsTooLarge { heap: u64, pes: usize },
    #[error("cannot map {bytes} bytes of shared memory: {source}; {}", lower_heap(source))]
    CannotMapNode { bytes: usize, source: io::Error },
    /// The memory that was opened does not have the token that its PE has announced.
    #[error("the node's shared memory is not the one announced")]
    OtherMemory,
    /// The second view of this PE's heap cannot be mapped.
    #[error("cannot map the symmetric heap: {0}; lower SHMEM_SYMMETRIC_SIZE")]
    CannotMapHeap(io::Error),
    /// More PEs than a ledger can number.
    #[error("a job on several nodes can have {MOST_PES} PEs, not {0}; start fewer, with more threads each")]
    TooManyPes(u32),
    #[error("this MPI cannot make one-sided windows between the nodes: {0}")]
    NoWindows(NetError),
    #[error("{} cannot be used: {why}; install {}, or set OSHMPI_TRANSPORT=mpi", library.name, library.needs)]
    NoLibrary { library: &'static NativeLibrary, why: String },
    #[error("{library}: the launcher does not take this PE's record: {why}")]
    NoRecord { library: &'static str, why: String },
    #[error("the PEs are on several nodes, and there is no MPI between them")]
    NoMpiBetweenNodes,
    #[error(
        "{left} KiB are left of this thread's stack, and the start needs {needed}: raise its size (ulimit -s, \
         pthread_attr_setstacksize)"
    )]
    SmallStack { left: usize, needed: usize },
    #[error("whether statics are symmetric (OSHMPI_STATICS) differs between PEs")]
    StaticsDiffer,
    /// A process that a PE has forked has called init.
    #[error("{}", state::A_CHILD)]
    Child,
    #[error("an earlier initialisation has failed")]
    FailedBefore,
    #[error("MPI, which reaches the PEs of other nodes, has been ended")]
    MpiEnded,
}

impl BootError {
    pub(super) fn by(reporter: u32, me: u32, error: BootError) -> BootError {
        if reporter == me { error } else { BootError::ReportedElsewhere }
    }
}

/// Advice for an error in which the memory of the heaps was refused.
pub(super) fn lower_heap(e: &io::Error) -> String {
    let limit = limits::advice(e).map(|advice| format!(" or {advice}"));
    format!("lower SHMEM_SYMMETRIC_SIZE{}", limit.unwrap_or_default())
}

/// "PE 3", "PEs 1, 2, 5"; of many PEs only the first few.
pub(crate) fn list(pes: &[u32]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<String> = pes.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if pes.len() > SHOWN { format!(" and {} more", pes.len() - SHOWN) } else { String::new() };
    format!("PE{} {}{more}", if pes.len() == 1 { "" } else { "s" }, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_well() {
        assert_eq!(list(&[3]), "PE 3");
        assert_eq!(list(&[1, 2]), "PEs 1, 2");
        assert_eq!(list(&(0..20).collect::<Vec<_>>()), "PEs 0, 1, 2, 3, 4, 5, 6, 7 and 12 more");
    }
}
