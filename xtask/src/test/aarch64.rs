//! The stage `aarch64`: a cross build, and a sample of the C programs on it, under qemu-user.
//!
//! This stage finds code that does not compile or link there, and wrong sizes, layouts, system calls, linker names and
//! instructions. It cannot find a missing memory barrier, since qemu runs on this machine's processor
//! (docs/design/interfaces.md).

use super::NotHere;
use super::task::{sample, task_with};
use crate::ctest::emulator;
use crate::deps::{self, Part};
use crate::install::cross::DIR;
use crate::install::target::AARCH64;
use crate::install::wrapper;
use crate::util::{limited, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Programs of tests.list, half of whose runs are made: statics, heap, put and get, atomics, signals, waits, locks,
/// teams, collectives, threads.
const SAMPLE: &str = "\
    statics/basic,statics/before_init,statics/fork,heap/basic,heap/calloc_realloc,memory/ptr,rma/typed,\
    rma/strided,order/fence,amo/typed,amo/contended,signal/typed,signal/order,wait/scalar,\
    lock/exclusive,lock/threads,team/life,team/strided,coll/move,coll/reduce,coll/sync,\
    thread/contexts,thread/multiple,setup/query";

pub fn check() -> Result<()> {
    if let Some(why) = AARCH64.missing() {
        return Err(NotHere(why).into());
    }
    deps::ensure(&[Part::Cross, Part::Emulator])?;
    let prefix = AARCH64.prefix();
    let place = prefix.to_str().context("a path that is no text")?;
    // Optimising takes longest, and qemu does not show how fast the code is.
    let fast = [("CARGO_PROFILE_QUICK_OPT_LEVEL", "1")];
    task_with(&["install", "--target", AARCH64.triple, "--prefix", place, "--quick"], &fast)?;
    task_with(&["symbols", "--prefix", place], &[])?;
    let runs = ["--programs", SAMPLE, "--most-pes", "2", "--short", "--slow", "4"];
    sample(&[&["--mpi", "mpich", "--way", "aarch64"][..], &runs].concat(), 2, &[])?;
    own_launcher(&prefix)
}

/// The oshrun that was built for aarch64, under qemu as well, with a program of the usual kind: position-independent.
fn own_launcher(prefix: &Path) -> Result<()> {
    let dir = made(root().join("target/aarch64"))?;
    let hello = dir.join("hello");
    run(wrapper(&prefix.join(DIR), "oshcc").arg(root().join("examples/c/hello.c")).arg("-o").arg(&hello))?;
    let header = output(Command::new("readelf").arg("-h").arg(&hello))?;
    ensure!(
        header.contains("AArch64") && header.contains("DYN"),
        "hello is no position-independent program:\n{header}"
    );
    let words = emulator(&AARCH64);
    let mut c = Command::new(&words[0]);
    c.args(&words[1..]).arg(prefix.join("bin/oshrun")).args(["-n", "2"]).args(&words).arg(&hello);
    let printed = output(&mut limited(&c))?;
    let greetings = printed.lines().filter(|l| l.contains("greetings from PE")).count();
    ensure!(greetings == 2, "on 2 PEs, under the oshrun for aarch64, it printed\n{printed}");
    println!("oshrun for aarch64: ok");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_of_the_sample_is_for_the_emulator() {
        for program in SAMPLE.split(',') {
            assert!(crate::ctest::goes(program, "aarch64"), "{program}");
        }
    }
}
