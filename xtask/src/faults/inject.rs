//! One injection: a job is brought into a phase, one of its processes breaks, and the end of the job is watched.

use crate::cluster::{self, hosts::Hosts};
use crate::ctest::leftovers::{End, Private, Scene};
use crate::install::wrapper;
use crate::processes;
use crate::util::{Launcher, Mpi, made, root};
use anyhow::{Context, Result, ensure};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// PEs of every job: on two hosts, two on each.
const PES: usize = 4;
/// The PE that breaks, and that holds the lock.
const BREAKS: usize = PES - 1;

/// How long a job may take until all its PEs stand in the phase.
const TO_BEGIN: Duration = Duration::from_secs(60);
/// How long PEs that have said that they are there may take to be inside of the call.
const TO_ENTER: Duration = Duration::from_millis(300);
/// How long a job with a stopped process is watched before it is interrupted: it must not end by itself.
const STOPPED: Duration = Duration::from_secs(1);
/// When the user presses Ctrl-C again.
const AGAIN: Duration = Duration::from_secs(2);

/// Where the job's processes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    Node,
    /// One host, with OSHMPI_ROUTE=mpi and OSHMPI_TRANSPORT=mpi.
    MpiRoute,
    TwoHosts,
}

/// The process that breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Victim {
    Rank,
    /// oshrun's node server or mpiexec's proxy: the parent of the rank.
    Server,
    /// The launcher that the user has started.
    Front,
}

/// How it breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    Kill,
    Segfault,
    Abort,
    Terminate,
    /// `_exit(7)`.
    Fail,
    /// `_exit(0)`.
    Leave,
    /// It is stopped, and the user interrupts the job a moment later.
    Stop,
}

const PHASES: [&str; 7] = ["before-init", "in-init", "barrier", "collective", "lock", "put", "finalize"];
const LAYOUTS: [Layout; 3] = [Layout::Node, Layout::MpiRoute, Layout::TwoHosts];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Case {
    pub launcher: Launcher,
    pub layout: Layout,
    pub victim: Victim,
    pub act: Act,
    pub phase: &'static str,
}

/// All injections, those of one row of the table one behind the other.
pub fn all() -> Vec<Case> {
    let rank = [Act::Kill, Act::Segfault, Act::Fail, Act::Leave, Act::Stop].map(|act| (Victim::Rank, act));
    let others = [Victim::Server, Victim::Front];
    // Rust's handler of SIGSEGV, which looks for a stack overflow, takes one that another process sends for a mistake.
    let other = [Act::Kill, Act::Abort, Act::Terminate, Act::Stop];
    let broken: Vec<(Victim, Act)> =
        rank.into_iter().chain(others.into_iter().flat_map(|victim| other.map(|act| (victim, act)))).collect();
    let mut cases = Vec::new();
    for launcher in Launcher::ALL {
        for layout in LAYOUTS {
            for &(victim, act) in &broken {
                cases.extend(PHASES.map(|phase| Case { launcher, layout, victim, act, phase }));
            }
        }
    }
    cases
}

impl Case {
    pub fn name(&self) -> String {
        let [launcher, layout] = [self.launcher.name(), self.layout.name()];
        format!("{launcher}, {layout}, {}, {} {}", self.process(), self.act.how().0, self.phase)
    }

