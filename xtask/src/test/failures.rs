//! What happens when something between hosts breaks: a host loses its network, the network is slow. A job ends with a
//! message and a status in bounded time, or goes on; and nothing is left behind. Processes that break are the subject
//! of `cargo xtask faults`.

use super::running::Running;
use super::task::built;
use crate::cluster::hosts;
use crate::faults;
use crate::util::Mpi;
use anyhow::{Result, ensure};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// One failure, and how the job has to take it.
struct Case {
    name: &'static str,
    oshrun: bool,
    /// Of `cargo xtask cluster`.
    option: [&'static str; 2],
    /// Rounds of the program; 0: for ever.
    rounds: &'static str,
    /// What was printed before the failure, and what is printed at the end.
    begun: &'static str,
    says: &'static str,
    /// From start to end, on a machine with other work too.
    limit: Duration,
}

/// A part of what the program prints when it finds wrong data.
const WRONG: &str = ": round ";

/// A silent host is given 30 s, by oshrun's servers or by the PEs themselves. On a busy machine the job may not have
/// begun by then, which ends it as well.
const CUT_OFF: Case = Case {
    name: "a host is cut off, oshrun",
    oshrun: true,
    option: ["--cut-after", "3"],
    rounds: "0",
    begun: "is cut off",
    says: "oshrun:",
    limit: Duration::from_secs(90),
};

const CASES: [Case; 3] = [
    CUT_OFF,
    Case { name: "a host is cut off, mpiexec", oshrun: false, says: "no sign of life", ..CUT_OFF },
    Case {
        name: "a slow network",
        oshrun: false,
        option: ["--rate", "20mbit"],
        rounds: "20",
        begun: "started",
        says: "done",
        limit: Duration::from_secs(60),
    },
];

/// Skipped with a line where there can be no hosts.
pub fn check(mpi: Mpi) -> Result<()> {
    if let Some(why) = hosts::missing() {
        println!("skipped: {why}");
        return faults::sample();
    }
    let program = built(mpi, "tests/cluster/failing.c")?;
    // At the same time: one of them takes half a minute of waiting.
    let all = thread::scope(|s| {
        let program = &program;
        let started: Vec<_> = CASES.iter().map(|case| s.spawn(move || judge(case, mpi, program))).collect();
        started.into_iter().map(|case| case.join().expect("a case does not panic")).collect::<Vec<_>>()
    });
    let failed = all.iter().filter(|outcome| outcome.is_err()).count();
    for (case, outcome) in CASES.iter().zip(&all) {
        match outcome {
            Ok(took) => println!("{}: {took}", case.name),
            Err(e) => println!("{}: FAILED: {e:#}", case.name),
        }
    }
    ensure!(failed == 0, "{failed} of {} failures between hosts were not taken well", CASES.len());
    faults::sample()
}

fn judge(case: &Case, mpi: Mpi, program: &Path) -> Result<String> {
    let mut c = Command::new("/proc/self/exe");
    c.arg("cluster").args(["--mpi", mpi.name()]);
    if case.oshrun {
        c.arg("--oshrun").arg(mpi.prefix().join("bin/oshrun"));
    }
    c.arg("2x1").args(case.option).arg(program).arg(case.rounds);
    let start = Instant::now();
    // A PE whose host is cut off can tell nobody, and ends itself ten seconds after it has given up.
    let (output, left) = Running::start(c)?.end_within(case.limit)?;
    let (took, status) = (start.elapsed(), output.status);
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
    ensure!(status.success() == (case.says == "done"), "{status}:\n{text}");
    // A job that ends for another reason than its failure has taken nothing well.
    for words in [case.begun, case.says] {
        ensure!(text.contains(words), "nobody printed {words:?}:\n{text}");
    }
    ensure!(!text.contains(WRONG), "wrong data:\n{text}");
    ensure!(left.is_empty(), "still running: {left:?}");
    Ok(format!("{status} after {:.1} s", took.as_secs_f64()))
}
