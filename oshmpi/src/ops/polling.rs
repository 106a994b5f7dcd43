//! Programs that wait by calling again and again until they find what they want. Where PEs outnumber cores such a loop
//! keeps its core for a whole time slice, while the PE that would end the loop waits for that core. So a thread that
//! polls the same words again and finds the same gives its core away now and then.
//!
//! Only calls of PEs that outnumber cores come here: the tables of `memory/translate` send reads to their cold sides
//! then. What `docs/design/waiting.md` says of polling is decided here.

use crate::memory::translate::FAST;
use crate::state;
use core::cell::RefCell;

/// Polls that find nothing new before the core is given away. Fewer yield in programs that read a word a few times
/// because they need it; more keep the core longer from the PE that is waited for.
const POLLS: u32 = 20;
/// Words that a loop may look at in turn.
const WORDS: usize = 4;
/// Calls of quiet and fence, which look at nothing, before the core is given away. A loop that puts and calls quiet
/// does not wait, and a yield that finds no other process takes as long as some 70 of its rounds.
const ORDERS: u32 = 200;

/// What a thread has looked at last.
struct Polls {
    words: [(usize, u64); WORDS],
    next: usize,
    /// Polls, one behind the other, that have found nothing new.
    same: u32,
    orders: u32,
}

impl Polls {
    const NONE: Polls = Polls { words: [(0, 0); WORDS], next: 0, same: 0, orders: 0 };

    /// A look at the word `at`, which has found `value`. True: time to give the core away.
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

    /// A quiet or a fence with nothing to complete. True: time to give the core away.
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

/// Notes something in what this thread has looked at, and gives the core away if it is time. With a core for each PE it
/// does nothing.
#[inline]
fn note(is_time: impl FnOnce(&mut Polls) -> bool) {
    if !FAST.crowded() {
        return;
    }
    if SEEN.with_borrow_mut(is_time)
        && let Some(rt) = state::made()
    {
        // As between two tests that failed.
        rt.node.own_waiter().pass();
    }
}

/// This thread has looked at a word, of which `at` is the address where it has found it, and has found `value`.
#[inline]
pub(super) fn looked(at: usize, value: u64) {
    note(|seen| seen.look(at, value));
}

/// This thread has looked at memory whose address is `at`, and has found the `len` bytes that lie at `found`. The first
/// eight count.
///
/// # Safety
/// So many bytes can be read.
pub(super) unsafe fn looked_at(at: usize, found: *const u8, len: usize) {
    let mut first = [0; 8];
    // SAFETY: at most as many bytes as the caller says can be read, and as there is room for.
    unsafe { core::ptr::copy_nonoverlapping(found, first.as_mut_ptr(), len.min(8)) };
    looked(at, u64::from_ne_bytes(first));
}

/// This thread has called quiet or fence.
#[inline]
pub(super) fn ordered() {
    note(Polls::order);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often the core is given away in such polls, in turn, so many times.
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
        // Through an array, and a counter that grows.
        let array: Vec<_> = (1..=WORDS + 1).map(|i| (8 * i, 5)).collect();
        assert_eq!(yields(&array, 1000), 0);
        let counter: Vec<_> = (0..1000).map(|i| (8, i)).collect();
        assert_eq!(yields(&counter, 1), 0);
        // A look at something else that is new, now and then.
        let often: Vec<_> = (0..1000).map(|i| if i % 19 == 0 { (16, i) } else { (8, 1) }).collect();
        assert_eq!(yields(&often, 1), 0);
    }

    #[test]
    fn orders_are_counted_for_longer() {
        let mut seen = Polls::NONE;
        assert_eq!((0..10 * ORDERS).filter(|_| seen.order()).count(), 10);
    }
}
