//! A thread that gives MPI the processor while the program computes, so that peers' operations on this PE's memory
//! complete although it never calls the library.
//!
//! It naps between rows of looks. MPI does not say whether a look served anybody, but the clock does: one that did took
//! longer. After such a row the naps are short, and they double while nothing happens.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

const FIRST_NAP: Duration = Duration::from_micros(20);
const LAST_NAP: Duration = Duration::from_micros(1000);
/// A look that takes this many times as long as one that found nothing has served somebody.
const BUSY: u32 = 3;
/// Looks in a row: one of them takes one message from MPI at most.
const LOOKS: u32 = 8;
/// Rows without a nap while somebody is being served.
const ROWS: u32 = 16;

pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// There is such a thread.
static RUNS: AtomicBool = AtomicBool::new(false);

/// Looks taken by PEs that wait in the library: while there are some, the thread has nothing to do.
static OTHERS: AtomicU64 = AtomicU64::new(0);

impl Progress {
    /// Starts the thread, which calls `look` until it is stopped.
    pub(crate) fn start(look: impl Fn() + Send + 'static) -> std::io::Result<Progress> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = crate::os::process::quiet_thread("oshmpi-progress", move || run(&look, &stopped))?;
        RUNS.store(true, Ordering::Relaxed);
        Ok(Progress { stop, thread })
    }

    /// Returns when the thread has taken its last look.
    pub(crate) fn stop(self) {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        let _ = self.thread.join(); // it does not panic: panics end the process
        RUNS.store(false, Ordering::Relaxed);
    }

    /// A thread serves peers, so that calls which need none of them need not look.
    pub(crate) fn runs() -> bool {
        RUNS.load(Ordering::Relaxed)
    }

    /// Somebody else has just looked.
    #[inline]
    pub(crate) fn looked() {
        OTHERS.fetch_add(1, Ordering::Relaxed); // a hint
    }
}

fn run(look: &impl Fn(), stop: &AtomicBool) {
    crate::os::sched::take_short_turns();
    let (mut nap, mut others) = (LAST_NAP, 0);
    // After a nap the caches are cold.
    let (mut cold, mut warm) = (Usual::default(), Usual::default());
    while !stop.load(Ordering::Acquire) {
        let now = OTHERS.load(Ordering::Relaxed);
        let mut row = |first: &mut Usual| {
            let served = first.exceeded_by(timed(look));
            (1..LOOKS).fold(served, |served, _| warm.exceeded_by(timed(look)) || served)
        };
        let served = now == others && row(&mut cold);
        if served {
            let mut again = Usual(cold.0);
            let _ = (1..ROWS).take_while(|_| row(&mut again)).count();
        }
        others = now;
        nap = if served { FIRST_NAP } else { (nap * 2).min(LAST_NAP) };
        std::thread::park_timeout(nap);
    }
}

fn timed(look: &impl Fn()) -> Duration {
    let before = Instant::now();
    look();
    before.elapsed()
}

/// How long a look takes that finds nothing. Zero: not known yet.
#[derive(Default)]
struct Usual(Duration);

impl Usual {
    /// `took` is much longer; else it is one more that found nothing.
    fn exceeded_by(&mut self, took: Duration) -> bool {
        if self.0.is_zero() {
            self.0 = took.max(Duration::from_nanos(100));
        }
        let much = took > self.0 * BUSY;
        // What was taken for busy also counts a little: it may have become usual.
        self.0 = if much { self.0 + self.0 / 64 } else { (self.0 * 15 + took) / 16 }.max(Duration::from_nanos(100));
        much
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU32;

    #[test]
    fn what_is_usual_adapts() {
        let us = Duration::from_micros;
        let mut usual = Usual::default();
        assert!(!usual.exceeded_by(us(10)) && !usual.exceeded_by(us(12)) && usual.exceeded_by(us(40)));
        assert!(!usual.exceeded_by(us(10)), "one that served changes little");
        // The machine has become slower for good.
        let busy = (0..1000).filter(|_| usual.exceeded_by(us(100))).count();
        assert!((10..200).contains(&busy), "{busy}");
        assert!(usual.exceeded_by(us(400)));
    }

    #[test]
    fn it_looks_until_it_is_stopped() {
        let looks = Arc::new(AtomicU32::new(0));
        let counted = looks.clone();
        let progress = Progress::start(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        })
        .unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while looks.load(Ordering::Relaxed) < 5 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        progress.stop();
        let at_stop = looks.load(Ordering::Relaxed);
        assert!(at_stop >= 5);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(looks.load(Ordering::Relaxed), at_stop);
    }
}
