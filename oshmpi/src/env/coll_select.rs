//! The names of collectives and their algorithms, and the setting that overrides the choice among them.

use super::{Numbered, Read};

/// Declares names of a list of words.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
    };
}

named! {
    /// A collective operation, or a part of one: a reduction between nodes may use an allgather.
    Collective {
        Barrier = "barrier",
        Broadcast = "broadcast",
        /// Blocks of equal length; between nodes blocks of any lengths.
        Allgather = "allgather",
        /// Blocks of any length.
        Collect = "collect",
        Alltoall = "alltoall",
        Reduce = "reduce",
        Scan = "scan",
    }
}

named! {
    /// An algorithm of a collective. The first four are for members that share a node.
    Algorithm {
        /// Data travels with the arrivals, in eager buffers.
        Eager = "eager",
        /// Members read each other's sources, between two barriers.
        Read = "read",
        /// Members write into the others' dests, before a barrier.
        Write = "write",
        /// Members read the root's source, and the root writes the last part of the data for them.
        ReadWrite = "read-write",
        /// The members of each node use its memory, and leaders of the nodes send messages.
        Hierarchical = "hierarchical",
        Dissemination = "dissemination",
        Binomial = "binomial",
        /// van de Geijn's algorithm: the root scatters, then all gather.
        ScatterAllgather = "scatter-allgather",
        Bruck = "bruck",
        Ring = "ring",
        Pairwise = "pairwise",
        /// Every member receives all members' elements and combines them.
        Allgather = "allgather",
        /// Each member combines a share of the elements for all.
        ReduceScatter = "reduce-scatter",
        RecursiveDoubling = "recursive-doubling",
        Rabenseifner = "rabenseifner",
        /// On a node: groups of members that follow the machine's caches.
        Tree = "tree",
    }
}

use Algorithm as A;
use Collective as C;

/// All pairs that an override can name. The index in this list identifies a pair.
const KNOWN: &[(Collective, Algorithm)] = &[
    (C::Barrier, A::Dissemination),
    (C::Barrier, A::Hierarchical),
    (C::Barrier, A::Tree),
    (C::Broadcast, A::Eager),
    (C::Broadcast, A::Read),
    (C::Broadcast, A::ReadWrite),
    (C::Broadcast, A::Binomial),
    (C::Broadcast, A::ScatterAllgather),
    (C::Broadcast, A::Hierarchical),
    (C::Allgather, A::Eager),
    (C::Allgather, A::Read),
    (C::Allgather, A::Write),
    (C::Allgather, A::Bruck),
    (C::Allgather, A::Ring),
    (C::Allgather, A::Hierarchical),
    (C::Collect, A::Eager),
    (C::Collect, A::Read),
    (C::Collect, A::Write),
    (C::Collect, A::Allgather),
    (C::Collect, A::Hierarchical),
    (C::Alltoall, A::Eager),
    (C::Alltoall, A::Read),
    (C::Alltoall, A::Write),
    (C::Alltoall, A::Pairwise),
    (C::Alltoall, A::Bruck),
    (C::Alltoall, A::Hierarchical),
    (C::Reduce, A::Eager),
    (C::Reduce, A::Read),
    (C::Reduce, A::Write),
    (C::Reduce, A::Allgather),
    (C::Reduce, A::ReduceScatter),
    (C::Reduce, A::RecursiveDoubling),
    (C::Reduce, A::Rabenseifner),
    (C::Reduce, A::Hierarchical),
    (C::Scan, A::Eager),
    (C::Scan, A::Read),
    (C::Scan, A::Write),
    (C::Scan, A::Allgather),
    (C::Scan, A::Pairwise),
    (C::Scan, A::RecursiveDoubling),
    (C::Scan, A::Hierarchical),
];

/// Algorithms that are taken wherever they are possible, before the table of `ops/coll/select.rs`: a bit for each pair
/// of [`KNOWN`]. Equal on all PEs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CollSelect(u64);

