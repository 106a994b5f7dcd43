//! Who is measured: how the programs of each contestant are compiled and started.

use crate::util::{self, Mpi};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Somebody whose figures are compared. Tables and files have them in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contestant {
    /// oshmpi over this MPI.
    Ours(Mpi),
    /// Open MPI's OpenSHMEM.
    Oshmem,
    /// Plain MPI: one-sided, collective or two-sided, whichever comes closest.
    Plain(Mpi),
    /// The machine itself.
    Limit,
}

impl Contestant {
    /// The name in tables and result files.
    pub fn name(self) -> String {
        match self {
            Contestant::Ours(mpi) => format!("oshmpi/{mpi}"),
            Contestant::Oshmem => "openmpi-oshmem".into(),
            Contestant::Plain(mpi) => format!("mpi/{mpi}"),
            Contestant::Limit => "limit".into(),
        }
    }

    /// Whether a failure ends the benchmark with an error. A failure of another contestant is only reported.
    pub fn is_ours(self) -> bool {
        matches!(self, Contestant::Ours(_))
    }

    fn is_shmem(self) -> bool {
        self.is_ours() || self == Contestant::Oshmem
    }
}

/// Open MPI's `oshcc`, if it is installed. oshmpi's wrapper has the same name, so each candidate is asked who it is.
pub fn oshmem_compiler() -> Option<String> {
    ["/usr/bin/oshcc", "oshcc"].into_iter().map(String::from).find(|candidate| {
        Command::new(candidate)
            .arg("--showme:version")
            .output()
            .is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("Open SHMEM"))
    })
}

/// Where things are: compilers, launchers, built programs.
pub struct Workshop {
    /// oshmpi's prefix, in place of `target/prefix/<mpi>`.
    prefix: Option<PathBuf>,
    oshmem: Option<String>,
    cores: usize,
    /// Where UCX, below Open MPI, makes its shared memory. Processes that crash in shmem_finalize leave theirs behind.
    shm: Option<TempDir>,
}

impl Workshop {
    pub fn new(prefix: Option<PathBuf>) -> Result<Workshop> {
        let cores = std::thread::available_parallelism()?.get();
        // UCX has its memory there by default too. Where there is no /dev/shm, it chooses a place.
        let shm = tempfile::Builder::new().prefix("oshmpi-bench.").tempdir_in("/dev/shm").ok();
        Ok(Workshop { prefix, oshmem: oshmem_compiler(), cores, shm })
    }

    fn compiler(&self, who: Contestant) -> Result<PathBuf> {
        Ok(match who {
            Contestant::Ours(mpi) => self.prefix.clone().unwrap_or_else(|| mpi.prefix()).join("bin/oshcc"),
            Contestant::Oshmem => {
                let missing = "Open MPI's oshcc is not installed (package libopenmpi-dev)";
                self.oshmem.as_ref().context(missing)?.into()
            }
            Contestant::Plain(mpi) => mpi.command("mpicc").into(),
            Contestant::Limit => "cc".into(),
        })
    }

    /// Where the built program is.
    pub fn binary(&self, who: Contestant, source: &str) -> PathBuf {
        let dir = util::root().join("target/bench/bin").join(who.name().replace('/', "-"));
        dir.join(Path::new(source).file_name().expect("a source has a name"))
    }

    /// Compiles one program below `benches/` for one contestant. `source`: the file without `.c`.
    pub fn build(&self, who: Contestant, source: &str) -> Result<()> {
        let binary = self.binary(who, source);
        std::fs::create_dir_all(binary.parent().expect("the binary lies in a directory"))?;
        let mut command = Command::new(self.compiler(who)?);
        command.args(["-std=gnu11", "-O2", "-Wall"]).arg("-o").arg(&binary);
        let file = util::root().join("benches").join(source).with_extension("c");
        if let Contestant::Ours(mpi) = who
            && util::calls_mpi(&file)?
        {
            command.arg(format!("-mpi={}", mpi.command("mpicc")));
        }
        command.arg(file).arg("-lm");
        if who.is_shmem() {
            // For the sources that are also MPI programs.
            command.arg("-DWITH_SHMEM");
        }
        let out = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
        if !out.status.success() {
            let stderr = String::from_utf8_lossy(&out.stderr);
            let line = stderr.lines().find(|l| l.contains("error")).or(stderr.lines().next()).unwrap_or("no message");
            bail!("{source} does not compile for {}: {}", who.name(), line.trim());
        }
        Ok(())
    }

