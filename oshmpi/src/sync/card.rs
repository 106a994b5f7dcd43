//! First contact: a PE publishes its card once, a peer reads it when it first needs it and waits for that PE only.

use super::Wait;
use super::atomics::{AtomicU64, Ordering};

/// Words of a card that travel. Word 0 on the board says whether the card is there.
pub(crate) const CARD_WORDS: usize = 6;

/// One PE's card: `ready` and the words it covers. Written by its owner, once per life of the job.
pub(crate) trait Board {
    fn ready(&self) -> &AtomicU64;
    fn word(&self, i: usize) -> &AtomicU64;
}

/// Makes the card readable.
pub(crate) fn publish(board: &impl Board, wait: &impl Wait, card: [u64; CARD_WORDS]) {
    for (i, word) in card.into_iter().enumerate() {
        board.word(i).store(word, Ordering::Relaxed); // ordered by the release below
    }
    board.ready().store(1, Ordering::Release); // SYNC card: pairs with read
    wait.tell();
}

/// The card, whole; blocks until its owner has published it.
pub(crate) fn read(board: &impl Board, wait: &impl Wait) -> [u64; CARD_WORDS] {
    wait.until(|| board.ready().load(Ordering::Acquire) != 0); // SYNC card: pairs with publish
    std::array::from_fn(|i| board.word(i).load(Ordering::Relaxed)) // ordered by the acquire above
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;

    struct Modelled(Vec<AtomicU64>);

    impl Board for Modelled {
        fn ready(&self) -> &AtomicU64 {
            &self.0[0]
        }
        fn word(&self, i: usize) -> &AtomicU64 {
            &self.0[1 + i]
        }
    }

    struct Loom;

    impl Wait for Loom {
        fn until(&self, mut ready: impl FnMut() -> bool) {
            while !ready() {
                loom::thread::yield_now();
            }
        }
        fn tell(&self) {}
    }

    #[test]
    fn loom_card_is_seen_whole() {
        loom::model(|| {
            let board = Arc::new(Modelled((0..=CARD_WORDS).map(|_| AtomicU64::new(0)).collect()));
            let theirs = board.clone();
            let reader = loom::thread::spawn(move || read(&*theirs, &Loom));
            publish(&*board, &Loom, [1, 2, 3, 4, 5, 6]);
            assert_eq!(reader.join().unwrap(), [1, 2, 3, 4, 5, 6]);
        });
    }
}
