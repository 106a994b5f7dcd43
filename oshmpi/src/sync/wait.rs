//! How a PE waits. While there is a core for every PE of the node it spins first; otherwise it yields at once. A wait
//! that lasts then sleeps on the node's event count, each time for a bounded time. More PEs than cores is the normal
//! case on CI machines and laptops.

use super::Wait;
use super::awaited::Awaited;
pub(crate) use super::event_count::EventCount;
use super::event_count::Futex;
use crate::os::{affinity, clock, futex, sched};
use core::sync::atomic::AtomicU32;
use core::time::Duration;
use std::time::Instant;

/// What a PE does first when it has to wait. All PEs of a node have the same policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitPolicy {
    /// There is a core for every PE: poll again and again.
    Spin,
    /// There are more PEs than cores: give the core to another PE at once.
    Yield,
    /// There are more PEs than cores, and a yield may not reach the other PEs: the kernel schedules each PE as a group
    /// (see `sched::group`). The usual reason is a launcher that gives every PE a session.
    YieldApart,
}

impl WaitPolicy {
    /// Text for `SHMEM_INFO`.
    pub(crate) fn does(self) -> &'static str {
        match self {
            WaitPolicy::Spin => "spin, then yield, then sleep",
            WaitPolicy::Yield => "yield, then sleep",
            WaitPolicy::YieldApart => {
                "yield, then sleep (the kernel schedules each PE as a group of its own, which a yield may not leave)"
            }
        }
    }
}

// One poll is one evaluation of the condition that a wait is for, with a CPU pause.

/// Polls before anything else, where every PE has a core. Most waits end within them. Fewer of them make such a wait
/// check the job and the clock for nothing.
const FIRST_POLLS: u32 = 64;
/// Polls between two checks of the job and the clock, after the first polls. With fewer, the checks take a larger part
/// of the time. With more, the end of the job is noticed later: a poll may read a whole array of the program's words.
const POLLS_AT_A_TIME: u32 = 32;
/// How long a PE polls before its first yield, where every PE has a core. A PE that lost its core for a moment is back
/// within this time. The bound is a time and not a number of polls, because the time of a poll varies.
const SPIN: Duration = Duration::from_millis(1);
/// Polls before the first yield, where PEs outnumber cores. More would waste time, because the PE that is waited for
/// most likely needs this very core.
const POLLS_CROWDED: u32 = 3;
/// Polls in place of a yield, while no PE that the wait depends on still has to run on this core. They take about as
/// long as a yield.
const POLLS_PER_ROUND: u32 = 8;
/// Yields before the first sleep. A yield that finds no other process takes 0.2 to 0.8 us, so an idle core is busy for
/// 100 to 300 us. Fewer yields make more waits pay for a sleep; more of them keep the core from others.
const YIELDS: u32 = 400;
/// With [`WaitPolicy::YieldApart`], while no PE that the wait depends on runs on this core: every so many rounds of
/// polls the PE yields instead.
const ROUNDS_PER_YIELD_APART: u32 = 4;
/// Polls of a PE that has added itself to the waiters and is about to sleep, where every PE has a core: some 10 us. A
/// store becomes visible to other cores within 1 us. So these polls see every store whose writer read the number of
/// waiters too early to notify. A missed notification would delay the wait by one sleep. Short sleeps do not need these
/// polls.
const POLLS_BEFORE_SLEEP: u32 = 300;
/// The longest sleep of a PE that is always notified. A notification ends the sleep early. The bound limits the delay
/// if a PE is lost before it notifies.
const LONGEST_SLEEP: Duration = Duration::from_millis(5);
/// The first sleep of a PE that may not be notified; each sleep is twice as long as the one before. Going to sleep and
/// waking up take some microseconds, so shorter sleeps save no processor time. Longer ones delay short waits.
const FIRST_SLEEP: Duration = Duration::from_micros(20);
/// The longest sleep of a PE that may not be notified. It bounds how late the PE notices a plain store to a word of the
/// program. Shorter sleeps cost more processor time in long waits.
const LAST_SLEEP: Duration = Duration::from_millis(1);
/// The longest sleep of a PE that serves its peers' MPI calls. It bounds how long a peer's call waits. Shorter
/// sleeps take processor time from PEs that compute.
const LAST_SERVING_SLEEP: Duration = Duration::from_micros(100);
/// How long a wait lasts between two looks at it, once it sleeps. Most waits are over before the first look. A look
/// takes some microseconds. Longer pauses delay the message about a PE that will never come.
const LOOK: Duration = Duration::from_millis(100);
/// Rounds of polls between two readings of the clock, of a PE that serves MPI calls and does not sleep.
const ROUNDS_PER_CLOCK: u32 = 256;
/// Polls before the first yield of a PE that serves MPI calls and does not sleep. They take longer than a message there
/// and back. A yield may take a whole time slice of a process that computes.
const POLLS_SERVING: u32 = 64;

