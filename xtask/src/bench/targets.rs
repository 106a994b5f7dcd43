//! What a figure is compared with, and the figures that the project promises.

use super::contest::Contestant;
use super::parse::SLOWEST;
use super::plan::{COLLECTIVES, LOCK, PES, PUT_SIGNAL, WAIT, over_sizes};
use super::samples::{Memory, Samples, What};
use crate::util::Mpi;
use serde::{Deserialize, Serialize};

/// A target and what was measured.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Verdict {
    pub target: String,
    /// In the target's unit.
    pub value: f64,
    pub at_most: f64,
    pub ok: bool,
}

impl Verdict {
    pub fn new(target: String, value: f64, at_most: f64) -> Verdict {
        Verdict { target, value, at_most, ok: value <= at_most }
    }
}

/// What the peers are asked where oshmpi is asked `measure`: they have no team forms. None: not a collective.
pub fn asked(measure: &'static str) -> Option<&'static str> {
    let collective = COLLECTIVES.iter().find(|c| c.team == Some(measure) || c.name == measure).map(|c| c.name);
    collective.or([PUT_SIGNAL, WAIT, LOCK].into_iter().find(|name| *name == measure))
}

/// The time of Open MPI's OpenSHMEM.
pub fn oshmem(samples: &Samples, what: &What) -> Option<f64> {
    samples.median(Contestant::Oshmem, what)
}

/// The time of the plain MPI call that comes closest. One-sided memory is always window memory there, and every put and
/// atomic is nonblocking until its flush.
pub fn plain(samples: &Samples, mpi: Mpi, what: &What) -> Option<f64> {
    let measure = match what.measure {
        "put" | "put_nb" => "put",
        "get" | "get_nb" => "get",
        "atomics" => "atomics",
        "barrier" | "barrier_active" => "barrier",
        other => asked(other)?,
    };
    // MPI has no increment.
    let row = what.row.replace("_finc", "_fadd").replace("_inc", "_add");
    samples.median(Contestant::Plain(mpi), &What::any(measure, what.pes, &row))
}

/// The least time that the machine needs.
pub fn limit(samples: &Samples, what: &What, cores: usize) -> Option<f64> {
    let at = |measure, pes, row: &str| samples.median(Contestant::Limit, &What::any(measure, pes, row));
    let get = |measure, row: &str| at(measure, 2, row);
    let row = what.row.trim_end_matches(SLOWEST);
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
            // News from another core must arrive. Of k processes on one core, k-1 must be switched to: the process that
            // arrives last in this barrier can be the first of the next.
            let arrive = if cores > 1 { get("handoff", "line_one_way")? } else { 0.0 };
            let turns = what.pes.div_ceil(cores) - 1;
            let switch = if turns > 0 { get("handoff", "process_switch")? } else { 0.0 };
            Some(arrive + turns as f64 * switch)
        }
        // The data must be copied to the other PE once.
        "broadcast" | "broadcast_team" if what.pes == 2 => get("broadcast", row),
        // Every block must be copied once, between two barriers.
        "alltoall" | "alltoall_team" => at("alltoall", what.pes, row),
        _ => None,
    }
}

/// Judges all targets for which there are figures.
pub fn judge(samples: &Samples, ours: Contestant, cores: usize) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut check = |target: String, value: Option<f64>, at_most: f64| {
        verdicts.extend(value.map(|value| Verdict::new(format!("{}: {target}", ours.name()), value, at_most)));
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
    for pes in PES {
        let barrier = What::any("barrier", pes, "avg");
        let value = ratio(&barrier, oshmem(samples, &barrier));
        check(format!("barrier {pes} PEs, of Open MPI OSHMEM's time"), value, at_most(pes));
    }
    for measure in over_sizes().chain([WAIT, LOCK]) {
        for pes in PES.into_iter().filter(|pes| same_launcher(ours, *pes, cores)) {
            collective(samples, ours, measure, pes, cores, &mut check);
        }
    }
    for measure in ["broadcast", "broadcast_team"] {
        // The mean would be half the time of a copy if the root need not wait: the slowest PE's time.
        let what = What::any(measure, 2, &format!("{}{SLOWEST}", 1 << 20));
        // 0.9 of memcpy's rate is 1/0.9 of its time.
        let value = ratio(&what, limit(samples, &what, cores));
        check(format!("{measure} 1 MiB 2 PEs, of memcpy's time"), value, 1.0 / 0.9);
    }
    verdicts
}

