//! The calls by which PEs send over the network in start, barrier, quiet and end, counted by a preloaded library
//! (`tests/counts/net_count.c`), against the number of PEs, for each path: nothing may grow faster than the logarithm,
//! and operations cost what the PEs cost that they use. Each PE is a node of its own, and all go over TCP.

use crate::util::{Mpi, limited_to, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Names of paths, and their settings of OSHMPI_TRANSPORT. Windows of Open MPI do not go over TCP, so all are messages.
fn paths(mpi: Mpi) -> &'static [(&'static str, &'static str)] {
    match mpi {
        Mpi::Mpich => &[("ucx", "ucx"), ("ofi", "ofi"), ("mpi", "mpi"), ("rma", "rma")],
        Mpi::Openmpi => &[("messages of Open MPI", "mpi")],
    }
}

/// On two cores 64 PEs take a minute where MPI connects all with all.
const LIMIT: Duration = Duration::from_secs(400);

/// Rounds of a barrier, and PEs with which a PE exchanges messages in it. The one half way round the job is the same in
/// both directions.
fn of_a_barrier(pes: u64) -> (u64, u64) {
    let rounds = u64::from(pes.next_power_of_two().ilog2());
    (rounds, (2 * rounds - 1).min(pes - 1))
}

/// The most calls by which a PE of `pes` may send in a phase of `tests/counts/net.c`, outside of MPI's own set-up.
///
/// A collective call has `rounds` rounds, of one message each; MPI's reduction has twice as many where it has as many
/// words as there are PEs. In a start over MPI there are such a reduction and a barrier; for windows two more
/// reductions; over `rma` another of either kind. Three calls more may answer connections that MPI has begun.
///
/// Two PEs have two connections of UCX's. To make them costs each of them four calls, one of UCX's messages and a
/// record; twice that where both begin at once, as a PE and the one half way round the job may in a start. To close
/// them costs two flushes, two answers and two farewells. Two PEs have one connection of libfabric's, which costs each
/// of them a call or two, or one of Open MPI's: a call of each.
///
/// An operation on one PE is a message, and another one answers somebody else's. By a window it is a message of UCX's
/// with an answer, and a flush of two calls with answers, or two flushes where the progress thread has begun one; over
/// `mpi` an announcement with its answer comes before. UCX cuts 16 KiB into three pieces, each with an answer; of a
/// message, two calls come before them, and two behind. libfabric sends 16 KiB in five calls at most.
fn most(path: &str, phase: &str, pes: u64) -> u64 {
    let (rounds, partners) = of_a_barrier(pes);
    // A start; what the end costs for each PE that was used, its first use, a short operation, and one of 16 KiB.
    let (start, end, first, short, long) = match path {
        "ucx" => (rounds + 5 * (partners + 1), 6, 12, 2, 10),
        "mpi" => (5 * rounds + 3, 0, 6, 12, 16),
        "rma" => (7 * rounds + 3, 0, 6, 10, 14),
        "ofi" => (rounds + 2 * (partners + 1), 0, 2, 2, 5),
        _ => (3 * rounds + partners, 0, 2, 2, 2),
    };
    match phase.split_once(" x ").and_then(|(used, what)| Some((used.parse::<u64>().ok()?, what))) {
        Some((used, "put of 16 KiB")) => long * used,
        Some((used, "atomic add")) => 2 * used,
        Some((used, _)) => short * used,
        None => match phase {
            "start" => start,
            "end" => rounds + end * partners,
            "end of all" => rounds + end * (pes - 1),
            "ring" => first + short,
            "all to all" => (first + short) * (pes - 1),
            _ => rounds, // a barrier
        },
    }
}

/// Of one phase.
#[derive(Clone, Debug, Default, PartialEq)]
struct Phase {
    /// What a PE has sent at most, and all together, outside of MPI's set-up and within it.
    most: [u64; 2],
    sum: [u64; 2],
    /// Calls of MPI's set-up, of one PE.
    setups: u64,
    /// Of all PEs together: connections and private KiB at the end of the phase.
    connections: u64,
    kib: u64,
}

