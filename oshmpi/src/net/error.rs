//! Why something between nodes has failed.

use crate::memory::addr::Pe;
use crate::mpi::MpiError;
use std::fmt;

/// Callers end the job with it, in a line that names the routine.
#[derive(Debug)]
pub(crate) enum NetError {
    Mpi(MpiError),
    /// UCX's library refuses `what`, which is for a PE or for all.
    Ucx {
        what: &'static str,
        pe: Option<Pe>,
        why: String,
    },
    /// This library found the fault, which is told in its words.
    Found(String),
}

impl From<MpiError> for NetError {
    fn from(e: MpiError) -> NetError {
        NetError::Mpi(e)
    }
}

impl fmt::Display for NetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetError::Mpi(e) => e.fmt(f),
            NetError::Ucx { what, pe: Some(pe), why } => write!(f, "UCX: {what} of PE {} failed: {why}", pe.0),
            NetError::Ucx { what, pe: None, why } => write!(f, "UCX: {what} failed: {why}"),
            NetError::Found(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for NetError {}
