//! How a PE waits: spin while there is a core for every PE of the node, yield when there is not, then sleep on the
//! node's bell with a bounded time-out. More PEs than cores is the normal case of CI machines and laptops.

use super::Wait;
pub(crate) use super::bell::Bell;
use super::bell::Futex;
use crate::os::{futex, home, sched};
use core::sync::atomic::AtomicU32;
use core::time::Duration;
use std::time::Instant;

/// What the PEs of a node do first when they have to wait. The same on all of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// A core for every PE: look again and again.
    Spin,
    /// More PEs than cores: give the core to another PE at once.
    Yield,
    /// More PEs than cores, and a yield does not reach the others: the kernel schedules each as a
    /// group (see `sched::group`), mostly because this launcher gave every PE a session of its own.
    YieldApart,
}

impl Patience {
    /// For `SHMEM_INFO`.
    pub(crate) fn does(self) -> &'static str {
        match self {
            Patience::Spin => "spin, then yield, then sleep",
            Patience::Yield => "yield, then sleep",
            Patience::YieldApart => {
                "yield, then sleep (the kernel schedules each PE as a group of its own, which a yield may not leave)"
            }
        }
    }
}

/// Looks (with a CPU pause) before the first yield when every PE has a core: nothing but looks at first, in which most
/// waits end, ...
const FIRST_LOOKS: u32 = 64;
/// ... then so many of them between two looks at the job and the clock, ...
const LOOKS_AT_A_TIME: u32 = 32;
/// ... for so long, in which a PE that was put off its core for a moment is back. A look may take as long as the program's
/// array of words is, so it is time that counts.
const SPIN: Duration = Duration::from_millis(1);
/// Looks when PEs outnumber cores: whoever we wait for most likely needs this very core.
const LOOKS_CROWDED: u32 = 3;
/// Looks instead of a yield, where nobody who is needed first has yet to run on this core: about as long as a yield.
const LOOKS_ON: u32 = 8;
/// Yields before sleeping. A yield that finds nobody else costs 0.2 to 0.8 us, so this is 100 to 300 us of an idle core.
const YIELDS: u32 = 400;
/// Where a yield may not reach the other PEs, and nobody is needed on this core: how often it is looked on before a yield.
const LOOKS_PER_YIELD_APART: u32 = 4;
/// Looks of a PE that has said it will sleep until a bell rings, where each PE has a core: some 10 us. A store leaves its core for
/// the others' sight within one, so whoever looked for sleepers before this PE had said so is seen here. A bell missed all the same
/// costs one nap. Short naps need no such looks.
const LOOKS_BEFORE_SLEEP: u32 = 300;
/// Longest sleep before looking again. The bell ends a sleep early; this bounds what a lost PE can cost us.
const NAP: Duration = Duration::from_millis(5);
/// The same for words of the program, which may be stored to without a bell: first and last of naps that double.
const FIRST_NAP: Duration = Duration::from_micros(20);
const LAST_NAP: Duration = Duration::from_millis(1);

/// Looks of a PE that does not nap before its first yield, which may cost a whole turn of somebody who computes: longer than
/// a message there and back.
const LOOKS_SERVING: u32 = 64;
/// The last nap of a PE that has to serve MPI calls.
const LAST_SERVING_NAP: Duration = Duration::from_micros(100);

/// How long a sleep is at most when nobody rings.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Naps {
    first: Duration,
    last: Duration,
}

impl Naps {
    /// Everybody who ends the wait rings.
    pub(crate) const RUNG: Naps = Naps { first: NAP, last: NAP };
    /// The wait may end without a bell.
    pub(crate) const UNRUNG: Naps = Naps { first: FIRST_NAP, last: LAST_NAP };
    /// The waiting PE has to serve its peers' MPI calls meanwhile, for which no bell rings.
    pub(crate) const SERVING: Naps = Naps { first: FIRST_NAP, last: LAST_SERVING_NAP };
    /// The same, and the core is its own: no naps.
    pub(crate) const NONE: Naps = Naps { first: Duration::ZERO, last: Duration::ZERO };

    /// For a waiting PE that has to serve its peers' MPI calls: only while the node's PEs have a core each does `spin` have
    /// its way.
    pub(crate) fn serving(patience: Patience, spin: bool) -> Naps {
        if spin && patience == Patience::Spin { Naps::NONE } else { Naps::SERVING }
    }

    /// Peers are served by those who wait.
    pub(crate) fn serve(self) -> bool {
        self == Naps::SERVING || self == Naps::NONE
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

impl Bell<'_> {
    /// Wakes those who sleep. The caller's last change was sequentially consistent, or has a fence behind it, or whoever sleeps
    /// looks on for long enough ([`LOOKS_BEFORE_SLEEP`]).
    #[inline]
    pub(crate) fn ring_if_heard(&self) {
        self.ring_by(&Kernel);
    }

    /// Wakes all who sleep.
    pub(crate) fn ring_all(&self) {
        self.ring(&Kernel);
    }
}

/// A way to wait. `interrupted` is called between two looks: it ends the process when the job is
/// ending, and serves MPI where MPI is in use.
pub(crate) struct Waiter<'a> {
    pub(crate) bell: Bell<'a>,
    pub(crate) patience: Patience,
    pub(crate) interrupted: fn(),
    pub(crate) naps: Naps,
}

