//! `PMI_process_mapping`: the node of each rank.

use super::Malformed;

/// Consecutive nodes with the same number of ranks each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Block {
    first: u32,
    nodes: u32,
    per_node: u32,
}

impl Block {
    fn ranks(&self) -> u64 {
        u64::from(self.nodes) * u64::from(self.per_node)
    }
}

/// The node of each rank, compressed: `(vector,(first,nodes,per_node),...)`. The blocks are used in order, and from the
/// start again if ranks remain. So `(0,1,1)` alone puts all ranks on one node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeMap {
    size: u32,
    blocks: Vec<Block>,
}

impl NodeMap {
    /// All ranks on node 0.
    pub fn one_node(size: u32) -> NodeMap {
        NodeMap { size, blocks: vec![Block { first: 0, nodes: 1, per_node: size.max(1) }] }
    }

    /// `per_node` ranks on each node; the last node may have fewer.
    pub fn blocks_of(size: u32, per_node: u32) -> NodeMap {
        let per_node = per_node.max(1);
        NodeMap { size, blocks: vec![Block { first: 0, nodes: size.div_ceil(per_node).max(1), per_node }] }
    }

    /// Rank `r` on node `r % nodes`.
    pub fn cyclic(size: u32, nodes: u32) -> NodeMap {
        NodeMap { size, blocks: vec![Block { first: 0, nodes: nodes.max(1), per_node: 1 }] }
    }

    /// The map with these nodes of the ranks, in order.
    ///
    /// Cost: O(ranks). Runs of a node are joined to blocks, and what repeats is kept once. So for N nodes in sequence
    /// there is one block if all have as many ranks, also where the ranks go round the nodes several times, and one
    /// block more for each place where the number of ranks changes. Otherwise there is at most one block per run.
    pub fn of(nodes: impl IntoIterator<Item = u32>) -> NodeMap {
        let mut size = 0;
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for node in nodes {
            size += 1;
            match runs.last_mut() {
                Some((last, count)) if *last == node => *count += 1,
                _ => runs.push((node, 1)),
            }
        }
        runs.truncate(period(&runs));
        let mut blocks: Vec<Block> = Vec::new();
        for (node, count) in runs {
            match blocks.last_mut() {
                Some(b) if b.first + b.nodes == node && b.per_node == count => b.nodes += 1,
                _ => blocks.push(Block { first: node, nodes: 1, per_node: count }),
            }
        }
        if blocks.is_empty() {
            return NodeMap::one_node(0);
        }
        NodeMap { size, blocks }
    }

    /// The node of each rank, in order. O(ranks) for all.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let nodes = |b: &Block| (b.first..b.first + b.nodes).zip(std::iter::repeat(b.per_node));
        let runs = self.blocks.iter().flat_map(nodes).cycle();
        runs.flat_map(|(node, count)| std::iter::repeat_n(node, count as usize)).take(self.size as usize)
    }

    /// The number of ranks.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// The number of nodes: one more than the highest node with a rank.
    pub fn nodes(&self) -> u32 {
        let used = self.starts().filter(|(start, _)| *start < u64::from(self.size));
        let last = used.map(|(start, b)| {
            let ranks = (u64::from(self.size) - start).min(b.ranks());
            b.first + ((ranks - 1) / u64::from(b.per_node)) as u32
        });
        last.max().map_or(1, |n| n + 1)
    }

    /// The node of a rank below `size()`.
    pub fn node_of(&self, rank: u32) -> u32 {
        let round = self.round();
        let mut left = u64::from(rank) % round;
        for b in &self.blocks {
            if left < b.ranks() {
                return b.first + (left / u64::from(b.per_node)) as u32;
            }
            left -= b.ranks();
        }
        0
    }

    /// The ranks of a node, in ascending order.
    pub fn ranks_on(&self, node: u32) -> Vec<u32> {
        let here = |b: &Block| (b.first..b.first + b.nodes).contains(&node);
        let parts = self.starts().filter(|(_, b)| here(b));
        let parts: Vec<(u64, u64)> = parts
            .map(|(start, b)| (start + u64::from(node - b.first) * u64::from(b.per_node), u64::from(b.per_node)))
            .collect();
        let (size, round) = (u64::from(self.size), self.round());
        let mut ranks = Vec::new();
        for begin in (0..size).step_by(usize::try_from(round).unwrap_or(usize::MAX)) {
            for (start, count) in &parts {
                let first = (begin + start).min(size);
                // Below `size`, which is a u32.
                ranks.extend((first..(first + count).min(size)).map(|r| r as u32));
            }
        }
        ranks
    }

    /// The blocks, each with the number of ranks before it.
    fn starts(&self) -> impl Iterator<Item = (u64, &Block)> {
        self.blocks.iter().scan(0, |next, b| {
            let start = *next;
            *next += b.ranks();
            Some((start, b))
        })
    }

    /// The number of ranks in all blocks; after that the blocks are used again.
    fn round(&self) -> u64 {
        self.blocks.iter().map(Block::ranks).sum::<u64>().max(1)
    }

    /// The text of the protocols.
    pub fn to_text(&self) -> String {
        let blocks = self.blocks.iter().map(|b| format!(",({},{},{})", b.first, b.nodes, b.per_node));
        format!("(vector{})", blocks.collect::<String>())
    }

    /// Reads the text of the protocols, for a job of `size` ranks.
    pub fn parse(text: &str, size: u32) -> Result<NodeMap, Malformed> {
        let wrong = || Malformed(format!("\"{text}\" is no process mapping"));
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let inner = compact.strip_prefix("(vector").and_then(|t| t.strip_suffix(')')).ok_or_else(wrong)?;
        let mut blocks = Vec::new();
        let mut rest = inner;
        while !rest.is_empty() {
            let (triple, tail) = rest.strip_prefix(",(").and_then(|t| t.split_once(')')).ok_or_else(wrong)?;
            let numbers: Vec<u32> = triple.split(',').map_while(|n| n.parse().ok()).collect();
            let [first, nodes, per_node] = numbers[..] else {
                return Err(wrong());
            };
            // The sum must be a valid node number, and an empty block would place no rank, for ever.
            if nodes == 0 || per_node == 0 || first.checked_add(nodes).is_none() || nodes > 1 << 24 {
                return Err(wrong());
            }
            blocks.push(Block { first, nodes, per_node });
            rest = tail;
        }
        if blocks.is_empty() {
            return Err(wrong());
        }
        Ok(NodeMap { size, blocks })
    }
}

/// The number of runs (a node, and how many ranks) after which the runs repeat, to their end. The last run may be
/// shorter than the one that it repeats. The number of all runs, if the last one does not fit what repeats before it.
///
/// Cost: O(runs), as in the search of Knuth, Morris and Pratt.
fn period(runs: &[(u32, u32)]) -> usize {
    let Some((last, whole)) = runs.split_last() else { return 0 };
    // For each prefix, the length of the longest shorter prefix with which it ends.
    let mut borders = vec![0; whole.len()];
    let mut border = 0;
    for at in 1..whole.len() {
        while border > 0 && whole[at] != whole[border] {
            border = borders[border - 1];
        }
        border += usize::from(whole[at] == whole[border]);
        borders[at] = border;
    }
    // The longest border leaves the shortest period that fits all runs but the last.
    let period = whole.len() - borders.last().unwrap_or(&0);
    let repeats = |(node, count): (u32, u32)| node == last.0 && count >= last.1;
    match whole.get(whole.len() % period.max(1)) {
        Some(&first) if repeats(first) => period,
        _ => runs.len(),
    }
}
