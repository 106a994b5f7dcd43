//! Why something between nodes has failed.

use crate::memory::addr::Pe;
use crate::mpi::MpiError;

/// Callers end the job with it, in a line that names the routine.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NetError {
    #[error(transparent)]
    Mpi(#[from] MpiError),
    /// A library of the network refuses `what`, which is for a PE or for all.
    #[error(
        "{library}: {what} {}",
        pe.map_or_else(|| format!("failed: {why}"), |pe| format!("of PE {} failed: {why}", pe.0))
    )]
    Library { library: &'static str, what: &'static str, pe: Option<Pe>, why: String },
    /// This library found the fault, which is told in its words.
    #[error("{0}")]
    Found(String),
}