/// A phase that a program has twice is one: the most of it, and half of the sums.
fn read(printed: &str, pes: u64) -> Result<Vec<(String, Phase)>> {
    let mut names: Vec<&str> = Vec::new();
    let mut lines: BTreeMap<&str, Vec<[u64; 5]>> = BTreeMap::new();
    for line in printed.lines().filter(|line| line.starts_with("PE ")) {
        let [_, name, numbers] = line.split(": ").collect::<Vec<_>>()[..] else { anyhow::bail!("{line:?}") };
        let numbers: Vec<u64> = numbers.split(' ').map(str::parse).collect::<Result<_, _>>()?;
        if !names.contains(&name) {
            names.push(name);
        }
        lines.entry(name).or_default().push(numbers.try_into().map_err(|n| anyhow::anyhow!("{n:?} are not five"))?);
    }
    let phase = |name: &str| {
        let of = &lines[name];
        let times = of.len() as u64 / pes;
        ensure!(times > 0 && of.len() as u64 == times * pes, "{name}: {} lines of {pes} PEs", of.len());
        let most = |i: usize| of.iter().map(|line| line[i]).max().unwrap_or(0);
        let sum = |i: usize| of.iter().map(|line| line[i]).sum::<u64>() / times;
        let phase = Phase {
            most: [most(0), most(1)],
            sum: [sum(0), sum(1)],
            setups: most(2),
            connections: sum(3),
            kib: sum(4),
        };
        Ok((name.to_owned(), phase))
    };
    names.into_iter().map(phase).collect()
}

fn judge(path: &str, pes: u64, name: &str, phase: &Phase) -> Result<()> {
    let what = format!("{path}, {pes} PEs, {name}");
    let (most, sends) = (most(path, name, pes), phase.most[0]);
    ensure!(sends > 0, "{what}: nothing was counted");
    ensure!(sends <= most, "{what}: a PE sends {sends} times, at most {most} are allowed");
    let setups = if ["ucx", "ofi"].contains(&path) { 0 } else { 9 };
    ensure!(phase.setups <= setups, "{what}: {} calls of MPI's set-up, at most {setups} are allowed", phase.setups);
    // Over MPICH all PEs are connected.
    let each = [("ucx", 2), ("ofi", 1), ("messages of Open MPI", 1)]
        .into_iter()
        .find(|(of, _)| *of == path && name == "start");
    let allowed = each.map_or(u64::MAX, |(_, each)| pes * of_a_barrier(pes).1 * each);
    ensure!(phase.connections <= allowed, "{what}: {} connections, not {allowed}", phase.connections);
    Ok(())
}

