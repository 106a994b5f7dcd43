//! `cargo xtask install`: builds oshmpi and lays it out under a prefix. `uninstall` takes it away again.
//!
//! ```text
//! PREFIX/bin/                       oshcc oshc++ oshcxx oshCC oshfort oshrun osh_info osh_perf
//! PREFIX/include/shmem.h ...
//! PREFIX/lib/                       liboshmpi.a, liboshmpi.so with its soname, both also as liboshmem and libsma;
//!                                   liboshmpi-mpi-{mpich,openmpi,abi}.so, for the MPI that a process loads;
//!                                   liboshmpi_{ilp64,real8,double16,plain}.a;
//!                                   liboshmpi_profile.so: what `oshrun --profile` preloads;
//!                                   liboshmpi_race.a, liboshmpi_race.so: the race detector of `oshcc -oshmpi-race`;
//!                                   liboshmpi_race_calls.a: each such program's copy of what compilers call most
//! PREFIX/lib/pkgconfig, lib/cmake   how other build systems find oshmpi
//! PREFIX/share/man                  a page for every command and every routine
//! PREFIX/share/doc/oshmpi           documents and examples
//! PREFIX/share/modulefiles          for `module load oshmpi`
//! PREFIX/share/oshmpi/config.json   what the wrappers and osh_info read
//! PREFIX/share/oshmpi/manifest      what was installed
//! ```
//! [`facts`] says what is true of the installation and [`plan`] of what it consists; the rest follows. A second run
//! builds and writes only what changed.

mod archive;
mod backends;
pub mod cross;
pub mod dist;
pub mod documents;
pub mod facts;
mod fortran;
pub mod glibc;
pub mod layout;
pub mod least;
pub mod library;
pub mod manual;
mod packages;
mod perf;
mod plan;
pub mod product;
pub mod profile;
mod race;
pub mod recipe;
pub mod target;
pub mod tools;
pub mod wheel;

use crate::deps::{self, Part};
use crate::util::{Mpi, command_exists};
use anyhow::{Context, Result};
use facts::Facts;
use library::Profile;
use std::path::{Path, PathBuf};
use std::process::Command;
use target::Target;
use tools::Tools;

#[derive(clap::Args)]
pub struct Args {
    /// Directory to install into
    #[arg(long)]
    pub prefix: PathBuf,
    /// The MPI of `oshcc -mpi` [default: the first that is here]. The library runs over all MPIs that are here, over
    /// those that have the same ABI, and without any
    #[arg(long, value_enum)]
    pub mpi: Option<Mpi>,
    /// The compiler wrapper of that MPI, where it is not Debian's: mpicc, /opt/mpi/bin/mpicc. Its mpicxx, mpifort and
    /// mpiexec are taken from beside it
    #[arg(long, value_name = "MPICC", conflicts_with = "mpi")]
    pub mpicc: Option<String>,
    /// The machines to build for, where they are not of this one's architecture: aarch64-unknown-linux-gnu. Over the
    /// MPIs that are here, or the one whose cross compiler wrapper --mpicc names
    #[arg(long, value_name = "TRIPLE", value_parser = target::parse)]
    pub target: Option<Target>,
    /// Without link-time optimisation: built in half the time, and slower calls
    #[arg(long)]
    pub quick: bool,
    /// Without optimisation of the library: built fastest, for work on oshmpi itself
    #[arg(long, conflicts_with = "quick")]
    pub debug: bool,
}

impl Args {
    /// For the other tasks, which share one installation per MPI.
    pub fn ours(mpi: Mpi) -> Args {
        Args { prefix: mpi.prefix(), mpi: Some(mpi), mpicc: None, target: None, quick: false, debug: false }
    }

    fn profile(&self) -> Profile {
        match (self.debug, self.quick) {
            (true, _) => Profile::Debug,
            (false, true) => Profile::Quick,
            (false, false) => Profile::Release,
        }
    }
}

#[derive(clap::Args)]
pub struct UninstallArgs {
    /// Directory that oshmpi was installed into
    #[arg(long)]
    prefix: PathBuf,
}

