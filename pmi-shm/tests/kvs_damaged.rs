//! Regions that no writer of this crate made. A view refuses them, or answers something, but it neither crashes nor
//! hangs.
#![cfg(not(loom))]

use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use pmi_shm::kvs::{Answer, Settings, Store, View};
use proptest::prelude::*;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// A sealed memfd with these bytes.
fn memory(bytes: &[u8]) -> OwnedFd {
    let mut file = File::from(memfd_create(c"damaged", MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING).unwrap());
    file.write_all(bytes).unwrap();
    fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::F_SEAL_SHRINK)).unwrap();
    file.into()
}

fn bytes_of(fd: BorrowedFd<'_>) -> Vec<u8> {
    let mut file = File::from(fd.try_clone_to_owned().unwrap());
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

/// The bytes of a good store of 50 keys: Table and KVS.
fn good() -> [Vec<u8>; 2] {
    let mut store = Store::create(Settings { buckets: 16, bytes: 0, load: 4.0, ..Settings::default() }).unwrap();
    for i in 0..50 {
        store.insert(format!("key{i}").as_bytes(), format!("value{i}").as_bytes()).unwrap();
    }
    store.lease(b"leased", b"value").unwrap();
    store.descriptors().unwrap().map(bytes_of)
}

/// Asks everything that a client can ask.
fn use_it(table: &[u8], kvs: &[u8]) -> bool {
    let Ok(view) = View::open(memory(table), memory(kvs)) else { return false };
    let begun = Instant::now();
    view.touch();
    let mut out = [0; 64];
    for i in 0..60 {
        let key = format!("key{i}");
        view.get(key.as_bytes(), &mut out);
        let _ = view.value(key.as_bytes());
    }
    view.get(b"leased", &mut out);
    view.get(b"", &mut out);
    view.get(&[0xff; 4096], &mut out);
    assert!(begun.elapsed() < Duration::from_secs(60), "a look takes too long");
    true
}

#[test]
fn a_copy_of_a_good_store_is_good() {
    let [table, kvs] = good();
    assert!(use_it(&table, &kvs));
    let view = View::open(memory(&table), memory(&kvs)).unwrap();
    assert_eq!(view.value(b"key49").unwrap(), b"value49");
}

#[test]
fn wrong_regions_are_refused_with_a_reason() {
    let [table, kvs] = good();
    let [_, other_kvs] = good();
    let why = |table: &[u8], kvs: &[u8]| View::open(memory(table), memory(kvs)).err().unwrap().to_string();
    assert!(why(&[], &kvs).contains("smaller than a header"));
    assert!(why(&table[..64], &kvs).contains("smaller than a header"));
    assert!(why(&kvs, &table).contains("does not begin as one"));
    assert!(why(&table, &other_kvs).contains("different stores"));
    let mut older = table.clone();
    older[8] ^= 1;
    assert!(why(&older, &kvs).contains("layout"));
}

/// Every chain leads back to its first entry.
#[test]
fn a_circle_ends() {
    let [table, mut kvs] = good();
    let words = kvs.len() / 8;
    for at in 16..words {
        kvs[at * 8..at * 8 + 4].copy_from_slice(&16_u32.to_ne_bytes());
    }
    assert!(use_it(&table, &kvs));
    for at in 16..words {
        let own = u32::try_from(at).unwrap();
        kvs[at * 8..at * 8 + 4].copy_from_slice(&own.to_ne_bytes());
    }
    assert!(use_it(&table, &kvs));
}

/// The longest chain that a region of 8 MB can have: every word an entry, each leading to the next.
#[test]
fn the_longest_chain_ends_soon() {
    let [mut table, mut kvs] = good();
    kvs.resize(8 << 20, 0);
    let words = kvs.len() / 8;
    kvs[4 * 8..5 * 8].copy_from_slice(&words.to_ne_bytes());
    for at in 16..words {
        kvs[at * 8..at * 8 + 8].copy_from_slice(&(at as u64 + 1).to_ne_bytes());
    }
    // Of each line, the head of its chain: the upper half of the third word; no slots.
    for line in table[16 * 8..].chunks_exact_mut(64) {
        line.fill(0);
        line[20..24].copy_from_slice(&16_u32.to_ne_bytes());
    }
    let view = View::open(memory(&table), memory(&kvs)).unwrap();
    assert_eq!(view.value(b"key1"), Err(Answer::AskServer), "the chain leads beyond the region");
    assert!(use_it(&table, &kvs));
}

/// A wrong number of buckets is not taken for a store without keys.
#[test]
fn wrong_numbers_of_buckets_deny_nothing() {
    let [table, kvs] = good();
    for buckets in [0, 1, 4, 24, 1 << 40, u64::MAX] {
        let mut table = table.clone();
        table[6 * 8..7 * 8].copy_from_slice(&buckets.to_ne_bytes());
        let view = View::open(memory(&table), memory(&kvs)).unwrap();
        for i in 0..50 {
            let found = view.value(format!("key{i}").as_bytes());
            assert_ne!(found, Err(Answer::Absent), "{buckets}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_words(
        damage in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), word()), 1..40),
    ) {
        let [mut table, mut kvs] = good();
        for (in_table, place, word) in damage {
            let bytes = if in_table { &mut table } else { &mut kvs };
            // Not the magic number and the stamp: a region that is refused at once tests little.
            let at = 2 + place.index(bytes.len() / 8 - 2);
            bytes[at * 8..at * 8 + 8].copy_from_slice(&word.to_ne_bytes());
        }
        use_it(&table, &kvs);
    }

    #[test]
    fn random_bytes_behind_good_headers(seed in any::<u64>()) {
        let [mut table, mut kvs] = good();
        let mut state = seed | 1;
        let mut noise = |bytes: &mut [u8]| {
            for b in bytes {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                *b = (state >> 56) as u8;
            }
        };
        noise(&mut table[16 * 8..]);
        noise(&mut kvs[16 * 8..]);
        use_it(&table, &kvs);
    }
}

/// Words that matter: offsets near the ends, lengths of all sizes, flags.
fn word() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        0..600_u64,
        (0..600_u64, any::<u32>()).prop_map(|(place, high)| place | u64::from(high) << 32),
        Just(u64::MAX),
        Just(u64::MAX - 7),
        (0..64_u32).prop_map(|bit| 1 << bit),
    ]
}
