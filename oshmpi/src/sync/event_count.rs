//! How a process sleeps until another process notifies it: a count of events, which is a futex word, and the number of
//! processes that sleep on it.
//!
//! No notification is missed. A process that is about to sleep adds itself to `waiters` and then checks its condition
//! once more. A process that has stored something then reads `waiters`. Both have a sequentially consistent fence
//! between the two steps, so one of them sees what the other has done.

use super::atomics::{AtomicU32, Ordering, fence};
use core::time::Duration;

/// The kernel's part.
pub(super) trait Futex {
    /// Sleeps while `word` holds `seen`, until woken or until `limit` is over.
    fn wait(&self, word: &AtomicU32, seen: u32, limit: Duration);
    fn wake_all(&self, word: &AtomicU32);
}

/// The two words of an event count, 0 at first.
pub(crate) struct EventCount<'a> {
    pub(crate) events: &'a AtomicU32,
    pub(crate) waiters: &'a AtomicU32,
}

impl EventCount<'_> {
    /// Wakes the waiters, if there are any. One of three things must hold: the caller's last change was
    /// sequentially consistent, a fence follows the change, or a process that is about to sleep keeps polling for long
    /// enough.
    #[inline(always)]
    pub(super) fn notify_by(&self, futex: &impl Futex) {
        // SYNC event-count: pairs with the fence in sleep_by. A sequentially consistent load stays behind a
        // sequentially consistent change, also on processors that reorder other stores and loads.
        if self.waiters.load(Ordering::SeqCst) != 0 {
            self.notify_all_by(futex);
        }
    }

    /// Wakes all waiters, without reading whether there are any. No fence is needed before.
    #[cold]
    #[inline(never)]
    pub(super) fn notify_all_by(&self, futex: &impl Futex) {
        // SYNC events: pairs with the load in sleep_by; the next process that sleeps sees what was stored
        self.events.fetch_add(1, Ordering::Release);
        futex.wake_all(self.events);
    }

    /// [`EventCount::notify_by`] after a change of any kind.
    #[inline(always)]
    pub(super) fn notify_after_store_by(&self, futex: &impl Futex) {
        fence(Ordering::SeqCst); // SYNC event-count: pairs with the fence in sleep_by
        self.notify_by(futex);
    }

    /// Sleeps until a notification or until `limit` is over. Does not sleep if `ready` gives true; returns what it
    /// gave.
    pub(super) fn sleep_by(&self, futex: &impl Futex, ready: impl FnOnce() -> bool, limit: Duration) -> bool {
        self.waiters.fetch_add(1, Ordering::Relaxed); // ordered by the fence below
        // A notification after this load changes `events`, and the kernel does not put the caller to sleep then.
        // SYNC events: pairs with notify_all_by; the load acquires together with the fence below
        let events = self.events.load(Ordering::Relaxed);
        // SYNC event-count: pairs with the fence in notify_after_store_by, and with sequentially consistent changes
        fence(Ordering::SeqCst);
        let done = ready();
        if !done {
            futex.wait(self.events, events, limit);
        }
        self.waiters.fetch_sub(1, Ordering::Relaxed); // seen late, it costs a needless wake-up call
        done
    }
}

#[cfg(all(test, loom))]
mod model {
    //! A sleep in the model returns at once. The model counts it as a sleep until a notification ends it. A sleep that
    //! is still counted at the end would last for ever.
    //!
    //! The model cannot show that an AMO needs no fence: loom gives sequentially consistent operations the order of
    //! acquire and release only. `docs/design/memory-order.md` argues that case.

    use super::super::model::check;
    use super::*;
    use loom::sync::{Arc, Mutex};

    #[derive(Default)]
    struct Shared {
        events: AtomicU32,
        waiters: AtomicU32,
        word: AtomicU32,
        /// The number of sleeps. Under its lock the comparison of the word and the begin of a sleep are one step, as in
        /// the kernel. Waking is one step, too.
        asleep: Mutex<u32>,
    }

    impl Futex for Shared {
        fn wait(&self, word: &AtomicU32, seen: u32, _: Duration) {
            let mut asleep = self.asleep.lock().unwrap();
            if word.load(Ordering::Relaxed) == seen {
                *asleep += 1;
                self.waiters.fetch_add(1, Ordering::Relaxed); // the sleeper has not returned
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

    /// `n` PEs sleep until a word is 1. Another PE stores 1 and calls `notify`.
    fn all_are_woken(n: usize, notify: fn(&Shared)) {
        check(3, move || {
            let shared = Arc::new(Shared::default());
            let waiters: Vec<_> = (0..n)
                .map(|_| {
                    let theirs = shared.clone();
                    loom::thread::spawn(move || {
                        let ready = || theirs.word.load(Ordering::Relaxed) == 1;
                        theirs.event_count().sleep_by(&*theirs, ready, Duration::MAX);
                    })
                })
                .collect();
            shared.word.store(1, Ordering::Relaxed);
            notify(&shared);
            waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
            assert_eq!(*shared.asleep.lock().unwrap(), 0, "nobody wakes the waiter");
        });
    }

    #[test]
    fn loom_event_count_wakes_waiters() {
        all_are_woken(1, |shared| shared.event_count().notify_after_store_by(shared));
        all_are_woken(2, |shared| shared.event_count().notify_after_store_by(shared));
    }

    /// At the end of the job nobody reads whether there are waiters.
    #[test]
    fn loom_event_count_notify_all_wakes_waiters() {
        all_are_woken(1, |shared| shared.event_count().notify_all_by(shared));
        all_are_woken(2, |shared| shared.event_count().notify_all_by(shared));
    }

    #[test]
    #[should_panic(expected = "nobody wakes the waiter")]
    fn loom_event_count_needs_the_fence() {
        all_are_woken(1, |shared| shared.event_count().notify_by(shared));
    }
}
