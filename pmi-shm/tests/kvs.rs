//! The store against a map, with views that look keys up while it is written, and a client that does to it whatever the
//! system permits.
#![cfg(not(loom))]

use pmi_shm::kvs::{Answer, KEY_MAX, Store, VALUE_MAX, View};
use proptest::prelude::*;
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;

fn readers(store: &Store) -> OwnedFd {
    store.descriptor().unwrap().try_clone_to_owned().unwrap()
}

fn open(store: &Store) -> View {
    View::open(readers(store), store.id()).unwrap()
}

#[test]
fn limits_are_limits() {
    let mut store = Store::create().unwrap();
    assert!(store.insert(b"", b"v").unwrap_err().to_string().contains("key of 0 bytes"));
    assert!(store.insert(&[1; KEY_MAX + 1], b"v").is_err());
    assert!(store.insert(b"k", &vec![1; VALUE_MAX + 1]).is_err());
    store.insert(&[1; KEY_MAX], &vec![2; VALUE_MAX]).unwrap();
    assert_eq!(open(&store).value(&[1; KEY_MAX]).unwrap(), vec![2; VALUE_MAX]);
}

#[test]
fn what_is_no_store_or_another_one_is_refused() {
    let (store, other) = (Store::create().unwrap(), Store::create().unwrap());
    assert!(View::open(readers(&store), other.id()).is_err());
    for file in ["/dev/null", "/proc/self/exe"] {
        assert!(View::open(File::open(file).unwrap().into(), store.id()).is_err(), "{file}");
    }
}

#[test]
fn leases_end_with_a_fence() {
    let mut store = Store::create().unwrap();
    store.lease(b"far", b"1").unwrap();
    store.insert(b"near", b"2").unwrap();
    let view = open(&store);
    assert_eq!(view.value(b"far").unwrap(), b"1");
    store.advance();
    assert_eq!(view.value(b"far"), Err(Answer::AskServer));
    assert_eq!(view.value(b"near").unwrap(), b"2");
    let used = store.bytes();
    store.lease(b"far", b"1").unwrap();
    assert_eq!(store.bytes(), used, "the same value is renewed where it is");
    assert_eq!(view.value(b"far").unwrap(), b"1");
    store.advance();
    store.lease(b"far", b"3").unwrap();
    assert_eq!(view.value(b"far").unwrap(), b"3");
    store.insert(b"far", b"3").unwrap();
    store.advance();
    assert_eq!(view.value(b"far").unwrap(), b"3", "a value that was inserted stays");
}

/// Readers that look without pause while the store grows. No value goes back to an older one, is lost, or is seen half.
#[test]
fn readers_see_what_is_written() {
    const KEYS: u32 = 30_000;
    let value = |i: u32| i.to_le_bytes().repeat(1 + i as usize % 8);
    let mut store = Store::create().unwrap();
    store.insert(b"round", &0_u32.to_le_bytes()).unwrap();
    let views = [(); 3].map(|()| open(&store));
    let read = |view: &View| {
        let (mut last, mut known) = (0, 0);
        loop {
            // First of all: what was inserted before the end must be there after it.
            let ended = view.value(b"end").is_ok();
            let round = u32::from_le_bytes(view.value(b"round").unwrap().try_into().unwrap());
            assert!(round >= last, "round {round} after {last}");
            last = round;
            // Keys appear in order and stay.
            while let Ok(found) = view.value(format!("key-{known}").as_bytes()) {
                assert_eq!(found, value(known));
                known += 1;
            }
            if known > 0 {
                assert_eq!(view.value(format!("key-{}", known / 2).as_bytes()).unwrap(), value(known / 2));
            }
            if ended {
                return assert_eq!((known, last), (KEYS, KEYS));
            }
        }
    };
    std::thread::scope(|s| {
        views.iter().for_each(|view| drop(s.spawn(move || read(view))));
        for i in 0..KEYS {
            store.insert(format!("key-{i}").as_bytes(), &value(i)).unwrap();
            store.insert(b"round", &(i + 1).to_le_bytes()).unwrap();
        }
        store.insert(b"end", b"").unwrap();
    });
    // Memory that is reserved and not written takes none of the machine.
    let there = File::from(readers(&store)).metadata().unwrap().blocks() * 512;
    assert!(there <= store.bytes() as u64 + 4096, "{there} bytes for {}", store.bytes());
}

