//! How many have signed a roll, in one word, 0 at first: whoever has signed learns the same, that all did or that somebody
//! stopped waiting before.

use super::atomics::{AtomicU32, Ordering};

/// No signature counts any more.
const CLOSED: u32 = 1 << 31;

/// What a look at the word tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Roll {
    Open,
    /// All have signed. Stays so.
    Full,
    /// Somebody stopped waiting while it was open. Stays so.
    Closed,
}

impl Roll {
    fn of(word: u32, n: u32) -> Roll {
        match word {
            w if w == n => Roll::Full,
            w if w & CLOSED != 0 => Roll::Closed,
            _ => Roll::Open,
        }
    }

    /// Of `n` who are to sign.
    pub(crate) fn look(word: &AtomicU32, n: u32) -> Roll {
        // SYNC roll: pairs with sign
        Roll::of(word.load(Ordering::Acquire), n)
    }

    /// Signs, once per signer. What it stored before is visible to those who find the roll full.
    pub(crate) fn sign(word: &AtomicU32, n: u32) -> Roll {
        let open = |w: u32| (w & CLOSED == 0).then_some(w + 1);
        // SYNC roll: pairs with look, and each addition with the next; who finds it closed reads nothing
        match word.fetch_update(Ordering::AcqRel, Ordering::Relaxed, open) {
            Ok(before) => Roll::of(before + 1, n),
            Err(closed) => Roll::of(closed, n),
        }
    }

    /// Closes the roll if it is open.
    pub(crate) fn close(word: &AtomicU32, n: u32) -> Roll {
        let open = |w: u32| (Roll::of(w, n) == Roll::Open).then_some(w | CLOSED);
        // SYNC roll: who finds it full here sees what was signed; pairs with sign
        match word.fetch_update(Ordering::Relaxed, Ordering::Acquire, open) {
            Ok(before) => Roll::of(before | CLOSED, n),
            Err(settled) => Roll::of(settled, n),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn it_fills_or_closes_for_good() {
        let word = AtomicU32::new(0);
        assert_eq!([Roll::sign(&word, 2), Roll::look(&word, 2)], [Roll::Open; 2]);
        assert_eq!([Roll::sign(&word, 2), Roll::look(&word, 2), Roll::close(&word, 2)], [Roll::Full; 3]);
        let word = AtomicU32::new(0);
        assert_eq!(Roll::sign(&word, 2), Roll::Open);
        assert_eq!([Roll::close(&word, 2), Roll::sign(&word, 2), Roll::close(&word, 2)], [Roll::Closed; 3]);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    /// Two sign and one of them, or both, may stop waiting at any time: they end with the same, and a full roll shows what
    /// the other wrote on it.
    #[test]
    fn loom_signers_agree() {
        for impatient in [1, 2] {
            loom::model(move || {
                let roll = Arc::new((AtomicU32::new(0), [UnsafeCell::new(0), UnsafeCell::new(0)]));
                let signer = move |roll: Arc<(AtomicU32, [UnsafeCell<u32>; 2])>, me: usize| {
                    // SAFETY: loom checks that nobody else accesses the cell now.
                    roll.1[me].with_mut(|p| unsafe { *p = 7 });
                    let mut seen = Roll::sign(&roll.0, 2);
                    if seen == Roll::Open && me < impatient {
                        seen = Roll::close(&roll.0, 2);
                    }
                    while seen == Roll::Open {
                        loom::thread::yield_now();
                        seen = Roll::look(&roll.0, 2);
                    }
                    if seen == Roll::Full {
                        // SAFETY: as above.
                        roll.1[1 - me].with(|p| assert_eq!(unsafe { *p }, 7));
                    }
                    seen
                };
                let other = {
                    let roll = roll.clone();
                    loom::thread::spawn(move || signer(roll, 1))
                };
                assert_eq!(signer(roll, 0), other.join().unwrap());
            });
        }
    }
}
