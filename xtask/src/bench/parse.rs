//! Reads what the benchmark programs print: a heading line that says which table it is, then rows of columns.

use anyhow::{Result, bail, ensure};

/// One figure of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The message size in bytes, the operation, or what else tells the rows of one table apart.
    pub name: String,
    /// In `unit`.
    pub value: f64,
    pub unit: Unit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Microseconds for one operation or message.
    Us,
    /// Milliseconds.
    Ms,
    /// Memory of one process.
    KiB,
}

impl Unit {
    pub fn name(self) -> &'static str {
        match self {
            Unit::Us => "us",
            Unit::Ms => "ms",
            Unit::KiB => "KiB",
        }
    }
}

/// The tables, by their heading.
#[derive(Clone, Copy, Debug)]
enum Table {
    Latency,
    Rate,
    Operation,
    Barrier,
    Spread,
    Crowd,
    Startup,
}

fn heading(line: &str) -> Option<Table> {
    match line.split_whitespace().collect::<Vec<_>>().join(" ") {
        h if h == "# Size Latency (us)" => Some(Table::Latency),
        h if h == "# Size Messages/s" => Some(Table::Rate),
        h if h == "# Operation Million ops/s Latency (us)" => Some(Table::Operation),
        h if h.starts_with("# Avg Latency(us)") => Some(Table::Barrier),
        h if h.starts_with("# Size Avg Latency(us)") => Some(Table::Spread),
        h if h == "# Operation Latency (us) CPU (us)" => Some(Table::Crowd),
        h if h.starts_with("# Process MPI_Init (ms)") => Some(Table::Startup),
        _ => None,
    }
}

/// All figures in a program's output. No heading, no row, or a row that is not of its table is an error.
///
/// Message rates become microseconds per message, so that every ratio of two figures reads the same way.
pub fn rows(output: &str) -> Result<Vec<Row>> {
    // Processes of a start-up table may print before process 0 has printed the heading.
    let Some(table) = output.lines().find_map(heading) else { bail!("no table in its output") };
    let lines: Vec<&str> = output.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()).collect();
    ensure!(!lines.is_empty(), "its table has no rows");
    if let Table::Startup = table {
        return startup(&lines);
    }
    let rows: Result<Vec<Vec<Row>>> = lines.into_iter().map(|l| row(table, l)).collect();
    Ok(rows?.into_iter().flatten().collect())
}

/// Ends the name of the figure of the slowest process, beside the mean of all, which has the plain name.
pub const SLOWEST: &str = " max";
/// Ends the name of the processor time of all processes together, beside the wall time.
pub const CPU: &str = " cpu";

/// The figures of one line.
fn row(table: Table, line: &str) -> Result<Vec<Row>> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    let wanted = match table {
        Table::Latency | Table::Rate => 2,
        Table::Operation | Table::Crowd => 3,
        Table::Barrier => 4,
        Table::Spread => 5,
        Table::Startup => STARTUP_COLUMNS,
    };
    ensure!(columns.len() == wanted, "a row with {} columns instead of {wanted}: {line:?}", columns.len());
    let number = |i: usize| positive(columns[i], line);
    let figures = match table {
        Table::Latency => vec![(size(columns[0], line)?, number(1)?)],
        Table::Rate => vec![(size(columns[0], line)?, 1e6 / number(1)?)],
        Table::Operation => vec![(operation(columns[0]), number(2)?)],
        Table::Barrier | Table::Startup => vec![("avg".to_string(), number(0)?)],
        Table::Spread => {
            let size = size(columns[0], line)?;
            let slowest = format!("{size}{SLOWEST}");
            vec![(size, number(1)?), (slowest, number(3)?)]
        }
        Table::Crowd => {
            let operation = operation(columns[0]);
            let cpu = format!("{operation}{CPU}");
            vec![(operation, number(1)?), (cpu, number(2)?)]
        }
    };
    Ok(figures.into_iter().map(|(name, value)| Row { name, value, unit: Unit::Us }).collect())
}

fn positive(text: &str, line: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(v) if v.is_finite() && v > 0.0 => Ok(v),
        _ => bail!("{text:?} is not a positive number: {line:?}"),
    }
}

fn size(text: &str, line: &str) -> Result<String> {
    ensure!(text.parse::<u64>().is_ok(), "{text:?} is not a size: {line:?}");
    Ok(text.to_string())
}

/// The operation's name without the library's: `shmem_int_fadd` and `mpi_int_fadd` are rows to compare.
fn operation(text: &str) -> String {
    text.strip_prefix("shmem_").or_else(|| text.strip_prefix("mpi_")).unwrap_or(text).to_string()
}

