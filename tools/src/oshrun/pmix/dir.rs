//! The directory of a job on a node, for sockets and files of processes and their MPI.
//!
//! Its name is made from the job and the node. So a process that outlives the node server can remove it: oshrun on this
//! machine, and the parent of the node server on others. If all of them were killed, the next job of this user on the
//! host removes it: the directory is locked as long as its server lives.

use crate::plan::Plan;
use anyhow::{Context, Result};
use pmi_shm::limits::{Room, SHARED_MEMORY};
use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

/// The directories in which it may be. Memory comes first, because Open MPI keeps shared memory in files there. If that
/// is full, it comes last.
fn candidates() -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from("/dev/shm"), std::env::temp_dir()];
    if Room::of(SHARED_MEMORY).is_some_and(|room| room.is_short()) {
        places.reverse();
    }
    places
}

fn name(plan: &Plan, node: u32) -> String {
    format!("{}-{node}", plan.job)
}

/// The prefix of the names of all such directories.
pub const PREFIX: &str = "oshrun-pmix-";

/// The prefix of a directory that is not locked yet.
const NEW: &str = "oshrun-new-";

/// Makes a directory that only this user can open, and locks it.
fn private(place: &Path, name: &str) -> std::io::Result<(PathBuf, File)> {
    let (new, dir) = (place.join(format!("{NEW}{name}")), place.join(format!("{PREFIX}{name}")));
    DirBuilder::new().mode(0o700).create(&new)?;
    let made = File::open(&new).and_then(|lock| {
        lock.lock()?;
        std::fs::rename(&new, &dir)?;
        Ok((dir, lock))
    });
    if made.is_err() {
        let _ = std::fs::remove_dir(&new);
    }
    made
}

/// Makes the directory. It is locked until this process ends.
pub fn make(plan: &Plan, node: u32) -> Result<PathBuf> {
    let mut failed = None;
    for place in candidates() {
        sweep(&place);
        match private(&place, &name(plan, node)) {
            Ok((dir, lock)) => {
                std::mem::forget(lock);
                return Ok(dir);
            }
            Err(e) => {
                let text = format!("cannot make a directory in {}, TMPDIR may name another place", place.display());
                failed = Some(Err(e).context(text));
            }
        }
    }
    failed.expect("there are two candidates")
}

/// Removes this user's directories whose servers have ended.
fn sweep(place: &Path) {
    let own = nix::unistd::getuid().as_raw();
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let is_ours = || entry.metadata().is_ok_and(|m| m.is_dir() && m.uid() == own);
        if !entry.file_name().to_string_lossy().starts_with(PREFIX) || !is_ours() {
            continue;
        }
        if File::open(entry.path()).is_ok_and(|dir| dir.try_lock().is_ok()) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

pub fn remove(plan: &Plan, node: u32) {
    for place in candidates() {
        let _ = std::fs::remove_dir_all(place.join(format!("{PREFIX}{}", name(plan, node))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_job_directory_is_for_its_user_alone() {
        let place = tempfile::tempdir().unwrap();
        let (dir, _lock) = private(place.path(), "job").unwrap();
        assert_eq!(std::fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
        // One that somebody else has made is not used.
        std::fs::write(dir.join("file"), "").unwrap();
        assert!(private(place.path(), "job").is_err());
    }

    #[test]
    fn what_a_killed_server_has_left_is_removed_by_the_next_one() {
        let place = tempfile::tempdir().unwrap();
        let (left, lock) = private(place.path(), "left").unwrap();
        std::fs::write(left.join("file"), "").unwrap();
        drop(lock);
        let (living, _lock) = private(place.path(), "living").unwrap();
        let other = place.path().join("other");
        std::fs::create_dir(&other).unwrap();
        sweep(place.path());
        assert!(!left.exists() && living.exists() && other.exists());
    }
}
