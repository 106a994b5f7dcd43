//! Which PEs a context still has operations under way to. A few PEs by name, and "more than that" when there are more:
//! the size does not depend on the job.
//!
//! Several threads may issue on one context and complete it at the same time. Whoever issues does so first and notes
//! it afterwards; whoever completes looks first and completes afterwards, and takes a note away only if no later one
//! has come on top of it. So a note that is gone was completed by somebody who has returned from it, and a note that
//! stands is completed by everybody who sees it.

use super::atomics::{AtomicU64, Ordering};

/// PEs by name.
#[cfg(not(loom))]
pub(crate) const NAMED: usize = 12;
#[cfg(loom)]
pub(crate) const NAMED: usize = 1;

/// A note: PE plus one (24 bits), then the number of the operation noted last (40 bits). 0: none.
const STAMP_BITS: u32 = 40;
const STAMPS: u64 = 1 << STAMP_BITS;

/// PEs of a job at most, as far as notes go.
pub(crate) const MAX_PES: u32 = (1 << (64 - STAMP_BITS)) - 2;

/// Numbers are compared as on a clock face: all notes that stand are younger than half a turn, because
/// [`Issued::Crowded`] asks for a full completion every quarter turn.
const QUARTER: u64 = STAMPS / 4;

pub(crate) struct Ledger {
    named: [AtomicU64; NAMED],
    /// The last operation to a PE that found no place, as a note of PE 0.
    more: AtomicU64,
    /// Number of the next operation.
    next: AtomicU64,
    /// Operations from this number on come after the last fence.
    fence: AtomicU64,
}

/// What the caller has to do once it has noted an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Issued {
    Noted,
    /// Complete everything soon: the numbers are about to come round.
    Crowded,
}

/// What there is to complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pending {
    Nothing,
    One(u32),
    /// Several, or more than the ledger has names for.
    Many,
}

/// What [`Ledger::look`] saw; only this is taken away by [`Ledger::done`].
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    named: [u64; NAMED],
    more: u64,
}

fn note(pe: u32, stamp: u64) -> u64 {
    (u64::from(pe + 1) << STAMP_BITS) | (stamp % STAMPS)
}

fn pe_of(note: u64) -> Option<u32> {
    ((note >> STAMP_BITS) as u32).checked_sub(1)
}

/// `stamp` is older than `fence`.
fn before(stamp: u64, fence: u64) -> bool {
    let age = fence.wrapping_sub(stamp) % STAMPS;
    age != 0 && age < STAMPS / 2
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            named: core::array::from_fn(|_| AtomicU64::new(0)),
            more: AtomicU64::new(0),
            next: AtomicU64::new(0),
            fence: AtomicU64::new(0),
        }
    }
}

impl Ledger {
    /// An operation to `pe` has been issued.
    pub(crate) fn issued(&self, pe: u32) -> Issued {
        debug_assert!(pe <= MAX_PES);
        let stamp = self.next.fetch_add(1, Ordering::Relaxed); // a number only; the notes carry the order
        let new = note(pe, stamp);
        if !self.renew(pe, new) && !self.add(new) {
            self.more.swap(note(0, stamp), Ordering::AcqRel); // SYNC ledger: pairs with look
        }
        if (stamp + 1).is_multiple_of(QUARTER) { Issued::Crowded } else { Issued::Noted }
    }

    /// Puts a younger note on top of one that stands. Always a write: whoever takes the note away afterwards must see
    /// what was issued before.
    fn renew(&self, pe: u32, new: u64) -> bool {
        self.named.iter().any(|place| {
            let mut old = place.load(Ordering::Relaxed);
            while pe_of(old) == Some(pe) {
                // SYNC ledger: pairs with look
                match place.compare_exchange_weak(old, new, Ordering::AcqRel, Ordering::Relaxed) {
                    Ok(_) => return true,
                    Err(now) => old = now,
                }
            }
            false
        })
    }

