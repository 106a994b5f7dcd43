//! Whether the tests can fail: a preloaded library with one fault (`tests/mutants`) stands before ours, and each
//! program of the table must find its fault in a few runs with different seeds. Without a fault all of them pass.

use crate::install::wrapper;
use crate::util::{Mpi, limited_to, made, root, run};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Faults, and the programs that must find each, with their arguments.
const FOUND_BY: &[(&str, &[&str])] = &[
    ("put", &["random/mix", "random/mix 3", "random/waits", "wait/order", "order/litmus"]),
    ("fence", &["random/mix", "random/waits", "order/fence", "wait/order", "order/litmus"]),
    ("quiet", &["random/mix", "random/mix 3", "thread/contexts 6", "order/litmus"]),
    ("signal", &["random/mix", "random/waits", "order/litmus"]),
    ("amo", &["random/mix", "random/mix 3", "thread/contexts 6"]),
    ("reduce", &["random/collectives 12", "coll/large 1000 heap", "coll/reduce heap"]),
    ("broadcast", &["random/collectives 12", "coll/large 1000 heap", "coll/move heap"]),
    ("alltoall", &["random/collectives 12", "coll/large 1000 heap", "coll/move heap"]),
    ("scan", &["random/collectives 12", "coll/large 1000 heap"]),
    ("started", &["random/collectives 12"]),
    ("wait", &["random/waits", "wait/scalar", "wait/many", "wait/order"]),
    ("test", &["random/waits"]),
    ("heap", &["random/heap 2048"]),
];

/// Runs in which a program must find a fault. One run finds most of them, and five have found each so far.
const RUNS: u32 = 30;

const PES: &str = "3";

/// A program of `tests/openshmem` with its arguments.
struct Program<'a> {
    words: Vec<&'a str>,
    exe: PathBuf,
}

impl<'a> Program<'a> {
    fn build(mpi: Mpi, text: &'a str, dir: &Path) -> Result<Program<'a>> {
        let words: Vec<&str> = text.split(' ').collect();
        let (from, exe) = (root().join("tests/openshmem"), dir.join(words[0].replace('/', "-")));
        let source = from.join(words[0]).with_extension("c");
        run(oshcc(mpi).arg("-I").arg(&from).arg("-o").arg(&exe).arg(source).arg("-lm"))?;
        Ok(Program { words, exe })
    }

    /// Whether a run with a fault passes.
    fn passes(&self, mpi: Mpi, library: &Path, fault: &str, seed: u32) -> Result<bool> {
        let mut c = Command::new(mpi.prefix().join("bin/oshrun"));
        c.args(["-n", PES, "env"]).arg(format!("LD_PRELOAD={}", library.display()));
        c.arg(&self.exe).args(&self.words[1..]);
        c.env("MUTANT", fault).env("CTEST_SEED", seed.to_string()).env("CTEST_TIME", "20");
        if self.words[0] == "random/heap" {
            c.env("SHMEM_SYMMETRIC_SIZE", "2M");
        }
        let out = limited_to(&c, Duration::from_secs(60)).output().context("cannot start oshrun")?;
        Ok(out.status.success() && out.stdout == b"ok\n")
    }
}

pub fn check(mpi: Mpi) -> Result<()> {
    let dir = made(root().join("target/mutants").join(mpi.name()))?;
    let library = dir.join("libmutant.so");
    run(oshcc(mpi).args(["-shared", "-fPIC", "-o"]).arg(&library).arg(root().join("tests/mutants/mutant.c")))?;
    println!("{:<10} {:<24} found in run", "fault", "program");
    for (fault, programs) in FOUND_BY {
        for text in *programs {
            let program = Program::build(mpi, text, &dir)?;
            ensure!(program.passes(mpi, &library, "none", 1)?, "{text} fails without a fault");
            let mut found = None;
            for seed in 1..=RUNS {
                if !program.passes(mpi, &library, fault, seed)? {
                    found = Some(seed);
                    break;
                }
            }
            let found = found.with_context(|| format!("{text} does not find the fault {fault} in {RUNS} runs"))?;
            println!("{fault:<10} {text:<24} {found}");
        }
    }
    Ok(())
}

/// The wrapper that compiles programs and libraries.
fn oshcc(mpi: Mpi) -> Command {
    let mut c = wrapper(&mpi.prefix(), "oshcc");
    c.args(["-O2", "-Wall", "-Wextra", "-Werror", "-std=gnu11"]);
    c
}
