//! The node of each rank.

use crate::hosts::Host;
use anyhow::{Result, bail};
use std::collections::HashMap;

/// The number of the node of each of `size` ranks on these hosts.
///
/// Ranks fill the slots of one host after the other, and begin again with the first host if ranks remain. `ppn` is the
/// number of slots of every host. If no host has slots, the ranks are spread evenly; if some have, the others have one.
/// `turns`: each host with a free slot gets one rank in turn.
pub fn on_hosts(size: u32, hosts: &[Host], ppn: Option<u32>, turns: bool) -> Vec<u32> {
    let bare = hosts.iter().all(|h| h.slots.is_none());
    let share = if bare { size.div_ceil(hosts.len() as u32).max(1) } else { 1 };
    let slots: Vec<u32> = hosts.iter().map(|h| ppn.or(h.slots).unwrap_or(share)).collect();
    filled(size, &slots, turns)
}

/// As often as `size` needs: all slots of one node after the other, or one of each node in turn.
fn filled(size: u32, slots: &[u32], turns: bool) -> Vec<u32> {
    let blocks = slots.iter().zip(0u32..).flat_map(|(&n, node)| std::iter::repeat_n(node, n as usize));
    // No more than is needed: a number of slots may be a typing error.
    let mut round: Vec<u32> = blocks.take(size as usize).collect();
    if turns {
        let most = slots.iter().copied().max().unwrap_or(1).min(size);
        let one_each = |turn| slots.iter().zip(0u32..).filter(move |(n, _)| **n > turn).map(|(_, node)| node);
        round = (0..most).flat_map(one_each).take(size as usize).collect();
    }
    round.iter().copied().cycle().take(size as usize).collect()
}

/// The node of each rank if one machine plays `nodes` nodes: blocks of even size, the first ones one rank larger.
pub fn on_fakes(size: u32, nodes: u32, ppn: Option<u32>, turns: bool) -> Result<Vec<u32>> {
    if nodes > size {
        bail!("--fake-nodes {nodes} with {size} ranks: a node has at least one rank");
    }
    let each = |node: u32| ppn.unwrap_or(size / nodes + u32::from(node < size % nodes));
    Ok(filled(size, &(0..nodes).map(each).collect::<Vec<_>>(), turns))
}

/// The node of each rank whose host is named. The hosts are those of the ranks.
pub fn on_named(ranks: &[String], hosts: &mut Vec<Host>) -> Vec<u32> {
    let mut places = HashMap::new();
    let node = |name: &String| {
        *places.entry(name.clone()).or_insert_with(|| {
            hosts.push(Host { name: name.clone(), slots: None });
            hosts.len() as u32 - 1
        })
    };
    ranks.iter().map(node).collect()
}

/// Numbers the ranks anew: one of each node in turn, as many as each has.
pub fn in_turns(nodes: &mut [u32]) {
    let most = nodes.iter().copied().max().unwrap_or(0);
    let mut counts = vec![0; most as usize + 1];
    nodes.iter().for_each(|&n| counts[n as usize] += 1);
    nodes.copy_from_slice(&filled(nodes.len() as u32, &counts, true));
}

/// The number of ranks if the user says none: one for each slot. Without hosts there are `nodes` nodes of this machine.
pub fn default_size(hosts: &[Host], nodes: u32, ppn: Option<u32>) -> u32 {
    if hosts.is_empty() {
        return nodes.saturating_mul(ppn.unwrap_or(1));
    }
    hosts.iter().map(|h| ppn.or(h.slots).unwrap_or(1)).fold(0, u32::saturating_add)
}

/// Removes nodes without ranks and numbers the others anew, in the same order. Returns their old numbers.
pub fn compact(nodes: &mut [u32]) -> Vec<u32> {
    let mut used: Vec<u32> = nodes.to_vec();
    used.sort_unstable();
    used.dedup();
    for n in nodes {
        *n = used.binary_search(n).expect("each number is in the list of all") as u32;
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(text: &str) -> Vec<Host> {
        crate::hosts::list(text).unwrap()
    }

    #[test]
    fn slots_shares_and_rounds() {
        assert_eq!(on_hosts(4, &hosts("a,b"), None, false), [0, 0, 1, 1]);
        assert_eq!(on_hosts(5, &hosts("a,b"), None, false), [0, 0, 0, 1, 1]);
        assert_eq!(on_hosts(4, &hosts("a,b"), Some(1), false), [0, 1, 0, 1]);
        assert_eq!(on_hosts(5, &hosts("a:1,b:3"), None, false), [0, 1, 1, 1, 0]);
        assert_eq!(on_hosts(4, &hosts("a,b:3"), None, false), [0, 1, 1, 1]);
        assert_eq!(on_hosts(6, &hosts("a,b:3"), None, false), [0, 1, 1, 1, 0, 1]);
        assert_eq!(on_hosts(1, &hosts("a,b,c"), None, false), [0]);
        assert_eq!(on_hosts(5, &hosts("a:1,b:3"), None, true), [0, 1, 1, 1, 0]);
        assert_eq!(on_hosts(6, &hosts("a:2,b:3"), None, true), [0, 1, 0, 1, 1, 0]);
        assert_eq!(on_hosts(4, &hosts("a,b"), None, true), [0, 1, 0, 1]);
        assert_eq!(on_hosts(4, &hosts("a:4000000000,b"), None, true), [0, 1, 0, 0]);
        assert_eq!(default_size(&hosts("a:1,b:3,c"), 1, None), 5);
        assert_eq!(default_size(&hosts("a,b"), 1, Some(4)), 8);
        assert_eq!((default_size(&[], 1, None), default_size(&[], 3, Some(2))), (1, 6));
    }

    #[test]
    fn fakes() {
        assert_eq!(on_fakes(4, 2, None, false).unwrap(), [0, 0, 1, 1]);
        assert_eq!(on_fakes(5, 2, None, false).unwrap(), [0, 0, 0, 1, 1]);
        assert_eq!(on_fakes(10, 4, None, false).unwrap(), [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]);
        assert_eq!(on_fakes(4, 2, Some(1), false).unwrap(), [0, 1, 0, 1]);
        assert!(on_fakes(2, 3, None, false).is_err());
    }

    #[test]
    fn numbers_in_turns_and_named_hosts() {
        let mut nodes = [0, 0, 0, 1, 2, 2];
        in_turns(&mut nodes);
        assert_eq!(nodes, [0, 1, 2, 0, 2, 0]);
        let mut hosts = Vec::new();
        assert_eq!(on_named(&["b", "a", "b"].map(String::from), &mut hosts), [0, 1, 0]);
        assert_eq!(hosts.iter().map(|h| h.name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
    }
}
