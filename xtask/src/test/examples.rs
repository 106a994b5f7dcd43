//! Builds the examples with the installed compiler wrappers and runs them.

use crate::util::{Mpi, calls_mpi, limited, made, root, run};
use crate::{demo, install};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Examples that check themselves: PE 0 (or the last) prints one line that begins with `ok: `, and all end with 0.
const CHECKED: [&str; 12] = [
    "c/ring.c",
    "c/histogram.c",
    "c/pipeline.c",
    "c/teams.c",
    "c/threads.c",
    "c/hybrid.c",
    "c/sort.c",
    "c/gups.c",
    "c/cg.c",
    "cxx/transpose.cc",
    "fortran/ring.f90",
    "fortran/pi.f90",
];

pub fn check(mpi: Mpi) -> Result<()> {
    let dir = made(root().join("target/examples").join(mpi.name()))?;
    all_are_run()?;
    for example in CHECKED {
        let program = build(mpi, &dir, example)?;
        // With 3 PEs neither grids nor blocks come out even. Open MPI takes a second to start any.
        let numbers: &[usize] = if mpi == Mpi::Mpich { &[4, 3] } else { &[3] };
        for &pes in numbers {
            check_itself(mpi, pes, &program)?;
        }
    }
    let hello = build(mpi, &dir, "c/hello.c")?;
    let heat = build(mpi, &dir, "c/heat2d.c")?;
    check_hello(mpi, &hello)?;
    check_heat(mpi, &heat)?;
    check_uneven(mpi, &heat)?;
    check_picture(mpi, &heat, &dir.join("small.ppm"))?;
    check_refusals(mpi, &heat)
}

/// An example that nobody runs is one that rots.
fn all_are_run() -> Result<()> {
    let known = [&CHECKED[..], &["c/hello.c", "c/heat2d.c"]].concat();
    for folder in ["c", "cxx", "fortran"] {
        let dir = root().join("examples").join(folder);
        for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let file = format!("{folder}/{name}");
            ensure!(name.ends_with(".h") || known.contains(&file.as_str()), "examples/{file} is not run by this test");
        }
    }
    Ok(())
}

fn build(mpi: Mpi, dir: &Path, example: &str) -> Result<PathBuf> {
    let source = root().join("examples").join(example);
    let program = dir.join(source.file_stem().context("an example has a name")?);
    let wrapper = match source.extension().and_then(|e| e.to_str()) {
        Some("c") => "oshcc",
        Some("cc") => "oshc++",
        _ => "oshfort",
    };
    let mut c = Command::new(install::wrapper(&mpi.prefix(), wrapper));
    c.args(["-O2", "-Wall"]);
    if wrapper != "oshfort" {
        let standard = if wrapper == "oshcc" { "-std=c11" } else { "-std=c++17" };
        c.args([standard, "-Wextra", "-Werror", "-pedantic", "-pthread"]);
    }
    if calls_mpi(&source)? {
        c.arg("-mpi");
    }
    run(c.arg(source).arg("-o").arg(&program).arg("-lm"))?;
    Ok(program)
}

/// Runs an example that says itself whether its result is right.
fn check_itself(mpi: Mpi, pes: usize, program: &Path) -> Result<()> {
    let printed = good_run(mpi, pes, program, &[])?;
    let verdicts: Vec<&str> = printed.lines().filter(|l| l.starts_with("ok: ")).collect();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    ensure!(
        verdicts.len() == 1 && !printed.contains("WRONG"),
        "{name} on {pes} PEs over {mpi} printed {} verdicts\n{printed}",
        verdicts.len()
    );
    println!("{name}: {pes} PEs, {}", verdicts[0]);
    Ok(())
}

/// Runs a program on `pes` PEs with a time limit.
fn launch(mpi: Mpi, pes: usize, program: &Path, args: &[&str]) -> Result<Output> {
    let mut c = limited(mpi.mpiexec(pes).arg(program).args(args));
    c.output().with_context(|| format!("cannot start {c:?}"))
}

/// What a run printed; fails unless it ended well and printed nothing on stderr but heat2d's progress.
fn good_run(mpi: Mpi, pes: usize, program: &Path, args: &[&str]) -> Result<String> {
    let out = launch(mpi, pes, program, args)?;
    let printed = String::from_utf8_lossy(&out.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&out.stderr).into_owned();
    let quiet = complaints.lines().all(|l| l.starts_with("sweep "));
    ensure!(
        out.status.success() && quiet,
        "{} {args:?} on {pes} PEs over {mpi}: {}\n{printed}{complaints}",
        program.display(),
        out.status
    );
    Ok(printed)
}

