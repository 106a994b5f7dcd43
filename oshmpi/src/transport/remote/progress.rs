//! A thread that gives MPI the processor while the program computes, so that peers' operations on this PE's memory
//! complete although it never calls the library.
//!
//! It sleeps between rows of looks. MPI does not say whether a look served a call on a window, but the clock does: one that did
//! took longer. Whoever was served is looked for a little longer, since it asks again as soon as it has its answer; the sleeps after
//! that are short, and they double while nothing happens.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

/// The first sleep after peers were served is as long as the thread has run, up to this, ...
const RUN_COUNTED: Duration = Duration::from_micros(50);
/// ... and by this much longer. The kernel keeps a thread that has had more than its half of the core waiting when
/// it wakes, for up to a tick (4 ms at 250 Hz), beside one that computes. For who moves much data the sleep itself counts more.
const MARGIN: Duration = Duration::from_micros(50);
/// With a tick, for which the kernel may make it wait, and the turn itself below 5 ms.
const LAST_SLEEP: Duration = Duration::from_micros(500);
/// A look that takes this many times as long as one that found nothing has served somebody.
const BUSY: u32 = 3;
/// A look with cold caches that finds nothing takes at most so many times as long as one with warm ones. What is learned of
/// them ends there: where each of them serves somebody, that would be taken for usual in the end. ...
const COLD: u32 = 6;
/// ... or this, where MPI's looks take next to nothing.
const COLD_LEAST: Duration = Duration::from_nanos(2500);
/// Of so many turns one after the other whose first look took long, and no other look said why, ...
const DOUBTS: u32 = 1250;
/// ... the first so many are believed to have served somebody. A program may just leave caches colder than [`COLD`] allows.
const BELIEVED: u32 = 1000;
/// Looks in a row: one of them takes one message from MPI at most.
const POLLS: usize = 8;
/// So long a peer that was served is looked for: about a message there and back. Not longer, since it may be waiting for
/// this very core.
const LINGER: Duration = Duration::from_micros(20);
/// The longest time without a sleep in looks that find nothing, so that short calls one after the other do not take more than
/// the turn that the kernel gives (`take_short_turns`), ...
const IDLE: Duration = Duration::from_micros(40);
/// ... and between two looks at the rest of the process, for long ones: there it is the kernel that shares out the core.
const BURST: Duration = Duration::from_millis(1);

pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// There is such a thread.
static RUNS: AtomicBool = AtomicBool::new(false);

/// Looks taken by PEs that wait in the library: while there are some, the thread has nothing to do.
static OTHERS: AtomicU64 = AtomicU64::new(0);

impl Progress {
    /// Starts the thread, which calls `look` until it is stopped. `look` gives whether it surely served somebody,
    /// and nothing when another thread looks.
    pub(crate) fn start(look: impl Fn() -> Option<bool> + Send + 'static) -> std::io::Result<Progress> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = crate::os::process::quiet_thread("oshmpi-progress", move || run(&look, &stopped))?;
        RUNS.store(true, Ordering::Relaxed);
        Ok(Progress { stop, thread })
    }