/// How long a sleep lasts if nobody notifies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Backoff {
    first: Duration,
    last: Duration,
}

impl Backoff {
    /// Every PE that can end the wait notifies.
    pub(crate) const NOTIFIED: Backoff = Backoff { first: LONGEST_SLEEP, last: LONGEST_SLEEP };
    /// The wait may end without a notification.
    pub(crate) const UNNOTIFIED: Backoff = Backoff { first: FIRST_SLEEP, last: LAST_SLEEP };
    /// The waiting PE serves its peers' MPI calls meanwhile. Nobody notifies for those.
    pub(crate) const SERVING: Backoff = Backoff { first: FIRST_SLEEP, last: LAST_SERVING_SLEEP };
    /// The waiting PE serves its peers' MPI calls and has a core for itself, so it does not sleep.
    pub(crate) const NONE: Backoff = Backoff { first: Duration::ZERO, last: Duration::ZERO };

    /// The backoff of a PE that serves its peers' MPI calls. `spin` asks for no sleeps; it has no effect where PEs
    /// outnumber cores.
    pub(crate) fn serving(policy: WaitPolicy, spin: bool) -> Backoff {
        if spin && policy == WaitPolicy::Spin { Backoff::NONE } else { Backoff::SERVING }
    }

    /// A PE that waits serves its peers' MPI calls.
    pub(crate) fn serve(self) -> bool {
        self == Backoff::SERVING || self == Backoff::NONE
    }
}

/// The kernel's futexes.
struct Kernel;

impl Futex for Kernel {
    fn wait(&self, word: &AtomicU32, seen: u32, limit: Duration) {
        futex::wait(word, seen, limit);
    }

    fn wake_all(&self, word: &AtomicU32) {
        futex::wake_all(word);
    }
}

impl EventCount<'_> {
    /// Wakes the waiters, if there are any. One of three things must hold: the caller's last change was
    /// sequentially consistent, a fence follows the change, or a PE that is about to sleep keeps polling
    /// ([`POLLS_BEFORE_SLEEP`]).
    #[inline]
    pub(crate) fn notify(&self) {
        self.notify_by(&Kernel);
    }

    /// Wakes all waiters, without reading whether there are any.
    pub(crate) fn notify_all(&self) {
        self.notify_all_by(&Kernel);
    }
}

/// Looks at a wait that sleeps: since when ([`clock::millis`]), how long it had lasted before its last poll, how to
/// poll again, and for what it waits. True: it has polled, and the condition holds.
pub(crate) type Lasts = fn(u64, Duration, &mut dyn FnMut() -> bool, &dyn Fn() -> Awaited) -> bool;

/// What a wait does beside polling.
pub(crate) struct Meanwhile {
    /// Called between polls. It ends the process when the job is ending, and serves MPI where MPI is in use.
    pub(crate) interrupted: fn(),
    /// Called when a wait begins to sleep, and again every now and then while it sleeps.
    pub(crate) lasts: Lasts,
    /// Called when a wait ends for which `lasts` has been called.
    pub(crate) over: fn(),
}

#[cfg(test)]
pub(crate) static NOTHING_MEANWHILE: Meanwhile =
    Meanwhile { interrupted: || {}, lasts: |_, _, _, _| false, over: || {} };

