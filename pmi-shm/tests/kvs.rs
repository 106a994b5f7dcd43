//! The store against a map, and what a client may do to it.
#![cfg(not(loom))]

use pmi_shm::kvs::{Answer, Guard, KEY_MAX, Regions, Settings, Store, VALUE_MAX, View};
use proptest::prelude::*;
use std::collections::HashMap;

fn open(store: &Store) -> View {
    let (table, kvs) = store.descriptors().unwrap();
    let own = |fd: std::os::fd::BorrowedFd<'_>| fd.try_clone_to_owned().unwrap();
    View::open(own(table), kvs.map(own)).unwrap()
}

fn small(regions: Regions) -> Settings {
    Settings { regions, buckets: 8, bytes: 0, ..Settings::default() }
}

const BOTH: [Regions; 2] = [Regions::Two, Regions::One];

#[test]
fn later_values_win_and_views_see_them() {
    for regions in BOTH {
        let mut store = Store::create(small(regions)).unwrap();
        let view = open(&store);
        assert_eq!(view.id(), store.id());
        assert_eq!(view.value(b"card@1"), Err(Answer::Absent));
        store.insert(b"card@1", b"one").unwrap();
        assert_eq!(view.value(b"card@1").unwrap(), b"one");
        store.insert(b"card@1", b"two, longer than before").unwrap();
        assert_eq!(view.value(b"card@1").unwrap(), b"two, longer than before");
        store.insert(b"card@1", b"").unwrap();
        assert_eq!(view.value(b"card@1").unwrap(), b"");
        assert_eq!(store.len(), 1);
    }
}

#[test]
fn a_short_buffer_gets_the_first_part() {
    let mut store = Store::create(Settings::default()).unwrap();
    store.insert(b"k", b"0123456789").unwrap();
    let view = open(&store);
    let mut out = [b'-'; 4];
    assert_eq!(view.get(b"k", &mut out), Answer::Found(10));
    assert_eq!(&out, b"0123");
    let mut out = [b'-'; 12];
    assert_eq!(view.get(b"k", &mut out), Answer::Found(10));
    assert_eq!(&out, b"0123456789--");
}

#[test]
fn limits_are_limits() {
    let mut store = Store::create(Settings::default()).unwrap();
    assert!(store.insert(b"", b"v").unwrap_err().to_string().contains("key of 0 bytes"));
    assert!(store.insert(&[1; KEY_MAX + 1], b"v").is_err());
    assert!(store.insert(b"k", &vec![1; VALUE_MAX + 1]).is_err());
    store.insert(&[1; KEY_MAX], &vec![2; VALUE_MAX]).unwrap();
    assert_eq!(open(&store).value(&[1; KEY_MAX]).unwrap(), vec![2; VALUE_MAX]);
}

#[test]
fn a_view_follows_growth_of_both_regions() {
    let mut store = Store::create(small(Regions::Two)).unwrap();
    let view = open(&store);
    let key = |i: u32| format!("key-{i}");
    for i in 0..20_000_u32 {
        store.insert(key(i).as_bytes(), &i.to_le_bytes().repeat(4)).unwrap();
        if i % 97 == 0 {
            assert_eq!(view.value(key(i / 2).as_bytes()).unwrap(), (i / 2).to_le_bytes().repeat(4));
        }
    }
    assert_eq!(store.moves(), 0);
    assert_eq!(store.buckets(), 32768);
    for i in 0..20_000 {
        assert!(view.value(key(i).as_bytes()).is_ok(), "{i}");
    }
    assert_eq!(view.value(b"key-20000"), Err(Answer::Absent));
}

#[test]
fn one_region_moves_and_the_old_view_does_not_deny() {
    let mut store = Store::create(small(Regions::One)).unwrap();
    store.insert(b"first", b"1").unwrap();
    let view = open(&store);
    for i in 0..100_u32 {
        store.insert(format!("k{i}").as_bytes(), b"v").unwrap();
    }
    assert!(store.moves() > 0);
    assert_eq!(view.value(b"first").unwrap(), b"1");
    assert_eq!(view.value(b"k99"), Err(Answer::AskServer));
    assert_ne!(view.id(), store.id());
    assert_eq!(open(&store).value(b"k99").unwrap(), b"v");
}

