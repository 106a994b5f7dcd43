//! The tables a run prints. All ratios are of times: below 1 is faster.

use super::contest::Contestant;
use super::parse::{CPU, SLOWEST};
use super::peers::{self, same_launcher};
use super::plan::{CROWD, CROWD_PES, PES, over_sizes};
use super::samples::{File, Memory, Samples, What};
use crate::util::{Mpi, median};
use std::collections::BTreeMap;

/// Sizes that the printed tables show. The result file has all sizes.
const SHOWN_SIZES: [u64; 7] = [8, 64, 512, 4096, 32768, 262144, 1048576];

/// Sizes in bytes that the programs of collectives step through.
const COLLECTIVE_SIZES: [u64; 10] = [4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576];

/// The rows of the program of `CROWD`, in its order.
const CROWD_ROWS: [&str; 8] =
    ["barrier", "reduce", "fcollect", "alltoall", "broadcast+barrier", "scan+barrier", "wait", "lock"];

/// A table: a title, then rows of cells, the first of which are the columns' heads. The first `left` columns are flush
/// left. A table without rows behind the heads is empty.
pub fn table(title: &str, left: usize, rows: &[Vec<String>]) -> String {
    if rows.len() < 2 {
        return String::new();
    }
    let mut text = format!("\n{title}\n");
    let width = |column: usize| rows.iter().filter_map(|r| r.get(column)).map(String::len).max().unwrap_or(0);
    for row in rows {
        let cells = row.iter().enumerate().map(|(i, cell)| match i < left {
            true => format!("{cell:<width$}", width = width(i)),
            false => format!("{cell:>width$}", width = width(i)),
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

fn words<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_string).to_vec()
}

fn or_dash(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or("-".into(), show)
}

pub fn time(us: f64) -> String {
    if us < 10.0 { format!("{us:.4}") } else { format!("{us:.2}") }
}

fn ratio(ratio: f64) -> String {
    match ratio {
        r if r < 0.1 => format!("{r:.3}"),
        r if r < 100.0 => format!("{r:.2}"),
        r => format!("{r:.0}"),
    }
}

/// oshmpi beside the peers and the limit, one line per operation, memory, number of PEs and size.
pub fn ratios(samples: &Samples, mpi: Mpi, cores: usize) -> String {
    let ours = Contestant::Ours(mpi);
    let shown = |what: &&What| {
        let has_own_table = what.measure.starts_with("startup") || what.measure == CROWD;
        let has_own_table = has_own_table || over_sizes().any(|m| m == what.measure);
        !has_own_table && !what.row.ends_with(SLOWEST) && what.size().is_none_or(|s| SHOWN_SIZES.contains(&s))
    };
    let mut all: Vec<&What> = samples.of(ours).filter(shown).collect();
    all.sort_by_key(|w| (w.measure, w.memory, w.pes, w.size()));
    let mut rows = vec![words(["operation", "memory", "PEs", "size or op", "us", "/OSHMEM", "/MPI", "/limit"])];
    for what in all {
        let Some(us) = samples.median(ours, what) else { continue };
        let mut row = words([what.measure, what.memory.word(), &what.pes.to_string(), &what.row, &time(us)]);
        let plain = peers::plain(samples, mpi, what);
        for other in [peers::oshmem(samples, what), plain, peers::limit(samples, what, cores)] {
            row.push(or_dash(other, |other| ratio(us / other)));
        }
        rows.push(row);
    }
    let title = format!("{}: time per operation, and its ratio to the peers' times and to the limit", ours.name());
    table(&title, 4, &rows)
}

/// Ratios of collectives to the fastest peer, a line per measurement and number of PEs, a column per size.
pub fn collectives(samples: &Samples, mpi: Mpi, cores: usize) -> String {
    let ours = Contestant::Ours(mpi);
    let sizes = COLLECTIVE_SIZES.map(|size| size.to_string());
    let mut rows = vec![[words(["operation", "PEs"]), sizes.to_vec()].concat()];
    let mut marked = false;
    for measure in over_sizes() {
        for pes in PES {
            let all = peers::ratios(samples, ours, measure, pes);
            if !all.is_empty() {
                let mark = if same_launcher(ours, pes, cores) { "" } else { "*" };
                marked |= !mark.is_empty();
                let cell = |size: &String| or_dash(all.iter().find(|(row, _)| row == size).map(|(_, r)| *r), ratio);
                rows.push(
                    words([measure, &format!("{pes}{mark}")]).into_iter().chain(sizes.iter().map(cell)).collect(),
                );
            }
        }
    }
    let title = format!("{}: time over that of the fastest peer (Open MPI OSHMEM and plain MPI)", ours.name());
    let note = if marked { "* more PEs than cores, and not the peers' launcher: not comparable\n" } else { "" };
    table(&title, 1, &rows) + note
}

/// Wall and processor time of everybody who was measured where PEs outnumber cores, side by side.
pub fn crowd(samples: &Samples, cores: usize) -> String {
    let mut columns: Vec<_> = samples.all().filter(|(_, what)| what.measure == CROWD).map(|(who, _)| who).collect();
    columns.dedup();
    let compared = Contestant::Ours(Mpi::Openmpi);
    let heads = columns.iter().flat_map(|who| {
        let mark = if *who == compared { "*" } else { "" };
        [format!("{}{mark}", who.name()), "cpu".into()]
    });
    let mut rows = vec![words(["operation", "PEs"]).into_iter().chain(heads).collect::<Vec<_>>()];
    for row in CROWD_ROWS {
        for pes in CROWD_PES {
            let get = |who: Contestant, end: &str| samples.median(who, &What::any(CROWD, pes, &format!("{row}{end}")));
            let cells = columns.iter().flat_map(|who| [get(*who, ""), get(*who, CPU)]).collect::<Vec<_>>();
            if cells.iter().any(Option::is_some) {
                let head = words([row, &pes.to_string()]);
                rows.push(head.into_iter().chain(cells.into_iter().map(|us| or_dash(us, time))).collect());
            }
        }
    }
    let title = format!(
        "{CROWD}: microseconds of wall time, and of all processes' processor time, for one operation on {cores} cores"
    );
    let note = match columns.contains(&compared) {
        true => "* to be compared with openmpi-oshmem: the same launcher, so the cores are shared alike\n",
        false => "",
    };
    table(&title, 1, &rows) + note
}

/// What OpenSHMEM adds to an MPI program: time to start and memory of one process.
pub fn startup(samples: &Samples, mpis: &[Mpi]) -> String {
    let ours = mpis.iter().map(|m| (Contestant::Ours(*m), *m));
    // Open MPI's OpenSHMEM is compared with MPI programs of Open MPI, so it appears where those ran.
    let peer = mpis.contains(&Mpi::Openmpi).then_some((Contestant::Oshmem, Mpi::Openmpi));
    let tables = ours.chain(peer).map(|(who, mpi)| {
        let heads = ["PEs", "MPI_Init, ms", "shmem_init after, ms", "shmem_init alone, ms"];
        let mut rows = vec![[words(heads), words(["RSS above", "PSS above", "anonymous above"])].concat()];
        for what in samples.of(who).filter(|w| w.measure == "startup" && w.row == "rss") {
            let get = |who, measure, row: &str| samples.median(who, &What::any(measure, what.pes, row));
            let above = |row| Some(get(who, "startup", row)? - get(Contestant::Plain(mpi), "startup", row)?);
            let show = |v: Option<f64>, digits: usize| or_dash(v, |v| format!("{v:.digits$}"));
            let times = [
                show(get(Contestant::Plain(mpi), "startup", "MPI_Init"), 1),
                show(get(who, "startup", "shmem_init"), 2),
                show(get(who, "startup_alone", "shmem_init"), 1),
            ];
            let memory = ["rss", "pss", "anonymous"].map(|row| show(above(row), 0));
            rows.push([&[what.pes.to_string()], &times[..], &memory].concat());
        }
        let title =
            format!("{}: start-up, and resident memory in KiB above the same program with {mpi} alone", who.name());
        table(&title, 0, &rows)
    });
    tables.collect()
}

/// How far apart the cores lay, which is most of what small collectives take.
pub fn ways(ways: &[f64], moved: usize) -> String {
    if ways.is_empty() {
        return String::new();
    }
    let [least, most] = [f64::min, f64::max].map(|f| ways.iter().copied().reduce(f).expect("there are some"));
    let middle = median(&mut ways.to_vec());
    let mut out = format!("\na line from core to core: {least:.3} to {most:.3} us, median {middle:.3}\n");
    if moved > 0 {
        let all = ways.len();
        out += &format!("it changed within {moved} of {all} groups of programs every time: their ratios mean little\n");
    }
    out
}

/// A result beside an older one: each figure of oshmpi, and everybody's middle ratio, which shows whether the machine
/// changed.
pub fn against(now: &File, then: &File) -> String {
    let old: BTreeMap<String, f64> = then.series.iter().map(|s| (s.label(), s.median)).collect();
    let mut rows = vec![words(["figure", "then", "unit", "now", "ratio"])];
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for series in &now.series {
        let Some(before) = old.get(&series.label()) else { continue };
        let ratio = series.median / before;
        all.entry(&series.contestant).or_default().push(ratio);
        let size = series.row.parse::<u64>();
        if series.contestant.starts_with("oshmpi/") && size.map_or(true, |s| SHOWN_SIZES.contains(&s)) {
            let (then, now) = (time(*before), time(series.median));
            rows.push(words([&series.label(), &then, &series.unit, &now, &format!("{ratio:.2}")]));
        }
    }
    let mut out = table(&format!("ratios to the result of {}: below 1 is faster now", then.date), 1, &rows);
    for (contestant, mut ratios) in all {
        out += &format!("{contestant:<20}median of {} ratios: {:.2}\n", ratios.len(), median(&mut ratios));
    }
    out
}

/// Medians of a measurement of the process management: a line per variant, a column per x.
pub fn medians(samples: &Samples, title: &str, measure: &'static str, x: &str) -> String {
    let all: Vec<_> = samples.all().filter(|(_, w)| w.measure == measure).collect();
    let mut xs: Vec<u64> = all.iter().filter_map(|(_, w)| w.size()).collect();
    xs.sort_unstable();
    xs.dedup();
    let mut lines: Vec<Contestant> = all.iter().map(|(who, _)| *who).collect();
    lines.dedup();
    let mut rows = vec![words([x]).into_iter().chain(xs.iter().map(u64::to_string)).collect::<Vec<_>>()];
    for who in lines {
        let get = |x: &u64| samples.median(who, &What { memory: Memory::Any, measure, pes: 0, row: x.to_string() });
        rows.push(std::iter::once(who.name()).chain(xs.iter().map(|x| or_dash(get(x), digits))).collect());
    }
    table(title, 1, &rows)
}

/// Three digits that matter, and no fractions of large numbers.
fn digits(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::host::Host;
    use super::super::parse::Row;
    use super::super::samples::tests::add;
    use super::*;

    const MPICH: Contestant = Contestant::Ours(Mpi::Mpich);

    fn cells(text: &str, line: usize) -> Vec<&str> {
        text.lines().nth(line).unwrap().split_whitespace().collect()
    }

    #[test]
    fn against_prints_the_ratio_of_oshmpi_and_the_machines_change() {
        let file = |us, limit| {
            let mut s = Samples::default();
            add(&mut s, MPICH, "put", Memory::Heap, 2, "8", us);
            add(&mut s, Contestant::Limit, "put", Memory::Any, 2, "8", limit);
            File::new(&s, Host::default(), false, 1).unwrap()
        };
        let text = against(&file(0.012, 0.006), &file(0.010, 0.003));
        let line = text.lines().find(|l| l.starts_with("oshmpi/mpich put heap 2 PEs 8")).unwrap();
        assert!(line.ends_with("1.20") && text.contains("median of 1 ratios: 2.00"), "{text}");
    }

    #[test]
    fn the_ratio_table_leaves_out_odd_sizes_and_missing_peers() {
        let mut s = Samples::default();
        for (size, us) in [("8", 0.010), ("16", 0.011)] {
            add(&mut s, MPICH, "put", Memory::Heap, 2, size, us);
            add(&mut s, Contestant::Oshmem, "put", Memory::Heap, 2, size, us * 4.0);
        }
        let text = ratios(&s, Mpi::Mpich, 2);
        assert_eq!(text.lines().count(), 4, "{text}");
        assert_eq!(cells(&text, 3), ["put", "heap", "2", "8", "0.0100", "0.25", "-", "-"]);
    }

    #[test]
    fn startup_shows_what_is_above_the_mpi_program() {
        let mut s = Samples::default();
        for (who, row, value) in [
            (Contestant::Plain(Mpi::Mpich), "MPI_Init", 100.0),
            (Contestant::Plain(Mpi::Mpich), "rss", 16000.0),
            (Contestant::Plain(Mpi::Mpich), "pss", 9000.0),
            (MPICH, "shmem_init", 2.5),
            (MPICH, "rss", 16900.0),
            (MPICH, "pss", 9500.0),
        ] {
            s.add(who, "startup", Memory::Any, 2, Row { name: row.into(), value, unit: "KiB" });
        }
        let text = startup(&s, &[Mpi::Mpich]);
        assert_eq!(cells(&text, 3), ["2", "100.0", "2.50", "-", "900", "500", "-"], "{text}");
    }

    #[test]
    fn collectives_mark_another_launcher() {
        let mut s = Samples::default();
        for pes in [2, 4] {
            add(&mut s, MPICH, "scan", Memory::Any, pes, "16", 0.3);
            add(&mut s, Contestant::Plain(Mpi::Openmpi), "scan", Memory::Any, pes, "16", 0.6);
        }
        let text = collectives(&s, Mpi::Mpich, 2);
        assert_eq!(cells(&text, 3)[..4], ["scan", "2", "-", "0.50"], "{text}");
        assert_eq!(cells(&text, 4)[..4], ["scan", "4*", "-", "0.50"], "{text}");
        assert!(text.ends_with("not comparable\n"), "{text}");
        assert!(collectives(&s, Mpi::Openmpi, 2).is_empty(), "nothing of oshmpi, no table");
    }

    #[test]
    fn a_crowd_has_wall_and_processor_time_of_who_was_measured() {
        let mut s = Samples::default();
        for (who, row, us) in [
            (Contestant::Ours(Mpi::Openmpi), "lock", 1.5),
            (Contestant::Ours(Mpi::Openmpi), "lock cpu", 2.5),
            (Contestant::Oshmem, "barrier", 30.0),
            (Contestant::Oshmem, "barrier cpu", 60.0),
        ] {
            add(&mut s, who, CROWD, Memory::Any, 8, row, us);
        }
        let text = crowd(&s, 2);
        assert_eq!(cells(&text, 2), ["operation", "PEs", "oshmpi/openmpi*", "cpu", "openmpi-oshmem", "cpu"]);
        assert_eq!(cells(&text, 3), ["barrier", "8", "-", "-", "30.00", "60.00"]);
        assert_eq!(cells(&text, 4), ["lock", "8", "1.5000", "2.5000", "-", "-"]);
        assert!(crowd(&Samples::default(), 2).is_empty());
    }
}
