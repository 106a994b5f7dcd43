//! The progress thread: it lets the network make progress while the program computes, so that peers' operations on
//! this PE's memory complete although the program does not call the library. Its sleeps: docs/design/network.md.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

/// How long sleeps stay short after a request or a transfer: as long as an announcement holds.
const AWAKE: Duration = Duration::from_millis(super::announce::RENEWED as u64);
/// The sleep while peers talk to this PE. With a longer one each of their calls waits longer. A shorter one takes more
/// of the core; beyond half of it the kernel lets the thread wait for a tick (4 ms at 250 Hz) when it wakes.
const SHORT: Duration = Duration::from_micros(100);
/// The sleep where peers use windows and announce nothing: the thread takes 7 % of a core, with [`SHORT`] 10.
const UNTOLD: Duration = Duration::from_micros(200);
/// Of a pause, a sleep is at most this part. The first call after a pause is late by as much: by 1.6 % of the pause. A
/// larger part makes it later, a smaller one takes more of the core for nothing.
const PAUSES: u32 = 64;
/// The longest sleep behind calls of the program, whose peers may call next.
const LAST_SLEEP: Duration = Duration::from_micros(500);
/// The longest sleep in a pause, however long that is.
const PAUSE_SLEEP: Duration = Duration::from_millis(20);
/// The program serves by itself if it polls at least once per so much time. Then sleeps grow as in a pause: each of
/// them takes some 50 us from a program that waits for messages on the same core. With a lower limit, a PE whose
/// messages are always there seems to compute. With a higher one, a PE that computes most of the time seems to serve.
const SERVES_ITSELF: Duration = Duration::from_micros(16);
/// The longest sleep while the program serves by itself. With a higher limit, a call to a PE that computes and serves
/// in turn waits longer; with a lower one, a program that waits for messages has less of its core.
const BESIDE_SLEEP: Duration = Duration::from_millis(4);
/// Polls in a turn that finds nothing. A poll takes one message from MPI at most, and a call may be several messages.
const POLLS: u32 = 8;
/// A poll takes about 0.3 us, with cold caches 2 to 4, and as long as this when it moves data. If half of the polls of
/// a turn do, a transfer by windows is under way, which may outlast its announcement.
const LONG_POLL: Duration = Duration::from_micros(8);
/// How long a turn goes on when nothing comes any more: about a message there and back. Less misses the peer's next
/// call, more takes the core from the program, and perhaps from the very PE that asked.
const LINGER: Duration = Duration::from_micros(20);
/// The most time that a turn spends in polls that find nothing, so that short calls one after the other stay within the
/// turn that the kernel gives the thread (`take_short_turns`, 100 us).
const IDLE: Duration = Duration::from_micros(40);

/// What a poll has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Polled {
    Nothing,
    /// Something for this PE or for another one.
    Something,
    /// A request of another PE.
    Request,
}

pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// The progress thread runs.
static RUNS: AtomicBool = AtomicBool::new(false);

/// Polls by other threads of this PE, which are in the library. While their number grows, the progress thread need not
/// poll.
static OTHERS: AtomicU64 = AtomicU64::new(0);

impl Progress {
    /// Starts the thread, which calls `poll` until it is stopped. `poll` returns None if another thread is polling.
    /// `told`: a request comes before anything for which the thread must be awake.
    pub(crate) fn start(told: bool, poll: impl Fn() -> Option<Polled> + Send + 'static) -> std::io::Result<Progress> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = crate::os::process::quiet_thread("oshmpi-progress", move || run(&poll, told, &stopped))?;
        RUNS.store(true, Ordering::Relaxed);
        Ok(Progress { stop, thread })
    }

    /// Returns when the thread has ended its last poll.
    pub(crate) fn stop(self) {
        self.stop.store(true, Ordering::Relaxed); // one word; the join orders the rest
        self.thread.thread().unpark();
        let _ = self.thread.join(); // it does not panic: panics end the process
        RUNS.store(false, Ordering::Relaxed);
    }

    /// Whether the thread serves peers, so that calls on memory of the node need not poll.
    pub(crate) fn runs() -> bool {
        RUNS.load(Ordering::Relaxed)
    }

    /// Notes that another thread has just polled.
    #[inline]
    pub(crate) fn polled() {
        OTHERS.fetch_add(1, Ordering::Relaxed); // a hint
    }
}

fn run(poll: &impl Fn() -> Option<Polled>, told: bool, stop: &AtomicBool) {
    crate::os::sched::take_short_turns();
    let (mut sleep, mut others, mut woke) = (LAST_SLEEP, 0, Instant::now());
    // When a peer was served, and when the program polled; since when the program serves by itself.
    let (mut served, mut polled, mut serving) = (woke, woke, woke);
    while !stop.load(Ordering::Relaxed) {
        let (before, polls) = (woke, OTHERS.load(Ordering::Relaxed).wrapping_sub(others));
        (woke, others) = (Instant::now(), others.wrapping_add(polls));
        if polls != 0 {
            // The program serves. Each call of this thread would take time from it.
            polled = woke;
            if u128::from(polls) * SERVES_ITSELF.as_nanos() < (woke - before).as_nanos() {
                serving = woke;
            }
            sleep = sleep_beside(sleep, woke - serving);
        } else {
            serving = woke;
            let timed = || {
                let before = Instant::now();
                poll().map(|found| (before.elapsed(), found))
            };
            if turn(timed, woke - served < AWAKE, stop) {
                served = Instant::now();
            }
            sleep = if told { sleep_after(served.elapsed(), polled.elapsed()) } else { UNTOLD };
        }
        std::thread::park_timeout(sleep);
    }
}

