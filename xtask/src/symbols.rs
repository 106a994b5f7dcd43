//! `cargo xtask symbols`: the libraries have exactly the routines of the standard, under both their names.
//!
//! Two lists are compared: spec/openshmem-1.6.api, and what the linker put into the libraries. Neither is made from the
//! other. Fortran's names are in spec/fortran-1.4.api.

mod judge;
mod library;

use crate::spec::{self, Spec};
use crate::util::{self, Mpi};
use anyhow::{Result, bail, ensure};
use judge::Expected;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Where oshmpi is installed; the libraries are in its lib/ [default: where tasks install it for each MPI]
    #[arg(long)]
    prefix: Vec<PathBuf>,
}

/// By which debuggers of parallel programs find the processes of a job in oshrun.
const MPIR: [&str; 7] = [
    "MPIR_Breakpoint",
    "MPIR_being_debugged",
    "MPIR_debug_state",
    "MPIR_i_am_starter",
    "MPIR_partial_attach_ok",
    "MPIR_proctable",
    "MPIR_proctable_size",
];

pub fn run(args: Args) -> Result<()> {
    let spec = Spec::load()?;
    let expected = Expected::new(&spec, spec::fortran::load()?)?;
    let mut complaints = Vec::new();
    let dirs = libraries(args.prefix)?;
    for dir in &dirs {
        for (file, read) in [
            ("liboshmpi.a", library::archive as fn(&std::path::Path) -> Result<library::Library>),
            ("liboshmpi.so", library::shared),
        ] {
            let path = dir.join(file);
            let found = expected.judge(&read(&path)?);
            println!(
                "symbols: {}: {} routines, {} of Fortran, {} complaints",
                path.display(),
                expected.routines(),
                expected.fortran(),
                found.len()
            );
            complaints.extend(found.into_iter().map(|c| format!("{}: {c}", path.display())));
        }
    }
    // A profiling tool sees the program's calls of MPI only.
    for path in backends(&dirs)? {
        let called = library::shared(&path)?.referred.into_iter().filter(|n| n.starts_with("MPI_"));
        complaints.extend(called.map(|n| format!("{}: it calls {n} instead of P{n}", path.display())));
    }
    for path in dirs.iter().map(|dir| dir.with_file_name("bin").join("oshrun")) {
        let there = library::names(&path)?;
        let missing = MPIR.iter().filter(|name| !there.contains(**name));
        complaints.extend(missing.map(|name| format!("{}: {name} is missing", path.display())));
    }
    for c in &complaints {
        eprintln!("{c}");
    }
    match complaints.first() {
        Some(first) => bail!("symbols: {} complaints, first: {first}", complaints.len()),
        None => Ok(()),
    }
}

/// Directories with libraries to look at. Having none to look at is an error: a comparison with nothing always agrees.
fn libraries(prefixes: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    let dirs = |prefixes: Vec<PathBuf>| prefixes.into_iter().map(|p| p.join("lib"));
    if !prefixes.is_empty() {
        return Ok(dirs(prefixes).collect());
    }
    let found: Vec<PathBuf> = dirs(Mpi::ALL.iter().map(|m| m.prefix()).collect()).filter(|d| d.is_dir()).collect();
    ensure!(
        !found.is_empty(),
        "no library below {}: run `cargo xtask install --prefix DIR` and name it with --prefix",
        util::root().join("target/prefix").display()
    );
    Ok(found)
}

/// The libraries that make a table of MPI.
fn backends(dirs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = dirs.iter().map(|dir| util::files(dir, "so")).collect::<Result<Vec<_>>>()?.concat();
    files.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("liboshmpi-mpi-")));
    ensure!(files.len() >= dirs.len(), "a prefix has no liboshmpi-mpi-NAME.so");
    Ok(files)
}
