//! The store against a map, with views that look keys up.
#![cfg(not(loom))]

use pmi_shm::kvs::{Answer, Guard, KEY_MAX, Settings, Store, VALUE_MAX, View};
use proptest::prelude::*;
use std::collections::HashMap;

fn open(store: &Store) -> View {
    let [table, kvs] = store.descriptors().unwrap().map(|fd| fd.try_clone_to_owned().unwrap());
    View::open(table, kvs).unwrap()
}

/// Settings of a store that soon has to grow.
const SMALL: Settings = Settings { load: 1.0, buckets: 8, bytes: 0, guard: Guard::Sealed };

#[test]
fn later_values_win_and_views_see_them() {
    let mut store = Store::create(SMALL).unwrap();
    let view = open(&store);
    assert_eq!(view.id(), store.id());
    assert_eq!(view.value(b"card@1"), Err(Answer::Absent));
    store.insert(b"card@1", b"one").unwrap();
    assert_eq!(view.value(b"card@1").unwrap(), b"one");
    store.insert(b"card@1", b"two, longer than before").unwrap();
    assert_eq!(view.value(b"card@1").unwrap(), b"two, longer than before");
    store.insert(b"card@1", b"").unwrap();
    assert_eq!(view.value(b"card@1").unwrap(), b"");
    assert_eq!(store.count(), 1);
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
    let mut store = Store::create(SMALL).unwrap();
    let view = open(&store);
    let key = |i: u32| format!("key-{i}");
    for i in 0..20_000_u32 {
        store.insert(key(i).as_bytes(), &i.to_le_bytes().repeat(4)).unwrap();
        if i % 97 == 0 {
            assert_eq!(view.value(key(i / 2).as_bytes()).unwrap(), (i / 2).to_le_bytes().repeat(4));
        }
    }
    assert_eq!(store.bytes().0, 8 * (16 + 32768), "the header and the buckets of the Table");
    for i in 0..20_000 {
        assert!(view.value(key(i).as_bytes()).is_ok(), "{i}");
    }
    assert_eq!(view.value(b"key-20000"), Err(Answer::Absent));
}

/// A region grows by pages, and an entry may begin in the last page that a view has mapped and end in the next one.
#[test]
fn a_view_follows_an_entry_that_crosses_the_end_of_its_mapping() {
    const PAGE: usize = 4096;
    let (key, value) = (b"a key of five words, which may be cut".as_slice(), b"its value");
    for leased in [false, true] {
        for inside in (8..=72).step_by(8) {
            let mut store = Store::create(SMALL).unwrap();
            let used = store.bytes().1;
            // An entry of one word for the head and one for the key, up to `inside` bytes before the end of the page.
            store.insert(b"first", &vec![1; PAGE - used - 16 - inside]).unwrap();
            let view = open(&store);
            assert_eq!(store.bytes().1, PAGE - inside);
            if leased { store.lease(key, value) } else { store.insert(key, value) }.unwrap();
            assert_eq!(view.value(key).as_deref(), Ok(value.as_slice()), "{inside} bytes inside, leased: {leased}");
        }
    }
}

#[test]
fn leases_end_with_a_fence() {
    let mut store = Store::create(SMALL).unwrap();
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
    assert_eq!(view.value(b"far").unwrap(), b"3", "a value that was inserted stays");
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

/// Large pages move no entry, whether they are asked for before the regions grow or afterwards, and take no memory.
#[test]
fn large_pages_change_nothing() {
    let mut store = Store::create(SMALL).unwrap();
    let mut views = vec![open(&store)];
    for round in 0..4 {
        for i in 0..40_000 {
            store.insert(format!("key {round} {i}").as_bytes(), format!("{:>24}", i * round).as_bytes()).unwrap();
        }
        store.use_large_pages();
        views.push(open(&store));
    }
    for (round, i) in (0..4).flat_map(|round| (0..40_000).step_by(7).map(move |i| (round, i))) {
        let of = |view: &View| view.value(format!("key {round} {i}").as_bytes());
        assert!(views.iter().skip(round).all(|v| of(v).is_ok_and(|v| v == format!("{:>24}", i * round).as_bytes())));
    }
    for fd in store.descriptors().unwrap() {
        let about = std::fs::File::from(fd.try_clone_to_owned().unwrap()).metadata().unwrap();
        let there = std::os::unix::fs::MetadataExt::blocks(&about) * 512;
        let most = store.bytes().0 + store.bytes().1 + 8192;
        assert!(there <= most as u64, "{there} bytes of {} for {most}", about.len());
    }
}

/// Memory that is reserved and not written takes no memory of the machine, not even when it is read.
#[test]
fn reserved_memory_costs_nothing() {
    let mut store = Store::create(Settings::default()).unwrap();
    store.reserve(1000, 100_000).unwrap();
    store.insert(b"k", &[1; 10_000]).unwrap();
    let view = open(&store);
    view.touch();
    assert_eq!(view.value(b"k").unwrap(), [1; 10_000]);
    let [table, kvs] = store.descriptors().unwrap();
    for (fd, most) in [(table, store.bytes().0), (kvs, store.bytes().1)] {
        let about = std::fs::File::from(fd.try_clone_to_owned().unwrap()).metadata().unwrap();
        let there = std::os::unix::fs::MetadataExt::blocks(&about) * 512;
        assert!(there <= most as u64 + 4096, "{there} bytes of {} for {most}", about.len());
    }
}

#[test]
fn weaker_guards_work_and_report_it() {
    for guard in [Guard::Sealed, Guard::Descriptor] {
        let mut store = Store::create(Settings { guard, ..SMALL }).unwrap();
        let view = open(&store);
        for i in 0..3000_u32 {
            store.insert(format!("k{i}").as_bytes(), &i.to_le_bytes()).unwrap();
        }
        assert_eq!(view.value(b"k2999").unwrap(), 2999_u32.to_le_bytes());
        assert!(guard != Guard::Descriptor || store.guard() == guard);
    }
}

/// Where nothing can be shared the server has a store all the same, and it grows.
#[test]
fn a_store_can_be_the_servers_alone() {
    let mut store = Store::create(Settings { guard: Guard::Private, ..SMALL }).unwrap();
    assert!(store.descriptors().is_none() && store.guard() == Guard::Private);
    for i in 0..3000_u32 {
        store.insert(format!("k{i}").as_bytes(), &i.to_le_bytes()).unwrap();
    }
    for i in 0..3000_u32 {
        assert_eq!(store.value(format!("k{i}").as_bytes()), Some(i.to_le_bytes().to_vec()));
    }
}

/// A call on the store, and on a map beside it.
#[derive(Clone, Debug)]
enum Step {
    Insert(Vec<u8>, Vec<u8>),
    Lease(Vec<u8>, Vec<u8>),
    Fence,
    Reserve(usize),
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
        1 => (0..200_usize).prop_map(Step::Reserve),
        1 => Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn like_a_map(
        steps in prop::collection::vec(step(), 1..120),
        load in prop::sample::select(vec![4.0, 1.0, 0.25]),
    ) {
        let mut store = Store::create(Settings { load, ..SMALL }).unwrap();
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
                    // An equal value that was inserted needs no lease.
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
                    Err(other) => prop_assert!(!holds, "{:?} of {:?}", other, k),
                }
                prop_assert_eq!(store.value(k), holds.then(|| v.clone()));
            }
            prop_assert_eq!(view.value(b"never put"), Err(Answer::Absent));
        }
    }
}
