//! Being alone with a word that processors cannot change in place: whoever changes it holds a lock. Puts of the word do not.

use super::Wait;
use super::atomics::{AtomicU32, Ordering, fence};

/// Runs `act` while nobody else does on this `lock`, which is 0 at first. As an AMO by the processor does, it releases what the caller has
/// done before, and acquires what the word's writer has ordered before the word, whether that writer held the lock or put the word.
pub(crate) fn alone<R>(lock: &AtomicU32, wait: &impl Wait, act: impl FnOnce() -> R) -> R {
    // SYNC amo-lock: pairs with the release below
    wait.until(|| lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok());
    // Whoever gets the word holds no lock: taking it releases nothing, and what a get sees is stored before it is given back.
    fence(Ordering::Release); // SYNC put: pairs with get_ends
    let result = act();
    lock.store(0, Ordering::Release); // SYNC amo-lock: pairs with the next one's acquire
    fence(Ordering::Acquire); // SYNC put: pairs with a writer's fence before a put of the word
    wait.notify();
    result
}

#[cfg(all(test, loom))]
mod model {
    use super::super::order::{fence_puts, get_ends};
    use super::*;
    use loom::sync::Arc;

    #[derive(Default)]
    struct Shared {
        lock: AtomicU32,
        word: AtomicU32,
        data: AtomicU32,
    }

    struct Loom;

    impl Wait for Loom {
        fn until(&self, mut ready: impl FnMut() -> bool) {
            while !ready() {
                loom::thread::yield_now();
            }
        }
        fn notify(&self) {}
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

    /// What `writer` does on one PE is complete for who has seen the word by `look`.
    fn seen(writer: fn(&Shared), look: fn(&Shared) -> u32) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let shared = Arc::new(Shared::default());
            let theirs = shared.clone();
            // The reader is not the thread that has made the words: what that has seen of them before it yields loom never shows again.
            let reader = loom::thread::spawn(move || {
                while look(&theirs) == 0 {
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

    /// The writer puts the word without the lock: a wait that looks under the lock must not stop at the lock's own order.
    #[test]
    fn loom_amo_lock_acquires_from_a_put() {
        seen(put, Shared::fetch);
    }

    #[test]
    fn loom_amo_lock_releases_to_a_get() {
        seen(add, get);
    }
}
