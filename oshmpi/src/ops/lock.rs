//! set_lock, test_lock and clear_lock. The algorithm is `sync::lock`. Its words are the halves of the lock variable's
//! copies on all PEs. They are changed by AMOs and waited for as any variable is, so every route to statics serves
//! them.

use super::wait::Own;
use super::{amo, order};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::addr::Pe;
use crate::state;
use crate::sync::awaited::Awaited;
use crate::sync::lock::{self, At, LockWords, Misuse};
use core::ffi::{c_int, c_long};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::thread::{self, ThreadId};

/// The threads of this PE that have locks, by the addresses of the locks. For programs whose threads call at a time:
/// others need not be told apart.
static HOLDERS: Mutex<BTreeMap<usize, ThreadId>> = Mutex::new(BTreeMap::new());

fn holders() -> MutexGuard<'static, BTreeMap<usize, ThreadId>> {
    HOLDERS.lock().unwrap_or_else(|e| e.into_inner())
}

/// A lock variable of either width: its words, and the calling PE.
pub(super) struct Lock<W> {
    routine: &'static str,
    /// For messages.
    at: usize,
    me: u32,
    words: W,
}

impl<W: LockWords> Lock<W> {
    /// `make` makes the words, from the PE number of the lock's home.
    pub(super) fn new<T>(routine: &'static str, lock: *mut T, make: impl FnOnce(u32) -> W) -> Lock<W> {
        let rt = state::up(routine);
        let len = size_of::<T>();
        let range = args::symmetric(rt, routine, "lock", lock as usize, len);
        if !lock.is_aligned() {
            fatal(routine, format_args!("lock {lock:p} is not aligned to {len} bytes"));
        }
        // The locks of an array have different home PEs.
        let home = (range.off / len) as u64 % u64::from(rt.n_pes);
        Lock { routine, at: lock as usize, me: rt.pe.0, words: make(home as u32) }
    }

    /// Waits for the lock, first come first served.
    pub(super) fn set(&self) {
        // A PE has one place in the queue. Another thread of this PE may have the place: it waits for the lock, tests
        // the lock or has it. The place is free when that thread has released the lock or its test is over. If several
        // threads wait for the place, one gets it.
        loop {
            match lock::acquire(&self.words, self.me) {
                Ok(()) => return self.is_held(),
                Err(misuse) if self.is_of_another_thread(misuse) => {}
                Err(misuse) => self.end(misuse),
            }
            self.words.wait(|node| node == 0, None);
        }
    }

    /// Takes the lock if it is free: 0 if this PE has it then, else 1.
    pub(super) fn test(&self) -> c_int {
        match lock::try_acquire(&self.words, self.me) {
            Ok(true) => {
                self.is_held();
                return 0;
            }
            Ok(false) => {}
            Err(misuse) if self.is_of_another_thread(misuse) => {}
            Err(misuse) => self.end(misuse),
        }
        super::wait::not_yet(self.routine);
        1
    }

    /// Notes that this thread has the lock.
    fn is_held(&self) {
        if state::threads().0 == args::MULTIPLE {
            holders().insert(self.at, thread::current().id());
        }
    }

    /// Whether it is no misuse, because another thread of this PE has the lock or waits for it. A thread that has just
    /// got the lock may not have noted that yet.
    fn is_of_another_thread(&self, misuse: Misuse) -> bool {
        let may_be = state::threads().0 == args::MULTIPLE && matches!(misuse, Misuse::Held | Misuse::Waiting);
        may_be && holders().get(&self.at) != Some(&thread::current().id())
    }

    /// Completes the default context's operations, then passes the lock to the next PE in the queue.
    pub(super) fn clear(&self) {
        order::quiet(self.routine, Ctx::DEFAULT);
        // Before the lock is free: another thread of this PE may note that it has the lock.
        if state::threads().0 == args::MULTIPLE {
            holders().remove(&self.at);
        }
        lock::release(&self.words, self.me).unwrap_or_else(|misuse| self.end(misuse))
    }

    /// Ends the job with the misuse. An uninitialised lock variable may look like a lock that the caller has or waits
    /// for.
    fn end(&self, misuse: Misuse) -> ! {
        let at = self.at;
        let why = "already (or the lock was not 0 before its first use)";
        match misuse {
            Misuse::Held => fatal(self.routine, format_args!("this PE holds lock {at:#x} {why}")),
            Misuse::Waiting => {
                fatal(self.routine, format_args!("this PE waits in another thread for lock {at:#x} {why}"))
            }
            Misuse::NotHeld => fatal(self.routine, format_args!("this PE does not hold lock {at:#x}")),
            Misuse::Junk => fatal(
                self.routine,
                format_args!(
                    "lock {at:#x} was not 0 before its first use, or has been written to; set it to 0 on all PEs"
                ),
            ),
        }
    }
}

/// The words of C's lock variables, which have 64 bits: on each PE's copy the tail of the queue is the first half, and
/// the PE's queue node is the second.
struct Halves {
    routine: &'static str,
    tail: *mut u32,
    home: c_int,
    me: Pe,
}

fn lock64(routine: &'static str, lock: *mut c_long) -> Lock<Halves> {
    let me = Pe(state::my_pe(routine) as u32);
    Lock::new(routine, lock, |home| Halves { routine, tail: lock.cast(), home: home as c_int, me })
}

pub(crate) fn set(routine: &'static str, lock: *mut c_long) {
    lock64(routine, lock).set()
}

pub(crate) fn test(routine: &'static str, lock: *mut c_long) -> c_int {
    lock64(routine, lock).test()
}

pub(crate) fn clear(routine: &'static str, lock: *mut c_long) {
    lock64(routine, lock).clear()
}

impl Halves {
    fn word(&self, at: At) -> (*mut u32, c_int) {
        match at {
            At::Tail => (self.tail, self.home),
            At::Node(pe) => (self.tail.wrapping_add(1), pe as c_int),
        }
    }
}

impl LockWords for Halves {
    fn n_pes(&self) -> u32 {
        state::n_pes(self.routine) as u32
    }

    fn fetch(&self, at: At) -> u32 {
        let (word, pe) = self.word(at);
        amo::fetch(self.routine, Ctx::DEFAULT, word, pe)
    }

    fn swap(&self, at: At, value: u32) -> u32 {
        let (word, pe) = self.word(at);
        amo::swap(self.routine, Ctx::DEFAULT, word, value, pe)
    }

    fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32 {
        let (word, pe) = self.word(at);
        amo::compare_swap(self.routine, Ctx::DEFAULT, word, cond, value, pe)
    }

    fn xor(&self, at: At, bits: u32) -> u32 {
        let (word, pe) = self.word(at);
        amo::fetch_xor(self.routine, Ctx::DEFAULT, word, bits, pe)
    }

    fn wait(&self, ready: impl Fn(u32) -> bool, behind: Option<u32>) {
        let what = |_| Awaited::Lock { at: self.tail as usize, behind };
        Own::new(self.routine, "lock", self.word(At::Node(self.me.0)).0, 1).until(self.routine, ready, what);
    }
}
