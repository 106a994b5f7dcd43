//! The archive that is installed: what cargo archives, as one object that shows the API alone.
//!
//! Cargo's archive holds the objects of the standard library unchanged: with bitcode of the Rust compiler's LLVM, which
//! no other version of LLVM reads, with source lines for debuggers, and with names that a second archive of Rust code
//! in a program would define again. These go, and so does all that no routine of the API needs. The code that stays is
//! the compiler's, byte for byte.

use super::cross::binutils;
use super::library::{exported, unless_made};
use crate::util::run;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Sections that are removed: bitcode, the options to compile it, and the compilers' names.
const DROPPED: [&str; 3] = [".llvmbc", ".llvmcmd", ".comment"];

/// Makes the archive that is installed from cargo's, in a directory beside it.
pub fn one_object(cargos: &Path) -> Result<PathBuf> {
    let dir = cargos.with_extension("installed");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let at = |name: &str| dir.join(name);
    let (whole, shown, object, archive) = (at("whole.o"), at("shown.o"), at("oshmpi.o"), at("liboshmpi.a"));
    let names = at("names");

    let mut join = binutils("ld.bfd");
    join.args(["-r", "-o"]).arg(&whole).arg("--whole-archive").arg(cargos);
    let mut hide = binutils("objcopy");
    hide.args(["--wildcard", "--strip-debug"]).args(DROPPED.map(|section| format!("--remove-section={section}")));
    hide.arg(format!("--keep-global-symbols={}", names.display())).args([&whole, &shown]);
    let mut collect = binutils("ld.bfd");
    collect.args(["-r", "--gc-sections", "--gc-keep-exported", "-o"]).args([&object, &shown]);
    let mut pack = binutils("ar");
    pack.arg("rcsD").args([&archive, &object]);

    let list: String = exported().map(|name| format!("{name}\n")).collect();
    unless_made(&archive, &format!("{join:?}\n{hide:?}\n{collect:?}\n{pack:?}\n{list}"), cargos, || {
        fs::write(&names, &list).with_context(|| format!("cannot write {}", names.display()))?;
        let _ = fs::remove_file(&archive);
        for step in [&mut join, &mut hide, &mut collect, &mut pack] {
            run(step)?;
        }
        // They are larger than the archive.
        [&whole, &shown, &object].into_iter().try_for_each(fs::remove_file).context("cannot remove an object")
    })?;
    Ok(archive)
}
