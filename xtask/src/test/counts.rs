//! What a PE sends through MPI in small collective calls, counted by a preloaded library (`tests/counts`): with four
//! times as many PEs at most twice as much, because messages grow with the logarithm and bytes with messages. What a PE
//! asks of the launcher, when `shmem_init` and `shmem_finalize` are all that a program calls. And the calls that reach
//! the network (`scale --network`).

use super::task::task;
use crate::cluster;
use crate::cluster::hosts::{self, Hosts};
use crate::install::wrapper;
use crate::util::{Mpi, limited, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Numbers of PEs; each PE is a node. With more PEs the start would take longer than a stage should, and the rule is
/// the same.
const FEW: usize = 4;
const MANY: usize = 16;

/// Numbers of hosts on which a start is counted, of two PEs each.
const HOSTS: [usize; 2] = [3, 8];
const PER_HOST: usize = 2;

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
    asked_of_the_launcher(mpi, &dir)?;
    network(mpi)
}

/// The calls that reach the network, with few PEs and with many.
pub fn network(mpi: Mpi) -> Result<()> {
    task(&["scale", "--network", &format!("{FEW},{MANY}"), "--mpi", mpi.name()])
}

/// What PEs ask of a launcher that speaks PMI-1 in a start over UCX on several hosts, counted in the lines that they
/// send.
fn asked_of_the_launcher(mpi: Mpi, dir: &Path) -> Result<()> {
    if let Some(why) = hosts::missing() {
        println!("start on hosts: skipped: {why}");
        return Ok(());
    }
    let (program, library, from) = (dir.join("start"), dir.join("libpmi_count.so"), root().join("tests/counts"));
    run(oshcc(mpi).arg("-o").arg(&program).arg(from.join("start.c")))?;
    run(oshcc(mpi).args(["-shared", "-fPIC", "-o"]).arg(&library).arg(from.join("pmi_count.c")).arg("-ldl"))?;
    for count in HOSTS {
        let hosts = Hosts::up(count)?;
        let mut c = cluster::mpiexec(mpi, &hosts, count * PER_HOST);
        c.arg("env").arg(format!("LD_PRELOAD={}", library.display())).arg("OSHMPI_TRANSPORT=ucx").arg(&program);
        let printed = output(&mut hosts.in_hub(&limited(&c)))?;
        let (leader, other) = judge_asked(&printed, count).with_context(|| printed.clone())?;
        println!("start on {count} hosts: {}; the first PE of a host {}", other.text(), leader.text());
    }
    Ok(())
}

/// What one PE asks of the launcher, in `shmem_init` or in `shmem_finalize`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Asked {
    puts: usize,
    gets: usize,
    fences: usize,
}

impl Asked {
    fn text(self) -> String {
        let Asked { puts, gets, fences } = self;
        format!("{puts} puts, {gets} gets, {fences} fences")
    }

    fn most(self, other: Asked) -> Asked {
        Asked {
            puts: self.puts.max(other.puts),
            gets: self.gets.max(other.gets),
            fences: self.fences.max(other.fences),
        }
    }
}

/// The most that a first PE of one of `hosts`, and another PE, have asked in `shmem_init`.
///
/// Every PE puts its record for UCX, in the last of four fences, and asks for the mapping. Beside that, the first PE
/// of a host puts where its memory is, and the host's record. It reads the records of all hosts, and those for UCX of
/// its partners in the agreement at the end of the start. Another PE reads where its first PE's memory is, and nothing
/// more. In `shmem_finalize` there are two barriers, and messages to so many PEs as a barrier of all has rounds.
fn judge_asked(printed: &str, hosts: usize) -> Result<(Asked, Asked)> {
    let rounds = |members: usize| members.next_power_of_two().ilog2() as usize;
    let of_all = rounds(hosts * PER_HOST);
    let (mut leader, mut other) = (Asked::default(), Asked::default());
    let mut seen = vec![false; hosts * PER_HOST];
    for line in printed.lines().filter_map(|line| line.strip_prefix("PE ")) {
        let numbers: Vec<usize> = line.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        let [pe, puts, gets, fences, last @ ..] = &numbers[..] else { anyhow::bail!("{line:?} are no numbers") };
        let asked = Asked { puts: *puts, gets: *gets, fences: *fences };
        let leads = pe % PER_HOST == 0;
        let (puts, most_gets) = if leads { (3, 1 + hosts + rounds(hosts)) } else { (1, 2) };
        ensure!(asked.puts == puts && asked.fences == 4, "PE {pe}: {}, not {puts} puts and 4 fences", asked.text());
        ensure!(asked.gets <= most_gets, "PE {pe}: {}, and {most_gets} gets are allowed", asked.text());
        let few = matches!(last, [0, gets, 2] if *gets <= of_all);
        ensure!(few, "PE {pe} asks for {last:?} in shmem_finalize: puts, gets, fences; {of_all} gets are allowed");
        *seen.get_mut(*pe).context("no such PE")? = true;
        if leads { leader = leader.most(asked) } else { other = other.most(asked) }
    }
    ensure!(seen.iter().all(|&seen| seen), "a PE has printed nothing");
    // The counter counts: without these reads no host would be found.
    ensure!(leader.gets > hosts && other.gets > 0, "fewer reads than a start needs");
    Ok((leader, other))
}

fn oshcc(mpi: Mpi) -> Command {
    let mut c = wrapper(&mpi.prefix(), "oshcc");
    c.args(["-mpi", "-O2", "-Wall", "-Wextra"]);
    c
}

fn costs(mpi: Mpi, pes: usize, program: &Path, library: &Path) -> Result<Vec<Cost>> {
    let mut c = mpi.mpiexec(pes);
    c.arg("env").arg(format!("LD_PRELOAD={}", library.display()));
    c.args(["OSHMPI_ROUTE=mpi", "OSHMPI_TRANSPORT=mpi"]).arg(program);
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
    fn a_start_that_asks_the_launcher_for_more_is_refused() {
        let line = |pe: usize| match pe % PER_HOST {
            0 => format!("PE {pe} 3 6 4 0 1 2\n"),
            _ => format!("PE {pe} 1 2 4 0 3 2\n"),
        };
        let all = (0..6).map(line).collect::<String>();
        let (leader, other) = judge_asked(&all, 3).unwrap();
        assert_eq!(leader, Asked { puts: 3, gets: 6, fences: 4 });
        assert_eq!(other, Asked { puts: 1, gets: 2, fences: 4 });
        let others =
            ["PE 1 2 2 4 0 3 2", "PE 1 1 3 4 0 3 2", "PE 1 1 2 5 0 3 2", "PE 1 1 2 4 0 4 2", "PE 1 1 2 4 0 3 3"];
        for wrong in others {
            assert!(judge_asked(&all.replace("PE 1 1 2 4 0 3 2", wrong), 3).is_err(), "{wrong}");
        }
        for wrong in
            ["PE 2 3 7 4 0 1 2", "PE 2 4 6 4 0 1 2", "PE 2 3 6 4 1 1 2", "PE 2 3 6 4 0 1", "PE 9 3 6 4 0 1 2", ""]
        {
            assert!(judge_asked(&all.replace("PE 2 3 6 4 0 1 2", wrong), 3).is_err(), "{wrong}");
        }
        assert!(judge_asked(&all.replace(" 6 4 ", " 0 4 "), 3).is_err(), "nothing was counted");
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
