//! What a PE sends through MPI in small collective calls, counted by a preloaded library (`tests/counts`): with four
//! times as many PEs at most twice as much, because messages grow with the logarithm and bytes with messages.

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
    few.iter().zip(&many).try_for_each(|(few, many)| judge(few, many))
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
