//! Directories of cargo that begin as copies of others, so that a crate is not compiled again that is already compiled
//! in the same way. Cargo recognises such a crate by a hash of its source and of all that it is compiled with. What is
//! compiled differently lies beside it.

use crate::util::run;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Copies `from` to `to`, with all times, unless `to` exists or `from` does not. Returns whether it did.
pub fn begin(to: &Path, from: &Path) -> Result<bool> {
    if to.exists() || !from.exists() {
        return Ok(false);
    }
    let parent = to.parent().context("a path with a parent")?;
    fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
    run(Command::new("cp").arg("-a").args([from, to]))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_new_directory_is_a_copy() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("a/to"));
        assert!(!begin(&to, &from).unwrap() && !to.exists(), "nothing to copy");
        fs::create_dir(&from).unwrap();
        fs::write(from.join("x"), "1").unwrap();
        assert!(begin(&to, &from).unwrap());
        fs::write(from.join("x"), "2").unwrap();
        assert!(!begin(&to, &from).unwrap());
        assert_eq!(fs::read_to_string(to.join("x")).unwrap(), "1");
    }
}
