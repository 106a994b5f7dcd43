//! What a context still has operations under way to: a few keys by name, and "more than that" when there are more; the size does not
//! depend on the job. A key is a PE and the way to it, numbered by the caller.
//!
//! | | does |
//! |---|---|
//! | [`issued`](Ledger::issued) | after an operation that is under way: notes it |
//! | [`look`](Ledger::look), then the operations are completed, then [`done`](Ledger::done) | takes the notes away that were seen |
//! | [`fence`](Ledger::fence) | marks what stands: what is issued behind it must not pass that |
//! | [`must_wait`](Ledger::must_wait) | before an operation that could pass others to its key: whether a mark stands there |
//!
//! An operation that cannot pass others, or that a fence does not order, need not ask, but is noted; a mark stays on the note then.
//!
//! Several threads may issue on one context and complete it at the same time. Whoever issues does so first and notes
//! it afterwards; whoever completes looks first and completes afterwards, and takes a note away only if no later one
//! has come on top of it. So a note that is gone was completed by somebody who has returned from it, and a note that
//! stands is completed by everybody who sees it.
//!
//! Places are changed by read-modify-writes only. So whoever acquires a note has acquired what the notes stand for that it was put on.

use super::atomics::{AtomicBool, AtomicU64, Ordering};

/// Keys by name.
#[cfg(not(loom))]
pub(crate) const NAMED: usize = 12;
#[cfg(loom)]
pub(crate) const NAMED: usize = 1;

/// A note: key plus one (24 bits), whether a fence has come since an operation it stands for (1 bit), and the number of the
/// operation noted last (39 bits). 0: none.
const STAMP_BITS: u32 = 39;
const STAMPS: u64 = 1 << STAMP_BITS;
const FENCED: u64 = STAMPS;
const KEY_SHIFT: u32 = STAMP_BITS + 1;

/// Keys are below this.
pub(crate) const MAX_KEYS: u32 = (1 << (64 - KEY_SHIFT)) - 1;

pub(crate) struct Ledger {
    named: [AtomicU64; NAMED],
    /// The last operation to a key that found no place, as a note of key 0.
    more: AtomicU64,
    /// Number of the next operation. A number tells a note from a younger one: it does not come round while somebody
    /// completes what he has seen.
    next: AtomicU64,
    /// There has been a fence.
    fenced: AtomicBool,
}

/// What there is to complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outstanding {
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

fn note(key: u32, stamp: u64) -> u64 {
    (u64::from(key + 1) << KEY_SHIFT) | (stamp % STAMPS)
}

fn key_of(note: u64) -> Option<u32> {
    ((note >> KEY_SHIFT) as u32).checked_sub(1)
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            named: core::array::from_fn(|_| AtomicU64::new(0)),
            more: AtomicU64::new(0),
            next: AtomicU64::new(0),
            fenced: AtomicBool::new(false),
        }
    }
}

impl Ledger {
    /// An operation to `key` has been issued.
    pub(crate) fn issued(&self, key: u32) {
        debug_assert!(key < MAX_KEYS);
        let stamp = self.next.fetch_add(1, Ordering::Relaxed); // a number only; the notes carry the order
        let new = note(key, stamp);
        if !self.renew(key, new) && !self.add(new) {
            self.more.swap(note(0, stamp), Ordering::Release); // SYNC ledger: pairs with look
        }
    }

