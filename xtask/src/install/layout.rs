//! Puts items, which are files, texts and links, in their places and removes them again. Only what differs is
//! written. Each file is written beside its place and then renamed, so that a program that starts meanwhile finds the
//! old file or the new one. Everybody may read all files and run all programs, whatever the umask and the modes of the
//! checkout.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

/// Something at a place below the prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Relative to the prefix.
    pub path: String,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A copy; a program if it is one.
    File(PathBuf),
    Text(String),
    /// A symbolic link to a name in the same directory, or to another of the prefix.
    Link(String),
}

impl Item {
    pub fn file(path: impl Into<String>, from: impl Into<PathBuf>) -> Item {
        Item { path: path.into(), content: Content::File(from.into()) }
    }

    pub fn text(path: impl Into<String>, text: impl Into<String>) -> Item {
        Item { path: path.into(), content: Content::Text(text.into()) }
    }

    pub fn link(path: impl Into<String>, to: impl Into<String>) -> Item {
        Item { path: path.into(), content: Content::Link(to.into()) }
    }
}

/// The list of what is installed, the list included: one path below the prefix per line. Paths that end in a slash are
/// directories that the installation has made.
pub const MANIFEST: &str = "share/oshmpi/manifest";

/// Installs the items; what an earlier installation put there and this one does not is removed.
pub fn install(prefix: &Path, items: &[Item]) -> Result<()> {
    let mut paths: BTreeSet<&str> = items.iter().map(|i| i.path.as_str()).collect();
    paths.insert(MANIFEST);
    let before = manifest(prefix)?.unwrap_or_default();
    let made = missing_dirs(prefix, &paths);
    paths.extend(made.iter().map(String::as_str));
    paths.extend(before.iter().map(String::as_str).filter(|p| is_dir(p)));
    // The list is written first, with the old names too, so that an interrupted installation can be removed.
    let both: BTreeSet<&str> = paths.iter().copied().chain(before.iter().map(String::as_str)).collect();
    write_manifest(prefix, &both)?;
    for item in items {
        put(prefix, item)?;
    }
    for stale in before.iter().filter(|p| !paths.contains(p.as_str())) {
        remove(prefix, stale, &paths)?;
    }
    paths.retain(|p| !is_dir(p) || prefix.join(p).is_dir());
    write_manifest(prefix, &paths)
}

/// Removes what the manifest lists, and the directories that become empty. Returns how many files that were.
pub fn uninstall(prefix: &Path) -> Result<usize> {
    let Some(paths) = manifest(prefix)? else {
        bail!("there is no oshmpi in {}: it has no {MANIFEST}", prefix.display());
    };
    let all = paths.iter().map(String::as_str).collect();
    // The manifest last: an interrupted run can be repeated.
    let files = || paths.iter().filter(|p| !is_dir(p));
    for path in files().filter(|p| *p != MANIFEST) {
        remove(prefix, path, &all)?;
    }
    remove(prefix, MANIFEST, &all)?;
    Ok(files().count())
}

/// In a manifest.
fn is_dir(path: &str) -> bool {
    path.ends_with('/')
}

/// What has to be made for these files, as a manifest lists it; the prefix itself is `./`.
fn missing_dirs(prefix: &Path, paths: &BTreeSet<&str>) -> BTreeSet<String> {
    let above = paths.iter().flat_map(|p| Path::new(p).ancestors().skip(1));
    above.filter(|dir| !prefix.join(dir).exists()).map(listed).collect()
}

/// A directory below the prefix, as a manifest lists it.
fn listed(dir: &Path) -> String {
    if dir.as_os_str().is_empty() { "./".into() } else { format!("{}/", dir.display()) }
}

/// The installed paths; nothing when there is no manifest.
fn manifest(prefix: &Path) -> Result<Option<Vec<String>>> {
    let file = prefix.join(MANIFEST);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => bail!("cannot read {}: {e}", file.display()),
    };
    for line in text.lines() {
        // Nothing outside of the prefix is ever removed, whatever the file says.
        let below = Path::new(line).components().all(|c| matches!(c, Component::Normal(_)));
        let below = line == "./" || !line.is_empty() && below;
        ensure!(below, "{}: {line:?} is not a path below the prefix", file.display());
    }
    Ok(Some(text.lines().map(str::to_string).collect()))
}

