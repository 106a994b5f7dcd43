//! The store's algorithms in all orders that loom knows: one writer, and a reader that looks at any moment.

use super::Answer;
use super::table::{AtomicU64, Writer, value};
use loom::sync::Arc;
use loom::thread;

type Memory = Arc<Vec<AtomicU64>>;

fn store() -> (Memory, Writer) {
    let memory = Arc::new((0..40).map(|_| AtomicU64::new(0)).collect::<Vec<_>>());
    let writer = Writer::new(&memory);
    (memory, writer)
}

/// A value whose halves are in two words.
fn put(memory: &Memory, writer: &mut Writer, key: &[u8], byte: u8, leased: bool) {
    writer.insert(memory, key, &[byte; 9], leased);
}

/// The byte of a value, which is whole.
fn look(memory: &Memory, key: &[u8]) -> Result<u8, Answer> {
    let value = value(memory, key)?;
    assert_eq!(value, [value[0]; 9], "half a value");
    Ok(value[0])
}

/// What a reader sees in any order with what the writer does.
fn beside(memory: &Memory, read: impl Fn(&Memory) + Send + 'static, write: impl FnOnce()) {
    let theirs = memory.clone();
    let reader = thread::spawn(move || read(&theirs));
    write();
    reader.join().unwrap();
}

/// A key that is published is seen whole or not at all. What was there before stays, also while the index grows, which
/// it does at the second key.
#[test]
fn loom_insert_is_seen_whole() {
    loom::model(|| {
        let (memory, mut writer) = store();
        put(&memory, &mut writer, b"a", 1, false);
        let read = |memory: &Memory| {
            let b = look(memory, b"b");
            assert!(b == Ok(2) || b == Err(Answer::Absent), "{b:?}");
            assert_eq!(look(memory, b"a"), Ok(1));
        };
        beside(&memory, read, || put(&memory, &mut writer, b"b", 2, false));
        assert_eq!([b"a", b"b"].map(|key| look(&memory, key)), [Ok(1), Ok(2)]);
    });
}

/// While a value is replaced a reader finds the old value or the new one, and never the old after the new.
#[test]
fn loom_replace_never_loses_the_key() {
    loom::model(|| {
        let (memory, mut writer) = store();
        put(&memory, &mut writer, b"a", 1, false);
        let read = |memory: &Memory| {
            let [first, second] = [(); 2].map(|()| look(memory, b"a").expect("the key was there before"));
            assert!(first <= second && second <= 2, "{first} then {second}");
        };
        beside(&memory, read, || {
            put(&memory, &mut writer, b"a", 2, false);
            put(&memory, &mut writer, b"b", 3, false);
        });
        assert_eq!(look(&memory, b"a"), Ok(2));
    });
}

/// A lease that has ended is not used; a renewed lease is.
#[test]
fn loom_an_ended_lease_is_seen_by_who_knows_of_the_fence() {
    loom::model(|| {
        let (memory, mut writer) = store();
        put(&memory, &mut writer, b"a", 1, true);
        let read = |memory: &Memory| {
            let seen = look(memory, b"a");
            assert!(matches!(seen, Ok(1 | 2) | Err(Answer::AskServer)), "{seen:?}");
        };
        beside(&memory, read, || {
            writer.advance(&memory);
            assert_eq!(look(&memory, b"a"), Err(Answer::AskServer));
            put(&memory, &mut writer, b"a", 2, true);
        });
        assert_eq!(look(&memory, b"a"), Ok(2));
    });
}
