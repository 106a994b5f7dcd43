//! Puts files in their places: only those that differ, and each by a rename.

use anyhow::{Context, Result, bail};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Copies a file with its permissions.
pub fn file(from: &Path, to: &Path) -> Result<()> {
    let new = fs::read(from).with_context(|| format!("cannot read {}", from.display()))?;
    if fs::read(to).is_ok_and(|old| old == new) {
        return Ok(());
    }
    place(to, |beside| fs::copy(from, beside).map(|_| ()))
}

/// Writes a text.
pub fn text(text: &str, to: &Path) -> Result<()> {
    if fs::read(to).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    place(to, |beside| fs::write(beside, text))
}

/// Makes a symbolic link to a name in the same directory.
fn link(name: &str, at: &Path) -> Result<()> {
    if fs::read_link(at).is_ok_and(|old| old == Path::new(name)) {
        return Ok(());
    }
    place(at, |beside| std::os::unix::fs::symlink(name, beside))
}

/// Copies a shared library as `so.VERSION` with the links `so.MAJOR` (its soname) and `so` (what `-l` looks for).
pub fn shared_library(from: &Path, dir: &Path, so: &str, version: &str) -> Result<()> {
    let major = version.split('.').next().unwrap_or(version);
    let (real, soname) = (format!("{so}.{version}"), format!("{so}.{major}"));
    file(from, &dir.join(&real))?;
    link(&real, &dir.join(&soname))?;
    link(&soname, &dir.join(so))
}

/// Copies the headers of a directory and of those below it.
pub fn headers(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_name() else {
            continue;
        };
        if path.is_dir() {
            headers(&path, &to.join(name))?;
        } else if path.extension().is_some_and(|e| e == "h" || e == "fh") {
            file(&path, &to.join(name))?;
        }
    }
    Ok(())
}

/// Makes the directory of `to`, lets `make` write a file beside `to`, and gives it its name.
fn place(to: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<()> {
    let dir = to.parent().expect("a file lies in a directory");
    fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let beside = beside(to);
    let done = make(&beside).and_then(|()| fs::rename(&beside, to));
    if let Err(e) = done {
        let _ = fs::remove_file(&beside);
        let hint = if e.kind() == ErrorKind::PermissionDenied { "; choose another --prefix" } else { "" };
        bail!("cannot write {}: {e}{hint}", to.display());
    }
    Ok(())
}

/// A name in the same directory that no other run of us uses.
fn beside(to: &Path) -> PathBuf {
    let name = to.file_name().expect("a file has a name").to_string_lossy();
    to.with_file_name(format!(".{name}.{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn an_unchanged_file_is_left_alone_and_a_changed_one_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("a/b/to"));
        fs::write(&from, "one").unwrap();
        file(&from, &to).unwrap();
        let first = fs::metadata(&to).unwrap().ino();
        file(&from, &to).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().ino(), first);
        fs::write(&from, "two").unwrap();
        file(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(&to).unwrap(), "two");
        // Nothing is left beside it.
        assert_eq!(fs::read_dir(dir.path().join("a/b")).unwrap().count(), 1);
    }

    #[test]
    fn a_shared_library_has_its_three_names() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("from");
        fs::write(&from, "one").unwrap();
        for _ in 0..2 {
            shared_library(&from, dir.path(), "libx.so", "3.1.4").unwrap();
            let target = |name: &str| fs::read_link(dir.path().join(name)).unwrap();
            assert_eq!(target("libx.so"), Path::new("libx.so.3"));
            assert_eq!(target("libx.so.3"), Path::new("libx.so.3.1.4"));
            assert_eq!(fs::read_to_string(dir.path().join("libx.so")).unwrap(), "one");
        }
    }

    #[test]
    fn only_headers_are_copied_and_folders_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("mpp")).unwrap();
        for name in ["shmem.h", "mpp/shmem.h", "notes.md"] {
            fs::write(from.join(name), name).unwrap();
        }
        headers(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("mpp/shmem.h")).unwrap(), "mpp/shmem.h");
        assert!(to.join("shmem.h").exists() && !to.join("notes.md").exists());
    }

    #[test]
    fn what_cannot_be_written_is_one_line() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        let e = format!("{:#}", text("x", &dir.path().join("file/x")).unwrap_err());
        assert!(e.starts_with("cannot make ") && e.lines().count() == 1, "{e}");
    }
}
