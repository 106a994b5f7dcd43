//! The tree of servers.

/// A node in a k-ary tree over `0..nodes`. Nodes are numbered level by level: the root is 0, and the children of `i`
/// are `i * arity + 1 ..= i * arity + arity`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tree {
    node: u32,
    nodes: u32,
    arity: u32,
}

impl Tree {
    /// # Panics
    /// If there is no such node, or with an arity of 0.
    pub fn new(node: u32, nodes: u32, arity: u32) -> Tree {
        assert!(node < nodes, "node {node} of {nodes}");
        assert!(arity > 0, "a tree needs an arity of at least 1");
        Tree { node, nodes, arity }
    }

    pub fn parent(&self) -> Option<u32> {
        (self.node > 0).then(|| (self.node - 1) / self.arity)
    }

    pub fn children(&self) -> std::ops::Range<u32> {
        let first = u64::from(self.node) * u64::from(self.arity) + 1;
        let clip = |n: u64| n.min(u64::from(self.nodes)) as u32;
        clip(first)..clip(first + u64::from(self.arity))
    }

    /// The neighbour through which messages for `to` go. `None`: `to` is this node.
    pub fn towards(&self, to: u32) -> Option<u32> {
        if to == self.node {
            return None;
        }
        // Numbers fall on the way to the root. So `to` lies below this node if its way to the root passes here.
        let mut at = to;
        while at > self.node {
            let above = (at - 1) / self.arity;
            if above == self.node {
                return Some(at);
            }
            at = above;
        }
        self.parent()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_is_the_child_of_its_parent_only() {
        for arity in 1..6 {
            for nodes in 1..60 {
                let mut seen = vec![0; nodes as usize];
                for node in 0..nodes {
                    for child in Tree::new(node, nodes, arity).children() {
                        seen[child as usize] += 1;
                        assert_eq!(Tree::new(child, nodes, arity).parent(), Some(node));
                    }
                }
                assert!(seen[0] == 0 && seen[1..].iter().all(|n| *n == 1));
            }
        }
    }

    #[test]
    fn every_way_leads_to_its_end() {
        for arity in 1..5 {
            let nodes = 40;
            for from in 0..nodes {
                for to in 0..nodes {
                    let (mut at, mut steps) = (from, 0);
                    while let Some(next) = Tree::new(at, nodes, arity).towards(to) {
                        at = next;
                        steps += 1;
                        assert!(steps < nodes);
                    }
                    assert_eq!(at, to);
                }
            }
        }
    }
}
