//! The archive that is installed: what cargo archives, as one object that shows the API alone.
//!
//! Cargo's archive holds the objects of the standard library unchanged: with bitcode of the Rust compiler's LLVM, which
//! no other version of LLVM reads, with source lines for debuggers, and with names that a second archive of Rust code
//! in a program would define again. These go, and so does all that no routine of the API needs. The code that stays is
//! the compiler's, byte for byte.

use super::cross::binutils;
use super::recipe::{state, unless_made};
use crate::util::{run, write};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sections that are removed: bitcode, the options to compile it, and the compilers' names.
const DROPPED: [&str; 3] = [".llvmbc", ".llvmcmd", ".comment"];

/// Makes `archive` of one object, from `objects` and all of the archive `from`. The object shows `shown`: names and
/// patterns. Names of symbols are replaced: in each pair the first by the second.
pub fn one_object(
    archive: &Path,
    objects: &[PathBuf],
    from: &Path,
    shown: &[String],
    replaced: &[(&str, String)],
) -> Result<()> {
    let at = |ending: &str| archive.with_extension(ending);
    let (whole, less, object, names) = (at("whole.o"), at("shown.o"), at("o"), at("names"));
    let mut join = binutils("ld.bfd");
    join.args(["-r", "-o"]).arg(&whole).args(objects).arg("--whole-archive").arg(from);
    let mut hide = binutils("objcopy");
    hide.args(["--wildcard", "--strip-debug"]).args(DROPPED.map(|section| format!("--remove-section={section}")));
    hide.arg(format!("--keep-global-symbols={}", names.display()));
    hide.args(replaced.iter().map(|(old, new)| format!("--redefine-sym={old}={new}"))).args([&whole, &less]);
    let mut collect = binutils("ld.bfd");
    collect.args(["-r", "--gc-sections", "--gc-keep-exported", "-o"]).args([&object, &less]);

    let list: String = shown.iter().map(|name| format!("{name}\n")).collect();
    let states: String = objects.iter().filter_map(|o| state(o).ok()).collect();
    unless_made(archive, &format!("{join:?}\n{hide:?}\n{collect:?}\n{list}{states}"), from, || {
        write(&names, &list)?;
        [&mut join, &mut hide, &mut collect].into_iter().try_for_each(run)?;
        pack(archive, &object)?;
        // They are larger than the archive.
        [&whole, &less, &object].into_iter().try_for_each(fs::remove_file).context("cannot remove an object")
    })
}

/// Links `shared` by `c`. It shows these names and patterns, and no others. `recipe`: what else it is made of.
pub fn shared(mut c: Command, shared: &Path, shown: &[String], recipe: &str, from: &Path) -> Result<()> {
    let script = shared.with_extension("exports");
    c.arg(format!("-Wl,--version-script={}", script.display()));
    let names: String = shown.iter().map(|name| format!("    {name};\n")).collect();
    let exports = format!("{{\n  global:\n{names}  local:\n    *;\n}};\n");
    unless_made(shared, &format!("{c:?}\n{exports}{recipe}"), from, || {
        write(&script, &exports)?;
        run(&mut c)
    })
}

/// Makes an archive of one object. Anew, and without times: an unchanged library is the same bytes.
pub fn pack(archive: &Path, object: &Path) -> Result<()> {
    let _ = fs::remove_file(archive);
    run(binutils("ar").arg("rcsD").args([archive, object]))
}
