//! The tables a run prints. All ratios are of times: below 1 is faster.

use super::contest::Contestant;
use super::parse::SLOWEST;
use super::samples::{self, File, Memory, Samples, What};
use super::targets::{self, Verdict};
use super::{collective, crowd};
use crate::util::Mpi;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Sizes that the printed table shows; the result file has all.
const SHOWN_SIZES: [u64; 7] = [8, 64, 512, 4096, 32768, 262144, 1048576];

/// Ours beside the peers and the limit, one line per operation, memory, number of PEs and size.
pub fn ratios(samples: &Samples, mpi: Mpi, cores: usize) -> String {
    let ours = Contestant::Ours(mpi);
    let mut lines: Vec<&What> = samples.of(ours).filter(|w| shown(w)).collect();
    if lines.is_empty() {
        return String::new();
    }
    lines.sort_by_key(|w| (w.measure, w.memory, w.pes, w.row.parse::<u64>().unwrap_or(0)));
    let mut out =
        format!("\n{}: time per operation, and its ratio to the peers' times and to the limit\n", ours.name());
    row(&mut out, ["operation", "memory", "PEs", "size or op", "us", "/OSHMEM", "/MPI", "/limit"]);
    for what in lines {
        let Some(us) = samples.median(ours, what) else { continue };
        row(
            &mut out,
            [
                what.measure,
                what.memory.word(),
                &what.pes.to_string(),
                &what.row,
                &time(us),
                &ratio(us, targets::oshmem(samples, what)),
                &ratio(us, targets::plain(samples, mpi, what)),
                &ratio(us, targets::limit(samples, what, cores)),
            ],
        );
    }
    out
}

fn shown(what: &What) -> bool {
    let size = what.row.parse::<u64>();
    let own_table = what.measure.starts_with("startup") || what.measure == crowd::NAME;
    let own_table = own_table || collective::over_sizes().any(|m| m == what.measure);
    !own_table && !what.row.ends_with(SLOWEST) && size.map_or(true, |s| SHOWN_SIZES.contains(&s))
}

fn row(out: &mut String, c: [&str; 8]) {
    writeln!(out, "{:<15}{:<8}{:>4}  {:<16}{:>11}{:>10}{:>10}{:>10}", c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7])
        .expect("writing to a string");
}

pub fn time(us: f64) -> String {
    if us < 10.0 { format!("{us:.4}") } else { format!("{us:.2}") }
}

pub fn ratio(us: f64, other: Option<f64>) -> String {
    match other {
        Some(o) if us / o < 0.1 => format!("{:.3}", us / o),
        Some(o) if us / o < 100.0 => format!("{:.2}", us / o),
        Some(o) => format!("{:.0}", us / o),
        None => "-".into(),
    }
}

/// What OpenSHMEM adds to an MPI program: time to start and memory of one process.
pub fn startup(samples: &Samples, mpis: &[Mpi]) -> String {
    let mut out = String::new();
    let ours = mpis.iter().map(|m| (Contestant::Ours(*m), *m));
    // Open MPI's OpenSHMEM is compared with MPI programs of Open MPI, so it appears where those ran.
    let peer = mpis.contains(&Mpi::Openmpi).then_some((Contestant::Oshmem, Mpi::Openmpi));
    for (who, mpi) in ours.chain(peer) {
        let pes: Vec<usize> =
            samples.of(who).filter(|w| w.measure == "startup" && w.row == "rss").map(|w| w.pes).collect();
        if pes.is_empty() {
            continue;
        }
        writeln!(
            out,
            "\n{}: start-up, and resident memory in KiB above the same program with {mpi} alone\n{:>4}{:>14}{:>22}{:>22}{:>12}{:>12}{:>17}",
            who.name(), "PEs", "MPI_Init, ms", "shmem_init after, ms", "shmem_init alone, ms", "RSS above", "PSS above",
                "anonymous above"
        )
        .expect("writing to a string");
        for pes in pes {
            let get = |who, measure, row: &str| {
                samples.median(who, &What { measure, memory: Memory::Any, pes, row: row.to_string() })
            };
            let above = |row| Some(get(who, "startup", row)? - get(Contestant::Plain(mpi), "startup", row)?);
            let show = |v: Option<f64>, digits: usize| v.map_or("-".into(), |v| format!("{v:.digits$}"));
            writeln!(
                out,
                "{pes:>4}{:>14}{:>22}{:>22}{:>12}{:>12}{:>17}",
                show(get(Contestant::Plain(mpi), "startup", "MPI_Init"), 1),
                show(get(who, "startup", "shmem_init"), 2),
                show(get(who, "startup_alone", "shmem_init"), 1),
                show(above("rss"), 0),
                show(above("pss"), 0),
                show(above("anonymous"), 0),
            )
            .expect("writing to a string");
        }
    }
    out
}