    pub fn process(&self) -> &'static str {
        match (self.victim, self.launcher) {
            (Victim::Rank, _) => "rank",
            (Victim::Server, Launcher::Oshrun) => "node server",
            (Victim::Server, Launcher::Mpiexec) => "proxy",
            (Victim::Front, launcher) => launcher.name(),
        }
    }

    /// How long the end may take, on an idle machine.
    fn limit(&self) -> Duration {
        Duration::from_secs(match self.act {
            // oshrun gives up a server that does not answer after 15 s, and ranks have a grace time before.
            Act::Stop => 25,
            // Between hosts the launcher has 10 s to end the job before PEs do it, and PEs that cannot reach it 15 s.
            _ if self.layout == Layout::TwoHosts => 30,
            _ => 10,
        })
    }

    /// Whether a line has to say what has happened: nobody is left to say it when the launcher itself is gone, and a
    /// user who ends a job knows why it has ended. Under mpiexec, a rank that leaves by `_exit` says so, or one that it
    /// leaves behind in init. Of ranks and proxies that are killed, Hydra says what it will.
    pub fn is_to_be_named(&self) -> bool {
        let leaves = matches!(self.act, Act::Leave | Act::Fail) && self.phase != "in-init";
        let ours = match (self.victim, self.launcher) {
            (Victim::Rank, Launcher::Oshrun) => true,
            (Victim::Rank, Launcher::Mpiexec) => leaves,
            (Victim::Server, Launcher::Oshrun) => true,
            (Victim::Server, Launcher::Mpiexec) | (Victim::Front, _) => false,
        };
        // The node server passes SIGTERM on to its ranks, whose end is told.
        ours && self.act != Act::Stop && !(self.victim == Victim::Server && self.act == Act::Terminate)
    }

    /// Whether Hydra alone decides what becomes of the job, of a plain MPI program's too: its proxy is stopped or asked
    /// to end, or ends before all ranks have joined; or a rank of one host leaves in init, of which the other hears
    /// nothing.
    pub fn is_hydras(&self) -> bool {
        let joining = self.phase.ends_with("-init");
        self.launcher == Launcher::Mpiexec
            && match self.victim {
                Victim::Server => joining || matches!(self.act, Act::Terminate | Act::Stop),
                Victim::Rank => {
                    joining && self.layout == Layout::TwoHosts && matches!(self.act, Act::Leave | Act::Fail)
                }
                Victim::Front => false,
            }
    }

    /// Whether the exit code is Hydra's alone: the user has ended the job, by Ctrl-C or by SIGTERM to mpiexec, and
    /// Hydra ends with 0 now and then.
    fn code_is_hydras(&self) -> bool {
        let by_user = self.act == Act::Stop || (self.victim == Victim::Front && self.act == Act::Terminate);
        self.launcher == Launcher::Mpiexec && by_user
    }
}

impl Layout {
    fn name(self) -> &'static str {
        match self {
            Layout::Node => "1 host",
            Layout::MpiRoute => "1 host, MPI route",
            Layout::TwoHosts => "2 hosts",
        }
    }
}

impl Act {
    /// Its name, and the signal that does it.
    fn how(self) -> (&'static str, i32) {
        match self {
            Act::Kill => ("SIGKILL", libc::SIGKILL),
            Act::Segfault => ("SIGSEGV", libc::SIGSEGV),
            Act::Abort => ("SIGABRT", libc::SIGABRT),
            Act::Terminate => ("SIGTERM", libc::SIGTERM),
            // The program's handlers leave so.
            Act::Fail => ("_exit(7)", libc::SIGUSR1),
            Act::Leave => ("_exit(0)", libc::SIGUSR2),
            Act::Stop => ("SIGSTOP, then Ctrl-C", libc::SIGSTOP),
        }
    }
}

/// What came of an injection.
pub struct Outcome {
    /// The job has ended after this time.
    pub took: Option<Duration>,
    pub success: bool,
    /// The line that says most about the end.
    pub line: String,
    /// A line names the process that broke.
    pub named: bool,
    pub left: Vec<String>,
}

impl Outcome {
    /// What is not as it should be.
    pub fn faults(&self, case: &Case) -> Vec<&'static str> {
        let all = [
            (self.took.is_none(), "does not end"),
            (self.took.is_some() && self.success && !case.code_is_hydras(), "ends with 0"),
            (self.took.is_some() && case.is_to_be_named() && !self.named, "not named"),
            (!self.left.is_empty(), "leaves something"),
        ];
        all.into_iter().filter(|(is, _)| *is && !case.is_hydras()).map(|(_, what)| what).collect()
    }
}

/// Where injections are made.
pub struct Place {
    pub mpi: Mpi,
    pub program: PathBuf,
    /// None: there can be no hosts here.
    pub hosts: Option<Hosts>,
    pub private: Private,
    /// By this number all times are longer than on an idle machine.
    pub slow: u32,
}

/// A file for the output of a run, and a directory in which PEs say that they are there.
struct Files {
    dir: TempDir,
    there: PathBuf,
}

impl Files {
    fn new() -> Result<Files> {
        let dir = tempfile::Builder::new().prefix("run-").tempdir_in(root().join("target/faults"))?;
        let there = made(dir.path().join("there"))?;
        Ok(Files { dir, there })
    }