/// A way to wait.
pub(crate) struct Waiter<'a> {
    pub(crate) event_count: EventCount<'a>,
    pub(crate) policy: WaitPolicy,
    pub(crate) meanwhile: &'static Meanwhile,
    pub(crate) backoff: Backoff,
}

/// A wait that sleeps.
struct Lasting<'a> {
    meanwhile: &'static Meanwhile,
    what: &'a dyn Fn() -> Awaited,
    /// As [`clock::millis`], and as an instant.
    since: u64,
    begun: Instant,
    next_look: Duration,
}

impl<'a> Lasting<'a> {
    fn begin(meanwhile: &'static Meanwhile, what: &'a dyn Fn() -> Awaited) -> Lasting<'a> {
        let since = clock::millis();
        (meanwhile.lasts)(since, Duration::ZERO, &mut || false, what);
        Lasting { meanwhile, what, since, begun: Instant::now(), next_look: LOOK }
    }

    /// True when the condition holds. Else, if a look is due, tells that the wait goes on, and how long it had lasted
    /// before this poll: the PE may have slept since an earlier poll, while the condition came to hold.
    fn look(&mut self, ready: &mut dyn FnMut() -> bool) -> bool {
        let lasts = self.begun.elapsed();
        if lasts < self.next_look {
            return false;
        }
        if ready() {
            return true;
        }
        self.next_look = lasts + LOOK;
        (self.meanwhile.lasts)(self.since, lasts, ready, self.what)
    }
}

impl Drop for Lasting<'_> {
    fn drop(&mut self) {
        (self.meanwhile.over)();
    }
}

impl Wait for Waiter<'_> {
    #[inline]
    fn until(&self, ready: impl FnMut() -> bool) {
        self.until_told(ready, || Awaited::Other);
    }

    #[inline]
    fn until_told(&self, ready: impl FnMut() -> bool, what: impl Fn() -> Awaited) {
        self.until_given(ready, || true, what);
    }

    #[inline]
    fn until_given(&self, mut ready: impl FnMut() -> bool, needed_here: impl Fn() -> bool, what: impl Fn() -> Awaited) {
        // A PE that serves MPI calls does not spin: what comes through MPI is seen only when MPI gets the processor.
        let alone = self.policy == WaitPolicy::Spin && !self.backoff.serve();
        let polls = if alone { FIRST_POLLS } else { POLLS_CROWDED };
        for _ in 0..polls {
            if ready() {
                return;
            }
            core::hint::spin_loop();
        }
        if !(alone && self.spin(&mut ready)) {
            self.yield_and_sleep(&mut ready, &needed_here, &what);
        }
    }

    fn give_way(&self) {
        sched::yield_now();
    }

    #[inline]
    fn notify(&self) {
        // The caller's store must not pass the load of the waiters' number: a waiter adds itself first and checks its
        // condition afterwards. Where PEs outnumber cores, a fence keeps this order. Where every PE has a core, the
        // fence would make the caller wait until the other cores have the line that it has just written. There, a PE
        // that is about to sleep keeps polling for longer than that takes (see `sleep`).
        if self.policy == WaitPolicy::Spin {
            self.event_count.notify_by(&Kernel);
        } else {
            self.event_count.notify_after_store_by(&Kernel);
        }
    }
}

