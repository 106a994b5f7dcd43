//! What a figure is compared with, and the figures that the project promises.

use super::collective;
use super::contest::Contestant;
use super::parse::SLOWEST;
use super::plan::BARRIER_PES;
use super::samples::{Memory, Samples, What};
use crate::util::Mpi;
use serde::{Deserialize, Serialize};

/// A target and what was measured.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Verdict {
    pub target: String,
    /// In the target's unit: nanoseconds or a ratio.
    pub value: f64,
    pub at_most: f64,
    pub ok: bool,
}

fn any(measure: &'static str, pes: usize, row: &str) -> What {
    What { measure, memory: Memory::Any, pes, row: row.to_string() }
}

/// Open MPI's OpenSHMEM doing the same.
pub fn oshmem(samples: &Samples, what: &What) -> Option<f64> {
    samples.median(Contestant::Oshmem, what)
}

/// Plain MPI doing what comes closest: one-sided memory is always window memory there, and every put and atomic is
/// nonblocking until its flush.
pub fn plain(samples: &Samples, mpi: Mpi, what: &What) -> Option<f64> {
    let (measure, row) = match what.measure {
        "put" | "put_nb" => ("put", what.row.clone()),
        "get" | "get_nb" => ("get", what.row.clone()),
        // MPI has no increment.
        "atomics" => ("atomics", what.row.replace("_finc", "_fadd").replace("_inc", "_add")),
        "barrier" | "barrier_active" => ("barrier", what.row.clone()),
        other => (collective::asked(other)?, what.row.clone()),
    };
    samples.median(Contestant::Plain(mpi), &any(measure, what.pes, &row))
}

/// The least that the machine needs for it.
pub fn limit(samples: &Samples, what: &What, cores: usize) -> Option<f64> {
    let get = |measure, row: &str| samples.median(Contestant::Limit, &any(measure, 2, row));
    match what.measure {
        "put" | "put_nb" => get("put", &what.row),
        "get" | "get_nb" => get("get", &what.row),
        "put_mr" | "put_mr_nb" => get("put_window", &what.row),
        "get_mr_nb" => get("get_window", &what.row),
        "atomics" => {
            let (_, operation) = what.row.split_once('_')?;
            let instruction = match operation {
                "fadd" | "finc" | "add" | "inc" => "fetch_add",
                "swap" => "exchange",
                "cswap" => "compare_exchange",
                "fetch" => "load",
                "set" => "store",
                _ => return None,
            };
            get("atomics", instruction)
        }
        "barrier" | "barrier_active" => {
            // News from another core must arrive; and of k processes on one core, k-1 must be switched to: the one
            // that arrives last in this barrier can be the first of the next.
            let arrive = if cores > 1 { get("handoff", "line_one_way")? } else { 0.0 };
            let turns = what.pes.div_ceil(cores) - 1;
            let switch = if turns > 0 { get("handoff", "process_switch")? } else { 0.0 };
            Some(arrive + turns as f64 * switch)
        }
        // To one other PE the data must be copied once.
        "broadcast" | "broadcast_team" if what.pes == 2 => get("broadcast", what.row.trim_end_matches(SLOWEST)),
        // Every block once, between two meetings.
        "alltoall" | "alltoall_team" => {
            samples.median(Contestant::Limit, &any("alltoall", what.pes, what.row.trim_end_matches(SLOWEST)))
        }
        _ => None,
    }
}

