//! A file that is made anew only when what it is made of, or how, has changed.

use crate::util::write;
use anyhow::{Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Calls `make`, which makes `result` from the file `from` by `recipe`, unless the present result was made by this
/// recipe from the present file.
pub fn unless_made(result: &Path, recipe: &str, from: &Path, make: impl FnOnce() -> Result<()>) -> Result<()> {
    let mut record = result.as_os_str().to_owned();
    record.push(".recipe");
    let record = PathBuf::from(record);
    let wanted = format!("{recipe}\n{}", state(from)?);
    if result.exists() && fs::read_to_string(&record).is_ok_and(|r| r == wanted) {
        return Ok(());
    }
    // When `make` fails half-way, its result must not pass for the one before.
    let _ = fs::remove_file(&record);
    make()?;
    write(&record, &wanted)
}

/// Size and time of change of a file.
pub fn state(file: &Path) -> Result<String> {
    let Ok(m) = fs::metadata(file) else { bail!("cargo did not make {}", file.display()) };
    Ok(format!("{} bytes, {:?}", m.len(), m.modified()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_so_from_this_file_is_not_made_again() {
        let dir = tempfile::tempdir().unwrap();
        let (from, result) = (dir.path().join("from"), dir.path().join("result.x"));
        fs::write(&from, "1").unwrap();
        let mut times = 0;
        let mut make = |recipe: &str| {
            unless_made(&result, recipe, &from, || {
                times += 1;
                Ok(fs::write(&result, "")?)
            })
            .unwrap();
            times
        };
        assert_eq!((make("a"), make("a"), make("b"), make("b")), (1, 1, 2, 2));
        fs::write(&from, "22").unwrap();
        assert_eq!((make("b"), make("b")), (3, 3));
        fs::remove_file(&result).unwrap();
        assert_eq!(make("b"), 4);
        let half = || {
            fs::write(&result, "half")?;
            bail!("no room")
        };
        assert!(unless_made(&result, "a", &from, half).is_err());
        assert_eq!(make("b"), 5, "what failed does not pass for the one before");
    }
}