    /// Returns when the thread has taken its last look.
    pub(crate) fn stop(self) {
        self.stop.store(true, Ordering::Relaxed); // one word; the join orders the rest
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

fn run(look: &impl Fn() -> Option<bool>, stop: &AtomicBool) {
    crate::os::sched::take_short_turns();
    let (mut sleep, mut others, mut polls) = (LAST_SLEEP, 0, Looks::default());
    while !stop.load(Ordering::Relaxed) {
        let now = OTHERS.load(Ordering::Relaxed);
        let began = crate::os::sched::thread_time();
        let found = if now == others { polls.serve(|| timed(look)) } else { Found::Nothing };
        others = now;
        sleep = match found {
            Found::More => {
                sleep = MARGIN; // what has been streaming may only pause
                continue;
            }
            Found::Some => crate::os::sched::thread_time().saturating_sub(began).min(RUN_COUNTED) + MARGIN,
            Found::Nothing => sleep * 2,
        }
        .min(LAST_SLEEP);
        std::thread::park_timeout(sleep);
    }
}

/// A look that nobody else was at.
#[derive(Clone, Copy)]
struct Look {
    took: Duration,
    /// Surely.
    served: bool,
}

fn timed(look: &impl Fn() -> Option<bool>) -> Option<Look> {
    let before = Instant::now();
    look().map(|served| Look { took: before.elapsed(), served })
}

/// What came of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Nothing,
    /// Somebody seems to have been served.
    Some,
    /// And is being served still.
    More,
}

/// What looks take that find nothing, by which those that serve somebody are known.
#[derive(Default)]
struct Looks {
    /// The first after a sleep, when the caches are cold.
    cold: Usual,
    warm: Usual,
    /// Turns one after the other whose first look took long, and no other look said why.
    doubts: u32,
}

impl Looks {
    /// Looks until nobody seems to want anything, or another thread looks.
    fn serve(&mut self, mut look: impl FnMut() -> Option<Look>) -> Found {
        let Some(first) = look() else { return Found::Nothing };
        let mut certain = first.served;
        let long = self.cold.exceeded_by(first.took);
        let suspected = certain || long && self.doubts % DOUBTS < BELIEVED;
        let (mut polls, mut all, mut ordinary, mut slow) = (1, first.took, false, false);
        let (mut idle, mut unserved) = (Duration::ZERO, Duration::ZERO);
        while if suspected || certain { unserved < LINGER && idle < IDLE && all < BURST } else { polls < POLLS } {
            let Some(Look { took, served }) = look() else { break };
            (polls, all) = (polls + 1, all + took);
            let much = self.warm.exceeded_by(took);
            if served || much {
                (certain, unserved, slow) = (true, Duration::ZERO, slow || !served);
            } else {
                self.warm.follow(took);
                (ordinary, idle, unserved) = (true, idle + took, unserved + took);
            }
        }
        if slow && !ordinary {
            self.warm.drift(); // all that are not explained: the machine may have become slower
        }
        match (long, certain) {
            (false, _) => self.cold.follow(first.took),
            (true, false) => self.cold.drift(), // may just have been colder than before
            (true, true) => {}
        }
        self.doubts = if long && !certain { self.doubts.wrapping_add(1) } else { 0 };
        self.cold.0 = self.cold.0.min(COLD_LEAST.max(self.warm.0 * COLD));
        match suspected || certain {
            true if certain && all >= BURST => Found::More,
            true => Found::Some,
            false => Found::Nothing,
        }
    }
}

/// The usual time of a look. Zero: not known yet.
#[derive(Default)]
struct Usual(Duration);

impl Usual {
    const LEAST: Duration = Duration::from_nanos(100);

    fn exceeded_by(&self, took: Duration) -> bool {
        !self.0.is_zero() && took > self.0 * BUSY
    }

    fn follow(&mut self, took: Duration) {
        self.0 = if self.0.is_zero() { took } else { (self.0 * 15 + took) / 16 }.max(Self::LEAST);
    }