/// The time over the best peer's that is promised at this number of PEs.
fn at_most(pes: usize) -> f64 {
    if pes == 2 { 1.0 } else { 0.6 }
}

/// Up to this size a collective's latency is all, and at 2 PEs at most `SMALL_AT_MOST` is promised.
const SMALL: u64 = 64;
const SMALL_AT_MOST: f64 = 0.7;

/// Where the smallest exchange of the machine takes longer than the target, oshmpi may take so many times as long: it
/// checks and translates what it is given.
const EXCHANGE_AT_MOST: f64 = 1.25;

/// A time below this part of the smallest exchange's time has shown that it can be done better. Then it is no limit.
const EXCHANGE_BEATEN: f64 = 0.9;

/// The targets of one collective: its worst row, its worst small size at 2 PEs, and its worst row that the smallest
/// exchange of the machine limits.
fn collective(
    samples: &Samples,
    ours: Contestant,
    measure: &'static str,
    pes: usize,
    cores: usize,
    check: &mut impl FnMut(String, Option<f64>, f64),
) {
    let all = ratios(samples, ours, measure, pes);
    // Where the best peer is about as fast as the smallest exchange, the exchange is what oshmpi is compared with.
    let of_limit = |row: &str| {
        let what = What::any(measure, pes, row);
        let limit = limit(samples, &what, cores)?;
        let theirs = of_peers(&what)?;
        let best = peers().filter_map(|who| samples.median(who, &theirs)).min_by(f64::total_cmp)?;
        let ratio = samples.median(ours, &what)? / limit;
        (limit > at_most(pes) * best && ratio >= EXCHANGE_BEATEN).then_some(ratio)
    };
    let mut worst = |rows: Vec<(&str, f64)>, how: &str, of: &str, at_most: f64| {
        if let Some((row, ratio)) = rows.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)) {
            check(format!("{measure} {pes} PEs{how}, worst at {row}, of the {of}"), Some(ratio), at_most);
        }
    };
    let rows = |keep: &dyn Fn(&str) -> bool| -> Vec<(&str, f64)> {
        all.iter().map(|(row, ratio)| (row.as_str(), *ratio)).filter(|(row, _)| keep(row)).collect()
    };
    if pes == 2 {
        let small = rows(&|row| row.parse::<u64>().is_ok_and(|size| size <= SMALL));
        worst(small, &format!(" up to {SMALL} B"), "best peer", SMALL_AT_MOST);
    }
    worst(rows(&|row| of_limit(row).is_none()), "", "best peer", at_most(pes));
    let bound = all.iter().filter_map(|(row, _)| Some((row.as_str(), of_limit(row)?))).collect();
    worst(bound, "", "smallest exchange", EXCHANGE_AT_MOST);
}

/// With more PEs than cores the launcher decides how the system shares them. Then oshmpi is compared with the peers
/// only under their launcher.
pub fn same_launcher(ours: Contestant, pes: usize, cores: usize) -> bool {
    pes <= cores || ours == Contestant::Ours(Mpi::Openmpi)
}

fn peers() -> impl Iterator<Item = Contestant> {
    Mpi::ALL.into_iter().map(Contestant::Plain).chain([Contestant::Oshmem])
}

fn of_peers(what: &What) -> Option<What> {
    Some(What { measure: asked(what.measure)?, ..what.clone() })
}

