//! What Fortran programs need beside liboshmpi.

use super::cross::binutils;
use crate::util::{Mpi, root, run};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Built {
    /// The archives of `KINDS`.
    pub kinds: Vec<PathBuf>,
    /// The module `shmem`, if there is a Fortran compiler.
    pub module: Option<Module>,
    /// What oshfort passes to the MPI's compiler.
    pub flags: Vec<String>,
}

pub struct Module {
    /// shmem.mod: what the compiler reads, and this compiler alone.
    pub compiled: PathBuf,
    /// Its constants.
    pub archive: PathBuf,
}

/// Archives that stand before the library in programs whose default kinds are not the usual ones: 8-byte integers,
/// 8-byte REAL, 16-byte DOUBLE PRECISION; and whose names have no underscore. liboshmpi_KIND.a is made of
/// fortran/KIND.c.
const KINDS: [&str; 4] = ["ilp64", "real8", "double16", "plain"];

/// The module's source, for other compilers.
pub fn source() -> PathBuf {
    root().join("fortran/shmem.f90")
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

/// Builds for one MPI.
pub fn build(mpi: Mpi) -> Result<Built> {
    let dir = mpi.target_dir().join("fortran");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let kinds = KINDS.iter().map(|kind| names_of(mpi, &dir, kind)).collect::<Result<_>>()?;
    let module = if compiles(mpi, &[]) { Some(module(mpi, &dir)?) } else { None };
    let flags = FLAGS.iter().filter(|f| compiles(mpi, &[f])).map(|f| f.to_string()).collect();
    Ok(Built { kinds, module, flags })
}

/// liboshmpi_KIND.a
fn names_of(mpi: Mpi, dir: &Path, kind: &str) -> Result<PathBuf> {
    let (object, archive) = (dir.join(format!("{kind}.o")), dir.join(format!("liboshmpi_{kind}.a")));
    run(Command::new(mpi.command("mpicc"))
        .args(["-c", "-O2", "-fPIC", "-std=c11", "-Wall", "-Wextra", "-o"])
        .arg(&object)
        .arg(root().join("fortran").join(format!("{kind}.c"))))?;
    // Anew, and without times: an unchanged library is the same bytes.
    let _ = fs::remove_file(&archive);
    run(binutils("ar").arg("rcsD").arg(&archive).arg(&object))?;
    Ok(archive)
}

fn module(mpi: Mpi, dir: &Path) -> Result<Module> {
    let (object, archive) = (dir.join("shmem.o"), dir.join("liboshmpi_fortran.a"));
    run(Command::new(mpi.command("mpifort"))
        .args(["-c", "-O2", "-fPIC", "-J"])
        .arg(dir)
        .arg("-o")
        .arg(&object)
        .arg(source()))?;
    let _ = fs::remove_file(&archive);
    run(binutils("ar").arg("rcsD").arg(&archive).arg(&object))?;
    Ok(Module { compiled: dir.join("shmem.mod"), archive })
}

/// Whether the MPI's Fortran compiler is there and takes these flags.
fn compiles(mpi: Mpi, flags: &[&str]) -> bool {
    let mut c = Command::new(mpi.command("mpifort"));
    c.args(flags).args(["-fsyntax-only", "-x", "f95", "/dev/null"]);
    c.output().is_ok_and(|out| out.status.success())
}
