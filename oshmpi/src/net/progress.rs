//! The progress thread: it lets MPI make progress while the program computes, so that peers' operations on this PE's
//! memory complete although the program does not call the library.
//!
//! The thread sleeps between turns, and a turn is a row of polls. MPI does not tell whether a poll served a call on a
//! window. The clock does, because a poll that served a peer took longer ([`Classifier`]). A peer that was served is
//! polled for a little longer, since it asks again as soon as it has its answer. The sleeps after such a turn are
//! short, and they double while nothing happens. Peers tell by messages that the thread must be awake: they ask by
//! messages, or announce what they ask by windows. Then sleeps grow with a pause, so that a PE to which nobody talks
//! has its core for itself. They also grow while the program polls all the time. Measurements:
//! docs/design/across-nodes.md.
//!
//! The important constants are [`LAST_SLEEP`], [`PAUSES`], [`LINGER`] and [`BUSY`]: how late a call to a computing PE
//! is answered at most, how much later after a pause, how long the thread waits for a peer's next call, and how a poll
//! that served is recognised. Of the others, [`RUN_COUNTED`], [`MARGIN`] and [`IDLE`] keep the thread below half of the
//! core, beyond which the kernel lets it wait for a tick; [`COLD`], [`COLD_LEAST`], [`DOUBTS`] and [`BELIEVED`] keep
//! what is learned from going wrong.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use core::time::Duration;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

