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

/// What an override can name: the algorithms of each collective.
#[rustfmt::skip]
const KNOWN: &[(Collective, &[Algorithm])] = &[
    (C::Barrier, &[A::Dissemination, A::Hierarchical, A::Tree]),
    (C::Broadcast, &[A::Eager, A::Read, A::ReadWrite, A::Binomial, A::ScatterAllgather, A::Hierarchical]),
    (C::Allgather, &[A::Eager, A::Read, A::Write, A::Bruck, A::Ring, A::Hierarchical]),
    (C::Collect, &[A::Eager, A::Read, A::Write, A::Allgather, A::Hierarchical]),
    (C::Alltoall, &[A::Eager, A::Read, A::Write, A::Pairwise, A::Bruck, A::Hierarchical]),
    (C::Reduce, &[A::Eager, A::Read, A::Write, A::Allgather, A::ReduceScatter, A::RecursiveDoubling, A::Rabenseifner,
        A::Hierarchical]),
    (C::Scan, &[A::Eager, A::Read, A::Write, A::Allgather, A::Pairwise, A::RecursiveDoubling, A::Hierarchical]),
];

/// All pairs of [`KNOWN`]. The index in this list identifies a pair.
fn pairs() -> impl Iterator<Item = (Collective, Algorithm)> {
    KNOWN.iter().flat_map(|(collective, algorithms)| algorithms.iter().map(|algorithm| (*collective, *algorithm)))
}

fn words(algorithms: &[Algorithm], between: &str) -> String {
    algorithms.iter().map(|algorithm| algorithm.name()).collect::<Vec<_>>().join(between)
}

/// Algorithms that are taken wherever they are possible, before the table of `ops/coll/select.rs`: a bit for each of
/// [`pairs`]. Equal on all PEs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct CollSelect(u64);

impl CollSelect {
    /// No overrides.
    pub(crate) const NONE: CollSelect = CollSelect(0);

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn has(self, collective: Collective, algorithm: Algorithm) -> bool {
        self.chosen().any(|pair| pair == (collective, algorithm))
    }

    fn chosen(self) -> impl Iterator<Item = (Collective, Algorithm)> {
        pairs().enumerate().filter(move |(place, _)| self.0 >> place & 1 == 1).map(|(_, pair)| pair)
    }
}

impl Read for CollSelect {
    const EXPECTED: &'static str = "a list of collectives and algorithms";

    /// From a list such as `reduce:allgather,broadcast:binomial`; None if a name is not known.
    fn read(text: &str) -> Option<CollSelect> {
        text.split(',').map(str::trim).filter(|entry| !entry.is_empty()).try_fold(CollSelect::NONE, |chosen, entry| {
            let (collective, algorithm) = entry.split_once(':')?;
            let place = pairs().position(|(c, a)| c.name() == collective && a.name() == algorithm)?;
            Some(CollSelect(chosen.0 | 1 << place))
        })
    }

    /// The names that are known in place of the first one that is not: the algorithms of its collective, or the
    /// collectives.
    fn expected(text: &str) -> String {
        let wrong = text.split(',').find(|entry| CollSelect::read(entry).is_none()).unwrap_or_default();
        let collective = wrong.split(':').next().unwrap_or_default().trim();
        if let Some((_, algorithms)) = KNOWN.iter().find(|(c, _)| c.name() == collective) {
            return format!("{collective}:{}", words(algorithms, "|"));
        }
        let collectives: Vec<&str> = KNOWN.iter().map(|(c, _)| c.name()).collect();
        format!("COLLECTIVE:ALGORITHM, a collective out of {}", collectives.join(", "))
    }

    /// As a user writes it.
    fn show(&self) -> String {
        if self.is_empty() {
            return "not set".to_owned();
        }
        self.chosen().map(|(c, a)| format!("{}:{}", c.name(), a.name())).collect::<Vec<_>>().join(",")
    }
}

impl Numbered for CollSelect {
    fn number(&self) -> u64 {
        self.0
    }
    fn of_number(n: u64) -> Option<CollSelect> {
        (n >> pairs().count() == 0).then_some(CollSelect(n))
    }
}

#[cfg(all(test, not(feature = "documents")))]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_read_as_it_is_written() {
        for (collective, algorithm) in pairs() {
            let text = format!("{}:{}", collective.name(), algorithm.name());
            let one = CollSelect::read(&text).unwrap();
            assert!(one.has(collective, algorithm) && one.chosen().count() == 1, "{text}");
            assert_eq!((one.show(), CollSelect::of_number(one.number())), (text, Some(one)));
        }
        let all = (0..pairs().count()).fold(0, |all, place| all | 1 << place);
        assert_eq!(CollSelect::read(&CollSelect(all).show()), Some(CollSelect(all)));
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
        for (collective, algorithms) in KNOWN {
            let wanted = format!("/// {}: {}", collective.name(), words(algorithms, ", "));
            assert!(text.contains(&wanted), "{wanted}");
        }
    }
}
