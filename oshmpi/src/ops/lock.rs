//! set_lock, test_lock and clear_lock. The algorithm is `sync::lock`. Its words are the halves of the lock variable's
//! copies on all PEs: the tail of the queue, then the PE's queue node. They are changed by AMOs and waited for as any
//! variable is, so every route to statics serves them.
//!
//! C's lock variables have 64 bits, and a word is an AMO's operand. Fortran's have 32: a word is half an operand, so a
//! swap of the tail is tried again when another PE has changed the copy meanwhile. Each such change is a PE's that
//! enters the queue or leaves it, so k PEs that come at a time try k times each at most. To wait takes no AMO.

use super::wait::OwnWords;
use super::{amo, order};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::state;
use crate::sync::awaited::Awaited;
use crate::sync::lock::{self, At, LockWords, Misuse};
use core::ffi::c_int;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::thread::{self, ThreadId};

/// The threads of this PE that have locks, by the addresses of the locks.
static HOLDERS: Mutex<BTreeMap<usize, ThreadId>> = Mutex::new(BTreeMap::new());

fn holders() -> MutexGuard<'static, BTreeMap<usize, ThreadId>> {
    HOLDERS.lock().unwrap_or_else(|e| e.into_inner())
}

/// Only threads that call at a time need be told apart.
fn threads_differ() -> bool {
    state::threads().0 == args::MULTIPLE
}

/// The most PEs that a word of 16 bits can name beside its two flags.
const MOST_NARROW: u32 = 0x3fff;

/// A word's value in 16 bits. The two flags are the upper bits there, too.
fn narrow(value: u32) -> u32 {
    (value >> 16 & !MOST_NARROW) | (value & MOST_NARROW)
}

/// The value of a word of 16 bits.
fn wide(value: u32) -> u32 {
    (value & !MOST_NARROW & 0xffff) << 16 | (value & MOST_NARROW)
}

/// A lock variable.
pub(crate) struct Lock {
    routine: &'static str,
    at: *mut u32,
    /// The words have 16 bits, not 32.
    narrow: bool,
    home: c_int,
    me: u32,
}

impl Lock {
    /// Ends the job if the variable is not symmetric or not aligned, or too short for the job.
    pub(crate) fn new<T>(routine: &'static str, lock: *mut T) -> Lock {
        let rt = state::up(routine);
        let len = const {
            assert!(size_of::<T>() == 4 || size_of::<T>() == 8);
            size_of::<T>()
        };
        let range = args::symmetric(rt, routine, "lock", lock as usize, len);
        if !lock.is_aligned() {
            fatal(routine, format_args!("lock {lock:p} is not aligned to {len} bytes"));
        }
        let n_pes = rt.n_pes;
        if len == 4 && n_pes > MOST_NARROW {
            fatal(
                routine,
                format_args!(
                    "a lock of 4 bytes serves up to {MOST_NARROW} PEs, not {n_pes}; 8-byte integers serve all"
                ),
            );
        }
        // The locks of an array have different home PEs.
        let home = ((range.off / len) as u64 % u64::from(n_pes)) as c_int;
        Lock { routine, at: lock.cast(), narrow: len == 4, home, me: state::my_pe(routine) as u32 }
    }

    fn note_held(&self) {
        if threads_differ() {
            holders().insert(self.at as usize, thread::current().id());
        }
    }

    /// Waits for the lock, first come first served.
    pub(crate) fn set(&self) {
        // A PE has one place in the queue. Another thread of this PE may have the place: it waits for the lock, tests
        // the lock or has it. The place is free when that thread has released the lock or its test is over. If several
        // threads wait for the place, one gets it.
        loop {
            match lock::acquire(self, self.me) {
                Ok(()) => return self.note_held(),
                Err(misuse) if self.is_of_another_thread(misuse) => {}
                Err(misuse) => misused(self.routine, self.at as usize, misuse),
            }
            self.wait(|node| node == 0, None);
        }
    }

    /// Takes the lock if it is free: 0 if this PE has it then, else 1.
    pub(crate) fn test(&self) -> c_int {
        match lock::try_acquire(self, self.me) {
            Ok(true) => {
                self.note_held();
                return 0;
            }
            Ok(false) => {}
            Err(misuse) if self.is_of_another_thread(misuse) => {}
            Err(misuse) => misused(self.routine, self.at as usize, misuse),
        }
        super::wait::not_yet(self.routine);
        1
    }

    /// Whether it is no misuse, because another thread of this PE has the lock or waits for it. A thread that has just
    /// got the lock may not have noted that yet.
    fn is_of_another_thread(&self, misuse: Misuse) -> bool {
        let may_be = threads_differ() && matches!(misuse, Misuse::Held | Misuse::Waiting);
        may_be && holders().get(&(self.at as usize)) != Some(&thread::current().id())
    }

