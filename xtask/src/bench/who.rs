//! Who is measured on one node: how the programs of each are compiled and started.

use crate::util::{self, Mpi, made, output};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// Somebody whose figures are compared.
#[derive(Clone, PartialEq, Eq)]
pub enum Who {
    /// oshmpi over this MPI, which is installed there.
    Ours(Mpi, PathBuf),
    /// Open MPI's OpenSHMEM.
    Oshmem,
    /// MPI without OpenSHMEM.
    Plain(Mpi),
    /// The machine itself.
    Machine,
}

/// Open MPI's `oshcc`, if it is installed. oshmpi's wrapper has the same name, so each candidate is asked who it is.
fn oshmem_compiler() -> Option<&'static str> {
    let is_it = |oshcc: &&str| {
        output(Command::new(oshcc).arg("--showme:version")).is_ok_and(|says| says.contains("Open SHMEM"))
    };
    ["/usr/bin/oshcc", "oshcc"].into_iter().find(is_it)
}

impl Who {
    /// The name in tables.
    pub fn name(&self) -> String {
        match self {
            Who::Ours(..) => "oshmpi".into(),
            Who::Oshmem => "Open MPI's OSHMEM".into(),
            Who::Plain(mpi) => format!("MPI of {mpi}"),
            Who::Machine => "machine".into(),
        }
    }

    /// Compiles a program below `benches/`; an error is one line.
    fn build(&self, program: &str) -> Result<PathBuf, String> {
        let (mut c, flags) = match self {
            Who::Ours(mpi, prefix) => {
                let mut c = Command::new(prefix.join("bin/oshcc"));
                c.args((program == "startup").then(|| format!("-mpi={}", mpi.command("mpicc"))));
                (c, "-DWITH_SHMEM")
            }
            Who::Oshmem => {
                let missing = "Open MPI's oshcc is not installed (package libopenmpi-dev)";
                (Command::new(oshmem_compiler().ok_or(missing)?), "-DWITH_SHMEM")
            }
            Who::Plain(mpi) => (Command::new(mpi.command("mpicc")), "-DPLAIN"),
            Who::Machine => (Command::new("cc"), "-O2"),
        };
        let source = if *self == Who::Machine { "limits" } else { program };
        c.args(["-std=gnu11", "-O2", "-w", flags]);
        compile(c, &self.name(), source, &[util::root().join("benches/osu").join(source).with_extension("c")])
    }

    /// The command that runs a program with so many processes, without its arguments. Everybody gets the same places: a
    /// core per process where there are enough, else no process is bound.
    pub fn start(&self, program: &str, pes: usize, cores: usize) -> Result<Command, String> {
        let built = self.build(program)?;
        let bind = if pes <= cores { "core" } else { "none" };
        let mut c = match self {
            Who::Machine => return Ok(Command::new(built)),
            Who::Ours(Mpi::Mpich, _) | Who::Plain(Mpi::Mpich) => {
                let mut c = Command::new(Mpi::Mpich.command("mpiexec"));
                c.args(["-bind-to", bind]);
                c
            }
            Who::Ours(mpi, _) | Who::Plain(mpi) => openmpi(&mpi.command("mpiexec"), bind),
            Who::Oshmem => openmpi(&oshmem_compiler().unwrap_or_default().replace("oshcc", "oshrun"), bind),
        };
        if *self == Who::Plain(Mpi::Openmpi) {
            // The fastest one-sided component inside a node. Open MPI's choice (rdma) is three times slower and ends
            // MPI_Compare_and_swap with a segmentation fault in 4.1.4.
            c.args(["--mca", "osc", "sm"]);
        }
        c.arg("-n").arg(pes.to_string()).arg(built);
        Ok(c)
    }
}

/// Compiles a program for somebody, or tells in a line why it does not compile.
pub fn compile(mut c: Command, who: &str, program: &str, sources: &[PathBuf]) -> Result<PathBuf, String> {
    let dir = made(util::root().join("target/bench/bin").join(who.replace(['/', ' ', '\''], "-")));
    let file = dir.map_err(|e| e.to_string())?.join(program);
    output(c.arg("-o").arg(&file).args(sources).arg("-lm")).map(|_| file).map_err(|e| {
        let why = format!("{e:#}");
        let first = why.lines().next().unwrap_or_default();
        why.lines().find(|line| line.contains("error")).unwrap_or(first).trim().to_owned()
    })
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

    #[test]
    fn processes_are_bound_while_cores_last() {
        let line = |pes| format!("{:?}", Who::Plain(Mpi::Mpich).start("calls", pes, 2).unwrap());
        assert!(line(2).contains(r#""-bind-to" "core" "-n" "2""#) && line(4).contains(r#""-bind-to" "none" "-n" "4""#));
        assert!(Who::Machine.start("calls", 2, 2).is_ok());
        let why = Who::Ours(Mpi::Mpich, "/nonexistent".into()).build("calls").unwrap_err();
        assert!(why.contains("cannot start") && why.contains("/nonexistent/bin/oshcc"));
    }
}
