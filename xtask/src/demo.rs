//! `cargo xtask demo`: from nothing to a picture.

use crate::install;
use crate::util::{self, Mpi, made, root};
use anyhow::Result;
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// The MPI to build over
    #[arg(long, value_enum, default_value = "mpich")]
    mpi: Mpi,
    /// Number of PEs
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    pes: u16,
}

/// Installs, compiles, runs on `pes` PEs. `more`: further options for heat2d. `job`: turns the command into the one to
/// run.
pub fn play(mpi: Mpi, pes: usize, more: &[&str], job: fn(Command) -> Command) -> Result<()> {
    install::run(install::Args::ours(mpi, install::library::Profile::Release))?;

    let dir = made(root().join("target/demo"))?;
    let picture = dir.join("heat2d.png");
    let program = dir.join(format!("heat2d.{mpi}"));
    // A picture from an earlier run must not pass for the new one.
    let _ = fs::remove_file(&picture);

    let mut compile = Command::new(install::wrapper(&mpi.prefix(), "oshcc"));
    compile.arg("-O2").arg(root().join("examples/c/heat2d.c")).arg("-o").arg(&program).arg("-lm");
    show(&compile);
    util::run(compile.current_dir(root()))?;

    let mut solve = mpi.mpiexec(pes);
    solve.arg(&program).arg("-o").arg(&picture).args(more);
    show(&solve);
    util::run(job(solve).current_dir(root()))?;

    anyhow::ensure!(picture.is_file(), "heat2d wrote no picture");
    println!("the temperature of the plate is drawn in {}", relative(&picture).display());
    Ok(())
}

pub fn run(args: Args) -> Result<()> {
    play(args.mpi, usize::from(args.pes), &[], std::convert::identity)
}

/// Prints a command with paths from the top of the checkout.
fn show(c: &Command) {
    let words = std::iter::once(c.get_program()).chain(c.get_args());
    let words: Vec<String> = words.map(|w| relative(Path::new(w)).display().to_string()).collect();
    println!("$ {}", words.join(" "));
}

/// A path as seen from the top of the checkout.
fn relative(path: &Path) -> &Path {
    path.strip_prefix(root()).unwrap_or(path)
}
