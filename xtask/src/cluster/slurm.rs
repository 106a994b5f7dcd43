//! A separate Slurm on the hosts of a test: one controller in the hub, one `slurmd` per host, all with a
//! configuration in a temporary directory. What the system has in /etc/slurm is not touched. Needs root and Debian's
//! packages slurmctld, slurmd, slurm-client and munge (or the same commands from elsewhere).

use super::hosts::{HUB, Hosts, enter};
use crate::util::{command_exists, output, root};
use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long the daemons may take until all nodes are ready; on a quiet machine it is 3 s.
const READY: Duration = Duration::from_secs(60);

/// Tasks a node takes: more than it has cores, as everywhere in the tests.
const CPUS: usize = 256;

/// Through which interface Slurm manages the processes of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Pm {
    Pmi2,
    Pmix,
}

/// A Slurm cluster that exists until this is dropped.
pub struct Slurm {
    dir: tempfile::TempDir,
    /// The latest first.
    daemons: Vec<Child>,
    hosts: usize,
}

/// Why there can be no Slurm here, if so.
pub fn missing() -> Option<String> {
    let all = ["munged", "mungekey", "slurmctld", "slurmd", "srun", "salloc", "scancel", "squeue", "sinfo"];
    let lacks: Vec<&str> = all.into_iter().filter(|c| !command_exists(c)).collect();
    (!lacks.is_empty()).then(|| format!("no {} (Debian: slurmctld slurmd slurm-client munge)", lacks.join(", ")))
}

