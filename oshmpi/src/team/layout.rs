//! Which node each member of a group is on. Every member computes it from the group's triplet and the job's placement,
//! without a message. Nodes are numbered by their first members in the group. If PEs are placed regularly, four numbers
//! tell the layout. Otherwise there is one for each node of the group; if its members are scattered there are two, and
//! one for each node of the job up to the last that the group uses.

use super::Members;
use crate::memory::addr::Pe;
use crate::memory::placement::{self, Placement};

/// The nodes of a group.
#[derive(Debug)]
pub(crate) struct Layout {
    members: usize,
    nodes: usize,
    /// See [`Layout::least`].
    least: usize,
    map: MemberMap,
}

#[derive(Debug)]
enum MemberMap {
    /// Member i has position `start + stride * i`. Positions below `first` are on node 0, and each `each` positions
    /// after that on a further node.
    Blocks {
        start: usize,
        stride: usize,
        first: usize,
        each: usize,
    },
    /// Member i is on node i modulo the number of nodes.
    Cyclic,
    /// The members of a node follow each other: the first member of each node.
    Runs(Box<[u32]>),
    Scattered(Scattered),
}

#[derive(Debug)]
struct Scattered {
    group: Members,
    placement: Placement,
    /// The group's number of each node of the job.
    number: Box<[u32]>,
    leaders: Box<[u32]>,
    counts: Box<[u32]>,
}

impl Layout {
    /// The layout of a group in a job with this placement. Takes constant time if PEs are placed regularly, else time
    /// proportional to the members.
    pub(crate) fn new(group: Members, placement: &Placement) -> Layout {
        let members = group.size as usize;
        let (start, stride) = (group.start as usize, group.stride.unsigned_abs() as usize);
        match placement.map {
            placement::Map::Blocks { first, each } => {
                let (first, each, pes) = (first as usize, each as usize, placement.pes as usize);
                // With a negative stride, PEs are counted from the other end.
                let behind = pes - first;
                let last = if behind.is_multiple_of(each) { each } else { behind % each };
                let (start, first) = match (group.stride >= 0, behind) {
                    (true, _) => (start, first),
                    (false, 0) => (pes - 1 - start, first),
                    // Counted so, the first node is the last one, and may be larger than the others.
                    (false, _) if first > each => return Layout::listed(group, placement),
                    (false, _) => (pes - 1 - start, last),
                };
                // Positions are counted from the begin of the first member's node.
                let (start, first) = match start.checked_sub(first) {
                    None => (start, first),
                    Some(behind) => (behind % each, each),
                };
                let end = start + stride * (members - 1);
                if end < first {
                    return Layout::of(members, 1, MemberMap::Blocks { start, stride, first, each });
                }
                if stride > each && start + stride >= first {
                    // Some nodes have no member, and no node has several.
                    return Layout::of(members, members, MemberMap::Cyclic);
                }
                if stride > each {
                    return Layout::listed(group, placement);
                }
                Layout::of(members, 2 + (end - first) / each, MemberMap::Blocks { start, stride, first, each })
            }
            placement::Map::Cyclic { nodes } => {
                let nodes = nodes as usize;
                let period = nodes / gcd(stride % nodes, nodes);
                Layout::of(members, period.min(members), MemberMap::Cyclic)
            }
            placement::Map::Table(_) => Layout::listed(group, placement),
        }
    }

    /// The layout, by a look at each member.
    fn listed(group: Members, placement: &Placement) -> Layout {
        const NONE: u32 = u32::MAX;
        let (mut number, mut leaders, mut counts): (Vec<u32>, Vec<u32>, Vec<u32>) = Default::default();
        let (mut blocks, mut before) = (true, NONE);
        for i in 0..group.size {
            let node = placement.node(Pe(group.world(i))) as usize;
            if number.len() <= node {
                number.resize(node + 1, NONE);
            }
            if number[node] == NONE {
                number[node] = leaders.len() as u32;
                leaders.push(i);
                counts.push(0);
            } else if number[node] != before {
                blocks = false;
            }
            before = number[node];
            counts[before as usize] += 1;
        }
        let (members, nodes) = (group.size as usize, leaders.len());
        let leaders = leaders.into_boxed_slice();
        let map = if blocks {
            MemberMap::Runs(leaders)
        } else {
            let (number, counts) = (number.into_boxed_slice(), counts.into_boxed_slice());
            MemberMap::Scattered(Scattered { group, placement: *placement, number, leaders, counts })
        };
        Layout::of(members, nodes, map)
    }

