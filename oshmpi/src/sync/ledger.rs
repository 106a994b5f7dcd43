//! The operations of a context that are not complete yet. A ledger holds notes for up to 64 keys by name, and one
//! note that stands for all other keys. It has 576 bytes, whatever the size of the job. A key is a PE and a path to it;
//! the caller numbers the keys.
//!
//! The places of notes by name are sets of one cache line each. The note of a key lies in the set that its hash gives,
//! or in a second one if the first is nearly full. So an operation reads one line, or two once a second set has been
//! used. A set that has never had a note is not read: the ledger of a PE with few neighbours is read fast.
//!
//! | call | what it does |
//! |---|---|
//! | [`issued`](Ledger::issued) | notes an operation that has been issued |
//! | [`look`](Ledger::look), then completion, then [`done`](Ledger::done) | removes the notes that `look` returned |
//! | [`fence`](Ledger::fence) | marks all notes: operations issued later must not pass those noted now |
//! | [`must_wait`](Ledger::must_wait) | tells whether the note of a key is marked; asked before an operation |
//!
//! An operation that cannot pass others, or that a fence does not order, need not ask `must_wait`. It is noted all the
//! same, and a mark on the note stays.
//!
//! Several threads may issue operations on one context and complete them at the same time. A thread that issues does so
//! first and notes the operation afterwards. A thread that completes looks first and completes afterwards. It removes a
//! note only if no younger note has replaced it. So if a note is gone, a thread has completed its operations and has
//! returned from that. If a note stands, every thread that sees it completes its operations.
//!
//! Places are changed by read-modify-write operations only. So a thread that acquires a note also acquires what the
//! notes stood for that it replaced.

use super::atomics::{AtomicBool, AtomicU64, Ordering};
#[cfg(not(loom))]
use core::sync::atomic::AtomicU8;

/// Sets of places, a power of two, and places of a set.
#[cfg(not(loom))]
const SETS: usize = 8;
#[cfg(not(loom))]
const WAYS: usize = 8;
/// In a model: one place, so that a second key needs the common note.
#[cfg(loom)]
const SETS: usize = 1;
#[cfg(loom)]
const WAYS: usize = 1;

/// Used places of a set with which new notes go to the second set, if that has fewer.
const CROWDED: usize = WAYS - WAYS / 4;

/// The number of keys that can have notes by name, if their hashes fill all sets.
#[cfg(all(test, not(loom)))]
pub(crate) const NAMED: usize = SETS * WAYS;

// A note is 64 bits, 0 for none:
//   24 bits  key plus 1
//    1 bit   FENCED: a fence has come since one of its operations was issued
//   39 bits  stamp: the number of its youngest operation
const STAMP_BITS: u32 = 39;
const STAMPS: u64 = 1 << STAMP_BITS;
const FENCED: u64 = STAMPS;
const KEY_SHIFT: u32 = STAMP_BITS + 1;

/// Keys are below this: key plus 1 has 24 bits.
pub(crate) const MAX_KEYS: u32 = (1 << (64 - KEY_SHIFT)) - 1;

// Bits of `Ledger::been`.
//   SETS bits  a note has been in the set
const SPILLED: u64 = 1 << SETS; // a note has been in the second set of its key
const HAD_FENCE: u64 = 1 << (SETS + 1); // there has been a fence

/// Places that share a cache line.
#[repr(align(64))]
struct Set([AtomicU64; WAYS]);

pub(crate) struct Ledger {
    /// The lane of the context's operations.
    #[cfg(not(loom))]
    lane: AtomicU8,
    named: [Set; SETS],
    /// The note for all keys that found no place in `named`, with 0 as its key.
    more: AtomicU64,
    /// The stamp of the next operation. It tells a note from a younger one. Stamps repeat after 2^39 operations; a
    /// thread completes what it has seen long before that.
    next: AtomicU64,
    /// What has happened once. Bits are set before the note that they tell of, and never cleared. They are relaxed: who
    /// has to see a note is ordered behind the thread that added it, or has acquired the note when it replaced it.
    been: AtomicU64,
    /// A key has been completed because it was marked, since the last fence. A guess: it decides how, not whether.
    one_completed: AtomicBool,
}

