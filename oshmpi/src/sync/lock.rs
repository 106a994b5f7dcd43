//! A queue lock over the copies of one word, first come first served: Mellor-Crummey and Scott's, with a PE's own copy
//! of the lock as its place in the queue. So a PE may hold or wait for any number of locks, and waits on memory of its
//! own only.
//!
//! ```text
//! a copy, 64 bits:   | tail, 32 bits                 | node, 32 bits                                   |
//!                      last in the queue, PE + 1;       bit 31 WAITING, bit 30 HELD,
//!                      0: free. Home PE's copy only.    bits 29..0 who is next, PE + 1; 0: nobody yet
//! ```
//! All words are 0 when nobody holds the lock or waits for it.

/// This PE is in the queue, or about to be.
const WAITING: u32 = 1 << 31;
/// This PE has the lock.
const HELD: u32 = 1 << 30;
/// The next in the queue, PE + 1.
const NEXT: u32 = HELD - 1;

/// One of a lock's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum At {
    /// On the home PE.
    Tail,
    /// On this PE.
    Node(u32),
}

/// The words, all 0 at first. Every operation is atomic, acquires and releases.
pub(crate) trait LockWords {
    /// How many PEs there are: numbers in the words are not above it.
    fn n_pes(&self) -> u32;
    fn fetch(&self, at: At) -> u32;
    /// Gives the old value, as the others do.
    fn swap(&self, at: At, value: u32) -> u32;
    fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32;
    fn xor(&self, at: At, bits: u32) -> u32;
    /// Returns when `ready` likes the node of the caller, with acquire effect.
    fn wait(&self, ready: impl Fn(u32) -> bool);
}

/// Why a call cannot be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Misuse {
    /// The caller has the lock already.
    Held,
    /// Another thread of the caller waits for it.
    Waiting,
    /// The caller does not have it.
    NotHeld,
    /// A word holds what no lock's can.
    Junk,
}

impl Misuse {
    /// The caller's own node was to be 0.
    fn of(node: u32) -> Misuse {
        match node & (WAITING | HELD) {
            WAITING => Misuse::Waiting,
            HELD => Misuse::Held,
            _ => Misuse::Junk,
        }
    }
}

/// Waits for its turn and takes the lock. An error: `me` has it already, or waits for it in another thread, or the words
/// were never a lock's.
pub(crate) fn acquire(words: &impl LockWords, me: u32) -> Result<(), Misuse> {
    debug_assert!(me < NEXT);
    match words.compare_swap(At::Node(me), 0, WAITING) {
        0 => {}
        node => return Err(Misuse::of(node)),
    }
    // SYNC lock-free: acquires what the last holder released, when it left the lock free.
    match words.swap(At::Tail, me + 1) {
        // Flipped, not stored: the next may have put its number there already.
        0 => {
            words.xor(At::Node(me), WAITING | HELD);
        }
        // A tail of junk would have a PE wait behind itself or behind nobody. A clean own node is not in any queue; and
        // who is last has a flag, from before it went into the tail until after it left it or has a next.
        last if last == me + 1 || last > words.n_pes() => return Err(Misuse::Junk),
        last => {
            let old = words.xor(At::Node(last - 1), me + 1);
            if !matches!(old, WAITING | HELD) {
                return Err(Misuse::Junk);
            }
            words.wait(|node| node & WAITING == 0); // SYNC lock-pass: pairs with the last line of release
        }
    }
    Ok(())
}

/// Takes the lock if nobody has it or waits for it; true when taken. Never queues. An error: `me` has it already, or the
/// words were never a lock's.
pub(crate) fn try_acquire(words: &impl LockWords, me: u32) -> Result<bool, Misuse> {
    debug_assert!(me < NEXT);
    let node = words.fetch(At::Node(me));
    if node != 0 && node & (WAITING | HELD) != WAITING {
        return Err(Misuse::of(node));
    }
    // A lock that is taken is left alone, own node included.
    let last = words.fetch(At::Tail);
    if last > words.n_pes() {
        return Err(Misuse::Junk);
    }
    if last != 0 || words.compare_swap(At::Node(me), 0, WAITING) != 0 {
        return Ok(false);
    }
    let free = words.compare_swap(At::Tail, 0, me + 1) == 0; // SYNC lock-free
    // If not, nobody has ever seen this PE in the tail, so nobody is next to it.
    words.xor(At::Node(me), if free { WAITING | HELD } else { WAITING });
    Ok(free)
}