impl Waiter<'_> {
    /// What a wait does between two polls, once. For a PE that polls by itself.
    pub(crate) fn pass(&self) {
        (self.meanwhile.interrupted)();
        if self.policy != WaitPolicy::Spin {
            sched::yield_now();
        }
    }

    /// Polls for the time [`SPIN`]; true when the condition holds.
    #[cold]
    fn spin(&self, ready: &mut dyn FnMut() -> bool) -> bool {
        let begun = Instant::now();
        loop {
            if poll(ready, POLLS_AT_A_TIME) {
                return true;
            }
            (self.meanwhile.interrupted)();
            if begun.elapsed() >= SPIN {
                return false;
            }
        }
    }

    #[cold]
    fn yield_and_sleep(
        &self,
        ready: &mut dyn FnMut() -> bool,
        needed_here: &dyn Fn() -> bool,
        what: &dyn Fn() -> Awaited,
    ) {
        affinity::return_to_core();
        if self.backoff == Backoff::NONE {
            return self.poll_and_serve(ready, what);
        }
        let apart = self.policy == WaitPolicy::YieldApart;
        let mut yields = YIELDS;
        let mut sleep = self.backoff.first;
        let mut lasting = None;
        loop {
            for round in 1..=yields {
                if ready() {
                    return;
                }
                (self.meanwhile.interrupted)();
                // Where a yield may not leave the PE's group, other PEs that wait on this core need a turn now and
                // then.
                if needed_here() || apart && round % ROUNDS_PER_YIELD_APART == 0 {
                    sched::yield_now();
                } else if poll(ready, POLLS_PER_ROUND) {
                    return;
                }
            }
            let lasting = lasting.get_or_insert_with(|| Lasting::begin(self.meanwhile, what));
            if self.sleep(ready, sleep) || lasting.look(ready) {
                return;
            }
            if sleep < self.backoff.last {
                // A long wait costs little processor time: as the sleeps get longer, there are fewer yields between
                // them.
                sleep = (sleep * 2).min(self.backoff.last);
                yields = (yields / 2).max(1);
            }
        }
    }

    /// Polls and serves peers' MPI calls at once, as MPI does in its own waits.
    fn poll_and_serve(&self, ready: &mut dyn FnMut() -> bool, what: &dyn Fn() -> Awaited) {
        let mut served = || {
            let done = ready();
            if !done {
                (self.meanwhile.interrupted)();
            }
            done
        };
        let (mut polls, mut rounds, mut lasting) = (POLLS_SERVING, 0, None);
        while !(0..polls).any(|_| served()) {
            rounds += 1;
            if rounds % ROUNDS_PER_CLOCK == 0 {
                let lasting = lasting.get_or_insert_with(|| Lasting::begin(self.meanwhile, what));
                if lasting.look(&mut served) {
                    return;
                }
            }
            // Another process may run on this core, although the PE should have it for itself.
            sched::yield_now();
            polls = POLLS_PER_ROUND;
        }
    }

    /// Sleeps until a notification or until the time is over; true when the condition held before the sleep.
    fn sleep(&self, ready: &mut dyn FnMut() -> bool, sleep: Duration) -> bool {
        let unfenced = self.policy == WaitPolicy::Spin && self.backoff == Backoff::NOTIFIED;
        let polls = if unfenced { POLLS_BEFORE_SLEEP } else { 1 };
        self.event_count.sleep_by(&Kernel, || poll(ready, polls), sleep)
    }
}

