//! The keys of a ledger's notes: a PE, and the way on which operations go to it. The two ways complete operations by
//! different means, and messages keep the order of operations.

use crate::memory::addr::Pe;
use crate::sync::ledger::MAX_KEYS;

/// A way, as the ledger names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    Fabric,
    Message,
}

impl Path {
    pub(super) const ALL: [Path; 2] = [Path::Fabric, Path::Message];
}

/// The most PEs of a job on several nodes: each path to each of them has a key.
pub(crate) const MOST_PES: u32 = MAX_KEYS / Path::ALL.len() as u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PathKey {
    pub(super) pe: Pe,
    pub(super) by: Path,
}

impl PathKey {
    /// The key as the ledger's number.
    pub(super) fn number(self) -> u32 {
        self.pe.0 * Path::ALL.len() as u32 + self.by as u32
    }

    pub(super) fn of_number(number: u32) -> PathKey {
        let paths = Path::ALL.len() as u32;
        PathKey { pe: Pe(number / paths), by: Path::ALL[(number % paths) as usize] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for pe in [0, 1, 77, MOST_PES - 1].map(Pe) {
            for by in Path::ALL {
                let key = PathKey { pe, by };
                assert!(key.number() < MAX_KEYS);
                assert_eq!(PathKey::of_number(key.number()), key);
            }
        }
    }
}
