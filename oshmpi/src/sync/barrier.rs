//! How the members of a group meet, in two styles with sequence numbers that never go back.
//!
//! `Style::Flags`, for groups up to [`FLAT`] with a core for every PE: one arrival word per member, read by all others. Two PEs
//! meet with one cache-line transfer, nobody writes a word that another writes, and a member may wait for one other
//! instead of all. Arrival words come in two, for odd and even rounds, because what a member says travels in the
//! same cache line and must stay until everybody has heard it.
//!
//! `Style::Count`, for larger groups, and where PEs outnumber cores: one counter, and whoever comes last lets go. Nobody is
//! woken before that, so a round costs each PE one turn on a core.
//!
//! `Style::Led`, where PEs outnumber cores and one member is needed first behind the round, the root of a broadcast: one counter, and this
//! member lets go. The others find its data there when it is their turn on a core.
//!
//! `Style::InOrder`, where PEs outnumber cores and each member will be waited for by those behind it, as in a scan: led by the first, and
//! who sees that one before it has not left the core they share lets it go first.

use super::Wait;
use super::atomics::{AtomicU64, Ordering};

/// Largest group that meets by reading all arrival words.
pub(crate) const FLAT: usize = 8;

/// Largest group that is worth leaving in order: looking at more members takes longer than waiting for one.
const ORDERED: usize = 32;

/// How often a waiting member looks on for one other, before it makes room for all that have not come.
const POLLS_FOR_ONE: u32 = 4;

/// How the members meet: the same on all of them at one round. Counted and led rounds may follow each other on the same
/// words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Each looks at the arrivals of all others.
    Flags,
    /// All add to one counter; the last releases the others.
    Count,
    /// All but this member add to the counter; it waits for them and releases them.
    Led(usize),
    /// Led by member 0; of few that share a core, those with lower numbers go on first.
    InOrder,
}

/// The words of one group, all 0 at first.
pub(crate) trait BarrierWords {
    /// Written by `member` only; one word for odd and one for even `seq`.
    fn arrived(&self, member: usize, seq: u64) -> &AtomicU64;
    /// Members that have come to the round under way (but not one that leads). 0 between rounds.
    fn count(&self) -> &AtomicU64;
    /// The last round that is over.
    fn released(&self) -> &AtomicU64;
    /// A member runs on the caller's core, as far as is known.
    fn here(&self, member: usize) -> bool;
    /// Some member that runs on the caller's core has not come to round `seq` yet.
    fn needed_here(&self, seq: u64) -> bool;
}

/// Member `me` of `n` enters round `seq` (each one more than the last) and returns when all have entered it.
///
/// What a member stored before entering is visible to all after they return. `say` stores what travels in the line of the arrival:
/// right before it, because the others look at this line and would fetch it in between.
#[inline]
pub(crate) fn enter(
    words: &impl BarrierWords,
    wait: &impl Wait,
    style: Style,
    me: usize,
    n: usize,
    seq: u64,
    say: impl FnOnce(),
) {
    if n == 1 {
        return say();
    }
    let arrived = words.arrived(me, seq);
    say();
    // In the counting styles for members that look at one another, not at the counter: see `wait_for`.
    arrived.store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
    match style {
        Style::Flags => {
            wait.notify();
            for other in (0..n).filter(|&i| i != me) {
                wait_for(words, wait, other, seq);
            }
        }
        Style::Led(by) if me == by => lead(words, wait, n, seq),
        Style::Led(by) => wait_for_leader(words, wait, by, n, seq),
        Style::InOrder if me == 0 => lead(words, wait, n, seq),
        Style::InOrder => {
            wait_for_leader(words, wait, 0, n, seq);
            if n <= ORDERED && before_here(words, me, seq + 1) {
                wait.give_way();
            }
        }
        Style::Count => count(words, wait, n, seq),
    }
}

/// Member `me` says that it has come to round `seq`, and waits for nobody.
#[inline]
pub(crate) fn arrive(words: &impl BarrierWords, wait: &impl Wait, me: usize, seq: u64) {
    words.arrived(me, seq).store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
    wait.notify();
}

/// Like [`arrive`] when nobody will sleep long for it: wakes nobody.
#[inline]
pub(crate) fn arrive_quietly(words: &impl BarrierWords, me: usize, seq: u64) {
    words.arrived(me, seq).store(seq, Ordering::Release); // SYNC arrive: pairs with wait_for
}

