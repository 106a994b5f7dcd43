//! libpmi.so.0 and libpmi2.so.0, which know nothing of MPI or OpenSHMEM.

use super::{VERSION, layout, worth_showing};
use crate::util::{Stream, cargo, listen, root};
use anyhow::Result;
use std::path::Path;

/// Builds both libraries, in the place of what does not depend on the MPI, and lays them out with their headers.
pub fn install(prefix: &Path) -> Result<()> {
    let target = root().join("target/build/tools");
    let mut c = cargo();
    c.args(["build", "--release", "-p", "libpmi", "-p", "libpmi2", "--locked"])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    listen(&mut c, Stream::Err, worth_showing)?;
    for name in ["libpmi.so", "libpmi2.so"] {
        layout::shared_library(&target.join("release").join(name), &prefix.join("lib"), name, VERSION)?;
    }
    layout::headers(&root().join("pmi-shm/capi/include"), &prefix.join("include"))
}