fn check_hello(mpi: Mpi, hello: &Path) -> Result<()> {
    for pes in 1..=3 {
        let printed = good_run(mpi, pes, hello, &[])?;
        let mut lines: Vec<&str> = printed.lines().collect();
        lines.sort_unstable();
        let greeting = |pe| format!("PE {pe} of {pes}: greetings from PE {}", (pe + pes - 1) % pes);
        let wanted: Vec<String> = (0..pes).map(greeting).collect();
        ensure!(lines == wanted, "hello on {pes} PEs over {mpi} printed {lines:?}");
    }
    println!("hello: 1 to 3 PEs");
    Ok(())
}

/// 1 to 4 PEs. The rows cannot be divided equally, and all numbers of PEs must need the same sweeps.
fn check_heat(mpi: Mpi, heat: &Path) -> Result<()> {
    let mut first: Option<String> = None;
    for pes in 1..=4 {
        let printed = good_run(mpi, pes, heat, &["-n", "45x62"])?;
        let (sweeps, ok) = solved(&printed);
        ensure!(ok && !sweeps.is_empty(), "heat2d on {pes} PEs over {mpi} printed\n{printed}");
        let expected = first.get_or_insert_with(|| sweeps.clone());
        ensure!(*expected == sweeps, "heat2d: {sweeps} on {pes} PEs, {expected} on one");
    }
    println!("heat2d: 1 to 4 PEs, {}", first.unwrap_or_default());
    Ok(())
}

/// From what heat2d prints: `N sweeps, residual R` of the parallel run, and whether it found all in order.
fn solved(printed: &str) -> (String, bool) {
    let line = printed.lines().find(|l| l.contains(" PE") && l.contains(" sweeps, ")).unwrap_or("");
    let result = line.split_once(": ").map_or("", |(_, r)| r);
    // The time at the end differs from run to run.
    let result = result.rsplit_once(", ").map_or("", |(r, _)| r);
    (result.to_string(), printed.lines().any(|l| l.starts_with("ok: ")))
}

/// Fewer rows than PEs, one point only, a stop before the end.
fn check_uneven(mpi: Mpi, heat: &Path) -> Result<()> {
    for args in [&["-n", "3x7", "-w", "1"][..], &["-n", "2x9"], &["-n", "1x1"]] {
        let printed = good_run(mpi, 4, heat, args)?;
        ensure!(solved(&printed).1, "heat2d {args:?} on 4 PEs over {mpi} printed\n{printed}");
    }
    let out = launch(mpi, 3, heat, &["-n", "64x64", "-i", "20"])?;
    let printed = String::from_utf8_lossy(&out.stdout);
    ensure!(
        out.status.code() == Some(1) && printed.contains("NOT CONVERGED"),
        "heat2d stopped early over {mpi}: {}\n{printed}",
        out.status
    );
    println!("heat2d: fewer rows than PEs, one point, stopped early");
    Ok(())
}

fn check_picture(mpi: Mpi, heat: &Path, picture: &Path) -> Result<()> {
    let _ = fs::remove_file(picture);
    good_run(mpi, 2, heat, &["-n", "30x50", "-o", &picture.display().to_string()])?;
    let (width, height, _) = demo::picture_of(picture)?;
    // The plate and its edges.
    ensure!((width, height) == (52, 32), "the picture is {width} x {height} pixels");
    println!("heat2d -o: a picture of {width} x {height} pixels");
    Ok(())
}

/// Wrong arguments: one line from PE 0 alone, exit code 2.
fn check_refusals(mpi: Mpi, heat: &Path) -> Result<()> {
    let wrong: [&[&str]; 7] =
        [&["-n", "3"], &["-n", "0x4"], &["-t", "0"], &["-w", "2.5"], &["-i", "many"], &["-q"], &["plate"]];
    for args in wrong {
        let out = launch(mpi, 2, heat, args)?;
        let complaints = String::from_utf8_lossy(&out.stderr).into_owned();
        // The launcher adds lines about a job that failed.
        let ours: Vec<&str> = complaints.lines().filter(|l| l.starts_with("heat2d: ")).collect();
        ensure!(
            out.status.code() == Some(2) && ours.len() == 1,
            "heat2d {args:?} over {mpi}: {}, {} lines of its own\n{complaints}",
            out.status,
            ours.len()
        );
    }
    println!("heat2d: {} wrong calls refused", wrong.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_result_is_read_without_its_time() {
        let printed = "45 x 62 points, 4 PEs: 96 sweeps, residual 9.1e-07, 0.02 s\n\
                    serial: 96 sweeps, residual 9.1e-07, 0.01 s\nok: the same\n";
        assert_eq!(solved(printed), ("96 sweeps, residual 9.1e-07".to_string(), true));
        assert_eq!(solved("WRONG: differs\n"), (String::new(), false));
    }
}