/// Rows of one collective in the order of their sizes, and oshmpi's time in each over that of the peer that does best
/// beside it.
pub fn ratios(samples: &Samples, ours: Contestant, measure: &'static str, pes: usize) -> Vec<(String, f64)> {
    let rows = samples.of(ours).filter(|w| w.measure == measure && w.pes == pes && !w.row.ends_with(SLOWEST));
    let mut all: Vec<_> = rows
        .filter_map(|what| {
            let theirs = of_peers(what)?;
            let ratio = peers().filter_map(|who| samples.ratio(ours, what, who, &theirs)).max_by(f64::total_cmp)?;
            Some((what.row.clone(), ratio))
        })
        .collect();
    all.sort_by_key(|(row, _)| row.parse::<u64>().unwrap_or(0));
    all
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::add;
    use super::*;

    const MPICH: Contestant = Contestant::Ours(Mpi::Mpich);
    const OPENMPI: Contestant = Contestant::Ours(Mpi::Openmpi);

    fn found<'a>(verdicts: &'a [Verdict], part: &str) -> &'a Verdict {
        let all: Vec<_> = verdicts.iter().filter(|v| v.target.contains(part)).collect();
        assert_eq!(all.len(), 1, "{part} in {verdicts:?}");
        all[0]
    }

    #[test]
    fn put_targets() {
        let mut s = Samples::default();
        add(&mut s, MPICH, "put", Memory::Heap, 2, "8", 0.016);
        add(&mut s, Contestant::Oshmem, "put", Memory::Heap, 2, "8", 0.040);
        add(&mut s, MPICH, "put", Memory::Statics, 2, "1048576", 40.0);
        add(&mut s, Contestant::Limit, "put", Memory::Any, 2, "1048576", 39.0);
        let verdicts = judge(&s, MPICH, 2);
        let of = |part| (found(&verdicts, part).value, found(&verdicts, part).ok);
        assert_eq!(of("put 8 B heap, ns"), (16.0, false));
        assert_eq!(of("put 8 B heap, of"), (0.4, true));
        assert!(of("put 1 MiB global").1);
        assert_eq!(verdicts.len(), 3, "figures that are missing are not judged");
    }

    #[test]
    fn the_limit_of_a_barrier_counts_turns() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "line_one_way", 0.25);
        add(&mut s, Contestant::Limit, "handoff", Memory::Any, 2, "process_switch", 1.0);
        let of = |pes, cores| limit(&s, &What::any("barrier", pes, "avg"), cores);
        assert_eq!([of(2, 2), of(4, 2), of(8, 2), of(4, 1)], [0.25, 1.25, 3.25, 3.0].map(Some));
    }

    #[test]
    fn peers_of_nonblocking_increment_and_team_forms() {
        let mut s = Samples::default();
        add(&mut s, Contestant::Plain(Mpi::Mpich), "put", Memory::Any, 2, "8", 0.9);
        add(&mut s, Contestant::Plain(Mpi::Mpich), "atomics", Memory::Any, 2, "int_fadd", 1.5);
        add(&mut s, Contestant::Limit, "atomics", Memory::Any, 2, "fetch_add", 0.007);
        let put = What { measure: "put_nb", memory: Memory::Statics, pes: 2, row: "8".into() };
        let inc = What { measure: "atomics", memory: Memory::Heap, pes: 2, row: "int_finc".into() };
        assert_eq!((plain(&s, Mpi::Mpich, &put), plain(&s, Mpi::Openmpi, &put)), (Some(0.9), None));
        assert_eq!((plain(&s, Mpi::Mpich, &inc), limit(&s, &inc, 2)), (Some(1.5), Some(0.007)));
        assert_eq!([asked("alltoalls_team"), asked("scan"), asked("put")], [Some("alltoalls"), Some("scan"), None]);
    }

    #[test]
    fn the_best_peer_counts() {
        let mut s = Samples::default();
        add(&mut s, OPENMPI, "reduce", Memory::Any, 2, "4", 0.3);
        add(&mut s, OPENMPI, "reduce_team", Memory::Any, 2, "4", 0.2);
        for (who, us) in [(Contestant::Oshmem, 0.8), (Contestant::Plain(Mpi::Mpich), 0.4)] {
            add(&mut s, who, "reduce", Memory::Any, 2, "4", us);
        }
        let ratio = |measure| ratios(&s, OPENMPI, measure, 2)[0].1;
        assert!((ratio("reduce") - 0.75).abs() < 1e-9 && (ratio("reduce_team") - 0.5).abs() < 1e-9);
    }

    #[test]
    fn two_pes_are_judged_on_small_sizes_and_on_all() {
        let mut s = Samples::default();
        for (size, us) in [("4", 0.5), ("64", 0.69), ("256", 0.9), ("1048576", 1.1)] {
            add(&mut s, OPENMPI, "fcollect", Memory::Any, 2, size, us);
            add(&mut s, OPENMPI, "fcollect", Memory::Any, 2, &format!("{size}{SLOWEST}"), us * 9.0);
            add(&mut s, Contestant::Oshmem, "fcollect", Memory::Any, 2, size, 1.0);
        }
        let verdicts = judge(&s, OPENMPI, 2);
        assert_eq!(verdicts.len(), 2, "{verdicts:?}");
        let small = found(&verdicts, "up to 64 B, worst at 64,");
        assert_eq!((small.value, small.at_most, small.ok), (0.69, 0.7, true));
        let all = found(&verdicts, "fcollect 2 PEs, worst at 1048576");
        assert_eq!((all.value, all.at_most, all.ok), (1.1, 1.0, false));
    }

    #[test]
    fn more_pes_than_cores_are_judged_under_the_peers_launcher_only() {
        let mut s = Samples::default();
        for who in [OPENMPI, MPICH] {
            add(&mut s, who, LOCK, Memory::Any, 4, "lock_handover", 0.7);
        }
        add(&mut s, Contestant::Oshmem, LOCK, Memory::Any, 4, "lock_handover", 1.0);
        assert!(!found(&judge(&s, OPENMPI, 2), "lock 4 PEs, worst at lock_handover").ok);
        assert!(judge(&s, MPICH, 2).is_empty());
        assert_eq!(judge(&s, MPICH, 4).len(), 1, "with a core each the launcher does not matter");
    }

    #[test]
    fn a_large_broadcast_is_judged_by_its_slowest_pe() {
        let mut s = Samples::default();
        add(&mut s, OPENMPI, "broadcast", Memory::Any, 2, "1048576", 50.0);
        add(&mut s, OPENMPI, "broadcast", Memory::Any, 2, "1048576 max", 100.0);
        add(&mut s, Contestant::Limit, "broadcast", Memory::Any, 2, "1048576", 80.0);
        let verdicts = judge(&s, OPENMPI, 2);
        let memcpy = found(&verdicts, "broadcast 1 MiB 2 PEs");
        assert_eq!((memcpy.value, memcpy.ok), (1.25, false));
    }

    #[test]
    fn what_no_machine_can_do_is_not_asked() {
        let mut s = Samples::default();
        for (size, us, limit) in [("4", 0.5, None), ("65536", 9.0, Some(8.0)), ("262144", 5.0, Some(4.0))] {
            add(&mut s, OPENMPI, "alltoall", Memory::Any, 4, size, us);
            add(&mut s, Contestant::Oshmem, "alltoall", Memory::Any, 4, size, 10.0);
            limit.into_iter().for_each(|us| add(&mut s, Contestant::Limit, "alltoall", Memory::Any, 4, size, us));
        }
        // The third entry outvotes those before it, as the median over rounds does.
        let with = |limit: f64, times| {
            let mut s = s.clone();
            (0..times).for_each(|_| add(&mut s, Contestant::Limit, "alltoall", Memory::Any, 4, "65536", limit));
            judge(&s, OPENMPI, 2)
        };
        let verdicts = with(8.0, 0);
        let peer = found(&verdicts, "of the best peer");
        assert_eq!((peer.value, peer.ok), (0.5, true), "{verdicts:?}");
        for (limit, times, of, value, ok) in [
            (8.0, 0, "smallest exchange", 1.125, true),
            (9.5, 3, "smallest exchange", 9.0 / 9.5, true),
            // Much faster than the exchange: then it is no limit. Much slower: the target is missed.
            (11.0, 3, "best peer", 0.9, false),
            (6.5, 5, "smallest exchange", 9.0 / 6.5, false),
        ] {
            let verdicts = with(limit, times);
            let one = found(&verdicts, &format!("worst at 65536, of the {of}"));
            assert_eq!((one.value, one.ok), (value, ok), "{verdicts:?}");
        }
    }
}
