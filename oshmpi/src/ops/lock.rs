//! set_lock, test_lock, clear_lock. The algorithm is `sync::lock`; here are its words: halves of the lock variable's
//! copies, changed by AMOs and waited for as any variable is, so that every route to statics serves them.

use super::wait::Own;
use super::{amo, order};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::addr::Pe;
use crate::state;
use crate::sync::lock::{self, At, Misuse, Words};
use core::ffi::{c_int, c_long};

/// A lock variable: on a PE's copy the tail is the first half, the node the second.
struct Copies {
    routine: &'static str,
    tail: *mut u32,
    home: c_int,
    me: Pe,
}

impl Copies {
    fn new(routine: &'static str, lock: *mut c_long) -> Copies {
        let rt = state::up(routine);
        let len = size_of::<c_long>();
        let range = args::symmetric(rt, routine, "lock", lock as usize, len);
        if !lock.is_aligned() {
            fatal(routine, format_args!("lock {lock:p} is not aligned to {len} bytes"));
        }
        // Locks of an array are at home on different PEs.
        let home = (range.off / len) as u64 % u64::from(rt.n_pes);
        Copies { routine, tail: lock.cast(), home: home as c_int, me: rt.pe }
    }

    fn word(&self, at: At) -> (*mut u32, c_int) {
        match at {
            At::Tail => (self.tail, self.home),
            At::Node(pe) => (self.tail.wrapping_add(1), pe as c_int),
        }
    }
}

impl Words for Copies {
    fn fetch(&self, at: At) -> u32 {
        let (word, pe) = self.word(at);
        // SAFETY: a half of the lock variable, which is symmetric.
        unsafe { amo::fetch(self.routine, Ctx::DEFAULT, word, pe) }
    }

    fn swap(&self, at: At, value: u32) -> u32 {
        let (word, pe) = self.word(at);
        // SAFETY: as in fetch.
        unsafe { amo::swap(self.routine, Ctx::DEFAULT, word, value, pe) }
    }

    fn compare_swap(&self, at: At, cond: u32, value: u32) -> u32 {
        let (word, pe) = self.word(at);
        // SAFETY: as in fetch.
        unsafe { amo::compare_swap(self.routine, Ctx::DEFAULT, word, cond, value, pe) }
    }

    fn xor(&self, at: At, bits: u32) -> u32 {
        let (word, pe) = self.word(at);
        // SAFETY: as in fetch.
        unsafe { amo::fetch_xor(self.routine, Ctx::DEFAULT, word, bits, pe) }
    }

    fn wait(&self, ready: impl Fn(u32) -> bool) {
        Own::new(self.routine, "lock", self.word(At::Node(self.me.0)).0, 1).until(self.routine, ready);
    }
}

/// The caller has the lock, or another thread of this PE waits for it. The third cause looks alike.
fn taken(routine: &str, lock: *mut c_long, misuse: Misuse) -> ! {
    let what = if misuse.held() { "holds" } else { "waits in another thread for" };
    fatal(routine, format_args!("this PE {what} lock {lock:p} already (or the lock was not 0 before its first use)"))
}

/// Waits for the lock, first come first served.
pub(crate) fn set(routine: &'static str, lock: *mut c_long) {
    let words = Copies::new(routine, lock);
    if let Err(misuse) = lock::acquire(&words, words.me.0) {
        taken(routine, lock, misuse);
    }
}

/// 0 when the lock was free and is taken now, else 1.
pub(crate) fn test(routine: &'static str, lock: *mut c_long) -> c_int {
    let words = Copies::new(routine, lock);
    match lock::try_acquire(&words, words.me.0) {
        Ok(true) => 0,
        Ok(false) => {
            super::wait::not_yet(routine);
            1
        }
        Err(misuse) => taken(routine, lock, misuse),
    }
}

/// Completes what was issued on the default context, then lets the next one have the lock.
pub(crate) fn clear(routine: &'static str, lock: *mut c_long) {
    let words = Copies::new(routine, lock);
    order::quiet(routine, Ctx::DEFAULT);
    if lock::release(&words, words.me.0).is_err() {
        fatal(routine, format_args!("this PE does not hold lock {lock:p}"));
    }
}
