//! `cargo xtask scale --counts`: what PEs really send, beside what is recorded.

use super::recorded;
use crate::util::{Mpi, made, output, root, run as call};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Calls of `tests/counts/calls.c`, and the rows of which each is so many. The recorder knows no call that makes and
/// destroys a team.
const COUNTED: [(&str, Option<(&str, u64)>); 5] = [
    ("barrier_all", Some(("barrier", 1))),
    ("sum_reduce_of_a_word", Some(("reduce 8 B", 1))),
    ("malloc_free", Some(("malloc", 2))),
    ("split_destroy", None),
    ("split_sync_destroy", None),
];

/// Numbers of PEs at which is counted. From the first to the second, no call's messages or bytes may more than double.
const PES: [usize; 3] = [16, 64, 128];

/// Compares what PEs really send with what the recorder has written down, and with what fewer PEs send. A library
/// between oshmpi and MPI counts it.
pub fn check(prefix: &Path) -> Result<()> {
    let dir = made(root().join("target/scale"))?;
    let sources = root().join("tests/counts");
    let (counter, program) = (dir.join("libpmpi_count.so"), dir.join("calls"));
    let mut c = Command::new(Mpi::Mpich.command("mpicc"));
    call(c.args(["-shared", "-fPIC", "-O2", "-o"]).arg(&counter).arg(sources.join("pmpi_count.c")).arg("-ldl"))?;
    call(Command::new(prefix.join("bin/oshcc")).arg("-O2").arg(sources.join("calls.c")).arg("-o").arg(&program))?;
    println!("| every PE a node: call | PEs | messages, bytes counted | recorded |\n|---|---|---|---|");
    let mut few: Vec<[f64; 2]> = Vec::new();
    for pes in PES {
        let layout = format!("{pes}x1");
        let recorded = recorded(std::slice::from_ref(&layout))?;
        let mut c = Mpi::Mpich.mpiexec(pes);
        c.env("OSHMPI_ROUTE", "mpi").env("OSHMPI_TRANSPORT", "mpi");
        c.arg("env").arg(format!("LD_PRELOAD={}", counter.display())).arg(&program);
        let printed = output(&mut c)?;
        for (i, (name, rows)) in COUNTED.into_iter().enumerate() {
            let counted = sent(&printed, name)?;
            let [messages, bytes] = counted;
            match pes == PES[0] {
                true => few.push(counted),
                false => ensure!(
                    pes != PES[1] || (messages <= 2.0 * few[i][0] && bytes <= 2.0 * few[i][1]),
                    "{name}: {:?} messages and bytes with {} PEs, {counted:?} with {pes}",
                    few[i],
                    PES[0]
                ),
            }
            let Some((row, times)) = rows else {
                println!("| {name} | {pes} | {messages}, {bytes} | |");
                continue;
            };
            let now =
                recorded.get(&(row.to_owned(), layout.clone())).with_context(|| format!("{row} is not recorded"))?;
            let noted = [times * now.messages, times * now.bytes];
            println!("| {name} | {pes} | {messages}, {bytes} | {}, {} |", noted[0], noted[1]);
            ensure!(
                counted == noted.map(|n| n as f64),
                "{name} of {pes} PEs: {counted:?} messages and bytes were counted, {noted:?} recorded"
            );
        }
    }
    Ok(())
}

/// The most messages and bytes that a PE has sent in a call, from the line of `tests/counts/calls.c`.
fn sent(printed: &str, name: &str) -> Result<[f64; 2]> {
    let words = printed.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let mut numbers = words.with_context(|| format!("{name} was not counted"))?.split(' ').map(str::parse);
    let mut next = || -> Result<f64> { Ok(numbers.next().context("a number is missing")??) };
    Ok([next()?, next()?])
}
