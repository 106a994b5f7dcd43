//! A queue lock over the copies of one word; the PE that comes first is served first. The algorithm is that of
//! Mellor-Crummey and Scott. A PE's copy of the lock is its place in the queue. So a PE may hold or wait for any number
//! of locks, and it polls its own memory only.
//!
//! ```text
//! a copy, 64 bits:   | tail, 32 bits                 | node, 32 bits                                   |
//!                      last in the queue, PE + 1;       bit 31 WAITING, bit 30 HELD,
//!                      0: free. Home PE's copy only.    bits 29..0 next in the queue, PE + 1; 0: none yet
//! ```
//! All words are 0 when nobody holds the lock or waits for it.
//!
//! Cost for any number of PEs: `acquire` takes at most 3 AMOs, `release` 4 and `try_acquire` 5, and a wait none. At
//! most one PE enters its number into a node, and one passes the lock to it.

/// Flag of a node: its PE is in the queue, or is about to enter it.
const WAITING: u32 = 1 << 31;
/// Flag of a node: its PE has the lock.
const HELD: u32 = 1 << 30;
/// Mask of a node: the next PE in the queue, plus 1.
const NEXT: u32 = HELD - 1;

/// Names one of the words of a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// The tail, on the home PE.
    Tail,
    /// The node of this PE.
    Node(u32),
}

/// The words, all 0 at first. Every operation is atomic, acquires and releases.
pub(crate) trait LockWords {
    /// The number of PEs. The words of a lock hold no greater number.
    fn n_pes(&self) -> u32;
    fn fetch(&self, at: At) -> u32;
    /// Stores `value` and returns the old value.
    fn swap(&self, at: At, value: u32) -> u32;
    /// Stores `value` if the word holds `cond`. Returns the old value.
    fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32;
    /// Flips `bits` and returns the old value.
    fn xor(&self, at: At, bits: u32) -> u32;
    /// Returns when `ready` gives true for the caller's node. The load that ends the wait acquires. `behind` is the PE
    /// before the caller in the queue, if the caller waits for that one.
    fn wait(&self, ready: impl Fn(u32) -> bool, behind: Option<u32>);
}

/// Why a call is not possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misuse {
    /// The caller has the lock already.
    Held,
    /// Another thread of the caller waits for the lock.
    Waiting,
    /// The caller does not have the lock.
    NotHeld,
    /// A word holds a value that no lock can hold.
    Junk,
}

impl Misuse {
    /// The misuse that the caller's node shows. The node should have been 0.
    fn of(node: u32) -> Misuse {
        match node & (WAITING | HELD) {
            WAITING => Misuse::Waiting,
            HELD => Misuse::Held,
            _ => Misuse::Junk,
        }
    }
}

/// Waits until the lock can be taken, and takes it. It is an error if `me` has the lock already, if another thread of
/// `me` waits for it, or if the words are not those of a lock.
pub(crate) fn acquire(words: &impl LockWords, me: u32) -> Result<(), Misuse> {
    debug_assert!(me < NEXT);
    match words.compare_swap(At::Node(me), 0, WAITING) {
        0 => {}
        node => return Err(Misuse::of(node)),
    }
    // SYNC lock-free: pairs with the compare_swap in release that leaves the lock free
    match words.swap(At::Tail, me + 1) {
        // The flags are flipped, not stored: the next PE may have put its number into the node already.
        0 => {
            words.xor(At::Node(me), WAITING | HELD);
        }
        // With junk in the tail, a PE could wait behind itself or behind a PE that is not there. The tail cannot name
        // this PE, because its node was 0 and so it was in no queue. A PE that the tail names has a flag in its node.
        // It sets the flag before it enters the tail, and clears it after it has left the tail or has a next.
        last if last == me + 1 || last > words.n_pes() => return Err(Misuse::Junk),
        last => {
            let old = words.xor(At::Node(last - 1), me + 1);
            if !matches!(old, WAITING | HELD) {
                return Err(Misuse::Junk);
            }
            // SYNC lock-pass: pairs with the last xor in release
            words.wait(|node| node & WAITING == 0, Some(last - 1));
        }
    }
    Ok(())
}

