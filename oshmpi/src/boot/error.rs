//! Errors of the start, each with the words that a user reads.

use super::launcher::Mismatch;
use crate::mpi::{MpiError, life::NoMpi};
use crate::state;
use crate::transport::remote::MOST_PES;
use pmi_shm::limits;
use std::fmt;
use std::io;

/// Why init has failed. All PEs fail together, and one of them reports it.
#[derive(Debug)]
pub(crate) enum BootError {
    /// Another PE reports the failure.
    ReportedElsewhere,
    /// A call to the launcher's key-value store has failed.
    Launcher(pmi_shm::Error),
    /// A call of MPI has failed.
    Mpi(MpiError),
    /// MPI cannot be loaded or initialised.
    NoMpi(NoMpi),
    /// A system call has failed.
    System(io::Error),
    /// The program has ended MPI before its first init.
    MpiFinalizedFirst,
    /// MPI sees one process where the launcher has started several.
    ForeignLauncher(Mismatch),
    /// A PE has a setting that cannot be used: the line that says which.
    Setting(String),
    /// A setting that must be equal on all PEs: its value on PE 0 and on the first of `others`.
    Differs { name: &'static str, on_zero: String, on_others: String, others: Vec<u32> },
    /// The PE info of this PE number cannot be decoded: that PE runs another version of the library.
    OtherVersion(u32),
    /// With `OSHMPI_ROUTE=node`: PEs that share no memory with PE 0.
    NotOnOneNode(Vec<u32>),
    /// The node's memory does not fit into the address space: `pes` heaps of `heap` bytes each.
    HeapsTooLarge { heap: u64, pes: usize },
    /// The node's memory of `bytes` bytes cannot be mapped.
    CannotMapNode { bytes: usize, source: io::Error },
    /// The memory that was opened does not have the token that its PE has announced.
    OtherMemory,
    /// The second view of this PE's heap cannot be mapped.
    CannotMapHeap(io::Error),
    /// A job of this many PEs on several nodes: more than a ledger can number.
    TooManyPes(u32),
    /// The windows of a job on several nodes cannot be made.
    NoWindows(MpiError),
    /// `OSHMPI_AMO=mpi` with `OSHMPI_WINDOW=none`.
    AmosWithoutWindows,
    /// `OSHMPI_TRANSPORT=ucx`: why UCX cannot be used.
    NoUcx(String),
    /// `OSHMPI_AMO=mpi` with `OSHMPI_TRANSPORT=ucx`.
    AmosByMpiOverUcx,
    /// The job has several nodes, and MPI is not usable.
    NoMpiBetweenNodes,
    /// Statics are symmetric on some PEs only.
    StaticsDiffer,
    /// A process that a PE has forked has called init.
    Child,
    /// This init follows one that has failed.
    FailedBefore,
    /// This init follows the end of MPI, in a job that needs MPI.
    MpiEnded,
}

impl BootError {
    /// The error on the PE that is to report it.
    pub(super) fn by(reporter: u32, me: u32, error: BootError) -> BootError {
        if reporter == me { error } else { BootError::ReportedElsewhere }
    }
}

impl From<pmi_shm::Error> for BootError {
    fn from(e: pmi_shm::Error) -> BootError {
        BootError::Launcher(e)
    }
}

impl From<MpiError> for BootError {
    fn from(e: MpiError) -> BootError {
        BootError::Mpi(e)
    }
}

impl From<NoMpi> for BootError {
    fn from(e: NoMpi) -> BootError {
        BootError::NoMpi(e)
    }
}

impl From<io::Error> for BootError {
    fn from(e: io::Error) -> BootError {
        BootError::System(e)
    }
}

impl fmt::Display for BootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BootError::ReportedElsewhere => f.write_str("another PE says why"),
            BootError::Launcher(e) => e.fmt(f),
            BootError::Mpi(e) => e.fmt(f),
            BootError::NoMpi(e) => e.fmt(f),
            BootError::System(e) => e.fmt(f),
            BootError::MpiFinalizedFirst => {
                f.write_str("MPI has been finalized before the first shmem_init, so the job cannot be joined")
            }
            BootError::ForeignLauncher(found) => found.fmt(f),
            BootError::Setting(text) => f.write_str(text),
            BootError::Differs { name, on_zero, on_others, others } => {
                write!(f, "{name} differs between PEs: {on_zero} on PE 0, {on_others} on {}", list(others))
            }
            BootError::OtherVersion(pe) => write!(f, "PE {pe} runs another version of liboshmpi"),
            BootError::NotOnOneNode(others) => write!(
                f,
                "{} cannot share memory with PE 0 (another host, container or user), and OSHMPI_ROUTE=node is set",
                list(others)
            ),
            BootError::HeapsTooLarge { heap, pes } => {
                write!(f, "a heap of {heap} bytes for {pes} PEs is larger than the address space")
            }
            BootError::CannotMapNode { bytes, source } => {
                write!(f, "cannot map {bytes} bytes of shared memory: {source}; {}", lower_heap(source))
            }
            BootError::TooManyPes(pes) => {
                write!(
                    f,
                    "a job on several nodes can have {MOST_PES} PEs, not {pes}; start fewer, with more threads each"
                )
            }
            BootError::OtherMemory => f.write_str("the node's shared memory is not the one announced"),
            BootError::CannotMapHeap(e) => {
                write!(f, "cannot map the symmetric heap: {e}; lower SHMEM_SYMMETRIC_SIZE")
            }
            BootError::NoWindows(e) => write!(f, "this MPI cannot make one-sided windows between the nodes: {e}"),
            BootError::AmosWithoutWindows => {
                f.write_str("OSHMPI_AMO=mpi needs windows, and OSHMPI_WINDOW=none makes none; unset one of them")
            }
            BootError::NoUcx(why) => {
                write!(f, "OSHMPI_TRANSPORT=ucx: UCX cannot be used: {why}; install UCX (Debian: libucx0) or unset it")
            }
            BootError::AmosByMpiOverUcx => f.write_str(
                "OSHMPI_AMO=mpi needs MPI's windows, which OSHMPI_TRANSPORT=ucx replaces; unset one of them",
            ),
            BootError::NoMpiBetweenNodes => {
                f.write_str("the PEs are on several nodes, and there is no MPI between them")
            }
            BootError::StaticsDiffer => {
                f.write_str("whether statics are symmetric (OSHMPI_STATICS) differs between PEs")
            }
            BootError::Child => f.write_str(state::A_CHILD),
            BootError::FailedBefore => f.write_str("an earlier initialisation has failed"),
            BootError::MpiEnded => f.write_str("MPI, which reaches the PEs of other nodes, has been ended"),
        }
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

    #[test]
    fn a_difference_names_both_values() {
        let (on_zero, on_others) = ("auto".to_owned(), "mpi".to_owned());
        let error = BootError::Differs { name: "OSHMPI_AMO", on_zero, on_others, others: vec![1, 3] };
        assert_eq!(error.to_string(), "OSHMPI_AMO differs between PEs: auto on PE 0, mpi on PEs 1, 3");
        assert!(matches!(BootError::by(0, 1, error), BootError::ReportedElsewhere));
    }
}
