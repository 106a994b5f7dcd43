//! Calls of other tasks.

use crate::seed;
use crate::util::{root, run};
use anyhow::{Context, Result};
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
