//! A thread that gives MPI the processor while the program computes, so that peers' operations on this PE's memory
//! complete although it never calls the library.
//!
//! It naps between two looks. MPI does not say whether a look served anybody, but the clock does: one that did took
//! longer. After such a look the naps are short, and they double while nothing happens.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

const FIRST_NAP: Duration = Duration::from_micros(20);
const LAST_NAP: Duration = Duration::from_micros(1000);
/// A look that takes this many times as long as the quickest has served somebody.
const BUSY: u32 = 3;
/// Looks in a row: one of them takes one message from MPI at most.
const LOOKS: u32 = 8;
/// Rows without a nap while somebody is being served.
const ROWS: u32 = 16;

pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Looks taken by PEs that wait in the library: while there are some, the thread has nothing to do.
static OTHERS: AtomicU64 = AtomicU64::new(0);

impl Progress {
    /// Starts the thread, which calls `look` until it is stopped.
    pub(crate) fn start(look: impl Fn() + Send + 'static) -> std::io::Result<Progress> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = crate::os::process::quiet_thread("oshmpi-progress", move || run(&look, &stopped))?;
        Ok(Progress { stop, thread })
    }

    /// Returns when the thread has taken its last look.
    pub(crate) fn stop(self) {
        self.stop.store(true, Ordering::Release);
        self.thread.thread().unpark();
        let _ = self.thread.join(); // it does not panic: panics end the process
    }

    /// Somebody else has just looked.
    #[inline]
    pub(crate) fn looked() {
        OTHERS.fetch_add(1, Ordering::Relaxed); // a hint
    }
}

fn run(look: &impl Fn(), stop: &AtomicBool) {
    crate::os::sched::take_short_turns();
    let (mut nap, mut quickest, mut others) = (LAST_NAP, Duration::MAX, 0);
    while !stop.load(Ordering::Acquire) {
        let now = OTHERS.load(Ordering::Relaxed);
        let mut row = || (0..LOOKS).filter(|_| busy(look, &mut quickest)).count() > 0;
        let served = now == others && (0..ROWS).take_while(|_| row()).count() > 0;
        others = now;
        nap = if served { FIRST_NAP } else { (nap * 2).min(LAST_NAP) };
        std::thread::park_timeout(nap);
    }
}

/// Looks; true when that took longer than usual.
fn busy(look: &impl Fn(), quickest: &mut Duration) -> bool {
    let before = Instant::now();
    look();
    let took = before.elapsed();
    *quickest = took.min(*quickest).max(Duration::from_nanos(100));
    took > *quickest * BUSY
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU32;

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
