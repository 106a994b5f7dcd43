//! What Fortran programs need beside liboshmpi.

use crate::util::{Mpi, root, run};
use anyhow::{Context, Result};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

pub struct Built {
    /// The names for 8-byte default integers.
    pub ilp64: PathBuf,
    /// What oshfort passes to the MPI's compiler.
    pub flags: Vec<String>,
}

/// What programs expect of a Fortran compiler and gfortran wants to be told.
const FLAGS: [&str; 2] = [
    // Calls of one routine with arrays of different types are errors since version 10; this makes them warnings.
    "-fallow-argument-mismatch",
    // What shpalloc and shmem_ptr give.
    "-fcray-pointer",
];

/// Builds for one MPI.
pub fn build(mpi: Mpi) -> Result<Built> {
    let dir = mpi.target_dir().join("fortran");
    fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let (object, ilp64) = (dir.join("ilp64.o"), dir.join("liboshmpi_ilp64.a"));
    run(Command::new(mpi.command("mpicc"))
        .args(["-c", "-O2", "-fPIC", "-std=c11", "-Wall", "-Wextra", "-o"])
        .arg(&object)
        .arg(root().join("fortran/ilp64.c")))?;
    // Anew, and without times: an unchanged library is the same bytes.
    let _ = fs::remove_file(&ilp64);
    run(Command::new("ar").arg("rcsD").arg(&ilp64).arg(&object))?;
    let flags = FLAGS.iter().filter(|f| knows(mpi, f)).map(|f| f.to_string()).collect();
    Ok(Built { ilp64, flags })
}

/// Whether the MPI's Fortran compiler takes a flag; not when there is none.
fn knows(mpi: Mpi, flag: &str) -> bool {
    let mut c = Command::new(mpi.command("mpifort"));
    c.args([flag, "-fsyntax-only", "-x", "f95", "/dev/null"]);
    c.output().is_ok_and(|out| out.status.success())
}
