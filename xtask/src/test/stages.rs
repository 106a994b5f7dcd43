//! The stages of `cargo xtask test`. The short ones come first: they find most mistakes.
//!
//! Builds, so that nothing is compiled more often than it must be: clippy lints while the unit tests are compiled, in
//! the target directory of MPICH's release build, but this program's tests beside it; models in a separate one, because
//! `--cfg loom` changes every crate. The optimised library is built once: the installations over MPICH, Open MPI and
//! the MPIs of PyPI all have it. The demo and AArch64 have their own.

use super::task::{sample, task};
use super::{
    NotHere, Stage, aarch64, counts, examples, failures, hosts, limits, mutants, site, software, templates, wheels,
    wrappers,
};
use crate::demo;
use crate::deps::{self, Part};
use crate::r#gen;
use crate::install;
use crate::util::{Mpi, Stream, cargo, cargo_over, limited, listen, made, output, over_mpi, root, run};
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::Command;

const fn stage(name: &'static str, needs: &'static [&'static str], quick: bool, run: fn() -> Result<()>) -> Stage {
    Stage { name, needs, quick, run }
}

const DEPS: &[&str] = &["deps"];
const MPICH: &[&str] = &["install-mpich"];
const OPENMPI: &[&str] = &["install-openmpi"];

pub const ALL: &[Stage] = &[
    stage("deps", &[], true, packages),
    stage("fmt", DEPS, true, fmt),
    stage("tidy", DEPS, true, || task(&["tidy"])),
    stage("gen", DEPS, true, || task(&["gen", "--check"])),
    stage("headers", DEPS, true, || task(&["headers"])),
    stage("clippy", DEPS, true, clippy),
    stage("unit", DEPS, true, unit),
    stage("models", DEPS, false, models),
    stage("miri", DEPS, false, miri),
    stage("tools", &[], true, || install::tools::cargo_build(|_| ()).map(drop)),
    stage("install-mpich", DEPS, true, || install(Mpi::Mpich)),
    stage("install-openmpi", DEPS, false, || install(Mpi::Openmpi)),
    stage("symbols-mpich", MPICH, true, || symbols(Mpi::Mpich)),
    stage("symbols-openmpi", OPENMPI, false, || symbols(Mpi::Openmpi)),
    stage("oshcc-mpich", MPICH, true, || wrappers::check(Mpi::Mpich)),
    stage("oshcc-openmpi", OPENMPI, false, || wrappers::check(Mpi::Openmpi)),
    stage("software-mpich", MPICH, true, || software::check(Mpi::Mpich)),
    stage("software-openmpi", OPENMPI, false, || software::check(Mpi::Openmpi)),
    stage("ctest-mpich", MPICH, true, || ctest(Mpi::Mpich, 12)),
    stage("ctest-ways", MPICH, false, || ctest_ways(Mpi::Mpich, WAYS)),
    stage("oshrun-hosts", MPICH, false, || hosts::check(Mpi::Mpich)),
    stage("site-file", MPICH, false, || site::check(Mpi::Mpich)),
    stage("ctest-openmpi", OPENMPI, false, || ctest(Mpi::Openmpi, 22)),
    stage("ctest-ways-openmpi", OPENMPI, false, || ctest_ways(Mpi::Openmpi, OPENMPI_WAYS)),
    stage("install-wheels", MPICH, false, wheels::install),
    stage("ctest-wheels", &["install-wheels"], false, wheels::test),
    stage("counts", MPICH, true, || counts::check(Mpi::Mpich)),
    stage("counts-openmpi", OPENMPI, false, || counts::network(Mpi::Openmpi)),
    stage("failures", MPICH, false, || failures::check(Mpi::Mpich)),
    stage("mutants", MPICH, false, || mutants::check(Mpi::Mpich)),
    stage("limits", MPICH, true, || limits::check(Mpi::Mpich)),
    stage("shmem-sys", MPICH, true, shmem_sys),
    stage("examples-mpich", MPICH, false, || examples::check(Mpi::Mpich)),
    stage("examples-openmpi", OPENMPI, false, || examples::check(Mpi::Openmpi)),
    stage("aarch64", DEPS, false, aarch64::check),
    stage("demo", DEPS, false, demo_small),
    stage("templates", MPICH, false, || templates::check(Mpi::Mpich)),
];

fn packages() -> Result<()> {
    deps::ensure(&[&deps::DIST[..], &[Part::Test]].concat())?;
    deps::ensure_rust_components()
}

fn fmt() -> Result<()> {
    run(cargo().args(["fmt", "--all", "--", "--check"]))
}

/// Tests of the crates that are compiled over an MPI: all their targets but documentation. A common dependency is
/// compiled with the features that all packages of a call of cargo ask for together. So the stages `clippy` and `unit`
/// name the same packages and targets, and what one has compiled the other finds.
const TESTS: &str = "--locked --lib --bins --tests --examples -p bench-scale -p oshmpi -p oshmpi-mpi-backend \
                     -p oshmpi-mpi-table -p oshmpi-race -p oshmpi-race-runtime -p oshmpi-tools -p pmi-shm";

/// Tests of what does not depend on an MPI. They are compiled where this program was built.
const OWN_TESTS: &str = "--locked --bins --tests -p xtask";

/// The bindings, whose programs are linked with an installed library.
const BINDINGS: &str = "--locked -p oshmpi-shmem -p shmem-sys";

/// Cargo's `command` by clippy's driver: lints what it compiles.
fn lint(mut cargo: Command, command: &str, what: &str) -> Command {
    linted(&mut cargo).arg(command).args(what.split_whitespace());
    cargo
}

/// Lints all programs, libraries and tests, and compiles them. The examples have their turn in the stage `shmem-sys`,
/// because they are linked with an installed library.
fn clippy() -> Result<()> {
    let (to, from) = (Mpi::Mpich.target_dir().join("debug"), root().join("target/debug"));
    if !to.exists() && from.exists() {
        // Cargo recognises a crate that is compiled already in the same way. What is compiled differently lies beside.
        made(Mpi::Mpich.target_dir())?;
        run(Command::new("cp").arg("-a").args([from, to]))?;
    }
    r#gen::headers::dir()?; // for the bindings
    let over = || cargo_over(Mpi::Mpich);
    let builds = [lint(over(), "build", TESTS), lint(over(), "build", BINDINGS), lint(cargo(), "build", OWN_TESTS)];
    builds.into_iter().try_for_each(|mut c| run(&mut c))
}

/// Makes cargo compile this workspace's crates by clippy's driver, which lints what it compiles. `cargo clippy` would
/// only check, and would go through all dependencies once more: what is checked is not compiled. Driver and variable
/// are the ones that `cargo clippy` itself uses.
fn linted(c: &mut Command) -> &mut Command {
    let driver = Path::new(c.get_program()).with_file_name("clippy-driver");
    c.env("RUSTC_WORKSPACE_WRAPPER", driver).env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__")
}

fn unit() -> Result<()> {
    let mut c = lint(cargo_over(Mpi::Mpich), "test", TESTS);
    // Many of them wait for processes.
    if std::env::var_os("RUST_TEST_THREADS").is_none() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        c.env("RUST_TEST_THREADS", (3 * cores).to_string());
    }
    count_tests(&mut c)?;
    count_tests(&mut lint(cargo(), "test", OWN_TESTS))
}