/// Prints a table for each path, and compares it with what is allowed.
pub fn check(mpi: Mpi, prefix: &Path, numbers: &[u64]) -> Result<()> {
    let dir = made(root().join("target/scale"))?;
    let (from, library, program) = (root().join("tests/counts"), dir.join("libnet_count.so"), dir.join("net"));
    let oshcc = || Command::new(prefix.join("bin/oshcc"));
    run(oshcc()
        .args(["-mpi", "-O2", "-shared", "-fPIC", "-o"])
        .arg(&library)
        .arg(from.join("net_count.c"))
        .arg("-ldl"))?;
    run(oshcc().arg("-O2").arg("-o").arg(&program).arg(from.join("net.c")))?;
    let file = dir.join("net.file");
    let counted = |transport: &str, pes: u64, of_all: bool| {
        let _ = std::fs::remove_file(&file); // the last run's
        let mut c = mpi.mpiexec(pes as usize);
        if mpi == Mpi::Openmpi {
            c.args(["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]);
        }
        c.args(["env", "UCX_TLS=tcp,self", "FI_PROVIDER=tcp", "MPIR_CVAR_NOLOCAL=1", "OSHMPI_ROUTE=mpi"]);
        c.arg(format!("OSHMPI_TRANSPORT={transport}")).arg(format!("NET_FILE={}", file.display()));
        c.arg(format!("LD_PRELOAD={}", library.display())).arg(&program).args(of_all.then_some("all"));
        let printed = output(&mut limited_to(&c, LIMIT))?;
        read(&printed, pes).with_context(|| printed.clone())
    };
    let mut wrong = Vec::new();
    for &(path, transport) in paths(mpi) {
        let mut rows: Vec<(String, Vec<Phase>)> = Vec::new();
        for &pes in numbers {
            let alone = counted(transport, pes, false)?;
            let all = counted(transport, pes, true)?;
            let others = all.into_iter().filter(|(name, _)| alone.iter().all(|(other, _)| name != other));
            for (name, phase) in alone.iter().cloned().chain(others) {
                wrong.extend(judge(path, pes, &name, &phase).err());
                match rows.iter_mut().find(|(row, _)| *row == name) {
                    Some((_, phases)) => phases.push(phase),
                    None => rows.push((name, vec![phase])),
                }
            }
        }
        print(path, numbers, &rows);
    }
    ensure!(wrong.is_empty(), "{}", wrong.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    Ok(())
}

/// Calls of the PE that sends most, and of all; and what a PE has then.
fn print(path: &str, numbers: &[u64], rows: &[(String, Vec<Phase>)]) {
    let heads: String = numbers.iter().map(|pes| format!(" {pes} PEs |")).collect();
    println!("\n| {path} |{heads}\n|---|{}", "---|".repeat(numbers.len()));
    let row = |name: &str, phases: &[Phase], cell: &dyn Fn(&Phase, u64) -> String| {
        let cells: String =
            phases.iter().zip(numbers).map(|(phase, &pes)| format!(" {} |", cell(phase, pes))).collect();
        println!("| {name} |{cells}");
    };
    for (name, phases) in rows {
        row(name, phases, &|phase, _| format!("{}, {}", phase.most[0], phase.sum[0]));
        if phases.iter().any(|phase| phase.setups > 0) {
            row(&format!("{name}, MPI's set-up"), phases, &|phase, _| format!("{}, {}", phase.most[1], phase.sum[1]));
        }
    }
    for (name, phases) in rows.iter().filter(|(name, _)| ["start", "ring", "all to all"].contains(&name.as_str())) {
        let has = |phase: &Phase, pes| format!("{}, {}", phase.connections / pes, phase.kib / pes);
        row(&format!("after {name}: connections, KiB"), phases, &has);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_with_the_pes_is_refused() {
        let judged =
            |path, pes, name, sends| judge(path, pes, name, &Phase { most: [sends, 0], ..Phase::default() }).is_ok();
        // As counted, and with one call more for each PE.
        let counted = [
            ("ucx", "start", 40),
            ("ucx", "end", 34),
            ("ofi", "start", 11),
            ("mpi", "start", 16),
            ("rma", "start", 20),
        ];
        for (path, name, sends) in counted {
            assert!(judged(path, 16, name, sends) && !judged(path, 16, name, sends + 15), "{path} {name}");
        }
        assert!(judged("rma", 16, "barrier", 4) && !judged("rma", 16, "barrier", 5));
        for pes in [4, 16, 64] {
            assert!(judged("ucx", pes, "3 x put and fence", 6) && !judged("ucx", pes, "3 x put and fence", 7));
            assert!(judged("mpi", pes, "1 x put of 16 KiB", 16) && !judged("mpi", pes, "1 x put of 16 KiB", 17));
            assert!(!judged("mpi", pes, "1 x atomic add", 0), "nothing was counted");
        }
        let of_ucx = Phase { most: [17, 0], connections: 24, ..Phase::default() };
        assert!(judge("ucx", 4, "start", &of_ucx).is_ok());
        assert!(judge("ucx", 4, "start", &Phase { setups: 1, ..of_ucx.clone() }).is_err());
        assert!(judge("ucx", 4, "start", &Phase { connections: 25, ..of_ucx }).is_err());
    }

    #[test]
    fn lines_of_a_phase_are_one() {
        let printed = "PE 0: 1 x put: 2 0 1 4 100\nPE 1: 1 x put: 1 5 1 6 110\n";
        let [(name, phase)] = &read(&printed.repeat(2), 2).unwrap()[..] else { panic!("one phase") };
        let all = Phase { most: [2, 5], sum: [3, 5], setups: 1, connections: 10, kib: 210 };
        assert_eq!((name.as_str(), phase), ("1 x put", &all));
        assert!(read(printed, 4).is_err(), "lines of PEs are missing");
        assert!(read("PE 0: barrier: 1 2 3 4\n", 1).is_err());
    }
}
