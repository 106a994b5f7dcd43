//! Ways to run the list: which launcher, which route, on how many hosts. `node` is the normal one.

use crate::cluster;
use crate::cluster::hosts::Hosts;
use crate::cluster::slurm::{Pm, Slurm};
use crate::install::target::{AARCH64, Target};
use crate::util::Mpi;
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

/// One way.
#[derive(Debug)]
pub struct Way {
    pub name: &'static str,
    pub what: &'static str,
    env: &'static [(&'static str, &'static str)],
    start: Start,
    /// Hosts and PEs on each.
    layout: Option<(usize, usize)>,
}

/// Who starts the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    Mpiexec,
    /// The launcher inside Open MPI 5's mpiexec.
    Prterun,
    Oshrun,
    /// Oshrun, and each process runs in an emulator: programs for another architecture.
    Emulated,
    /// In a Slurm made for the tests, which always has separate hosts.
    Srun(Pm),
}

/// What some ways run on; made once for all runs.
pub struct Ground {
    /// Ends before its hosts do.
    pub slurm: Option<Slurm>,
    pub hosts: Hosts,
}

const fn way(name: &'static str, what: &'static str, env: &'static [(&'static str, &'static str)]) -> Way {
    Way { name, what, env, start: Start::Mpiexec, layout: None }
}

const fn hosts(name: &'static str, hosts: usize, per_host: usize) -> Way {
    let what = "hosts in network namespaces";
    Way { name, what, env: &[], start: Start::Mpiexec, layout: Some((hosts, per_host)) }
}

const ROUTE: (&str, &str) = ("OSHMPI_ROUTE", "mpi");
const UCX: (&str, &str) = ("OSHMPI_TRANSPORT", "ucx");
const OFI: (&str, &str) = ("OSHMPI_TRANSPORT", "ofi");
const MPI: (&str, &str) = ("OSHMPI_TRANSPORT", "mpi");
const RMA: (&str, &str) = ("OSHMPI_TRANSPORT", "rma");

pub const WAYS: &[Way] = &[
    way("node", "mpiexec, one node", &[]),
    way("mpi", "every PE a node of its own, on one host, over MPI", &[ROUTE, MPI]),
    way("rma", "the same, with MPI's memory, atomics and collectives", &[ROUTE, RMA]),
    way("ucx", "the same, over UCX", &[ROUTE, UCX]),
    way("ofi", "the same, over libfabric's provider for TCP", &[ROUTE, OFI, ("FI_PROVIDER", "tcp")]),
    way(
        "ofi-sockets",
        "the same, over its provider sockets, which has threads of its own",
        &[ROUTE, OFI, ("FI_PROVIDER", "sockets")],
    ),
    way("always", "one node, MPI initialised all the same", &[("OSHMPI_MPI", "always")]),
    Way { start: Start::Oshrun, ..way("oshrun", "oshrun, one node", &[]) },
    Way { start: Start::Oshrun, ..way("oshrun-mpi", "oshrun, every PE a node of its own, over MPI", &[ROUTE, MPI]) },
    Way { start: Start::Emulated, ..way("aarch64", "oshrun, one node, programs for aarch64 under qemu-user", &[]) },
    hosts("2x1", 2, 1),
    hosts("2x2", 2, 2),
    hosts("3x2", 3, 2),
    Way { start: Start::Oshrun, ..hosts("oshrun-2x1", 2, 1) },
    Way { start: Start::Oshrun, ..hosts("oshrun-2x2", 2, 2) },
    Way { start: Start::Prterun, ..way("prterun", "Open MPI 5's prterun, one node", &[]) },
    Way { start: Start::Prterun, ..hosts("prterun-2x2", 2, 2) },
    Way { start: Start::Srun(Pm::Pmi2), ..way("srun", "srun, one node of a Slurm made for the tests", &[]) },
    Way { start: Start::Srun(Pm::Pmi2), ..hosts("srun-2x1", 2, 1) },
    Way { start: Start::Srun(Pm::Pmi2), ..hosts("srun-2x2", 2, 2) },
    Way { start: Start::Srun(Pm::Pmix), ..way("srun-pmix", "the same with --mpi=pmix", &[]) },
    Way { start: Start::Srun(Pm::Pmix), ..hosts("srun-pmix-2x2", 2, 2) },
    Way { env: &[MPI], ..hosts("2x1-mpi", 2, 1) },
    Way { env: &[MPI], ..hosts("2x2-mpi", 2, 2) },
    Way { env: &[RMA], ..hosts("2x1-rma", 2, 1) },
    Way { env: &[RMA], ..hosts("2x2-rma", 2, 2) },
    Way { env: &[UCX], ..hosts("2x1-ucx", 2, 1) },
    Way { env: &[UCX], ..hosts("2x2-ucx", 2, 2) },
    Way { env: &[OFI], ..hosts("2x1-ofi", 2, 1) },
    Way { env: &[OFI], ..hosts("2x2-ofi", 2, 2) },
];

/// The ways of a name, which may begin or end with a star: `2x*`, `*rma`.
pub fn matching(name: &str) -> Result<impl Iterator<Item = &'static Way>, String> {
    let matches = |way: &Way| match (name.strip_prefix('*'), name.strip_suffix('*')) {
        (Some(end), _) => way.name.ends_with(end),
        (_, Some(start)) => way.name.starts_with(start),
        _ => way.name == name,
    };
    let found: Vec<_> = WAYS.iter().filter(|way| matches(way)).collect();
    if found.is_empty() {
        parse(name)?;
    }
    Ok(found.into_iter())
}