impl CollSelect {
    /// No overrides.
    pub(crate) const NONE: CollSelect = CollSelect(0);

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, collective: Collective, algorithm: Algorithm) -> bool {
        self.chosen().any(|&pair| pair == (collective, algorithm))
    }

    /// From a list such as `reduce:allgather,broadcast:binomial`; None if a name is not known.
    pub(crate) fn read(text: &str) -> Option<CollSelect> {
        text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).try_fold(CollSelect::NONE, |chosen, entry| {
            let (collective, algorithm) = entry.split_once(':')?;
            let place = KNOWN.iter().position(|(c, a)| c.name() == collective && a.name() == algorithm)?;
            Some(CollSelect(chosen.0 | 1 << place))
        })
    }

    /// The names that are known in place of the first one that is not: the algorithms of its collective, or the
    /// collectives.
    pub(crate) fn expected(text: &str) -> String {
        let wrong = text.split(',').find(|entry| CollSelect::read(entry).is_none()).unwrap_or_default();
        let collective = wrong.split(':').next().unwrap_or_default().trim();
        let algorithms: Vec<&str> =
            KNOWN.iter().filter(|(c, _)| c.name() == collective).map(|(_, a)| a.name()).collect();
        if !algorithms.is_empty() {
            return format!("{collective}:{}", algorithms.join("|"));
        }
        let collectives: Vec<&str> =
            KNOWN.chunk_by(|one, next| one.0 == next.0).map(|pairs| pairs[0].0.name()).collect();
        format!("COLLECTIVE:ALGORITHM, a collective out of {}", collectives.join(", "))
    }

    /// The setting as a user writes it.
    pub(crate) fn name(self) -> String {
        self.chosen().map(|(c, a)| format!("{}:{}", c.name(), a.name())).collect::<Vec<_>>().join(",")
    }

    fn chosen(self) -> impl Iterator<Item = &'static (Collective, Algorithm)> {
        KNOWN.iter().enumerate().filter(move |(place, _)| self.0 >> place & 1 == 1).map(|(_, pair)| pair)
    }

    /// The setting as the number that PEs exchange at start.
    pub(crate) fn number(self) -> u64 {
        self.0
    }

    pub(crate) fn of_number(n: u64) -> Option<CollSelect> {
        (n >> KNOWN.len() == 0).then_some(CollSelect(n))
    }
}

impl Read for CollSelect {
    const EXPECTED: &'static str = "a list of collectives and algorithms";
    fn read(text: &str) -> Option<CollSelect> {
        CollSelect::read(text)
    }
    fn expected(text: &str) -> String {
        CollSelect::expected(text)
    }
    fn show(&self) -> String {
        if self.is_empty() { "not set".to_owned() } else { self.name() }
    }
}

impl Numbered for CollSelect {
    fn number(&self) -> u64 {
        CollSelect::number(*self)
    }
    fn of_number(n: u64) -> Option<CollSelect> {
        CollSelect::of_number(n)
    }
}

#[cfg(all(test, not(feature = "documents")))]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_read_as_it_is_written() {
        for &(collective, algorithm) in KNOWN {
            let text = format!("{}:{}", collective.name(), algorithm.name());
            let one = CollSelect::read(&text).unwrap();
            assert!(one.has(collective, algorithm) && one.chosen().count() == 1, "{text}");
            assert_eq!((one.name(), CollSelect::of_number(one.number())), (text, Some(one)));
        }
        let all = (0..KNOWN.len()).fold(0, |all, place| all | 1 << place);
        assert_eq!(CollSelect::read(&CollSelect(all).name()), Some(CollSelect(all)));
        assert_eq!(CollSelect::of_number(u64::MAX), None);
    }

    #[test]
    fn unknown_names_are_refused() {
        assert_eq!(CollSelect::read(""), Some(CollSelect::NONE));
        for text in ["reduce", "reduce:", "reduce:bruck", "shuffle:ring", "reduce:allgather,broadcast"] {
            assert_eq!(CollSelect::read(text), None, "{text}");
        }
        assert!(CollSelect::read("reduce:allgather, scan:pairwise").is_some());
    }

    #[test]
    fn what_is_known_is_named() {
        assert_eq!(CollSelect::expected("scan:read,barrier:bruck"), "barrier:dissemination|hierarchical|tree");
        let all =
            "COLLECTIVE:ALGORITHM, a collective out of barrier, broadcast, allgather, collect, alltoall, reduce, scan";
        assert_eq!(CollSelect::expected("shuffle:ring"), all);
    }

    /// The comment above the setting, from which the documents are generated, names all.
    #[test]
    fn the_documents_name_all() {
        let text = include_str!("../env.rs");
        for pairs in KNOWN.chunk_by(|one, next| one.0 == next.0) {
            let names: Vec<&str> = pairs.iter().map(|(_, a)| a.name()).collect();
            let wanted = format!("/// {}: {}", pairs[0].0.name(), names.join(", "));
            assert!(text.contains(&wanted), "{wanted}");
        }
    }
}
