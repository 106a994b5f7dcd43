//! oshrun between hosts: programs of MPICH and Open MPI, kills of every kind of process, strangers that connect. The
//! hosts are network namespaces (tests/cluster).

use super::allocation;
use super::running::{LONG, Running};
use crate::cluster::hosts::{self, Hosts};
use crate::cluster::{self, Launcher};
use crate::processes;
use crate::util::{self, Mpi, root};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

pub fn check(mpi: Mpi) -> Result<()> {
    if let Some(why) = hosts::missing() {
        println!("skipped: several hosts need root and iproute2: {why}");
        return Ok(());
    }
    let three = Hosts::up(3)?;
    let place = Place { hosts: &three, mpi };
    place.others().context("programs of others")?;
    place.unequal().context("a host with little shared memory")?;
    place.irregular().context("PEs at unequal distances")?;
    place.kills().context("killed processes")?;
    place.names().context("names of a job over PMIx")?;
    place.strangers().context("strangers")?;
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
        let mut c = Launcher::Oshrun(oshrun).command(self.hosts, 2 * self.hosts.count());
        c.args(["--fanout", "1"]).args(program);
        let mut c = self.hosts.in_hub(&c);
        c.envs(env.iter().copied());
        Running::start(c)
    }

    /// Plain MPI programs of both MPIs: oshrun serves programs without OpenSHMEM too.
    fn others(&self) -> Result<()> {
        let dir = tempfile::tempdir()?;
        let (count, source) = (self.hosts.count(), root().join("tests/cluster/others.c"));
        for (mpi, last) in [(Mpi::Mpich, &["abort"][..]), (Mpi::Openmpi, &[])] {
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
        let dir = tempfile::tempdir()?;
        let program = dir.path().join("unequal");
        let source = root().join("tests/cluster/unequal.c");
        util::run(Command::new(self.mpi.prefix().join("bin/oshcc")).arg(source).arg("-o").arg(&program))?;
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
        let dir = tempfile::tempdir()?;
        let program = dir.path().join("irregular");
        let source = root().join("tests/cluster/irregular.c");
        util::run(Command::new(self.mpi.prefix().join("bin/oshcc")).arg(source).arg("-o").arg(&program))?;
        let list = [(1, 1), (2, 2), (3, 1)].map(|(k, slots)| format!("{}:{slots}", Hosts::address(k))).join(",");
        let mut c = cluster::oshrun(&self.mpi.prefix().join("bin/oshrun"), &list, 8);
        let output = self.hosts.in_hub(c.arg(program)).output()?;
        let (printed, complaint) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let right = output.status.success() && printed == "2 4 4 2 2 4 4 2\n";
        ensure!(right && complaint.is_empty(), "{} {printed:?} {complaint:?}", output.status);
        print!("PEs of nodes, as SHMEM_TEAM_SHARED has them: {printed}");
        Ok(())
    }

    /// Kills one process at a time: a rank, each of oshrun's two processes on every host, oshrun itself. The ranks have
    /// children in separate sessions, which are the hardest to find.
    fn kills(&self) -> Result<()> {
        let count = self.hosts.count();
        let servers = 1 + 2 * count;
        for victim in 0..=servers {
            let job = self.start(&["sh", "-c", "setsid sleep 1000 & sleep 1000"], &[])?;
            job.wait_for("sleep", 4 * count)?;
            let mut oshruns = job.wait_for("oshrun", servers)?;
            oshruns.sort_unstable();
            let front = job.pid();
            let (kind, pid) = match oshruns.get(victim) {
                Some(&pid) if pid == front => ("oshrun", pid),
                Some(&pid) => ("a process of oshrun on a host", pid),
                None => ("a rank", *job.wait_for("sh", 2 * count)?.last().context("there is no rank")?),
            };
            // SAFETY: kill takes numbers only; the process carries our mark.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            let (output, left) = job.end()?;
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            let right = match kind {
                "oshrun" => output.status.code().is_none(),
                "a rank" => output.status.code() == Some(128 + libc::SIGKILL) && printed.contains("SIGKILL"),
                _ => output.status.code() == Some(125) && printed.lines().any(|l| l.starts_with("oshrun: ")),
            };
            ensure!(right, "{kind} ({victim}) was killed: {} {printed:?}", output.status);
            ensure!(left.is_empty(), "{kind} ({victim}) was killed and left {left:?}");
        }
        println!("{count} hosts: {} kills, nothing is left", servers + 1);
        Ok(())
    }

    /// A job over PMIx has a directory on each host. It goes with the job, also when the node server or a rank of the
    /// host is killed.
    fn names(&self) -> Result<()> {
        let dir = tempfile::tempdir()?;
        let program = dir.path().join("pmix");
        let flags = Command::new("pkg-config").args(["--cflags", "--libs", "pmix"]).output()?;
        let flags = String::from_utf8(flags.stdout)?;
        let source = root().join("tools/tests/oshrun/pmix.c");
        util::run(Command::new("cc").arg(source).arg("-o").arg(&program).args(flags.split_whitespace()))?;
        let words = [program.to_str().context("a path that is no text")?, "stay"];
        for kill_the_server in [true, false] {
            let job = self.start(&words, &[])?;
            let ranks = job.wait_for("pmix", 2 * self.hosts.count())?;
            let rank = *ranks.last().context("there is no rank")?;
            let victim = if kill_the_server { processes::parent(rank).context("the rank has gone")? } else { rank };
            // Open, so that it can be looked at when the host is gone.
            let shm = fs::File::open(Path::new("/proc").join(rank.to_string()).join("root").join("dev/shm"))?;
            let names = || -> Result<Vec<String>> {
                let all = fs::read_dir(format!("/proc/self/fd/{}", shm.as_raw_fd()))?.flatten();
                Ok(all.filter_map(|f| f.file_name().into_string().ok()).collect())
            };
            let before = names()?;
            ensure!(matches!(&before[..], [one] if one.starts_with("oshrun-pmix-")), "{before:?}");
            // SAFETY: kill takes numbers only; the process carries our mark.
            unsafe { libc::kill(victim, libc::SIGKILL) };
            let (output, left) = job.end()?;
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            let code = if kill_the_server { 125 } else { 128 + libc::SIGKILL };
            let lines = printed.lines().filter(|l| l.starts_with("oshrun: ")).count();
            ensure!(output.status.code() == Some(code) && lines == 1, "{} {printed:?}", output.status);
            ensure!(left.is_empty() && names()?.is_empty(), "left {left:?} {:?}", names());
        }
        println!("PMIx on {} hosts: 2 kills, no name is left", self.hosts.count());
        Ok(())
    }

    /// Strangers find nothing to connect to: when all ranks run, all servers have joined, and none of them listens. Who
    /// connects before is the subject of the tests of oshrun (`tools/tests/oshrun/strangers.rs`).
    fn strangers(&self) -> Result<()> {
        let dir = tempfile::tempdir()?;
        let go = dir.path().join("go");
        let script = ": >\"$GO.$PMI_RANK\"; while test ! -e \"$GO\"; do sleep 0.05; done; echo $PMI_RANK";
        let job = self.start(&["sh", "-c", script], &[("GO", &go.display().to_string())])?;
        // Not by their name: shells that will become servers have it, too.
        let start = Instant::now();
        while fs::read_dir(dir.path())?.count() < 2 * self.hosts.count() {
            ensure!(start.elapsed() < LONG, "the ranks do not start; there are {:?}", job.there());
            thread::sleep(Duration::from_millis(10));
        }
        let servers = job.wait_for("oshrun", 1)?;
        let listeners: Vec<SocketAddr> = servers.iter().filter_map(|&pid| listens(pid)).collect();
        ensure!(listeners.is_empty(), "some of {servers:?} listen while the ranks run: {listeners:?}");
        fs::write(&go, "")?;
        let (output, left) = job.end()?;
        let lines = String::from_utf8_lossy(&output.stdout).lines().count();
        let printed = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success() && lines == 2 * self.hosts.count(), "{} {printed}", output.status);
        ensure!(left.is_empty(), "left {left:?}");
        Ok(())
    }
}

/// The address on which a process listens, from the tables of its own network.
fn listens(pid: i32) -> Option<SocketAddr> {
    let links = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
    let targets = links.filter_map(|fd| fs::read_link(fd.path()).ok()?.into_os_string().into_string().ok());
    let sockets: Vec<String> =
        targets.filter_map(|t| Some(t.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned())).collect();
    let table = fs::read_to_string(format!("/proc/{pid}/net/tcp")).ok()?;
    table.lines().skip(1).find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let listening = *words.get(3)? == "0A" && sockets.iter().any(|s| s.as_str() == words[9]);
        let (ip, port) = words[1].split_once(':')?;
        let ip = Ipv4Addr::from(u32::from_str_radix(ip, 16).ok()?.swap_bytes());
        listening.then_some(SocketAddr::from((ip, u16::from_str_radix(port, 16).ok()?)))
    })
}