/// The algorithms on shared memory, with all orders in which loom can run them.
fn models() -> Result<()> {
    let mut c = cargo();
    over_mpi(&mut c, &Mpi::Mpich.command("mpicc"), &root().join("target/loom"));
    c.args(["test", "--locked", "-p", "oshmpi", "-p", "pmi-shm", "--profile", "model", "--lib", "loom"])
        .env("RUSTFLAGS", "--cfg loom");
    if std::env::var_os("LOOM_MAX_PREEMPTIONS").is_none() {
        c.env("LOOM_MAX_PREEMPTIONS", "3");
    }
    count_tests(&mut c)
}

/// `.ci/run` installs it.
const MIRI: &str = "nightly-2026-10-30";

/// Unit tests that Miri runs in less than half a minute, of modules that need no other process, no mapped files, no MPI
/// and no assembly. A test of them that takes Miri minutes is ignored where it stands.
const JUDGED: &str = "cell:: seen:: memory::control memory::counters memory::heap memory::inline memory::local \
                      am::peer am::target mpi::blocks owned:: shadow::tests::bytes shadow::tests::new \
                      shadow::tests::of_two shadow::tests::what sync::arrivals sync::awaited sync::ledger \
                      sync::lock::tests::first sync::lock::tests::misuse sync::tally transport::amo transport::node";