/// The first sleep after peers were served is as long as the thread has run, up to this time, and [`MARGIN`] longer.
/// With a higher limit a peer that moves much data waits longer for the next turn; with a lower one the thread takes
/// more than half of the core.
const RUN_COUNTED: Duration = Duration::from_micros(50);
/// By how much the first sleep is longer than the thread has run. The kernel keeps a thread that has had more than half
/// of the core waiting when it wakes, for up to a tick (4 ms at 250 Hz), if another thread computes there. A thread
/// that ran 30 us and slept 20 woke late 2.5 times in 100; with this margin 5 times in 10,000.
const MARGIN: Duration = Duration::from_micros(50);
/// The longest sleep, but for pauses. A call to a computing PE may wait for it, then for a tick, then for the turn:
/// below 5 ms in all. Sleeps of 0.8 ms put some calls above 5 ms; shorter ones take more of the core for nothing.
const LAST_SLEEP: Duration = Duration::from_micros(500);
/// Of a pause, a sleep is at most this part. The first call after a pause is late by as much: by 1.6 % of the pause. A
/// larger part makes it later, a smaller one takes more of the core for nothing.
const PAUSES: u32 = 64;
/// The longest sleep in a pause, however long that is.
const PAUSE_SLEEP: Duration = Duration::from_millis(20);
/// The program serves by itself if it polls at least once per so much time. Then sleeps grow as in a pause: each of
/// them takes some 50 us from a program that waits for messages on the same core. With a lower limit, a PE whose
/// messages are always there seems to compute. With a higher one, a PE that computes most of the time seems to serve.
const SERVES_ITSELF: Duration = Duration::from_micros(16);
/// The longest sleep while the program serves by itself. With a higher limit, a call to a PE that computes and serves
/// in turn waits longer; with a lower one, a program that waits for messages has less of its core.
const BESIDE_SLEEP: Duration = Duration::from_millis(4);
/// After a sleep of more than [`LAST_SLEEP`], a poll that takes so long has probably served a peer. Turns in which half
/// of the polls take so long are followed by short sleeps, which tell for sure. With a lower limit, cold caches cause
/// such sleeps; with a higher one, a transfer that has stopped for a while goes on slowly.
const LONG_POLL: Duration = Duration::from_micros(8);
/// A poll that takes this many times as long as one that found nothing has served somebody. A poll takes about 0.3 us,
/// with cold caches 2 to 4, and 8 or more when it serves. A lower factor takes noise for peers, a higher one misses
/// short calls.
const BUSY: u32 = 3;
/// The limit of the usual time of polls with cold caches, in multiples of that with warm caches. Without it, polls that
/// serve become usual if each call of a long row is served by a cold poll, and each call then waits for a whole sleep
/// (1.03 ms instead of 0.02).
const COLD: u32 = 6;
/// The least limit for cold polls, where warm polls of an MPI take next to nothing.
const COLD_LEAST: Duration = Duration::from_nanos(2500);
/// A program may leave the caches colder than [`COLD`] allows. Then every first poll seems to have served a peer, and
/// no other poll confirms it. Turns of this kind in a row are counted in periods of this length.
const DOUBTS: u32 = 1250;
/// In each such period this many turns count as served, and the rest do not. With more of them such a program loses
/// more of its core to the thread; with fewer a peer that is there waits for a sleep more often.
const BELIEVED: u32 = 1000;
/// Polls in a turn that finds nothing. A poll takes one message from MPI at most, and a call may be several messages.
/// More polls cost every turn; fewer leave the rest of a call to the next turn.
const POLLS: usize = 8;
/// How long a peer that was served is polled for: about a message there and back. Less misses its next call, which then
/// waits for a sleep. More takes the core from the program, and perhaps from the very PE that asked.
const LINGER: Duration = Duration::from_micros(20);
/// The most time that a turn spends in polls that find nothing, so that short calls one after the other stay within the
/// turn that the kernel gives the thread (`take_short_turns`, 100 us).
const IDLE: Duration = Duration::from_micros(40);
/// The longest turn while peers are being served, before the thread looks whether it is to stop. A stream of large
/// transfers takes several turns without a sleep; there the kernel shares out the core.
const BURST: Duration = Duration::from_millis(1);

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
    /// Starts the thread, which calls `poll` until it is stopped. `poll` returns true if it certainly served a peer,
    /// and None if another thread is polling. `told`: a message comes before anything for which the thread must be
    /// awake, and such a poll always says so.
    pub(crate) fn start(told: bool, poll: impl Fn() -> Option<bool> + Send + 'static) -> std::io::Result<Progress> {
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

fn run(poll: &impl Fn() -> Option<bool>, told: bool, stop: &AtomicBool) {
    crate::os::sched::take_short_turns();
    let (mut sleep, mut others, mut polls) = (LAST_SLEEP, 0, Classifier::default());
    let mut last = Instant::now(); // when the pause began
    let (mut serving, mut woke) = (last, last); // since when the program serves by itself, and the last turn
    let mut streams = Streams::default();
    while !stop.load(Ordering::Relaxed) {
        let now = OTHERS.load(Ordering::Relaxed);
        if now != others {
            // The program serves. Each call of this thread would take time from it.
            last = Instant::now();
            if !serves_itself(now.wrapping_sub(others), last - woke) {
                serving = last;
            }
            (others, woke) = (now, last);
            sleep = next_sleep_beside(sleep, last - serving);
            std::thread::park_timeout(sleep);
            continue;
        }
        (serving, woke) = (Instant::now(), Instant::now());
        let began = crate::os::sched::thread_time();
        let mut message = false;
        let one = || timed(poll).inspect(|poll| message |= poll.served);
        let found = if sleep > LAST_SLEEP { look(one) } else { polls.serve(one) };
        if message || !told || streams.goes_on(found) {
            last = Instant::now();
        }
        if found == Found::More {
            sleep = MARGIN; // what has been streaming may only pause
            continue;
        }
        let ran = crate::os::sched::thread_time().saturating_sub(began);
        sleep = next_sleep(found, ran, sleep, last.elapsed());
        std::thread::park_timeout(sleep);
    }
}

/// Whether a program that has polled so often in that time serves by itself.
fn serves_itself(polls: u64, time: Duration) -> bool {
    u128::from(polls) * SERVES_ITSELF.as_nanos() >= time.as_nanos()
}

/// The sleep after one of `sleep` in which the program has polled, and has served by itself for the time `serving`. If
/// it computes from now on, the first call of a peer is late by a part of that time, as after a pause.
fn next_sleep_beside(sleep: Duration, serving: Duration) -> Duration {
    (sleep * 2).min((serving / PAUSES).clamp(LAST_SLEEP, BESIDE_SLEEP))
}

/// The sleep after a turn that found something or nothing and `ran` so long; `sleep` was the one before. `pause`: so
/// long no message has come and no other thread has polled; 0 where peers do not tell by messages.
fn next_sleep(found: Found, ran: Duration, sleep: Duration, pause: Duration) -> Duration {
    match found {
        Found::Some | Found::More => (ran.min(RUN_COUNTED) + MARGIN).min(LAST_SLEEP),
        Found::Nothing if sleep >= LAST_SLEEP => (pause / PAUSES).clamp(LAST_SLEEP, PAUSE_SLEEP),
        Found::Nothing => (sleep * 2).min(LAST_SLEEP),
    }
}

/// Tells whether peers use windows longer than an announcement holds, by how many of the last turns seemed to serve
/// them. Of turns that serve nobody some 3 % seem to, because they were interrupted.
#[derive(Default)]
struct Streams(u32);

impl Streams {
    /// What a turn that seems to serve counts. So one of 8 turns keeps a stream going.
    const TURN: u32 = 8;
    /// From this number on, peers are being served: three turns close to each other.
    const CERTAIN: u32 = 20;
    /// How long a stream may stop: so many turns.
    const MOST: u32 = 60;

    /// Notes a turn.
    fn goes_on(&mut self, found: Found) -> bool {
        self.0 = match found {
            Found::Nothing => self.0.saturating_sub(1),
            Found::Some => (self.0 + Streams::TURN).min(Streams::MOST),
            Found::More => Streams::MOST,
        };
        self.0 >= Streams::CERTAIN
    }
}

/// A turn after a sleep of more than [`LAST_SLEEP`]. That leaves the caches so cold that nothing is learned from it. A
/// message is certain. A transfer by windows that has outlasted its announcement keeps several polls busy.
fn look(mut poll: impl FnMut() -> Option<Poll>) -> Found {
    let (mut message, mut long) = (false, 0);
    for Poll { took, served } in (0..POLLS).map_while(|_| poll()) {
        message |= served;
        long += usize::from(took >= LONG_POLL);
    }
    if message || long >= POLLS / 2 { Found::Some } else { Found::Nothing }
}

/// A poll while no other thread was polling.
#[derive(Clone, Copy)]
struct Poll {
    took: Duration,
    /// A message was received, so the poll certainly served a peer.
    served: bool,
}

fn timed(poll: &impl Fn() -> Option<bool>) -> Option<Poll> {
    let before = Instant::now();
    poll().map(|served| Poll { took: before.elapsed(), served })
}

/// The result of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Found {
    Nothing,
    /// A peer seems to have been served.
    Some,
    /// A peer is still being served.
    More,
}

