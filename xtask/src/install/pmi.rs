//! libpmi.so.0 and libpmi2.so.0, which know nothing of MPI or OpenSHMEM.

use super::{cross, tools};
use crate::util::root;
use anyhow::Result;
use std::path::PathBuf;

/// Names without version.
pub const NAMES: [&str; 2] = ["libpmi.so", "libpmi2.so"];

/// Builds both, in the place of what does not depend on the MPI; returns their directory.
pub fn build() -> Result<PathBuf> {
    tools::cargo_build(&["-p", "libpmi", "-p", "libpmi2"], cross::aim)
}

/// pmi.h and pmi2.h.
pub fn headers() -> PathBuf {
    root().join("pmi-shm/capi/include")
}
