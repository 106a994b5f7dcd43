//! Jobs beside each other on one host: of one user and of two, started at once; one of them killed while the other
//! runs.

use super::{GRACE, Programs};
use crate::processes::{self, Mark};
use crate::util::{Launcher, Mpi, behind, limited, output};
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Jobs at a time.
const JOBS: usize = 4;
/// How often they are started.
const TIMES: usize = 3;
/// Rounds of a job that runs while another is killed: some tenths of a second.
const ROUNDS: &str = "300";
/// A user without rights.
const NOBODY: &str = "65534";

pub fn check(mpi: Mpi, programs: &Programs) -> Result<()> {
    let begin = Instant::now();
    let users = users(&programs.reach)?;
    for _ in 0..TIMES {
        at_once(mpi, programs, &users)?;
    }
    for launcher in Launcher::ALL {
        for user in &users {
            one_killed(mpi, programs, launcher, *user).with_context(|| format!("{launcher:?}"))?;
        }
    }
    println!("{JOBS} jobs beside each other, of {} users, in {:.1} s", users.len(), begin.elapsed().as_secs_f64());
    Ok(())
}

/// The user who starts a job: that of this task, or another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum User {
    Own,
    Nobody,
}

impl User {
    fn command(self, c: &Command) -> Command {
        match self {
            User::Own => limited(c),
            User::Nobody => {
                let mut first = Command::new("setpriv");
                first.args(["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"]);
                limited(&behind(first, c))
            }
        }
    }
}

/// The users who can run the program. Only the superuser can start it as another user, and that user must be allowed to
/// search the directories above it.
fn users(program: &Path) -> Result<Vec<User>> {
    let mut test = Command::new("test");
    test.arg("-x").arg(program);
    if let Err(e) = output(&mut User::Nobody.command(&test)) {
        println!("one user only: {}", e.to_string().lines().last().unwrap_or_default());
        return Ok(vec![User::Own]);
    }
    Ok(vec![User::Own, User::Nobody])
}

/// Jobs of all users that start in the same moment.
fn at_once(mpi: Mpi, programs: &Programs, users: &[User]) -> Result<()> {
    let start = |number: usize| {
        let launcher = if number.is_multiple_of(2) { Launcher::Oshrun } else { Launcher::Mpiexec };
        let mut job = launcher.command(mpi, 2);
        job.arg(&programs.reach);
        let mut c = users[number / 2 % users.len()].command(&job);
        c.current_dir("/").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().with_context(|| format!("{c:?}"))
    };
    let jobs = (0..JOBS).map(start).collect::<Result<Vec<Child>>>()?;
    for job in jobs {
        let out = job.wait_with_output()?;
        let [printed, complaint] = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let right = printed == "ok: 2 PEs, heaps mapped 2, statics mapped 2\n" && complaint.is_empty();
        ensure!(out.status.success() && right, "{}: {printed:?} {complaint:?}", out.status);
    }
    Ok(())
}

/// Kills a job that would not end while another job runs. The other job goes on to its end, and no process of the first
/// stays.
fn one_killed(mpi: Mpi, programs: &Programs, launcher: Launcher, user: User) -> Result<()> {
    let job = |rounds: &str, user: User, mark: &Mark| {
        let mut job = launcher.command(mpi, 2);
        job.arg(&programs.rounds).arg(rounds);
        let mut c = user.command(&job);
        mark.put(&mut c);
        c.current_dir("/").stdout(Stdio::piped()).spawn().with_context(|| format!("{c:?}"))
    };
    let (doomed_mark, mark) = (Mark::new("oshmpi-limits."), Mark::new("oshmpi-limits."));
    let mut doomed = job("0", User::Own, &doomed_mark)?;
    let result = (|| {
        let mut other = job(ROUNDS, user, &mark)?;
        // Both run.
        for child in [&mut doomed, &mut other] {
            let stdout = child.stdout.as_mut().context("stdout is piped")?;
            let mut line = String::new();
            BufReader::with_capacity(1, stdout).read_line(&mut line)?;
            ensure!(line == "started\n", "{line:?}");
        }
        kill_launcher(&doomed_mark)?;
        let out = other.wait_with_output()?;
        let printed = String::from_utf8_lossy(&out.stdout).into_owned();
        ensure!(out.status.success() && printed == "done\n", "the other job: {} {printed:?}", out.status);
        Ok(())
    })();
    let left = if result.is_ok() { doomed_mark.stay(GRACE) } else { Vec::new() };
    doomed_mark.end();
    mark.end();
    let status = doomed.wait()?;
    result?;
    ensure!(!status.success(), "the killed job: {status}");
    ensure!(left.is_empty(), "the killed job left {left:?}");
    Ok(())
}

/// Kills the launcher of a job, without a word to its processes.
fn kill_launcher(mark: &Mark) -> Result<()> {
    let is_launcher = |pid: &i32| ["oshrun", "mpiexec"].iter().any(|name| processes::name(*pid).starts_with(name));
    // The first of its processes has started the others.
    let pid = mark.processes().into_iter().filter(is_launcher).min().context("there is no launcher")?;
    // SAFETY: kill takes numbers only. The process carries the mark of this run.
    unsafe { libc::kill(pid, libc::SIGKILL) };
    Ok(())
}