fn write_manifest(prefix: &Path, paths: &BTreeSet<&str>) -> Result<()> {
    let lines: String = paths.iter().map(|p| format!("{p}\n")).collect();
    text(&lines, &prefix.join(MANIFEST))
}

/// Removes a file or link, and the directories above it that are empty then and that an installation has made.
fn remove(prefix: &Path, path: &str, listed_paths: &BTreeSet<&str>) -> Result<()> {
    let full = prefix.join(path);
    match fs::remove_file(&full) {
        Ok(()) => {}
        Err(e) if e.kind() == ErrorKind::NotFound => {}
        Err(e) => bail!("cannot remove {}: {e}", full.display()),
    }
    for dir in Path::new(path).ancestors().skip(1) {
        // Not empty, or gone already: then so are the others above.
        if !listed_paths.contains(listed(dir).as_str()) || fs::remove_dir(prefix.join(dir)).is_err() {
            break;
        }
    }
    Ok(())
}

/// Puts one in its place.
pub fn put(prefix: &Path, item: &Item) -> Result<()> {
    let to = prefix.join(&item.path);
    match &item.content {
        Content::File(from) => file(from, &to),
        Content::Text(content) => text(content, &to),
        Content::Link(name) => link(name, &to),
    }
}

/// The modes of programs and directories, and of other files.
const OPEN: u32 = 0o755;
const READABLE: u32 = 0o644;

/// Copies a file. A file that somebody may run is a program.
fn file(from: &Path, to: &Path) -> Result<()> {
    let cannot = || format!("cannot read {}", from.display());
    let runs = mode(from).with_context(cannot)? & 0o111 != 0;
    write(&fs::read(from).with_context(cannot)?, if runs { OPEN } else { READABLE }, to)
}

/// Writes a text.
pub fn text(text: &str, to: &Path) -> Result<()> {
    write(text.as_bytes(), READABLE, to)
}

/// Writes a script that is a program.
pub fn program(text: &str, to: &Path) -> Result<()> {
    write(text.as_bytes(), OPEN, to)
}

fn write(new: &[u8], wanted: u32, to: &Path) -> Result<()> {
    let same = !to.is_symlink() && fs::read(to).is_ok_and(|old| old == new);
    if same && mode(to).is_ok_and(|is| is == wanted) {
        return Ok(());
    }
    place(to, |beside| {
        fs::write(beside, new)?;
        fs::set_permissions(beside, Permissions::from_mode(wanted))
    })
}

fn mode(path: &Path) -> std::io::Result<u32> {
    Ok(fs::metadata(path)?.permissions().mode() & 0o7777)
}

/// Makes a directory and those above it that are not there; others are left as they are.
fn directory(dir: &Path) -> Result<()> {
    for dir in dir.ancestors().collect::<Vec<_>>().into_iter().rev().filter(|d| !d.is_dir()) {
        let made = match fs::create_dir(dir) {
            Ok(()) => fs::set_permissions(dir, Permissions::from_mode(OPEN)),
            Err(_) if dir.is_dir() => Ok(()),
            Err(e) => Err(e),
        };
        made.with_context(|| format!("cannot make {}", dir.display()))?;
    }
    Ok(())
}

/// Makes a symbolic link.
fn link(name: &str, at: &Path) -> Result<()> {
    if fs::read_link(at).is_ok_and(|old| old == Path::new(name)) {
        return Ok(());
    }
    place(at, |beside| std::os::unix::fs::symlink(name, beside))
}

/// Makes the directory of `to`, lets `make` write a file beside `to`, and gives it its name.
fn place(to: &Path, make: impl FnOnce(&Path) -> std::io::Result<()>) -> Result<()> {
    let dir = to.parent().expect("a file lies in a directory");
    directory(dir)?;
    let beside = beside(to);
    let done = make(&beside).and_then(|()| fs::rename(&beside, to));
    if let Err(e) = done {
        let _ = fs::remove_file(&beside);
        let hint = if e.kind() == ErrorKind::PermissionDenied { "; choose another --prefix" } else { "" };
        bail!("cannot write {}: {e}{hint}", to.display());
    }
    Ok(())
}