/// How far apart the cores lay, which is most of what small collectives take.
pub fn ways(ways: &[f64], moved: usize) -> String {
    if ways.is_empty() {
        return String::new();
    }
    let [least, most] = [f64::min, f64::max].map(|f| ways.iter().copied().reduce(f).expect("there are some"));
    let middle = samples::median(&mut ways.to_vec());
    let mut out = format!("\na line from core to core: {least:.3} to {most:.3} us, median {middle:.3}\n");
    if moved > 0 {
        let all = ways.len();
        writeln!(out, "it changed within {moved} of {all} groups of programs every time: their ratios mean little")
            .expect("writing to a string");
    }
    out
}

pub fn verdicts(verdicts: &[Verdict]) -> String {
    if verdicts.is_empty() {
        return String::new();
    }
    let mut out = String::from("\ntargets\n");
    for v in verdicts {
        let word = if v.ok { "ok" } else { "MISSED" };
        writeln!(out, "{word:<7}{:<84}{:>9.3}   at most {:.3}", v.target, v.value, v.at_most)
            .expect("writing to a string");
    }
    out
}

/// A result beside an older one: ours by figure, and everybody's middle ratio, which shows whether the machine changed.
pub fn against(now: &File, then: &File) -> String {
    let old: BTreeMap<String, f64> = then.series.iter().map(|s| (s.label(), s.median)).collect();
    let mut out = format!("\nratios to the result of {}: below 1 is faster now\n", then.date);
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for series in &now.series {
        let Some(before) = old.get(&series.label()) else { continue };
        let ratio = series.median / before;
        all.entry(&series.contestant).or_default().push(ratio);
        let size = series.row.parse::<u64>();
        if series.contestant.starts_with("oshmpi/") && size.map_or(true, |s| SHOWN_SIZES.contains(&s)) {
            writeln!(
                out,
                "{:<52}{:>12} {:<4}{:>12}{:>8.2}",
                series.label(),
                time(*before),
                series.unit,
                time(series.median),
                ratio
            )
            .expect("writing to a string");
        }
    }
    for (contestant, mut ratios) in all {
        let middle = super::samples::median(&mut ratios);
        writeln!(out, "{contestant:<20}median of {} ratios: {middle:.2}", ratios.len()).expect("writing to a string");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::host::Host;
    use super::super::parse::{Row, Unit};
    use super::*;

    fn file(us: f64, limit: f64) -> File {
        let mut s = Samples::default();
        let row = |value| Row { name: "8".into(), value, unit: Unit::Us };
        s.add(Contestant::Ours(Mpi::Mpich), "put", Memory::Heap, 2, row(us));
        s.add(Contestant::Limit, "put", Memory::Any, 2, row(limit));
        File::new(&s, Host::default(), BTreeMap::new(), false, 1).unwrap()
    }

    #[test]
    fn against_prints_the_ratio_of_ours_and_the_machines_change() {
        let text = against(&file(0.012, 0.006), &file(0.010, 0.003));
        let line = text.lines().find(|l| l.starts_with("oshmpi/mpich put heap 2 PEs 8")).unwrap();
        assert!(line.ends_with("1.20"), "{line}");
        assert!(text.contains("median of 1 ratios: 2.00"), "{text}");
    }

    #[test]
    fn the_ratio_table_leaves_out_odd_sizes_and_missing_peers() {
        let mut s = Samples::default();
        for (size, us) in [("8", 0.010), ("16", 0.011)] {
            let row = |value| Row { name: size.into(), value, unit: Unit::Us };
            s.add(Contestant::Ours(Mpi::Mpich), "put", Memory::Heap, 2, row(us));
            s.add(Contestant::Oshmem, "put", Memory::Heap, 2, row(us * 4.0));
        }
        let text = ratios(&s, Mpi::Mpich, 2);
        let lines: Vec<_> = text.lines().filter(|l| l.starts_with("put")).collect();
        assert_eq!(lines.len(), 1, "{text}");
        let columns: Vec<_> = lines[0].split_whitespace().collect();
        assert_eq!(columns, ["put", "heap", "2", "8", "0.0100", "0.25", "-", "-"]);
    }

    #[test]
    fn startup_shows_what_is_above_the_mpi_program() {
        let mut s = Samples::default();
        let mut add = |who, row: &str, value, unit| {
            s.add(who, "startup", Memory::Any, 2, Row { name: row.into(), value, unit });
        };
        add(Contestant::Plain(Mpi::Mpich), "MPI_Init", 100.0, Unit::Ms);
        add(Contestant::Plain(Mpi::Mpich), "rss", 16000.0, Unit::KiB);
        add(Contestant::Plain(Mpi::Mpich), "pss", 9000.0, Unit::KiB);
        add(Contestant::Ours(Mpi::Mpich), "shmem_init", 2.5, Unit::Ms);
        add(Contestant::Ours(Mpi::Mpich), "rss", 16900.0, Unit::KiB);
        add(Contestant::Ours(Mpi::Mpich), "pss", 9500.0, Unit::KiB);
        let text = startup(&s, &[Mpi::Mpich]);
        let columns: Vec<_> = text.lines().last().unwrap().split_whitespace().collect();
        assert_eq!(columns, ["2", "100.0", "2.50", "-", "900", "500", "-"]);
    }
}
