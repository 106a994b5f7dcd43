//! What happens when something between hosts breaks: a PE is killed, a host loses its network, the network is slow. A
//! job ends with a message and a status in bounded time, or goes on; and nothing is left behind.

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
    /// Of `cargo xtask cluster`, before the program.
    options: &'static str,
    oshrun: bool,
    /// Of the program.
    args: &'static str,
    /// The status is 0.
    goes_on: bool,
    /// A part of what is printed.
    says: &'static str,
    /// From start to end, on a machine with other work too.
    limit: Duration,
}

const fn case(name: &'static str, options: &'static str, args: &'static str, says: &'static str, seconds: u64) -> Case {
    Case { name, options, args, oshrun: false, goes_on: false, says, limit: Duration::from_secs(seconds) }
}

/// The option that cuts a host off.
const CUT: &str = "--cut-after";

/// A part of what the program prints when it finds wrong data.
const WRONG: &str = ": round ";

const CASES: [Case; 6] = [
    case("a PE is killed, mpiexec", "2x1", "0 0.5", "BAD TERMINATION", 25),
    Case { oshrun: true, ..case("a PE is killed, oshrun", "2x1", "0 0.5", "SIGKILL", 25) },
    // A silent host is given 30 s, by oshrun's servers or by the PEs themselves. On a busy machine the job may not have
    // begun by then, which ends it as well.
    Case { oshrun: true, ..case("a host is cut off, oshrun", "2x1 --cut-after 3", "0", "oshrun:", 90) },
    case("a host is cut off, mpiexec", "2x1 --cut-after 3", "0", "no sign of life", 90),
    case("a PE leaves by _exit, mpiexec", "2x1", "0 0.5 _exit", "before shmem_finalize", 60),
    Case { goes_on: true, ..case("a slow network", "2x1 --rate 20mbit", "20", "done", 60) },
];

/// Skipped with a line where there can be no hosts.
pub fn check(mpi: Mpi) -> Result<()> {
    if let Some(why) = hosts::missing() {
        println!("skipped, several hosts need root and iproute2: {why}");
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
    c.args(case.options.split(' ')).arg(program).args(case.args.split(' '));
    let start = Instant::now();
    // A PE whose host is cut off can tell nobody, and ends itself ten seconds after it has given up.
    let (output, left) = Running::start(c)?.end_within(case.limit)?;
    let (took, status) = (start.elapsed(), output.status);
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
    ensure!(status.success() == case.goes_on, "{status}:\n{text}");
    ensure!(text.contains(case.says), "nobody printed {:?}:\n{text}", case.says);
    // A job that ends for another reason than its failure has taken nothing well. One whose host is cut off may not
    // have begun.
    let begun = if case.options.contains(CUT) { "is cut off" } else { "started" };
    ensure!(text.contains(begun), "ended too early, nobody printed {begun:?}:\n{text}");
    ensure!(!text.contains(WRONG), "wrong data:\n{text}");
    ensure!(left.is_empty(), "still running: {left:?}");
    Ok(format!("{status} after {:.1} s", took.as_secs_f64()))
}
