//! What a start costs: launch of a program that says hello, `shmem_init`, resident memory; under `oshrun` and under
//! MPICH's `mpiexec`, beside the same program over MPI. One node.

use super::record::{Row, Samples};
use crate::bench::launch;
use crate::util::{self, Mpi, root};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What one start may take.
const LIMIT: Duration = Duration::from_secs(120);

/// Programs, compiled once.
pub struct Start {
    oshrun: PathBuf,
    dir: tempfile::TempDir,
}

/// Who starts what.
#[derive(Clone, Copy)]
enum Way {
    Oshrun,
    Mpiexec,
    /// mpiexec, and a program that calls MPI_Init.
    MpiexecMpi,
}

impl Way {
    const ALL: [(Way, &str); 3] =
        [(Way::Oshrun, "oshrun"), (Way::Mpiexec, "mpiexec"), (Way::MpiexecMpi, "mpiexec-mpi")];
}

impl Start {
    /// Compiles the programs over an installation.
    pub fn new(prefix: Option<&Path>) -> Result<Start> {
        let prefix = prefix.map_or_else(|| Mpi::Mpich.prefix(), Path::to_path_buf);
        let (oshcc, oshrun) = (prefix.join("bin/oshcc"), prefix.join("bin/oshrun"));
        if !oshcc.exists() {
            bail!("{} is not installed: run `cargo xtask install --prefix {}`", oshcc.display(), prefix.display());
        }
        let dir = tempfile::tempdir()?;
        for program in ["hello", "startup"] {
            let source = root().join("benches/startup").join(program).with_extension("c");
            let out = |name: String| dir.path().join(name);
            let mut ours = Command::new(&oshcc);
            ours.args(["-O2", "-DWITH_SHMEM"]).arg(&source).arg("-o").arg(out(format!("{program}-shmem")));
            util::run(&mut ours)?;
            let mut mpi = Command::new(Mpi::Mpich.command("mpicc"));
            util::run(mpi.arg("-O2").arg(&source).arg("-o").arg(out(format!("{program}-mpi"))))?;
        }
        Ok(Start { oshrun, dir })
    }

    fn command(&self, way: Way, pes: u64, program: &str) -> Command {
        let mut c = match way {
            Way::Oshrun => {
                let mut c = Command::new(&self.oshrun);
                c.args(["-n", &pes.to_string()]);
                c
            }
            _ => Mpi::Mpich.mpiexec(pes as usize),
        };
        let kind = if matches!(way, Way::MpiexecMpi) { "mpi" } else { "shmem" };
        c.arg(self.dir.path().join(format!("{program}-{kind}")));
        c
    }

    /// One start of each kind: rows of the figures `launch`, `init`, `resident` and `private`.
    pub fn measure(&self, pes: u64, samples: &mut Samples) -> Result<()> {
        for (way, name) in Way::ALL {
            let mut add = |figure: &str, value: f64| -> Result<()> {
                samples.add(Row::parse(&format!("{figure} {name} {pes} {value}")).context("a row of ours")?);
                Ok(())
            };
            let mut c = self.command(way, pes, "hello");
            // Nobody looks while it runs: a look takes time from the cores that are measured.
            let begun = Instant::now();
            let out = c.stdin(Stdio::null()).output().with_context(|| format!("cannot start {c:?}"))?;
            let took = begun.elapsed();
            let lines = out.stdout.iter().filter(|&&b| b == b'\n').count() as u64;
            ensure!(out.status.success() && lines == pes, "{c:?}: {}, {lines} lines", out.status);
            add("launch", took.as_secs_f64())?;

            let mut c = self.command(way, pes, "startup");
            if !matches!(way, Way::MpiexecMpi) {
                c.arg("alone");
            }
            let outcome = launch::run(&mut c, LIMIT)?;
            if let Some(complaint) = outcome.complaint() {
                bail!("{c:?}: {complaint}");
            }
            let table = processes(&outcome.stdout).with_context(|| format!("{c:?} printed no table"))?;
            ensure!(table.len() as u64 == pes, "{c:?}: {} of {pes} processes", table.len());
            let median =
                |of: fn(&Process) -> f64| crate::bench::samples::median(&mut table.iter().map(of).collect::<Vec<_>>());
            add("init", median(|p| p.init_ms))?;
            add("resident", median(|p| p.resident_kib))?;
            add("private", median(|p| p.private_kib))?;
        }
        Ok(())
    }
}

/// A line of benches/startup/startup.c.
#[derive(Debug, PartialEq)]
struct Process {
    /// shmem_init or MPI_Init: a program calls one of them.
    init_ms: f64,
    resident_kib: f64,
    private_kib: f64,
}

fn processes(text: &str) -> Option<Vec<Process>> {
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    let rows = lines.map(|line| {
        let words: Vec<f64> = line.split_whitespace().map(|w| w.parse().ok()).collect::<Option<_>>()?;
        let &[_, mpi, shmem, resident, _, private] = &words[..] else { return None };
        Some(Process { init_ms: mpi + shmem, resident_kib: resident, private_kib: private })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_processes_is_read() {
        let text = "# Process  MPI_Init (ms) ...\n0  0.000  1.500  5632  900  600\n1 0.000 0.7 5600 900 610\n";
        let read = processes(text).unwrap();
        assert_eq!(read[0], Process { init_ms: 1.5, resident_kib: 5632.0, private_kib: 600.0 });
        assert_eq!(read.len(), 2);
        assert!(processes("0 1 2\n").is_none());
    }
}