    /// Completes the default context's operations, then passes the lock to the next PE in the queue.
    fn clear(&self) {
        order::quiet(self.routine, Ctx::DEFAULT);
        // Before the lock is free: another thread of this PE may note that it has the lock.
        if threads_differ() {
            holders().remove(&(self.at as usize));
        }
        lock::release(self, self.me).unwrap_or_else(|misuse| misused(self.routine, self.at as usize, misuse))
    }
}

/// `shmem_clear_lock`.
pub(crate) fn clear<T>(routine: &'static str, lock: *mut T) {
    if state::is_child() {
        return; // a forked child does not release the parent's lock
    }
    Lock::new(routine, lock).clear();
}

/// Ends the job with the misuse of the lock at an address. An uninitialised lock variable may look like a lock that the
/// caller has or waits for.
fn misused(routine: &str, at: usize, misuse: Misuse) -> ! {
    let already = "already (or the lock was not 0 before its first use)";
    match misuse {
        Misuse::Held => fatal(routine, format_args!("this PE holds lock {at:#x} {already}")),
        Misuse::Waiting => fatal(routine, format_args!("this PE waits in another thread for lock {at:#x} {already}")),
        Misuse::NotHeld => fatal(routine, format_args!("this PE does not hold lock {at:#x}")),
        Misuse::Junk => fatal(
            routine,
            format_args!("lock {at:#x} was not 0 before its first use, or has been written to; set it to 0 on all PEs"),
        ),
    }
}

impl Lock {
    /// The AMO's operand that holds a word, its PE, and the word's place in the operand.
    fn word(&self, at: At) -> (*mut u32, c_int, u32) {
        let (second, pe) = match at {
            At::Tail => (0, self.home),
            At::Node(pe) => (1, pe as c_int),
        };
        if self.narrow { (self.at, pe, 16 * second) } else { (self.at.wrapping_add(second as usize), pe, 0) }
    }

    /// The word in an operand.
    fn value(&self, operand: u32, shift: u32) -> u32 {
        if self.narrow { wide(operand >> shift) } else { operand }
    }

    /// Stores `value` in half an operand, if the half holds `cond` where that is given. Returns the half's old value.
    fn change(&self, at: At, cond: Option<u32>, value: u32) -> u32 {
        let (word, pe, shift) = self.word(at);
        let with = |operand: u32, half: u32| operand & !(0xffff << shift) | narrow(half) << shift;
        let mut operand = with(0, cond.unwrap_or(0)); // a guess; the first AMO tells
        loop {
            let now = amo::compare_swap(self.routine, Ctx::DEFAULT, word, operand, with(operand, value), pe);
            let half = self.value(now, shift);
            if now == operand || cond.is_some_and(|cond| cond != half) {
                return half;
            }
            operand = now;
        }
    }
}

impl LockWords for Lock {
    fn n_pes(&self) -> u32 {
        state::n_pes(self.routine) as u32
    }

    fn fetch(&self, at: At) -> u32 {
        let (word, pe, shift) = self.word(at);
        self.value(amo::fetch(self.routine, Ctx::DEFAULT, word, pe), shift)
    }

    fn swap(&self, at: At, value: u32) -> u32 {
        if self.narrow {
            return self.change(at, None, value);
        }
        let (word, pe, _) = self.word(at);
        amo::swap(self.routine, Ctx::DEFAULT, word, value, pe)
    }

    fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32 {
        if self.narrow {
            return self.change(at, Some(cond), value);
        }
        let (word, pe, _) = self.word(at);
        amo::compare_swap(self.routine, Ctx::DEFAULT, word, cond, value, pe)
    }

    fn xor(&self, at: At, bits: u32) -> u32 {
        let (word, pe, shift) = self.word(at);
        let bits = if self.narrow { narrow(bits) << shift } else { bits };
        self.value(amo::fetch_xor(self.routine, Ctx::DEFAULT, word, bits, pe), shift)
    }

    fn wait(&self, ready: impl Fn(u32) -> bool, behind: Option<u32>) {
        let (word, _, shift) = self.word(At::Node(self.me));
        let what = |_| Awaited::Lock { at: self.at as usize, behind };
        OwnWords::new(self.routine, "lock", word, 1).until(
            self.routine,
            |operand| ready(self.value(operand, shift)),
            what,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_16_bits_keep_flags_and_numbers() {
        for value in [0, 1, MOST_NARROW, 1 << 31, 1 << 30, 1 << 31 | 5, 3 << 30 | MOST_NARROW] {
            assert_eq!(wide(narrow(value)), value, "{value:#x}");
            assert!(narrow(value) <= 0xffff);
        }
        assert_eq!(wide(0xabcd_0005), 5);
    }
}
