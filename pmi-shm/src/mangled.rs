//! Inputs for tests of parsers: sound ones with a few things wrong.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// One of these, with bytes changed, inserted, removed or repeated.
pub(crate) fn mangled(sound: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    let edit = (any::<Index>(), 0..7u8, any::<u8>());
    (select(sound), vec(edit, 0..6)).prop_map(|(mut bytes, edits)| {
        for (index, kind, byte) in edits {
            let len = bytes.len();
            let at = index.index(len + 1);
            match kind {
                0 if at < len => bytes[at] ^= byte,
                // Bytes that mean something in these protocols.
                1 if at < len => bytes[at] = b"=;\n 0123456789-\0"[usize::from(byte) % 16],
                2 if at < len => {
                    bytes.remove(at);
                }
                3 => bytes.insert(at, byte),
                4 => bytes.truncate(at),
                5 if len < 4096 => bytes.extend_from_within(at..),
                6 => drop(bytes.drain(..at)),
                _ => {}
            }
        }
        bytes
    })
}

/// The number of inputs: `PROPTEST_CASES`, or else `usual`.
pub(crate) fn inputs(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig::with_cases(asked.unwrap_or(usual))
}
