//! How many have signed a shared, in one word, 0 at first: whoever has signed learns the same, that all did or that somebody
//! stopped waiting before.

use super::atomics::{AtomicU32, Ordering};

/// No signature counts any more.
const CLOSED: u32 = 1 << 31;

/// What a look at the word tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArrivalCounter {
    Open,
    /// All have signed. Stays so.
    Full,
    /// Somebody stopped waiting while it was open. Stays so.
    Closed,
}

impl ArrivalCounter {
    fn of(word: u32, n: u32) -> ArrivalCounter {
        match word {
            w if w == n => ArrivalCounter::Full,
            w if w & CLOSED != 0 => ArrivalCounter::Closed,
            _ => ArrivalCounter::Open,
        }
    }

    /// Of `n` who are to sign.
    pub(crate) fn look(word: &AtomicU32, n: u32) -> ArrivalCounter {
        // SYNC arrivals: pairs with sign
        ArrivalCounter::of(word.load(Ordering::Acquire), n)
    }

    /// Signs, once per member. What it stored before is visible to those who find the shared full.
    pub(crate) fn arrive(word: &AtomicU32, n: u32) -> ArrivalCounter {
        let open = |w: u32| (w & CLOSED == 0).then_some(w + 1);
        // SYNC arrivals: pairs with look, and each addition with the next; who finds it closed reads nothing
        match word.fetch_update(Ordering::AcqRel, Ordering::Relaxed, open) {
            Ok(before) => ArrivalCounter::of(before + 1, n),
            Err(closed) => ArrivalCounter::of(closed, n),
        }
    }

    /// Closes the shared if it is open.
    pub(crate) fn close(word: &AtomicU32, n: u32) -> ArrivalCounter {
        let open = |w: u32| (ArrivalCounter::of(w, n) == ArrivalCounter::Open).then_some(w | CLOSED);
        // SYNC arrivals: who finds it full here sees what was signed; pairs with sign
        match word.fetch_update(Ordering::Relaxed, Ordering::Acquire, open) {
            Ok(before) => ArrivalCounter::of(before | CLOSED, n),
            Err(final_word) => ArrivalCounter::of(final_word, n),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn it_fills_or_closes_for_good() {
        let word = AtomicU32::new(0);
        assert_eq!([ArrivalCounter::arrive(&word, 2), ArrivalCounter::look(&word, 2)], [ArrivalCounter::Open; 2]);
        assert_eq!(
            [ArrivalCounter::arrive(&word, 2), ArrivalCounter::look(&word, 2), ArrivalCounter::close(&word, 2)],
            [ArrivalCounter::Full; 3]
        );
        let word = AtomicU32::new(0);
        assert_eq!(ArrivalCounter::arrive(&word, 2), ArrivalCounter::Open);
        assert_eq!(
            [ArrivalCounter::close(&word, 2), ArrivalCounter::arrive(&word, 2), ArrivalCounter::close(&word, 2)],
            [ArrivalCounter::Closed; 3]
        );
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// Two sign and one of them, or both, may stop waiting at any time: they end with the same, and a full shared shows what
    /// the other wrote on it.
    #[test]
    fn loom_signers_agree() {
        for impatient in [1, 2] {
            loom::model(move || {
                let shared = Arc::new((AtomicU32::new(0), [UnsafeCell::new(0), UnsafeCell::new(0)]));
                let member = move |shared: Arc<(AtomicU32, [UnsafeCell<u32>; 2])>, me: usize| {
                    // SAFETY: loom checks that nobody else accesses the cell now.
                    shared.1[me].with_mut(|p| unsafe { *p = 7 });
                    let mut seen = ArrivalCounter::arrive(&shared.0, 2);
                    if seen == ArrivalCounter::Open && me < impatient {
                        seen = ArrivalCounter::close(&shared.0, 2);
                    }
                    while seen == ArrivalCounter::Open {
                        loom::thread::yield_now();
                        seen = ArrivalCounter::look(&shared.0, 2);
                    }
                    if seen == ArrivalCounter::Full {
                        // SAFETY: as above.
                        shared.1[1 - me].with(|p| assert_eq!(unsafe { *p }, 7));
                    }
                    seen
                };
                let other = {
                    let shared = shared.clone();
                    loom::thread::spawn(move || member(shared, 1))
                };
                assert_eq!(member(shared, 0), other.join().unwrap());
            });
        }
    }
}
