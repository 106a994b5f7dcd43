//! oshrun inside an allocation of Slurm, which has the hosts and the number of ranks from it. Slurm runs on hosts made
//! of network namespaces, oshrun beside them, as on a login node.

use super::running::Running;
use super::task::built;
use crate::cluster::hosts::Hosts;
use crate::cluster::slurm::{self, Slurm};
use crate::util::{Mpi, output};
use anyhow::{Context, Result, ensure};

/// Hosts of the allocation, and its tasks on each.
const HOSTS: usize = 2;
const TASKS: usize = 2;

/// Ranks that sleep long, with children in separate sessions, which are the hardest to find. The rank is the second
/// `sleep` itself: a shell that waits for it would report its end.
const SLEEP: [&str; 3] = ["sh", "-c", "setsid sleep 1000 & exec sleep 1000"];

pub fn check(mpi: Mpi) -> Result<()> {
    if let Some(why) = slurm::missing() {
        println!("skipped: an allocation of Slurm: {why}");
        return Ok(());
    }
    let hosts = Hosts::up(HOSTS)?;
    let slurm = Slurm::up(&hosts)?;
    let site = Site { slurm: &slurm, hosts: &hosts, mpi };
    site.ranks_and_hosts()?;
    site.hello()?;
    site.is_cancelled()
}

struct Site<'a> {
    slurm: &'a Slurm,
    hosts: &'a Hosts,
    mpi: Mpi,
}

impl Site<'_> {
    /// `salloc ... oshrun WORDS`.
    fn start(&self, words: &[&str]) -> Result<Running> {
        self.start_by(&[], words)
    }

    /// `salloc ... BEFORE oshrun WORDS`.
    fn start_by(&self, before: &[&str], words: &[&str]) -> Result<Running> {
        let mut c = self.slurm.salloc(TASKS);
        c.args(before).arg(self.mpi.prefix().join("bin/oshrun")).args(words);
        Running::start(self.hosts.in_hub(&c))
    }

    /// The exit code, standard output in alphabetical order, and standard error; nothing may be left.
    fn end(&self, running: Running) -> Result<(Option<i32>, Vec<String>, String)> {
        let (output, left) = running.end()?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut lines: Vec<String> = text(&output.stdout).lines().map(String::from).collect();
        lines.sort();
        let printed = text(&output.stderr);
        ensure!(left.is_empty(), "{:?} left {left:?}; it printed {printed:?}", output.status);
        Ok((output.status.code(), lines, printed))
    }

    /// The tasks of the allocation, fewer, more, and on this host alone.
    fn ranks_and_hosts(&self) -> Result<()> {
        let script = "echo $PMI_RANK/$PMI_SIZE $(hostname) ${SLURM_PROCID-none}";
        for (options, expected) in [
            (&[][..], &["0/4 host1 none", "1/4 host1 none", "2/4 host2 none", "3/4 host2 none"][..]),
            (&["-n", "3"], &["0/3 host1 none", "1/3 host1 none", "2/3 host2 none"]),
            (&["-n", "1"], &["0/1 host1 none"]),
            (&["-n", "5"], &["0/5 host1 none", "1/5 host1 none", "2/5 host2 none", "3/5 host2 none", "4/5 host1 none"]),
        ] {
            let (code, lines, printed) = self.end(self.start(&[options, &["sh", "-c", script]].concat())?)?;
            ensure!(
                code == Some(0) && lines == expected && printed.is_empty(),
                "{options:?}: {code:?} {lines:?} {printed:?}"
            );
        }
        // As in a batch script, or a shell that salloc starts on the first host: that one is served without srun.
        let shell = ["srun", "--overlap", "-N1", "-n1", "--preserve-env", "--mpi=none"];
        let (code, lines, printed) = self.end(self.start_by(&shell, &["sh", "-c", script])?)?;
        let expected = ["0/4 host1 none", "1/4 host1 none", "2/4 host2 none", "3/4 host2 none"];
        ensure!(code == Some(0) && lines == expected, "from the first host: {code:?} {lines:?} {printed:?}");
        let (code, lines, printed) = self.end(self.start(&["-allocation", "none", "-n", "2", "hostname"])?)?;
        let elsewhere = lines.iter().any(|l| l.starts_with("host"));
        ensure!(code == Some(0) && lines.len() == 2 && !elsewhere, "without the allocation: {lines:?} {printed:?}");
        println!("ranks of an allocation, fewer, more, none: each where it belongs");
        Ok(())
    }

    /// `oshrun ./hello`.
    fn hello(&self) -> Result<()> {
        let program = built(self.mpi, "examples/c/hello.c")?;
        let words = [program.to_str().context("a path that is no text")?];
        let (code, lines, printed) = self.end(self.start(&words)?)?;
        let pes = HOSTS * TASKS;
        let expected: Vec<String> =
            (0..pes).map(|me| format!("PE {me} of {pes}: greetings from PE {}", (me + pes - 1) % pes)).collect();
        ensure!(code == Some(0) && printed.is_empty() && lines == expected, "hello: {code:?} {lines:?} {printed:?}");
        println!("oshrun ./hello: {pes} PEs on {HOSTS} hosts");
        Ok(())
    }

    /// `scancel` of the step in which the node servers are. Kills and signals are the subject of `tools/tests/oshrun`.
    fn is_cancelled(&self) -> Result<()> {
        let job = self.start(&SLEEP)?;
        job.wait_for("sleep", 2 * HOSTS * TASKS)?;
        let steps = output(&mut self.hosts.in_hub(self.slurm.client("squeue").args(["-s", "-h", "-o", "%i"])))?;
        let step = steps.lines().find(|s| s.trim().ends_with(".0")).context("there is no step")?;
        output(&mut self.hosts.in_hub(self.slurm.client("scancel").arg(step.trim())))?;
        let (code, _, printed) = self.end(job)?;
        // salloc tells of a command that was killed. Slurm kills the processes of the step in any order: oshrun reports
        // a node server, or a rank whose end a server has seen.
        let lines: Vec<&str> = printed.lines().filter(|l| !l.starts_with("salloc: ")).collect();
        let right = code.is_some_and(|code| [125, 137, 143].contains(&code));
        ensure!(right && matches!(&lines[..], [one] if one.starts_with("oshrun: ")), "scancel: {code:?} {printed:?}");
        println!("scancel: exit code {}, nothing is left; {}", code.unwrap_or(-1), lines[0]);
        Ok(())
    }
}
