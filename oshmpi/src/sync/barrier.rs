//! The barrier of a node, in two styles with sequence numbers that never go back.
//!
//! With a core for every PE (`Style::Flags`): one arrival word per PE. Up to [`FLAT`] members everybody reads
//! everybody's word: one cache-line transfer when two PEs meet, and no word that two PEs write. Above that a tree with
//! fan-in [`FLAT`] gathers and the root's release word lets go, so that the lines read per PE stay bounded.
//!
//! With more PEs than cores (`Style::Count`): one counter, and whoever comes last lets go. Nobody is woken before
//! that, so a meeting costs each PE one turn on a core.

use super::Wait;
use super::atomics::{AtomicU64, Ordering};

/// Largest group that meets by reading all arrival words; also the fan-in of the tree above it.
pub(crate) const FLAT: usize = 8;

/// How the members meet: the same on all of them, for the life of the words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Flags,
    Count,
}

/// The words of one barrier, all 0 at first.
pub(crate) trait Words {
    /// Written by `member` only.
    fn arrived(&self, member: usize) -> &AtomicU64;
    /// Arrivals of all members, ever.
    fn count(&self) -> &AtomicU64;
    /// Meetings that are over: written by member 0 (flags) or by the last to come (count).
    fn released(&self) -> &AtomicU64;
}

/// Member `me` of `n` enters for the `seq`-th time (1, 2, 3, ...) and returns when all have entered `seq` times.
///
/// What a member stored before entering is visible to all after they return.
#[inline]
pub(crate) fn meet(words: &impl Words, wait: &impl Wait, style: Style, me: usize, n: usize, seq: u64) {
    if n == 1 {
        return;
    }
    match style {
        Style::Flags if n <= FLAT => flat(words, wait, me, n, seq),
        Style::Flags => tree(words, wait, me, n, seq),
        Style::Count => count(words, wait, n, seq),
    }
}

#[inline]
fn flat(words: &impl Words, wait: &impl Wait, me: usize, n: usize, seq: u64) {
    words.arrived(me).store(seq, Ordering::Release); // SYNC barrier-arrive: pairs with the loads below
    wait.tell();
    for other in (0..n).filter(|&i| i != me) {
        wait.until(|| words.arrived(other).load(Ordering::Acquire) >= seq); // SYNC barrier-arrive
    }
}

fn tree(words: &impl Words, wait: &impl Wait, me: usize, n: usize, seq: u64) {
    let first = me * FLAT + 1;
    for child in first..(first + FLAT).min(n) {
        wait.until(|| words.arrived(child).load(Ordering::Acquire) >= seq); // SYNC barrier-arrive
    }
    if me == 0 {
        words.released().store(seq, Ordering::Release); // SYNC barrier-release: pairs with the loads below
        wait.tell();
    } else {
        words.arrived(me).store(seq, Ordering::Release); // SYNC barrier-arrive
        wait.tell();
        wait.until(|| words.released().load(Ordering::Acquire) >= seq); // SYNC barrier-release
    }
}