/// Process, two times, three sizes of memory.
const STARTUP_COLUMNS: usize = 6;

/// One line per process becomes: the time until the last process was ready, the median of the memory.
fn startup(lines: &[&str]) -> Result<Vec<Row>> {
    let mut columns: [Vec<f64>; STARTUP_COLUMNS - 1] = Default::default();
    for line in lines {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let got = fields.len();
        ensure!(got == STARTUP_COLUMNS, "a row with {got} columns instead of {STARTUP_COLUMNS}: {line:?}");
        for (column, text) in columns.iter_mut().zip(&fields[1..]) {
            match text.parse::<f64>() {
                Ok(v) if v.is_finite() && v >= 0.0 => column.push(v),
                _ => bail!("{text:?} is not a number: {line:?}"),
            }
        }
    }
    let last = |v: &[f64]| v.iter().copied().fold(0.0, f64::max);
    let [mpi, shmem, rss, pss, anonymous] = columns;
    let mut rows = Vec::new();
    // A time of 0 stands for a call that the program did not make.
    for (name, value) in [("MPI_Init", last(&mpi)), ("shmem_init", last(&shmem))] {
        if value > 0.0 {
            rows.push(Row { name: name.to_string(), value, unit: Unit::Ms });
        }
    }
    for (name, mut values) in [("rss", rss), ("pss", pss), ("anonymous", anonymous)] {
        rows.push(Row { name: name.to_string(), value: super::samples::median(&mut values), unit: Unit::KiB });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(name: &str, value: f64) -> Row {
        Row { name: name.into(), value, unit: Unit::Us }
    }

    #[test]
    fn latency_table() {
        let text = "# a title\n# Size            Latency (us)\n8                       0.0105\n1048576                36.5000\n";
        assert_eq!(rows(text).unwrap(), [us("8", 0.0105), us("1048576", 36.5)]);
    }

    #[test]
    fn rates_become_times() {
        let text = "# a title\n# Size              Messages/s\n8            4000000.00\n";
        assert_eq!(rows(text).unwrap(), [us("8", 0.25)]);
    }

    #[test]
    fn operations_lose_their_prefix() {
        let text = "# Operation     Million ops/s   Latency (us)\nshmem_int_fadd  100.0  0.0100\nmpi_int_fadd 2.0 0.5\nload 2000.0 0.0005\n";
        assert_eq!(rows(text).unwrap(), [us("int_fadd", 0.01), us("int_fadd", 0.5), us("load", 0.0005)]);
    }

    #[test]
    fn barrier_takes_the_average() {
        let text = "# t\n# Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n 0.36 0.35 0.37 5000\n";
        assert_eq!(rows(text).unwrap(), [us("avg", 0.36)]);
    }

    #[test]
    fn collectives_have_a_mean_and_a_slowest() {
        let head = "# t\n# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)  Iterations\n";
        let rows = rows(&format!("{head}4 0.3 0.2 0.5 1000\n16 0.4 0.3 0.6 900\n")).unwrap();
        assert_eq!(rows, [us("4", 0.3), us("4 max", 0.5), us("16", 0.4), us("16 max", 0.6)]);
    }

    #[test]
    fn a_crowd_has_wall_and_processor_time() {
        let text = "# Operation    Latency (us)    CPU (us)\nbarrier 2.5 4.9\n";
        assert_eq!(rows(text).unwrap(), [us("barrier", 2.5), us("barrier cpu", 4.9)]);
    }

    const STARTUP: &str = "# Process MPI_Init (ms) shmem_init (ms) Rss (KiB) Pss (KiB) Anonymous (KiB)\n";

    #[test]
    fn startup_takes_last_time_and_median_memory() {
        let text = format!("1 100.0 3.0 2000 900 70\n{STARTUP}0 120.0 2.0 1000 800 60\n2 90.0 2.5 9000 700 50\n");
        let rows = rows(&text).unwrap();
        let got: Vec<_> = rows.iter().map(|r| (r.name.as_str(), r.value, r.unit)).collect();
        assert_eq!(
            got,
            [
                ("MPI_Init", 120.0, Unit::Ms),
                ("shmem_init", 3.0, Unit::Ms),
                ("rss", 2000.0, Unit::KiB),
                ("pss", 800.0, Unit::KiB),
                ("anonymous", 60.0, Unit::KiB)
            ]
        );
    }

    #[test]
    fn calls_not_made_have_no_row() {
        let rows = rows(&format!("{STARTUP}0 120.0 0.000 1000 800 60\n")).unwrap();
        assert_eq!(rows[1].name, "rss");
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
            ("# Operation Latency (us) CPU (us)\nbarrier 2.5 -1\n", "not a positive number"),
        ] {
            let error = rows(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
