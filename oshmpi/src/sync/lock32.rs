//! The queue lock of [`super::lock`] on copies of 32 bits, for Fortran's lock variables.
//!
//! ```text
//! a copy, 32 bits:   | node, 16 bits                            | tail, 16 bits            |
//!                      bit 15 WAITING, bit 14 HELD,               last in the queue, PE + 1
//!                      bits 13..0 next in the queue, PE + 1
//! ```
//! AMOs change both halves of the home PE's copy, so each of them acts on the whole copy.

use super::lock::{At, LockWords};

/// PE numbers are below this: a number plus 1 has 14 bits.
pub(crate) const PES: u32 = (1 << 14) - 1;

/// The copies of one lock. Every operation is atomic, acquires and releases.
pub(crate) trait Copies {
    fn n_pes(&self) -> u32;
    /// The PE whose copy holds the tail.
    fn home(&self) -> u32;
    fn fetch(&self, pe: u32) -> u32;
    /// Stores `value` if the copy holds `cond`. Returns the old value.
    fn compare_swap(&self, pe: u32, cond: u32, value: u32) -> u32;
    /// Flips `bits` and returns the old value.
    fn xor(&self, pe: u32, bits: u32) -> u32;
    /// Returns when `ready` gives true for the caller's copy. The load that ends the wait acquires. `behind` is as in
    /// [`LockWords::wait`].
    fn wait(&self, ready: impl Fn(u32) -> bool, behind: Option<u32>);
}

/// The words that [`super::lock`] works on, made from such copies.
pub(crate) struct Narrow<C>(pub(crate) C);

/// The two flags of a node of 32 bits.
const FLAGS: u32 = 3 << 30;

/// Turns a node of 16 bits into one of 32: the two flags move to the top.
fn widen(node: u32) -> u32 {
    (node << 16) & FLAGS | node & PES
}

/// Turns a node of 32 bits into one of 16.
fn narrow(node: u32) -> u32 {
    (node & FLAGS) >> 16 | node & PES
}

/// The tail's bits of a copy.
const TAIL: u32 = 0xffff;

/// The value that a copy holds for a word.
fn read(at: At, copy: u32) -> u32 {
    match at {
        At::Tail => copy & TAIL,
        At::Node(_) => widen(copy >> 16),
    }
}

/// A copy in which a word has another value.
fn with(at: At, copy: u32, value: u32) -> u32 {
    match at {
        At::Tail => copy & !TAIL | value,
        At::Node(_) => copy & TAIL | narrow(value) << 16,
    }
}

impl<C: Copies> Narrow<C> {
    fn pe(&self, at: At) -> u32 {
        match at {
            At::Tail => self.0.home(),
            At::Node(pe) => pe,
        }
    }

    /// Replaces a word if `allowed` gives true for its value. Returns the old value.
    fn replace(&self, at: At, value: u32, allowed: impl Fn(u32) -> bool) -> u32 {
        let pe = self.pe(at);
        let mut copy = self.0.fetch(pe);
        loop {
            let old = read(at, copy);
            if !allowed(old) {
                return old;
            }
            match self.0.compare_swap(pe, copy, with(at, copy, value)) {
                now if now == copy => return old,
                now => copy = now, // another AMO has changed one of the halves
            }
        }
    }
}

impl<C: Copies> LockWords for Narrow<C> {
    fn n_pes(&self) -> u32 {
        self.0.n_pes()
    }

    fn fetch(&self, at: At) -> u32 {
        read(at, self.0.fetch(self.pe(at)))
    }

    fn swap(&self, at: At, value: u32) -> u32 {
        self.replace(at, value, |_| true)
    }

    fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32 {
        self.replace(at, value, |old| old == cond)
    }

    fn xor(&self, at: At, bits: u32) -> u32 {
        read(at, self.0.xor(self.pe(at), with(at, 0, bits)))
    }

    fn wait(&self, ready: impl Fn(u32) -> bool, behind: Option<u32>) {
        self.0.wait(|copy| ready(widen(copy >> 16)), behind);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::lock::tests::counts_exclusively;
    use super::*;
    use core::sync::atomic::{AtomicU32, Ordering::SeqCst};

    /// The copies, and the caller. The home is PE 1, so that the home waits, too.
    struct Local<'a>(&'a [AtomicU32], u32);