/// Gives the lock to the next in the queue, or leaves it free. An error: `me` does not have it, or the words have been
/// written to.
pub(crate) fn release(words: &impl LockWords, me: u32) -> Result<(), Misuse> {
    let node = words.fetch(At::Node(me));
    if node & (WAITING | HELD) != HELD {
        return Err(Misuse::NotHeld);
    }
    if node & NEXT == 0 {
        // HELD stays until the tail is done, so that another thread of this PE cannot come in between.
        match words.compare_swap(At::Tail, me + 1, 0) {
            last if last == me + 1 => {
                words.swap(At::Node(me), 0);
                return Ok(());
            }
            last if last == 0 || last > words.n_pes() => return Err(Misuse::Junk), // nobody would ever say it is next
            _ => words.wait(|node| node & NEXT != 0), // somebody is behind us and about to say who
        }
    }
    // The own word is clean before the next one runs: when the last has released, all words are 0.
    let next = words.swap(At::Node(me), 0) & NEXT;
    if next > words.n_pes() {
        return Err(Misuse::Junk);
    }
    words.xor(At::Node(next - 1), WAITING | HELD); // SYNC lock-pass
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

    impl Local<'_> {
        fn at(&self, at: At) -> &AtomicU32 {
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
        fn wait(&self, ready: impl Fn(u32) -> bool) {
            while !ready(self.fetch(At::Node(self.me))) {
                std::thread::yield_now();
            }
        }
    }

    fn words(n: usize) -> (AtomicU32, Vec<AtomicU32>) {
        (AtomicU32::new(0), (0..n).map(|_| AtomicU32::new(0)).collect())
    }

    /// A counter that is read and written apart; setters and testers mixed; all words 0 afterwards.
    #[test]
    fn one_at_a_time() {
        let (tail, nodes) = words(5);
        let counter = AtomicU64::new(0);
        std::thread::scope(|s| {
            for me in 0..5 {
                let (words, counter) = (Local { tail: &tail, nodes: &nodes, me }, &counter);
                s.spawn(move || {
                    for turn in 0..2000 {
                        if (turn + me) % 3 == 0 {
                            while !try_acquire(&words, me).unwrap() {
                                std::thread::yield_now();
                            }
                        } else {
                            acquire(&words, me).unwrap();
                        }
                        let old = counter.load(Relaxed);
                        std::hint::spin_loop();
                        counter.store(old + 1, Relaxed);
                        release(&words, me).unwrap();
                    }
                });
            }
        });
        assert_eq!(counter.into_inner(), 5 * 2000);
        assert_eq!(tail.into_inner(), 0);
        assert!(nodes.into_iter().all(|n| n.into_inner() == 0));
    }

    /// Whoever queues first is served first, and a test fails while somebody waits.
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
    fn misuse_is_seen_and_changes_nothing() {
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

    /// Words that no lock can have are told from a lock that is taken: whoever meets them neither waits nor is sent away.
    #[test]
    fn junk_is_seen() {
        type Act = fn(&Local) -> Option<Misuse>;
        let (set, test, clear): (Act, Act, Act) =
            (|w| acquire(w, 0).err(), |w| try_acquire(w, 0).err(), |w| release(w, 0).err());
        let on = |act: Act, tail, node: u32| {
            let (tail, nodes) = (AtomicU32::new(tail), [node; 2].map(AtomicU32::new));
            act(&Local { tail: &tail, nodes: &nodes, me: 0 })
        };
        for tail in [1, 2, 3, 5, HELD, u32::MAX] {
            assert_eq!(on(set, tail, 0), Some(Misuse::Junk), "tail {tail}");
            // The tail of two PEs may be 1 or 2: the lock looks taken.
            assert_eq!(on(test, tail, 0), (tail > 2).then_some(Misuse::Junk), "tail {tail}");
        }
        for node in [1, 5, WAITING | HELD, u32::MAX] {
            assert_eq!((on(set, 0, node), on(test, 0, node)), (Some(Misuse::Junk), Some(Misuse::Junk)), "node {node}");
            assert_eq!(on(clear, 0, node), Some(Misuse::NotHeld), "node {node}");
        }
        // A holder whose queue has been written to.
        for (tail, node) in [(0, HELD), (3, HELD), (1, HELD | 3)] {
            assert_eq!(on(clear, tail, node), Some(Misuse::Junk), "tail {tail}, node {node}");
        }
    }

    /// The largest PE number that has room.
    #[test]
    fn numbers_do_not_meet_the_flags() {
        assert_eq!((WAITING & HELD, NEXT & (WAITING | HELD)), (0, 0));
        assert_eq!(WAITING | HELD | NEXT, u32::MAX);
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::atomic::{AtomicU32, Ordering};
    use loom::sync::{Arc, Notify};

    /// Orders of the operations that carry the protected data from holder to holder.
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
        /// Rung when another PE changes a node, if there are more than two PEs: two that look again and again would
        /// keep loom from ever running the third. A event count orders memory too, so the orders are judged with two.
        bells: Vec<Notify>,
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
            if let Some(event_count) = self.0.bells.get(pe as usize) {
                event_count.notify();
            }
            old
        }
        fn wait(&self, ready: impl Fn(u32) -> bool) {
            while !ready(self.0.nodes[self.1 as usize].load(self.0.orders.wait)) {
                match self.0.bells.get(self.1 as usize) {
                    Some(event_count) => event_count.wait(),
                    None => loom::thread::yield_now(),
                }
            }
        }
    }

    /// Each PE takes the lock its way and adds 1 to plain data; the sum is what was taken, all words end as 0.
    fn increments(orders: Orders, bound: usize, ways: &'static [fn(&Pe) -> bool]) {
        rounds(orders, bound, 1, ways);
    }

    /// The same, PE 0 several times.
    fn rounds(orders: Orders, bound: usize, first: u32, ways: &'static [fn(&Pe) -> bool]) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(bound);
        model.check(move || {
            let shared = Arc::new(Shared {
                orders,
                tail: AtomicU32::new(0),
                nodes: ways.iter().map(|_| AtomicU32::new(0)).collect(),
                bells: if ways.len() > 2 { ways.iter().map(|_| Notify::new()).collect() } else { Vec::new() },
                data: UnsafeCell::new(0),
            });
            let body = |pe: &Pe, take: fn(&Pe) -> bool| {
                if !take(pe) {
                    return 0;
                }
                // SAFETY: loom checks that nobody else accesses the cell now; that is what the model proves.
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
            // SAFETY: all threads have been joined.
            assert_eq!(shared.data.with(|p| unsafe { *p }), taken);
            assert!(taken > 0, "somebody must get a lock that nobody has");
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

    /// Who comes back queues behind the one it has passed the lock to, and is never taken for junk.
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

    // Each order is needed: weakened, the model finds the two accesses that are not ordered any more.

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
