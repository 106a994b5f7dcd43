//! A few words that one thread of a process writes and that any process reads as a whole: a sequence lock. The writer
//! never waits. A reader that finds a write under way tries again.

use super::atomics::{AtomicU64, Ordering, fence};

/// Attempts of a reader. A write takes some tens of nanoseconds. More attempts keep the reader at a note whose writer
/// was killed in the middle of a write.
const ATTEMPTS: u32 = if cfg!(loom) { 2 } else { 1000 };

/// The place of a note, all 0 at first.
pub(crate) trait NoteWords<const N: usize> {
    /// Odd while the words are being written.
    fn version(&self) -> &AtomicU64;
    /// Word `i`, below `N`.
    fn word(&self, i: usize) -> &AtomicU64;
}

/// Writes the note. One thread writes at a time.
pub(crate) fn write<const N: usize>(place: &impl NoteWords<N>, words: &[u64; N]) {
    let version = place.version().load(Ordering::Relaxed);
    place.version().store(version | 1, Ordering::Relaxed);
    // SYNC note-begin: pairs with the acquire fence in read. A reader that sees one of the new words sees the odd
    // number.
    fence(Ordering::Release);
    for (i, &word) in words.iter().enumerate() {
        place.word(i).store(word, Ordering::Relaxed); // ordered by the fence above and the release below
    }
    place.version().store((version | 1) + 1, Ordering::Release); // SYNC note-end: pairs with the first load in read
}

/// The words of one write, if a write was complete in time.
pub(crate) fn read<const N: usize>(place: &impl NoteWords<N>) -> Option<[u64; N]> {
    (0..ATTEMPTS).find_map(|_| {
        let version = place.version().load(Ordering::Acquire); // SYNC note-end: pairs with the last store in write
        let words = std::array::from_fn(|i| place.word(i).load(Ordering::Relaxed)); // ordered by the fence below
        // SYNC note-begin: pairs with the release fence in write
        fence(Ordering::Acquire);
        let whole = version % 2 == 0 && place.version().load(Ordering::Relaxed) == version;
        if !whole {
            core::hint::spin_loop();
        }
        whole.then_some(words)
    })
}

#[cfg(test)]
struct Local<const N: usize>(AtomicU64, [AtomicU64; N]);

#[cfg(test)]
impl<const N: usize> Local<N> {
    fn new() -> Local<N> {
        Local(AtomicU64::new(0), std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

#[cfg(test)]
impl<const N: usize> NoteWords<N> for Local<N> {
    fn version(&self) -> &AtomicU64 {
        &self.0
    }
    fn word(&self, i: usize) -> &AtomicU64 {
        &self.1[i]
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::super::model::check;
    use super::*;
    use loom::sync::Arc;

    #[test]
    fn loom_no_reader_sees_a_torn_note() {
        check(3, || {
            let place = Arc::new(Local::<2>::new());
            let theirs = place.clone();
            let writer = loom::thread::spawn(move || (1..=2).for_each(|n| write(&*theirs, &[n, n])));
            if let Some([a, b]) = read(&*place) {
                assert_eq!(a, b);
            }
            writer.join().unwrap();
            assert_eq!(read(&*place), Some([2, 2]));
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_note_whose_writer_died_is_not_read() {
        let place = Local::<2>::new();
        write(&place, &[1, 2]);
        place.0.fetch_add(1, Ordering::Relaxed);
        assert_eq!(read(&place), None);
        // A later write of the same place is complete.
        write(&place, &[3, 4]);
        assert_eq!(read(&place), Some([3, 4]));
    }
}