/// Distinguishes polls that served a peer from those that found nothing, by the time that the latter usually take.
#[derive(Default)]
struct Classifier {
    /// The first poll after a sleep, when the caches are cold.
    cold: Usual,
    warm: Usual,
    /// Successive turns whose first poll took long, while no other poll confirmed that a peer was served.
    doubts: u32,
}

impl Classifier {
    /// A turn: polls until no peer seems to want anything, or another thread polls.
    fn serve(&mut self, mut poll: impl FnMut() -> Option<Poll>) -> Found {
        let Some(first) = poll() else { return Found::Nothing };
        let mut certain = first.served;
        let long = self.cold.exceeded_by(first.took);
        let suspected = certain || long && self.doubts % DOUBTS < BELIEVED;
        let (mut polls, mut all, mut ordinary, mut slow) = (1, first.took, false, false);
        let (mut idle, mut unserved) = (Duration::ZERO, Duration::ZERO);
        while if suspected || certain { unserved < LINGER && idle < IDLE && all < BURST } else { polls < POLLS } {
            let Some(Poll { took, served }) = poll() else { break };
            (polls, all) = (polls + 1, all + took);
            let much = self.warm.exceeded_by(took);
            if served || much {
                (certain, unserved, slow) = (true, Duration::ZERO, slow || !served);
            } else {
                self.warm.learn(took);
                (ordinary, idle, unserved) = (true, idle + took, unserved + took);
            }
        }
        if slow && !ordinary {
            self.warm.drift(); // no poll was ordinary: the machine may have become slower
        }
        match (long, certain) {
            (false, _) => self.cold.learn(first.took),
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

/// The usual time of a poll that finds nothing. Zero: not known yet.
#[derive(Default)]
struct Usual(Duration);

impl Usual {
    const LEAST: Duration = Duration::from_nanos(100);

    fn exceeded_by(&self, took: Duration) -> bool {
        !self.0.is_zero() && took > self.0 * BUSY
    }

    /// A poll that found nothing: a 16th of what is usual from now on.
    fn learn(&mut self, took: Duration) {
        self.0 = if self.0.is_zero() { took } else { (self.0 * 15 + took) / 16 }.max(Self::LEAST);
    }

    /// Polls have become longer, maybe for good: what is usual grows by a 64th.
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
        let mut polls = Classifier::default();
        let mut turn = |us: u32| polls.serve(|| Some(Poll { took: us * US, served: false }));
        assert_eq!((turn(10), turn(12)), (Found::Nothing, Found::Nothing));
        assert_ne!(turn(40), Found::Nothing);
        assert_eq!(turn(10), Found::Nothing, "polls that serve change little");
        // The machine has become slower for good.
        let busy = (0..1000).filter(|_| turn(100) != Found::Nothing).count();
        assert!((10..200).contains(&busy), "{busy}");
        assert_ne!(turn(400), Found::Nothing);
    }

    /// Polls after a sleep take 3 us, others 1, those that serve `serving`. Gives what a turn gives, and its
    /// polls; `requests`: the polls that find some.
    fn turn(polls: &mut Classifier, serving: Duration, requests: &[usize]) -> (Found, usize) {
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
            Some(Poll { took, served: false })
        });
        (served, n)
    }

