//! osh_perf: a C program over the library that is installed, so that a user can measure an installation.

use super::cross;
use super::recipe::unless_made;
use crate::r#gen::headers;
use crate::util::{root, run};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

pub const NAME: &str = "osh_perf";

/// Builds the program over the shared library, which it finds beside its own directory.
pub fn build(shared: &Path) -> Result<PathBuf> {
    let (source, include) = (root().join("tools/perf/osh_perf.c"), headers::dir()?);
    let (dir, _lock) = cross::without_mpi("perf")?;
    let program = dir.join(NAME);
    let mut c = cross::compiler();
    // A cross linker need not find what the library itself needs.
    let linking = ["-Wl,-rpath,$ORIGIN/../lib", "-Wl,--allow-shlib-undefined"];
    c.args(["-O2", "-std=gnu99", "-Wall", "-Wextra"]).args(linking);
    c.arg("-I").arg(include).arg("-o").arg(&program).arg(&source).arg(shared);
    let text = fs::read_to_string(&source).with_context(|| format!("cannot read {}", source.display()))?;
    unless_made(&program, &format!("{c:?}\n{text}"), shared, || run(&mut c))?;
    Ok(program)
}
