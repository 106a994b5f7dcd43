//! The tables a run prints. All ratios are of times: below 1 is faster.

use super::contest::Contestant;
use super::parse::SLOWEST;
use super::peers;
use super::samples::{Samples, What};
use crate::util::Mpi;

/// Sizes that the printed tables show. The result file has all sizes.
const SHOWN_SIZES: [u64; 9] = [4, 8, 64, 512, 1024, 4096, 32768, 65536, 1048576];

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

fn time(us: f64) -> String {
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
    let shown = |what: &&What| !what.row.ends_with(SLOWEST) && what.size().is_none_or(|s| SHOWN_SIZES.contains(&s));
    let mut all: Vec<&What> = samples.of(ours).filter(shown).collect();
    all.sort_by_key(|w| (w.measure, w.memory, w.pes, w.size()));
    let mut rows = vec![words(["operation", "memory", "PEs", "size or op", "", "time", "/OSHMEM", "/MPI", "/limit"])];
    for what in all {
        let Some((value, unit)) = samples.median(ours, what).zip(samples.unit(ours, what)) else { continue };
        let mut row = words([what.measure, what.memory.word(), &what.pes.to_string(), &what.row, unit, &time(value)]);
        let plain = peers::plain(samples, mpi, what);
        for other in [peers::oshmem(samples, what), plain, peers::limit(samples, what, cores)] {
            row.push(or_dash(other, |other| ratio(value / other)));
        }
        rows.push(row);
    }
    let title = format!("{}: medians, and their ratios to those of the peers and of the limit", ours.name());
    table(&title, 5, &rows)
}

#[cfg(test)]
mod tests {
    use super::super::samples::{Memory, tests::add};
    use super::*;

    #[test]
    fn the_table_leaves_out_odd_sizes_and_missing_peers() {
        let (mut s, ours) = (Samples::default(), Contestant::Ours(Mpi::Mpich));
        for (size, us) in [("8", 0.010), ("16", 0.011)] {
            add(&mut s, ours, "put", Memory::Heap, 2, size, us);
            add(&mut s, Contestant::Oshmem, "put", Memory::Heap, 2, size, us * 4.0);
        }
        let text = ratios(&s, Mpi::Mpich, 2);
        assert_eq!(text.lines().count(), 4, "{text}");
        let cells: Vec<&str> = text.lines().nth(3).unwrap().split_whitespace().collect();
        assert_eq!(cells, ["put", "heap", "2", "8", "us", "0.0100", "0.25", "-", "-"]);
        assert!(ratios(&s, Mpi::Openmpi, 2).is_empty(), "nothing of oshmpi, no table");
    }
}
