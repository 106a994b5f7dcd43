//! Jobs beside each other on one host: of one user and of two, started at once. The tests of oshrun kill some of the
//! jobs that run beside each other.

use crate::util::{Launcher, Mpi, behind, limited, output};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Jobs at a time.
const JOBS: usize = 4;
/// How often they are started.
const TIMES: usize = 3;
/// A user without rights.
const NOBODY: &str = "65534";

pub fn check(mpi: Mpi, reach: &Path) -> Result<()> {
    let begin = Instant::now();
    let users = users(reach)?;
    for _ in 0..TIMES {
        at_once(mpi, reach, &users)?;
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
fn at_once(mpi: Mpi, reach: &Path, users: &[User]) -> Result<()> {
    let start = |number: usize| {
        let launcher = if number.is_multiple_of(2) { Launcher::Oshrun } else { Launcher::Mpiexec };
        let mut job = launcher.command(mpi, 2);
        job.arg(reach);
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