/// Takes the lock if nobody has it or waits for it; true when taken. Never enters the queue. It is an error if `me` has
/// the lock already, or if the words are not those of a lock.
pub(crate) fn try_acquire(words: &impl LockWords, me: u32) -> Result<bool, Misuse> {
    debug_assert!(me < NEXT);
    let node = words.fetch(At::Node(me));
    if node != 0 && node & (WAITING | HELD) != WAITING {
        return Err(Misuse::of(node));
    }
    // If the lock is taken, no word is changed, the node of `me` included.
    let last = words.fetch(At::Tail);
    if last > words.n_pes() {
        return Err(Misuse::Junk);
    }
    if last != 0 || words.compare_swap(At::Node(me), 0, WAITING) != 0 {
        return Ok(false);
    }
    // SYNC lock-free: pairs with the compare_swap in release that leaves the lock free
    let free = words.compare_swap(At::Tail, 0, me + 1) == 0;
    // If the lock is not free, the tail has never named this PE, so no PE has put its number into this node.
    words.xor(At::Node(me), if free { WAITING | HELD } else { WAITING });
    Ok(free)
}

/// Passes the lock to the next PE in the queue, or leaves it free. It is an error if `me` does not have the lock, or if
/// the words have been overwritten.
pub(crate) fn release(words: &impl LockWords, me: u32) -> Result<(), Misuse> {
    let node = words.fetch(At::Node(me));
    if node & (WAITING | HELD) != HELD {
        return Err(Misuse::NotHeld);
    }
    if node & NEXT == 0 {
        // HELD stays until the tail is changed, so that another thread of this PE cannot enter the queue before that.
        // SYNC lock-free: pairs with the swap in acquire and the compare_swap in try_acquire
        match words.compare_swap(At::Tail, me + 1, 0) {
            last if last == me + 1 => {
                words.swap(At::Node(me), 0);
                return Ok(());
            }
            last if last == 0 || last > words.n_pes() => return Err(Misuse::Junk), // no PE would ever enter its number
            _ => words.wait(|node| node & NEXT != 0, None), // a PE is in the queue and about to enter its number
        }
    }
    // This PE's node is 0 before the next PE runs. So all words are 0 after the last release.
    let next = words.swap(At::Node(me), 0) & NEXT;
    if next > words.n_pes() {
        return Err(Misuse::Junk);
    }
    words.xor(At::Node(next - 1), WAITING | HELD); // SYNC lock-pass: pairs with the wait in acquire
    Ok(())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

    struct Local<'a> {
        tail: &'a AtomicU32,
        nodes: &'a [AtomicU32],
        me: u32,
    }

    thread_local! {
        /// The AMOs of this thread.
        static AMOS: core::cell::Cell<u32> = const { core::cell::Cell::new(0) };
    }

    impl Local<'_> {
        fn at(&self, at: At) -> &AtomicU32 {
            AMOS.set(AMOS.get() + 1);
            match at {
                At::Tail => self.tail,
                At::Node(pe) => &self.nodes[pe as usize],
            }
        }
    }

    impl LockWords for Local<'_> {
        fn n_pes(&self) -> u32 {
            self.nodes.len() as u32
        }
        fn fetch(&self, at: At) -> u32 {
            self.at(at).load(SeqCst)
        }
        fn swap(&self, at: At, value: u32) -> u32 {
            self.at(at).swap(value, SeqCst)
        }
        fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32 {
            match self.at(at).compare_exchange(cond, value, SeqCst, SeqCst) {
                Ok(old) | Err(old) => old,
            }
        }
        fn xor(&self, at: At, bits: u32) -> u32 {
            self.at(at).fetch_xor(bits, SeqCst)
        }
        fn wait(&self, ready: impl Fn(u32) -> bool, _: Option<u32>) {
            while !ready(self.nodes[self.me as usize].load(SeqCst)) {
                std::thread::yield_now();
            }
        }
    }

    /// Calls `act`, and notes its AMOs in `most`. Who fails while it has the lock would keep the others waiting.
    fn counted<T>(most: &AtomicU32, act: impl FnOnce() -> T) -> T {
        AMOS.set(0);
        let result = act();
        most.fetch_max(AMOS.get(), Relaxed);
        result
    }

    fn words(n: usize) -> (AtomicU32, Vec<AtomicU32>) {
        (AtomicU32::new(0), (0..n).map(|_| AtomicU32::new(0)).collect())
    }

    /// Five PEs take the lock by `acquire` and `try_acquire` in turn. Each adds 1 to a counter by a load and a separate
    /// store, so that two holders at a time would lose an addition. No call takes more AMOs than the module says.
    #[test]
    fn one_at_a_time() {
        let (tail, nodes) = words(5);
        let counter = AtomicU64::new(0);
        let most = [const { AtomicU32::new(0) }; 3];
        std::thread::scope(|s| {
            for me in 0..5 {
                let (words, counter, most) = (Local { tail: &tail, nodes: &nodes, me }, &counter, &most);
                s.spawn(move || {
                    for turn in 0..2000 {
                        if (turn + me) % 3 == 0 {
                            while !counted(&most[2], || try_acquire(&words, me)).unwrap() {
                                std::thread::yield_now();
                            }
                        } else {
                            counted(&most[0], || acquire(&words, me)).unwrap();
                        }
                        let old = counter.load(Relaxed);
                        std::hint::spin_loop();
                        counter.store(old + 1, Relaxed);
                        counted(&most[1], || release(&words, me)).unwrap();
                    }
                });
            }
        });
        assert_eq!(counter.into_inner(), 5 * 2000);
        let most = most.map(AtomicU32::into_inner);
        assert!(most[0] <= 3 && most[1] <= 4 && most[2] <= 5, "{most:?} AMOs");
        assert_eq!(tail.into_inner(), 0);
        assert!(nodes.into_iter().all(|n| n.into_inner() == 0));
    }

    /// The PE that enters the queue first is served first. `try_acquire` fails while a PE waits.
    #[test]
    fn first_come_first_served() {
        let (tail, nodes) = words(4);
        let at = |me| Local { tail: &tail, nodes: &nodes, me };
        let served = std::sync::Mutex::new(Vec::new());
        acquire(&at(0), 0).unwrap();
        std::thread::scope(|s| {
            for me in [3, 1, 2] {
                let (words, served) = (at(me), &served);
                s.spawn(move || {
                    acquire(&words, me).unwrap();
                    served.lock().unwrap().push(me);
                    release(&words, me).unwrap();
                });
                while tail.load(SeqCst) != me + 1 {
                    std::thread::yield_now();
                }
            }
            assert_eq!(try_acquire(&at(0), 0), Err(Misuse::Held));
            release(&at(0), 0).unwrap();
        });
        assert_eq!(served.into_inner().unwrap(), [3, 1, 2]);
    }

    #[test]
    fn misuse_is_reported_and_changes_nothing() {
        let (tail, nodes) = words(2);
        let at = |me| Local { tail: &tail, nodes: &nodes, me };
        assert_eq!(release(&at(0), 0), Err(Misuse::NotHeld));
        acquire(&at(0), 0).unwrap();
        assert_eq!(acquire(&at(0), 0), Err(Misuse::Held));
        assert_eq!(try_acquire(&at(0), 0), Err(Misuse::Held));
        assert_eq!(release(&at(1), 1), Err(Misuse::NotHeld));
        assert_eq!(try_acquire(&at(1), 1), Ok(false));
        release(&at(0), 0).unwrap();
        assert_eq!(release(&at(0), 0), Err(Misuse::NotHeld));
        assert_eq!(try_acquire(&at(1), 1), Ok(true));
        release(&at(1), 1).unwrap();
        assert_eq!(tail.into_inner(), 0);
    }

    /// The caller has the lock, but its queue has been overwritten. The release waits for no PE that is not there.
    #[test]
    fn misuse_of_the_queue_is_reported_in_a_release() {
        for (tail, node) in [(0, HELD), (3, HELD), (1, HELD | 3)] {
            let (tail, nodes) = (AtomicU32::new(tail), [node, 0].map(AtomicU32::new));
            let words = Local { tail: &tail, nodes: &nodes, me: 0 };
            assert_eq!(release(&words, 0), Err(Misuse::Junk), "tail {tail:?}, node {node}");
        }
    }

    /// The flags and the largest PE number use different bits.
    #[test]
    fn numbers_and_flags_are_disjoint() {
        assert_eq!((WAITING & HELD, NEXT & (WAITING | HELD)), (0, 0));
        assert_eq!(WAITING | HELD | NEXT, u32::MAX);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::super::model::check;
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::atomic::{AtomicU32, Ordering};
    use loom::sync::{Arc, Notify};

    /// The memory orders of the operations that make the protected data visible to the next holder.
    #[derive(Clone, Copy)]
    struct Orders {
        tail_swap: Ordering,
        tail_compare_swap: Ordering,
        node: Ordering,
        wait: Ordering,
    }

    const RIGHT: Orders = Orders {
        tail_swap: Ordering::AcqRel,
        tail_compare_swap: Ordering::AcqRel,
        node: Ordering::AcqRel,
        wait: Ordering::Acquire,
    };

    struct Shared {
        orders: Orders,
        tail: AtomicU32,
        nodes: Vec<AtomicU32>,
        /// With more than two PEs: notified when another PE changes a node. Two PEs that poll without pause would keep
        /// loom from running the third. A notification orders memory, too, so the orders are tested with two PEs.
        changed: Vec<Notify>,
        /// What the lock protects: loom reports two accesses that are not ordered.
        data: UnsafeCell<u32>,
    }

    struct Pe(Arc<Shared>, u32);

    impl LockWords for Pe {
        fn n_pes(&self) -> u32 {
            self.0.nodes.len() as u32
        }
        fn fetch(&self, at: At) -> u32 {
            match at {
                At::Tail => self.0.tail.load(Ordering::Relaxed),
                At::Node(pe) => self.0.nodes[pe as usize].load(Ordering::Relaxed),
            }
        }
        fn swap(&self, at: At, value: u32) -> u32 {
            match at {
                At::Tail => self.0.tail.swap(value, self.0.orders.tail_swap),
                At::Node(pe) => self.0.nodes[pe as usize].swap(value, self.0.orders.node),
            }
        }
        fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32 {
            let (word, order) = match at {
                At::Tail => (&self.0.tail, self.0.orders.tail_compare_swap),
                At::Node(pe) => (&self.0.nodes[pe as usize], self.0.orders.node),
            };
            match word.compare_exchange(cond, value, order, Ordering::Relaxed) {
                Ok(old) | Err(old) => old,
            }
        }
        fn xor(&self, at: At, bits: u32) -> u32 {
            let At::Node(pe) = at else { panic!("the tail is swapped only") };
            let old = self.0.nodes[pe as usize].fetch_xor(bits, self.0.orders.node);
            if let Some(changed) = self.0.changed.get(pe as usize) {
                changed.notify();
            }
            old
        }
        fn wait(&self, ready: impl Fn(u32) -> bool, _: Option<u32>) {
            while !ready(self.0.nodes[self.1 as usize].load(self.0.orders.wait)) {
                match self.0.changed.get(self.1 as usize) {
                    Some(changed) => changed.wait(),
                    None => loom::thread::yield_now(),
                }
            }
        }
    }

    /// PE `i` takes the lock by `ways[i]` and adds 1 to plain data. At the end the data is the number of times the lock
    /// was taken, and all words are 0.
    fn increments(orders: Orders, bound: usize, ways: &'static [fn(&Pe) -> bool]) {
        rounds(orders, bound, 1, ways);
    }

    /// [`increments`] in which PE 0 takes the lock `first` times.
    fn rounds(orders: Orders, bound: usize, first: u32, ways: &'static [fn(&Pe) -> bool]) {
        check(bound, move || {
            let shared = Arc::new(Shared {
                orders,
                tail: AtomicU32::new(0),
                nodes: ways.iter().map(|_| AtomicU32::new(0)).collect(),
                changed: if ways.len() > 2 { ways.iter().map(|_| Notify::new()).collect() } else { Vec::new() },
                data: UnsafeCell::new(0),
            });
            let body = |pe: &Pe, take: fn(&Pe) -> bool| {
                if !take(pe) {
                    return 0;
                }
                // SAFETY: this PE has the lock. Loom reports a race if the lock does not exclude the others.
                pe.0.data.with_mut(|p| unsafe { *p += 1 });
                release(pe, pe.1).unwrap();
                1
            };
            let others: Vec<_> = (1..ways.len())
                .map(|i| {
                    let pe = Pe(shared.clone(), i as u32);
                    loom::thread::spawn(move || body(&pe, ways[i]))
                })
                .collect();
            let me = Pe(shared.clone(), 0);
            let mut taken: u32 = (0..first).map(|_| body(&me, ways[0])).sum();
            taken += others.into_iter().map(|t| t.join().unwrap()).sum::<u32>();
            // SAFETY: the other threads have been joined, so nobody writes the cell.
            assert_eq!(shared.data.with(|p| unsafe { *p }), taken);
            assert!(taken > 0, "a lock that nobody has must be taken");
            assert_eq!(shared.tail.load(Ordering::Relaxed), 0);
            assert!(shared.nodes.iter().all(|n| n.load(Ordering::Relaxed) == 0));
        });
    }

    fn set(pe: &Pe) -> bool {
        acquire(pe, pe.1).unwrap();
        true
    }

    fn test(pe: &Pe) -> bool {
        try_acquire(pe, pe.1).unwrap()
    }

    #[test]
    fn loom_lock_of_two() {
        increments(RIGHT, 4, &[set, set]);
    }

    /// A PE that takes the lock again enters the queue behind the PE that it passed the lock to. It must never read
    /// junk.
    #[test]
    fn loom_lock_again() {
        rounds(RIGHT, 3, 2, &[set, set]);
        rounds(RIGHT, 3, 2, &[test, set]);
    }

    #[test]
    fn loom_lock_of_three() {
        increments(RIGHT, 2, &[set, set, set]);
    }

    #[test]
    fn loom_lock_set_and_test() {
        increments(RIGHT, 3, &[test, set]);
        increments(RIGHT, 3, &[test, test]);
        increments(RIGHT, 2, &[set, test, set]);
    }

    // Each order is needed: if it is weakened, loom finds two accesses that are not ordered.

    #[test]
    #[should_panic(expected = "Causality violation")]
    fn loom_lock_needs_the_tail_swap() {
        increments(Orders { tail_swap: Ordering::Relaxed, ..RIGHT }, 2, &[set, set]);
    }

    #[test]
    #[should_panic(expected = "Causality violation")]
    fn loom_lock_needs_the_tail_compare_swap() {
        increments(Orders { tail_compare_swap: Ordering::Relaxed, ..RIGHT }, 2, &[set, set]);
    }

    #[test]
    #[should_panic(expected = "Causality violation")]
    fn loom_lock_needs_the_hand_over() {
        increments(Orders { node: Ordering::Relaxed, ..RIGHT }, 2, &[set, set]);
    }

    #[test]
    #[should_panic(expected = "Causality violation")]
    fn loom_lock_needs_the_wait() {
        increments(Orders { wait: Ordering::Relaxed, ..RIGHT }, 2, &[set, set]);
    }
}
