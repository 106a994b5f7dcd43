//! Which node each PE of the job is on. Two numbers tell it where launchers place PEs regularly (in blocks, or round
//! robin). Otherwise a table does, which lies once per node in shared memory. Nodes are numbered by their first PEs.

use super::addr::Pe;
use super::places::Places;
use crate::os::{map, memfd};
use core::sync::atomic::{AtomicU32, Ordering};
use serde::{Deserialize, Serialize};
#[cfg(test)]
use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

/// The nodes of a job.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Placement {
    pub(crate) map: Map,
    /// The number of PEs of the job.
    pub(crate) pes: u32,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) enum Map {
    /// The PEs below `first` are on node 0, and `each` of those behind on each further node; the last may have fewer.
    Blocks { first: u32, each: u32 },
    /// PE i is on node i modulo `nodes`.
    Cyclic { nodes: u32 },
    /// The node of each PE. Nobody sends it to another PE.
    #[serde(skip)]
    Table(&'static [AtomicU32]),
}

impl Placement {
    pub(crate) fn one_node(pes: u32) -> Placement {
        Placement { map: Map::Blocks { first: pes, each: pes }, pes }
    }

    /// Every PE is a node of its own.
    pub(crate) fn apart(pes: u32) -> Placement {
        Placement { map: Map::Blocks { first: 1, each: 1 }, pes }
    }

    /// The placement of a job of `pes` PEs on these nodes, if it is regular. The nodes are in the order of their first
    /// PEs. O(nodes).
    pub(crate) fn of_nodes(nodes: &[Places], pes: u32) -> Option<Placement> {
        let count = |node: usize| nodes.get(node).map_or(1, |places| places.count() as u32);
        let fits = |map| {
            let placement = Placement { map, pes };
            let alike = |(node, places): (u32, &Places)| placement.on(node).as_ref() == Some(places);
            (0..).zip(nodes).all(alike).then_some(placement)
        };
        let cyclic = Map::Cyclic { nodes: nodes.len() as u32 };
        fits(Map::Blocks { first: count(0), each: count(1) }).or_else(|| fits(cyclic))
    }

    #[inline]
    pub(crate) fn node(&self, pe: Pe) -> u32 {
        match self.map {
            Map::Blocks { first, .. } if pe.0 < first => 0,
            Map::Blocks { first, each } => 1 + (pe.0 - first) / each,
            Map::Cyclic { nodes } => pe.0 % nodes,
            // Relaxed: who reads a word has stored it before.
            Map::Table(nodes) => nodes[pe.0 as usize].load(Ordering::Relaxed),
        }
    }

    /// The PEs of a node of a regular placement; None if it has none.
    fn on(&self, node: u32) -> Option<Places> {
        let (start, stride, count) = match self.map {
            Map::Blocks { first, .. } if node == 0 => (0, 1, first),
            Map::Blocks { first, each } => (first.checked_add((node - 1).checked_mul(each)?)?, 1, each),
            Map::Cyclic { nodes } => (node, nodes, self.pes.saturating_sub(node).div_ceil(nodes)),
            Map::Table(_) => return None,
        };
        let count = if stride == 1 { count.min(self.pes.saturating_sub(start)) } else { count };
        (count > 0).then(|| Places::spaced(start, stride, count, self.pes))
    }

    /// Nodes of as many PEs, for tests: `nodes` as they are (0), round robin over `each` nodes (1), or in blocks, the
    /// first of `first` PEs and the others of `each` (2).
    #[cfg(test)]
    pub(crate) fn nodes_of_test(nodes: Vec<u32>, how: u32, first: u32, each: u32) -> Vec<u32> {
        let node = |pe: u32| match how {
            0 => nodes[pe as usize],
            1 => pe % each,
            _ if pe < first => 0,
            _ => 1 + (pe - first) / each,
        };
        (0..nodes.len() as u32).map(node).collect()
    }

    /// The placement that these numbers tell, for tests. A table of theirs is never freed.
    #[cfg(test)]
    pub(crate) fn of_test(numbers: &[u32]) -> Placement {
        let (nodes, pes) = (nodes_of(numbers), numbers.len() as u32);
        Placement::of_nodes(&nodes, pes).unwrap_or_else(|| {
            let table: Vec<AtomicU32> = numbers.iter().map(|_| AtomicU32::new(0)).collect();
            fill(&table, &nodes);
            Placement { map: Map::Table(table.leak()), pes }
        })
    }
}

/// The PEs of each node, in the order of their first PEs, from any number for the node of each PE. O(P log P).
#[cfg(test)]
fn nodes_of(numbers: &[u32]) -> Vec<Places> {
    let mut nodes: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (pe, &number) in (0..).zip(numbers) {
        nodes.entry(number).or_default().push(pe);
    }
    let mut nodes: Vec<Places> = nodes.into_values().map(|pes| Places::new(pes, numbers.len() as u32)).collect();
    nodes.sort_unstable_by_key(|places| places.pe(0).0);
    nodes
}

/// Writes the table of a placement into the node's memory, `at` bytes behind its start. The file becomes `size` bytes
/// long. An error is found again when that size is given to the file for good.
pub(crate) fn write_table(memory: &OwnedFd, size: usize, at: usize, nodes: &[Places]) -> io::Result<()> {
    let pes = nodes.iter().map(Places::count).sum::<usize>();
    let end = at + pes * size_of::<AtomicU32>();
    memfd::resize(memory, size as u64)?;
    // A page that cannot be had would kill this PE below.
    memfd::commit(memory, at as u64, (end - at) as u64)?;
    let base = map::shared(memory.as_fd(), 0, end)?;
    // SAFETY: the mapping has so many words there, which all processes access by atomics only.
    fill(unsafe { core::slice::from_raw_parts((base + at) as *const AtomicU32, pes) }, nodes);
    // SAFETY: mapped above, and the borrow ends above.
    unsafe { map::unmap(base, end) };
    Ok(())
}

/// Relaxed: who reads the table has synchronised with a PE that wrote it. All that write it write the same.
fn fill(table: &[AtomicU32], nodes: &[Places]) {
    for (number, places) in (0..).zip(nodes) {
        (0..places.count()).for_each(|slot| table[places.pe(slot).0 as usize].store(number, Ordering::Relaxed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever the placement: the numbers are those of the nodes by their first PEs.
        #[test]
        fn every_pe_is_on_its_node(
            nodes in prop::collection::vec(0u32..4, 1..24),
            how in 0..3u32,
            first in 1u32..6,
            each in 1u32..6,
        ) {
            let pes = nodes.len() as u32;
            let nodes = Placement::nodes_of_test(nodes, how, first, each);
            let placement = Placement::of_test(&nodes);
            prop_assert!(how == 0 || !matches!(placement.map, Map::Table(_)));
            let mut met: Vec<u32> = Vec::new();
            for pe in 0..pes {
                let number = met.iter().position(|&n| n == nodes[pe as usize]).unwrap_or_else(|| {
                    met.push(nodes[pe as usize]);
                    met.len() - 1
                });
                prop_assert_eq!(placement.node(Pe(pe)), number as u32);
            }
        }
    }
}
