//! The figures of all rounds, and the file they are kept in.

use super::contest::Contestant;
use super::host::{self, Host};
use super::parse::Row;
use crate::util::median;
use anyhow::{Context, Result};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What was measured: everything but who was measured.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct What {
    /// `put`, `atomics`, `barrier`, ...
    pub measure: &'static str,
    pub memory: Memory,
    pub pes: usize,
    /// Message size in bytes or operation.
    pub row: String,
}

impl What {
    /// A measurement that has no choice of memory.
    pub fn any(measure: &'static str, pes: usize, row: &str) -> What {
        What { measure, memory: Memory::Any, pes, row: row.to_string() }
    }

    /// The row as a number, for sorting.
    pub fn size(&self) -> Option<u64> {
        self.row.parse().ok()
    }
}

/// Where the remote data lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Memory {
    Heap,
    Statics,
    /// The measurement has no such choice.
    Any,
}

impl Memory {
    /// The word of the benchmark programs and of OSU.
    pub fn word(self) -> &'static str {
        match self {
            Memory::Heap => "heap",
            Memory::Statics => "global",
            Memory::Any => "-",
        }
    }
}

/// All samples of one run of `cargo xtask bench`: unit and values of each figure.
#[derive(Clone, Default)]
pub struct Samples(BTreeMap<(Contestant, What), (&'static str, Vec<f64>)>);

impl Samples {
    pub fn add(&mut self, who: Contestant, measure: &'static str, memory: Memory, pes: usize, row: Row) {
        let what = What { measure, memory, pes, row: row.name };
        self.0.entry((who, what)).or_insert_with(|| (row.unit, Vec::new())).1.push(row.value);
    }

    fn values(&self, who: Contestant, what: &What) -> Option<&Vec<f64>> {
        self.0.get(&(who, what.clone())).map(|(_, values)| values)
    }

    /// The median over the rounds.
    pub fn median(&self, who: Contestant, what: &What) -> Option<f64> {
        self.values(who, what).map(|values| median(&mut values.clone()))
    }

    /// The unit of a figure.
    pub fn unit(&self, who: Contestant, what: &What) -> Option<&'static str> {
        self.0.get(&(who, what.clone())).map(|(unit, _)| *unit)
    }

    /// Everything measured, in order.
    pub fn all(&self) -> impl Iterator<Item = (Contestant, &What)> {
        self.0.keys().map(|(who, what)| (*who, what))
    }

    /// Everything measured of `who`, in order.
    pub fn of(&self, who: Contestant) -> impl Iterator<Item = &What> {
        self.all().filter(move |(w, _)| *w == who).map(|(_, what)| what)
    }
}

/// A result file.
#[derive(Serialize)]
pub struct File {
    pub date: String,
    pub quick: bool,
    pub rounds: usize,
    pub host: Host,
    /// Program to version.
    pub versions: BTreeMap<String, String>,
    pub series: Vec<Series>,
    /// What could not be measured, and why.
    pub problems: Vec<String>,
}

/// The samples of one figure, in the order of the rounds.
#[derive(Serialize)]
pub struct Series {
    pub contestant: String,
    pub measure: String,
    pub memory: String,
    pub pes: usize,
    pub row: String,
    /// `us` is the time of one operation.
    pub unit: String,
    pub median: f64,
    pub samples: Vec<f64>,
}

impl File {
    pub fn new(samples: &Samples, host: Host, quick: bool, rounds: usize) -> Result<File> {
        let series = samples.0.iter().map(|((who, what), (unit, values))| Series {
            contestant: who.name(),
            measure: what.measure.to_string(),
            memory: what.memory.word().to_string(),
            pes: what.pes,
            row: what.row.clone(),
            unit: unit.to_string(),
            median: median(&mut values.clone()),
            samples: values.clone(),
        });
        Ok(File {
            date: host::today()?,
            quick,
            rounds,
            host,
            versions: host::versions(),
            series: series.collect(),
            problems: Vec::new(),
        })
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::util::Mpi;

    /// Adds a time in microseconds.
    pub fn add(
        s: &mut Samples,
        who: Contestant,
        measure: &'static str,
        memory: Memory,
        pes: usize,
        row: &str,
        us: f64,
    ) {
        s.add(who, measure, memory, pes, Row { name: row.into(), value: us, unit: "us" });
    }

    const OURS: Contestant = Contestant::Ours(Mpi::Mpich);

    #[test]
    fn a_file_has_every_sample_and_the_median() {
        let mut samples = Samples::default();
        for us in [3.0, 1.0, 2.0] {
            add(&mut samples, OURS, "put", Memory::Statics, 2, "8", us);
        }
        let file = File::new(&samples, Host::default(), true, 3).unwrap();
        let [series] = &file.series[..] else { panic!("{} figures", file.series.len()) };
        assert_eq!((series.memory.as_str(), series.median, &series.samples[..]), ("global", 2.0, &[3.0, 1.0, 2.0][..]));
    }
}