/// Those tests by Miri, which ends a program at undefined behaviour.
fn miri() -> Result<()> {
    // The cargo that runs this program is of another toolchain.
    let miri = || {
        let mut c = Command::new("rustup");
        c.args(["run", MIRI, "cargo", "miri"]).current_dir(root());
        c
    };
    if output(miri().arg("--version")).is_err() {
        let how = format!("rustup toolchain install {MIRI} --profile minimal --component miri,rust-src");
        return Err(NotHere(format!("there is no Miri; run this, then try again: {how}")).into());
    }
    let mut c = miri();
    c.args(["test", "--locked", "--lib", "-p", "oshmpi", "-p", "oshmpi-race", "--"])
        .args(JUDGED.split_whitespace())
        .arg("--test-threads=1") // more of them run on one core all the same
        .env("MPICC", Mpi::Mpich.command("mpicc"))
        .env("CARGO_TARGET_DIR", root().join("target/miri"))
        .env("PROPTEST_CASES", "1")
        .env("RUST_BACKTRACE", "0")
        .env("MIRIFLAGS", "-Zmiri-disable-isolation -Zmiri-permissive-provenance"); // proptest reads files
    count_tests(&mut c)
}

/// Runs `cargo test`; a run that ran no test is a failure.
fn count_tests(c: &mut Command) -> Result<()> {
    let mut passed = 0;
    listen(c, Stream::Out, |line| {
        passed += tests_passed(line);
        true
    })?;
    println!("{passed} tests passed");
    if passed == 0 {
        bail!("no test ran");
    }
    Ok(())
}

/// `test result: ok. 9 passed; 0 failed; ...` gives 9.
fn tests_passed(line: &str) -> u32 {
    let count = line.strip_prefix("test result: ok. ").and_then(|rest| rest.split(' ').next());
    count.and_then(|n| n.parse().ok()).unwrap_or(0)
}

fn install(mpi: Mpi) -> Result<()> {
    install::run(install::Args::ours(mpi))
}

/// The libraries of one installation: another that lies there may be of an older tree.
fn symbols(mpi: Mpi) -> Result<()> {
    let prefix = mpi.prefix();
    task(&["symbols", "--prefix", prefix.to_str().context("a path that is no text")?])
}

/// One of `nth` runs of the C programs on one node, and each program: fewer over Open MPI, which takes half a second to
/// start any. `cargo xtask ctest` makes them all.
fn ctest(mpi: Mpi, nth: u32) -> Result<()> {
    let mpi = ["--mpi", mpi.name()];
    // All runs that show that the launcher's job is joined without MPI. A sample may have none of them.
    let joined = task(&[&["ctest"], &mpi[..], &["setup/no_mpi"]].concat());
    sample(&mpi, nth, &[]).and(joined)
}

/// Other ways than the normal one. The number n stands for one of n runs: all runs in all ways take hours (`cargo xtask
/// ctest --way ...`).
const WAYS: &[(&str, u32)] = &[
    ("mpi", 36),
    ("rma", 30),
    ("ucx", 30),
    ("ofi", 60),
    ("always", 44),
    ("oshrun", 24),
    ("2x2", 28),
    ("3x2", 52),
    ("oshrun-2x2", 50),
    ("2x2-rma", 30),
    ("2x2-mpi", 30),
];

