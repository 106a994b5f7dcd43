//! Counters of operations of a PE or of a context. All accesses are relaxed, because the numbers are only shown.

use core::sync::atomic::{AtomicU64, Ordering};

/// The kinds of operations that are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(usize)]
pub(crate) enum Verb {
    Put,
    Get,
    /// An AMO that gives no value back.
    Amo,
    /// An AMO that gives a value back.
    Fetch,
}

/// Words of a tally: calls of each operation, bytes of puts, bytes of gets.
const WORDS: usize = 6;

/// Operations and bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Moved {
    pub(crate) puts: u64,
    pub(crate) gets: u64,
    pub(crate) amos: u64,
    pub(crate) fetches: u64,
    pub(crate) put_bytes: u64,
    pub(crate) get_bytes: u64,
}

impl Moved {
    /// The number of operations that write at the target and return nothing.
    pub(crate) fn writes(&self) -> u64 {
        self.puts + self.amos
    }

    /// The number of operations that return something.
    pub(crate) fn reads(&self) -> u64 {
        self.gets + self.fetches
    }

    /// Combines each number with that of `other` by `f`.
    pub(crate) fn with(&self, other: &Moved, f: impl Fn(u64, u64) -> u64) -> Moved {
        Moved {
            puts: f(self.puts, other.puts),
            gets: f(self.gets, other.gets),
            amos: f(self.amos, other.amos),
            fetches: f(self.fetches, other.fetches),
            put_bytes: f(self.put_bytes, other.put_bytes),
            get_bytes: f(self.get_bytes, other.get_bytes),
        }
    }
}

/// The counters. Any thread adds to them.
#[derive(Debug, Default)]
#[repr(transparent)]
pub(crate) struct Tally([AtomicU64; WORDS]);

impl Tally {
    pub(crate) fn count(&self, verb: Verb, bytes: usize) {
        self.0[verb as usize].fetch_add(1, Ordering::Relaxed);
        let of_bytes = match verb {
            Verb::Put => 4,
            Verb::Get => 5,
            Verb::Amo | Verb::Fetch => return,
        };
        self.0[of_bytes].fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Moved {
        let [puts, gets, amos, fetches, put_bytes, get_bytes] =
            core::array::from_fn(|i| self.0[i].load(Ordering::Relaxed));
        Moved { puts, gets, amos, fetches, put_bytes, get_bytes }
    }

    /// Sets all counters to 0.
    pub(crate) fn reset(&self) {
        self.0.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn operations_and_bytes_are_counted() {
        let tally = Tally::default();
        tally.count(Verb::Put, 8);
        tally.count(Verb::Put, 16);
        tally.count(Verb::Get, 5);
        tally.count(Verb::Amo, 8);
        tally.count(Verb::Fetch, 8);
        let moved = tally.read();
        assert_eq!(moved, Moved { puts: 2, gets: 1, amos: 1, fetches: 1, put_bytes: 24, get_bytes: 5 });
        assert_eq!((moved.writes(), moved.reads()), (3, 2));
        assert_eq!(moved.with(&moved, |a, b| a + b).put_bytes, 48);
        tally.reset();
        assert_eq!(tally.read(), Moved::default());
    }
}
