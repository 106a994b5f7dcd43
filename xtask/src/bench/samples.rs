//! The figures of all rounds.

use super::contest::Contestant;
use super::parse::Row;
use crate::util::median;
use std::collections::BTreeMap;

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

#[cfg(test)]
pub mod tests {
    use super::*;

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
}
