//! `cargo xtask install`: builds oshmpi over one MPI and lays it out under a prefix.
//!
//! ```text
//! PREFIX/bin/oshcc oshc++ oshcxx oshfort      one program under four names
//! PREFIX/bin/oshrun                           the launcher
//! PREFIX/include/shmem.h ...
//! PREFIX/lib/liboshmpi.a liboshmpi.so.0.1.0 liboshmpi.so.0 liboshmpi.so
//! PREFIX/lib/libpmi.so.0 libpmi2.so.0 ...     process management for C programs, with pmi.h and pmi2.h
//! PREFIX/lib/liboshmpi_ilp64.a                Fortran with 8-byte default integers
//! PREFIX/include/shmem.mod lib/liboshmpi_fortran.a share/oshmpi/shmem.f90
//!                                             the Fortran module, compiled where there is a compiler, and its source
//! PREFIX/share/oshmpi/config.json             what the wrappers read
//! ```
//! A second run builds and writes only what changed. Each file is written beside its place and then renamed, so that
//! a program that starts meanwhile finds the old one or the new one.

mod fortran;
mod layout;
pub mod library;
mod pmi;

use crate::deps;
use crate::util::{Mpi, Stream, cargo, listen, root};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub struct Args {
    /// Directory to install into
    #[arg(long)]
    pub prefix: PathBuf,
    /// The MPI to build over
    #[arg(long, value_enum, default_value = "mpich")]
    pub mpi: Mpi,
}

/// The names of the compiler wrappers. C++ has two, as in other implementations.
const WRAPPERS: [&str; 4] = ["oshcc", "oshc++", "oshcxx", "oshfort"];

const VERSION: &str = env!("CARGO_PKG_VERSION");

pub fn run(args: Args) -> Result<()> {
    deps::ensure()?;
    let prefix = std::path::absolute(&args.prefix).context("--prefix is not a usable path")?;
    let built = library::build(args.mpi)?;
    let shared = library::link_shared(args.mpi, &built)?;
    let tools = build_tools()?;
    let for_fortran = fortran::build(args.mpi)?;

    let lib = prefix.join("lib");
    layout::file(&built.archive, &lib.join("liboshmpi.a"))?;
    layout::shared_library(&shared, &lib, "liboshmpi.so", VERSION)?;
    layout::headers(&root().join("include"), &prefix.join("include"))?;
    for name in WRAPPERS {
        layout::file(&tools.join("oshwrap"), &prefix.join("bin").join(name))?;
    }
    layout::file(&tools.join("oshrun"), &prefix.join("bin/oshrun"))?;
    pmi::install(&prefix)?;
    layout::file(&for_fortran.ilp64, &lib.join("liboshmpi_ilp64.a"))?;
    layout::file(&fortran::source(), &prefix.join("share/oshmpi/shmem.f90"))?;
    if let Some(module) = &for_fortran.module {
        layout::file(&module.compiled, &prefix.join("include/shmem.mod"))?;
        layout::file(&module.archive, &lib.join("liboshmpi_fortran.a"))?;
    }
    let config = config(args.mpi, &built.native_libs, &for_fortran);
    layout::text(&config, &prefix.join("share/oshmpi/config.json"))?;
    println!("oshmpi over {} is in {}", args.mpi, prefix.display());
    Ok(())
}

/// The wrapper and the launcher do not depend on the MPI: they are built once, in a place of their own. Returns their
/// directory.
fn build_tools() -> Result<PathBuf> {
    let target = root().join("target/build/tools");
    let mut c = cargo();
    c.args(["build", "--release", "-p", "oshmpi-tools", "--bins", "--locked"])
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    listen(&mut c, Stream::Err, worth_showing)?;
    Ok(target.join("release"))
}

/// Cargo's last line says nothing here: the installation is the result.
fn worth_showing(line: &str) -> bool {
    !line.trim_start().starts_with("Finished ")
}

/// What the wrappers read. They find the prefix themselves, so no path stands here.
fn config(mpi: Mpi, native_libs: &[String], fortran: &fortran::Built) -> String {
    let config = serde_json::json!({
        "version": VERSION,
        "mpi": mpi.name(),
        "cc": mpi.command("mpicc"),
        "cxx": mpi.command("mpicxx"),
        "fc": mpi.command("mpifort"),
        "fc_flags": fortran.flags,
        "fc_libs": fortran.module.iter().map(|_| "-loshmpi_fortran").collect::<Vec<_>>(),
        "native_libs": native_libs,
    });
    format!("{config:#}\n")
}

/// An installed wrapper.
pub fn wrapper(prefix: &Path, name: &str) -> PathBuf {
    prefix.join("bin").join(name)
}
