//! Places where the system gives less than usual: containers with small or missing file systems, system calls that are
//! refused, namespaces, limits of processes, other jobs beside this one. A job works there, or ends with one line that
//! says what is missing; nothing is left. `docs/design/memory.md` has what is asked of the system and why.

mod places;
mod side_by_side;

use super::task::built;
use crate::deps::is_root;
use crate::processes::Mark;
use crate::refuse;
use crate::util::{Launcher, Mpi, limited, output};
use anyhow::{Context, Result, ensure};
use places::{Expected, Place};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How long processes of a job may take to go when its launcher has ended.
const GRACE: Duration = Duration::from_secs(10);

/// Skipped with a line where no mount namespace can be made.
pub fn check(mpi: Mpi) -> Result<()> {
    if let Err(e) = output(own_mounts().arg("true")) {
        let why = e.to_string();
        println!("skipped, places need namespaces: {}", why.lines().last().unwrap_or_default());
        return Ok(());
    }
    let begin = Instant::now();
    let reach = built(mpi, "tests/limits/reach.c")?; // says how PEs reach each other
    let places = places::load()?;
    let mut failed = 0;
    for (number, place) in places.iter().enumerate() {
        for (by, launcher) in Launcher::ALL.into_iter().enumerate() {
            // Both numbers with both launchers, though not in every place.
            let pes = if (number + by).is_multiple_of(2) { 2 } else { 4 };
            if let Err(e) = judge(place, launcher, pes, mpi, &reach) {
                println!("{}, {pes} PEs, {launcher:?}: FAILED: {e:#}", place.name);
                failed += 1;
            }
        }
    }
    println!("{} places in {:.1} s", places.len(), begin.elapsed().as_secs_f64());
    ensure!(failed == 0, "{failed} jobs did not take their place well");
    side_by_side::check(mpi, &reach)
}

/// A command in a new mount namespace, before its arguments. Without the rights of root it takes a user namespace.
fn own_mounts() -> Command {
    let mut c = Command::new("unshare");
    if !is_root() {
        c.arg("--map-root-user");
    }
    c.arg("--mount");
    c
}

/// Runs one job in a place.
fn judge(place: &Place, launcher: Launcher, pes: usize, mpi: Mpi, reach: &Path) -> Result<()> {
    let mark = Mark::new("oshmpi-limits.");
    let mut job = launcher.command(mpi, pes);
    job.args(&place.each).arg(reach).arg(place.mib.to_string());
    let mut c = inside(place, &job);
    mark.put(&mut c);
    c.envs(place.env.iter().map(|(name, value)| (name, value)));
    if !place.refused.is_empty() {
        let calls: Vec<&str> = place.refused.iter().map(String::as_str).collect();
        refuse::for_child(&mut c, place.with, &calls)?;
    }
    let out = c.stdin(Stdio::null()).output().with_context(|| format!("cannot start {c:?}"))?;
    // mpiexec ends before its helpers do.
    let left = mark.stay(GRACE);
    mark.end();
    let [printed, complaint] = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    place.expected.compare(pes, out.status.success(), &printed, &complaint)?;
    ensure!(left.is_empty(), "left processes {left:?}");
    Ok(())
}

/// The job in the place's namespace, after what has to be done there. `/dev/shm` is private to the place, and a file
/// that is left there is named.
fn inside(place: &Place, job: &Command) -> Command {
    let script = format!(
        "mount -t tmpfs tmpfs /dev/shm && {} && {{ \"$@\"; }}; status=$?\n\
         for file in $(ls -A /dev/shm 2>/dev/null); do test $file = filler || echo \"left: $file\" >&2; done\n\
         exit $status",
        if place.setup.is_empty() { "true" } else { &place.setup }
    );
    let mut c = own_mounts();
    c.args(["sh", "-c", &script, "sh"]).args(&place.limits);
    limited(&crate::util::behind(c, job))
}

impl Expected {
    fn compare(&self, pes: usize, success: bool, printed: &str, complaint: &str) -> Result<()> {
        let unexpected = || format!("it printed {printed:?} and {complaint:?}");
        ensure!(!complaint.contains("left: "), "{}", unexpected());
        let (heaps, statics) = match self {
            Expected::Line(line) => {
                ensure!(!success, "it succeeded: {}", unexpected());
                let lines = complaint.lines().filter(|l| l.contains(line.as_str())).count();
                let ours = complaint.lines().filter(|l| l.starts_with("oshmpi[") || l.starts_with("oshmpi: ")).count();
                ensure!(lines == 1 && ours <= 1, "not one line with {line:?}: {}", unexpected());
                return Ok(());
            }
            Expected::Shared => (pes, pes),
            Expected::ByMpi => (1, 1),
        };
        let line = format!("ok: {pes} PEs, heaps mapped {heaps}, statics mapped {statics}\n");
        // UCX, which MPICH loads, has something to say as soon as it is there.
        let printed: String = printed.lines().filter(|l| !l.contains("UCX  ERROR")).map(|l| format!("{l}\n")).collect();
        ensure!(success && printed == line, "not {line:?}: {}", unexpected());
        ensure!(complaint.is_empty(), "{}", unexpected());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_says_something_else_is_seen() {
        let ok = "ok: 2 PEs, heaps mapped 2, statics mapped 2\n";
        Expected::Shared.compare(2, true, ok, "").unwrap();
        assert!(Expected::Shared.compare(4, true, ok, "").is_err());
        assert!(Expected::Shared.compare(2, false, ok, "").is_err());
        assert!(Expected::Shared.compare(2, true, ok, "left: file\n").is_err());
        assert!(Expected::ByMpi.compare(2, true, ok, "").is_err());
        let line = Expected::Line("no memory".into());
        line.compare(2, false, "", "oshmpi[0]: x: no memory\nlauncher\n").unwrap();
        assert!(line.compare(2, true, "", "oshmpi[0]: x: no memory\n").is_err());
        assert!(line.compare(2, false, "", "oshmpi[0]: something else\n").is_err());
        assert!(line.compare(2, false, "", "oshmpi[0]: x: no memory\noshmpi[1]: x: no memory\n").is_err());
    }
}
