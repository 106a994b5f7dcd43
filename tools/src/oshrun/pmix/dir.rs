//! The directory of a job on a node, for sockets and files of processes and their MPI.
//!
//! Its name is made from the job and the node. So a process that outlives the node server can remove it: oshrun on this
//! machine, and the parent of the node server on others.

use crate::plan::Plan;
use anyhow::{Context, Result};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The directories in which it may be. Memory comes first, because Open MPI keeps shared memory in files there.
fn candidates() -> impl Iterator<Item = PathBuf> {
    [PathBuf::from("/dev/shm"), std::env::temp_dir()].into_iter()
}

fn name(plan: &Plan, node: u32) -> String {
    format!("{PREFIX}{}-{node}", plan.job)
}

/// The prefix of the names of all such directories.
pub const PREFIX: &str = "oshrun-pmix-";

/// A directory that only this user can open.
fn private(dir: &Path) -> std::io::Result<()> {
    DirBuilder::new().mode(0o700).create(dir)
}

/// Makes the directory.
pub fn make(plan: &Plan, node: u32) -> Result<PathBuf> {
    let mut failed = None;
    for place in candidates() {
        let dir = place.join(name(plan, node));
        match private(&dir) {
            Ok(()) => return Ok(dir),
            Err(e) => {
                let text = format!("cannot make the directory {}, TMPDIR may name another place", dir.display());
                failed = Some(Err(e).context(text));
            }
        }
    }
    failed.expect("there are two candidates")
}

/// Removes the directory and its content from wherever it is.
pub fn remove(plan: &Plan, node: u32) {
    for place in candidates() {
        let _ = std::fs::remove_dir_all(place.join(name(plan, node)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_job_directory_is_for_its_user_alone() {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("job");
        private(&dir).unwrap();
        assert_eq!(std::fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
        // One that somebody else has made is not used.
        assert!(private(&dir).is_err());
    }
}