impl Wait for Waiter<'_> {
    #[inline]
    fn until(&self, ready: impl FnMut() -> bool) {
        self.until_given(ready, || true);
    }

    #[inline]
    fn until_given(&self, mut ready: impl FnMut() -> bool, needed_here: impl Fn() -> bool) {
        // Nothing that comes through MPI is seen before MPI is given the processor.
        let alone = self.patience == Patience::Spin && !self.naps.serve();
        let looks = if alone { FIRST_LOOKS } else { LOOKS_CROWDED };
        for _ in 0..looks {
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
    fn tell(&self) {
        // The store before this call and the sleepers' count must not pass each other: a sleeper counts itself first
        // and looks at the condition afterwards. Where each PE has a core nobody stands still until the others have the
        // line that was just written: who is about to sleep looks on for longer than that takes instead (see `sleep`).
        if self.patience == Patience::Spin {
            self.bell.ring_by(&Kernel);
        } else {
            self.bell.ring_behind_store_by(&Kernel);
        }
    }
}

impl Waiter<'_> {
    /// What a wait does between two looks, once: for a PE that looks by itself and comes back.
    pub(crate) fn pass(&self) {
        (self.interrupted)();
        if self.patience != Patience::Spin {
            sched::yield_now();
        }
    }

    /// Looks again and again; false when that has lasted.
    #[cold]
    fn spin(&self, ready: &mut dyn FnMut() -> bool) -> bool {
        let begun = Instant::now();
        loop {
            if look_on(ready, LOOKS_AT_A_TIME) {
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
        home::come_back();
        if self.naps == Naps::NONE {
            return self.look_on_for_good(ready);
        }
        let apart = self.patience == Patience::YieldApart;
        let mut yields = YIELDS;
        let mut nap = self.naps.first;
        loop {
            for turn in 1..=yields {
                if ready() {
                    return;
                }
                (self.interrupted)();
                // Where a yield may not leave the group, those of this core that wait too have to get turns meanwhile.
                if needed_here() || apart && turn % LOOKS_PER_YIELD_APART == 0 {
                    sched::yield_now();
                } else if look_on(ready, LOOKS_ON) {
                    return;
                }
            }
            if self.sleep(ready, nap) {
                return;
            }
            if nap < self.naps.last {
                // A wait that lasts is to cost little: the longer the naps, the less is done between them.
                nap = (nap * 2).min(self.naps.last);
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
        let mut looks = LOOKS_SERVING;
        while !(0..looks).any(|_| look()) {
            // Somebody else may be on this core although it was to be ours.
            sched::yield_now();
            looks = LOOKS_ON;
        }
    }

    /// Sleeps until the bell rings or the nap is over; true when the condition held already.
    fn sleep(&self, ready: &mut dyn FnMut() -> bool, nap: Duration) -> bool {
        let unfenced = self.patience == Patience::Spin && self.naps == Naps::RUNG;
        let looks = if unfenced { LOOKS_BEFORE_SLEEP } else { 1 };
        self.bell.sleep_by(&Kernel, || look_on(ready, looks), nap)
    }
}

/// Looks so many times more; true when it was worth it.
fn look_on(ready: &mut dyn FnMut() -> bool, looks: u32) -> bool {
    (0..looks).any(|_| {
        core::hint::spin_loop();
        ready()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cell::Cell;
    use core::sync::atomic::Ordering;

    fn waiter<'a>(words: &'a [AtomicU32; 2], naps: Naps, interrupted: fn()) -> Waiter<'a> {
        let bell = Bell { rings: &words[0], sleepers: &words[1] };
        Waiter { bell, patience: Patience::Spin, interrupted, naps }
    }

    /// A look at a large array of words takes long, and the end of the job is not to wait for thousands of them.
    #[test]
    fn few_looks_lie_between_two_looks_at_the_job() {
        static INTERRUPTED: AtomicU32 = AtomicU32::new(0);
        let words = Default::default();
        let looks = Cell::new(0);
        let interrupted = || {
            INTERRUPTED.fetch_add(1, Ordering::Relaxed);
        };
        waiter(&words, Naps::UNRUNG, interrupted).until(|| {
            looks.set(looks.get() + 1);
            looks.get() == 1000
        });
        assert!(INTERRUPTED.load(Ordering::Relaxed) >= (1000 - FIRST_LOOKS) / LOOKS_AT_A_TIME);
    }

    /// Only who may miss a bell looks on before it sleeps.
    #[test]
    fn a_short_nap_takes_one_look() {
        let words = Default::default();
        for (naps, expected) in [(Naps::RUNG, LOOKS_BEFORE_SLEEP), (Naps::UNRUNG, 1), (Naps::SERVING, 1)] {
            let mut looks = 0;
            let mut ready = || {
                looks += 1;
                false
            };
            assert!(!waiter(&words, naps, || {}).sleep(&mut ready, Duration::from_micros(1)));
            assert_eq!(looks, expected);
        }
    }
}
