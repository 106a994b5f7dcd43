//! The samples of all rounds: the table, the targets, the file.

use super::figures::{self, FIGURES};
use crate::bench::host::{self, Host};
use crate::bench::samples::median;
use crate::bench::targets::Verdict;
use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// Version of the result file.
const FORMAT: u32 = 1;

/// A line that `benches/pmi` printed.
#[derive(Debug, PartialEq)]
pub struct Row {
    pub figure: &'static str,
    pub line: String,
    pub x: u64,
    pub value: f64,
}

impl Row {
    /// `get-cpu-65536 two 32 0.0857`. `None`: not a row of a figure that is known.
    pub fn parse(text: &str) -> Option<Row> {
        let mut words = text.split_whitespace();
        let figure = figures::figure(words.next()?)?.name;
        let row = Row {
            figure,
            line: words.next()?.to_string(),
            x: words.next()?.parse().ok()?,
            value: words.next()?.parse().ok()?,
        };
        (words.next().is_none() && row.value.is_finite()).then_some(row)
    }
}

/// Figure, line and x to the values of all rounds.
#[derive(Default)]
pub struct Samples(BTreeMap<(&'static str, String, u64), Vec<f64>>);

impl Samples {
    pub fn add(&mut self, row: Row) {
        self.0.entry((row.figure, row.line, row.x)).or_default().push(row.value);
    }

    /// The lines of a figure with their points: x and the median over the rounds.
    pub fn lines(&self, figure: &str) -> Vec<(&str, Vec<(u64, f64)>)> {
        let mut lines: Vec<(&str, Vec<(u64, f64)>)> = Vec::new();
        for ((name, line, x), values) in &self.0 {
            if *name != figure {
                continue;
            }
            let point = (*x, median(&mut values.clone()));
            match lines.iter_mut().find(|(l, _)| l == line) {
                Some((_, points)) => points.push(point),
                None => lines.push((line, vec![point])),
            }
        }
        lines
    }

    fn median(&self, figure: &'static str, line: &str, x: u64) -> Option<f64> {
        self.0.get(&(figure, line.to_string(), x)).map(|values| median(&mut values.clone()))
    }

    /// The largest median of a line, over all x.
    fn worst(&self, figure: &str, line: &str) -> Option<f64> {
        let lines = self.lines(figure);
        let (_, points) = lines.iter().find(|(l, _)| *l == line)?;
        points.iter().map(|(_, y)| *y).max_by(f64::total_cmp)
    }
}

/// What the project promises.
pub fn judge(samples: &Samples) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    let mut judge = |target: &str, value: Option<f64>, at_most: f64| {
        if let Some(value) = value {
            verdicts.push(Verdict { target: target.to_string(), value, at_most, ok: value <= at_most });
        }
    };
    judge("Get, 65536 keys, worst of 1 to 32 clients, us of processor", samples.worst("get-cpu-65536", "two"), 0.3);
    judge("Get, 1000000 keys, worst of 1 to 32 clients, us of processor", samples.worst("get-cpu-1000000", "two"), 0.5);
    let wait = |line| samples.median("get-wall-65536", line, 32);
    let ratio = wait("two").zip(wait("socket")).map(|(shared, socket)| shared / socket);
    judge("Get, 65536 keys, 32 clients, waiting time over that of a socket", ratio, 0.01);
    let memory = |figure, line| samples.median(figure, line, 1_000_000);
    judge("memory of a node after a fence, 1000000 processes, MB", memory("memory-fence", "two"), 68.0);
    judge("memory of a node after an allgather, 1000000 processes, MB", memory("memory-gather", "shared"), 42.0);
    for (line, at_most) in [("oshrun", 0.3), ("mpiexec", 0.4)] {
        judge(&format!("hello at 64 PEs under {line}, s"), samples.median("launch", line, 64), at_most);
        judge(&format!("shmem_init at 2 PEs under {line}, ms"), samples.median("init", line, 2), 3.0);
    }
    // More would be a message per process.
    judge("ring exchange, messages per server", samples.worst("ring", "ring"), 2.0);
    verdicts
}

/// All medians, a block for each figure.
pub fn table(samples: &Samples) -> String {
    let mut text = String::new();
    for figure in FIGURES {
        let lines = samples.lines(figure.name);
        if lines.is_empty() {
            continue;
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{} [{}]", figure.title, figure.unit);
        let mut xs: Vec<u64> = lines.iter().flat_map(|(_, points)| points.iter().map(|(x, _)| *x)).collect();
        xs.sort_unstable();
        xs.dedup();
        let _ = write!(text, "  {:28}", figure.x);
        xs.iter().for_each(|x| {
            let _ = write!(text, "{x:>12}");
        });
        let _ = writeln!(text);
        for (line, points) in lines {
            let _ = write!(text, "  {:28}", figures::label(line));
            for x in &xs {
                let _ = match points.iter().find(|(at, _)| at == x) {
                    Some((_, y)) => write!(text, "{:>12}", digits(*y)),
                    None => write!(text, "{:>12}", "-"),
                };
            }
            let _ = writeln!(text);
        }
    }
    text
}

/// Three digits that matter, and no fractions of large numbers.
pub fn digits(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[derive(Serialize)]
struct File<'a> {
    format: u32,
    date: String,
    quick: bool,
    rounds: usize,
    host: Host,
    versions: BTreeMap<String, String>,
    series: Vec<Series<'a>>,
    targets: Vec<Verdict>,
}

/// The samples of one point, in the order of the rounds.
#[derive(Serialize)]
struct Series<'a> {
    figure: &'a str,
    line: &'a str,
    x: u64,
    x_is: &'a str,
    unit: &'a str,
    median: f64,
    samples: &'a [f64],
}

pub fn write(path: &Path, samples: &Samples, targets: Vec<Verdict>, host: Host, quick: bool) -> Result<()> {
    let rounds = samples.0.values().map(Vec::len).max().unwrap_or(0);
    let series = samples.0.iter().map(|((figure, line, x), values)| {
        let about = figures::figure(figure).expect("parsed rows are of known figures");
        Series {
            figure,
            line,
            x: *x,
            x_is: about.x,
            unit: about.unit,
            median: median(&mut values.clone()),
            samples: values,
        }
    });
    let file = File {
        format: FORMAT,
        date: host::today()?,
        quick,
        rounds,
        host,
        versions: host::versions(),
        series: series.collect(),
        targets,
    };
    let text = serde_json::to_string_pretty(&file)? + "\n";
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// The samples of a file that [`write`] wrote.
pub fn read(path: &Path) -> Result<Samples> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let strange = || anyhow!("{} is not a result of this version", path.display());
    let file: serde_json::Value = serde_json::from_str(&text).with_context(strange)?;
    let mut samples = Samples::default();
    for series in file["series"].as_array().ok_or_else(strange)? {
        let word = |name: &str| series[name].as_str();
        let about = word("figure").and_then(figures::figure);
        let (Some(about), Some(line), Some(x)) = (about, word("line"), series["x"].as_u64()) else { bail!(strange()) };
        for value in series["samples"].as_array().ok_or_else(strange)? {
            let value = value.as_f64().ok_or_else(strange)?;
            samples.add(Row { figure: about.name, line: line.to_owned(), x, value });
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(rows: &[&str]) -> Samples {
        let mut samples = Samples::default();
        rows.iter().for_each(|row| samples.add(Row::parse(row).unwrap()));
        samples
    }

    #[test]
    fn rows() {
        let row = Row::parse("get-cpu-65536 two 32 0.25").unwrap();
        assert_eq!(row, Row { figure: "get-cpu-65536", line: "two".into(), x: 32, value: 0.25 });
        for bad in
            ["", "get-cpu-65536 two 32", "nothing two 32 0.25", "ring ring 1 2 3", "ring ring x 2", "ring ring 1 NaN"]
        {
            assert_eq!(Row::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn targets_are_judged_by_medians_of_the_worst_point() {
        let s = samples(&[
            "get-cpu-65536 two 1 0.1",
            "get-cpu-65536 two 32 0.2",
            "get-cpu-65536 two 32 9.0",
            "get-cpu-65536 two 32 0.4",
            "get-wall-65536 two 32 0.1",
            "get-wall-65536 socket 32 200",
            "memory-fence two 1000000 64.5",
        ]);
        let verdicts = judge(&s);
        let ok: Vec<(f64, bool)> = verdicts.iter().map(|v| (v.value, v.ok)).collect();
        assert_eq!(ok, [(0.4, false), (0.1 / 200.0, true), (64.5, true)]);
    }

    #[test]
    fn a_result_is_read_again() {
        let s = samples(&["launch oshrun 64 0.14", "launch oshrun 64 0.15", "ring ring 1 2"]);
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.json");
        write(&path, &s, Vec::new(), Host::default(), false).unwrap();
        assert_eq!(read(&path).unwrap().0, s.0);
        std::fs::write(&path, "{}").unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn a_table_has_all_lines() {
        let s = samples(&["ring ring 1 2", "ring ring 8 2", "ring put-get 8 32"]);
        let text = table(&s);
        assert!(text.contains("messages to other servers"), "{text}");
        assert!(text.contains("ring exchange") && text.contains("2.00"), "{text}");
        let put_get = text.lines().find(|l| l.contains("Put and Get")).unwrap();
        assert!(put_get.split_whitespace().rev().take(2).eq(["32.0", "-"]), "{put_get}");
    }
}