    fn of(members: usize, nodes: usize, map: MemberMap) -> Layout {
        let mut layout = Layout { members, nodes, least: 1, map };
        layout.least = layout.count_least();
        layout
    }

    pub(crate) fn members(&self) -> usize {
        self.members
    }

    pub(crate) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Whether the members of each node follow each other.
    pub(crate) fn blocks(&self) -> bool {
        matches!(self.map, MemberMap::Blocks { .. } | MemberMap::Runs(_)) || [1, self.members].contains(&self.nodes)
    }

    /// The node of a member.
    pub(crate) fn node(&self, member: usize) -> usize {
        match &self.map {
            MemberMap::Blocks { start, stride, first, each } => match (start + stride * member).checked_sub(*first) {
                None => 0,
                Some(behind) => 1 + behind / each,
            },
            MemberMap::Cyclic => member % self.nodes,
            MemberMap::Runs(leaders) => leaders.partition_point(|&leader| leader as usize <= member) - 1,
            MemberMap::Scattered(s) => s.number[s.placement.node(Pe(s.group.world(member as u32))) as usize] as usize,
        }
    }

    /// The first member of a node. If the members of each node follow each other, `node` may be the number of nodes:
    /// the result is then the number of members.
    pub(crate) fn leader(&self, node: usize) -> usize {
        match &self.map {
            _ if node == self.nodes => self.members,
            _ if node == 0 => 0,
            MemberMap::Blocks { start, stride, first, each } => (first + (node - 1) * each - start).div_ceil(*stride),
            MemberMap::Cyclic => node,
            MemberMap::Runs(leaders) | MemberMap::Scattered(Scattered { leaders, .. }) => leaders[node] as usize,
        }
    }

    /// The number of members of a node.
    pub(crate) fn count(&self, node: usize) -> usize {
        match &self.map {
            MemberMap::Blocks { .. } | MemberMap::Runs(_) => self.leader(node + 1) - self.leader(node),
            MemberMap::Cyclic => (self.members - node).div_ceil(self.nodes),
            MemberMap::Scattered(s) => s.counts[node] as usize,
        }
    }

    /// The `local`-th member of a node. If members are scattered, only the first one is known.
    pub(crate) fn member(&self, node: usize, local: usize) -> usize {
        match self.map {
            MemberMap::Cyclic => node + local * self.nodes,
            _ => {
                debug_assert!(local == 0 || self.blocks());
                self.leader(node) + local
            }
        }
    }

    /// A member's number among those of its node. If members are scattered, it takes a look at each member before it.
    pub(crate) fn local(&self, member: usize) -> usize {
        let node = self.node(member);
        match &self.map {
            MemberMap::Cyclic => member / self.nodes,
            MemberMap::Scattered(_) => (0..member).filter(|&i| self.node(i) == node).count(),
            _ => member - self.leader(node),
        }
    }

    /// The least number of members of a node that [`Layout::member`] knows.
    pub(crate) fn least(&self) -> usize {
        self.least
    }

    fn count_least(&self) -> usize {
        match &self.map {
            MemberMap::Blocks { .. } if self.nodes <= 3 => (0..self.nodes).map(|k| self.count(k)).min().unwrap_or(1),
            MemberMap::Blocks { stride, each, .. } => self.count(0).min(each / stride).min(self.count(self.nodes - 1)),
            MemberMap::Cyclic => self.members / self.nodes,
            MemberMap::Runs(_) => (0..self.nodes).map(|k| self.count(k)).min().unwrap_or(1),
            MemberMap::Scattered(_) => 1,
        }
    }

