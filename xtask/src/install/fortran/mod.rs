//! What Fortran programs need beside liboshmpi. The sources are written from the lists in spec/.

mod forwards;
mod module;

use super::archive::pack;
use super::cross;
use crate::r#gen::headers;
use crate::spec::{self, Spec};
use crate::util::{read, run, write};
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Built {
    /// The archives of [`forwards`].
    pub kinds: Vec<PathBuf>,
    /// The source of the module `shmem`, for other compilers.
    pub source: PathBuf,
    /// The module, if there is a Fortran compiler.
    pub module: Option<Module>,
    /// What oshfort passes to the compiler.
    pub flags: Vec<String>,
}

pub struct Module {
    /// shmem.mod: what the compiler reads, and this compiler alone.
    pub compiled: PathBuf,
    /// Its constants.
    pub archive: PathBuf,
}

/// What programs expect of a Fortran compiler and gfortran wants to be told.
const FLAGS: [&str; 3] = [
    // Calls of one routine with arrays of different types are errors since version 10; this makes them warnings.
    "-fallow-argument-mismatch",
    // Hexadecimal constants in the old way, X'7fff', are errors since version 10 as well.
    "-fallow-invalid-boz",
    // What shpalloc and shmem_ptr give.
    "-fcray-pointer",
];

/// Builds them, once for all MPIs.
pub fn build() -> Result<Built> {
    let (dir, _lock) = cross::without_mpi("fortran")?;
    let kinds = forwards::files(&spec::fortran::load()?)?;
    let kinds = kinds.iter().map(|(kind, text)| names_of(&dir, kind, text)).collect::<Result<_>>()?;
    let header = read(&headers::dir()?.join("shmem.h"))?;
    let source = dir.join("shmem.f90");
    write(&source, &module::file(&Spec::load()?, &header)?)?;
    let module = if compiles(&[]) { Some(module(&dir, &source)?) } else { None };
    let flags = FLAGS.iter().filter(|f| compiles(&[f])).map(|f| f.to_string()).collect();
    Ok(Built { kinds, source, module, flags })
}

/// liboshmpi_KIND.a from its source.
fn names_of(dir: &Path, kind: &str, text: &str) -> Result<PathBuf> {
    let [source, object] = ["c", "o"].map(|end| dir.join(format!("{kind}.{end}")));
    write(&source, text)?;
    let archive = dir.join(format!("liboshmpi_{kind}.a"));
    run(cross::compiler()
        .args(["-c", "-O2", "-fPIC", "-std=c11", "-Wall", "-Wextra", "-o"])
        .arg(&object)
        .arg(&source))?;
    pack(&archive, &object)?;
    Ok(archive)
}

fn module(dir: &Path, source: &Path) -> Result<Module> {
    let (object, archive) = (dir.join("shmem.o"), dir.join("liboshmpi_fortran.a"));
    run(compiler().args(["-c", "-O2", "-fPIC", "-J"]).arg(dir).arg("-o").arg(&object).arg(source))?;
    pack(&archive, &object)?;
    Ok(Module { compiled: dir.join("shmem.mod"), archive })
}

fn compiler() -> Command {
    Command::new(cross::gnu("gfortran"))
}

/// Whether the Fortran compiler is there and takes these flags.
fn compiles(flags: &[&str]) -> bool {
    let mut c = compiler();
    c.args(flags).args(["-fsyntax-only", "-x", "f95", "/dev/null"]);
    c.output().is_ok_and(|out| out.status.success())
}