    fn output(&self, name: &str) -> Result<File> {
        File::create(self.dir.path().join(name)).context("cannot make a file for output")
    }

    /// Standard error, and standard output behind it: Hydra tells there how a rank has ended.
    fn complaint(&self) -> String {
        let text =
            |name| String::from_utf8_lossy(&fs::read(self.dir.path().join(name)).unwrap_or_default()).into_owned();
        text("err") + &text("out")
    }
}

pub fn inject(case: &Case, place: &Place) -> Result<Outcome> {
    let program = place.program.as_path();
    let files = Files::new()?;
    let scene = Scene::new(place.private)?;
    let mut c = command(case, place)?;
    c.arg(program).arg(case.phase).arg(&files.there);
    scene.enter(&mut c)?;
    let mut child = c
        .stdin(Stdio::null())
        .stdout(files.output("out")?)
        .stderr(files.output("err")?)
        .spawn()
        .with_context(|| format!("cannot start {c:?}"))?;
    let injected = strike(case, place, &scene, &files.there, &mut child);
    let begun = Instant::now();
    let status = match &injected {
        Ok(_) => watch(case, &mut child, case.limit() * place.slow)?,
        Err(_) => None,
    };
    // Whether mpiexec hangs when all of the program has ended is not judged.
    let only = (case.launcher == Launcher::Mpiexec).then_some(program);
    let lost = injected.is_ok() && status.is_none() && only.is_some_and(|program| !scene.runs(program));
    let took = (status.is_some() || lost).then(|| begun.elapsed());
    let end = End { killed: true, early: true, no_launcher: case.launcher == Launcher::Oshrun, lost, only };
    let left = match took {
        // Everything is left, and was told.
        None => Vec::new(),
        Some(_) => scene.remains(place.mpi, &end).faults,
    };
    scene.kill();
    let _ = child.wait();
    let broken = injected.with_context(|| format!("the job has not begun; it printed {:?}", files.complaint()))?;
    let text = files.complaint();
    Ok(Outcome {
        took,
        success: status.is_some_and(|s| s.success()),
        line: telling(&text, case, broken),
        named: text.lines().any(|line| names(line, case, broken)),
        left,
    })
}

/// The launcher's call, before the program's name.
fn command(case: &Case, place: &Place) -> Result<Command> {
    if case.layout == Layout::TwoHosts {
        let hosts = place.hosts.as_ref().context("there are no hosts")?;
        let c = match case.launcher {
            Launcher::Oshrun => cluster::oshrun(&place.mpi.prefix().join("bin/oshrun"), &hosts.list(PES), PES),
            Launcher::Mpiexec => cluster::mpiexec(place.mpi, hosts, PES),
        };
        return Ok(hosts.in_hub(&c));
    }
    let mut c = case.launcher.command(place.mpi, PES);
    if case.layout == Layout::MpiRoute {
        c.env("OSHMPI_ROUTE", "mpi").env("OSHMPI_TRANSPORT", "mpi");
    }
    Ok(c)
}