    impl Copies for Local<'_> {
        fn n_pes(&self) -> u32 {
            self.0.len() as u32
        }
        fn home(&self) -> u32 {
            1
        }
        fn fetch(&self, pe: u32) -> u32 {
            self.0[pe as usize].load(SeqCst)
        }
        fn compare_swap(&self, pe: u32, cond: u32, value: u32) -> u32 {
            match self.0[pe as usize].compare_exchange(cond, value, SeqCst, SeqCst) {
                Ok(old) | Err(old) => old,
            }
        }
        fn xor(&self, pe: u32, bits: u32) -> u32 {
            self.0[pe as usize].fetch_xor(bits, SeqCst)
        }
        fn wait(&self, ready: impl Fn(u32) -> bool, _: Option<u32>) {
            while !ready(self.fetch(self.1)) {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn one_at_a_time() {
        let copies: Vec<AtomicU32> = (0..5).map(|_| AtomicU32::new(0)).collect();
        counts_exclusively(|me| Narrow(Local(&copies, me)));
        assert!(copies.into_iter().all(|c| c.into_inner() == 0));
    }

    #[test]
    fn the_largest_pe_has_room_beside_the_flags() {
        let last = PES - 1;
        for value in [0, last + 1, FLAGS | (last + 1), 1 << 31, 1 << 30] {
            assert_eq!(widen(narrow(value)), value);
            assert_eq!(read(At::Node(0), with(At::Node(0), TAIL, value)), value);
        }
        assert_eq!(with(At::Tail, 0xabcd_0000, last + 1), 0xabcd_0000 | (last + 1));
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::super::lock::{acquire, release, try_acquire};
    use super::super::model::check;
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicU32, Ordering};

    struct Shared {
        copies: [AtomicU32; 2],
        data: UnsafeCell<u32>,
    }

    /// The words, a PE, and the memory order of its AMOs.
    struct Pe(Arc<Shared>, u32, Ordering);

    impl Copies for Pe {
        fn n_pes(&self) -> u32 {
            self.0.copies.len() as u32
        }
        fn home(&self) -> u32 {
            0
        }
        fn fetch(&self, pe: u32) -> u32 {
            self.0.copies[pe as usize].load(Ordering::Relaxed)
        }
        fn compare_swap(&self, pe: u32, cond: u32, value: u32) -> u32 {
            match self.0.copies[pe as usize].compare_exchange(cond, value, self.2, Ordering::Relaxed) {
                Ok(old) | Err(old) => old,
            }
        }
        fn xor(&self, pe: u32, bits: u32) -> u32 {
            self.0.copies[pe as usize].fetch_xor(bits, self.2)
        }
        fn wait(&self, ready: impl Fn(u32) -> bool, _: Option<u32>) {
            while !ready(self.0.copies[self.1 as usize].load(Ordering::Acquire)) {
                loom::thread::yield_now();
            }
        }
    }

    /// PE 0 takes the lock by `acquire`, PE 1 by `acquire` or `try_acquire`. Each PE that has the lock adds 1 to plain
    /// data.
    fn two(order: Ordering, other_tests: bool) {
        check(3, move || {
            let shared = Arc::new(Shared { copies: [AtomicU32::new(0), AtomicU32::new(0)], data: UnsafeCell::new(0) });
            let body = |pe: Pe, tests: bool| {
                let me = pe.1;
                let words = Narrow(pe);
                if tests && !try_acquire(&words, me).unwrap() {
                    return 0;
                }
                if !tests {
                    acquire(&words, me).unwrap();
                }
                // SAFETY: this PE has the lock. Loom reports a race if the lock does not exclude the other PE.
                words.0.0.data.with_mut(|p| unsafe { *p += 1 });
                release(&words, me).unwrap();
                1
            };
            let other = Pe(shared.clone(), 1, order);
            let thread = loom::thread::spawn(move || body(other, other_tests));
            let taken = body(Pe(shared.clone(), 0, order), false) + thread.join().unwrap();
            // SAFETY: the other thread has been joined, so nobody writes the cell.
            assert_eq!(shared.data.with(|p| unsafe { *p }), taken);
            assert!(shared.copies.iter().all(|c| c.load(Ordering::Relaxed) == 0));
        });
    }

    #[test]
    fn loom_lock32_of_two() {
        two(Ordering::AcqRel, false);
        two(Ordering::AcqRel, true);
    }

    #[test]
    #[should_panic(expected = "Causality violation")]
    fn loom_lock32_needs_its_orders() {
        two(Ordering::Relaxed, false);
    }
}
