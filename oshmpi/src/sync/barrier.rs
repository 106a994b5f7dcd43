//! The barrier of a node: one arrival word per PE, one release word, sequence numbers that never go back.
//!
//! Up to [`FLAT`] members everybody reads everybody's arrival word: one cache-line transfer when two PEs meet, and
//! no word that two PEs write. Above that a tree with fan-in [`FLAT`] gathers and the root's release word lets go,
//! so that the lines read per PE stay bounded.

use super::Wait;
use super::atomics::{AtomicU64, Ordering};

/// Largest group that meets by reading all arrival words; also the fan-in of the tree above it.
pub(crate) const FLAT: usize = 8;

/// The words of one barrier. `arrived(i)` is written by member `i` only, `released` by member 0 only.
pub(crate) trait Words {
    fn arrived(&self, member: usize) -> &AtomicU64;
    fn released(&self) -> &AtomicU64;
}

/// Member `me` of `n` enters for the `seq`-th time (1, 2, 3, ...) and returns when all have entered `seq` times.
///
/// What a member stored before entering is visible to all after they return.
pub(crate) fn meet(words: &impl Words, wait: &impl Wait, me: usize, n: usize, seq: u64) {
    if n == 1 {
        return;
    }
    if n <= FLAT {
        words.arrived(me).store(seq, Ordering::Release); // SYNC barrier-arrive: pairs with the loads below
        wait.tell();
        for other in (0..n).filter(|&i| i != me) {
            wait.until(|| words.arrived(other).load(Ordering::Acquire) >= seq); // SYNC barrier-arrive
        }
        return;
    }
    let first = me * FLAT + 1;
    for child in first..(first + FLAT).min(n) {
        wait.until(|| words.arrived(child).load(Ordering::Acquire) >= seq); // SYNC barrier-arrive
    }
    if me == 0 {
        words.released().store(seq, Ordering::Release); // SYNC barrier-release: pairs with the load below
        wait.tell();
    } else {
        words.arrived(me).store(seq, Ordering::Release); // SYNC barrier-arrive
        wait.tell();
        wait.until(|| words.released().load(Ordering::Acquire) >= seq); // SYNC barrier-release
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    struct Local {
        arrived: Vec<AtomicU64>,
        released: AtomicU64,
    }

    impl Words for Local {
        fn arrived(&self, member: usize) -> &AtomicU64 {
            &self.arrived[member]
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
        for n in [1, 2, 3, 7, 8, 9, 10, 17, 72, 74] {
            let words = Local { arrived: (0..n).map(|_| AtomicU64::new(0)).collect(), released: AtomicU64::new(0) };
            let entered = AtomicUsize::new(0);
            std::thread::scope(|s| {
                for me in 0..n {
                    let (words, entered) = (&words, &entered);
                    s.spawn(move || {
                        for round in 1..=20 {
                            entered.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                            meet(words, &Yield, me, n, round);
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
        released: AtomicU64,
        data: Vec<UnsafeCell<u64>>,
    }

    impl Words for Modelled {
        fn arrived(&self, member: usize) -> &AtomicU64 {
            &self.arrived[member]
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
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let n = 2;
            let shared = Arc::new(Modelled {
                arrived: (0..n).map(|_| AtomicU64::new(0)).collect(),
                released: AtomicU64::new(0),
                data: (0..n).map(|_| UnsafeCell::new(0)).collect(),
            });
            let body = |shared: Arc<Modelled>, me: usize| {
                for round in 1..=2u64 {
                    // SAFETY: loom checks that nobody else accesses the cell now; that is what the model proves.
                    shared.data[me].with_mut(|p| unsafe { *p = round * 10 + me as u64 });
                    meet(&*shared, &Loom, me, n, 2 * round - 1);
                    // SAFETY: as above.
                    let got = shared.data[1 - me].with(|p| unsafe { *p });
                    assert_eq!(got, round * 10 + (1 - me) as u64);
                    meet(&*shared, &Loom, me, n, 2 * round);
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
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let n = 3;
            let shared = Arc::new(Modelled {
                arrived: (0..n).map(|_| AtomicU64::new(0)).collect(),
                released: AtomicU64::new(0),
                data: (0..n).map(|_| UnsafeCell::new(0)).collect(),
            });
            let body = |shared: Arc<Modelled>, me: usize| {
                // SAFETY: loom checks that nobody else accesses the cell now; that is what the model proves.
                shared.data[me].with_mut(|p| unsafe { *p = 7 });
                meet(&*shared, &Loom, me, n, 1);
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
