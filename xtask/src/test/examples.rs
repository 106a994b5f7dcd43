//! Builds the examples with the installed compiler wrappers and runs them.

use crate::install;
use crate::util::{Mpi, calls_mpi, limited, made, root, run};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// Examples that check themselves, with their arguments: PE 0 (or the last) prints one line that begins with `ok: `,
/// and all end with 0. The rows of heat2d cannot be divided equally.
const CHECKED: [(&str, &[&str]); 13] = [
    ("c/ring.c", &[]),
    ("c/pipeline.c", &[]),
    ("c/teams.c", &[]),
    ("c/threads.c", &[]),
    ("c/hybrid.c", &[]),
    ("c/sort.c", &[]),
    ("c/gups.c", &[]),
    ("c/cg.c", &[]),
    ("c/heat2d.c", &["-n", "45x62"]),
    ("c/heat2d.c", &["-n", "2x9"]),
    ("cxx/transpose.cc", &[]),
    ("fortran/ring.f90", &[]),
    ("fortran/pi.f90", &[]),
];

/// The stages `oshcc` and `software` run it.
const ELSEWHERE: &str = "c/hello.c";

pub fn check(mpi: Mpi) -> Result<()> {
    let dir = made(root().join("target/examples").join(mpi.name()))?;
    all_are_run()?;
    for (example, args) in CHECKED {
        let program = build(mpi, &dir, example)?;
        // With 3 PEs neither grids nor blocks come out even. Open MPI takes a second to start any.
        let numbers: &[usize] = if mpi == Mpi::Mpich { &[4, 3] } else { &[3] };
        for &pes in numbers {
            check_itself(mpi, pes, &program, args)?;
        }
    }
    Ok(())
}

/// An example that nobody runs is one that rots.
fn all_are_run() -> Result<()> {
    for folder in ["c", "cxx", "fortran"] {
        let dir = root().join("examples").join(folder);
        for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let file = format!("{folder}/{name}");
            let is_run = file == ELSEWHERE || CHECKED.iter().any(|(known, _)| *known == file);
            ensure!(name.ends_with(".h") || is_run, "examples/{file} is not run by this test");
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
    let mut c = install::wrapper(&mpi.prefix(), wrapper);
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

/// Runs an example that says itself whether its result is right. Nothing may stand on stderr but heat2d's progress.
fn check_itself(mpi: Mpi, pes: usize, program: &Path, args: &[&str]) -> Result<()> {
    let mut c = limited(mpi.mpiexec(pes).arg(program).args(args));
    let out = c.output().with_context(|| format!("cannot start {c:?}"))?;
    let [printed, complaints] = [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    let verdicts: Vec<&str> = printed.lines().filter(|l| l.starts_with("ok: ")).collect();
    let quiet = complaints.lines().all(|l| l.starts_with("sweep "));
    ensure!(
        out.status.success() && quiet && verdicts.len() == 1 && !printed.contains("WRONG"),
        "{} {args:?} on {pes} PEs over {mpi}: {}\n{printed}{complaints}",
        program.display(),
        out.status
    );
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    println!("{name}: {pes} PEs, {}", verdicts[0]);
    Ok(())
}