    /// What is exceeded may have become usual.
    fn drift(&mut self) {
        self.0 += self.0 / 64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU32;

    const US: Duration = Duration::from_micros(1);

    #[test]
    fn what_is_usual_adapts() {
        let mut polls = Looks::default();
        let mut turn = |us: u32| polls.serve(|| Some(Look { took: us * US, served: false }));
        assert_eq!((turn(10), turn(12)), (Found::Nothing, Found::Nothing));
        assert_ne!(turn(40), Found::Nothing);
        assert_eq!(turn(10), Found::Nothing, "polls that serve change little");
        // The machine has become slower for good.
        let busy = (0..1000).filter(|_| turn(100) != Found::Nothing).count();
        assert!((10..200).contains(&busy), "{busy}");
        assert_ne!(turn(400), Found::Nothing);
    }

    /// Looks after a sleep take 3 us, others 1, those that serve `serving`. Gives what a turn gives, and its looks; `requests`: the
    /// looks that find some.
    fn turn(polls: &mut Looks, serving: Duration, requests: &[usize]) -> (Found, usize) {
        let mut n = 0;
        let served = polls.serve(|| {
            n += 1;
            let took = if requests.contains(&(n - 1)) {
                serving
            } else if n == 1 {
                3 * US
            } else {
                US
            };
            Some(Look { took, served: false })
        });
        (served, n)
    }

    #[test]
    fn a_peer_that_asks_again_and_again_stays_known() {
        let mut polls = Looks::default();
        for _ in 0..50 {
            assert_eq!(turn(&mut polls, 19 * US, &[]), (Found::Nothing, POLLS));
        }
        let known = (0..100_000).filter(|_| turn(&mut polls, 19 * US, &[0]).0 == Found::Some).count();
        assert!(known >= 80_000, "{known}");
        for _ in 0..100_000 {
            assert_eq!(turn(&mut polls, 19 * US, &[0, 10]).0, Found::Some);
        }
        assert_eq!(turn(&mut polls, 19 * US, &[]), (Found::Nothing, POLLS));
        let (found, n) = turn(&mut polls, 19 * US, &[0, 10]);
        assert!(found == Found::Some && n > 22, "looked for once more: {n}");
        let stream: Vec<_> = (0..1000).filter(|n| n % 10 != 9).collect();
        for _ in 0..1000 {
            let (found, n) = turn(&mut polls, 19 * US, &stream);
            assert!(found == Found::More && n > 50, "mostly busy: {found:?}, {n}");
        }
        let (found, n) = turn(&mut polls, 19 * US, &(0..1000).step_by(10).collect::<Vec<_>>());
        assert!(found == Found::Some && n < 60, "has its turns: {n}");
        let (found, n) = turn(&mut polls, 19 * US, &(0..1000).collect::<Vec<_>>());
        assert!(found == Found::More && n < 60, "needs the thread: {n}");
    }

    #[test]
    fn naps_that_leave_colder_caches_are_usual_after_a_while() {
        let mut polls = Looks::default();
        turn(&mut polls, US, &[]);
        let suspected = (0..1000).filter(|_| turn(&mut polls, 12 * US, &[0]).0 == Found::Some).count();
        assert!((1..200).contains(&suspected), "{suspected}");
        // So cold that it looks like serving.
        let mut suspected = |turns| (0..turns).filter(|_| turn(&mut polls, 30 * US, &[0]).0 == Found::Some).count();
        assert_eq!((suspected(BELIEVED), suspected(DOUBTS - BELIEVED)), (BELIEVED as usize, 0));
        assert_eq!(suspected(1), 1, "believed again");
    }

    #[test]
    fn messages_are_known_for_sure() {
        let mut polls = Looks::default();
        for _ in 0..100 {
            let mut left = 3;
            let sure = || {
                left -= 1;
                Some(Look { took: US, served: left == 0 })
            };
            assert_eq!(polls.serve(sure), Found::Some);
            assert!(left < -1, "looked for once more");
        }
        let usual = polls.warm.0;
        for _ in 0..10_000 {
            assert_eq!(polls.serve(|| Some(Look { took: 20 * US, served: true })), Found::More);
        }
        assert_eq!(polls.warm.0, usual, "messages say nothing of it");
    }

    #[test]
    fn a_thread_that_looks_itself_is_left_alone() {
        let mut polls = Looks::default();
        assert_eq!(polls.serve(|| None), Found::Nothing);
        let mut first = Some(Look { took: US, served: true });
        assert_eq!(polls.serve(|| first.take()), Found::Some, "served before the other came");
    }

    #[test]
    fn it_looks_until_it_is_stopped() {
        let streaming = Progress::start(|| Some(true)).unwrap();
        let polls = Arc::new(AtomicU32::new(0));
        let counted = polls.clone();
        let progress = Progress::start(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Some(false)
        })
        .unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        while polls.load(Ordering::Relaxed) < 5 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        progress.stop();
        let at_stop = polls.load(Ordering::Relaxed);
        assert!(at_stop >= 5);
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(polls.load(Ordering::Relaxed), at_stop);
        streaming.stop();
    }
}
