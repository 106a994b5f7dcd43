//! The figures of all rounds, and the file they are kept in.

use super::contest::Contestant;
use super::host::{self, Host};
use super::parse::Row;
use crate::util::median;
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// Version of the result file. A file of another version is not compared with.
const FORMAT: u32 = 1;

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

    /// The row as a number, for sorting and for axes.
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

    /// The time of one in a round over that of another in the same round; the median over the rounds.
    ///
    /// On some machines a time depends on where the host has put the cores at that moment. Two runs of one round mostly
    /// have the same place, but two medians of all rounds need not. A contestant that fails once is not run again, so
    /// the n-th values of both contestants belong to the same round.
    pub fn ratio(&self, who: Contestant, what: &What, other: Contestant, theirs: &What) -> Option<f64> {
        let (ours, theirs) = (self.values(who, what)?, self.values(other, theirs)?);
        Some(median(&mut ours.iter().zip(theirs).map(|(a, b)| a / b).collect::<Vec<_>>()))
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
#[derive(Serialize, Deserialize)]
pub struct File {
    format: u32,
    pub date: String,
    pub quick: bool,
    pub rounds: usize,
    pub host: Host,
    /// Program to version.
    pub versions: BTreeMap<String, String>,
    pub series: Vec<Series>,
    /// What could not be measured, and why.
    pub problems: Vec<String>,
    /// Microseconds that a cache line took from core to core, beside each group of each round.
    #[serde(default)]
    pub ways: Vec<f64>,
}

/// The samples of one figure, in the order of the rounds.
#[derive(Serialize, Deserialize)]
pub struct Series {
    pub contestant: String,
    pub measure: String,
    pub memory: String,
    pub pes: usize,
    pub row: String,
    /// `us` is always the time of one operation or message, for message rates too.
    pub unit: String,
    pub median: f64,
    pub samples: Vec<f64>,
}

impl Series {
    /// A figure has this label in every run.
    pub fn label(&self) -> String {
        format!("{} {} {} {} PEs {}", self.contestant, self.measure, self.memory, self.pes, self.row)
    }
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
            format: FORMAT,
            date: host::today()?,
            quick,
            rounds,
            host,
            versions: host::versions(),
            series: series.collect(),
            problems: Vec::new(),
            ways: Vec::new(),
        })
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    pub fn read(path: &Path) -> Result<File> {
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let file: File =
            serde_json::from_str(&text).with_context(|| format!("{} is not a result of bench", path.display()))?;
        ensure!(file.format == FORMAT, "{} has format {}, this is {FORMAT}", path.display(), file.format);
        Ok(file)
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
    fn ratios_are_those_of_a_round() {
        let mut samples = Samples::default();
        let what = What::any("put", 2, "8");
        // The machine is three times slower for a while, until the fifth round: medians of all rounds are 3 and 2.
        for (ours, theirs) in [(1.0, 2.0), (1.0, 2.0), (3.0, 6.0), (3.0, 6.0), (3.0, 2.0)] {
            add(&mut samples, OURS, "put", Memory::Any, 2, "8", ours);
            add(&mut samples, Contestant::Oshmem, "put", Memory::Any, 2, "8", theirs);
        }
        let ratio = |other| samples.ratio(OURS, &what, other, &what);
        assert_eq!((ratio(Contestant::Oshmem), ratio(Contestant::Limit)), (Some(0.5), None));
        assert_eq!(median(&mut [4.0, 1.0, 100.0, 2.0]), 3.0);
    }

    #[test]
    fn a_file_comes_back_as_written_and_another_format_is_refused() {
        let mut samples = Samples::default();
        for us in [3.0, 1.0, 2.0] {
            add(&mut samples, OURS, "put", Memory::Statics, 2, "8", us);
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.json");
        File::new(&samples, Host::default(), true, 3).unwrap().write(&path).unwrap();
        let back = File::read(&path).unwrap();
        assert_eq!(back.series.len(), 1);
        assert_eq!(back.series[0].label(), "oshmpi/mpich put global 2 PEs 8");
        assert_eq!((back.series[0].median, &back.series[0].samples[..]), (2.0, &[3.0, 1.0, 2.0][..]));
        let text = std::fs::read_to_string(&path).unwrap().replace("\"format\": 1", "\"format\": 99");
        std::fs::write(&path, text).unwrap();
        assert!(File::read(&path).err().unwrap().to_string().contains("format 99"));
    }
}
