//! Who is measured: how the programs of each contestant are compiled and started.

use crate::util::{self, Mpi};
use anyhow::{Context, Result, bail};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Somebody whose figures are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// oshmpi over this MPI.
    Ours(Mpi),
    /// Open MPI's OpenSHMEM.
    Oshmem,
    /// Plain MPI, the peer that we build upon: one-sided, collective or two-sided, whichever comes closest.
    Plain(Mpi),
    /// The machine itself.
    Limit,
}

impl Contestant {
    /// As in tables and result files.
    pub fn name(self) -> String {
        match self {
            Contestant::Ours(mpi) => format!("oshmpi/{mpi}"),
            Contestant::Oshmem => "openmpi-oshmem".into(),
            Contestant::Plain(mpi) => format!("mpi/{mpi}"),
            Contestant::Limit => "limit".into(),
        }
    }

    /// Must exist and must end well; what others cannot do is only noted.
    pub fn is_ours(self) -> bool {
        matches!(self, Contestant::Ours(_))
    }

    /// The order in tables and files.
    fn rank(self) -> (u8, &'static str) {
        match self {
            Contestant::Ours(mpi) => (0, mpi.name()),
            Contestant::Oshmem => (1, ""),
            Contestant::Plain(mpi) => (2, mpi.name()),
            Contestant::Limit => (3, ""),
        }
    }
}

impl Ord for Contestant {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Contestant {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A C program below `benches/`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    /// The file without `.c`: `osu/osu_oshm_put`.
    pub source: &'static str,
    /// Built as an OpenSHMEM program where the source can be either.
    pub shmem: bool,
}

/// Open MPI's `oshcc`, if it is installed. Ours has the same name, so each candidate is asked who it is.
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
    /// oshmpi's prefix, in place of the one under `target/prefix/<mpi>`.
    prefix: Option<PathBuf>,
    oshmem: Option<String>,
    cores: usize,
    /// Where UCX, below Open MPI, makes its shared memory. Processes that crash in shmem_finalize leave theirs behind.
    shm: Option<TempDir>,
}

impl Workshop {
    pub fn new(prefix: Option<PathBuf>) -> Result<Workshop> {
        let cores = std::thread::available_parallelism()?.get();
        // Memory as fast as by default; where there is no /dev/shm, UCX knows where to go.
        let shm = tempfile::Builder::new().prefix("oshmpi-bench.").tempdir_in("/dev/shm").ok();
        Ok(Workshop { prefix, oshmem: oshmem_compiler(), cores, shm })
    }

    fn compiler(&self, who: Contestant) -> Result<Command> {
        Ok(match who {
            Contestant::Ours(mpi) => {
                Command::new(self.prefix.clone().unwrap_or_else(|| mpi.prefix()).join("bin/oshcc"))
            }
            Contestant::Oshmem => Command::new(
                self.oshmem.as_ref().context("Open MPI's oshcc is not installed (package libopenmpi-dev)")?,
            ),
            Contestant::Plain(mpi) => Command::new(mpi.command("mpicc")),
            Contestant::Limit => Command::new("cc"),
        })
    }

    fn binary(&self, who: Contestant, program: Program) -> PathBuf {
        let dir = util::root().join("target/bench/bin").join(who.name().replace('/', "-"));
        dir.join(Path::new(program.source).file_name().expect("a source has a name"))
    }

    /// Compiles one program for one contestant.
    pub fn build(&self, who: Contestant, program: Program) -> Result<()> {
        let binary = self.binary(who, program);
        std::fs::create_dir_all(binary.parent().expect("the binary lies in a directory"))?;
        let source = util::root().join("benches").join(program.source).with_extension("c");
        let mut command = self.compiler(who)?;
        command.args(["-std=gnu11", "-O2", "-Wall"]).arg(source).arg("-o").arg(&binary);
        if program.shmem {
            command.arg("-DWITH_SHMEM");
        }
        let out = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
        if !out.status.success() {
            let said = String::from_utf8_lossy(&out.stderr).into_owned();
            let line = said.lines().find(|l| l.contains("error")).or(said.lines().next()).unwrap_or("no message");
            bail!("{} does not compile for {}: {}", program.source, who.name(), line.trim());
        }
        Ok(())
    }