/// The keys to complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Outstanding {
    Nothing,
    One(u32),
    /// Several keys, or more than have notes by name.
    Many,
}

/// The notes that [`Ledger::look`] has found. [`Ledger::done`] removes these only.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    named: [[u64; WAYS]; SETS],
    more: u64,
}

fn note(key: u32, stamp: u64) -> u64 {
    (u64::from(key + 1) << KEY_SHIFT) | (stamp % STAMPS)
}

fn key_of(note: u64) -> Option<u32> {
    ((note >> KEY_SHIFT) as u32).checked_sub(1)
}

/// The first and the second set of a key. Neighbours in a grid of any shape spread over all sets.
fn sets_of(key: u32) -> [usize; 2] {
    let hash = key.wrapping_mul(0x9e37_79b9);
    let hash = (hash ^ hash >> 15).wrapping_mul(0x2c1b_3c6d);
    let (first, second) = ((hash >> 29) as usize % SETS, (hash >> 26) as usize % SETS);
    [first, if second == first { (first + 1) % SETS } else { second }]
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger {
            #[cfg(not(loom))]
            lane: AtomicU8::new(Lane::MAIN.0),
            named: core::array::from_fn(|_| Set(core::array::from_fn(|_| AtomicU64::new(0)))),
            more: AtomicU64::new(0),
            next: AtomicU64::new(0),
            been: AtomicU64::new(0),
            one_completed: AtomicBool::new(false),
        }
    }
}

/// A lane of the network: contexts of different lanes wait for no lock of each other's. A context that one thread has
/// to itself is given one when it is made (`ctx`).
#[cfg(not(loom))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lane(pub(crate) u8);

#[cfg(not(loom))]
impl Lane {
    /// Of the default context, and of all contexts that threads may share.
    pub(crate) const MAIN: Lane = Lane(0);
    /// Lanes beside the main one. Each costs what a fabric needs for it, and an endpoint for each PE that is used on
    /// it; with fewer, more threads share one.
    pub(crate) const OTHERS: usize = 8;
}

#[cfg(not(loom))]
impl Ledger {
    pub(crate) fn lane(&self) -> Lane {
        Lane(self.lane.load(Ordering::Relaxed))
    }

    /// Set while the context has nothing under way.
    pub(crate) fn set_lane(&self, lane: Lane) {
        self.lane.store(lane.0, Ordering::Relaxed);
    }
}

impl Ledger {
    /// Notes an operation to `key` that has been issued. Gives its number.
    pub(crate) fn issued(&self, key: u32) -> u64 {
        debug_assert!(key < MAX_KEYS); // boot refuses jobs that have more
        let stamp = self.next.fetch_add(1, Ordering::Relaxed); // a number only; the notes carry the order
        let new = note(key, stamp);
        if !self.renew(key, new) && !self.add(key, new) {
            self.more.swap(note(0, stamp), Ordering::Release); // SYNC ledger: pairs with look
        }
        stamp
    }

    /// All of these have happened.
    fn been(&self, bits: u64) -> bool {
        self.been.load(Ordering::Relaxed) & bits == bits
    }

