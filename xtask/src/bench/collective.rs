//! Collectives, signals, waits and locks: what is run, and how ours compares with the fastest peer.

use super::contest::{Contestant, Program};
use super::parse::SLOWEST;
use super::plan::{Group, Step, Wanted, implementations};
use super::report;
use super::samples::{Memory, Samples, What};
use super::targets::{self, Verdict};
use crate::util::Mpi;
use std::fmt::Write;

/// Numbers of PEs that collectives are measured at.
pub const PES: [usize; 3] = [2, 4, 8];

/// Sizes in bytes that the programs step through.
const SIZES: [u64; 10] = [4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576];

/// Up to this size latency is all, and more is asked.
const SMALL: u64 = 64;

/// Where the smallest exchange there is takes longer than the target, ours may take so many times as long: it checks and
/// translates what it is given.
const SMALLEST: f64 = 1.25;

/// Who takes less than this part of the time of that exchange has shown that it can be done better: then it is no limit.
const BEATEN: f64 = 0.9;

/// Without a core for every PE: figures differ little between rounds, and there are many.
const ROUNDS: usize = 3;

/// With one, programs are short, and one round says little: see `line`.
fn rounds_at(pes: usize, cores: usize) -> usize {
    if pes <= cores { usize::MAX } else { ROUNDS }
}

/// A program, and what its forms are called.
struct Collective {
    /// The measurement; also the word of `mpi/mpi_collective`.
    name: &'static str,
    source: &'static str,
    /// The team form beside the active-set form, which is all that the peer has. None: there is no active-set form, and
    /// `name` is the team form.
    team: Option<&'static str>,
}

const COLLECTIVES: [Collective; 7] = [
    Collective { name: "broadcast", source: "osu/osu_oshm_broadcast", team: Some("broadcast_team") },
    Collective { name: "collect", source: "osu/osu_oshm_collect", team: Some("collect_team") },
    Collective { name: "fcollect", source: "osu/osu_oshm_fcollect", team: Some("fcollect_team") },
    Collective { name: "reduce", source: "osu/osu_oshm_reduce", team: Some("reduce_team") },
    Collective { name: "alltoall", source: "osu/osu_oshm_alltoall", team: Some("alltoall_team") },
    Collective { name: "alltoalls", source: "osu/osu_oshm_alltoalls", team: Some("alltoalls_team") },
    Collective { name: "scan", source: "osu/osu_oshm_scan", team: None },
];

/// Messages between pairs that are waited for, and the lock.
const PUT_SIGNAL: &str = "put_signal";
const WAIT: &str = "wait";
const LOCK: &str = "lock";

/// The names that `--only` takes.
pub fn names() -> impl Iterator<Item = &'static str> {
    COLLECTIVES.iter().map(|c| c.name).chain([PUT_SIGNAL, WAIT, LOCK])
}

/// The measurements that have `SIZES`.
pub fn over_sizes() -> impl Iterator<Item = &'static str> {
    COLLECTIVES.iter().flat_map(|c| [Some(c.name), c.team]).flatten().chain([PUT_SIGNAL])
}