    /// The greatest number of members of a node.
    pub(crate) fn most(&self) -> usize {
        match &self.map {
            MemberMap::Blocks { .. } if self.nodes <= 3 => (0..self.nodes).map(|k| self.count(k)).max().unwrap_or(1),
            MemberMap::Blocks { stride, each, .. } => self.count(0).max(each.div_ceil(*stride)),
            MemberMap::Cyclic => self.members.div_ceil(self.nodes),
            MemberMap::Runs(_) => (0..self.nodes).map(|k| self.count(k)).max().unwrap_or(1),
            MemberMap::Scattered(s) => s.counts.iter().max().map_or(1, |&most| most as usize),
        }
    }

    /// The members of a node by start, stride and size, unless they are scattered.
    pub(crate) fn triplet(&self, node: usize) -> Option<(usize, usize, usize)> {
        match &self.map {
            MemberMap::Scattered(_) => None,
            MemberMap::Cyclic => Some((node, self.nodes, self.count(node))),
            _ => Some((self.leader(node), 1, self.count(node))),
        }
    }

    /// The members sorted by nodes, and where the members of each node begin in this list. It has a number for each
    /// member, so it is for calls that move something for each member.
    pub(crate) fn by_nodes(&self) -> (Vec<u32>, Vec<usize>) {
        let mut starts = vec![0; self.nodes + 1];
        (0..self.nodes).for_each(|k| starts[k + 1] = starts[k] + self.count(k));
        let mut next = starts.clone();
        let mut order = vec![0; self.members];
        for member in 0..self.members {
            let place = &mut next[self.node(member)];
            order[*place] = member as u32;
            *place += 1;
        }
        (order, starts)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if a == 0 { b } else { gcd(b % a, a) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// For any placement and triplet, the computed layout equals that found by a look at each member.
        #[test]
        fn a_layout_is_the_nodes(
            nodes in prop::collection::vec(0u32..4, 2..40),
            how in 0..3u32,
            first in 1u32..7,
            each in 1u32..7,
            start in 0u32..40,
            stride in prop::sample::select(vec![-3i32, -2, -1, 1, 2, 3, 5, 8]),
            less in 0u32..5,
        ) {
            let pes = nodes.len() as u32;
            let nodes = Placement::nodes_of_test(nodes, how, first, each);
            let placement = Placement::of_test(&nodes);
            let start = start % pes;
            let step = stride.unsigned_abs();
            let size = if stride > 0 { (pes - start).div_ceil(step) } else { start / step + 1 };
            let group = Members::spaced(start, stride, size.saturating_sub(less).max(1));
            let layout = Layout::new(group, &placement);

            let node_of: Vec<u32> = (0..group.size).map(|i| nodes[group.world(i) as usize]).collect();
            let mut lists: Vec<(u32, Vec<usize>)> = Vec::new();
            for (i, &node) in node_of.iter().enumerate() {
                match lists.iter_mut().find(|(n, _)| *n == node) {
                    Some((_, list)) => list.push(i),
                    None => lists.push((node, vec![i])),
                }
            }
            let lists: Vec<Vec<usize>> = lists.into_iter().map(|(_, list)| list).collect();
            prop_assert_eq!((layout.nodes(), layout.members()), (lists.len(), node_of.len()));
            let counts = || lists.iter().map(Vec::len);
            prop_assert!(layout.least() >= 1 && layout.least() <= counts().min().unwrap());
            prop_assert!(layout.most() >= counts().max().unwrap());
            let blocks = lists.iter().all(|list| list.windows(2).all(|two| two[1] == two[0] + 1));
            prop_assert!(!layout.blocks() || blocks);
            for (k, list) in lists.iter().enumerate() {
                prop_assert_eq!((layout.count(k), layout.leader(k)), (list.len(), list[0]));
                prop_assert!(list.iter().enumerate().all(|(j, &i)| (layout.node(i), layout.local(i)) == (k, j)));
                if let Some((first, stride, size)) = layout.triplet(k) {
                    prop_assert_eq!(list, &(0..size).map(|j| first + j * stride).collect::<Vec<_>>());
                    prop_assert!(list.iter().enumerate().all(|(j, &i)| layout.member(k, j) == i));
                }
            }
            let (order, starts) = layout.by_nodes();
            let order: Vec<usize> = order.into_iter().map(|i| i as usize).collect();
            prop_assert_eq!(order, lists.concat());
            prop_assert!(starts.windows(2).map(|two| two[1] - two[0]).eq(counts()));
        }
    }
}