/// Returns when `member` has come to round `seq` or a later one.
#[inline]
pub(crate) fn wait_for(words: &impl BarrierWords, wait: &impl Wait, member: usize, seq: u64) {
    // A member that runs elsewhere most likely comes in less time than changing processes takes: some looks are for it alone.
    let alone = core::cell::Cell::new(POLLS_FOR_ONE);
    let needed_here = || {
        let left = alone.replace(alone.get().saturating_sub(1));
        words.here(member) || left == 0 && words.needed_here(seq)
    };
    // SYNC arrive: pairs with arrive
    wait.until_given(|| words.arrived(member, seq).load(Ordering::Acquire) >= seq, needed_here);
}

/// Some member before `me` that runs on the caller's core has not come to round `seq` yet: a guess, no more.
fn before_here(words: &impl BarrierWords, me: usize, seq: u64) -> bool {
    (0..me).any(|i| words.here(i) && words.arrived(i, seq).load(Ordering::Relaxed) < seq)
}

fn count(words: &impl BarrierWords, wait: &impl Wait, n: usize, seq: u64) {
    // SYNC count: the chain of additions orders every member's stores before the last member's release; each pairs with the next.
    if words.count().fetch_add(1, Ordering::AcqRel) + 1 == n as u64 {
        release(words, wait, seq);
    } else {
        wait_for_release(words, wait, seq, || words.needed_here(seq));
    }
}

fn lead(words: &impl BarrierWords, wait: &impl Wait, n: usize, seq: u64) {
    // SYNC count: pairs with the additions
    wait.until_given(|| words.count().load(Ordering::Acquire) == n as u64 - 1, || words.needed_here(seq));
    release(words, wait, seq);
}

fn wait_for_leader(words: &impl BarrierWords, wait: &impl Wait, leader: usize, n: usize, seq: u64) {
    // SYNC count: who sees the last addition, or a later one, has acquired all of them, since nobody but additions changes the word.
    if words.count().fetch_add(1, Ordering::Release) + 1 == n as u64 - 1 {
        wait.notify(); // the leader may sleep
    }
    // The leader has to run once more when all have come.
    wait_for_release(words, wait, seq, || words.here(leader) || words.needed_here(seq));
}

fn release(words: &impl BarrierWords, wait: &impl Wait, seq: u64) {
    words.count().store(0, Ordering::Relaxed); // nobody comes to the next round before the release below
    words.released().store(seq, Ordering::Release); // SYNC release: pairs with the load in wait_for_release
    wait.notify();
}