const OPENMPI_WAYS: &[(&str, u32)] =
    &[("mpi", 18), ("rma", 30), ("2x2", 30), ("2x2-rma", 60), ("2x2-ucx", 60), ("oshrun-mpi", 60), ("oshrun-2x2", 60)];

/// Ways between hosts in which a job starts without MPI.
const NO_MPI: [(Mpi, &str); 3] = [(Mpi::Mpich, "2x2"), (Mpi::Mpich, "oshrun-2x2"), (Mpi::Openmpi, "2x2-ucx")];

fn ctest_ways(mpi: Mpi, ways: &[(&str, u32)]) -> Result<()> {
    let all = ways.iter().map(|(way, nth)| {
        println!("-- {way}, one of {nth}");
        let runs = ["--short", "--mpi", mpi.name(), "--way", way];
        // A sample may have none of the runs that show it.
        let no_mpi = match NO_MPI.contains(&(mpi, way)) {
            true => task(&[&["ctest"], &runs[1..], &["setup/no_mpi"]].concat()),
            false => Ok(()),
        };
        sample(&runs, *nth, &[]).and(no_mpi)
    });
    // All of them, though one fails.
    all.collect::<Vec<_>>().into_iter().collect()
}

/// The Rust examples over the bindings and over the safe crate, and the programs in the latter's documentation.
fn shmem_sys() -> Result<()> {
    let mpi = Mpi::Mpich;
    let mut examples = cargo_over(mpi);
    run(linted(&mut examples).args(["build", "--locked", "-p", "shmem-sys", "-p", "oshmpi-shmem", "--examples"]))?;
    for example in ["ring", "tour", "pi"] {
        run(&mut limited(mpi.mpiexec(3).arg(mpi.target_dir().join("debug/examples").join(example))))?;
    }
    let runner = format!("CARGO_TARGET_{}_UNKNOWN_LINUX_GNU_RUNNER", std::env::consts::ARCH.to_uppercase());
    let job = limited(&mpi.mpiexec(2));
    let words: Vec<_> = std::iter::once(job.get_program()).chain(job.get_args()).map(|w| w.to_string_lossy()).collect();
    let mut c = cargo_over(mpi);
    linted(&mut c)
        .args(["test", "--locked", "--doc", "-p", "oshmpi-shmem"])
        .env(runner, words.join(" "))
        .env("LD_LIBRARY_PATH", mpi.prefix().join("lib"));
    count_tests(&mut c)
}

/// The demo as a user calls it, on a smaller plate.
fn demo_small() -> Result<()> {
    demo::play(4, &["-n", "256x256"], |job| limited(&job))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_at_home_in_a_stage() {
        let mut stages = vec![(Mpi::Mpich, "node"), (Mpi::Openmpi, "node")];
        stages.extend(WAYS.iter().map(|(way, _)| (Mpi::Mpich, *way)));
        stages.extend(OPENMPI_WAYS.iter().map(|(way, _)| (Mpi::Openmpi, *way)));
        for home in crate::ctest::homes() {
            assert!(stages.contains(&home), "{home:?}");
        }
    }

    /// A name that no module has chooses no test, and Miri would pass over it in silence.
    #[test]
    fn miri_judges_modules_that_are_there() {
        for word in JUDGED.split_whitespace() {
            let module = word.split("::tests").next().unwrap_or(word).trim_end_matches("::").replace("::", "/");
            let places = ["oshmpi/src", "oshmpi/src/net", "race/src"].map(|dir| root().join(dir).join(&module));
            assert!(places.iter().any(|place| place.with_extension("rs").exists()), "{word} is no module");
        }
    }

    #[test]
    fn a_run_without_tests_fails() {
        let mut nothing = Command::new("sh");
        nothing.args(["-c", "echo 'test result: ok. 0 passed; 0 failed'"]);
        assert_eq!(count_tests(&mut nothing).unwrap_err().to_string(), "no test ran");
    }
}
