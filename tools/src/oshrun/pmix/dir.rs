//! The directory of a job on a node: for what processes and their MPI must give a name to while they run.
//!
//! Its name follows from the job and the node, so each of the processes that outlive the node server can remove it: oshrun itself
//! on this machine, the process beside the node server elsewhere.

use crate::plan::Plan;
use anyhow::{Context, Result};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

/// Where it may be: in memory first, because Open MPI keeps memory that processes share in files there.
fn places() -> impl Iterator<Item = PathBuf> {
    [PathBuf::from("/dev/shm"), std::env::temp_dir()].into_iter()
}

fn name(plan: &Plan, node: u32) -> String {
    format!("{PREFIX}{}-{node}", plan.job)
}

/// How the names of all such directories begin.
pub const PREFIX: &str = "oshrun-pmix-";

/// Makes the directory, for nobody else to look into.
pub fn make(plan: &Plan, node: u32) -> Result<PathBuf> {
    let mut failed = None;
    for place in places() {
        let dir = place.join(name(plan, node));
        match DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => return Ok(dir),
            Err(e) => {
                let text = format!("cannot make the directory {}, TMPDIR may name another place", dir.display());
                failed = Some(Err(e).context(text));
            }
        }
    }
    failed.expect("there are two places")
}

/// Removes it with all that is in it, wherever it is.
pub fn remove(plan: &Plan, node: u32) {
    for place in places() {
        let _ = std::fs::remove_dir_all(place.join(name(plan, node)));
    }
}