    fn add(&self, new: u64) -> bool {
        self.named.iter().any(|place| {
            place.load(Ordering::Relaxed) == 0
                && place.compare_exchange(0, new, Ordering::AcqRel, Ordering::Relaxed).is_ok() // SYNC ledger: pairs with look
        })
    }

    /// What there is to complete now.
    pub(crate) fn look(&self) -> Seen {
        Seen {
            named: core::array::from_fn(|i| self.named[i].load(Ordering::Acquire)), // SYNC ledger: pairs with issued
            more: self.more.load(Ordering::Acquire),                                // SYNC ledger: pairs with issued
        }
    }

    /// Everything that was seen has been completed.
    pub(crate) fn done(&self, seen: &Seen) {
        for (place, &note) in self.named.iter().zip(&seen.named).filter(|(_, note)| **note != 0) {
            let _ = place.compare_exchange(note, 0, Ordering::AcqRel, Ordering::Relaxed); // a younger note stays
        }
        if seen.more != 0 {
            let _ = self.more.compare_exchange(seen.more, 0, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// What was seen to `pe` has been completed.
    pub(crate) fn done_with(&self, seen: &Seen, pe: u32) {
        for (place, &note) in self.named.iter().zip(&seen.named).filter(|(_, note)| pe_of(**note) == Some(pe)) {
            let _ = place.compare_exchange(note, 0, Ordering::AcqRel, Ordering::Relaxed); // a younger note stays
        }
    }

    /// Later operations must not pass earlier ones.
    pub(crate) fn fence(&self) {
        self.fence.store(self.next.load(Ordering::Relaxed), Ordering::Relaxed); // one thread's order, or the program's
    }

    /// Operations to `pe` from before the last fence may be under way: they must be completed before the next is
    /// issued.
    #[inline]
    pub(crate) fn must_wait(&self, pe: u32) -> bool {
        let fence = self.fence.load(Ordering::Relaxed);
        if fence == 0 {
            return false;
        }
        // A PE without a name was completed by the fence itself.
        self.named.iter().map(|place| place.load(Ordering::Relaxed)).any(|n| pe_of(n) == Some(pe) && before(n, fence))
    }
}

impl Seen {
    pub(crate) fn pending(&self) -> Pending {
        let mut pes = self.pes();
        match (pes.next(), self.more != 0) {
            (None, false) => Pending::Nothing,
            (Some(pe), false) if pes.all(|other| other == pe) => Pending::One(pe),
            _ => Pending::Many,
        }
    }

    /// The PEs by name.
    pub(crate) fn pes(&self) -> impl Iterator<Item = u32> {
        self.named.iter().filter_map(|&n| pe_of(n))
    }

    /// There may be others.
    pub(crate) fn more(&self) -> bool {
        self.more != 0
    }

    /// `pe` may be among them.
    pub(crate) fn may_include(&self, pe: u32) -> bool {
        self.more() || self.pes().any(|p| p == pe)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        /// Against a set without a bound.
        #[test]
        fn nothing_is_forgotten(steps in prop::collection::vec((0u32..40, 0u8..4), 0..200)) {
            let (ledger, mut model) = (Ledger::default(), BTreeSet::new());
            for (pe, what) in steps {
                if what == 0 {
                    let seen = ledger.look();
                    prop_assert!(model.iter().all(|&p| seen.may_include(p)));
                    prop_assert_eq!(seen.pending() == Pending::Nothing, model.is_empty());
                    ledger.done(&seen);
                    model.clear();
                } else {
                    prop_assert_eq!(ledger.issued(pe), Issued::Noted);
                    model.insert(pe);
                    if model.len() <= NAMED {
                        prop_assert!(!ledger.look().more() || model.len() > NAMED);
                    }
                }
            }
        }
    }

    #[test]
    fn a_younger_note_stays() {
        let ledger = Ledger::default();
        ledger.issued(3);
        let seen = ledger.look();
        ledger.issued(3);
        ledger.done(&seen);
        assert_eq!(ledger.look().pending(), Pending::One(3));
        ledger.done(&ledger.look());
        assert_eq!(ledger.look().pending(), Pending::Nothing);
    }

    #[test]
    fn one_pe_is_done_alone() {
        let ledger = Ledger::default();
        (0..3).for_each(|pe| assert_eq!(ledger.issued(pe), Issued::Noted));
        ledger.done_with(&ledger.look(), 1);
        assert_eq!(ledger.look().pes().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(ledger.look().pending(), Pending::Many);
    }

    #[test]
    fn a_fence_holds_back_what_comes_after() {
        let ledger = Ledger::default();
        assert!(!ledger.must_wait(5));
        ledger.issued(5);
        assert!(!ledger.must_wait(5));
        ledger.fence();
        assert!(ledger.must_wait(5) && !ledger.must_wait(6));
        ledger.done(&ledger.look());
        assert!(!ledger.must_wait(5));
        ledger.issued(5);
        assert!(!ledger.must_wait(5));
        ledger.fence();
        assert!(ledger.must_wait(5));
    }

    #[test]
    fn numbers_come_round() {
        let ledger = Ledger::default();
        ledger.next.store(STAMPS - 2, Ordering::Relaxed);
        ledger.issued(1);
        ledger.fence();
        assert!(ledger.must_wait(1));
        ledger.done(&ledger.look());
        assert_eq!(ledger.issued(1), Issued::Crowded);
        ledger.issued(1);
        assert!(!ledger.must_wait(1));
        ledger.fence();
        assert!(ledger.must_wait(1));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// MPI as far as it matters: an operation is one of so many issued, a flush completes what was issued before it.
    #[derive(Default)]
    struct Net {
        issued: [AtomicUsize; 2],
        complete: [AtomicUsize; 2],
    }

    impl Net {
        fn put(&self, ledger: &Ledger, pe: u32) -> usize {
            // A plain word: only the ledger may order it for others.
            let n = self.issued[pe as usize].load(Ordering::Relaxed) + 1;
            self.issued[pe as usize].store(n, Ordering::Relaxed);
            ledger.issued(pe);
            n
        }
        fn flush(&self, pe: u32) {
            let n = self.issued[pe as usize].load(Ordering::Relaxed);
            self.complete[pe as usize].fetch_max(n, Ordering::AcqRel);
        }
        fn quiet(&self, ledger: &Ledger) {
            let seen = ledger.look();
            for pe in 0..2 {
                if seen.may_include(pe) {
                    self.flush(pe);
                }
            }
            ledger.done(&seen);
        }
    }

    /// Two threads put and quiet on one context: what a thread has put is complete when its own quiet returns, though
    /// the other's quiet may have taken its note away.
    #[test]
    fn loom_quiet_completes_own_puts() {
        loom::model(|| {
            let shared = Arc::new((Net::default(), Ledger::default()));
            let theirs = shared.clone();
            let work = |(net, ledger): &(Net, Ledger), pe: u32| {
                let n = net.put(ledger, pe);
                net.quiet(ledger);
                assert!(net.complete[pe as usize].load(Ordering::Acquire) >= n);
            };
            let other = loom::thread::spawn(move || work(&theirs, 1));
            work(&shared, 0);
            other.join().unwrap();
            assert_eq!(shared.1.look().pending(), Pending::Nothing);
        });
    }

    /// A quiet that sees a note sees the operation; one that does not leaves it to a later one.
    #[test]
    fn loom_notes_carry_operations() {
        loom::model(|| {
            let shared = Arc::new((Net::default(), Ledger::default()));
            let theirs = shared.clone();
            let putter = loom::thread::spawn(move || {
                theirs.0.put(&theirs.1, 0);
                theirs.0.put(&theirs.1, 0)
            });
            shared.0.quiet(&shared.1);
            let n = putter.join().unwrap();
            shared.0.quiet(&shared.1);
            assert!(shared.0.complete[0].load(Ordering::Acquire) >= n);
            assert_eq!(shared.1.look().pending(), Pending::Nothing);
        });
    }
}
