//! Which keys travel with the fence, and which node answers for the others.

use crate::kvs::rank_of;
use xxhash_rust::xxh3::xxh3_64;

/// How a key will be read. The process that puts the key knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Hint {
    /// Most processes will read it: it goes to every node with the next fence.
    #[default]
    Dense,
    /// Few processes will read it: it goes to its owner at once, and to other nodes when they ask.
    Sparse,
    /// Few processes will read it, and they know which rank has put it: it stays on that rank's node.
    Direct,
}

impl Hint {
    /// The hint in messages.
    pub fn word(self) -> &'static str {
        match self {
            Hint::Dense => "DENSE",
            Hint::Sparse => "SPARSE",
            Hint::Direct => "DIRECT",
        }
    }

    /// The hint of a message. `None`: the word is unknown, or there is none.
    pub fn of(word: &[u8]) -> Option<Hint> {
        [Hint::Dense, Hint::Sparse, Hint::Direct].into_iter().find(|hint| hint.word().as_bytes() == word)
    }
}

/// The node that answers for a sparse key. All nodes compute the same one. For a key `name@rank` it is the node of that
/// rank: then the put is local, and a Get takes one message there and one back. For other keys it is chosen by the
/// key's bytes. `node_of` gives a rank's node, and `None` for ranks that do not exist.
pub fn owner(key: &[u8], nodes: u32, node_of: impl Fn(u32) -> Option<u32>) -> u32 {
    let of_rank = rank_of(key).and_then(node_of).filter(|node| *node < nodes);
    // Without a seed, because nodes must agree. By the high bits, because the low ones choose a store's bucket.
    of_rank.unwrap_or_else(|| ((u128::from(xxh3_64(key)) * u128::from(nodes)) >> 64) as u32)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn node_of(rank: u32) -> Option<u32> {
        (rank < 16).then_some(rank / 4)
    }

    #[test]
    fn words_come_back() {
        for hint in [Hint::Dense, Hint::Sparse, Hint::Direct] {
            assert_eq!(Hint::of(hint.word().as_bytes()), Some(hint));
        }
        assert_eq!(Hint::of(b"sparse"), None);
    }

    #[test]
    fn a_rank_s_key_lies_where_the_rank_is() {
        assert_eq!(owner(b"card@0", 4, node_of), 0);
        assert_eq!(owner(b"card@15", 4, node_of), 3);
    }

    #[test]
    fn other_keys_spread_over_all_nodes() {
        let mut count = [0; 4];
        for i in 0..4000 {
            let key = format!("key-{i}@no rank");
            count[owner(key.as_bytes(), 4, node_of) as usize] += 1;
            let beyond = format!("card@{}", 16 + i);
            assert!(owner(beyond.as_bytes(), 4, node_of) < 4);
        }
        assert!(count.iter().all(|n| (800..1200).contains(n)), "{count:?}");
        assert_eq!(owner(b"anything", 1, |_| None), 0);
    }
}
