//! The store's algorithms in all orders that loom knows: one writer, and readers that look at any moment.

use super::chain::{Find, Writer, find, find_fast};
use super::layout::{HEADER, LINE, SLOTS};
use super::words::Words;
use super::words::fake::Cells;
use loom::sync::Arc;
use loom::thread;

struct Memory {
    table: Cells,
    kvs: Cells,
}

/// A store with room for `lines` lines that begins with one. A line of the model has one slot, so the second key goes
/// into its chain.
fn store(lines: usize) -> (Arc<Memory>, Writer) {
    const { assert!(SLOTS == 1) };
    let memory = Memory { table: Cells::zeros(HEADER + lines * LINE), kvs: Cells::zeros(HEADER + 20) };
    let writer = Writer::new(0, LINE);
    writer.start(&memory.table, &memory.kvs).unwrap();
    (Arc::new(memory), writer)
}

impl Memory {
    fn put(&self, writer: &mut Writer, key: &[u8; 1], value: &[u8]) {
        writer.insert(&self.table, &self.kvs, &long(key), value, false).unwrap();
    }

    /// A look-up as a view does it. The result is the value's first byte, if the value was found whole.
    fn look(&self, key: &[u8; 1]) -> Result<u8, Find> {
        let key = &long(key);
        let found = match find_fast(&self.table, &self.kvs, key) {
            Some((at, len)) => Find::Hit { at, len },
            None => find(&self.table, &self.kvs, key),
        };
        match found {
            Find::Hit { at, len } => {
                let mut value = [0; 2];
                assert_eq!(len, 2);
                assert!(self.kvs.read(at, &mut value));
                assert_eq!(value[0], value[1], "half a value");
                Ok(value[0])
            }
            other => Err(other),
        }
    }
}

/// What a reader sees in any order with what the writer does.
fn beside(memory: &Arc<Memory>, read: impl Fn(&Memory) + Send + Sync + 'static, write: impl FnOnce()) {
    let theirs = memory.clone();
    let reader = thread::spawn(move || read(&theirs));
    write();
    reader.join().unwrap();
}

/// A key of a length that `find_fast` finds.
fn long(key: &[u8; 1]) -> [u8; 9] {
    [key[0]; 9]
}

/// A key that is published is seen whole or not at all, and what was there before stays.
#[test]
fn loom_insert_is_seen_whole() {
    loom::model(|| {
        let (memory, mut writer) = store(1);
        memory.put(&mut writer, b"a", &[1, 1]);
        let read = move |memory: &Memory| {
            let b = memory.look(b"b");
            assert!(b == Ok(2) || b == Err(Find::Absent), "{b:?}");
            assert_eq!(memory.look(b"a"), Ok(1));
        };
        beside(&memory, read, || memory.put(&mut writer, b"b", &[2, 2]));
        assert_eq!(memory.look(b"b"), Ok(2));
    });
}

/// While a value is replaced a reader finds the old value or the new one, and never the old after the new. The first
/// key stands in a slot, the others in the middle and at the end of a chain.
fn replace(key: &'static [u8; 1], stays: &'static [u8; 1]) {
    loom::model(move || {
        let (memory, mut writer) = store(1);
        for one in [b"a", b"m", b"z"] {
            memory.put(&mut writer, one, &[1, 1]);
        }
        let read = move |memory: &Memory| {
            let first = memory.look(key).expect("the key was there before");
            let second = memory.look(key).expect("the key was there before");
            assert!(first <= second && second <= 2, "{first} then {second}");
            assert_eq!(memory.look(stays), Ok(1));
        };
        beside(&memory, read, || memory.put(&mut writer, key, &[2, 2]));
        assert_eq!(memory.look(key), Ok(2));
        assert_eq!(memory.look(stays), Ok(1));
    });
}

#[test]
fn loom_replace_in_a_slot_never_loses_the_key() {
    replace(b"a", b"z");
}

#[test]
fn loom_replace_in_a_chain_never_loses_the_key() {
    replace(b"m", b"z");
}

#[test]
fn loom_replace_at_the_end_of_a_chain_never_loses_the_key() {
    replace(b"z", b"m");
}

/// During a rebuild a reader finds a key or is told to look again; it is never told that the key is not there.
#[test]
fn loom_rebuild_never_denies_a_key() {
    loom::model(|| {
        let (memory, mut writer) = store(2);
        memory.put(&mut writer, b"a", &[1, 1]);
        memory.put(&mut writer, b"b", &[2, 2]);
        let read = move |memory: &Memory| {
            for (key, value) in [(b"a", 1), (b"b", 2)] {
                let seen = memory.look(key);
                assert!(seen == Ok(value) || seen == Err(Find::Busy), "{seen:?}");
            }
        };
        beside(&memory, read, || writer.rebuild(&memory.table, &memory.kvs, 2 * LINE).unwrap());
        assert_eq!((memory.look(b"a"), memory.look(b"b")), (Ok(1), Ok(2)));
    });
}

/// A rebuild after a replacement leaves the old entry out.
#[test]
fn loom_rebuild_after_replace_keeps_the_later_value() {
    loom::model(|| {
        let (memory, mut writer) = store(2);
        memory.put(&mut writer, b"a", &[1, 1]);
        let read = move |memory: &Memory| {
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
        };
        beside(&memory, read, || {
            memory.put(&mut writer, b"a", &[2, 2]);
            writer.rebuild(&memory.table, &memory.kvs, 2 * LINE).unwrap();
        });
        assert_eq!(memory.look(b"a"), Ok(2));
    });
}

/// A lease that has ended is not used; a renewed lease is.
#[test]
fn loom_an_ended_lease_is_seen_by_who_knows_of_the_fence() {
    loom::model(|| {
        let (memory, mut writer) = store(1);
        writer.insert(&memory.table, &memory.kvs, &long(b"a"), &[1, 1], true).unwrap();
        let read = move |memory: &Memory| {
            let seen = memory.look(b"a");
            assert!(matches!(seen, Ok(1) | Ok(2) | Err(Find::Ended)), "{seen:?}");
        };
        beside(&memory, read, || {
            writer.advance(&memory.kvs).unwrap();
            assert_eq!(memory.look(b"a"), Err(Find::Ended));
            writer.insert(&memory.table, &memory.kvs, &long(b"a"), &[2, 2], true).unwrap();
        });
        assert_eq!(memory.look(b"a"), Ok(2));
    });
}
