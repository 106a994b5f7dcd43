//! How a PE waits: spin while there is a core for every PE of the node, yield when there is not, then sleep on the
//! node's event count with a bounded time-out. More PEs than cores is the normal case of CI machines and laptops.

use super::Wait;
pub(crate) use super::event_count::EventCount;
use super::event_count::Futex;
use crate::os::{affinity, futex, sched};
use core::sync::atomic::AtomicU32;
use core::time::Duration;
use std::time::Instant;

/// What the PEs of a node do first when they have to wait. The same on all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitPolicy {
    /// A core for every PE: look again and again.
    Spin,
    /// More PEs than cores: give the core to another PE at once.
    Yield,
    /// More PEs than cores, and a yield does not reach the others: the kernel schedules each as a
    /// group (see `sched::group`), mostly because this launcher gave every PE a session of its own.
    YieldApart,
}

impl WaitPolicy {
    /// For `SHMEM_INFO`.
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

/// Looks (with a CPU pause) before the first yield when every PE has a core: nothing but looks at first, in which most
/// waits end, ...
const FIRST_POLLS: u32 = 64;
/// ... then so many of them between two looks at the job and the clock, ...
const POLLS_AT_A_TIME: u32 = 32;
/// ... for so long, in which a PE that was put off its core for a moment is back. A look may take as long as the program's
/// array of words is, so it is time that counts.
const SPIN: Duration = Duration::from_millis(1);
/// Looks when PEs outnumber cores: whoever we wait for most likely needs this very core.
const POLLS_CROWDED: u32 = 3;
/// Looks instead of a yield, where nobody who is needed first has yet to run on this core: about as long as a yield.
const POLLS_ON: u32 = 8;
/// Yields before sleeping. A yield that finds nobody else costs 0.2 to 0.8 us, so this is 100 to 300 us of an idle core.
const YIELDS: u32 = 400;
/// Where a yield may not reach the other PEs, and nobody is needed on this core: how often it is looked on before a yield.
const POLLS_PER_YIELD_APART: u32 = 4;
/// Looks of a PE that has said it will sleep until a event count notifies, where each PE has a core: some 10 us. A store leaves its core for
/// the others' sight within one, so whoever looked for waiters before this PE had said so is seen here. A event count missed all the same
/// costs one nap. Short sleeps need no such looks.
const POLLS_BEFORE_SLEEP: u32 = 300;
/// Longest sleep before looking again. The event count ends a sleep early; this bounds what a lost PE can cost us.
const LONGEST_SLEEP: Duration = Duration::from_millis(5);
/// The same for words of the program, which may be stored to without a event count: first and last of sleeps that double.
const FIRST_SLEEP: Duration = Duration::from_micros(20);
const LAST_SLEEP: Duration = Duration::from_millis(1);

/// Looks of a PE that does not nap before its first yield, which may cost a whole turn of somebody who computes: longer than
/// a message there and back.
const POLLS_SERVING: u32 = 64;
/// The last nap of a PE that has to serve MPI calls.
const LAST_SERVING_SLEEP: Duration = Duration::from_micros(100);

/// How long a sleep is at most when nobody notifies.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Backoff {
    first: Duration,
    last: Duration,
}

impl Backoff {
    /// Everybody who ends the wait notifies.
    pub(crate) const NOTIFIED: Backoff = Backoff { first: LONGEST_SLEEP, last: LONGEST_SLEEP };
    /// The wait may end without a event count.
    pub(crate) const UNNOTIFIED: Backoff = Backoff { first: FIRST_SLEEP, last: LAST_SLEEP };
    /// The waiting PE has to serve its peers' MPI calls meanwhile, for which no event count notifies.
    pub(crate) const SERVING: Backoff = Backoff { first: FIRST_SLEEP, last: LAST_SERVING_SLEEP };
    /// The same, and the core is its own: no sleeps.
    pub(crate) const NONE: Backoff = Backoff { first: Duration::ZERO, last: Duration::ZERO };

    /// For a waiting PE that has to serve its peers' MPI calls: only while the node's PEs have a core each does `spin` have
    /// its way.
    pub(crate) fn serving(policy: WaitPolicy, spin: bool) -> Backoff {
        if spin && policy == WaitPolicy::Spin { Backoff::NONE } else { Backoff::SERVING }
    }

    /// Peers are served by those who wait.
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
    /// Wakes those who sleep. The caller's last change was sequentially consistent, or has a fence behind it, or whoever sleeps
    /// looks on for long enough ([`POLLS_BEFORE_SLEEP`]).
    #[inline]
    pub(crate) fn notify(&self) {
        self.notify_by(&Kernel);
    }

    /// Wakes all who sleep.
    pub(crate) fn notify_all(&self) {
        self.notify_all_by(&Kernel);
    }
}

/// A way to wait. `interrupted` is called between two looks: it ends the process when the job is
/// ending, and serves MPI where MPI is in use.
pub(crate) struct Waiter<'a> {
    pub(crate) event_count: EventCount<'a>,
    pub(crate) policy: WaitPolicy,
    pub(crate) interrupted: fn(),
    pub(crate) backoff: Backoff,
}

