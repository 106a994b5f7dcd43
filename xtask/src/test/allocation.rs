//! oshrun inside an allocation of Slurm, which has the hosts and the number of ranks from it. Slurm runs on hosts made
//! of network namespaces, oshrun beside them, as on a login node.

use super::running::Running;
use crate::cluster::hosts::Hosts;
use crate::cluster::slurm::{self, Slurm};
use crate::processes;
use crate::util::{self, Mpi, output, root};
use anyhow::{Context, Result, ensure};
use std::path::Path;

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
    site.failures()?;
    site.ends()
}

struct Site<'a> {
    slurm: &'a Slurm,
    hosts: &'a Hosts,
    mpi: Mpi,
}

/// Who is sent a signal, or what is done instead.
enum Blow {
    Oshrun(i32),
    /// `scancel` of the step in which the node servers are.
    CancelStep,
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
        let dir = tempfile::tempdir_in(root().join("target"))?;
        let program = dir.path().join("hello");
        self.compile(&root().join("examples/c/hello.c"), &program)?;
        let words = [program.to_str().context("a path that is no text")?];
        let (code, lines, printed) = self.end(self.start(&words)?)?;
        let pes = HOSTS * TASKS;
        let expected: Vec<String> =
            (0..pes).map(|me| format!("PE {me} of {pes}: greetings from PE {}", (me + pes - 1) % pes)).collect();
        ensure!(code == Some(0) && printed.is_empty() && lines == expected, "hello: {code:?} {lines:?} {printed:?}");
        println!("oshrun ./hello: {pes} PEs on {HOSTS} hosts");
        Ok(())
    }

    fn compile(&self, source: &Path, program: &Path) -> Result<()> {
        let mut c = std::process::Command::new(self.mpi.prefix().join("bin/oshcc"));
        util::run(c.arg(source).arg("-o").arg(program))
    }

    /// A rank that fails ends all others; the exit code comes through.
    fn failures(&self) -> Result<()> {
        for (script, wanted, words) in [
            ("test $PMI_RANK = 3 && exit 7; sleep 1000", 7, ["rank 3", "exit code 7"]),
            ("test $PMI_RANK = 2 && kill -9 $$; sleep 1000", 137, ["rank 2", "SIGKILL"]),
        ] {
            let (code, _, printed) = self.end(self.start(&["sh", "-c", script])?)?;
            let told = printed.lines().count() == 1 && words.iter().chain(&["host host2"]).all(|w| printed.contains(w));
            ensure!(code == Some(wanted) && told, "{script}: {code:?} {printed:?}");
        }
        println!("ranks that fail: one line, their exit code, nothing is left");
        Ok(())
    }

    /// What comes from outside.
    fn ends(&self) -> Result<()> {
        for (blow, codes, lines) in [
            (Blow::Oshrun(libc::SIGINT), &[130][..], 0),
            (Blow::Oshrun(libc::SIGTERM), &[143], 0),
            // salloc reports 0 of a command that was killed.
            (Blow::Oshrun(libc::SIGKILL), &[0, 137], 0),
            // Slurm kills the processes of the step in any order: oshrun reports a node server, or a rank whose end a
            // server has seen.
            (Blow::CancelStep, &[125, 137, 143], 1),
        ] {
            let job = self.start(&SLEEP)?;
            job.wait_for("sleep", 2 * HOSTS * TASKS)?;
            let name = match blow {
                Blow::Oshrun(signal) => {
                    let front = |pid: &i32| !processes::command_line(*pid).contains("--node-server");
                    let pid = job.wait_for("oshrun", 1)?.into_iter().find(front).context("oshrun is not there")?;
                    // SAFETY: kill takes numbers only; the process carries our mark.
                    unsafe { libc::kill(pid, signal) };
                    format!("signal {signal}")
                }
                Blow::CancelStep => {
                    let mut c = self.slurm.client("squeue");
                    let steps = output(&mut self.hosts.in_hub(c.args(["-s", "-h", "-o", "%i"])))?;
                    let step = steps.lines().find(|s| s.trim().ends_with(".0")).context("there is no step")?;
                    let mut c = self.slurm.client("scancel");
                    output(&mut self.hosts.in_hub(c.arg(step.trim())))?;
                    "scancel".to_string()
                }
            };
            let (code, _, printed) = self.end(job)?;
            // salloc tells of a command that was killed.
            let ours = printed.lines().filter(|l| !l.starts_with("salloc: ")).count();
            let right = code.is_some_and(|c| codes.contains(&c)) && ours == lines;
            ensure!(
                right && printed.lines().all(|l| l.starts_with("oshrun: ") || l.starts_with("salloc: ")),
                "{name}: exit code {code:?} (expected one of {codes:?}), standard error {printed:?} (expected {lines} \
                 lines of oshrun)"
            );
            println!(
                "{name}: exit code {}, nothing is left{}",
                code.unwrap_or(-1),
                printed.lines().map(|l| format!("; {l}")).collect::<String>()
            );
        }
        Ok(())
    }
}
