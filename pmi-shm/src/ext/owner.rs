//! Which keys travel with the fence, and who answers for the others.

use crate::kvs::rank_of;
use xxhash_rust::xxh3::xxh3_64;

/// How a key will be read, as the one who puts it knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Hint {
    /// By most processes: it goes to every node with the next fence.
    #[default]
    Dense,
    /// By few: it goes to its owner at once, and to others when they ask.
    Sparse,
}

impl Hint {
    /// As it stands in messages.
    pub fn word(self) -> &'static str {
        match self {
            Hint::Dense => "DENSE",
            Hint::Sparse => "SPARSE",
        }
    }

    /// From a message. Unknown words are `None`: whoever does not care writes nothing.
    pub fn of(word: &[u8]) -> Option<Hint> {
        [Hint::Dense, Hint::Sparse].into_iter().find(|hint| hint.word().as_bytes() == word)
    }
}

/// The node that answers for a sparse key: the node of its rank for `name@rank` (the put is then local, and a Get takes
/// one message there and one back), else one chosen by the key's bytes. The same on all nodes, whoever puts or asks.
/// `node_of` gives a rank's node, `None` for ranks that do not exist.
pub fn owner(key: &[u8], nodes: u32, node_of: impl Fn(u32) -> Option<u32>) -> u32 {
    let of_rank = rank_of(key).and_then(node_of).filter(|node| *node < nodes);
    // No seed: nodes must agree. The high bits, because a store's buckets are the low ones.
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
        for hint in [Hint::Dense, Hint::Sparse] {
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