/// What peers are asked where we are asked `measure`: they have no team forms. None: not a measurement of this file.
pub fn asked(measure: &'static str) -> Option<&'static str> {
    let team = COLLECTIVES.iter().find(|c| c.team == Some(measure)).map(|c| c.name);
    team.or_else(|| names().find(|name| *name == measure))
}

pub fn plan(wanted: &Wanted, groups: &mut Vec<Group>) {
    const QUICK: u32 = 200;
    for pes in PES {
        let step = |who, source: &'static str, measure, word: Option<&str>| Step {
            who,
            program: Program { source, shmem: source.starts_with("osu/") },
            args: wanted.args(word, QUICK),
            measure,
            memory: Memory::Any,
            pes,
        };
        // Without a core each, MPICH's ranks spin against each other: milliseconds for each operation, minutes for each
        // program, and nobody's best.
        let plain = || wanted.plain().filter(|who| pes <= wanted.cores || *who != Contestant::Plain(Mpi::Mpich));
        for c in COLLECTIVES.iter().filter(|c| wanted.has(c.name)) {
            let mut steps = Vec::new();
            for who in implementations(wanted) {
                let team = c.team.unwrap_or(c.name);
                if who.is_ours() {
                    steps.push(step(who, c.source, team, Some("team")));
                }
                if c.team.is_some() {
                    steps.push(step(who, c.source, c.name, Some("active")));
                }
            }
            steps.extend(plain().map(|who| step(who, "mpi/mpi_collective", c.name, Some(c.name))));
            if c.name == "broadcast" && pes == 2 {
                steps.push(step(Contestant::Limit, "limits/limit_memcpy", c.name, Some("get")));
            }
            if c.name == "alltoall" {
                let word = pes.to_string();
                steps.push(step(Contestant::Limit, "limits/limit_exchange", c.name, Some(&word)));
            }
            groups.push(Group { steps, rounds: rounds_at(pes, wanted.cores) });
        }
        for (name, source) in [(PUT_SIGNAL, "osu/osu_oshm_put_signal"), (WAIT, "osu/osu_oshm_wait")] {
            if wanted.has(name) {
                let shmem = implementations(wanted).into_iter().map(|who| step(who, source, name, Some("heap")));
                let mut steps: Vec<Step> = shmem.collect();
                steps.extend(plain().map(|who| {
                    let mut step = step(who, "mpi/mpi_pingpong", name, None);
                    if name == WAIT {
                        // A wait has no size but its word's.
                        step.args.extend(["-m".to_string(), "8:8".to_string()]);
                    }
                    step
                }));
                groups.push(Group { steps, rounds: ROUNDS });
            }
        }
        if wanted.has(LOCK) {
            let all = implementations(wanted).into_iter();
            let steps = all.map(|who| step(who, "osu/osu_oshm_lock", LOCK, None)).collect();
            groups.push(Group { steps, rounds: ROUNDS });
        }
    }
}

/// The peers, over whichever MPI and launcher.
fn peers() -> impl Iterator<Item = Contestant> {
    Mpi::ALL.into_iter().map(Contestant::Plain).chain([Contestant::Oshmem])
}

/// The same, as the peers measure it.
fn of_peers(what: &What) -> Option<What> {
    Some(What { measure: asked(what.measure)?, ..what.clone() })
}

/// The shortest time that any peer took in this run.
fn best_peer(samples: &Samples, what: &What) -> Option<f64> {
    let what = of_peers(what)?;
    peers().filter_map(|who| samples.median(who, &what)).min_by(f64::total_cmp)
}

/// Our time over that of the peer that does best beside us.
fn of_best_peer(samples: &Samples, ours: Contestant, what: &What) -> Option<f64> {
    let theirs = of_peers(what)?;
    peers().filter_map(|who| samples.ratio(ours, what, who, &theirs)).max_by(f64::total_cmp)
}

/// Rows of one measurement, in the order of their sizes, and our time in each over the fastest peer's.
pub fn ratios(samples: &Samples, ours: Contestant, measure: &'static str, pes: usize) -> Vec<(String, f64)> {
    let rows = samples.of(ours).filter(|w| w.measure == measure && w.pes == pes && !w.row.ends_with(SLOWEST));
    let ratio = |w: &What| Some((w.row.clone(), of_best_peer(samples, ours, w)?));
    let mut all: Vec<_> = rows.filter_map(ratio).collect();
    all.sort_by_key(|(row, _)| row.parse::<u64>().unwrap_or(0));
    all
}

/// With more PEs than cores the launcher decides how the system shares them, so that only ours under the peer's
/// launcher is compared with it.
fn same_launcher(ours: Contestant, pes: usize, cores: usize) -> bool {
    pes <= cores || ours == Contestant::Ours(Mpi::Openmpi)
}