    #[test]
    fn a_peer_that_asks_again_and_again_stays_known() {
        let mut polls = Classifier::default();
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
        assert!(found == Found::Some && n > 22, "polled for once more: {n}");
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
    fn sleeps_that_leave_colder_caches_are_usual_after_a_while() {
        let mut polls = Classifier::default();
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
        let mut polls = Classifier::default();
        for _ in 0..100 {
            let mut left = 3;
            let sure = || {
                left -= 1;
                Some(Poll { took: US, served: left == 0 })
            };
            assert_eq!(polls.serve(sure), Found::Some);
            assert!(left < -1, "polled for once more");
        }
        let usual = polls.warm.0;
        for _ in 0..10_000 {
            assert_eq!(polls.serve(|| Some(Poll { took: 20 * US, served: true })), Found::More);
        }
        assert_eq!(polls.warm.0, usual, "messages say nothing of it");
    }

    #[test]
    fn a_thread_that_polls_itself_is_left_alone() {
        let mut polls = Classifier::default();
        assert_eq!(polls.serve(|| None), Found::Nothing);
        let mut first = Some(Poll { took: US, served: true });
        assert_eq!(polls.serve(|| first.take()), Found::Some, "served before the other came");
    }

    #[test]
    fn a_stream_is_told_from_interrupted_polls() {
        let mut streams = Streams::default();
        // One turn of 33 was interrupted.
        assert!(!(0..10_000).any(|i| streams.goes_on(if i % 33 == 0 { Found::Some } else { Found::Nothing })));
        // A slow network: one turn of 7 finds something.
        let slow = (0..1000).filter(|i| streams.goes_on(if i % 7 == 0 { Found::Some } else { Found::Nothing })).count();
        assert!(slow > 900, "{slow}");
        // It stops.
        let late = (0..1000).filter(|_| streams.goes_on(Found::Nothing)).count();
        assert!(late <= (Streams::MOST - Streams::CERTAIN) as usize, "{late}");
        assert!(streams.goes_on(Found::More), "a turn of a millisecond");
    }

    #[test]
    fn sleeps_grow_with_a_pause() {
        let ms = Duration::from_millis;
        let next = |found, sleep, pause| next_sleep(found, 30 * US, sleep, pause);
        // For 10 s nobody asks. A peer that asks at any time of that waits 1/64 of the pause at most, or 0.5 ms.
        let (mut pause, mut sleep, mut turns) = (Duration::ZERO, MARGIN, 0);
        while pause < ms(10_000) {
            sleep = next(Found::Nothing, sleep, pause);
            assert!(sleep <= LAST_SLEEP.max(pause / PAUSES) && sleep <= PAUSE_SLEEP);
            pause += sleep;
            turns += 1;
        }
        assert!((600..900).contains(&turns) && sleep == PAUSE_SLEEP, "{turns} turns, {sleep:?}");
        // The first message ends it.
        assert_eq!(next(Found::Nothing, PAUSE_SLEEP, Duration::ZERO), LAST_SLEEP);
        assert_eq!(next(Found::Some, PAUSE_SLEEP, Duration::ZERO), 30 * US + MARGIN);
        assert_eq!(next(Found::Some, LAST_SLEEP, Duration::ZERO), 30 * US + MARGIN);
        assert_eq!(next(Found::Nothing, 300 * US, ms(10_000)), LAST_SLEEP);
        assert_eq!(next(Found::Nothing, LAST_SLEEP, ms(5)), LAST_SLEEP);
    }

    /// The program waits for messages for 3 s, and then computes.
    #[test]
    fn sleeps_grow_while_the_program_serves() {
        let ms = Duration::from_millis;
        let (mut served, mut sleep, mut wakes) = (Duration::ZERO, LAST_SLEEP, 0);
        while served < ms(3000) {
            sleep = next_sleep_beside(sleep, served);
            assert!(sleep <= LAST_SLEEP.max(served / PAUSES) && sleep <= BESIDE_SLEEP);
            served += sleep;
            wakes += 1;
        }
        assert!((750..1000).contains(&wakes) && sleep == BESIDE_SLEEP, "{wakes} wakes, {sleep:?}");
        assert!(serves_itself(32, LAST_SLEEP) && !serves_itself(31, LAST_SLEEP));
        assert_eq!(next_sleep_beside(PAUSE_SLEEP, Duration::ZERO), LAST_SLEEP, "as soon as it computes in between");
        assert_eq!(next_sleep_beside(100 * US, ms(3000)), 200 * US);
    }

    /// After a long sleep polls may take any time.
    #[test]
    fn messages_and_transfers_are_recognised_after_a_long_sleep() {
        let row = |message: usize, long: usize| {
            let mut n = 0;
            let found = look(|| {
                n += 1;
                Some(Poll { took: if n <= long { 40 * US } else { 4 * US }, served: n == message })
            });
            (found, n)
        };
        assert_eq!(row(0, 2), (Found::Nothing, POLLS), "interrupted");
        assert_eq!(row(POLLS, 0), (Found::Some, POLLS));
        assert_eq!(row(0, POLLS / 2), (Found::Some, POLLS));
        assert_eq!(look(|| None), Found::Nothing);
    }

    #[test]
    fn it_polls_until_it_is_stopped() {
        let streaming = Progress::start(false, || Some(true)).unwrap();
        let polls = Arc::new(AtomicU32::new(0));
        let counted = polls.clone();
        let progress = Progress::start(true, move || {
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