    /// The command that runs a built program with `pes` processes, without its arguments.
    ///
    /// Everybody gets the same places: a core per process where there are enough, else no process is bound.
    pub fn start(&self, who: Contestant, source: &str, pes: usize) -> Command {
        let bind = if pes <= self.cores { "core" } else { "none" };
        let mut command = match who {
            Contestant::Limit => return Command::new(self.binary(who, source)),
            Contestant::Ours(Mpi::Mpich) | Contestant::Plain(Mpi::Mpich) => {
                let mut c = Command::new(Mpi::Mpich.command("mpiexec"));
                c.args(["-bind-to", bind]);
                c
            }
            Contestant::Ours(mpi) | Contestant::Plain(mpi) => openmpi(&mpi.command("mpiexec"), bind),
            Contestant::Oshmem => {
                let oshcc = self.oshmem.as_deref().unwrap_or("oshcc");
                openmpi(&format!("{}oshrun", oshcc.strip_suffix("oshcc").unwrap_or("")), bind)
            }
        };
        if let Some(dir) = &self.shm {
            command.env("UCX_POSIX_DIR", dir.path());
        }
        if who == Contestant::Plain(Mpi::Openmpi) {
            // The fastest one-sided component inside a node. Open MPI's choice (rdma) is three times slower and ends
            // MPI_Compare_and_swap with a segmentation fault in 4.1.4.
            command.args(["--mca", "osc", "sm"]);
        }
        command.arg("-n").arg(pes.to_string()).arg(self.binary(who, source));
        command
    }
}

/// Open MPI's launcher. It refuses root (containers, CI) and more processes than cores unless told.
fn openmpi(launcher: &str, bind: &str) -> Command {
    let mut c = Command::new(launcher);
    c.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    c.args(["--oversubscribe", "--bind-to", bind]);
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUT: &str = "osu/osu_oshm_put";

    fn shop(prefix: Option<&str>, oshmem: Option<&str>) -> Workshop {
        Workshop { prefix: prefix.map(PathBuf::from), oshmem: oshmem.map(String::from), cores: 2, shm: None }
    }

    #[test]
    fn processes_are_bound_while_cores_last() {
        let line = |who, pes| format!("{:?}", shop(None, Some("/opt/bin/oshcc")).start(who, PUT, pes));
        assert!(line(Contestant::Ours(Mpi::Mpich), 2).contains(r#""-bind-to" "core" "-n" "2""#));
        assert!(line(Contestant::Ours(Mpi::Mpich), 3).contains(r#""-bind-to" "none" "-n" "3""#));
        assert!(line(Contestant::Oshmem, 8).contains(r#""--oversubscribe" "--bind-to" "none" "-n" "8""#));
        assert!(line(Contestant::Oshmem, 2).contains(r#""/opt/bin/oshrun""#), "the launcher lies beside the compiler");
    }

    #[test]
    fn a_missing_peer_is_named() {
        let why = shop(None, None).build(Contestant::Oshmem, PUT).unwrap_err().to_string();
        assert!(why.starts_with("Open MPI's oshcc is not installed"), "{why}");
        let why = shop(Some("/nonexistent"), None).build(Contestant::Ours(Mpi::Mpich), PUT).unwrap_err().to_string();
        assert!(why.contains("cannot start") && why.contains("/nonexistent/bin/oshcc"), "{why}");
    }
}
