//! Which node each PE of the job is on. Two numbers tell it where launchers place PEs regularly (in blocks, or round
//! robin). Otherwise a table does, which lies once per node in shared memory. Nodes are numbered by their first PEs.

use super::addr::Pe;
use core::sync::atomic::{AtomicU32, Ordering};

/// The nodes of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement {
    pub(crate) map: Map,
    /// The number of PEs of the job.
    pub(crate) pes: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Map {
    /// The PEs below `first` are on node 0, and `each` of those behind on each further node; the last may have fewer.
    Blocks { first: u32, each: u32 },
    /// PE i is on node i modulo `nodes`.
    Cyclic { nodes: u32 },
    /// The node of each PE.
    Table(&'static [AtomicU32]),
}

impl Placement {
    /// All PEs are on one node.
    pub(crate) fn one_node(pes: u32) -> Placement {
        Placement { map: Map::Blocks { first: pes, each: pes }, pes }
    }

    /// From the first PE on the node of each PE, if the placement is regular.
    pub(crate) fn regular(leaders: &[u32]) -> Option<Placement> {
        let pes = leaders.len() as u32;
        let fits = |map| {
            let placement = Placement { map, pes };
            let alike = |pe: u32| placement.first(placement.node(Pe(pe))) == leaders[pe as usize];
            (0..pes).all(alike).then_some(placement)
        };
        let second = (0..pes).find(|&pe| leaders[pe as usize] != 0).unwrap_or(pes);
        let third = (second..pes).find(|&pe| leaders[pe as usize] != second).unwrap_or(pes);
        let nodes = (1..pes).find(|&pe| leaders[pe as usize] != pe).unwrap_or(pes);
        fits(Map::Blocks { first: second, each: (third - second).max(1) }).or_else(|| fits(Map::Cyclic { nodes }))
    }

    /// The numbers of the nodes of all PEs, from the first PE on the node of each.
    pub(crate) fn numbers(leaders: &[u32]) -> Vec<u32> {
        let mut nodes = 0;
        let mut numbers = vec![0; leaders.len()];
        for (pe, &leader) in leaders.iter().enumerate() {
            if leader as usize == pe {
                numbers[pe] = nodes;
                nodes += 1;
            } else {
                numbers[pe] = numbers[leader as usize];
            }
        }
        numbers
    }

    /// The node of a PE.
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

    /// The first PE of a node of a regular placement.
    fn first(&self, node: u32) -> u32 {
        match self.map {
            Map::Blocks { .. } if node == 0 => 0,
            Map::Blocks { first, each } => first + (node - 1) * each,
            _ => node,
        }
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
    pub(crate) fn of_test(nodes: &[u32]) -> Placement {
        let first = |node: &u32| nodes.iter().position(|n| n == node).unwrap() as u32;
        let leaders: Vec<u32> = nodes.iter().map(first).collect();
        Placement::regular(&leaders).unwrap_or_else(|| {
            let table: Vec<AtomicU32> = Placement::numbers(&leaders).into_iter().map(AtomicU32::new).collect();
            Placement { map: Map::Table(table.leak()), pes: nodes.len() as u32 }
        })
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