/// The way of a name.
pub fn parse(name: &str) -> Result<&'static Way, String> {
    WAYS.iter().find(|w| w.name == name).ok_or_else(|| {
        let all: Vec<String> = WAYS.iter().map(|w| format!("{} ({})", w.name, w.what)).collect();
        format!("ways are {}", all.join(", "))
    })
}

impl Way {
    pub fn is_normal(&self) -> bool {
        self.name == "node"
    }

    /// What the programs are made for, where it is not this machine.
    pub fn target(&self) -> Option<Target> {
        (self.start == Start::Emulated).then_some(AARCH64)
    }

    /// Hosts this way needs.
    pub fn hosts(&self) -> Option<usize> {
        match self.start {
            Start::Srun(_) => Some(self.nodes()),
            _ => self.layout.map(|(hosts, _)| hosts),
        }
    }

    /// Nodes that a job has.
    pub fn nodes(&self) -> usize {
        self.layout.map_or(1, |(hosts, _)| hosts)
    }

    /// Slurm ends a job by signals, so a PE's exit code appears only in its message.
    pub fn needs_slurm(&self) -> bool {
        matches!(self.start, Start::Srun(_))
    }

    /// Only PMIx is served to the processes.
    pub fn is_by_pmix(&self) -> bool {
        self.start == Start::Srun(Pm::Pmix)
    }

    /// The numbers of PEs with which an entry made for `pes` runs. On hosts all of them are filled: a program that runs
    /// with several numbers of PEs runs with any.
    pub fn pes(&self, pes: &[usize]) -> Vec<usize> {
        let Some((hosts, per_host)) = self.layout else { return pes.to_vec() };
        let all = hosts * per_host;
        let any = pes.iter().filter(|&&n| n > 1).count() > 1;
        if any || pes.contains(&all) { vec![all] } else { Vec::new() }
    }

    /// Whether all goes by MPI's windows.
    pub fn is_rma(&self) -> bool {
        self.env.contains(&RMA)
    }

    /// Whether a launcher of another project starts the processes.
    pub fn is_by_others(&self) -> bool {
        !matches!(self.start, Start::Oshrun | Start::Emulated)
    }

    /// The launcher's call, before the program's name.
    pub fn launcher(&self, mpi: Mpi, prefix: &Path, ground: Option<&Ground>, pes: usize) -> Result<Command> {
        let oshrun = prefix.join("bin/oshrun");
        let mut c = match (ground, self.start) {
            (Some(Ground { hosts, .. }), Start::Oshrun) => {
                hosts.in_hub(&cluster::oshrun(&oshrun, &hosts.list(pes), pes))
            }
            (Some(Ground { hosts, .. }), Start::Mpiexec) => hosts.in_hub(&cluster::mpiexec(mpi, hosts, pes)),
            (Some(Ground { hosts, .. }), Start::Prterun) => hosts.in_hub(&cluster::prterun(mpi, hosts, pes)),
            (Some(Ground { hosts, slurm: Some(slurm) }), Start::Srun(pm)) => hosts.in_hub(&slurm.srun(pm, pes)),
            (Some(_), Start::Emulated) => bail!("way {} has one host", self.name),
            (_, Start::Srun(_)) => bail!("way {} needs Slurm", self.name),
            (None, _) if self.layout.is_some() => bail!("way {} needs hosts", self.name),
            (None, Start::Oshrun | Start::Emulated) => {
                let mut c = Command::new(oshrun);
                c.arg("-n").arg(pes.to_string()).args(self.target().iter().flat_map(emulator));
                c
            }
            (None, Start::Mpiexec) => mpi.mpiexec(pes),
            (None, Start::Prterun) => mpi.prterun(pes),
        };
        c.envs(self.env.iter().copied());
        Ok(c)
    }
}

/// What runs a program for another architecture, before the program's name. qemu-user puts every process at the same
/// addresses. It counts them down from the end of the address space that it is given, so with an end of its own each
/// process has addresses of its own, as the kernel gives them. The cross compiler's libraries are its system's.
pub fn emulator(target: &Target) -> [OsString; 4] {
    let script = r#"exec qemu-aarch64-static -R $((0x4000000000 + $$ % 4096 * 0x123000)) -L "$0" "$@""#;
    ["sh".into(), "-c".into(), script.into(), format!("/usr/{}", target.gnu).into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for w in WAYS {
            assert_eq!(parse(w.name).unwrap().what, w.what);
        }
        assert!(parse("teleport").unwrap_err().contains("node (mpiexec, one node)"));
    }

    #[test]
    fn hosts_are_filled() {
        let way = parse("3x2").unwrap();
        assert_eq!(way.pes(&[1, 2, 3, 4]), [6]);
        assert_eq!(way.pes(&[2]), [] as [usize; 0]);
        assert_eq!(parse("2x1").unwrap().pes(&[2]), [2]);
        assert_eq!(parse("mpi").unwrap().pes(&[2, 4]), [2, 4]);
        let srun = parse("srun").unwrap();
        assert_eq!(
            parse("aarch64").unwrap().launcher(Mpi::Mpich, Path::new("/p"), None, 2).unwrap().get_args().count(),
            6
        );
        assert_eq!((srun.pes(&[1, 4]), srun.hosts(), srun.nodes()), (vec![1, 4], Some(1), 1));
    }
}