pub fn run(args: Args) -> Result<()> {
    let found = args.mpi.or_else(|| Mpi::ALL.into_iter().find(|mpi| mpi.has("mpicc")));
    deps::ensure(&match (&args.mpicc, found) {
        // That MPI is there already.
        (Some(_), _) => vec![Part::Build, Part::Mpi],
        (None, Some(mpi)) => vec![Part::Build, Part::Debian, Part::Mpi, Part::Of(mpi)],
        // An MPI with the standard's ABI.
        (None, None) if command_exists("mpicc_abi") => vec![Part::Build, Part::Debian, Part::Mpi],
        (None, None) => vec![Part::Build, Part::Debian],
    })?;
    let usual = found.unwrap_or(Mpi::Mpich);
    let prefix = std::path::absolute(&args.prefix).context("--prefix is not a usable path")?;
    let mpi = match (args.target, args.mpicc.as_deref()) {
        (Some(target), mpicc) => cross::choose(target, usual, mpicc)?,
        (None, Some(mpicc)) => Mpi::other(mpicc)?,
        (None, None) => usual,
    };
    let profile = args.profile();
    if !prefix.join("bin/oshcc").exists() {
        eprintln!("{}", how_long(profile));
    }
    let (_, items) = prepare(mpi, profile, None)?;
    layout::install(&prefix, &items)?;
    let target = args.target.map_or(String::new(), |t| format!(" for {}", t.triple));
    let abis: Vec<&str> = items.iter().filter_map(|item| backends::abi(&item.path)).collect();
    let over = if abis.is_empty() { "no MPI".to_owned() } else { format!("the MPIs {}", abis.join(", ")) };
    let prefix = prefix.display();
    println!("oshmpi{target} over {over} is in {prefix}; to use it:");
    println!("    export PATH=\"{prefix}/bin:$PATH\"");
    println!("    export MANPATH=\"{prefix}/share/man:\"");
    Ok(())
}

pub fn uninstall(args: UninstallArgs) -> Result<()> {
    let prefix = std::path::absolute(&args.prefix).context("--prefix is not a usable path")?;
    let files = layout::uninstall(&prefix)?;
    println!("{files} files of oshmpi removed from {}", prefix.display());
    Ok(())
}

/// What is said before a build: nothing else is for minutes where standard error is no terminal.
fn how_long(profile: Profile) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    // CPU minutes of a first build on a machine of 2020, of which the last step uses one core.
    let (whole, last, instead) = match profile {
        Profile::Release => (4.5, 1.5, "; --quick takes half the time, and calls are slower"),
        Profile::Quick => (3.5, 0.3, ""),
        Profile::Debug | Profile::Dev => (2.0, 0.3, ""),
    };
    let minutes = f64::ceil(last + (whole - last) / cores as f64);
    format!("building oshmpi: about {minutes} minutes on {cores} cores, a few seconds if it is built already{instead}")
}

/// Builds everything; returns what is true of it and what is to be put where. `profile`: the library's. `mpicc_abi`: a
/// wrapper for the standard's ABI of MPI that is not beside the others.
fn prepare(mpi: Mpi, profile: Profile, mpicc_abi: Option<&Path>) -> Result<(Facts, Vec<layout::Item>)> {
    let built = library::build(profile)?;
    let shared = library::link_shared(&built)?;
    let backends = backends::build(mpi, mpicc_abi)?;
    let for_fortran = fortran::build()?;
    let profile = profile::build()?;
    let tools = Tools::build()?;
    let facts = Facts::gather(mpi, &built, &for_fortran)?;
    let race = race::build(&shared, &built)?;
    let perf = perf::build(&shared)?;
    let libraries = plan::Libraries {
        archive: &built.archive,
        shared: &shared,
        backends: &backends,
        fortran: &for_fortran,
        profile: &profile,
        perf: &perf,
        race: &race,
    };
    let items = plan::all(&facts, &libraries, &tools)?;
    Ok((facts, items))
}

/// Cargo's last line says nothing here: the installation is the result.
fn worth_showing(line: &str) -> bool {
    !line.trim_start().starts_with("Finished ")
}

/// An installed command.
pub fn wrapper(prefix: &Path, name: &str) -> Command {
    Command::new(prefix.join("bin").join(name))
}
