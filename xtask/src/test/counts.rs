//! What a PE asks of the launcher, counted by a preloaded library (`tests/counts`), when `shmem_init` and
//! `shmem_finalize` are all that a program calls. And the calls that reach the network (`scale --network`).

use super::task::task;
use crate::cluster::Launcher;
use crate::cluster::hosts::{self, Hosts};
use crate::install::wrapper;
use crate::util::{Mpi, limited, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::Command;

/// Numbers of PEs; each PE is a node. With more PEs the start would take longer than a stage should, and the rule is
/// the same.
const PES: &str = "4,16";

/// Numbers of hosts on which a start is counted, of two PEs each.
const HOSTS: [usize; 2] = [3, 8];
const PER_HOST: usize = 2;

pub fn check(mpi: Mpi) -> Result<()> {
    asked_of_the_launcher(mpi, &made(root().join("target/counts").join(mpi.name()))?)?;
    network(mpi)
}

/// The calls that reach the network, with few PEs and with many.
pub fn network(mpi: Mpi) -> Result<()> {
    task(&["scale", "--network", PES, "--mpi", mpi.name()])
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
        let mut c = Launcher::Mpiexec(mpi).command(&hosts, count * PER_HOST);
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
}