/// The targets: one for the worst row of each measurement, one for its worst small size at 2 PEs, memcpy's rate.
pub fn judge(samples: &Samples, ours: Contestant, cores: usize) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut check = |target: String, value: f64, at_most: f64| {
        let target = format!("{}: {target}", ours.name());
        verdicts.push(Verdict { target, value, at_most, ok: value <= at_most });
    };
    for measure in over_sizes().chain([WAIT, LOCK]) {
        for pes in PES.into_iter().filter(|pes| same_launcher(ours, *pes, cores)) {
            let all = ratios(samples, ours, measure, pes);
            let small = |row: &str| row.parse::<u64>().is_ok_and(|size| size <= SMALL);
            let worst = |keep: &dyn Fn(&str) -> bool| {
                all.iter().filter(|(row, _)| keep(row)).max_by(|a, b| a.1.total_cmp(&b.1)).cloned()
            };
            if pes == 2
                && let Some((row, ratio)) = worst(&small)
            {
                check(format!("{measure} 2 PEs up to {SMALL} B, worst at {row}, of the best peer"), ratio, 0.7);
            }
            let at_most = if pes == 2 { 1.0 } else { 0.6 };
            // Where the peer is about as fast as the smallest exchange there is, that is what we are held to.
            let what = |row: &str| What { measure, memory: Memory::Any, pes, row: row.to_owned() };
            let of_limit = |row: &str| {
                let limit = targets::limit(samples, &what(row), cores)?;
                let ratio = samples.median(ours, &what(row))? / limit;
                let beyond = limit > at_most * best_peer(samples, &what(row))?;
                (beyond && ratio >= BEATEN).then_some(ratio)
            };
            if let Some((row, ratio)) = worst(&|row| of_limit(row).is_none()) {
                check(format!("{measure} {pes} PEs, worst at {row}, of the best peer"), ratio, at_most);
            }
            let bound = all.iter().filter_map(|(row, _)| Some((row, of_limit(row)?)));
            if let Some((row, ratio)) = bound.max_by(|a, b| a.1.total_cmp(&b.1)) {
                check(format!("{measure} {pes} PEs, worst at {row}, of the smallest exchange"), ratio, SMALLEST);
            }
        }
    }
    for measure in ["broadcast", "broadcast_team"] {
        // The mean would be half the time of a copy if the root need not wait: the slowest PE's time.
        let row = format!("{}{SLOWEST}", 1 << 20);
        let what = What { measure, memory: Memory::Any, pes: 2, row };
        let pair = (samples.median(ours, &what), targets::limit(samples, &what, cores));
        if let (Some(us), Some(limit)) = pair {
            // 0.9 of memcpy's rate is 1/0.9 of its time.
            check(format!("{measure} 1 MiB 2 PEs, of memcpy's time"), us / limit, 1.0 / 0.9);
        }
    }
    verdicts
}

