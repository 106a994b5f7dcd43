//! Why something between nodes has failed.

use crate::memory::addr::Pe;
use crate::mpi::MpiError;
use std::fmt;

/// Callers end the job with it, in a line that names the routine.
#[derive(Debug)]
pub(crate) enum NetError {
    Mpi(MpiError),
    /// A library of the network refuses `what`, which is for a PE or for all.
    Library {
        library: &'static str,
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
            NetError::Library { library, what, pe: Some(pe), why } => {
                write!(f, "{library}: {what} of PE {} failed: {why}", pe.0)
            }
            NetError::Library { library, what, pe: None, why } => write!(f, "{library}: {what} failed: {why}"),
            NetError::Found(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for NetError {}
