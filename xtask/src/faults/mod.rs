//! `cargo xtask faults`: processes of jobs are killed, stopped and made to fail in every phase. Every job must end in
//! time, say why, and leave nothing. Jobs with closed standard streams work.

mod inject;
mod neighbour;

use crate::cluster::hosts::{self, Hosts};
use crate::ctest::leftovers::{self, End, Private, Scene};
use crate::util::{Launcher, Mpi, behind, each, limited, root};
use anyhow::{Result, ensure};
use inject::{Case, Layout, Outcome, Place};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

#[derive(clap::Args)]
pub struct Args {
    /// Only injections whose names hold all of these words, such as oshrun "2 hosts" SIGKILL put
    words: Vec<String>,
    /// So many at a time
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Times are longer by this number, for a machine with other work
    #[arg(long, default_value_t = 1)]
    slow: u32,
}

pub fn run(args: Args) -> Result<()> {
    let chosen: Vec<Case> =
        inject::all().into_iter().filter(|c| args.words.iter().all(|w| c.name().contains(w))).collect();
    ensure!(!chosen.is_empty(), "no injection has these words");
    let place = place(&chosen, args.slow.max(1))?;
    let outcomes = inject_all(&place, &chosen, args.jobs.max(1), true);
    if args.words.is_empty() {
        neighbour::check(&place)?;
        closed_streams(&place)?;
    }
    judge(&outcomes)
}

/// Jobs whose launcher has closed standard streams. Hydra's mpiexec itself fails without an output. Slow and full ones,
/// and readers that go, are the subject of `tools/tests/oshrun`.
fn closed_streams(place: &Place) -> Result<()> {
    let oshrun = ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"].map(|closed| (Launcher::Oshrun, closed));
    for (launcher, closed) in oshrun.into_iter().chain([(Launcher::Mpiexec, "<&-")]) {
        let mut job = launcher.command(place.mpi, 2);
        job.arg(&place.program).args(["print", "."]);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec \"$@\" {closed}"), "sh"]);
        let mut c = limited(&behind(shell, &job));
        let scene = Scene::new(place.private)?;
        scene.enter(&mut c)?;
        let status = c.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        let end = End { early: true, no_launcher: launcher == Launcher::Oshrun, ..End::default() };
        let left = scene.remains(place.mpi, &end).faults;
        scene.kill();
        ensure!(status.success() && left.is_empty(), "{}, {closed}: {status}, left {left:?}", launcher.name());
    }
    println!("closed standard streams: a job works");
    Ok(())
}

/// Injections of `cargo xtask test`: one of each kind of process and of break, on a node and between hosts.
const SAMPLE: [&str; 10] = [
    "oshrun, 1 host, rank, SIGKILL in-init",
    "oshrun, 1 host, rank, _exit(7) lock",
    "oshrun, 1 host, node server, SIGKILL barrier",
    "oshrun, 1 host, oshrun, SIGKILL put",
    "mpiexec, 1 host, proxy, SIGKILL collective",
    "oshrun, 1 host, MPI route, rank, SIGSEGV put",
    "oshrun, 2 hosts, node server, SIGKILL barrier",
    "oshrun, 2 hosts, rank, SIGKILL finalize",
    "mpiexec, 2 hosts, rank, SIGKILL put",
    "mpiexec, 2 hosts, rank, _exit(0) barrier",
];

/// A few injections, at the same time.
pub fn sample() -> Result<()> {
    let cases: Vec<Case> = inject::all().into_iter().filter(|c| SAMPLE.contains(&c.name().as_str())).collect();
    ensure!(cases.len() == SAMPLE.len(), "an injection of the sample is not in the list");
    let place = place(&cases, 4)?;
    neighbour::check(&place)?;
    let outcomes = inject_all(&place, &cases, 4, false);
    closed_streams(&place)?;
    judge(&outcomes)
}

/// Prints the numbers of injections, of ends in time, of those named, and of those that left something.
fn judge(outcomes: &[(Case, Result<Outcome>)]) -> Result<()> {
    let of = |is: fn(&Case, &Outcome) -> bool| {
        outcomes.iter().filter(|(case, o)| o.as_ref().is_ok_and(|o| is(case, o))).count()
    };
    println!(
        "{} injections: {} ended in time, {} named the process ({} had to), {} left something",
        outcomes.len(),
        of(|_, o| o.took.is_some()),
        of(|case, o| case.is_to_be_named() && o.named),
        outcomes.iter().filter(|(case, _)| case.is_to_be_named()).count(),
        of(|_, o| !o.left.is_empty()),
    );
    let bad = outcomes.iter().filter(|(case, outcome)| is_bad(case, outcome)).count();
    ensure!(bad == 0, "{bad} injections were not taken well");
    Ok(())
}

/// Lets a user's interrupt end the jobs that this program starts. A shell starts what runs in the background with the
/// interrupt ignored, and all that it starts inherits that.
fn heed_interrupts() {
    // SAFETY: it sets the default action, so no function is called at a signal.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
}

fn place(cases: &[Case], slow: u32) -> Result<Place> {
    heed_interrupts();
    let mpi = Mpi::Mpich; // Injections know the processes of Hydra.
    leftovers::sweep();
    let hosts = match hosts::missing() {
        _ if !cases.iter().any(|c| c.layout == Layout::TwoHosts) => None,
        Some(why) => {
            println!("those between hosts are skipped: {why}");
            None
        }
        None => Some(Hosts::up(2)?),
    };
    let program = inject::build(mpi)?;
    let private = Private::with([root(), mpi.prefix()])?;
    Ok(Place { mpi, program, hosts, private, slow })
}

/// Makes all injections, some at a time, and tells bad ones at once.
fn inject_all(place: &Place, cases: &[Case], jobs: usize, show: bool) -> Vec<(Case, Result<Outcome>)> {
    let cases: Vec<Case> =
        cases.iter().copied().filter(|c| c.layout != Layout::TwoHosts || place.hosts.is_some()).collect();
    let (done, begun) = (Mutex::new(Vec::new()), Instant::now());
    each(&cases, jobs, |case| {
        let outcome = inject::inject(case, place);
        if show || is_bad(case, &outcome) {
            println!("{:>4.0} s  {}: {}", begun.elapsed().as_secs_f64(), case.name(), told(case, &outcome));
        }
        done.lock().expect("no thread panics").push((*case, outcome));
    });
    done.into_inner().expect("no thread panics")
}

fn is_bad(case: &Case, outcome: &Result<Outcome>) -> bool {
    outcome.as_ref().map_or(true, |o| !o.faults(case).is_empty())
}

fn told(case: &Case, outcome: &Result<Outcome>) -> String {
    match outcome {
        Err(e) => format!("FAILED: {e:#}"),
        Ok(o) => {
            let took = o.took.map_or("no end".into(), |t| format!("{:.1} s", t.as_secs_f64()));
            let faults = o.faults(case).join(", ");
            let left: String = o.left.iter().map(|l| format!("; {l}")).collect();
            let bad = if faults.is_empty() { String::new() } else { format!(" FAILED ({faults}{left})") };
            format!("{took}{bad}: {}", o.line)
        }
    }
}
