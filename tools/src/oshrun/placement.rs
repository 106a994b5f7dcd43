//! The node of each rank.

use crate::hosts::Host;
use anyhow::{Result, bail};

/// The number of the node of each of `size` ranks on these hosts.
///
/// Ranks fill the slots of one host after the other, and begin again with the first host if ranks remain. `ppn` is the
/// number of slots of every host. If no host has slots, the ranks are spread evenly; if some have, the others have one.
pub fn on_hosts(size: u32, hosts: &[Host], ppn: Option<u32>) -> Vec<u32> {
    let bare = hosts.iter().all(|h| h.slots.is_none());
    let share = if bare { size.div_ceil(hosts.len() as u32).max(1) } else { 1 };
    let slots: Vec<u32> = hosts.iter().map(|h| ppn.or(h.slots).unwrap_or(share)).collect();
    let rounds = (0u32..).flat_map(|_| 0..hosts.len() as u32);
    rounds.flat_map(|node| std::iter::repeat_n(node, slots[node as usize] as usize)).take(size as usize).collect()
}

/// The node of each rank if one machine plays `nodes` nodes: blocks of even size, the first ones one rank larger.
pub fn on_fakes(size: u32, nodes: u32, ppn: Option<u32>) -> Result<Vec<u32>> {
    if nodes > size {
        bail!("--fake-nodes {nodes} with {size} ranks: a node has at least one rank");
    }
    Ok(match ppn {
        Some(ppn) => (0..size).map(|rank| rank / ppn % nodes).collect(),
        None => {
            let (each, larger) = (size / nodes, size % nodes);
            let ranks = |node: u32| each + u32::from(node < larger);
            (0..nodes).flat_map(|node| std::iter::repeat_n(node, ranks(node) as usize)).collect()
        }
    })
}

/// The number of ranks if the user says none: one for each slot.
pub fn default_size(hosts: &[Host], ppn: Option<u32>) -> u32 {
    hosts.iter().map(|h| ppn.or(h.slots).unwrap_or(1)).fold(0, u32::saturating_add).max(1)
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
        assert_eq!(on_hosts(4, &hosts("a,b"), None), [0, 0, 1, 1]);
        assert_eq!(on_hosts(5, &hosts("a,b"), None), [0, 0, 0, 1, 1]);
        assert_eq!(on_hosts(4, &hosts("a,b"), Some(1)), [0, 1, 0, 1]);
        assert_eq!(on_hosts(5, &hosts("a:1,b:3"), None), [0, 1, 1, 1, 0]);
        assert_eq!(on_hosts(4, &hosts("a,b:3"), None), [0, 1, 1, 1]);
        assert_eq!(on_hosts(6, &hosts("a,b:3"), None), [0, 1, 1, 1, 0, 1]);
        assert_eq!(on_hosts(1, &hosts("a,b,c"), None), [0]);
        assert_eq!(default_size(&hosts("a:1,b:3,c"), None), 5);
        assert_eq!(default_size(&hosts("a,b"), Some(4)), 8);
        assert_eq!(default_size(&[], None), 1);
    }

    #[test]
    fn fakes() {
        assert_eq!(on_fakes(4, 2, None).unwrap(), [0, 0, 1, 1]);
        assert_eq!(on_fakes(5, 2, None).unwrap(), [0, 0, 0, 1, 1]);
        assert_eq!(on_fakes(10, 4, None).unwrap(), [0, 0, 0, 1, 1, 1, 2, 2, 3, 3]);
        assert_eq!(on_fakes(4, 2, Some(1)).unwrap(), [0, 1, 0, 1]);
        assert!(on_fakes(2, 3, None).is_err());
    }

    #[test]
    fn empty_nodes_go() {
        let mut n = [2, 0, 2, 5];
        assert_eq!(compact(&mut n), [0, 2, 5]);
        assert_eq!(n, [1, 0, 1, 2]);
    }
}
