//! The wheel: a zip file with the package `oshmpi`, below which everything lies that a prefix has. It has no links: pip
//! makes none.

use super::product::{HOME, SUMMARY, VERSION};
use anyhow::{Context, Result};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;
use zip::write::SimpleFileOptions;

/// The package's modules.
const MODULES: [(&str, &str); 2] =
    [("__init__.py", include_str!("wheel/__init__.py")), ("__main__.py", include_str!("wheel/__main__.py"))];

/// What lies on the path under each command's name. An entry point would be shorter, and fails where pip builds other
/// packages: its first statement imports the package.
const COMMAND: &str = include_str!("wheel/command.py");

/// What is being written, and the list of it.
struct Wheel {
    zip: zip::ZipWriter<File>,
    record: String,
}

/// Writes the wheel of the installation `tree` for machines of the platform `tag`.
pub fn write(tree: &Path, tag: &str, out: &Path) -> Result<PathBuf> {
    let file = out.join(format!("oshmpi-{VERSION}-py3-none-{tag}.whl"));
    let zip = File::create(&file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut wheel = Wheel { zip: zip::ZipWriter::new(zip), record: String::new() };
    for (name, text) in MODULES {
        wheel.add(&format!("oshmpi/{name}"), text.as_bytes(), 0o644)?;
    }
    let scripts = format!("oshmpi-{VERSION}.data/scripts");
    for entry in WalkDir::new(tree).sort_by_file_name() {
        let entry = entry?;
        let place = entry.path().strip_prefix(tree)?;
        if entry.file_type().is_dir() || is_left_out(place) {
            continue;
        }
        let to = format!("oshmpi/{}", place.display());
        match if entry.path_is_symlink() { instead_of_link(entry.path())? } else { None } {
            Some(text) => wheel.add(&to, text.as_bytes(), 0o644)?,
            None => {
                let bytes =
                    fs::read(entry.path()).with_context(|| format!("cannot read {}", entry.path().display()))?;
                wheel.add(&to, &bytes, fs::metadata(entry.path())?.permissions().mode() & 0o777)?;
            }
        }
        if let Ok(command) = place.strip_prefix("bin") {
            wheel.add(&format!("{scripts}/{}", command.display()), COMMAND.as_bytes(), 0o755)?;
        }
    }
    let info = format!("oshmpi-{VERSION}.dist-info");
    let metadata = format!(
        "Metadata-Version: 2.1\nName: oshmpi\nVersion: {VERSION}\nSummary: {SUMMARY}\nHome-page: {HOME}\n\
         License: MIT OR Apache-2.0\nRequires-Python: >=3.6\n"
    );
    let kind =
        format!("Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n");
    for (name, text) in [("METADATA", metadata), ("WHEEL", kind)] {
        wheel.add(&format!("{info}/{name}"), text.as_bytes(), 0o644)?;
    }
    let record = format!("{info}/RECORD");
    let list = format!("{}{record},,\n", wheel.record);
    wheel.add(&record, list.as_bytes(), 0o644)?;
    wheel.zip.finish()?;
    Ok(file)
}

impl Wheel {
    fn add(&mut self, path: &str, bytes: &[u8], mode: u32) -> Result<()> {
        self.zip.start_file(path, SimpleFileOptions::default().unix_permissions(mode))?;
        self.zip.write_all(bytes)?;
        let sum = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
        Ok(writeln!(self.record, "{path},sha256={sum},{}", bytes.len())?)
    }
}

/// The list of what is installed is pip's own here, and a library is there once, under the name that the loader wants.
fn is_left_out(place: &Path) -> bool {
    place == Path::new(super::layout::MANIFEST) || place.to_string_lossy().ends_with(&format!(".so.{VERSION}"))
}

/// What stands in a link's place: for linkers the name of the library, for man that of the page, and otherwise a copy.
fn instead_of_link(link: &Path) -> Result<Option<String>> {
    let to = fs::read_link(link)?;
    let name = link.file_name().unwrap_or_default().to_string_lossy();
    Ok(match link.parent().and_then(Path::file_name) {
        Some(dir) if dir.to_string_lossy().starts_with("man") => {
            Some(format!(".so {}/{}\n", dir.display(), to.display()))
        }
        _ if name.ends_with(".so") || name.ends_with(".a") => Some(format!("INPUT({})\n", to.display())),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::layout;
    use super::super::layout::Item;
    use super::*;
    use std::collections::BTreeMap;
    use std::io::Read;

    #[test]
    fn a_wheel_has_sums_of_all_its_files_and_no_links() {
        let dir = tempfile::tempdir().unwrap();
        let versioned = format!("libx.so.{VERSION}");
        let items = [
            Item::file("bin/oshcc", "/proc/self/exe"),
            Item::text(format!("lib/{versioned}"), "library"),
            Item::link("lib/libx.so.0", versioned),
            Item::link("lib/libx.so", "libx.so.0"),
            Item::text("lib/libx.a", "archive"),
            Item::link("lib/liby.a", "libx.a"),
            Item::text("lib/pkgconfig/x.pc", "x"),
            Item::link("lib/pkgconfig/y.pc", "x.pc"),
            Item::text("share/man/man3/x.3", "page"),
            Item::link("share/man/man3/y.3", "x.3"),
        ];
        layout::install(&dir.path().join("tree"), &items).unwrap();
        let file = write(&dir.path().join("tree"), "linux_test", dir.path()).unwrap();
        assert!(file.ends_with(format!("oshmpi-{VERSION}-py3-none-linux_test.whl")));
        let mut zip = zip::ZipArchive::new(File::open(file).unwrap()).unwrap();
        let mut files = BTreeMap::new();
        for i in 0..zip.len() {
            let mut entry = zip.by_index(i).unwrap();
            let (name, mode) = (entry.name().unwrap().to_string(), entry.unix_mode().unwrap());
            assert_eq!(mode, if name.ends_with("/oshcc") { 0o100755 } else { 0o100644 }, "{name}");
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            files.insert(name, bytes);
        }
        let text = |name: &str| String::from_utf8_lossy(&files[name]).into_owned();
        assert_eq!(text("oshmpi/lib/libx.so.0"), "library");
        assert_eq!(text("oshmpi/lib/libx.so"), "INPUT(libx.so.0)\n");
        assert_eq!(text("oshmpi/lib/liby.a"), "INPUT(libx.a)\n");
        assert_eq!(text("oshmpi/lib/pkgconfig/y.pc"), "x");
        assert_eq!(text("oshmpi/share/man/man3/y.3"), ".so man3/x.3\n");
        let info = |name: &str| format!("oshmpi-{VERSION}.dist-info/{name}");
        assert!(text(&format!("oshmpi-{VERSION}.data/scripts/oshcc")).starts_with("#!python\n"));
        assert_eq!(files.len(), 9 + MODULES.len() + 4);
        let record = text(&info("RECORD"));
        let listed: BTreeMap<&str, &str> = record.lines().map(|line| line.split_once(',').unwrap()).collect();
        assert!(files.keys().map(String::as_str).eq(listed.keys().copied()), "{record}");
        for (name, bytes) in files.iter().filter(|(name, _)| **name != info("RECORD")) {
            let sum = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
            assert_eq!(listed[name.as_str()], format!("sha256={sum},{}", bytes.len()));
        }
    }
}
