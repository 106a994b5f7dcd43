//! Waiting where PEs outnumber cores: wall time and processor time.

use super::contest::{Contestant, Program};
use super::parse::CPU;
use super::plan::{Group, Step, Wanted, implementations};
use super::report;
use super::samples::{Memory, Samples, What};
use crate::util::Mpi;
use std::fmt::Write;

/// The measurement, and its name for `--only`.
pub const NAME: &str = "oversubscribed";

const PES: [usize; 4] = [4, 8, 16, 32];
/// Each program runs for seconds, and differences of factors are what is looked for.
const ROUNDS: usize = 3;
/// Ranks of plain MPICH spin against each other: with more of them, one program takes minutes.
const MPICH_MOST: usize = 8;

/// The program's rows, in its order.
const ROWS: [&str; 8] =
    ["barrier", "reduce", "fcollect", "alltoall", "broadcast+barrier", "scan+barrier", "wait", "lock"];

pub fn plan(wanted: &Wanted, groups: &mut Vec<Group>) {
    const QUICK: u32 = 100;
    if !wanted.has(NAME) {
        return;
    }
    for pes in PES {
        let step = |who, source: &'static str| Step {
            who,
            program: Program { source, shmem: source.starts_with("osu/") },
            args: wanted.args(None, QUICK),
            measure: NAME,
            memory: Memory::Any,
            pes,
        };
        let shmem = implementations(wanted).into_iter().map(|who| step(who, "osu/osu_oshm_crowd"));
        let plain = wanted.plain().filter(|who| pes <= MPICH_MOST || *who != Contestant::Plain(Mpi::Mpich));
        let steps = shmem.chain(plain.map(|who| step(who, "mpi/mpi_crowd"))).collect();
        groups.push(Group { steps, rounds: ROUNDS });
    }
}

/// Wall and processor time of everybody who was measured, side by side.
pub fn table(samples: &Samples, cores: usize) -> String {
    let shmem = Mpi::ALL.into_iter().map(Contestant::Ours).chain([Contestant::Oshmem]);
    let everybody = shmem.chain(Mpi::ALL.into_iter().map(Contestant::Plain));
    let columns: Vec<_> = everybody.filter(|who| samples.of(*who).any(|w| w.measure == NAME)).collect();
    if columns.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{NAME}: microseconds of wall time, and of all processes' processor time, for one operation on {cores} cores\n{:<19}{:>4}",
        "operation", "PEs"
    );
    for who in &columns {
        let mark = if *who == Contestant::Ours(Mpi::Openmpi) { "*" } else { "" };
        write!(out, "{:>22}", format!("{}{mark}", who.name())).expect("writing to a string");
    }
    out.push('\n');
    for row in ROWS {
        for pes in PES {
            let get = |who: Contestant, suffix: &str| {
                samples.median(who, &What { measure: NAME, memory: Memory::Any, pes, row: format!("{row}{suffix}") })
            };
            let cell = |us: Option<f64>| us.map_or("-".into(), report::time);
            let cells: Vec<_> = columns.iter().map(|who| (get(*who, ""), get(*who, CPU))).collect();
            if cells.iter().all(|(wall, _)| wall.is_none()) {
                continue;
            }
            write!(out, "{row:<19}{pes:>4}").expect("writing to a string");
            for (wall, cpu) in cells {
                write!(out, "{:>11}{:>11}", cell(wall), cell(cpu)).expect("writing to a string");
            }
            out.push('\n');
        }
    }
    if columns.contains(&Contestant::Ours(Mpi::Openmpi)) {
        writeln!(
            out,
            "* to be compared with {}: the same launcher, so the cores are shared alike",
            Contestant::Oshmem.name()
        )
        .expect("writing to a string");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::parse::{Row, Unit};
    use super::*;

    #[test]
    fn the_table_has_wall_and_processor_time_of_who_was_measured() {
        let mut s = Samples::default();
        let mut add = |who, pes, row: &str, us| {
            s.add(who, NAME, Memory::Any, pes, Row { name: row.into(), value: us, unit: Unit::Us });
        };
        add(Contestant::Ours(Mpi::Openmpi), 8, "lock", 1.5);
        add(Contestant::Ours(Mpi::Openmpi), 8, "lock cpu", 2.5);
        add(Contestant::Oshmem, 8, "barrier", 30.0);
        add(Contestant::Oshmem, 8, "barrier cpu", 60.0);
        let text = table(&s, 2);
        let cells = |n: usize| text.lines().nth(n).unwrap().split_whitespace().collect::<Vec<_>>();
        assert_eq!(cells(2), ["operation", "PEs", "oshmpi/openmpi*", "openmpi-oshmem"]);
        assert_eq!(cells(3), ["barrier", "8", "-", "-", "30.00", "60.00"]);
        assert_eq!(cells(4), ["lock", "8", "1.5000", "2.5000", "-", "-"]);
        assert_eq!(text.lines().count(), 6, "{text}");
        assert!(table(&Samples::default(), 2).is_empty());
    }
}
