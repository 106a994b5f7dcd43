//! What another user of the same host can do to a job: see its processes, and nothing else. `docs/design/security.md`
//! says so.

use super::inject::Place;
use crate::ctest::leftovers::Scene;
use crate::deps::is_root;
use crate::util::{made, output, root, run};
use anyhow::{Result, ensure};
use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The user `nobody`, who owns nothing.
const NOBODY: &str = "65534";

/// Skipped with a line for a user who cannot become another.
pub fn check(place: &Place) -> Result<()> {
    if !is_root() {
        println!("skipped, only root can act as another user: what a neighbour can do");
        return Ok(());
    }
    let tries = place.program.with_file_name("neighbour");
    run(Command::new("cc").args(["-O1", "-Wall", "-o"]).arg(&tries).arg(root().join("tests/faults/neighbour.c")))?;
    let there = made(place.program.with_file_name(format!("neighbours-{}", std::process::id())))?;
    let scene = Scene::new(place.private)?;
    let mut c = Command::new(place.mpi.prefix().join("bin/oshrun"));
    c.args(["-n", "2"]).arg(&place.program).arg("lock").arg(&there);
    scene.enter(&mut c)?;
    let mut job = c.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let found = (|| {
        let end = Instant::now() + Duration::from_secs(60);
        while !(0..2).all(|pe: u32| there.join(pe.to_string()).exists()) {
            ensure!(Instant::now() < end, "the job does not begin");
            thread::sleep(Duration::from_millis(5));
        }
        let processes = scene.processes();
        ensure!(processes.len() >= 4, "only {processes:?} are there: oshrun, the node server and two PEs are expected");
        output(Command::new(&tries).arg(NOBODY).args(processes.iter().map(i32::to_string)))
    })();
    scene.kill();
    job.wait()?;
    let _ = fs::remove_dir_all(&there);
    let found = found?;
    ensure!(found == "done\n", "another user can do something to a job: {found}");
    println!("another user of the host: can neither read nor change nor end a job's processes");
    Ok(())
}
