//! What a PE sends through MPI in small collective calls, counted by a preloaded library (`tests/counts`): with four
//! times as many PEs at most twice as much, because messages grow with the logarithm and bytes with messages. And how
//! many endpoints UCX has when `shmem_init` and `shmem_finalize` are all that a program calls.

use crate::util::{Mpi, limited, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Numbers of PEs; each PE is a node. With more PEs the start would take longer than a stage should, and the rule is
/// the same.
const FEW: usize = 4;
const MANY: usize = 16;

/// What a collective call costs the PE that sends most.
struct Cost {
    call: String,
    messages: f64,
    bytes: f64,
    collectives: f64,
}

pub fn check(mpi: Mpi) -> Result<()> {
    let dir = made(root().join("target/counts").join(mpi.name()))?;
    let (program, library) = (dir.join("calls"), dir.join("libpmpi_count.so"));
    let from = root().join("tests/counts");
    run(oshcc(mpi).arg("-o").arg(&program).arg(from.join("calls.c")))?;
    run(oshcc(mpi).args(["-shared", "-fPIC", "-o"]).arg(&library).arg(from.join("pmpi_count.c")).arg("-ldl"))?;
    let (few, many) = (costs(mpi, FEW, &program, &library)?, costs(mpi, MANY, &program, &library)?);
    ensure!(!few.is_empty() && few.len() == many.len(), "the program has measured as many calls each time");
    println!("{:<24} {FEW:>9} PEs: messages, bytes {MANY:>9} PEs: messages, bytes", "");
    for (f, m) in few.iter().zip(&many) {
        println!("{:<24} {:>21} {:>6} {:>22} {:>6}", f.call, f.messages, f.bytes, m.messages, m.bytes);
    }
    few.iter().zip(&many).try_for_each(|(few, many)| judge(few, many))?;
    start_over_ucx(mpi, &dir)
}

/// A start over UCX, in which each PE is a node: nobody contacts more PEs than a barrier has rounds, and MPI, which
/// would connect all, has no communicator.
fn start_over_ucx(mpi: Mpi, dir: &Path) -> Result<()> {
    let program = dir.join("hello");
    run(oshcc(mpi).args(["-DWITH_SHMEM", "-o"]).arg(&program).arg(root().join("benches/startup/hello.c")))?;
    for pes in [FEW, MANY] {
        let mut c = mpi.mpiexec(pes);
        c.args(["env", "OSHMPI_ROUTE=mpi", "OSHMPI_TRANSPORT=ucx", "OSHMPI_STATS=json"]).arg(&program);
        let printed = limited(&c).output()?;
        let printed = String::from_utf8_lossy(&printed.stderr).into_owned();
        let most = judge_start(&printed, pes)?;
        println!("{:<24} {pes:>9} PEs: {most} endpoints", "start over UCX");
    }
    Ok(())
}

/// The number behind `"name":` in a line of JSON.
fn number(line: &str, name: &str) -> Option<usize> {
    let from = line.split_once(&format!("\"{name}\":"))?.1;
    from.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// The most endpoints that one of `pes` PEs has made, from the lines of `OSHMPI_STATS=json`.
fn judge_start(printed: &str, pes: usize) -> Result<usize> {
    let lines = printed.lines().filter(|line| line.starts_with('{'));
    let counts: Vec<_> = lines.filter_map(|l| Some((number(l, "endpoints")?, number(l, "communicators")?))).collect();
    ensure!(counts.len() == pes, "{pes} PEs have not printed a line each: {printed}");
    ensure!(counts.iter().all(|counts| counts.1 == 0), "the library has made communicators: {printed}");
    let (most, rounds) = (counts.iter().map(|counts| counts.0).max().unwrap_or(0), pes.next_power_of_two().ilog2());
    ensure!(most > 0 && most <= rounds as usize, "a PE of {pes} has made {most} endpoints, not 1 to {rounds}");
    Ok(most)
}

fn oshcc(mpi: Mpi) -> Command {
    let mut c = Command::new(mpi.prefix().join("bin/oshcc"));
    c.args(["-O2", "-Wall", "-Wextra"]);
    c
}

fn costs(mpi: Mpi, pes: usize, program: &Path, library: &Path) -> Result<Vec<Cost>> {
    let mut c = mpi.mpiexec(pes);
    c.arg("env").arg(format!("LD_PRELOAD={}", library.display())).arg("OSHMPI_ROUTE=mpi").arg(program);
    let printed = output(&mut limited(&c))?;
    printed.lines().map(|line| read(line).with_context(|| format!("not the line of a call: {line}"))).collect()
}

/// A line of the program: a call, and its messages, bytes and calls of MPI's collectives.
fn read(line: &str) -> Option<Cost> {
    let mut words = line.split_whitespace();
    let call = words.next()?.to_owned();
    let numbers: Vec<f64> = words.map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let [messages, bytes, collectives] = numbers[..] else { return None };
    Some(Cost { call, messages, bytes, collectives })
}

fn judge(few: &Cost, many: &Cost) -> Result<()> {
    let Cost { call, messages, bytes, collectives } = many;
    ensure!(*call == few.call, "{call} where {} was measured before", few.call);
    ensure!(few.messages > 0.0, "{call}: no message was counted");
    ensure!(*collectives == 0.0, "{call}: MPI's collectives are called, {collectives} times");
    ensure!(*messages <= 2.0 * few.messages, "{call}: {messages} messages at {MANY} PEs, {} at {FEW}", few.messages);
    ensure!(*bytes <= 2.0 * few.bytes, "{call}: {bytes} bytes at {MANY} PEs, {} at {FEW}", few.bytes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_endpoints_than_rounds_are_refused() {
        let line = |endpoints: usize| format!("{{\"pe\":0,\"communicators\":0,\"endpoints\":{endpoints},\"x\":9}}\n");
        let printed = |counts: [usize; 4]| counts.map(line).concat();
        assert_eq!(judge_start(&printed([2, 1, 2, 0]), 4).unwrap(), 2);
        assert!(judge_start(&printed([2, 3, 2, 2]), 4).is_err());
        assert!(judge_start(&printed([0; 4]), 4).is_err(), "the barrier at the end needs some");
        assert!(judge_start(&line(1), 4).is_err(), "one line of four");
        let communicators = printed([2; 4]).replace("\"communicators\":0", "\"communicators\":1");
        assert!(judge_start(&communicators, 4).is_err());
    }

    #[test]
    fn growth_beyond_twice_is_refused() {
        let cost = |line: &str| read(line).expect("a line");
        let few = || cost("malloc_free 4 672 0");
        assert!(judge(&few(), &cost("malloc_free 8 1344 0")).is_ok());
        assert!(judge(&few(), &cost("malloc_free 9 1344 0")).is_err());
        assert!(judge(&few(), &cost("malloc_free 8 1345 0")).is_err());
        assert!(judge(&few(), &cost("malloc_free 8 1344 1")).is_err());
        assert!(judge(&few(), &cost("free 8 1344 0")).is_err());
        assert!(judge(&cost("free 0 0 0"), &cost("free 0 0 0")).is_err(), "nothing was counted");
        assert!(read("malloc_free 4 672").is_none() && read("oshmpi[0]: no").is_none());
    }
}