    /// Puts a younger note on top of one that stands, which may be from before a fence: so is the younger one then. Always a
    /// write: whoever takes the note away afterwards must see what was issued before.
    fn renew(&self, key: u32, new: u64) -> bool {
        self.named.iter().any(|place| {
            let mut old = place.load(Ordering::Relaxed);
            while key_of(old) == Some(key) {
                // SYNC ledger: pairs with look
                match place.compare_exchange_weak(old, new | old & FENCED, Ordering::Release, Ordering::Relaxed) {
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
                && place.compare_exchange(0, new, Ordering::Release, Ordering::Relaxed).is_ok() // SYNC ledger: pairs with look
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
            // SYNC ledger: pairs with must_wait and look; a younger note stays
            let _ = place.compare_exchange(note, 0, Ordering::Release, Ordering::Relaxed);
        }
        if seen.more != 0 {
            let _ = self.more.compare_exchange(seen.more, 0, Ordering::Release, Ordering::Relaxed); // SYNC ledger
        }
    }

    /// What was seen to `key` has been completed.
    pub(crate) fn done_with(&self, seen: &Seen, key: u32) {
        for (place, &note) in self.named.iter().zip(&seen.named).filter(|(_, note)| key_of(**note) == Some(key)) {
            // SYNC ledger: as in done
            let _ = place.compare_exchange(note, 0, Ordering::Release, Ordering::Relaxed);
        }
    }

    /// Later operations must not pass earlier ones. Those without a name are for the caller to complete now.
    pub(crate) fn fence(&self) {
        for place in &self.named {
            // Relaxed: `must_wait` acquires, and a changed note carries what it stood for.
            let mut old = place.load(Ordering::Relaxed);
            while old != 0 && old & FENCED == 0 {
                match place.compare_exchange_weak(old, old | FENCED, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => break,
                    Err(now) => old = now,
                }
            }
        }
        self.fenced.store(true, Ordering::Relaxed); // one thread's order, or the program's
    }

    /// Operations to `key` from before a fence may be under way: they must be completed before one is issued that could
    /// pass them.
    #[inline]
    pub(crate) fn must_wait(&self, key: u32) -> bool {
        let marked = |note: u64| note & FENCED != 0 && key_of(note) == Some(key);
        // SYNC ledger: a note that is gone was completed; pairs with done
        self.fenced.load(Ordering::Relaxed) && self.named.iter().any(|place| marked(place.load(Ordering::Acquire)))
    }
}

impl Seen {
    pub(crate) fn pending(&self) -> Outstanding {
        let mut keys = self.keys();
        match (keys.next(), self.more != 0) {
            (None, false) => Outstanding::Nothing,
            (Some(key), false) if keys.all(|other| other == key) => Outstanding::One(key),
            _ => Outstanding::Many,
        }
    }

    /// Those with a name.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u32> {
        self.named.iter().filter_map(|&n| key_of(n))
    }

    /// There may be others.
    pub(crate) fn more(&self) -> bool {
        self.more != 0
    }

    /// `key` may be among them.
    pub(crate) fn may_include(&self, key: u32) -> bool {
        self.more() || self.keys().any(|k| k == key)
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
                    prop_assert_eq!(seen.pending() == Outstanding::Nothing, model.is_empty());
                    ledger.done(&seen);
                    model.clear();
                } else {
                    ledger.issued(pe);
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
        assert_eq!(ledger.look().pending(), Outstanding::One(3));
        ledger.done(&ledger.look());
        assert_eq!(ledger.look().pending(), Outstanding::Nothing);
    }

    #[test]
    fn one_pe_is_done_alone() {
        let ledger = Ledger::default();
        (0..3).for_each(|key| ledger.issued(key));
        ledger.done_with(&ledger.look(), 1);
        assert_eq!(ledger.look().keys().collect::<Vec<_>>(), [0, 2]);
        assert_eq!(ledger.look().pending(), Outstanding::Many);
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

    /// What cannot pass is noted without having waited: what can must wait all the same.
    #[test]
    fn a_fence_is_not_forgotten() {
        let ledger = Ledger::default();
        ledger.issued(5);
        ledger.fence();
        ledger.issued(5);
        assert!(ledger.must_wait(5));
        let seen = ledger.look();
        ledger.issued(5);
        ledger.done_with(&seen, 5);
        assert!(ledger.must_wait(5), "the younger note stands for all of them");
        ledger.done_with(&ledger.look(), 5);
        assert!(!ledger.must_wait(5));
        ledger.issued(5);
        assert!(!ledger.must_wait(5));
    }

    #[test]
    fn numbers_come_round() {
        let ledger = Ledger::default();
        ledger.next.store(STAMPS - 1, Ordering::Relaxed);
        ledger.issued(MAX_KEYS - 1);
        let seen = ledger.look();
        ledger.issued(MAX_KEYS - 1);
        ledger.done(&seen);
        assert_eq!(ledger.look().pending(), Outstanding::One(MAX_KEYS - 1));
        assert!(!ledger.must_wait(MAX_KEYS - 1));
        ledger.fence();
        assert!(ledger.must_wait(MAX_KEYS - 1));
    }

    proptest! {
        /// Against the operations themselves: whoever has one from before a fence under way must wait, or the fence completed it.
        #[test]
        fn a_fence_marks_all(steps in prop::collection::vec((0u32..20, 0u8..6), 0..200)) {
            let ledger = Ledger::default();
            let mut under_way: Vec<(u32, bool)> = Vec::new();
            for (key, what) in steps {
                match what {
                    0 => {
                        if ledger.look().more() {
                            ledger.done(&ledger.look());
                            under_way.clear();
                        }
                        ledger.fence();
                        under_way.iter_mut().for_each(|(_, fenced)| *fenced = true);
                    }
                    1 => {
                        ledger.done_with(&ledger.look(), key);
                        under_way.retain(|&(k, _)| k != key);
                    }
                    _ => {
                        ledger.issued(key);
                        under_way.push((key, false));
                    }
                }
                for &(key, fenced) in &under_way {
                    prop_assert!(!fenced || ledger.must_wait(key), "key {key}");
                }
            }
        }
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
        /// The same for one PE after the other.
        fn quiet_pes(&self, ledger: &Ledger) {
            for pe in 0..2 {
                let seen = ledger.look();
                if seen.may_include(pe) {
                    self.flush(pe);
                    ledger.done_with(&seen, pe);
                }
            }
        }
    }

    /// Two threads put and quiet on one context: what a thread has put is complete when its own quiet returns, though
    /// the other's quiet may have taken its note away.
    #[test]
    fn loom_quiet_completes_own_puts() {
        completes_own_puts(Net::quiet, true);
    }

    #[test]
    fn loom_quiet_of_a_pe_completes_own_puts() {
        completes_own_puts(Net::quiet_pes, false);
    }

    fn completes_own_puts(quiet: fn(&Net, &Ledger), all: bool) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = (!all).then_some(2);
        model.check(move || {
            let shared = Arc::new((Net::default(), Ledger::default()));
            let theirs = shared.clone();
            let work = move |(net, ledger): &(Net, Ledger), pe: u32| {
                let n = net.put(ledger, pe);
                quiet(net, ledger);
                assert!(net.complete[pe as usize].load(Ordering::Acquire) >= n);
            };
            let other = loom::thread::spawn(move || work(&theirs, 1));
            work(&shared, 0);
            other.join().unwrap();
            assert!(!all || shared.1.look().pending() == Outstanding::Nothing);
        });
    }

    /// What one thread has put before its fence must be waited for, though others note theirs on top of it and complete what they
    /// have seen, unless it is complete.
    #[test]
    fn loom_a_fence_stands() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3); // minutes without
        model.check(|| {
            let shared = Arc::new((Net::default(), Ledger::default()));
            let theirs = shared.clone();
            let other = loom::thread::spawn(move || {
                let (net, ledger) = &*theirs;
                ledger.issued(0);
                net.quiet(ledger);
            });
            let (net, ledger) = &*shared;
            let n = net.put(ledger, 0);
            if ledger.look().more() {
                net.quiet(ledger);
            }
            ledger.fence();
            assert!(ledger.must_wait(0) || net.complete[0].load(Ordering::Acquire) >= n);
            ledger.issued(0);
            assert!(ledger.must_wait(0) || net.complete[0].load(Ordering::Acquire) >= n);
            other.join().unwrap();
        });
    }

