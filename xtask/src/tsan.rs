//! `cargo xtask tsan`: the programs of tests/openshmem/thread under ThreadSanitizer, runtime and program both
//! instrumented. Within a process it sees every race on what threads share; what crosses processes is for the models.

use crate::util::{Mpi, cargo_over, made, output, root, run};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {}

/// Program, arguments, PEs. Not thread/teams: its threads contend for a `Mutex`, whose slow path lies in the standard
/// library; that is not instrumented, so the sanitizer does not see that the lock orders anything.
const RUNS: &[(&str, &[&str], usize)] =
    &[("thread/contexts", &["64"], 2), ("thread/answered", &[], 2), ("thread/multiple", &[], 2)];

const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The sanitizer is not offered on other systems in this way.
pub fn runs_here() -> bool {
    cfg!(all(target_arch = "x86_64", target_os = "linux"))
}

pub fn run_all(_: Args) -> Result<()> {
    if !runs_here() {
        println!("skipped: ThreadSanitizer is tried on x86-64 Linux only");
        return Ok(());
    }
    let mpi = Mpi::Mpich;
    let archive = build(mpi)?;
    let runtime = sanitizer_runtime()?;
    let out = made(root().join("target/tsan/programs"))?;
    for (program, args, pes) in RUNS {
        let exe = compile(mpi, program, &archive, &runtime, &out)?;
        let mut c = mpi.mpiexec(*pes);
        c.arg(&exe).args(*args);
        // UCX patches the machine code of mmap, which the sanitizer has replaced. Statics that are moved would take the
        // sanitizer's variables along.
        c.env("UCX_MEM_MMAP_HOOK_MODE", "none").env("UCX_MEM_EVENTS", "no").env("OSHMPI_STATICS", "cma");
        c.env("CTEST_TIME", "300").env("TSAN_OPTIONS", "halt_on_error=1 exitcode=66");
        let printed = output(&mut c).with_context(|| format!("{program} on {pes} PEs under ThreadSanitizer"))?;
        if printed.trim() != "ok" {
            bail!("{program} printed {printed:?}");
        }
        println!("{program}: {pes} PEs, no race seen");
    }
    Ok(())
}

/// The runtime, instrumented. The standard library is not.
fn build(mpi: Mpi) -> Result<PathBuf> {
    let dir = root().join("target/tsan");
    let mut c = cargo_over(mpi);
    c.args(["build", "--locked", "-p", "oshmpi", "--lib", "--profile", "model", "--target", TARGET]);
    // The sanitizer is an unstable option of the compiler; this lets a stable one take it.
    c.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", &dir);
    c.env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer");
    run(&mut c)?;
    Ok(dir.join(TARGET).join("model/liboshmpi.a"))
}

/// The sanitizer's library, which comes with the compiler.
fn sanitizer_runtime() -> Result<PathBuf> {
    let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root()))?;
    let dir = Path::new(sysroot.trim()).join("lib/rustlib").join(TARGET).join("lib");
    let list = std::fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))?;
    let found = list.flatten().map(|e| e.path()).find(|p| p.to_string_lossy().ends_with("_rt.tsan.a"));
    found.with_context(|| format!("no ThreadSanitizer in {}", dir.display()))
}

fn compile(mpi: Mpi, program: &str, archive: &Path, runtime: &Path, out: &Path) -> Result<PathBuf> {
    let (sources, exe) = (root().join("tests/openshmem"), out.join(program.replace('/', "-")));
    let object = exe.with_extension("o");
    let mut c = Command::new("clang");
    c.args(["-fsanitize=thread", "-O1", "-g", "-std=gnu11", "-c", "-o"]).arg(&object);
    c.arg("-I").arg(root().join("include")).arg("-I").arg(&sources);
    run(c.arg(sources.join(format!("{program}.c"))))?;
    // Not linked by clang, which would bring a second, older sanitizer.
    let mut c = Command::new(mpi.command("mpicc"));
    c.arg("-o").arg(&exe).arg(&object).arg(archive);
    c.arg("-Wl,--whole-archive").arg(runtime).args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm", "-lrt"]);
    run(c.arg("-lstdc++"))?;
    Ok(exe)
}