#[test]
fn leases_end_with_a_fence() {
    for regions in BOTH {
        let mut store = Store::create(small(regions)).unwrap();
        store.lease(b"far", b"1").unwrap();
        store.insert(b"near", b"2").unwrap();
        let view = open(&store);
        assert_eq!(view.value(b"far").unwrap(), b"1");
        store.advance().unwrap();
        assert_eq!(view.value(b"far"), Err(Answer::AskServer));
        assert_eq!(view.value(b"near").unwrap(), b"2");
        let used = store.bytes().1;
        store.lease(b"far", b"1").unwrap();
        assert_eq!(store.bytes().1, used, "the same value is renewed where it is");
        assert_eq!(view.value(b"far").unwrap(), b"1");
        store.advance().unwrap();
        store.lease(b"far", b"3").unwrap();
        assert_eq!(view.value(b"far").unwrap(), b"3");
        store.insert(b"far", b"3").unwrap();
        store.advance().unwrap();
        assert_eq!(view.value(b"far").unwrap(), b"3", "a value of our own stays");
    }
}

#[test]
fn the_papers_store_has_the_papers_size() {
    let n = 1 << 14;
    let mut store = Store::create(Settings::default()).unwrap();
    store.reserve(n, 48).unwrap();
    for i in 0..n {
        store.insert(format!("0123456789{i:06}").as_bytes(), &[7; 32]).unwrap();
    }
    let (table, kvs) = store.bytes();
    assert_eq!((table + kvs) / n, 64, "bytes per process");
}

/// Large pages move no entry, whether they are asked for before the regions grow or behind, and cost no memory.
#[test]
fn a_settled_store_is_the_same_store() {
    for regions in BOTH {
        let mut store = Store::create(small(regions)).unwrap();
        let before = open(&store);
        let mut views = Vec::new();
        for round in 0..4 {
            for i in 0..40_000 {
                store.insert(format!("key {round} {i}").as_bytes(), format!("{:>24}", i * round).as_bytes()).unwrap();
            }
            store.settle();
            views.push(open(&store));
        }
        if matches!(regions, Regions::Two) {
            views.push(before); // one region moves when it grows
        }
        for (round, i) in (0..4).flat_map(|round| (0..40_000).step_by(7).map(move |i| (round, i))) {
            let of = |view: &View| view.value(format!("key {round} {i}").as_bytes());
            assert!(
                views.iter().skip(round).all(|v| of(v).is_ok_and(|v| v == format!("{:>24}", i * round).as_bytes()))
            );
        }
        let (table, kvs) = store.descriptors().unwrap();
        for fd in [Some(table), kvs].into_iter().flatten() {
            let about = std::fs::File::from(fd.try_clone_to_owned().unwrap()).metadata().unwrap();
            let there = std::os::unix::fs::MetadataExt::blocks(&about) * 512;
            let most = store.bytes().0 + store.bytes().1 + 8192;
            assert!(there <= most as u64, "{there} bytes of {} for {most}", about.len());
        }
    }
}

/// Memory that is reserved and not written is not paid for, neither by writing nor by reading.
#[test]
fn reserved_memory_costs_nothing() {
    let mut store = Store::create(Settings::default()).unwrap();
    store.reserve(1000, 100_000).unwrap();
    store.insert(b"k", &[1; 10_000]).unwrap();
    let view = open(&store);
    view.touch();
    assert_eq!(view.value(b"k").unwrap(), [1; 10_000]);
    let (table, kvs) = store.descriptors().unwrap();
    for (fd, most) in [(table, store.bytes().0), (kvs.unwrap(), store.bytes().1)] {
        let about = std::fs::File::from(fd.try_clone_to_owned().unwrap()).metadata().unwrap();
        let there = std::os::unix::fs::MetadataExt::blocks(&about) * 512;
        assert!(there <= most as u64 + 4096, "{there} bytes of {} for {most}", about.len());
    }
}

