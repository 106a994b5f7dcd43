//! What happens when something between hosts breaks: a PE is killed, a host loses its network, the network is slow. A
//! job ends with a message and a status in bounded time, or goes on; and nothing is left behind.

use crate::cluster::hosts;
use crate::faults;
use crate::processes::{self, Mark};
use crate::util::{Mpi, made, root, run};
use anyhow::{Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
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
        return faults::sample(mpi);
    }
    let program = build(mpi)?;
    // At the same time: one of them takes half a minute of waiting.
    let marks = CASES.each_ref().map(|_| Mark::new("oshmpi-failures."));
    let all = thread::scope(|s| {
        let (mpi, program) = (mpi, &program);
        let cases = CASES.iter().zip(&marks);
        let started: Vec<_> = cases.map(|(case, mark)| s.spawn(move || judge(case, mpi, program, mark))).collect();
        started.into_iter().map(|case| case.join().expect("a case does not panic")).collect::<Vec<_>>()
    });
    // A launcher of a case that failed can wait for ever, and so can its PEs.
    let left: Vec<String> = running(&program).into_iter().map(described).collect();
    marks.iter().for_each(Mark::end);
    processes::end(|| processes::of_program(&program));
    let failed = all.iter().filter(|outcome| outcome.is_err()).count();
    for (case, outcome) in CASES.iter().zip(&all) {
        match outcome {
            Ok(took) => println!("{}: {took}", case.name),
            Err(e) => println!("{}: FAILED: {e:#}", case.name),
        }
    }
    ensure!(failed == 0, "{failed} of {} failures between hosts were not taken well", CASES.len());
    ensure!(left.is_empty(), "still running: {}", left.join(", "));
    faults::sample(mpi)
}

/// Builds the program under a unique name, by which its processes are found.
fn build(mpi: Mpi) -> Result<PathBuf> {
    let dir = made(root().join("target/failures"))?;
    let program = dir.join(format!("failing-{}", std::process::id()));
    let source = root().join("tests/cluster/failing.c");
    run(Command::new(mpi.prefix().join("bin/oshcc")).args(["-O2", "-Wall", "-o"]).arg(&program).arg(source))?;
    Ok(program)
}

fn judge(case: &Case, mpi: Mpi, program: &Path, mark: &Mark) -> Result<String> {
    let mut c = Command::new("/proc/self/exe");
    mark.put(&mut c);
    c.arg("cluster").args(["--mpi", mpi.name()]);
    if case.oshrun {
        c.arg("--oshrun").arg(mpi.prefix().join("bin/oshrun"));
    }
    c.args(case.options.split(' ')).arg(program).args(case.args.split(' '));
    let start = Instant::now();
    let mut child = c.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    // What is printed is a few lines: pipes hold it.
    let status = end(&mut child, mark, case.limit)?;
    let took = start.elapsed();
    let output = child.wait_with_output()?;
    let text = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned()).concat();
    ensure!(status.success() == case.goes_on, "{status}:\n{text}");
    ensure!(text.contains(case.says), "nobody printed {:?}:\n{text}", case.says);
    Ok(format!("{status} after {:.1} s", took.as_secs_f64()))
}

/// Waits until a case has ended; one that does not is an error, and everything that it started is ended.
fn end(child: &mut Child, mark: &Mark, limit: Duration) -> Result<ExitStatus> {
    if let Some(status) = within(child, limit)? {
        return Ok(status);
    }
    // Not the task itself, which removes its hosts when its launcher is gone.
    let task = child.id() as i32;
    processes::end(|| mark.processes().into_iter().filter(|&pid| pid != task).collect());
    if within(child, Duration::from_secs(10))?.is_none() {
        child.kill()?;
        child.wait()?;
    }
    bail!("did not end in {limit:?}");
}

/// The status of a process that ends in time.
fn within(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        let status = child.try_wait()?;
        if status.is_some() || start.elapsed() > limit {
            return Ok(status);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// A process, and enough of it to tell which case it is of and what it waits for.
fn described(pid: i32) -> String {
    let of = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
    let status = of("status");
    let line = |name: &str| status.lines().find(|l| l.starts_with(name)).unwrap_or_default().replace('\t', " ");
    let (command, waits) = (processes::command_line(pid), of("wchan"));
    format!("{pid} ({command}; {}; {}; in {waits})", line("State:"), line("PPid:"))
}

/// Processes of the program that are there after a while. A PE whose host is cut off can tell nobody, and ends itself
/// ten seconds after it has given up.
fn running(program: &Path) -> Vec<i32> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let left = processes::of_program(program);
        if left.is_empty() || Instant::now() > deadline {
            return left;
        }
        thread::sleep(Duration::from_millis(100));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_that_does_not_end_leaves_nothing() {
        let mark = Mark::new("oshmpi-failures.");
        let mut c = Command::new("sh");
        mark.put(&mut c);
        // The task waits for its launcher, then does what is left to do.
        let script = "setsid sleep 1000 & sleep 1000; echo done";
        let mut child = c.args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        while mark.processes().len() < 3 {
            thread::sleep(Duration::from_millis(5));
        }
        let error = end(&mut child, &mark, Duration::ZERO).unwrap_err().to_string();
        assert!(error.starts_with("did not end"), "{error}");
        assert!(mark.processes().is_empty());
        assert_eq!(child.wait_with_output().unwrap().stdout, b"done\n");
    }
}
