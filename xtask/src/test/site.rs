//! The site's file: `osh_perf --transports` writes it, jobs obey it, the environment wins over it, and wrong lines of
//! it are told. Between two hosts made of network namespaces, on a copy of the installation.

use crate::cluster::hosts::{self, Hosts};
use crate::cluster::mpiexec;
use crate::install::wrapper;
use crate::util::{Mpi, behind, limited, output, root, run};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

pub fn check(mpi: Mpi) -> Result<()> {
    if let Some(why) = hosts::missing() {
        println!("skipped: {why}");
        return Ok(());
    }
    let prefix = root().join("target/site-file").join(mpi.name());
    let _ = fs::remove_dir_all(&prefix);
    fs::create_dir_all(prefix.parent().context("it lies below target")?)?;
    run(Command::new("cp").arg("-al").arg(mpi.prefix()).arg(&prefix))?;
    let site = Site { mpi, hosts: Hosts::up(2)?, file: prefix.join("etc/oshmpi.conf"), prefix };
    site.is_written().context("osh_perf --transports")?;
    site.is_obeyed().context("a site's file")?;
    site.is_told().context("a wrong file of a site")
}

struct Site {
    mpi: Mpi,
    hosts: Hosts,
    prefix: PathBuf,
    file: PathBuf,
}

impl Site {
    fn perf(&self) -> Command {
        let mut c = wrapper(&self.prefix, "osh_perf");
        c.args(["--seconds", "0.5"]);
        c
    }

    /// A job of two PEs on the two hosts, in which the file has this text.
    fn job(&self, text: &str, env: &[(&str, &str)]) -> Result<Output> {
        fs::write(&self.file, text)?;
        let mut c = behind(mpiexec(self.mpi, &self.hosts, 2), &self.perf());
        c.env("SHMEM_INFO", "1").envs(env.iter().copied());
        Ok(self.hosts.in_hub(&limited(&c)).output()?)
    }

    /// A table of the values that work, and the best of them in the file, in which everything else stays.
    fn is_written(&self) -> Result<()> {
        fs::create_dir_all(self.file.parent().context("a directory")?)?;
        fs::write(&self.file, "# ours\nSHMEM_SYMMETRIC_SIZE=64M\n OSHMPI_TRANSPORT = rma\n")?;
        let launch = mpiexec(self.mpi, &self.hosts, 2);
        let mut c = self.perf();
        c.args(["--transports", "--"]);
        let printed = output(&mut self.hosts.in_hub(&limited(&behind(c, &launch))))?;
        print!("{printed}");
        let head = printed.lines().find(|l| l.starts_with("median us")).with_context(|| printed.clone())?;
        let measured: Vec<&str> =
            head.split_whitespace().filter(|w| ["ucx", "ofi", "mpi", "rma"].contains(w)).collect();
        ensure!(measured.contains(&"mpi") && measured.contains(&"rma"), "{head:?}");
        ensure!(printed.lines().any(|l| l.starts_with("put + quiet")), "{printed}");
        let text = fs::read_to_string(&self.file)?;
        let best = text.lines().last().and_then(|line| line.strip_prefix("OSHMPI_TRANSPORT=")).unwrap_or_default();
        ensure!(measured.contains(&best), "{text}");
        ensure!(text.starts_with("# ours\nSHMEM_SYMMETRIC_SIZE=64M\n#") && text.lines().count() == 4, "{text}");
        // Where nothing goes over the network, nothing is written.
        let mut c = self.perf();
        c.args(["--transports", "--"]);
        let one = limited(&behind(c, &self.mpi.mpiexec(2))).output()?;
        let says = String::from_utf8_lossy(&one.stderr);
        ensure!(one.status.code() == Some(1) && says.contains("all PEs are on one node"), "{says}");
        ensure!(fs::read_to_string(&self.file)? == text, "the file has changed");
        Ok(())
    }

    fn is_obeyed(&self) -> Result<()> {
        let line = format!("{}: OSHMPI_TRANSPORT=", self.file.display());
        for (set, by_file, route) in [(None, true, "; MPI, to 1 PEs"), (Some("ucx"), false, "; UCX, to 1 PEs")] {
            let env: Vec<_> = set.map(|set| ("OSHMPI_TRANSPORT", set)).into_iter().collect();
            let job = self.job("OSHMPI_TRANSPORT=mpi\n", &env)?;
            let says = String::from_utf8_lossy(&job.stderr);
            ensure!(job.status.success() && says.contains(&line) == by_file && says.contains(route), "{says}");
        }
        fs::write(&self.file, "OSHMPI_HANG=5\n")?;
        let info = || wrapper(&self.prefix, "osh_info");
        ensure!(output(info().arg("OSHMPI_HANG"))? == "5\n", "osh_info does not read the file");
        ensure!(output(info().env("OSHMPI_HANG", "6").arg("OSHMPI_HANG"))? == "6\n", "nor the environment first");
        let place = format!("(from {}:1)", self.file.display());
        ensure!(output(&mut info())?.contains(&place), "osh_info does not tell where a value comes from");
        println!("{}: obeyed, and the environment wins", self.file.display());
        Ok(())
    }

    fn is_told(&self) -> Result<()> {
        let place = format!("{}:", self.file.display());
        let bad = self.job("# transport\nOSHMPI_TRANSPORT=tcp\n", &[])?;
        let says = String::from_utf8_lossy(&bad.stderr);
        let wanted = format!("OSHMPI_TRANSPORT is set to \"tcp\" by {place}2: expected auto, ucx, ofi, mpi or rma");
        ensure!(!bad.status.success() && says.matches(&wanted).count() == 1, "{says}");
        let unknown = self.job("OSHMPI_ROUT=mpi\njunk\n", &[])?;
        let says = String::from_utf8_lossy(&unknown.stderr);
        for wanted in [
            format!("oshmpi[0]: {place}1: OSHMPI_ROUT is no setting"),
            format!("oshmpi[0]: {place}2: \"junk\": expected NAME=VALUE"),
        ] {
            ensure!(unknown.status.success() && says.matches(&wanted).count() == 1, "{says}");
        }
        println!("{place} wrong lines are told");
        Ok(())
    }
}