fn wait_for_release(words: &impl BarrierWords, wait: &impl Wait, seq: u64, needed_here: impl Fn() -> bool) {
    // SYNC release: pairs with the store in release
    wait.until_given(|| words.released().load(Ordering::Acquire) >= seq, needed_here);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    struct Local {
        arrived: Vec<[AtomicU64; 2]>,
        count: AtomicU64,
        released: AtomicU64,
    }

    impl BarrierWords for Local {
        fn arrived(&self, member: usize, seq: u64) -> &AtomicU64 {
            &self.arrived[member][(seq % 2) as usize]
        }
        fn count(&self) -> &AtomicU64 {
            &self.count
        }
        fn released(&self) -> &AtomicU64 {
            &self.released
        }
        fn here(&self, _member: usize) -> bool {
            true
        }
        fn needed_here(&self, _seq: u64) -> bool {
            true
        }
    }

    struct Yield;

    impl Wait for Yield {
        fn until(&self, mut ready: impl FnMut() -> bool) {
            while !ready() {
                std::thread::yield_now();
            }
        }
        fn notify(&self) {}
    }

    /// Nobody leaves round k before everybody entered it, for sizes on both sides of the largest ones.
    #[test]
    fn nobody_leaves_early() {
        for (n, styles) in [1, 2, 3, 7, FLAT, FLAT + 1, 10, 17, ORDERED, ORDERED + 1].into_iter().flat_map(|n| {
            let mixed = vec![Style::Count, Style::Led(0), Style::InOrder, Style::Led(n - 1)];
            let alone = mixed.iter().chain(&[Style::Flags]).map(|&style| vec![style]);
            alone.chain([mixed.clone()]).map(move |styles| (n, styles)).collect::<Vec<_>>()
        }) {
            let words = Local {
                arrived: (0..n).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect(),
                count: AtomicU64::new(0),
                released: AtomicU64::new(0),
            };
            let entered = AtomicUsize::new(0);
            std::thread::scope(|s| {
                for me in 0..n {
                    let (words, entered, styles) = (&words, &entered, &styles);
                    s.spawn(move || {
                        for round in 1..=20 {
                            let style = styles[round as usize % styles.len()];
                            entered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            enter(words, &Yield, style, me, n, round, || {});
                            let seen = entered.load(std::sync::atomic::Ordering::Relaxed);
                            assert!(seen >= n * round as usize, "{n} members, round {round}: left after {seen}");
                        }
                    });
                }
            });
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Modelled {
        arrived: Vec<[AtomicU64; 2]>,
        count: AtomicU64,
        released: AtomicU64,
        data: Vec<UnsafeCell<u64>>,
    }

    impl BarrierWords for Modelled {
        fn arrived(&self, member: usize, seq: u64) -> &AtomicU64 {
            &self.arrived[member][(seq % 2) as usize]
        }
        fn count(&self) -> &AtomicU64 {
            &self.count
        }
        fn released(&self) -> &AtomicU64 {
            &self.released
        }
        fn here(&self, _member: usize) -> bool {
            true
        }
        fn needed_here(&self, _seq: u64) -> bool {
            true
        }
    }

    struct Loom;

    impl Wait for Loom {
        fn until(&self, mut ready: impl FnMut() -> bool) {
            while !ready() {
                loom::thread::yield_now();
            }
        }
        fn notify(&self) {}
    }

    /// Plain data written before the barrier is read after it, twice, without a data race (loom would report one).
    #[test]
    fn loom_barrier_orders_plain_data() {
        [Style::Flags, Style::Count, Style::Led(0), Style::Led(1), Style::InOrder]
            .into_iter()
            .for_each(orders_plain_data);
    }

    /// The same where one waits for another that waits for nobody, and back: as broadcasts and reductions do.
    #[test]
    fn loom_barrier_one_waits_for_one() {
        for arrive in
            [|w: &Modelled, me, seq| arrive(w, &Loom, me, seq), |w: &Modelled, me, seq| arrive_quietly(w, me, seq)]
        {
            loom::model(move || {
                let shared = Arc::new(modelled(2));
                let theirs = shared.clone();
                let other = loom::thread::spawn(move || {
                    wait_for(&*theirs, &Loom, 0, 1);
                    // SAFETY: loom checks that nobody else accesses the cell now; that is what the model proves.
                    assert_eq!(theirs.data[0].with(|p| unsafe { *p }), 7);
                    arrive(&theirs, 1, 2);
                });
                // SAFETY: as above.
                shared.data[0].with_mut(|p| unsafe { *p = 7 });
                arrive(&shared, 0, 1);
                wait_for(&*shared, &Loom, 1, 2);
                // SAFETY: as above; the other one has read it.
                shared.data[0].with_mut(|p| unsafe { *p = 8 });
                other.join().unwrap();
            });
        }
    }

    fn modelled(n: usize) -> Modelled {
        Modelled {
            arrived: (0..n).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect(),
            count: AtomicU64::new(0),
            released: AtomicU64::new(0),
            data: (0..n).map(|_| UnsafeCell::new(0)).collect(),
        }
    }

    fn orders_plain_data(style: Style) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let n = 2;
            let shared = Arc::new(modelled(n));
            let body = move |shared: Arc<Modelled>, me: usize| {
                for round in 1..=2u64 {
                    // SAFETY: loom checks that nobody else accesses the cell now; that is what the model proves.
                    shared.data[me].with_mut(|p| unsafe { *p = round * 10 + me as u64 });
                    enter(&*shared, &Loom, style, me, n, 2 * round - 1, || {});
                    // SAFETY: as above.
                    let got = shared.data[1 - me].with(|p| unsafe { *p });
                    assert_eq!(got, round * 10 + (1 - me) as u64);
                    enter(&*shared, &Loom, style, me, n, 2 * round, || {});
                }
            };
            let other = {
                let shared = shared.clone();
                loom::thread::spawn(move || body(shared, 1))
            };
            body(shared, 0);
            other.join().unwrap();
        });
    }
}