/// Polls `polls` times at most; true when the condition holds.
fn poll(ready: &mut dyn FnMut() -> bool, polls: u32) -> bool {
    (0..polls).any(|_| {
        core::hint::spin_loop();
        ready()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use core::sync::atomic::Ordering;

    fn waiter<'a>(words: &'a [AtomicU32; 2], backoff: Backoff, meanwhile: &'static Meanwhile) -> Waiter<'a> {
        let event_count = EventCount { events: &words[0], waiters: &words[1] };
        Waiter { event_count, policy: WaitPolicy::Spin, meanwhile, backoff }
    }

    /// One poll of a large array of words takes long. The end of the job must not wait for thousands of such polls.
    #[test]
    fn the_job_is_checked_every_few_polls() {
        static INTERRUPTED: AtomicU32 = AtomicU32::new(0);
        let words = Default::default();
        let polls = Cell::new(0);
        fn interrupted() {
            INTERRUPTED.fetch_add(1, Ordering::Relaxed);
        }
        static COUNTED: Meanwhile = Meanwhile { interrupted, ..NOTHING_MEANWHILE };
        waiter(&words, Backoff::UNNOTIFIED, &COUNTED).until(|| {
            polls.set(polls.get() + 1);
            polls.get() == 1000
        });
        assert!(INTERRUPTED.load(Ordering::Relaxed) >= (1000 - FIRST_POLLS) / POLLS_AT_A_TIME);
    }

    /// A PE polls many times before a sleep only if its notification may be missed.
    #[test]
    fn a_short_sleep_is_preceded_by_one_poll() {
        let words = Default::default();
        for (backoff, expected) in
            [(Backoff::NOTIFIED, POLLS_BEFORE_SLEEP), (Backoff::UNNOTIFIED, 1), (Backoff::SERVING, 1)]
        {
            let mut polls = 0;
            let mut ready = || {
                polls += 1;
                false
            };
            assert!(!waiter(&words, backoff, &NOTHING_MEANWHILE).sleep(&mut ready, Duration::from_micros(1)));
            assert_eq!(polls, expected);
        }
    }

    /// A wait that sleeps says for what, at once and again while it lasts; one that only spins says nothing.
    #[test]
    fn a_wait_that_sleeps_is_looked_at() {
        static CALLS: AtomicU32 = AtomicU32::new(0);
        static OVER: AtomicU32 = AtomicU32::new(0);
        fn lasts(_: u64, _: Duration, _: &mut dyn FnMut() -> bool, what: &dyn Fn() -> Awaited) -> bool {
            assert_eq!(what(), Awaited::Peer { pe: 7, request: 0 });
            CALLS.fetch_add(1, Ordering::Relaxed);
            false
        }
        fn over() {
            OVER.fetch_add(1, Ordering::Relaxed);
        }
        static LOOKED_AT: Meanwhile = Meanwhile { interrupted: || {}, lasts, over };
        let counts = || (CALLS.load(Ordering::Relaxed), OVER.load(Ordering::Relaxed));
        let words = Default::default();
        let what = || Awaited::Peer { pe: 7, request: 0 };
        for backoff in [Backoff::UNNOTIFIED, Backoff::SERVING, Backoff::NOTIFIED, Backoff::NONE] {
            let (waiter, before) = (waiter(&words, backoff, &LOOKED_AT), counts());
            let mut polls = 0;
            let mut soon = || {
                polls += 1;
                polls == 40
            };
            waiter.until_told(&mut soon, what);
            assert_eq!(counts(), before);
            // On a busy machine the yields before the first sleep may take a second.
            let begun = Instant::now();
            waiter.until_told(|| counts().0 >= before.0 + 2 || begun.elapsed().as_secs() > 60, what);
            let (calls, over) = counts();
            assert_eq!(calls, before.0 + 2);
            assert_eq!(over, before.1 + 1);
        }
    }

    /// What is told of a wait was true at the moment that is told: a PE may sleep for long, and the condition may come
    /// to hold meanwhile.
    #[test]
    fn a_wait_that_is_over_is_not_told_to_last() {
        fn lasts(_: u64, waited: Duration, _: &mut dyn FnMut() -> bool, _: &dyn Fn() -> Awaited) -> bool {
            assert!(waited < LOOK);
            false
        }
        static TOLD: Meanwhile = Meanwhile { lasts, ..NOTHING_MEANWHILE };
        let words = Default::default();
        for backoff in [Backoff::UNNOTIFIED, Backoff::SERVING, Backoff::NOTIFIED, Backoff::NONE] {
            let begun = Instant::now();
            waiter(&words, backoff, &TOLD).until(|| begun.elapsed() >= LOOK);
        }
    }

    /// A look that polls and finds the condition ends the wait: the condition need not hold a second time.
    #[test]
    fn a_look_may_end_the_wait() {
        fn lasts(_: u64, waited: Duration, ready: &mut dyn FnMut() -> bool, _: &dyn Fn() -> Awaited) -> bool {
            LASTS.set(!waited.is_zero());
            ready()
        }
        thread_local! {
            static LASTS: Cell<bool> = const { Cell::new(false) };
        }
        static POLLED: Meanwhile = Meanwhile { lasts, ..NOTHING_MEANWHILE };
        let words = Default::default();
        for backoff in [Backoff::UNNOTIFIED, Backoff::SERVING, Backoff::NOTIFIED, Backoff::NONE] {
            waiter(&words, backoff, &POLLED).until(|| LASTS.take());
        }
    }
}