/// A name in the same directory that no other process of this task uses.
fn beside(to: &Path) -> PathBuf {
    let name = to.file_name().expect("a file has a name").to_string_lossy();
    to.with_file_name(format!(".{name}.{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::output;
    use std::os::unix::fs::MetadataExt;
    use std::process::Command;

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
    fn everybody_may_read_an_installation_whatever_the_builders_modes() {
        // A umask is the process's, and other tests run in this one: the test is run once more, with that umask.
        const AGAIN: &str = "OSHMPI_TEST_WITH_UMASK";
        if std::env::var_os(AGAIN).is_none() {
            let mut c = Command::new("sh");
            c.args(["-c", "umask 077; exec \"$0\" everybody_may_read"]).arg(std::env::current_exe().unwrap());
            let printed = output(c.env(AGAIN, "1")).unwrap();
            return assert!(printed.contains("1 passed"), "{printed}");
        }
        let dir = tempfile::tempdir().unwrap();
        let (from, prefix) = (dir.path().join("from"), dir.path().join("prefix"));
        fs::write(&from, "x").unwrap();
        for (source, installed) in [(0o600, 0o644), (0o700, 0o755), (0o664, 0o644)] {
            // The content stays the same: the mode alone is reason enough to put it there again.
            fs::set_permissions(&from, Permissions::from_mode(source)).unwrap();
            install(&prefix, &[Item::file("a/b", &from), Item::text("c/d", "x")]).unwrap();
            assert_eq!(mode(&prefix.join("a/b")).unwrap(), installed);
            for text in ["c/d", MANIFEST] {
                assert_eq!(mode(&prefix.join(text)).unwrap(), 0o644);
                // As a umask of 077 left it.
                fs::set_permissions(prefix.join(text), Permissions::from_mode(0o600)).unwrap();
            }
        }
        assert_eq!(["", "a", "c"].map(|d| mode(&prefix.join(d)).unwrap()), [0o755; 3]);
        fs::set_permissions(&prefix, Permissions::from_mode(0o700)).unwrap();
        install(&prefix, &[Item::text("e/f", "")]).unwrap();
        assert_eq!(["", "e"].map(|d| mode(&prefix.join(d)).unwrap()), [0o700, 0o755]);
    }

    #[test]
    fn what_is_installed_is_removed_without_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        let prefix = dir.path().join("prefix");
        let items = [Item::text("a/b/one", "1"), Item::link("a/two", "b"), Item::text("three", "3")];
        for _ in 0..2 {
            install(&prefix, &items).unwrap();
            assert_eq!(fs::read_to_string(prefix.join("a/b/one")).unwrap(), "1");
        }
        assert_eq!(uninstall(&prefix).unwrap(), 4);
        assert!(!prefix.exists() && dir.path().exists());
        assert!(uninstall(&prefix).unwrap_err().to_string().starts_with("there is no oshmpi in"));
    }

    #[test]
    fn what_a_newer_version_lacks_goes_and_what_was_there_stays() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("bin")).unwrap();
        for paths in [&["bin/a", "lib/x/b", "lib/y/c", "old/d"][..], &["bin/a", "lib/x/b"]] {
            install(dir.path(), &paths.iter().map(|p| Item::text(*p, "")).collect::<Vec<_>>()).unwrap();
        }
        let there = |path: &str| dir.path().join(path).exists();
        assert!(there("lib/x") && !there("lib/y") && !there("old"));
        fs::write(dir.path().join("lib/theirs"), "").unwrap();
        assert_eq!(uninstall(dir.path()).unwrap(), 3);
        assert!(there("bin") && there("lib/theirs") && !there("bin/a") && !there("lib/x") && !there("share"));
    }

    #[test]
    fn a_manifest_that_leads_out_of_the_prefix_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        for line in ["../other", "/etc/passwd", ""] {
            text(&format!("bin/x\n{line}\n"), &dir.path().join(MANIFEST)).unwrap();
            let e = uninstall(dir.path()).unwrap_err().to_string();
            assert!(e.contains("is not a path below the prefix"), "{e}");
        }
    }

    #[test]
    fn a_link_in_the_way_of_a_file_is_replaced_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (victim, to) = (dir.path().join("victim"), dir.path().join("to"));
        fs::write(&victim, "x").unwrap();
        std::os::unix::fs::symlink("victim", &to).unwrap();
        text("x", &to).unwrap();
        assert!(!to.is_symlink());
    }

    #[test]
    fn what_cannot_be_written_is_one_line() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("file"), "").unwrap();
        let e = format!("{:#}", text("x", &dir.path().join("file/x")).unwrap_err());
        assert!(e.starts_with("cannot make ") && e.lines().count() == 1, "{e}");
    }
}