    /// A note that was put on another stands for both operations, whoever issued them.
    #[test]
    fn loom_a_younger_note_carries_both() {
        for both_by_one in [true, false] {
            loom::model(move || {
                let shared = Arc::new((Net::default(), Ledger::default()));
                let first = |(net, ledger): &(Net, Ledger)| {
                    net.put(ledger, 0);
                    ledger.look().named[0]
                };
                let second = |(net, ledger): &(Net, Ledger)| {
                    net.issued[1].store(1, Ordering::Relaxed);
                    ledger.issued(0);
                };
                let older = first(&shared);
                let theirs = shared.clone();
                let completer = loom::thread::spawn(move || {
                    let (net, ledger) = &*theirs;
                    while ledger.look().named[0] == older {
                        loom::thread::yield_now();
                    }
                    (0..2).for_each(|pe| net.flush(pe));
                });
                if both_by_one {
                    second(&shared);
                } else {
                    let theirs = shared.clone();
                    loom::thread::spawn(move || second(&theirs)).join().unwrap();
                }
                completer.join().unwrap();
                assert!(shared.0.complete.iter().all(|c| c.load(Ordering::Acquire) == 1));
            });
        }
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
            assert_eq!(shared.1.look().pending(), Outstanding::Nothing);
        });
    }
}
