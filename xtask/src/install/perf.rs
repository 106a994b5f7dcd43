//! osh_perf: a C program over the library that is installed, so that a user can measure an installation.

use super::cross;
use super::recipe::unless_made;
use crate::r#gen::headers;
use crate::util::{files, read, root, run};
use anyhow::Result;
use std::path::{Path, PathBuf};

pub const NAME: &str = "osh_perf";

/// Builds the program over the shared library, which it finds beside its own directory.
pub fn build(shared: &Path) -> Result<PathBuf> {
    let (from, include) = (root().join("tools/perf"), headers::dir()?);
    let sources = files(&from, "c")?;
    let (dir, _lock) = cross::without_mpi("perf")?;
    let program = dir.join(NAME);
    let mut c = cross::compiler();
    // A cross linker need not find what the library itself needs.
    let linking = ["-Wl,-rpath,$ORIGIN/../lib", "-Wl,--allow-shlib-undefined"];
    c.args(["-O2", "-std=gnu99", "-Wall", "-Wextra"]).args(linking);
    c.arg("-I").arg(include).arg("-o").arg(&program).args(&sources).arg(shared).arg("-lm");
    let mut recipe = format!("{c:?}\n");
    for file in sources.iter().chain(&files(&from, "h")?) {
        recipe += &read(file)?;
    }
    unless_made(&program, &recipe, shared, || run(&mut c))?;
    Ok(program)
}
