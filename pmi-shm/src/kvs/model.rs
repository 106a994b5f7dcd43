//! The store's algorithms in all orders that loom knows: one writer, readers that look at any moment.

use super::chain::{Find, Writer, find};
use super::layout::HEADER;
use super::words::fake::Cells;
use super::words::read;
use loom::sync::Arc;
use loom::thread;

struct Memory {
    table: Cells,
    kvs: Cells,
}

/// A store with room for `buckets` buckets that begins with one.
fn store(buckets: usize) -> (Arc<Memory>, Writer) {
    let memory = Memory { table: Cells::zeros(HEADER + buckets), kvs: Cells::zeros(HEADER + 16) };
    let writer = Writer::new(0, 1);
    writer.start(&memory.table, &memory.kvs).unwrap();
    (Arc::new(memory), writer)
}

impl Memory {
    fn put(&self, writer: &mut Writer, key: &[u8], value: &[u8]) {
        writer.insert(&self.table, &self.kvs, key, value, false).unwrap();
    }

    /// One look: the value's first byte if it was found whole.
    fn look(&self, key: &[u8]) -> Result<u8, Find> {
        match find(&self.table, &self.kvs, key) {
            Find::Hit { at, len } => {
                let mut value = [0; 2];
                assert_eq!(len, 2);
                assert!(read(&self.kvs, at, &mut value));
                assert_eq!(value[0], value[1], "half a value");
                Ok(value[0])
            }
            other => Err(other),
        }
    }
}

/// A key that is published is seen whole or not at all, and what was there before stays.
#[test]
fn loom_insert_is_seen_whole() {
    loom::model(|| {
        let (memory, mut writer) = store(1);
        memory.put(&mut writer, b"a", &[1, 1]);
        let reader = {
            let memory = memory.clone();
            thread::spawn(move || {
                let b = memory.look(b"b");
                assert!(b == Ok(2) || b == Err(Find::Absent), "{b:?}");
                assert_eq!(memory.look(b"a"), Ok(1));
            })
        };
        memory.put(&mut writer, b"b", &[2, 2]);
        reader.join().unwrap();
        assert_eq!(memory.look(b"b"), Ok(2));
    });
}

/// While a value is replaced a reader finds the old or the new one, never none, and never the old after the new.
#[test]
fn loom_replace_never_loses_the_key() {
    loom::model(|| {
        let (memory, mut writer) = store(1);
        memory.put(&mut writer, b"a", &[1, 1]);
        memory.put(&mut writer, b"z", &[9, 9]);
        let reader = {
            let memory = memory.clone();
            thread::spawn(move || {
                let first = memory.look(b"a").expect("the key was there before");
                let second = memory.look(b"a").expect("the key was there before");
                assert!(first <= second && second <= 2, "{first} then {second}");
                assert_eq!(memory.look(b"z"), Ok(9));
            })
        };
        memory.put(&mut writer, b"a", &[2, 2]);
        reader.join().unwrap();
        assert_eq!(memory.look(b"a"), Ok(2));
    });
}

/// During a rebuild a reader finds a key or is told to look again; it is never told that the key is not there.
#[test]
fn loom_rebuild_never_denies_a_key() {
    loom::model(|| {
        let (memory, mut writer) = store(2);
        memory.put(&mut writer, b"a", &[1, 1]);
        memory.put(&mut writer, b"b", &[2, 2]);
        let reader = {
            let memory = memory.clone();
            thread::spawn(move || {
                for (key, value) in [(b"a", 1), (b"b", 2)] {
                    let seen = memory.look(key);
                    assert!(seen == Ok(value) || seen == Err(Find::Busy), "{seen:?}");
                }
            })
        };
        writer.rebuild(&memory.table, &memory.kvs, 2).unwrap();
        reader.join().unwrap();
        assert_eq!((memory.look(b"a"), memory.look(b"b")), (Ok(1), Ok(2)));
    });
}

/// The same with a key replaced before: the rebuild leaves the old entry out.
#[test]
fn loom_rebuild_after_replace_keeps_the_later_value() {
    loom::model(|| {
        let (memory, mut writer) = store(2);
        memory.put(&mut writer, b"a", &[1, 1]);
        let reader = {
            let memory = memory.clone();
            thread::spawn(move || {
                let mut last = 0;
                for _ in 0..2 {
                    match memory.look(b"a") {
                        Ok(value) => {
                            assert!(value >= last, "{value} after {last}");
                            last = value;
                        }
                        Err(other) => assert_eq!(other, Find::Busy),
                    }
                }
            })
        };
        memory.put(&mut writer, b"a", &[2, 2]);
        writer.rebuild(&memory.table, &memory.kvs, 2).unwrap();
        reader.join().unwrap();
        assert_eq!(memory.look(b"a"), Ok(2));
    });
}

/// A lease that has ended is not used; once renewed it is.
#[test]
fn loom_an_ended_lease_is_seen_by_who_knows_of_the_fence() {
    loom::model(|| {
        let (memory, mut writer) = store(1);
        writer.insert(&memory.table, &memory.kvs, b"a", &[1, 1], true).unwrap();
        let reader = {
            let memory = memory.clone();
            thread::spawn(move || {
                let seen = memory.look(b"a");
                assert!(matches!(seen, Ok(1) | Ok(2) | Err(Find::Ended)), "{seen:?}");
            })
        };
        writer.advance(&memory.kvs).unwrap();
        assert_eq!(memory.look(b"a"), Err(Find::Ended));
        writer.insert(&memory.table, &memory.kvs, b"a", &[2, 2], true).unwrap();
        reader.join().unwrap();
        assert_eq!(memory.look(b"a"), Ok(2));
    });
}
