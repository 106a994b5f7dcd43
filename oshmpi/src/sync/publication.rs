//! First contact: a PE publishes its PE info once. A peer reads the info when it first needs it, and waits for its
//! owner only.

use super::Wait;
use super::atomics::{AtomicU64, Ordering};

/// Words of PE info that are published. `Publication::ready` is one word more.
pub(crate) const WORDS_PUBLISHED: usize = 4;

/// The place of one PE's info. Its owner writes it once in the life of the job.
pub(crate) trait Publication {
    /// 0 until the words may be read.
    fn ready(&self) -> &AtomicU64;
    fn word(&self, i: usize) -> &AtomicU64;
}

/// Writes the words of the PE info and lets peers read them.
pub(crate) fn publish(place: &impl Publication, wait: &impl Wait, words: [u64; WORDS_PUBLISHED]) {
    for (i, word) in words.into_iter().enumerate() {
        place.word(i).store(word, Ordering::Relaxed); // ordered by the release below
    }
    place.ready().store(1, Ordering::Release); // SYNC publication: pairs with read
    wait.notify();
}

/// The words of the PE info. Blocks until the owner has published them.
pub(crate) fn read(place: &impl Publication, wait: &impl Wait) -> [u64; WORDS_PUBLISHED] {
    wait.until(|| place.ready().load(Ordering::Acquire) != 0); // SYNC publication: pairs with publish
    std::array::from_fn(|i| place.word(i).load(Ordering::Relaxed)) // ordered by the acquire above
}

#[cfg(all(test, loom))]
mod model {
    use super::super::model::Loom;
    use super::*;
    use loom::sync::Arc;

    struct Modelled(Vec<AtomicU64>);

    impl Publication for Modelled {
        fn ready(&self) -> &AtomicU64 {
            &self.0[0]
        }
        fn word(&self, i: usize) -> &AtomicU64 {
            &self.0[1 + i]
        }
    }

    #[test]
    fn loom_publication_is_seen_whole() {
        loom::model(|| {
            let place = Arc::new(Modelled((0..=WORDS_PUBLISHED).map(|_| AtomicU64::new(0)).collect()));
            let theirs = place.clone();
            let reader = loom::thread::spawn(move || read(&*theirs, &Loom));
            publish(&*place, &Loom, [1, 2, 3, 4]);
            assert_eq!(reader.join().unwrap(), [1, 2, 3, 4]);
        });
    }
}