/// Judges all targets for which there are figures.
pub fn judge(samples: &Samples, ours: Contestant, cores: usize) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut check = |target: String, value: Option<f64>, at_most: f64| {
        if let Some(value) = value {
            verdicts.push(Verdict {
                target: format!("{}: {target}", ours.name()),
                value,
                at_most,
                ok: value <= at_most,
            });
        }
    };
    let us = |what: &What| samples.median(ours, what);
    let ratio = |what: &What, other: Option<f64>| Some(us(what)? / other?);

    for memory in [Memory::Heap, Memory::Statics] {
        let place = memory.word();
        for measure in ["put", "get"] {
            let small = What { measure, memory, pes: 2, row: "8".into() };
            check(format!("{measure} 8 B {place}, ns"), us(&small).map(|v| v * 1e3), 15.0);
            let ratio = ratio(&small, oshmem(samples, &small));
            check(format!("{measure} 8 B {place}, of Open MPI OSHMEM's time"), ratio, 0.5);
        }
        let large = What { measure: "put", memory, pes: 2, row: (1 << 20).to_string() };
        // 0.95 of memcpy's rate is 1/0.95 of its time.
        let ratio = ratio(&large, limit(samples, &large, cores));
        check(format!("put 1 MiB {place}, of memcpy's time"), ratio, 1.0 / 0.95);
        for row in ["int_fadd", "longlong_fadd"] {
            let fadd = What { measure: "atomics", memory, pes: 2, row: row.into() };
            check(format!("{row} {place}, ns"), us(&fadd).map(|v| v * 1e3), 12.0);
        }
    }
    for pes in BARRIER_PES {
        let barrier = any("barrier", pes, "avg");
        let at_most = if pes == 2 { 1.0 } else { 0.6 };
        check(
            format!("barrier {pes} PEs, of Open MPI OSHMEM's time"),
            ratio(&barrier, oshmem(samples, &barrier)),
            at_most,
        );
    }
    verdicts.extend(collective::judge(samples, ours, cores));
    verdicts
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Row, Unit};
    use super::*;

    const OURS: Contestant = Contestant::Ours(Mpi::Mpich);

    fn add(s: &mut Samples, who: Contestant, measure: &'static str, memory: Memory, pes: usize, row: &str, us: f64) {
        s.add(who, measure, memory, pes, Row { name: row.into(), value: us, unit: Unit::Us });
    }

    fn verdict(verdicts: &[Verdict], part: &str) -> (f64, bool) {
        let found: Vec<_> = verdicts.iter().filter(|v| v.target.contains(part)).collect();
        assert_eq!(found.len(), 1, "{part} in {verdicts:?}");
        (found[0].value, found[0].ok)
    }

    #[test]
    fn put_targets() {
        let mut s = Samples::default();
        add(&mut s, OURS, "put", Memory::Heap, 2, "8", 0.016);
        add(&mut s, Contestant::Oshmem, "put", Memory::Heap, 2, "8", 0.040);
        add(&mut s, OURS, "put", Memory::Statics, 2, "1048576", 40.0);
        add(&mut s, Contestant::Limit, "put", Memory::Any, 2, "1048576", 39.0);
        let verdicts = judge(&s, OURS, 2);
        assert_eq!(verdict(&verdicts, "put 8 B heap, ns"), (16.0, false));
        assert_eq!(verdict(&verdicts, "put 8 B heap, of"), (0.4, true));
        assert!(verdict(&verdicts, "put 1 MiB global").1);
        assert_eq!(verdicts.len(), 3, "figures that are missing are not judged");
    }

    #[test]
    fn barrier_targets_depend_on_the_number_of_pes() {
        let mut s = Samples::default();
        for pes in BARRIER_PES {
            add(&mut s, OURS, "barrier", Memory::Any, pes, "avg", 0.9);
            add(&mut s, Contestant::Oshmem, "barrier", Memory::Any, pes, "avg", 1.0);
        }
        let verdicts = judge(&s, OURS, 2);
        assert_eq!(verdict(&verdicts, "barrier 2"), (0.9, true));
        assert_eq!(verdict(&verdicts, "barrier 4"), (0.9, false));
        assert_eq!(verdict(&verdicts, "barrier 8"), (0.9, false));
    }

    #[test]
    fn the_limit_of_a_barrier_counts_turns() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "line_one_way", 0.25);
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "process_switch", 1.0);
        let of = |pes, cores| limit(&s, &any("barrier", pes, "avg"), cores);
        assert_eq!(of(2, 2), Some(0.25));
        assert_eq!(of(4, 2), Some(1.25));
        assert_eq!(of(8, 2), Some(3.25));
        assert_eq!(of(4, 1), Some(3.0));
    }

    #[test]
    fn peers_of_nonblocking_and_increment() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Plain(Mpi::Mpich), "put", Memory::Any, 2, "8", 0.9);
        add(&mut s, Contestant::Plain(Mpi::Mpich), "atomics", Memory::Any, 2, "int_fadd", 1.5);
        add(&mut s, Contestant::Limit, "atomics", Memory::Any, 2, "fetch_add", 0.007);
        let put = What { measure: "put_nb", memory: Memory::Statics, pes: 2, row: "8".into() };
        let inc = What { measure: "atomics", memory: Memory::Heap, pes: 2, row: "int_finc".into() };
        assert_eq!(plain(&s, Mpi::Mpich, &put), Some(0.9));
        assert_eq!(plain(&s, Mpi::Openmpi, &put), None);
        assert_eq!(plain(&s, Mpi::Mpich, &inc), Some(1.5));
        assert_eq!(limit(&s, &inc, 2), Some(0.007));
    }
}