#[test]
fn weaker_guards_work_and_say_so() {
    for guard in [Guard::Sealed, Guard::Descriptor, Guard::File] {
        let mut store = Store::create(Settings { guard, ..small(Regions::Two) }).unwrap();
        let view = open(&store);
        for i in 0..3000_u32 {
            store.insert(format!("k{i}").as_bytes(), &i.to_le_bytes()).unwrap();
        }
        assert_eq!(view.value(b"k2999").unwrap(), 2999_u32.to_le_bytes());
        assert!(guard != Guard::File || store.guard() == Guard::File);
    }
}

/// Where nothing can be shared the server has its store all the same, which grows.
#[test]
fn a_store_can_be_the_servers_alone() {
    for regions in [Regions::Two, Regions::One] {
        let mut store = Store::create(Settings { guard: Guard::Private, ..small(regions) }).unwrap();
        assert!(store.descriptors().is_none() && store.guard() == Guard::Private);
        for i in 0..3000_u32 {
            store.insert(format!("k{i}").as_bytes(), &i.to_le_bytes()).unwrap();
        }
        for i in 0..3000_u32 {
            assert_eq!(store.value(format!("k{i}").as_bytes()), Some(i.to_le_bytes().to_vec()));
        }
    }
}

/// What is done to the store and to a map beside it.
#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<u8>, Vec<u8>),
    Lease(Vec<u8>, Vec<u8>),
    Fence,
    Reserve(usize),
    Reopen,
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    // Few keys, so that values are replaced; some with zeros, which padding must not confuse.
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
        1 => (0..200_usize).prop_map(Step::Reserve),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn like_a_map(steps in prop::collection::vec(step(), 1..120), one in any::<bool>(), load in prop::sample::select(vec![4.0, 1.0, 0.25])) {
        let regions = if one { Regions::One } else { Regions::Two };
        let mut store = Store::create(Settings { load, ..small(regions) }).unwrap();
        let mut view = open(&store);
        let mut map: HashMap<Vec<u8>, (Vec<u8>, Option<u64>)> = HashMap::new();
        let mut fences = 0;
        for step in steps {
            match step {
                Step::Insert(k, v) => {
                    store.insert(&k, &v).unwrap();
                    map.insert(k, (v, None));
                }
                Step::Lease(k, v) => {
                    store.lease(&k, &v).unwrap();
                    // What is ours and the same needs no lease.
                    let ours = map.get(&k).is_some_and(|(old, lease)| *old == v && lease.is_none());
                    map.insert(k, (v, if ours { None } else { Some(fences) }));
                }
                Step::Fence => {
                    store.advance().unwrap();
                    fences += 1;
                }
                Step::Reserve(n) => store.reserve(n, 16).unwrap(),
                Step::Reopen => view = open(&store),
            }
            if view.id() != store.id() {
                view = open(&store);
            }
            for (k, (v, lease)) in &map {
                let holds = lease.is_none_or(|l| l == fences);
                let mut out = [0; 9];
                if let Answer::Found(len) = view.get(k, &mut out) {
                    let part = len.min(out.len());
                    prop_assert!(holds && len == v.len() && out[..part] == v[..part]);
                } else {
                    prop_assert!(!holds, "{:?}", k);
                }
                match view.value(k) {
                    Ok(found) => prop_assert!(holds && found == *v),
                    Err(other) => {
                        // A move drops ended leases.
                        prop_assert!(!holds, "{:?} of {:?}", other, k);
                    }
                }
                prop_assert_eq!(store.value(k), holds.then(|| v.clone()));
            }
            prop_assert_eq!(view.value(b"never put"), Err(Answer::Absent));
        }
    }
}