    fn happens(&self, bits: u64) {
        if !self.been(bits) {
            self.been.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// The places in which the note of `key` can be.
    #[inline]
    fn places(&self, key: u32) -> impl Iterator<Item = &AtomicU64> {
        let sets = if self.been(SPILLED) { 2 } else { 1 };
        sets_of(key).into_iter().take(sets).flat_map(|set| &self.named[set].0)
    }

    /// Replaces the note of `key`, if there is one, by a younger one. The younger note keeps the mark of a fence,
    /// because it also stands for the older operations. It is always written: a thread that removes the note afterwards
    /// must see what was issued before.
    fn renew(&self, key: u32, new: u64) -> bool {
        self.places(key).any(|place| {
            let mut old = place.load(Ordering::Relaxed);
            while key_of(old) == Some(key) {
                // SYNC ledger: pairs with look. Acquire: this thread sees the bit of `been` that the thread which added
                // the note has set before.
                match place.compare_exchange_weak(old, new | old & FENCED, Ordering::AcqRel, Ordering::Relaxed) {
                    Ok(_) => return true,
                    Err(now) => old = now,
                }
            }
            false
        })
    }

    /// Puts the note of `key` into a free place of its two sets, if there is one.
    fn add(&self, key: u32, new: u64) -> bool {
        let [first, second] = sets_of(key);
        let used = |set: usize| self.named[set].0.iter().filter(|place| place.load(Ordering::Relaxed) != 0).count();
        let crowded = used(first) >= CROWDED && used(second) < used(first);
        let order = if crowded { [second, first] } else { [first, second] };
        order.into_iter().any(|set| self.add_to(set, if set == first { 0 } else { SPILLED }, new))
    }

    fn add_to(&self, set: usize, spilled: u64, new: u64) -> bool {
        self.named[set].0.iter().any(|place| {
            if place.load(Ordering::Relaxed) != 0 {
                return false;
            }
            self.happens(1 << set | spilled);
            // SYNC ledger: pairs with look
            place.compare_exchange(0, new, Ordering::Release, Ordering::Relaxed).is_ok()
        })
    }

    /// The notes that stand now.
    pub(crate) fn look(&self) -> Seen {
        let mut named = [[0; WAYS]; SETS];
        let been = self.been.load(Ordering::Relaxed);
        for (set, seen) in named.iter_mut().enumerate().filter(|(set, _)| been >> set & 1 == 1) {
            // SYNC ledger: pairs with issued
            *seen = core::array::from_fn(|way| self.named[set].0[way].load(Ordering::Acquire));
        }
        Seen { named, more: self.more.load(Ordering::Acquire) } // SYNC ledger: pairs with issued
    }

    /// Nothing is under way, for sure. Cheaper than a look.
    #[cfg(not(loom))]
    pub(crate) fn is_clear(&self) -> bool {
        let been = self.been.load(Ordering::Relaxed);
        let used = self.named.iter().enumerate().filter(|(set, _)| been >> set & 1 == 1);
        // SYNC ledger: pairs with done; if a note is gone, its operations are complete
        let gone = |place: &AtomicU64| place.load(Ordering::Acquire) == 0;
        gone(&self.more) && used.flat_map(|(_, set)| &set.0).all(gone)
    }

    /// Removes all notes of `seen`, whose operations the caller has completed. Younger notes stay.
    pub(crate) fn done(&self, seen: &Seen) {
        self.done_if(seen, |_| true);
        if seen.more != 0 {
            // SYNC ledger: pairs with look
            let _ = self.more.compare_exchange(seen.more, 0, Ordering::Release, Ordering::Relaxed);
        }
    }

    /// Removes the notes of `seen` that stand for `key`. The caller has completed their operations.
    pub(crate) fn done_with(&self, seen: &Seen, key: u32) {
        self.done_if(seen, |noted| noted == key);
    }

    /// Removes the notes by name of `seen` that stand for keys such that `complete` holds. The caller has completed
    /// their operations.
    pub(crate) fn done_if(&self, seen: &Seen, complete: impl Fn(u32) -> bool) {
        let places = self.named.iter().flat_map(|set| &set.0).zip(seen.named.as_flattened());
        for (place, &note) in places.filter(|(_, note)| key_of(**note).is_some_and(&complete)) {
            // SYNC ledger: pairs with must_wait and look
            let _ = place.compare_exchange(note, 0, Ordering::Release, Ordering::Relaxed);
        }
    }

    /// Marks all notes by name: later operations must not pass the noted ones. Operations that have no note by name are
    /// not marked; the caller completes them now.
    pub(crate) fn fence(&self) {
        let been = self.been.load(Ordering::Relaxed);
        for place in self.named.iter().enumerate().filter(|(set, _)| been >> set & 1 == 1).flat_map(|(_, set)| &set.0) {
            // Relaxed: `must_wait` acquires, and a changed note carries what the old one stood for.
            let mut old = place.load(Ordering::Relaxed);
            while old != 0 && old & FENCED == 0 {
                match place.compare_exchange_weak(old, old | FENCED, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => break,
                    Err(now) => old = now,
                }
            }
        }
        // The thread that issues operations after the fence is this one, or the program orders the two threads.
        self.happens(HAD_FENCE);
        self.one_completed.store(false, Ordering::Relaxed); // a guess
    }

    /// Operations to `key` that were issued before a fence may be incomplete. If so, they must be completed before an
    /// operation is issued that could pass them.
    #[inline]
    pub(crate) fn must_wait(&self, key: u32) -> bool {
        let marked = |note: u64| note & FENCED != 0 && key_of(note) == Some(key);
        // SYNC ledger: pairs with done; if a note is gone, its operations are complete
        self.been(HAD_FENCE) && self.places(key).any(|place| marked(place.load(Ordering::Acquire)))
    }

    /// A key is about to be completed because it must wait. Whether it is not the first one since the last fence: then
    /// more are likely to come.
    #[cfg(not(loom))]
    pub(crate) fn not_the_first(&self) -> bool {
        self.one_completed.swap(true, Ordering::Relaxed)
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

    /// The keys that have notes by name.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u32> {
        self.named.as_flattened().iter().filter_map(|&n| key_of(n))
    }

    /// There may be keys without a note by name.
    pub(crate) fn more(&self) -> bool {
        self.more != 0
    }

    /// `key` may have operations that are not complete.
    pub(crate) fn may_include(&self, key: u32) -> bool {
        self.more() || self.keys().any(|k| k == key)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod model {
    use super::super::model::check;
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// A model of MPI: operations to a PE are counted when they are issued, and a flush completes all that have been
    /// issued.
    #[derive(Default)]
    struct Net {
        issued: [AtomicUsize; 2],
        complete: [AtomicUsize; 2],
    }

    impl Net {
        fn put(&self, ledger: &Ledger, pe: u32) -> usize {
            // Relaxed, so that only the ledger orders it for other threads.
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
        /// Completes one PE after the other, each with a look and a `done_with`.
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

    /// Two threads put and call quiet on one context. What a thread has put is complete when its quiet returns, also if
    /// the quiet of the other thread has removed the note.
    #[test]
    fn loom_quiet_completes_own_puts() {
        completes_own_puts(Net::quiet, true);
    }

    #[test]
    fn loom_quiet_of_a_pe_completes_own_puts() {
        completes_own_puts(Net::quiet_pes, false);
    }

    fn completes_own_puts(quiet: fn(&Net, &Ledger), all: bool) {
        check(if all { 3 } else { 2 }, move || {
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

    /// A put before a fence must be waited for unless it is complete. Another thread notes operations to the same key
    /// and completes those it has seen.
    #[test]
    fn loom_a_fence_stands() {
        check(3, || {
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

    /// A note that replaces another stands for both operations, also if two threads issued them.
    #[test]
    fn loom_a_younger_note_carries_both() {
        for both_by_one in [true, false] {
            loom::model(move || {
                let shared = Arc::new((Net::default(), Ledger::default()));
                let first = |(net, ledger): &(Net, Ledger)| {
                    net.put(ledger, 0);
                    ledger.look().named[0][0]
                };
                let second = |(net, ledger): &(Net, Ledger)| {
                    net.issued[1].store(1, Ordering::Relaxed);
                    ledger.issued(0);
                };
                let older = first(&shared);
                let theirs = shared.clone();
                let completer = loom::thread::spawn(move || {
                    let (net, ledger) = &*theirs;
                    while ledger.look().named[0][0] == older {
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

    /// A quiet that sees a note completes its operation. A quiet that does not see it leaves it to a later quiet.
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