/// The sleep after one of `sleep` in which the program has polled, and has served by itself for the time `serving`. If
/// it computes from now on, the first call of a peer is late by a part of that time, as after a pause.
fn sleep_beside(sleep: Duration, serving: Duration) -> Duration {
    (sleep * 2).min((serving / PAUSES).clamp(LAST_SLEEP, BESIDE_SLEEP))
}

/// The sleep so long after a peer was served and after the program polled.
fn sleep_after(served: Duration, polled: Duration) -> Duration {
    match served < AWAKE {
        true => SHORT,
        false => (served.min(polled) / PAUSES).clamp(LAST_SLEEP, PAUSE_SLEEP),
    }
}

/// A turn: polls until nothing comes any more, or another thread polls. Each poll tells how long it took and what it
/// has found. `awake`: peers have announced what they ask of the fabric, so what it does is for them. Returns whether a
/// request has come, or a transfer is under way.
fn turn(mut poll: impl FnMut() -> Option<(Duration, Polled)>, awake: bool, stop: &AtomicBool) -> bool {
    let (mut polls, mut long, mut served, mut lingers) = (0, 0, false, false);
    let (mut idle, mut in_row) = (Duration::ZERO, Duration::ZERO);
    while if lingers { in_row < LINGER && idle < IDLE && !stop.load(Ordering::Relaxed) } else { polls < POLLS } {
        let Some((took, found)) = poll() else { break };
        polls += 1;
        let asked = found == Polled::Request;
        let worked = awake && found == Polled::Something;
        if asked || worked || took >= LONG_POLL {
            long += u32::from(took >= LONG_POLL);
            served |= asked || long >= POLLS / 2;
            lingers |= served || worked;
            in_row = Duration::ZERO;
        } else {
            (idle, in_row) = (idle + took, in_row + took);
        }
    }
    served
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU32;

    const US: Duration = Duration::from_micros(1);

    /// A turn in which polls find what `found` says for their number, and some take long. Gives what it gives, and its
    /// polls.
    fn turn_of(found: impl Fn(u32) -> Polled, long: impl Fn(u32) -> bool, awake: bool) -> (bool, u32) {
        let mut n = 0;
        let one = || {
            n += 1;
            Some((if long(n) { LONG_POLL } else { US }, found(n)))
        };
        (turn(one, awake, &AtomicBool::new(false)), n)
    }

    #[test]
    fn a_turn_goes_on_while_peers_are_served() {
        let never = |_| false;
        let nothing = |_| Polled::Nothing;
        let requests = |which: fn(u32) -> bool| move |n| if which(n) { Polled::Request } else { Polled::Nothing };
        let works = |n| if n < 1000 { Polled::Something } else { Polled::Nothing };
        assert_eq!(turn_of(nothing, never, true), (false, POLLS));
        assert_eq!(turn_of(requests(|n| n == 1), never, false), (true, 1 + 20), "its next call may come");
        assert_eq!(
            turn_of(requests(|n| n % 16 == 1), never, false),
            (true, 43),
            "calls that take turns with the program"
        );
        assert_eq!(turn_of(requests(|n| n < 1000), |n| n < 1000, false), (true, 1000 + 19));
        assert_eq!(turn_of(nothing, |n| n <= 3, false), (false, POLLS), "interrupted");
        assert_eq!(turn_of(nothing, |n| n < 500, false), (true, 500 + 19), "a transfer by the fabric");
        assert_eq!(turn_of(works, never, true), (false, 1000 + 19), "what peers have announced");
        assert_eq!(turn_of(works, never, false), (false, POLLS), "what comes for this PE");
        assert!(!turn(|| None, true, &AtomicBool::new(false)));
        let mut first = Some((US, Polled::Request));
        assert!(turn(|| first.take(), false, &AtomicBool::new(false)), "served before the other came");
    }

    #[test]
    fn sleeps_grow_with_a_pause() {
        let ms = Duration::from_millis;
        // For 10 s nobody asks. A peer that asks at any time of that waits 1/64 of the pause at most, or 0.5 ms.
        let (mut pause, mut sleep, mut turns) = (Duration::ZERO, SHORT, 0);
        while pause < ms(10_000) {
            sleep = sleep_after(pause, ms(20_000));
            assert!(sleep <= LAST_SLEEP.max(pause / PAUSES) && sleep <= PAUSE_SLEEP);
            pause += sleep;
            turns += 1;
        }
        assert!((800..1200).contains(&turns) && sleep == PAUSE_SLEEP, "{turns} turns, {sleep:?}");
        assert_eq!(sleep_after(ms(10_000), ms(1)), LAST_SLEEP, "the program has called, so peers may");
    }

    /// The program waits for messages for 3 s, and then computes.
    #[test]
    fn sleeps_grow_while_the_program_serves() {
        let ms = Duration::from_millis;
        let (mut served, mut sleep, mut wakes) = (Duration::ZERO, SHORT, 0);
        while served < ms(3000) {
            sleep = sleep_beside(sleep, served);
            assert!(sleep <= LAST_SLEEP.max(served / PAUSES) && sleep <= BESIDE_SLEEP);
            served += sleep;
            wakes += 1;
        }
        assert!((750..1000).contains(&wakes) && sleep == BESIDE_SLEEP, "{wakes} wakes, {sleep:?}");
        assert_eq!(sleep_beside(PAUSE_SLEEP, Duration::ZERO), LAST_SLEEP, "as soon as it computes in between");
    }

    #[test]
    fn it_polls_until_it_is_stopped() {
        let streaming = Progress::start(false, || Some(Polled::Request)).unwrap();
        let polls = Arc::new(AtomicU32::new(0));
        let counted = polls.clone();
        let progress = Progress::start(true, move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Some(Polled::Nothing)
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