/// Waits until all PEs stand in the phase, and breaks the process. Returns its number.
fn strike(case: &Case, place: &Place, scene: &Scene, there: &Path, child: &mut Child) -> Result<i32> {
    let deadline = Instant::now() + TO_BEGIN * place.slow;
    let pe = |k: usize| fs::read_to_string(there.join(k.to_string())).ok()?.trim().parse::<i32>().ok();
    while (0..PES).any(|k| pe(k).is_none()) {
        ensure!(child.try_wait()?.is_none(), "it has ended");
        ensure!(Instant::now() < deadline, "not all PEs are there");
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(TO_ENTER * place.slow);
    let rank = pe(BREAKS).context("the PE was there a moment ago")?;
    ensure!(scene.processes().contains(&rank), "process {rank} is not of this run");
    let victim = match case.victim {
        Victim::Rank => rank,
        Victim::Server => processes::parent(rank).context("the rank has no parent")?,
        Victim::Front => child.id() as i32,
    };
    ensure!(scene.processes().contains(&victim), "process {victim} is not of this run");
    send(victim, case.act.how().1);
    if case.act == Act::Stop {
        thread::sleep(STOPPED);
        ensure!(child.try_wait()?.is_none(), "a stopped process has ended the job");
        interrupt(case, child);
    }
    Ok(victim)
}

/// The user ends the job: a stopped launcher hears nothing but SIGKILL.
fn interrupt(case: &Case, child: &Child) {
    send(child.id() as i32, if case.victim == Victim::Front { libc::SIGKILL } else { libc::SIGINT });
}

fn send(pid: i32, signal: i32) {
    // SAFETY: kill takes numbers only; the process was found to be of this run.
    unsafe { libc::kill(pid, signal) };
}

/// Waits for the launcher's end.
fn watch(case: &Case, child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let begun = Instant::now();
    let mut again = case.act == Act::Stop;
    while begun.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if again && begun.elapsed() > AGAIN {
            interrupt(case, child);
            again = false;
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(None)
}

/// Whether a line names the process that broke.
fn names(line: &str, case: &Case, pid: i32) -> bool {
    let has = |text: &str| line.contains(text);
    has(&format!("PID {pid}"))
        || match case.victim {
            Victim::Rank => {
                // The last process of a host that has an even number of them.
                let of_host = format!("process {} of this host", BREAKS / 2);
                [format!("rank {BREAKS}"), format!("PE {BREAKS}"), format!("[{BREAKS}]"), of_host]
                    .iter()
                    .any(|n| has(n))
            }
            Victim::Server => has("node server") || has("proxy"),
            Victim::Front => false,
        }
}

/// The line that says most: one that names the process, else one of ours, else the launcher's last.
fn telling(text: &str, case: &Case, pid: i32) -> String {
    let lines = || text.lines().map(str::trim).filter(|l| l.chars().any(char::is_alphabetic));
    let ours = |l: &&str| l.starts_with("oshrun: ") || l.starts_with("oshmpi");
    let found = lines().find(|l| ours(l) && names(l, case, pid));
    let found = found.or_else(|| lines().find(|l| names(l, case, pid)));
    let found = found.or_else(|| lines().find(ours)).or_else(|| lines().next_back());
    found.unwrap_or_default().trim_matches(|c: char| c == '=' || c.is_whitespace()).to_string()
}

/// Builds the program of all injections.
pub fn build(mpi: Mpi) -> Result<PathBuf> {
    let program = made(root().join("target/faults"))?.join(format!("phases-{}", std::process::id()));
    let source = root().join("tests/faults/phases.c");
    crate::util::run(wrapper(&mpi.prefix(), "oshcc").args(["-O2", "-Wall", "-o"]).arg(&program).arg(source))?;
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: Case = Case {
        launcher: Launcher::Oshrun,
        layout: Layout::Node,
        victim: Victim::Rank,
        act: Act::Kill,
        phase: "barrier",
    };

    #[test]
    fn the_line_that_names_the_process_is_told() {
        let text = "noise\noshmpi[1]: x\noshrun: rank 3 was ended by signal 9, SIGKILL\n=====\n";
        assert_eq!(telling(text, &CASE, 77), "oshrun: rank 3 was ended by signal 9, SIGKILL");
        assert_eq!(telling("noise\noshmpi[1]: x\nmore\n", &CASE, 77), "oshmpi[1]: x");
        assert_eq!(telling("===   KILLED\n= PID 77 RUNNING AT x\n=====\n", &CASE, 77), "PID 77 RUNNING AT x");
        assert_eq!(telling("", &CASE, 77), "");
    }

    #[test]
    fn what_is_wrong_is_told() {
        let outcome = |took: Option<u64>, success, named, left: &[&str]| Outcome {
            took: took.map(Duration::from_secs),
            success,
            line: String::new(),
            named,
            left: left.iter().map(|l| l.to_string()).collect(),
        };
        assert!(outcome(Some(1), false, true, &[]).faults(&CASE).is_empty());
        assert_eq!(outcome(None, false, true, &[]).faults(&CASE), ["does not end"]);
        assert_eq!(
            outcome(Some(1), true, false, &["x"]).faults(&CASE),
            ["ends with 0", "not named", "leaves something"]
        );
        let front = Case { victim: Victim::Front, ..CASE };
        assert!(outcome(Some(1), false, false, &[]).faults(&front).is_empty());
        let proxy = Case { victim: Victim::Server, act: Act::Stop, launcher: Launcher::Mpiexec, ..CASE };
        assert!(outcome(None, false, false, &[]).faults(&proxy).is_empty(), "Hydra's");
    }
}
