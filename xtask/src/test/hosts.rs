//! oshrun between hosts: programs of MPICH and Open MPI, kills of every kind of process, strangers that connect. The
//! hosts are network namespaces (tests/cluster).

use super::allocation;
use crate::cluster::Launcher;
use crate::cluster::hosts::{self, Hosts};
use crate::processes::{self, Mark};
use crate::util::{self, Mpi, root};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Long enough for any machine; what takes longer hangs.
const LONG: Duration = Duration::from_secs(90);

pub fn check(mpi: Mpi) -> Result<()> {
    if let Some(why) = hosts::missing() {
        println!("skipped: several hosts need root and iproute2: {why}");
        return Ok(());
    }
    let three = Hosts::up(3)?;
    let place = Place { hosts: &three, mpi };
    place.others().context("programs of others")?;
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

/// An oshrun that runs, or a command that has started it.
pub struct Running {
    child: Child,
    mark: Mark,
}

impl Place<'_> {
    /// oshrun with two ranks per host.
    fn start(&self, program: &[&str], env: &[(&str, &str)]) -> Result<Running> {
        let oshrun = self.mpi.prefix().join("bin/oshrun");
        let mut c = Launcher::Oshrun(oshrun).command(self.hosts, 2 * self.hosts.count(), false);
        c.args(program);
        let mut c = self.hosts.in_hub(&c);
        c.envs(env.iter().copied());
        Running::start(c)
    }

    /// Plain MPI programs, of both MPIs: process management for those who know nothing of us.
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

    /// A rank, each of the two processes that every host has, oshrun itself: one of them at a time. The ranks have
    /// children in sessions of their own, which are the hardest to find.
    fn kills(&self) -> Result<()> {
        let count = self.hosts.count();
        let servers = 1 + 2 * count;
        for victim in 0..=servers {
            let job = self.start(&["sh", "-c", "setsid sleep 1000 & sleep 1000"], &[])?;
            job.wait_for("sleep", 4 * count)?;
            let mut oshruns = job.wait_for("oshrun", servers)?;
            oshruns.sort_unstable();
            let front = job.child.id() as i32;
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

impl Running {
    pub fn start(mut c: Command) -> Result<Running> {
        let mark = Mark::new("oshmpi-hosts.");
        mark.put(&mut c);
        c.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = c.spawn().with_context(|| format!("cannot start {c:?}"))?;
        Ok(Running { child, mark })
    }

    /// Waits until so many processes of the job run a program of this name; returns them.
    pub fn wait_for(&self, name: &str, count: usize) -> Result<Vec<i32>> {
        let start = Instant::now();
        loop {
            let all = self.there();
            let found: Vec<i32> = all.iter().filter(|(_, n)| n.as_str() == name).map(|(pid, _)| *pid).collect();
            if found.len() >= count {
                return Ok(found);
            }
            if start.elapsed() > LONG {
                bail!("{} of {count} {name} are there: {all:?}", found.len());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// The end of oshrun, and what is there 20 s later (nothing, at once, as a rule).
    pub fn end(mut self) -> Result<(Output, BTreeMap<i32, String>)> {
        let start = Instant::now();
        while self.child.try_wait()?.is_none() {
            if start.elapsed() > LONG {
                bail!("oshrun did not end; there are {:?}", self.there());
            }
            thread::sleep(Duration::from_millis(5));
        }
        let start = Instant::now();
        let left = loop {
            let left = self.there();
            if left.is_empty() || start.elapsed() > Duration::from_secs(20) {
                break left;
            }
            thread::sleep(Duration::from_millis(10));
        };
        // What is left may hold the other ends of the pipes.
        self.mark.end();
        let read = |pipe: &mut dyn Read| {
            let mut all = Vec::new();
            pipe.read_to_end(&mut all).map(|_| all)
        };
        let stdout = read(self.child.stdout.as_mut().expect("stdout is piped"))?;
        let stderr = read(self.child.stderr.as_mut().expect("stderr is piped"))?;
        Ok((Output { status: self.child.wait()?, stdout, stderr }, left))
    }

    /// Its processes by number and name, on all hosts.
    fn there(&self) -> BTreeMap<i32, String> {
        self.mark.processes().into_iter().map(|pid| (pid, processes::name(pid))).collect()
    }
}

impl Drop for Running {
    /// A test that fails leaves nothing either.
    fn drop(&mut self) {
        self.mark.end();
        // It has ended by itself or was ended now, and it may have been waited for.
        let _ = self.child.wait();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_started_is_ended_when_a_test_gives_up() {
        let mark = Mark::new("oshmpi-hosts.");
        let mut c = Command::new("sh");
        mark.put(&mut c);
        let child = c.args(["-c", "setsid sleep 1000 & sleep 1000"]).spawn().unwrap();
        let pid = child.id();
        let running = Running { child, mark };
        running.wait_for("sleep", 2).unwrap();
        let started = running.there();
        drop(running);
        let alive = |pid: &i32| processes::command_line(*pid).contains("sleep 1000");
        assert!(started.contains_key(&(pid as i32)) && !started.keys().any(alive), "{started:?}");
    }
}
