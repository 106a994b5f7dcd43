//! Which members are on which node.

/// The nodes of a group's members, numbered in the order of their first members.
#[derive(Clone, Debug)]
pub struct Layout {
    node: Vec<u32>,
    local: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Layout {
    /// From the node of each member, by any numbers below the number of members.
    pub fn of(node_of: impl IntoIterator<Item = u32>) -> Layout {
        let mut number = std::collections::HashMap::new();
        let mut layout = Layout { node: Vec::new(), local: Vec::new(), members: Vec::new() };
        for (member, outside) in (0..).zip(node_of) {
            let node: u32 = *number.entry(outside).or_insert_with(|| {
                layout.members.push(Vec::new());
                layout.members.len() as u32 - 1
            });
            layout.node.push(node);
            layout.local.push(layout.members[node as usize].len() as u32);
            layout.members[node as usize].push(member);
        }
        layout
    }

    /// As many members on each node, one node behind the other.
    pub fn blocks(nodes: u32, per_node: u32) -> Layout {
        Layout::of((0..nodes * per_node).map(|member| member / per_node))
    }

    /// Every member on a node of its own.
    pub fn apart(members: u32) -> Layout {
        Layout::blocks(members, 1)
    }

    pub fn size(&self) -> u32 {
        self.node.len() as u32
    }

    pub fn nodes(&self) -> u32 {
        self.members.len() as u32
    }

    pub fn node(&self, member: u32) -> u32 {
        self.node[member as usize]
    }

    /// Number of a member among those of its node.
    pub fn local(&self, member: u32) -> u32 {
        self.local[member as usize]
    }

    /// The members of a node, ascending.
    pub fn on(&self, node: u32) -> &[u32] {
        &self.members[node as usize]
    }

    pub fn leader(&self, node: u32) -> u32 {
        self.on(node)[0]
    }

    /// Most members of a node.
    pub fn widest(&self) -> u32 {
        self.members.iter().map(Vec::len).max().unwrap_or(0) as u32
    }

    /// Members follow each other node by node.
    pub fn in_blocks(&self) -> bool {
        self.node.is_sorted()
    }

    /// Members follow each other node by node, as many on each.
    pub fn regular(&self) -> bool {
        self.in_blocks() && self.members.iter().all(|node| node.len() == self.members[0].len())
    }
}

/// The least k for which 2^k is not below `n`.
pub fn log2_up(n: u32) -> u32 {
    n.next_power_of_two().ilog2()
}