impl Wait for Waiter<'_> {
    #[inline]
    fn until(&self, ready: impl FnMut() -> bool) {
        self.until_given(ready, || true);
    }

    #[inline]
    fn until_given(&self, mut ready: impl FnMut() -> bool, needed_here: impl Fn() -> bool) {
        // Nothing that comes through MPI is seen before MPI is given the processor.
        let alone = self.policy == WaitPolicy::Spin && !self.backoff.serve();
        let polls = if alone { FIRST_POLLS } else { POLLS_CROWDED };
        for _ in 0..polls {
            if ready() {
                return;
            }
            core::hint::spin_loop();
        }
        if !(alone && self.spin(&mut ready)) {
            self.until_patient(&mut ready, &needed_here);
        }
    }

    fn give_way(&self) {
        sched::yield_now();
    }

    #[inline]
    fn notify(&self) {
        // The store before this call and the waiters' count must not pass each other: a sleeper counts itself first
        // and looks at the condition afterwards. Where each PE has a core nobody stands still until the others have the
        // line that was just written: who is about to sleep looks on for longer than that takes instead (see `sleep`).
        if self.policy == WaitPolicy::Spin {
            self.event_count.notify_by(&Kernel);
        } else {
            self.event_count.notify_after_store_by(&Kernel);
        }
    }
}

impl Waiter<'_> {
    /// What a wait does between two looks, once: for a PE that looks by itself and comes back.
    pub(crate) fn pass(&self) {
        (self.interrupted)();
        if self.policy != WaitPolicy::Spin {
            sched::yield_now();
        }
    }

    /// Looks again and again; false when that has lasted.
    #[cold]
    fn spin(&self, ready: &mut dyn FnMut() -> bool) -> bool {
        let begun = Instant::now();
        loop {
            if look_on(ready, POLLS_AT_A_TIME) {
                return true;
            }
            (self.interrupted)();
            if begun.elapsed() >= SPIN {
                return false;
            }
        }
    }

    #[cold]
    fn until_patient(&self, ready: &mut dyn FnMut() -> bool, needed_here: &dyn Fn() -> bool) {
        affinity::return_to_core();
        if self.backoff == Backoff::NONE {
            return self.look_on_for_good(ready);
        }
        let apart = self.policy == WaitPolicy::YieldApart;
        let mut yields = YIELDS;
        let mut sleep = self.backoff.first;
        loop {
            for turn in 1..=yields {
                if ready() {
                    return;
                }
                (self.interrupted)();
                // Where a yield may not leave the group, those of this core that wait too have to get turns meanwhile.
                if needed_here() || apart && turn % POLLS_PER_YIELD_APART == 0 {
                    sched::yield_now();
                } else if look_on(ready, POLLS_ON) {
                    return;
                }
            }
            if self.sleep(ready, sleep) {
                return;
            }
            if sleep < self.backoff.last {
                // A wait that lasts is to cost little: the longer the sleeps, the less is done between them.
                sleep = (sleep * 2).min(self.backoff.last);
                yields = (yields / 2).max(1);
            }
        }
    }

    /// Serves peers as soon as they ask, as MPI does in its own waits.
    fn look_on_for_good(&self, ready: &mut dyn FnMut() -> bool) {
        let mut look = || {
            let done = ready();
            if !done {
                (self.interrupted)();
            }
            done
        };
        let mut polls = POLLS_SERVING;
        while !(0..polls).any(|_| look()) {
            // Somebody else may be on this core although it was to be ours.
            sched::yield_now();
            polls = POLLS_ON;
        }
    }

    /// Sleeps until the event count notifies or the sleep is over; true when the condition held already.
    fn sleep(&self, ready: &mut dyn FnMut() -> bool, sleep: Duration) -> bool {
        let unfenced = self.policy == WaitPolicy::Spin && self.backoff == Backoff::NOTIFIED;
        let polls = if unfenced { POLLS_BEFORE_SLEEP } else { 1 };
        self.event_count.sleep_by(&Kernel, || look_on(ready, polls), sleep)
    }
}

/// Looks so many times more; true when it was worth it.
fn look_on(ready: &mut dyn FnMut() -> bool, polls: u32) -> bool {
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

    fn waiter<'a>(words: &'a [AtomicU32; 2], backoff: Backoff, interrupted: fn()) -> Waiter<'a> {
        let event_count = EventCount { events: &words[0], waiters: &words[1] };
        Waiter { event_count, policy: WaitPolicy::Spin, interrupted, backoff }
    }

    /// A look at a large array of words takes long, and the end of the job is not to wait for thousands of them.
    #[test]
    fn few_looks_lie_between_two_looks_at_the_job() {
        static INTERRUPTED: AtomicU32 = AtomicU32::new(0);
        let words = Default::default();
        let polls = Cell::new(0);
        let interrupted = || {
            INTERRUPTED.fetch_add(1, Ordering::Relaxed);
        };
        waiter(&words, Backoff::UNNOTIFIED, interrupted).until(|| {
            polls.set(polls.get() + 1);
            polls.get() == 1000
        });
        assert!(INTERRUPTED.load(Ordering::Relaxed) >= (1000 - FIRST_POLLS) / POLLS_AT_A_TIME);
    }

    /// Only who may miss a event count looks on before it sleeps.
    #[test]
    fn a_short_nap_takes_one_look() {
        let words = Default::default();
        for (backoff, expected) in
            [(Backoff::NOTIFIED, POLLS_BEFORE_SLEEP), (Backoff::UNNOTIFIED, 1), (Backoff::SERVING, 1)]
        {
            let mut polls = 0;
            let mut ready = || {
                polls += 1;
                false
            };
            assert!(!waiter(&words, backoff, || {}).sleep(&mut ready, Duration::from_micros(1)));
            assert_eq!(polls, expected);
        }
    }
}
