//! Exclusive access to a word that the processor cannot change in place. An AMO on such a word holds a lock while it
//! reads and writes the word. A put of the word takes no lock.

use super::Wait;
use super::atomics::{AtomicU32, Ordering, fence};

/// Runs `act` while nobody else runs an `act` under this `lock`. The lock word is 0 at first.
///
/// The memory order is that of an AMO by the processor. The call releases what the caller has done before. It acquires
/// what the writer of the word has ordered before the word, whether the writer held the lock or put the word.
pub(crate) fn alone<R>(lock: &AtomicU32, wait: &impl Wait, act: impl FnOnce() -> R) -> R {
    // SYNC amo-lock: pairs with the store below
    wait.until(|| lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok());
    // A get of the word takes no lock. It may see what `act` stores before the lock is given back, so the release comes
    // before `act`.
    fence(Ordering::Release); // SYNC put: pairs with get_ends
    let result = act();
    lock.store(0, Ordering::Release); // SYNC amo-lock: pairs with the compare_exchange_weak of the next holder
    fence(Ordering::Acquire); // SYNC put: pairs with a writer's fence before a put of the word
    wait.notify();
    result
}

#[cfg(all(test, loom))]
mod model {
    use super::super::model::{Loom, check};
    use super::super::order::{fence_puts, get_ends};
    use super::*;
    use loom::sync::Arc;

    #[derive(Default)]
    struct Shared {
        lock: AtomicU32,
        word: AtomicU32,
        data: AtomicU32,
    }

    impl Shared {
        fn add(&self) -> u32 {
            alone(&self.lock, &Loom, || {
                let old = self.word.load(Ordering::Relaxed);
                self.word.store(old + 1, Ordering::Relaxed);
                old
            })
        }
        fn fetch(&self) -> u32 {
            alone(&self.lock, &Loom, || self.word.load(Ordering::Relaxed))
        }
    }

    /// What `writer` stores before it changes the word is visible to a thread whose `read` has seen the change.
    fn seen(writer: fn(&Shared), read: fn(&Shared) -> u32) {
        check(3, move || {
            let shared = Arc::new(Shared::default());
            let theirs = shared.clone();
            // The reader is a thread that has not made the words. Loom never shows a thread again what the thread has
            // seen of a word before it yields, and the maker has seen the first value.
            let reader = loom::thread::spawn(move || {
                while read(&theirs) == 0 {
                    loom::thread::yield_now();
                }
                assert_eq!(theirs.data.load(Ordering::Relaxed), 7);
            });
            shared.data.store(7, Ordering::Relaxed);
            writer(&shared);
            reader.join().unwrap();
        });
    }

    fn add(shared: &Shared) {
        shared.add();
    }

    fn put(shared: &Shared) {
        fence_puts();
        shared.word.store(1, Ordering::Relaxed);
    }

    fn get(shared: &Shared) -> u32 {
        let word = shared.word.load(Ordering::Relaxed);
        get_ends();
        word
    }

    #[test]
    fn loom_amo_lock_keeps_all() {
        loom::model(|| {
            let shared = Arc::new(Shared::default());
            let theirs = shared.clone();
            let other = loom::thread::spawn(move || theirs.add());
            let mine = shared.add();
            assert_eq!(mine + other.join().unwrap(), 1, "one finds 0, the other 1");
            assert_eq!(shared.fetch(), 2);
        });
    }

    #[test]
    fn loom_amo_lock_is_an_amo() {
        seen(add, Shared::fetch);
    }

    /// The writer puts the word without the lock, so the order of the lock alone does not make its data visible to a
    /// reader that holds the lock.
    #[test]
    fn loom_amo_lock_acquires_from_a_put() {
        seen(put, Shared::fetch);
    }

    #[test]
    fn loom_amo_lock_releases_to_a_get() {
        seen(add, get);
    }
}
