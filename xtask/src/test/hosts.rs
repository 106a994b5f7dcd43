//! oshrun between hosts: programs of MPICH and Open MPI, unequal hosts. The hosts are network namespaces
//! (tests/cluster). Kills, names of PMIx and strangers are the subject of the tests of oshrun (`tools/tests/oshrun`).

use super::allocation;
use super::running::Running;
use super::task::built;
use crate::cluster;
use crate::cluster::hosts::{self, Hosts};
use crate::util::{self, Mpi, root};
use anyhow::{Context, Result, ensure};
use std::process::Command;

pub fn check(mpi: Mpi) -> Result<()> {
    if let Some(why) = hosts::missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let three = Hosts::up(3)?;
    let place = Place { hosts: &three, mpi };
    place.others().context("programs of others")?;
    place.unequal().context("a host with little shared memory")?;
    place.irregular().context("PEs at unequal distances")?;
    drop(three);
    allocation::check(mpi).context("inside an allocation of Slurm")
}

/// Where and with which installation.
struct Place<'a> {
    hosts: &'a Hosts,
    mpi: Mpi,
}

impl Place<'_> {
    /// oshrun with two ranks per host. The third host is started by the second.
    fn start(&self, program: &[&str], env: &[(&str, &str)]) -> Result<Running> {
        let oshrun = self.mpi.prefix().join("bin/oshrun");
        let pes = 2 * self.hosts.count();
        let mut c = cluster::oshrun(&oshrun, &self.hosts.list(pes), pes);
        c.args(["--fanout", "1"]).args(program);
        let mut c = self.hosts.in_hub(&c);
        c.envs(env.iter().copied());
        Running::start(c)
    }

    /// Plain MPI programs of both MPIs: oshrun serves programs without OpenSHMEM too.
    fn others(&self) -> Result<()> {
        let dir = tempfile::tempdir()?;
        let (count, source) = (self.hosts.count(), root().join("tests/cluster/others.c"));
        for (mpi, last) in [(Mpi::Mpich, &["0"][..]), (Mpi::Openmpi, &[])] {
            let program = dir.path().join(mpi.name());
            util::run(Command::new(mpi.command("mpicc")).arg(&source).arg("-o").arg(&program))?;
            let words = [&[program.to_str().context("a path that is no text")?], last].concat();
            let (output, left) = self.start(&words, &[])?.end()?;
            let (n, printed) = (2 * count, String::from_utf8_lossy(&output.stdout));
            // Every one of n processes has heard from all others: each number counts n - 1 times.
            let expected = format!("{n} processes on {count} hosts, sum {}\n", (n - 1) * (n - 1) * n / 2);
            let complaint = String::from_utf8_lossy(&output.stderr);
            ensure!(
                output.status.success() && printed == expected,
                "{words:?}: {} {printed:?} {complaint}",
                output.status
            );
            ensure!(left.is_empty(), "{words:?} left {left:?}");
            print!("{}: {printed}", mpi.name());
        }
        Ok(())
    }

    /// The second host has no memfd, and less shared memory than the program has statics. Its PEs reach each other's
    /// statics in another way than those of the other hosts, and all PEs must still take the same algorithms.
    fn unequal(&self) -> Result<()> {
        let program = built(self.mpi, "tests/cluster/unequal.c")?;
        // A later stage may have built the file of this process anew.
        let own = format!("/proc/{}/exe", std::process::id());
        let program = program.to_str().context("a path that is no text")?;
        let small = "mount -t tmpfs -o size=16m tmpfs /dev/shm && exec \"$0\" refuse memfd_create \"$1\"";
        let script = format!(
            "case \"$(ip -4 addr)\" in *{}/*) exec unshare --mount sh -c '{small}' \"$0\" \"$1\";; esac; exec \"$1\"",
            Hosts::address(2)
        );
        let env = [("SHMEM_SYMMETRIC_SIZE", "1M")];
        let (output, left) = self.start(&["sh", "-c", &script, &own, program], &env)?.end()?;
        let (n, printed) = (2 * self.hosts.count(), String::from_utf8_lossy(&output.stdout));
        let complaint = String::from_utf8_lossy(&output.stderr);
        let right = output.status.success() && printed == format!("{n} PEs agree, 2 without each other's variables\n");
        ensure!(right && left.is_empty(), "{} {printed:?} {complaint:?}, left {left:?}", output.status);
        print!("one of {} hosts cannot move its statics: {printed}", self.hosts.count());
        Ok(())
    }

    /// Eight ranks on hosts that take one, two and one at a time: the second one has PEs 1, 2, 5 and 6.
    fn irregular(&self) -> Result<()> {
        let program = built(self.mpi, "tests/cluster/irregular.c")?;
        let list = [(1, 1), (2, 2), (3, 1)].map(|(k, slots)| format!("{}:{slots}", Hosts::address(k))).join(",");
        let mut c = cluster::oshrun(&self.mpi.prefix().join("bin/oshrun"), &list, 8);
        let output = self.hosts.in_hub(c.arg(program)).output()?;
        let (printed, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let right = output.status.success() && printed == "2 4 4 2 2 4 4 2\n";
        ensure!(right && complaint.is_empty(), "{} {printed:?} {complaint:?}", output.status);
        print!("PEs of nodes, as SHMEM_TEAM_SHARED has them: {printed}");
        Ok(())
    }
}
