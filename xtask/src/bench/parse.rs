//! Reads what the benchmark programs print: a heading line that says which table it is, then rows of columns.

use crate::util::median;
use anyhow::{Context, Result, bail, ensure};

/// One figure of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The message size in bytes, the operation, or what else tells the rows of one table apart.
    pub name: String,
    /// In `unit`.
    pub value: f64,
    /// `us` is the time of one operation. Other units: `ms`, `KiB`.
    pub unit: &'static str,
}

/// Ends the name of the figure of the slowest process. The plain name stands for the mean of all processes.
pub const SLOWEST: &str = " max";

/// Columns that hold a figure, each with the ending of its row's name.
type Figures = &'static [(usize, &'static str)];

/// The tables in microseconds: heading, number of columns, figures.
const TABLES: [(&str, usize, Figures); 4] = [
    ("# Size Latency (us)", 2, &[(1, "")]),
    ("# Operation Million ops/s Latency (us)", 3, &[(2, "")]),
    ("# Avg Latency(us)", 4, &[(0, "")]),
    ("# Size Avg Latency(us)", 5, &[(1, ""), (3, SLOWEST)]),
];

/// The table of a start-up: one line per process, with two times and three sizes of memory behind its number.
const STARTUP: &str = "# Process MPI_Init (ms)";

/// All figures in a program's output. No heading, no row, or a row that is not of its table is an error.
pub fn rows(output: &str) -> Result<Vec<Row>> {
    // A process of a start-up table may print before process 0 has printed the heading.
    let headings = output.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" "));
    let is_heading = |h: &String| h.starts_with(STARTUP) || TABLES.iter().any(|(head, ..)| h.starts_with(head));
    let heading = headings.into_iter().find(is_heading).context("no table in its output")?;
    let lines: Vec<&str> = output.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()).collect();
    ensure!(!lines.is_empty(), "its table has no rows");
    if heading.starts_with(STARTUP) {
        return startup(&lines);
    }
    let (head, wanted, figures) = TABLES.into_iter().find(|(h, ..)| heading.starts_with(h)).context("no such table")?;
    let mut rows = Vec::new();
    for line in lines {
        let columns: Vec<&str> = line.split_whitespace().collect();
        ensure!(columns.len() == wanted, "a row with {} columns instead of {wanted}: {line:?}", columns.len());
        let is_size = columns[0].parse::<u64>().is_ok();
        ensure!(is_size || !head.starts_with("# Size"), "{:?} is not a size: {line:?}", columns[0]);
        for (column, ending) in figures {
            let value = match columns[*column].parse::<f64>() {
                Ok(v) if v.is_finite() && v > 0.0 => v,
                _ => bail!("{:?} is not a positive number: {line:?}", columns[*column]),
            };
            let name = if *column == 0 { "avg" } else { operation(columns[0]) };
            rows.push(Row { name: format!("{name}{ending}"), value, unit: "us" });
        }
    }
    Ok(rows)
}

/// The operation's name without that of the library: `shmem_int_fadd` and `mpi_int_fadd` are compared.
fn operation(text: &str) -> &str {
    text.strip_prefix("shmem_").or_else(|| text.strip_prefix("mpi_")).unwrap_or(text)
}

/// The columns of a start-up table behind the number of the process: MPI_Init, shmem_init, RSS, PSS, anonymous memory.
fn processes(lines: &[&str]) -> Result<[Vec<f64>; 5]> {
    let mut columns: [Vec<f64>; 5] = Default::default();
    for line in lines {
        let fields: Vec<f64> = line.split_whitespace().flat_map(str::parse).collect();
        let words = line.split_whitespace().count();
        ensure!(words == 6 && fields.len() == 6, "not a row of 6 numbers: {line:?}");
        columns.iter_mut().zip(&fields[1..]).for_each(|(column, value)| column.push(*value));
    }
    Ok(columns)
}

/// The time until the last process was ready, and the median of the memory.
fn startup(lines: &[&str]) -> Result<Vec<Row>> {
    let [mpi, shmem, rss, pss, anonymous] = processes(lines)?;
    let last = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
    let times = [("MPI_Init", last(&mpi)), ("shmem_init", last(&shmem))];
    // A time of 0 stands for a call that the program did not make.
    let times = times.into_iter().filter(|(_, ms)| *ms > 0.0).map(|(name, ms)| (name, ms, "ms"));
    let memory = [("rss", rss), ("pss", pss), ("anonymous", anonymous)];
    let memory = memory.into_iter().map(|(name, mut kib)| (name, median(&mut kib), "KiB"));
    Ok(times.chain(memory).map(|(name, value, unit)| Row { name: name.into(), value, unit }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_read() {
        let spread = "# t\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n4 0.3 0.2 0.5 1000\n";
        for (text, wanted) in [
            ("# a title\n# Size   Latency (us)\n8  0.0105\n1048576 36.5\n", vec![("8", 0.0105), ("1048576", 36.5)]),
            (
                "# Operation   Million ops/s   Latency (us)\nshmem_int_fadd 100 0.01\nmpi_int_fadd 2 0.5\n",
                vec![("int_fadd", 0.01), ("int_fadd", 0.5)],
            ),
            ("# t\n# Avg Latency(us)  Min Latency(us)  Max  Iterations\n 0.36 0.35 0.37 5000\n", vec![("avg", 0.36)]),
            (spread, vec![("4", 0.3), ("4 max", 0.5)]),
        ] {
            let rows = rows(text).unwrap();
            let found: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.value)).collect();
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn startup_takes_last_time_and_median_memory() {
        let head = "# Process MPI_Init (ms) shmem_init (ms) Rss (KiB) Pss (KiB) Anonymous (KiB)\n";
        let text = format!("1 100.0 3.0 2000 900 70\n{head}0 120.0 2.0 1000 800 60\n2 90.0 2.5 9000 700 50\n");
        let found: Vec<_> = rows(&text).unwrap().into_iter().map(|r| (r.name, r.value)).collect();
        let wanted = [("MPI_Init", 120.0), ("shmem_init", 3.0), ("rss", 2000.0), ("pss", 800.0), ("anonymous", 60.0)];
        assert_eq!(found, wanted.map(|(name, value)| (name.to_string(), value)));
        let without = rows(&format!("{head}0 120.0 0.000 1000 800 60\n")).unwrap();
        assert_eq!(without[1].name, "rss", "a call that was not made has no row");
    }

    #[test]
    fn what_is_not_a_table_is_an_error() {
        for (text, reason) in [
            ("", "no table"),
            ("8 0.01\n", "no table"),
            ("# Size Latency (us)\n", "no rows"),
            ("# Size Latency (us)\n8 0.01 3\n", "3 columns instead of 2"),
            ("# Size Latency (us)\n8 nan\n", "not a positive number"),
            ("# Size Latency (us)\n8 0.0000\n", "not a positive number"),
            ("# Size Latency (us)\nSegmentation fault\n", "not a size"),
            ("# Size Avg Latency(us) Min Latency(us) Max Latency(us) Iterations\n4 0.3\n", "2 columns instead of 5"),
            ("# Process MPI_Init (ms)\n0 1 2\n", "not a row of 6 numbers"),
        ] {
            let error = rows(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