fn count(words: &impl Words, wait: &impl Wait, n: usize, seq: u64) {
    // The chain of additions orders every member's stores before the last member's release: each pairs with the next.
    if words.count().fetch_add(1, Ordering::AcqRel) + 1 == seq * n as u64 {
        words.released().store(seq, Ordering::Release); // SYNC barrier-release
        wait.tell();
    } else {
        wait.until(|| words.released().load(Ordering::Acquire) >= seq); // SYNC barrier-release
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    struct Local {
        arrived: Vec<AtomicU64>,
        count: AtomicU64,
        released: AtomicU64,
    }

    impl Words for Local {
        fn arrived(&self, member: usize) -> &AtomicU64 {
            &self.arrived[member]
        }
        fn count(&self) -> &AtomicU64 {
            &self.count
        }
        fn released(&self) -> &AtomicU64 {
            &self.released
        }
    }

    struct Yield;

    impl Wait for Yield {
        fn until(&self, mut ready: impl FnMut() -> bool) {
            while !ready() {
                std::thread::yield_now();
            }
        }
        fn tell(&self) {}
    }

    /// Nobody leaves round k before everybody entered it, for sizes on both sides of every tree level.
    #[test]
    fn nobody_leaves_early() {
        for (n, style) in
            [1, 2, 3, 7, 8, 9, 10, 17, 72, 74].into_iter().flat_map(|n| [(n, Style::Flags), (n, Style::Count)])
        {
            let words = Local {
                arrived: (0..n).map(|_| AtomicU64::new(0)).collect(),
                count: AtomicU64::new(0),
                released: AtomicU64::new(0),
            };
            let entered = AtomicUsize::new(0);
            std::thread::scope(|s| {
                for me in 0..n {
                    let (words, entered) = (&words, &entered);
                    s.spawn(move || {
                        for round in 1..=20 {
                            entered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            meet(words, &Yield, style, me, n, round);
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
        arrived: Vec<AtomicU64>,
        count: AtomicU64,
        released: AtomicU64,
        data: Vec<UnsafeCell<u64>>,
    }

    impl Words for Modelled {
        fn arrived(&self, member: usize) -> &AtomicU64 {
            &self.arrived[member]
        }
        fn count(&self) -> &AtomicU64 {
            &self.count
        }
        fn released(&self) -> &AtomicU64 {
            &self.released
        }
    }

    struct Loom;

    impl Wait for Loom {
        fn until(&self, mut ready: impl FnMut() -> bool) {
            while !ready() {
                loom::thread::yield_now();
            }
        }
        fn tell(&self) {}
    }

    /// Plain data written before the barrier is read after it, twice, without a data race (loom would report one).
    #[test]
    fn loom_barrier_orders_plain_data() {
        [Style::Flags, Style::Count].into_iter().for_each(orders_plain_data);
    }

    fn orders_plain_data(style: Style) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let n = 2;
            let shared = Arc::new(Modelled {
                arrived: (0..n).map(|_| AtomicU64::new(0)).collect(),
                count: AtomicU64::new(0),
                released: AtomicU64::new(0),
                data: (0..n).map(|_| UnsafeCell::new(0)).collect(),
            });
            let body = move |shared: Arc<Modelled>, me: usize| {
                for round in 1..=2u64 {
                    // SAFETY: loom checks that nobody else accesses the cell now; that is what the model proves.
                    shared.data[me].with_mut(|p| unsafe { *p = round * 10 + me as u64 });
                    meet(&*shared, &Loom, style, me, n, 2 * round - 1);
                    // SAFETY: as above.
                    let got = shared.data[1 - me].with(|p| unsafe { *p });
                    assert_eq!(got, round * 10 + (1 - me) as u64);
                    meet(&*shared, &Loom, style, me, n, 2 * round);
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

    /// Three members: a fast one may be a round ahead of a slow one, never two.
    #[test]
    fn loom_barrier_of_three() {
        three_meet(Style::Count); // three spinning threads with flags are too many orders for loom
    }

    fn three_meet(style: Style) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(move || {
            let n = 3;
            let shared = Arc::new(Modelled {
                arrived: (0..n).map(|_| AtomicU64::new(0)).collect(),
                count: AtomicU64::new(0),
                released: AtomicU64::new(0),
                data: (0..n).map(|_| UnsafeCell::new(0)).collect(),
            });
            let body = move |shared: Arc<Modelled>, me: usize| {
                // SAFETY: loom checks that nobody else accesses the cell now; that is what the model proves.
                shared.data[me].with_mut(|p| unsafe { *p = 7 });
                meet(&*shared, &Loom, style, me, n, 1);
                for other in 0..n {
                    // SAFETY: as above.
                    assert_eq!(shared.data[other].with(|p| unsafe { *p }), 7);
                }
            };
            let threads: Vec<_> = (1..n)
                .map(|me| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || body(shared, me))
                })
                .collect();
            body(shared, 0);
            threads.into_iter().for_each(|t| t.join().unwrap());
        });
    }
}
