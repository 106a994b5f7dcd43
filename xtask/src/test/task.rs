//! Calls of other tasks, and programs of tests.

use crate::install::wrapper;
use crate::seed;
use crate::util::{Mpi, made, root, run};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// Another task, in a new process: each is tested in the form in which it is called by hand.
pub fn task(args: &[&str]) -> Result<()> {
    task_with(args, &[])
}

/// A task with variables of the environment set.
pub fn task_with(args: &[&str], env: &[(&str, &str)]) -> Result<()> {
    // Not by its path: another xtask may be built there meanwhile.
    run(Command::new("/proc/self/exe").args(args).envs(env.iter().copied()).current_dir(root()))
        .with_context(|| format!("cargo xtask {}", args.join(" ")))
}

/// `cargo xtask ctest` for one of `nth` of its runs.
pub fn sample(ctest: &[&str], nth: u32, env: &[(&str, &str)]) -> Result<()> {
    let (nth, seed) = (nth.to_string(), seed::get().to_string());
    task_with(&[&["ctest"], ctest, &["--sample", &nth, "--seed", &seed]].concat(), env)
}

/// A program of one C source, by the installed oshcc.
pub fn built(mpi: Mpi, source: &str) -> Result<PathBuf> {
    let source = root().join(source);
    let program = made(root().join("target/tests").join(mpi.name()))?.join(source.file_stem().unwrap_or_default());
    run(wrapper(&mpi.prefix(), "oshcc").args(["-O2", "-o"]).arg(&program).arg(source))?;
    Ok(program)
}