    /// The command that runs a built program with `pes` processes, without its arguments.
    ///
    /// Everybody gets the same places: a core per process where there are enough, else none is bound.
    pub fn start(&self, who: Contestant, program: Program, pes: usize) -> Command {
        let bind = if pes <= self.cores { "core" } else { "none" };
        let mut command = match who {
            Contestant::Limit => return Command::new(self.binary(who, program)),
            Contestant::Ours(mpi) | Contestant::Plain(mpi) => match mpi {
                Mpi::Mpich => {
                    let mut c = Command::new(mpi.command("mpiexec"));
                    c.args(["-bind-to", bind]);
                    c
                }
                Mpi::Openmpi => openmpi(&mpi.command("mpiexec"), bind),
            },
            Contestant::Oshmem => {
                let oshcc = self.oshmem.as_deref().unwrap_or("oshcc");
                let oshrun = oshcc.strip_suffix("oshcc").map_or("oshrun".to_string(), |dir| format!("{dir}oshrun"));
                openmpi(&oshrun, bind)
            }
        };
        if let Some(dir) = &self.shm {
            command.env("UCX_POSIX_DIR", dir.path());
        }
        if who == Contestant::Plain(Mpi::Openmpi) {
            // Its fastest one-sided component inside a node. The one it would choose (rdma) is three times slower and
            // ends MPI_Compare_and_swap with a segmentation fault in 4.1.4.
            command.args(["--mca", "osc", "sm"]);
        }
        command.arg("-n").arg(pes.to_string()).arg(self.binary(who, program));
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

    const PUT: Program = Program { source: "osu/osu_oshm_put", shmem: true };

    fn line(who: Contestant, pes: usize) -> String {
        let shop = Workshop { prefix: None, oshmem: Some("/opt/bin/oshcc".into()), cores: 2, shm: None };
        format!("{:?}", shop.start(who, PUT, pes))
    }

    #[test]
    fn processes_are_bound_while_cores_last() {
        assert!(line(Contestant::Ours(Mpi::Mpich), 2).contains(r#""-bind-to" "core" "-n" "2""#));
        assert!(line(Contestant::Ours(Mpi::Mpich), 3).contains(r#""-bind-to" "none" "-n" "3""#));
        assert!(line(Contestant::Oshmem, 8).contains(r#""--oversubscribe" "--bind-to" "none" "-n" "8""#));
    }

    #[test]
    fn the_launcher_lies_beside_the_compiler() {
        assert!(line(Contestant::Oshmem, 2).contains(r#""/opt/bin/oshrun""#));
    }

    #[test]
    fn builds_do_not_share_a_place() {
        let shop = Workshop { prefix: None, oshmem: None, cores: 2, shm: None };
        let all = [
            Contestant::Ours(Mpi::Mpich),
            Contestant::Ours(Mpi::Openmpi),
            Contestant::Oshmem,
            Contestant::Plain(Mpi::Mpich),
            Contestant::Plain(Mpi::Openmpi),
            Contestant::Limit,
        ];
        let places: std::collections::BTreeSet<_> = all.iter().map(|w| shop.binary(*w, PUT)).collect();
        assert_eq!(places.len(), all.len());
    }

    #[test]
    fn a_missing_peer_is_named() {
        let shop = Workshop { prefix: None, oshmem: None, cores: 2, shm: None };
        let why = shop.build(Contestant::Oshmem, PUT).unwrap_err().to_string();
        assert!(why.starts_with("Open MPI's oshcc is not installed"), "{why}");
        let shop = Workshop { prefix: Some("/nonexistent".into()), oshmem: None, cores: 2, shm: None };
        let why = shop.build(Contestant::Ours(Mpi::Mpich), PUT).unwrap_err().to_string();
        assert!(why.contains("cannot start") && why.contains("/nonexistent/bin/oshcc"), "{why}");
    }
}
