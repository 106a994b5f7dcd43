//! Programs that wait in a loop of calls until they find what they wait for. Where PEs outnumber cores, such a loop
//! keeps its core for a whole time slice, while the PE that would end the loop waits for that core. So a thread that
//! polls the same words and finds the same values yields its core now and then.
//!
//! Only calls of PEs that outnumber cores come here: `memory/translate` then sends reads to their slow side.
//! `docs/design/waiting.md` has the reasons and the measurements.

use crate::memory::translate::FAST;
use crate::state;
use core::cell::RefCell;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Polls that find nothing new before the core is yielded. Fewer would yield in programs that read a word several times
/// without waiting. More keep the core longer from the PE that is waited for.
const POLLS: u32 = 20;
/// Words that a loop may poll in turn.
const WORDS: usize = 4;
/// Calls of quiet and fence before the core is yielded. More than [`POLLS`], because a loop that puts and calls quiet
/// does not wait. A yield that finds no other process takes as long as some 70 rounds of such a loop.
const ORDERS: u32 = 200;

/// The words that a thread has polled last, and what it found.
struct Polls {
    words: [(usize, u64); WORDS],
    next: usize,
    /// The number of successive polls that have found nothing new.
    same: u32,
    orders: u32,
}

impl Polls {
    const NONE: Polls = Polls { words: [(0, 0); WORDS], next: 0, same: 0, orders: 0 };

    /// Notes a poll of the word `at` that has found `value`. True: the core is to be yielded.
    fn look(&mut self, at: usize, value: u64) -> bool {
        if let Some(word) = self.words.iter_mut().find(|word| word.0 == at) {
            if word.1 == value {
                self.same += 1;
                let enough = self.same >= POLLS;
                self.same = if enough { 0 } else { self.same };
                return enough;
            }
            word.1 = value;
        } else {
            self.words[self.next] = (at, value);
            self.next = (self.next + 1) % WORDS;
        }
        self.same = 0;
        false
    }

    /// Notes a quiet or a fence with nothing to complete. True: the core is to be yielded.
    fn order(&mut self) -> bool {
        self.orders += 1;
        let enough = self.orders >= ORDERS;
        self.orders = if enough { 0 } else { self.orders };
        enough
    }
}

thread_local! {
    static SEEN: RefCell<Polls> = const { RefCell::new(Polls::NONE) };
}

/// Notes a poll of this thread by `is_time`, and yields the core if that returns true. With a core for each PE it does
/// nothing.
#[inline]
fn note(is_time: impl FnOnce(&mut Polls) -> bool) {
    if !FAST.crowded() {
        return;
    }
    if SEEN.with_borrow_mut(is_time)
        && let Some(rt) = state::made()
    {
        // What a PE does between two tests that have failed.
        rt.node.own_waiter().pass();
    }
}

/// Notes that this thread has read `value` from the word at `at`.
#[inline]
pub(super) fn looked(at: usize, value: u64) {
    note(|seen| {
        if AMOS.take_news() {
            seen.same = 0;
        }
        seen.look(at, value)
    });
}

/// What the PE's fetching AMOs have found. Few of them are polls, and most find another value than the one before them,
/// so [`Polls`] is not asked about each. All threads share this: it costs no call for memory of a thread, and a thread
/// that disturbs another one only makes a poll go unnoticed.
struct Amos {
    /// The last value found in the words whose address has this remainder.
    last: [AtomicU64; WORDS],
    /// An AMO has found something new.
    news: AtomicBool,
}

static AMOS: Amos = Amos { last: [const { AtomicU64::new(0) }; WORDS], news: AtomicBool::new(false) };

// Relaxed: hints, which order nothing.
impl Amos {
    #[inline(always)]
    fn found_again(&self, at: usize, value: u64) -> bool {
        let last = &self.last[at / size_of::<u64>() % WORDS];
        let same = last.load(Ordering::Relaxed) == value;
        if !same {
            last.store(value, Ordering::Relaxed);
            self.news.store(true, Ordering::Relaxed);
        }
        same
    }

    /// Whether there are news since the last call.
    fn take_news(&self) -> bool {
        let news = self.news.load(Ordering::Relaxed);
        if news {
            self.news.store(false, Ordering::Relaxed);
        }
        news
    }
}

/// Whether an AMO that has found `value` in the word at `at` may be a poll: it has found what was found there before.
#[inline(always)]
pub(super) fn found_again(at: usize, value: u64) -> bool {
    AMOS.found_again(at, value)
}

/// Notes that this thread has read memory that `at` stands for, and has found the `len` bytes at `found`. Only the
/// first eight bytes count.
///
/// # Safety
/// `len` bytes can be read at `found`.
pub(super) unsafe fn looked_at(at: usize, found: *const u8, len: usize) {
    let mut first = [0; 8];
    // SAFETY: at most `len` bytes are read, which the caller promises, and at most the eight of the array are written.
    unsafe { core::ptr::copy_nonoverlapping(found, first.as_mut_ptr(), len.min(8)) };
    looked(at, u64::from_ne_bytes(first));
}

/// Notes that this thread has called quiet or fence.
#[inline]
pub(super) fn ordered() {
    note(Polls::order);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the core is yielded when these polls are made in turn, `rounds` times.
    fn yields(polls: &[(usize, u64)], rounds: u32) -> u32 {
        let mut seen = Polls::NONE;
        (0..rounds).flat_map(|_| polls).filter(|&&(at, value)| seen.look(at, value)).count() as u32
    }

    #[test]
    fn a_loop_that_finds_nothing_new_gives_the_core_away() {
        assert_eq!(yields(&[(8, 1)], POLLS), 0, "the first look is news");
        assert_eq!(yields(&[(8, 1)], 10 * POLLS + 1), 10);
        let several: Vec<_> = (1..=WORDS).map(|i| (8 * i, 5)).collect();
        assert_eq!(yields(&several, 10 * POLLS + 1), 10 * WORDS as u32);
    }

    #[test]
    fn work_is_not_taken_for_polling() {
        // A scan of an array, and reads of a counter that grows.
        let array: Vec<_> = (1..=WORDS + 1).map(|i| (8 * i, 5)).collect();
        assert_eq!(yields(&array, 1000), 0);
        let counter: Vec<_> = (0..1000).map(|i| (8, i)).collect();
        assert_eq!(yields(&counter, 1), 0);
        // Now and then a poll of another word that has changed.
        let often: Vec<_> = (0..1000).map(|i| if i % 19 == 0 { (16, i) } else { (8, 1) }).collect();
        assert_eq!(yields(&often, 1), 0);
    }

    #[test]
    fn an_amo_that_finds_something_new_is_no_poll() {
        let amos = Amos { last: Default::default(), news: false.into() };
        assert!(!(1..1000).any(|i| amos.found_again(8, i)), "a counter that grows");
        assert!(amos.take_news() && !amos.take_news());
        let locks: Vec<_> = (1..=WORDS).map(|i| (8 * i, i as u64)).collect();
        locks.iter().for_each(|&(at, value)| assert!(!amos.found_again(at, value)));
        assert!(locks.iter().all(|&(at, value)| amos.found_again(at, value)), "locks that others have, in turn");
        assert!(amos.take_news(), "the first round");
        assert!(locks.iter().all(|&(at, value)| amos.found_again(at, value)) && !amos.take_news());
    }

    #[test]
    fn orders_are_counted_for_longer() {
        let mut seen = Polls::NONE;
        assert_eq!((0..10 * ORDERS).filter(|_| seen.order()).count(), 10);
    }
}