/// Tries everything with the descriptor that it was given, and with one that /proc shows.
#[test]
fn a_hostile_client_harms_nobody() {
    let mut store = Store::create().unwrap();
    store.insert(b"stays", b"always").unwrap();
    let view = open(&store);
    let given = readers(&store);
    let shown = File::options().read(true).write(true).open(format!("/proc/self/fd/{}", given.as_raw_fd()));
    for file in [given, shown.expect("as the same user one gets at it").into()] {
        let (fd, zeros) = (file.as_raw_fd(), [0_u8; 4096]);
        // SAFETY: new mappings at places that the kernel chooses, which are not used; the buffer has as many bytes; the
        // other calls take numbers.
        unsafe {
            let map = |access| libc::mmap(std::ptr::null_mut(), 4096, access, libc::MAP_SHARED, fd, 0);
            assert_eq!(map(libc::PROT_READ | libc::PROT_WRITE), libc::MAP_FAILED, "mapped for writing");
            let base = map(libc::PROT_READ);
            assert_ne!(libc::mprotect(base, 4096, libc::PROT_READ | libc::PROT_WRITE), 0, "made writable");
            assert!(libc::pwrite(fd, zeros.as_ptr().cast(), zeros.len(), 0) < 0, "written");
            assert_ne!(libc::ftruncate(fd, 0), 0, "emptied");
            let hole = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            assert_ne!(libc::fallocate(fd, hole, 0, 4096), 0, "a hole punched");
            for seal in [libc::F_SEAL_GROW, libc::F_SEAL_WRITE, libc::F_SEAL_SEAL] {
                assert_ne!(libc::fcntl(fd, libc::F_ADD_SEALS, seal), 0, "sealed against the server");
            }
            // A writable descriptor permits this, and it is useless: longer than the server will ever make the file.
            let _ = libc::ftruncate(fd, 1 << 40);
        }
    }
    for i in 0..5000_u32 {
        store.insert(format!("key-{i}").as_bytes(), &i.to_le_bytes()).unwrap();
    }
    assert_eq!(view.value(b"key-4999").unwrap(), 4999_u32.to_le_bytes());
    assert_eq!(view.value(b"stays").unwrap(), b"always");
}

/// A call on the store, and on a map beside it.
#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<u8>, Vec<u8>),
    Lease(Vec<u8>, Vec<u8>),
    Fence,
    /// As many keys as make the index longer.
    Fill,
    Reopen,
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    // Few keys, so that values are replaced; and keys with zeros, which must not be taken for padding.
    prop_oneof![
        (0..40_u32).prop_map(|i| format!("k{i}").into_bytes()),
        (0..40_u32).prop_map(|i| format!("longer-k{i}").into_bytes()),
        (1..20_usize).prop_map(|n| vec![0; n]),
        prop::collection::vec(any::<u8>(), 1..20),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let value = || prop::collection::vec(any::<u8>(), 0..40);
    prop_oneof![
        8 => (key(), value()).prop_map(|(k, v)| Step::Insert(k, v)),
        2 => (key(), value()).prop_map(|(k, v)| Step::Lease(k, v)),
        1 => Just(Step::Fence),
        1 => Just(Step::Fill),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn like_a_map(steps in prop::collection::vec(step(), 1..120)) {
        let mut store = Store::create().unwrap();
        let mut view = open(&store);
        let mut map: HashMap<Vec<u8>, (Vec<u8>, Option<u64>)> = HashMap::new();
        let mut fences = 0;
        for (at, step) in steps.into_iter().enumerate() {
            match step {
                Step::Insert(k, v) => {
                    store.insert(&k, &v).unwrap();
                    map.insert(k, (v, None));
                }
                Step::Lease(k, v) => {
                    store.lease(&k, &v).unwrap();
                    // An equal value that was inserted needs no lease.
                    let ours = map.get(&k).is_some_and(|(old, lease)| *old == v && lease.is_none());
                    map.insert(k, (v, if ours { None } else { Some(fences) }));
                }
                Step::Fence => {
                    store.advance();
                    fences += 1;
                }
                Step::Fill => (0..200).for_each(|i| store.insert(format!("fill {at} {i}").as_bytes(), b"").unwrap()),
                Step::Reopen => view = open(&store),
            }
            for (k, (v, lease)) in &map {
                let wanted = if lease.is_none_or(|l| l == fences) { Ok(v.clone()) } else { Err(Answer::AskServer) };
                prop_assert_eq!(store.value(k), wanted.clone().ok());
                prop_assert_eq!(view.value(k), wanted);
            }
            prop_assert_eq!(view.value(b"never put"), Err(Answer::Absent));
        }
    }
}
