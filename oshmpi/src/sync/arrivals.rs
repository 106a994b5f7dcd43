//! A count of arrivals in one word, 0 at first. It ends in one of two ways, and all members learn the same one: all
//! members have arrived, or a member has stopped waiting before that. Then they go another way.

use super::atomics::{AtomicU32, Ordering};

/// Flag in the word: a member has stopped waiting.
const LATE: u32 = 1 << 31;

/// The state of the count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ArrivalCounter {
    /// Members may still arrive.
    Open,
    /// All members have arrived. This state is final.
    Full,
    /// A member stopped waiting while the count was open. This state is final.
    Late,
}

impl ArrivalCounter {
    fn of(word: u32, n: u32) -> ArrivalCounter {
        match word {
            w if w == n => ArrivalCounter::Full,
            w if w & LATE != 0 => ArrivalCounter::Late,
            _ => ArrivalCounter::Open,
        }
    }

    /// The state of a count of `n` members.
    pub(crate) fn look(word: &AtomicU32, n: u32) -> ArrivalCounter {
        // SYNC arrivals: pairs with arrive
        ArrivalCounter::of(word.load(Ordering::Acquire), n)
    }

    /// Arrives; each member does so once. What a member stored before is visible to every member that finds the count
    /// full.
    pub(crate) fn arrive(word: &AtomicU32, n: u32) -> ArrivalCounter {
        // SYNC arrivals: pairs with look, stop_waiting, and the next arrive
        ArrivalCounter::of(word.fetch_add(1, Ordering::AcqRel) + 1, n)
    }

    /// Ends the count if it is open.
    pub(crate) fn stop_waiting(word: &AtomicU32, n: u32) -> ArrivalCounter {
        let open = |w: u32| (ArrivalCounter::of(w, n) == ArrivalCounter::Open).then_some(w | LATE);
        // SYNC arrivals: pairs with arrive, where the count is found full
        match word.fetch_update(Ordering::Relaxed, Ordering::Acquire, open) {
            Ok(before) => ArrivalCounter::of(before | LATE, n),
            Err(final_word) => ArrivalCounter::of(final_word, n),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn it_fills_or_ends_for_good() {
        let word = AtomicU32::new(0);
        assert_eq!([ArrivalCounter::arrive(&word, 2), ArrivalCounter::look(&word, 2)], [ArrivalCounter::Open; 2]);
        assert_eq!(
            [ArrivalCounter::arrive(&word, 2), ArrivalCounter::look(&word, 2), ArrivalCounter::stop_waiting(&word, 2)],
            [ArrivalCounter::Full; 3]
        );
        let word = AtomicU32::new(0);
        assert_eq!(ArrivalCounter::arrive(&word, 2), ArrivalCounter::Open);
        assert_eq!(
            [
                ArrivalCounter::stop_waiting(&word, 2),
                ArrivalCounter::arrive(&word, 2),
                ArrivalCounter::stop_waiting(&word, 2)
            ],
            [ArrivalCounter::Late; 3]
        );
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// Both members arrive. One of them, or both, may stop waiting while the count is open. Both end with the same
    /// state, and a member that finds the count full sees what the other one wrote.
    #[test]
    fn loom_members_agree() {
        for impatient in [1, 2] {
            loom::model(move || {
                let shared = Arc::new((AtomicU32::new(0), [UnsafeCell::new(0), UnsafeCell::new(0)]));
                let member = move |shared: Arc<(AtomicU32, [UnsafeCell<u32>; 2])>, me: usize| {
                    // SAFETY: the other member reads this cell only after it has found the count full. Loom reports a
                    // race if that does not order the two accesses.
                    shared.1[me].with_mut(|p| unsafe { *p = 7 });
                    let mut seen = ArrivalCounter::arrive(&shared.0, 2);
                    if seen == ArrivalCounter::Open && me < impatient {
                        seen = ArrivalCounter::stop_waiting(&shared.0, 2);
                    }
                    while seen == ArrivalCounter::Open {
                        loom::thread::yield_now();
                        seen = ArrivalCounter::look(&shared.0, 2);
                    }
                    if seen == ArrivalCounter::Full {
                        // SAFETY: the count is full, so the owner of the cell wrote it before it arrived.
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
