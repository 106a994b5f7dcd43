//! The programs of benches/remote, compiled.

use crate::util::{made, root};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Name and macro of a program.
pub type Named<'a> = (&'a str, &'a str);

/// Where compiled programs are.
pub fn directory() -> Result<PathBuf> {
    let dir = made(root().join("target/bench/bin/remote"))?;
    Ok(dir)
}

/// Compiles a program of benches/remote with a macro defined, or none.
pub fn compile(compiler: &Path, (name, defined): Named<'_>) -> Result<PathBuf> {
    let dir = directory()?;
    let source = root().join("benches/remote").join(name).with_extension("c");
    let program = dir.join(format!("{name}{}", defined.to_lowercase()));
    let mut c = Command::new(compiler);
    c.arg("-O2").args((!defined.is_empty()).then(|| format!("-D{defined}")));
    crate::util::run(c.arg(source).arg("-o").arg(&program))?;
    Ok(program)
}
