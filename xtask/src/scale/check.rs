//! `cargo xtask scale --check`: runs collectives on hosts made of network namespaces and through MPI on one host, and
//! prints what they take beside what the model says. Its parameters come from ways of messages, rounds and copies
//! measured in the same job.

use super::recorded;
use crate::cluster::{Launcher, hosts};
use crate::util::{Mpi, made, median, output, root, run as call};
use anyhow::{Context, Result, bail, ensure};
use bench_scale::Model;
use bench_scale::rows::{ROWS, Row};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Hosts and PEs on each. The last is one host, on which every PE is a node of its own.
const HOSTS: [(usize, usize); 4] = [(2, 1), (2, 2), (3, 2), (4, 2)];
const BY_MPI: usize = 64;

/// Name and bytes, as the program prints them, and microseconds.
type Measured = BTreeMap<(String, u64), f64>;

pub fn run(prefix: &Path, rounds: usize) -> Result<()> {
    counts(prefix)?;
    let dir = root().join("target/scale");
    let program = dir.join("measure");
    let source = root().join("benches/scale/measure.c");
    call(Command::new(prefix.join("bin/oshcc")).arg("-O2").arg(source).arg("-o").arg(&program))?;
    let cores = std::thread::available_parallelism()?.get();
    let mut worst: Vec<f64> = Vec::new();
    match hosts::missing() {
        Some(why) => println!("no hosts: {why}"),
        None => {
            for (count, each) in HOSTS {
                let hosts = hosts::Hosts::up(count)?;
                let launch = || {
                    let mut c = Launcher::Mpiexec(Mpi::Mpich).command(&hosts, count * each, false);
                    c.arg(&program).arg("200");
                    hosts.in_hub(&c)
                };
                let name = format!("{count}x{each}");
                println!("\n{name}: {count} hosts of {each} PEs, {cores} cores for all");
                worst.extend(compare(&name, each, cores, &measure(rounds, launch)?)?);
            }
        }
    }
    println!("\n{BY_MPI} PEs by MPI on one host, {cores} cores for all");
    let launch = || {
        let mut c = Mpi::Mpich.mpiexec(BY_MPI);
        c.env("OSHMPI_ROUTE", "mpi").env("OSHMPI_TRANSPORT", "mpi").arg(&program).arg("20");
        c
    };
    worst.extend(compare(&format!("{BY_MPI}x1"), 1, cores, &measure(rounds, launch)?)?);
    worst.sort_by(f64::total_cmp);
    let within = |most: f64| worst.iter().filter(|&&factor| factor <= most).count();
    let (all, middle) = (worst.len(), worst[worst.len() / 2]);
    println!(
        "\n{all} figures: half are within a factor of {middle:.2}, {} within 1.5, {} within 2",
        within(1.5),
        within(2.0)
    );
    Ok(())
}

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
pub fn counts(prefix: &Path) -> Result<()> {
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
        let recorded = recorded(std::slice::from_ref(&layout), &Model::CLUSTER)?;
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

/// The medians of some launches.
fn measure(rounds: usize, launch: impl Fn() -> Command) -> Result<Measured> {
    let mut samples: BTreeMap<(String, u64), Vec<f64>> = BTreeMap::new();
    for _ in 0..rounds.max(1) {
        for line in output(&mut launch())?.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let [name, bytes, us] = words[..] else { bail!("{line:?} is no name, bytes and time") };
            samples.entry((name.to_owned(), bytes.parse()?)).or_default().push(us.parse()?);
        }
    }
    Ok(samples.into_iter().map(|(what, mut of)| (what, median(&mut of))).collect())
}

/// Prints measured and modelled times of a layout; by which factor each is off.
fn compare(layout: &str, per_node: usize, cores: usize, measured: &Measured) -> Result<Vec<f64>> {
    let model = fitted(per_node, cores, measured)?;
    println!("{model:?}");
    println!("| call | measured us | model us | model / measured |\n|---|---|---|---|");
    let modelled = recorded(&[layout.to_owned()], &model)?;
    let mut off = Vec::new();
    for row in &ROWS {
        let Some(&us) = measured.get(&(word(row), row.bytes)) else { continue };
        let now = modelled.get(&(row.name.to_owned(), layout.to_owned()));
        let now = now.with_context(|| format!("nothing is recorded of {} on {layout}", row.name))?.us;
        // A collective has no figure if it costs less than the variation of the barrier before it.
        let ratio = now / us.max(0.05);
        println!("| {} | {us:.1} | {now:.1} | {ratio:.2} |", row.name);
        off.push(ratio.max(1.0 / ratio));
    }
    ensure!(!off.is_empty(), "no call of the program is a row");
    Ok(off)
}

/// What the program calls a row.
fn word(row: &Row) -> String {
    format!("{:?}", row.call).to_lowercase()
}

/// The model of a layout. With all PEs at work a way takes as long as its processor time on the cores they share.
fn fitted(per_node: usize, cores: usize, measured: &Measured) -> Result<Model> {
    let us = |name: &str, bytes: u64| -> Result<f64> {
        measured.get(&(name.to_owned(), bytes)).copied().with_context(|| format!("the program printed no {name}"))
    };
    let ps = |us: f64| (us.max(0.0) * 1e6) as u64;
    let (alone, crowd) = (us("way", 8)?, us("crowd", 8)?);
    let pes = measured.get(&("pes".to_owned(), 0)).copied().context("the program printed no pes")?;
    // With more PEs than cores: half as many messages as PEs are under way, each with two ends, on all cores. With a
    // core each: half of one end's part of a message.
    let shared = pes / cores as f64;
    let cpu = if shared > 1.0 { (crowd / shared / 2.0).min(alone / 2.0) } else { alone / 4.0 };
    let copy = ps(us("copy", 1 << 20)? / 1024.0);
    Ok(Model {
        wire: ps(alone - 2.0 * cpu),
        cpu: ps(cpu),
        hop: if per_node > 1 { ps(us("round", 0)? / 2.0) } else { 0 },
        fan: 16,
        adapter: ps((us("way", 1 << 16)? - alone) / 64.0),
        copy,
        combine: copy,
        memory: copy / 2,
        cached: 64,
        cores: cores as u32,
    })
}
