//! set_lock, test_lock and clear_lock. The algorithm is `sync::lock`. Its words are the halves of the lock variable's
//! copies on all PEs. They are changed by AMOs and waited for as any variable is, so every route to statics serves
//! them.

use super::wait::OwnWords;
use super::{amo, order};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::state;
use crate::sync::awaited::Awaited;
use crate::sync::lock::{self, At, LockWords, Misuse};
use core::ffi::{c_int, c_long};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};
use std::thread::{self, ThreadId};

/// The threads of this PE that have locks, by the addresses of the locks.
static HOLDERS: Mutex<BTreeMap<usize, ThreadId>> = Mutex::new(BTreeMap::new());

fn holders() -> MutexGuard<'static, BTreeMap<usize, ThreadId>> {
    HOLDERS.lock().unwrap_or_else(|e| e.into_inner())
}

/// Whether this PE has the lock at an address, and by which thread. The threads of a program count as one, unless they
/// call at a time.
pub(super) struct Held(pub(super) usize);

impl Held {
    pub(super) fn note(&self) {
        holders().insert(self.0, thread::current().id());
    }

    /// False: this PE does not have the lock.
    pub(super) fn forget(&self) -> bool {
        holders().remove(&self.0).is_some()
    }

    pub(super) fn by_caller(&self) -> bool {
        let holder = holders().get(&self.0).copied();
        holder.is_some_and(|holder| state::threads().0 != args::MULTIPLE || holder == thread::current().id())
    }
}

/// The home PE of a lock variable. Ends the job if the variable is not symmetric or not aligned.
pub(super) fn home<T>(routine: &str, lock: *mut T) -> u32 {
    let rt = state::up(routine);
    let len = size_of::<T>();
    let range = args::symmetric(rt, routine, "lock", lock as usize, len);
    if !lock.is_aligned() {
        fatal(routine, format_args!("lock {lock:p} is not aligned to {len} bytes"));
    }
    // The locks of an array have different home PEs.
    ((range.off / len) as u64 % u64::from(rt.n_pes)) as u32
}

/// The words of C's lock variables, which have 64 bits: on each PE's copy the tail of the queue is the first half, and
/// the PE's queue node is the second.
struct Lock {
    routine: &'static str,
    tail: *mut u32,
    home: c_int,
    me: u32,
}

impl Lock {
    fn new(routine: &'static str, lock: *mut c_long) -> Lock {
        let me = state::my_pe(routine) as u32;
        Lock { routine, tail: lock.cast(), home: home(routine, lock) as c_int, me }
    }

    fn held(&self) -> Held {
        Held(self.tail as usize)
    }

    /// Only threads that call at a time need be told apart.
    fn note_held(&self) {
        if state::threads().0 == args::MULTIPLE {
            self.held().note();
        }
    }

    /// Waits for the lock, first come first served.
    fn set(&self) {
        // A PE has one place in the queue. Another thread of this PE may have the place: it waits for the lock, tests
        // the lock or has it. The place is free when that thread has released the lock or its test is over. If several
        // threads wait for the place, one gets it.
        loop {
            match lock::acquire(self, self.me) {
                Ok(()) => return self.note_held(),
                Err(misuse) if self.is_of_another_thread(misuse) => {}
                Err(misuse) => misused(self.routine, self.tail as usize, misuse),
            }
            self.wait(|node| node == 0, None);
        }
    }

    /// Takes the lock if it is free: 0 if this PE has it then, else 1.
    fn test(&self) -> c_int {
        match lock::try_acquire(self, self.me) {
            Ok(true) => {
                self.note_held();
                return 0;
            }
            Ok(false) => {}
            Err(misuse) if self.is_of_another_thread(misuse) => {}
            Err(misuse) => misused(self.routine, self.tail as usize, misuse),
        }
        super::wait::not_yet(self.routine);
        1
    }

    /// Whether it is no misuse, because another thread of this PE has the lock or waits for it. A thread that has just
    /// got the lock may not have noted that yet.
    fn is_of_another_thread(&self, misuse: Misuse) -> bool {
        let may_be = state::threads().0 == args::MULTIPLE && matches!(misuse, Misuse::Held | Misuse::Waiting);
        may_be && !self.held().by_caller()
    }

    /// Completes the default context's operations, then passes the lock to the next PE in the queue.
    fn clear(&self) {
        order::quiet(self.routine, Ctx::DEFAULT);
        // Before the lock is free: another thread of this PE may note that it has the lock.
        if state::threads().0 == args::MULTIPLE {
            self.held().forget();
        }
        lock::release(self, self.me).unwrap_or_else(|misuse| misused(self.routine, self.tail as usize, misuse))
    }
}

/// Ends the job with the misuse of the lock at an address. An uninitialised lock variable may look like a lock that the
/// caller has or waits for.
pub(super) fn misused(routine: &str, at: usize, misuse: Misuse) -> ! {
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

pub(crate) fn set(routine: &'static str, lock: *mut c_long) {
    Lock::new(routine, lock).set()
}

pub(crate) fn test(routine: &'static str, lock: *mut c_long) -> c_int {
    Lock::new(routine, lock).test()
}

pub(crate) fn clear(routine: &'static str, lock: *mut c_long) {
    Lock::new(routine, lock).clear()
}

impl Lock {
    fn word(&self, at: At) -> (*mut u32, c_int) {
        match at {
            At::Tail => (self.tail, self.home),
            At::Node(pe) => (self.tail.wrapping_add(1), pe as c_int),
        }
    }
}

impl LockWords for Lock {
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
        OwnWords::new(self.routine, "lock", self.word(At::Node(self.me)).0, 1).until(self.routine, ready, what);
    }
}
