//! The C library that a build runs on: which one is linked for, and which one the result asks for.

use super::target::Target;
use crate::util::output;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use walkdir::WalkDir;

/// 2.28 is `(2, 28)`.
pub type Version = (u32, u32);

pub fn parse(text: &str) -> Result<Version, String> {
    let parts = text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    parts.ok_or_else(|| format!("{text} is no version of glibc, such as 2.28"))
}

/// A script that is called as gcc is and links for this glibc: gcc compiles, Zig links. `python` has Zig.
pub fn compiler(target: &Target, version: Version, python: &Path) -> String {
    let zigs = format!("{}.{}.{}", target.gnu, version.0, version.1);
    let gcc = if target.is_here() { "gcc".to_string() } else { format!("{}-gcc", target.gnu) };
    let python = python.display();
    format!(
        "#!/bin/sh\nfor word; do [ \"$word\" != -c ] || exec {gcc} \"$@\"; done\n\
         exec '{python}' -m ziglang cc -target {zigs} \"$@\"\n"
    )
}

/// The oldest glibc with all that the programs and libraries below `tree` ask for. An error if `asked` is older, or if
/// a file needs a library that is neither the system's nor oshmpi's. `objdump`: that of the target.
pub fn needed(tree: &Path, asked: Version, objdump: &str) -> Result<Version> {
    let mut newest = (0, 0);
    for entry in WalkDir::new(tree) {
        let entry = entry?;
        if !entry.file_type().is_file() || !is_elf(entry.path())? {
            continue;
        }
        let file = entry.path();
        let printed = output(Command::new(objdump).arg("-pT").arg(file))?;
        if let Some(library) = libraries(&printed).find(|name| !is_of_system(name) && !name.starts_with("liboshmpi")) {
            bail!("{} is linked with {library}, which other machines need not have", file.display());
        }
        for (version, symbol) in symbols(&printed) {
            if version > asked {
                let ((major, minor), file) = (version, file.display());
                bail!("{file} asks for {symbol} of glibc {major}.{minor}, which is newer than {}.{}", asked.0, asked.1);
            }
            newest = newest.max(version);
        }
    }
    Ok(newest)
}

/// The libraries that liboshmpi.so may be linked with: the C library's, which are several before glibc 2.34, and gcc's
/// for unwinding.
const SYSTEM: [&str; 7] =
    ["libc.so.", "libm.so.", "libdl.so.", "libpthread.so.", "librt.so.", "libgcc_s.so.", "ld-linux"];

/// Whether a library is one of these.
pub fn is_of_system(name: &str) -> bool {
    SYSTEM.iter().any(|start| name.starts_with(start))
}

fn is_elf(file: &Path) -> Result<bool> {
    let mut magic = [0; 4];
    let mut opened = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    Ok(opened.read_exact(&mut magic).is_ok() && magic == *b"\x7fELF")
}

/// The libraries that are needed, in what `objdump -p` prints.
fn libraries(printed: &str) -> impl Iterator<Item = &str> {
    printed.lines().filter_map(|line| Some(line.trim().strip_prefix("NEEDED")?.trim()))
}

/// What is asked of glibc, in what `objdump -T` prints.
fn symbols(printed: &str) -> impl Iterator<Item = (Version, &str)> {
    printed.lines().filter(|line| line.contains("*UND*")).filter_map(|line| {
        let (version, symbol) = line.split_once("GLIBC_")?.1.split_once([' ', ')'])?;
        // GLIBC_2.2.5
        let [major, minor, ..] = *version.split('.').collect::<Vec<_>>() else { return None };
        Some(((major.parse().ok()?, minor.parse().ok()?), symbol.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::target::AARCH64;

    #[test]
    fn gcc_compiles_and_zig_links_for_the_target() {
        let script = compiler(&AARCH64, (2, 28), Path::new("/py"));
        let last = "exec '/py' -m ziglang cc -target aarch64-linux-gnu.2.28 \"$@\"\n";
        assert!(script.ends_with(last) && script.contains("gcc \"$@\"; done\n"), "{script}");
        assert_eq!(script.contains(" exec aarch64-linux-gnu-gcc "), !AARCH64.is_here(), "{script}");
    }

    #[test]
    fn versions_are_read_from_symbols() {
        let printed = "0000 w   D  *UND*\t0000  Base        __gmon_start__\n\
                       0000      DF *UND*\t0000 (GLIBC_2.34) dlsym\n\
                       0000      DF *UND*\t0000  GLIBC_2.2.5 write\n\
                       0000 g    DF .text\t0010  Base        main\n";
        assert_eq!(symbols(printed).collect::<Vec<_>>(), [((2, 34), "dlsym"), ((2, 2), "write")]);
        assert_eq!(parse("2.28"), Ok((2, 28)));
        assert!(parse("2").is_err() && parse("new").is_err());
    }

    #[test]
    fn a_library_that_other_machines_lack_is_an_error_that_names_file_and_library() {
        let dir = tempfile::tempdir().unwrap();
        let [other, with] = ["libother.so", "libwith.so"].map(|name| dir.path().join(name));
        let shared = |to: &Path| {
            let mut c = Command::new("cc");
            c.args(["-shared", "-x", "c", "/dev/null", "-x", "none", "-Wl,--no-as-needed", "-o"]).arg(to);
            c
        };
        crate::util::run(shared(&other).arg("-Wl,-soname,libother.so.1")).unwrap();
        needed(dir.path(), (2, 999), "objdump").unwrap();
        crate::util::run(shared(&with).arg(&other)).unwrap();
        let why = needed(dir.path(), (2, 999), "objdump").unwrap_err().to_string();
        assert!(why.contains("/libwith.so is linked with libother.so.1, "), "{why}");
    }

    #[test]
    fn a_newer_glibc_than_asked_for_is_an_error_that_names_file_and_symbol() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::copy(std::env::current_exe().unwrap(), dir.path().join("program")).unwrap();
        std::fs::write(dir.path().join("text"), "x").unwrap();
        let newest = needed(dir.path(), (2, 999), "objdump").unwrap();
        assert!(newest > (2, 2), "{newest:?}");
        let why = needed(dir.path(), (2, 1), "objdump").unwrap_err().to_string();
        assert!(why.contains("/program asks for ") && why.ends_with(", which is newer than 2.1"), "{why}");
    }
}