/// Ratios to the fastest peer, a line per measurement and number of PEs, a column per size.
pub fn table(samples: &Samples, mpi: Mpi, cores: usize) -> String {
    let ours = Contestant::Ours(mpi);
    let mut lines = String::new();
    let mut other_launcher = false;
    for measure in over_sizes() {
        for pes in PES {
            let all = ratios(samples, ours, measure, pes);
            if all.is_empty() {
                continue;
            }
            let mark = if same_launcher(ours, pes, cores) { ' ' } else { '*' };
            other_launcher |= mark == '*';
            write!(lines, "{measure:<15}{pes:>4}{mark}").expect("writing to a string");
            for size in SIZES {
                let found = all.iter().find(|(row, _)| *row == size.to_string());
                let cell = found.map_or("-".into(), |(_, ratio)| report::ratio(*ratio, Some(1.0)));
                write!(lines, "{cell:>8}").expect("writing to a string");
            }
            lines.push('\n');
        }
    }
    if lines.is_empty() {
        return lines;
    }
    let mut out = format!("\n{}: time over that of the fastest peer (Open MPI OSHMEM and plain MPI)\n", ours.name());
    write!(out, "{:<15}{:>4} ", "operation", "PEs").expect("writing to a string");
    SIZES.iter().for_each(|size| write!(out, "{size:>8}").expect("writing to a string"));
    out.push('\n');
    out.push_str(&lines);
    if other_launcher {
        out.push_str("* more PEs than cores, and not the peers' launcher: no targets\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Row, Unit};
    use super::*;

    const OURS: Contestant = Contestant::Ours(Mpi::Openmpi);
    const MPICH: Contestant = Contestant::Ours(Mpi::Mpich);

    fn add(s: &mut Samples, who: Contestant, measure: &'static str, pes: usize, row: &str, us: f64) {
        s.add(who, measure, Memory::Any, pes, Row { name: row.into(), value: us, unit: Unit::Us });
    }

    fn found<'a>(verdicts: &'a [Verdict], part: &str) -> &'a Verdict {
        let all: Vec<_> = verdicts.iter().filter(|v| v.target.contains(part)).collect();
        assert_eq!(all.len(), 1, "{part} in {verdicts:?}");
        all[0]
    }

    #[test]
    fn the_fastest_peer_counts() {
        let mut s = Samples::default();
        add(&mut s, OURS, "reduce", 2, "4", 0.3);
        add(&mut s, OURS, "reduce_team", 2, "4", 0.2);
        add(&mut s, Contestant::Oshmem, "reduce", 2, "4", 0.8);
        add(&mut s, Contestant::Plain(Mpi::Mpich), "reduce", 2, "4", 0.4);
        add(&mut s, Contestant::Plain(Mpi::Openmpi), "reduce", 2, "4", 0.5);
        let ratio = |measure| ratios(&s, OURS, measure, 2)[0].1;
        assert!((ratio("reduce") - 0.75).abs() < 1e-9);
        assert!((ratio("reduce_team") - 0.5).abs() < 1e-9, "a team form is compared with the peers' only form");
    }

    #[test]
    fn two_pes_are_judged_on_small_sizes_and_on_all() {
        let mut s = Samples::default();
        for (size, us) in [("4", 0.5), ("64", 0.69), ("256", 0.9), ("1048576", 1.1)] {
            add(&mut s, OURS, "fcollect", 2, size, us);
            add(&mut s, OURS, "fcollect", 2, &format!("{size}{SLOWEST}"), us * 9.0);
            add(&mut s, Contestant::Oshmem, "fcollect", 2, size, 1.0);
        }
        let verdicts = judge(&s, OURS, 2);
        assert_eq!(verdicts.len(), 2, "{verdicts:?}");
        let small = found(&verdicts, "up to 64 B, worst at 64,");
        assert_eq!((small.value, small.at_most, small.ok), (0.69, 0.7, true));
        let all = found(&verdicts, "fcollect 2 PEs, worst at 1048576");
        assert_eq!((all.value, all.at_most, all.ok), (1.1, 1.0, false));
    }

    #[test]
    fn a_crowd_is_judged_under_the_peers_launcher_only() {
        let mut s = Samples::default();
        for who in [OURS, MPICH] {
            add(&mut s, who, LOCK, 4, "lock_handover", 0.7);
        }
        add(&mut s, Contestant::Oshmem, LOCK, 4, "lock_handover", 1.0);
        let crowded = judge(&s, OURS, 2);
        assert!(!found(&crowded, "lock 4 PEs, worst at lock_handover").ok);
        assert!(judge(&s, MPICH, 2).is_empty());
        assert_eq!(judge(&s, MPICH, 4).len(), 1, "with a core each the launcher does not matter");
    }

    #[test]
    fn a_large_broadcast_is_judged_by_its_slowest_pe() {
        let mut s = Samples::default();
        add(&mut s, OURS, "broadcast", 2, "1048576", 50.0);
        add(&mut s, OURS, "broadcast", 2, "1048576 max", 100.0);
        add(&mut s, Contestant::Limit, "broadcast", 2, "1048576", 80.0);
        let verdicts = judge(&s, OURS, 2);
        let memcpy = found(&verdicts, "broadcast 1 MiB 2 PEs");
        assert_eq!((memcpy.value, memcpy.ok), (1.25, false));
    }

    #[test]
    fn what_no_machine_can_do_is_not_asked() {
        let mut s = Samples::default();
        for (size, us, limit) in [("4", 0.5, None), ("65536", 9.0, Some(8.0)), ("262144", 5.0, Some(4.0))] {
            add(&mut s, OURS, "alltoall", 4, size, us);
            add(&mut s, Contestant::Oshmem, "alltoall", 4, size, 10.0);
            if let Some(limit) = limit {
                add(&mut s, Contestant::Limit, "alltoall", 4, size, limit);
            }
        }
        let verdicts = judge(&s, OURS, 2);
        let peer = found(&verdicts, "of the best peer");
        assert_eq!((peer.value, peer.ok), (0.5, true), "{verdicts:?}");
        let machine = found(&verdicts, "worst at 65536, of the smallest exchange");
        assert_eq!((machine.value, machine.ok), (1.125, true));
        // About as fast, and much faster: then it is none.
        for (limit, row, value, ok) in [(9.5, "smallest exchange", 9.0 / 9.5, true), (11.0, "best peer", 0.9, false)] {
            let mut s = s.clone();
            for _ in 0..3 {
                add(&mut s, Contestant::Limit, "alltoall", 4, "65536", limit);
            }
            let verdicts = judge(&s, OURS, 2);
            let one = found(&verdicts, &format!("worst at 65536, of the {row}"));
            assert_eq!((one.value, one.ok), (value, ok), "{verdicts:?}");
        }
        // Much slower than it.
        for _ in 0..5 {
            add(&mut s, Contestant::Limit, "alltoall", 4, "65536", 6.5);
        }
        assert!(!found(&judge(&s, OURS, 2), "worst at 65536, of the smallest exchange").ok);
    }

    #[test]
    fn the_table_marks_another_launcher() {
        let mut s = Samples::default();
        for pes in [2, 4] {
            add(&mut s, MPICH, "scan", pes, "16", 0.3);
            add(&mut s, Contestant::Plain(Mpi::Openmpi), "scan", pes, "16", 0.6);
        }
        let text = table(&s, Mpi::Mpich, 2);
        let cells = |n: usize| text.lines().nth(n).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(cells(3)[..4], ["scan", "2", "-", "0.50"], "{text}");
        assert_eq!(cells(4)[..4], ["scan", "4*", "-", "0.50"], "{text}");
        assert!(text.ends_with("no targets\n"), "{text}");
        assert!(table(&s, Mpi::Openmpi, 2).is_empty(), "nothing of ours, no table");
    }

    #[test]
    fn plain_mpich_runs_where_it_has_the_cores() {
        for (cores, pes) in [(2, vec![2]), (4, vec![2, 4])] {
            let wanted = Wanted { mpis: Mpi::ALL.to_vec(), cores, quick: false, only: vec!["alltoall".into()] };
            let mut groups = Vec::new();
            plan(&wanted, &mut groups);
            let steps = groups.iter().flat_map(|g| &g.steps);
            let found: Vec<_> = steps.filter(|s| s.who == Contestant::Plain(Mpi::Mpich)).map(|s| s.pes).collect();
            assert_eq!(found, pes, "{cores} cores");
        }
    }

    #[test]
    fn peers_have_no_team_forms() {
        assert_eq!(asked("alltoalls_team"), Some("alltoalls"));
        assert_eq!(asked("scan"), Some("scan"));
        assert_eq!(asked("put"), None);
    }
}
