//! How whoever waits long sleeps until it is told: a futex word, and how many sleep on it. Neither side may miss the other: who sleeps
//! counts itself and looks once more, who has stored something reads the count, and both have a sequentially consistent fence
//! between the two.

use super::atomics::{AtomicU32, Ordering, fence};
use core::time::Duration;

/// The kernel's part.
pub(super) trait Futex {
    /// Sleeps while `word` holds `seen`, until woken or `limit` is over.
    fn wait(&self, word: &AtomicU32, seen: u32, limit: Duration);
    fn wake_all(&self, word: &AtomicU32);
}

/// The words of a event count, 0 at first.
pub(crate) struct EventCount<'a> {
    pub(crate) events: &'a AtomicU32,
    pub(crate) waiters: &'a AtomicU32,
}

impl EventCount<'_> {
    /// Wakes those who sleep. The caller's last change was sequentially consistent, or has a fence behind it, or whoever sleeps
    /// looks on for long enough.
    #[inline(always)]
    pub(super) fn notify_by(&self, futex: &impl Futex) {
        // SYNC event-count: pairs with the fence in sleep_by. Such a load stays behind such a change, also where a fence would be needed for any
        // other two.
        if self.waiters.load(Ordering::SeqCst) != 0 {
            self.notify_all_by(futex);
        }
    }

    /// Wakes all who sleep, whether there are any or not. No fence is needed before.
    #[cold]
    #[inline(never)]
    pub(super) fn notify_all_by(&self, futex: &impl Futex) {
        self.events.fetch_add(1, Ordering::Release); // SYNC events: who sleeps next sees what was stored; pairs with sleep_by
        futex.wake_all(self.events);
    }

    /// The same behind a change of any kind.
    #[inline(always)]
    pub(super) fn notify_after_store_by(&self, futex: &impl Futex) {
        fence(Ordering::SeqCst); // SYNC event-count: pairs with the fence in sleep_by
        self.notify_by(futex);
    }

    /// Sleeps until the event count notifies or `limit` is over, unless `look` finds what is waited for; gives whether it did.
    pub(super) fn sleep_by(&self, futex: &impl Futex, look: impl FnOnce() -> bool, limit: Duration) -> bool {
        self.waiters.fetch_add(1, Ordering::Relaxed); // ordered by the fence below
        // A ring after this load keeps the kernel from putting the caller to sleep.
        // SYNC events: with the fence below an acquire of what was stored before the notifies that are seen
        let events = self.events.load(Ordering::Relaxed);
        // SYNC event-count: pairs with the fence in notify_after_store_by, and with sequentially consistent changes
        fence(Ordering::SeqCst);
        let done = look();
        if !done {
            futex.wait(self.events, events, limit);
        }
        self.waiters.fetch_sub(1, Ordering::Relaxed); // too late is a call of the kernel too many
        done
    }
}

#[cfg(all(test, loom))]
mod model {
    //! A sleep of the model returns at once and is remembered until a ring ends it: one that is left at the end lasts for ever.
    //! That an AMO needs no fence cannot be seen here, because loom takes sequentially consistent operations for acquires and releases;
    //! `docs/design/memory-order.md` argues it.

    use super::*;
    use loom::sync::{Arc, Mutex};

    #[derive(Default)]
    struct Shared {
        events: AtomicU32,
        waiters: AtomicU32,
        word: AtomicU32,
        /// As the kernel does, a look at the word and the begin of a sleep are one, and so is waking.
        asleep: Mutex<u32>,
    }

    impl Futex for Shared {
        fn wait(&self, word: &AtomicU32, seen: u32, _: Duration) {
            let mut asleep = self.asleep.lock().unwrap();
            if word.load(Ordering::Relaxed) == seen {
                *asleep += 1;
                self.waiters.fetch_add(1, Ordering::Relaxed); // stays counted
            }
        }
        fn wake_all(&self, _: &AtomicU32) {
            *self.asleep.lock().unwrap() = 0;
        }
    }

    impl Shared {
        fn event_count(&self) -> EventCount<'_> {
            EventCount { events: &self.events, waiters: &self.waiters }
        }
    }

    /// So many PEs go to sleep until a word is 1, while another one stores that and tells.
    fn nobody_sleeps_on(n: usize, tell: fn(&Shared)) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let shared = Arc::new(Shared::default());
            let waiters: Vec<_> = (0..n)
                .map(|_| {
                    let theirs = shared.clone();
                    loom::thread::spawn(move || {
                        let look = || theirs.word.load(Ordering::Relaxed) == 1;
                        theirs.event_count().sleep_by(&*theirs, look, Duration::MAX);
                    })
                })
                .collect();
            shared.word.store(1, Ordering::Relaxed);
            tell(&shared);
            waiters.into_iter().for_each(|sleeper| sleeper.join().unwrap());
            assert_eq!(*shared.asleep.lock().unwrap(), 0, "nobody wakes the sleeper");
        });
    }

    #[test]
    fn loom_event_count_is_heard() {
        nobody_sleeps_on(1, |shared| shared.event_count().notify_after_store_by(shared));
        nobody_sleeps_on(2, |shared| shared.event_count().notify_after_store_by(shared));
    }

    /// As the end of the job does: without a look for waiters.
    #[test]
    fn loom_event_count_wakes_whoever_sleeps() {
        nobody_sleeps_on(1, |shared| shared.event_count().notify_all_by(shared));
        nobody_sleeps_on(2, |shared| shared.event_count().notify_all_by(shared));
    }

    #[test]
    #[should_panic(expected = "nobody wakes the sleeper")]
    fn loom_event_count_needs_the_fence() {
        nobody_sleeps_on(1, |shared| shared.event_count().notify_by(shared));
    }
}