impl Slurm {
    /// Starts the daemons and waits until all hosts take jobs.
    pub fn up(hosts: &Hosts) -> Result<Slurm> {
        // Not in /tmp, which is private to a test's run.
        let dir = tempfile::Builder::new().prefix("slurm.").tempdir_in(root().join("target"))?;
        let mut slurm = Slurm { dir, daemons: Vec::new(), hosts: hosts.count() };
        let dir = slurm.dir.path().to_path_buf();
        for sub in ["munge", "state", "log"] {
            fs::create_dir(dir.join(sub))?;
        }
        // The servers of PMIx on all hosts would make the same directory in /tmp, which the hosts share.
        for k in 1..=hosts.count() {
            fs::create_dir(dir.join(format!("tmp-host{k}")))?;
        }
        // munged insists that others can read the directory of its socket and cannot read the directory of its key.
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o755))?;
        fs::set_permissions(dir.join("munge"), fs::Permissions::from_mode(0o700))?;
        fs::write(dir.join("slurm.conf"), configuration(&dir, hosts.count()))?;
        // Slurm finds out the kind of control groups only where they are mounted, and on these hosts they are not.
        // Nothing uses them.
        fs::write(dir.join("cgroup.conf"), "CgroupPlugin=cgroup/v1\n")?;
        let at = |sub: &str, name: &str| dir.join(sub).join(name).display().to_string();
        output(Command::new("mungekey").args(["-c", "-f", "-k", &at("munge", "key")]))?;

        let mut munged = Command::new("munged");
        munged.args(["--foreground", "--force", &format!("--key-file={}", at("munge", "key"))]);
        for (option, name) in [("pid", "pid"), ("seed", "seed"), ("log", "log")] {
            munged.arg(format!("--{option}-file={}", at("munge", name)));
        }
        munged.arg(format!("--socket={}", at("", "munge.socket")));
        slurm.start("munged", &mut munged)?;

        // The controller runs only on the host that its configuration names.
        let mut ctld = Command::new("unshare");
        ctld.args(["--uts", "sh", "-c", "hostname hub && exec slurmctld -D"]);
        slurm.start("slurmctld", &mut hosts.in_hub(&ctld))?;
        for k in 1..=hosts.count() {
            let mut slurmd = Command::new(enter());
            // In place of the host's shell: the signals at the end are for the process that was started.
            slurmd.args([&Hosts::address(k), "exec", "slurmd", "-D"]);
            slurm.start(&format!("slurmd{k}"), &mut hosts.in_hub(&slurmd))?;
        }
        slurm.wait_until_ready(hosts)?;
        Ok(slurm)
    }

    fn start(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let log = File::create(self.dir.path().join("log").join(format!("{name}.out")))?;
        command.env("SLURM_CONF", self.configuration());
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        // SAFETY: between fork and exec only a system call.
        unsafe {
            command.pre_exec(|| {
                // No daemon outlives a task that was killed.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            });
        }
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        self.daemons.insert(0, child);
        Ok(())
    }

    fn configuration(&self) -> std::path::PathBuf {
        self.dir.path().join("slurm.conf")
    }

    fn wait_until_ready(&mut self, hosts: &Hosts) -> Result<()> {
        let start = Instant::now();
        loop {
            let mut sinfo = Command::new("sinfo");
            sinfo.args(["-h", "-N", "-o", "%t"]).env("SLURM_CONF", self.configuration());
            let states = output(&mut hosts.in_hub(&sinfo)).unwrap_or_default();
            if states.lines().filter(|state| *state == "idle").count() == self.hosts {
                return Ok(());
            }
            for daemon in &mut self.daemons {
                if let Some(status) = daemon.try_wait()? {
                    bail!("a daemon of Slurm ended with {status}:\n{}", self.logs());
                }
            }
            if start.elapsed() > READY {
                bail!("Slurm is not ready after {} s: nodes are {states:?}\n{}", READY.as_secs(), self.logs());
            }
            thread::sleep(Duration::from_millis(100));
        }
    }

    fn logs(&self) -> String {
        let Ok(files) = fs::read_dir(self.dir.path().join("log")) else { return String::new() };
        let mut text = String::new();
        for file in files.flatten() {
            let log = fs::read_to_string(file.path()).unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(8).collect();
            text += &format!("{}:\n", file.file_name().display());
            last.iter().rev().for_each(|line| text += &format!("  {line}\n"));
        }
        text
    }

    /// `srun` for `pes` PEs spread over all hosts, before the program's name; to be run in the hub.
    pub fn srun(&self, pm: Pm, pes: usize) -> Command {
        let mut c = self.client("srun");
        let mpi = match pm {
            Pm::Pmi2 => "--mpi=pmi2",
            Pm::Pmix => "--mpi=pmix",
        };
        // Sometimes a job has to wait for the end of the job before it, and srun says so.
        c.args(["--quiet", mpi, "-N", &self.hosts.to_string(), "-n", &pes.to_string()]);
        c
    }

    /// `salloc` for so many tasks on each of all hosts, before the command that it starts in the hub.
    pub fn salloc(&self, per_host: usize) -> Command {
        let mut c = self.client("salloc");
        c.args(["--quiet", "-N", &self.hosts.to_string(), "--ntasks-per-node", &per_host.to_string()]);
        c
    }

    /// A command of Slurm, without arguments; to be run in the hub.
    pub fn client(&self, name: &str) -> Command {
        let mut c = Command::new(name);
        c.env("SLURM_CONF", self.configuration());
        // For the other launchers `enter` sets this. Slurm passes the environment of its commands on to the tasks.
        c.env("UCX_NET_DEVICES", "net");
        c
    }
}

impl Drop for Slurm {
    fn drop(&mut self) {
        for daemon in &mut self.daemons {
            // SAFETY: a child of this process that has not been waited for, so the number is still its.
            unsafe { libc::kill(daemon.id().cast_signed(), libc::SIGTERM) };
            let start = Instant::now();
            while daemon.try_wait().is_ok_and(|status| status.is_none()) && start.elapsed() < Duration::from_secs(5) {
                thread::sleep(Duration::from_millis(20));
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// The smallest configuration that needs no control groups, no accounting and no users but root.
fn configuration(dir: &Path, hosts: usize) -> String {
    let at = |name: &str| dir.join(name).display().to_string();
    let mut text = format!(
        "ClusterName=oshmpi\nSlurmctldHost=hub({HUB})\nSlurmUser=root\nSlurmdUser=root\n\
         AuthType=auth/munge\nAuthInfo=socket={}\nCredType=cred/munge\n\
         ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n\
         AccountingStorageType=accounting_storage/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n\
         MpiDefault=pmi2\nReturnToService=2\nKillOnBadExit=1\nKillWait=2\nSlurmdParameters=config_overrides\n",
        at("munge.socket")
    );
    for (setting, name) in [
        ("StateSaveLocation", "state"),
        ("SlurmctldPidFile", "slurmctld.pid"),
        ("SlurmctldLogFile", "log/slurmctld"),
        ("SlurmdPidFile", "slurmd-%h.pid"),
        ("SlurmdLogFile", "log/slurmd-%h"),
        ("SlurmdSpoolDir", "spool-%h"),
        ("TmpFS", "tmp-%h"),
    ] {
        text += &format!("{setting}={}\n", at(name));
    }
    for k in 1..=hosts {
        text += &format!("NodeName=host{k} NodeAddr={} CPUs={CPUS} State=UNKNOWN\n", Hosts::address(k));
    }
    text + "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES\n"
}
