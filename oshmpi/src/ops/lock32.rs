//! set_lock, test_lock and clear_lock on Fortran's lock variables, which have 32 bits. The algorithm is `sync::lock` on
//! the narrow words of `sync::lock32`.

use super::wait::Own;
use super::{amo, order};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::state;
use crate::sync::lock::{self, Misuse};
use crate::sync::lock32::{self, Narrow, PES};
use core::ffi::c_int;

/// A lock variable.
struct Copies {
    routine: &'static str,
    word: *mut u32,
    home: u32,
    me: u32,
}

impl Copies {
    fn new(routine: &'static str, lock: *mut i32) -> Narrow<Copies> {
        let rt = state::up(routine);
        let len = size_of::<i32>();
        let range = args::symmetric(rt, routine, "lock", lock as usize, len);
        if !lock.is_aligned() {
            fatal(routine, format_args!("lock {lock:p} is not aligned to {len} bytes"));
        }
        if rt.n_pes > PES {
            fatal(
                routine,
                format_args!("a lock of 4 bytes serves up to {PES} PEs, not {}; 8-byte integers serve all", rt.n_pes),
            );
        }
        // Locks of an array are at home on different PEs.
        let home = (range.off / len) as u64 % u64::from(rt.n_pes);
        Narrow(Copies { routine, word: lock.cast(), home: home as u32, me: rt.pe.0 })
    }
}

impl lock32::Copies for Copies {
    fn home(&self) -> u32 {
        self.home
    }

    fn fetch(&self, pe: u32) -> u32 {
        // SAFETY: the lock variable, which is symmetric.
        unsafe { amo::fetch(self.routine, Ctx::DEFAULT, self.word, pe as c_int) }
    }

    fn compare_swap(&self, pe: u32, cond: u32, value: u32) -> u32 {
        // SAFETY: as in fetch.
        unsafe { amo::compare_swap(self.routine, Ctx::DEFAULT, self.word, cond, value, pe as c_int) }
    }

    fn xor(&self, pe: u32, bits: u32) -> u32 {
        // SAFETY: as in fetch.
        unsafe { amo::fetch_xor(self.routine, Ctx::DEFAULT, self.word, bits, pe as c_int) }
    }

    fn wait(&self, ready: impl Fn(u32) -> bool) {
        Own::new(self.routine, "lock", self.word, 1).until(self.routine, ready);
    }
}

/// The caller has the lock, or another thread of this PE waits for it. The third cause looks alike.
fn taken(routine: &str, lock: *mut i32, misuse: Misuse) -> ! {
    let what = if misuse.held() { "holds" } else { "waits in another thread for" };
    fatal(routine, format_args!("this PE {what} lock {lock:p} already (or the lock was not 0 before its first use)"))
}

/// Waits for the lock, first come first served.
pub(crate) fn set(routine: &'static str, lock: *mut i32) {
    let words = Copies::new(routine, lock);
    if let Err(misuse) = lock::acquire(&words, words.0.me) {
        taken(routine, lock, misuse);
    }
}

/// 0 when the lock was free and is taken now, else 1.
pub(crate) fn test(routine: &'static str, lock: *mut i32) -> c_int {
    let words = Copies::new(routine, lock);
    match lock::try_acquire(&words, words.0.me) {
        Ok(true) => 0,
        Ok(false) => {
            super::wait::not_yet(routine);
            1
        }
        Err(misuse) => taken(routine, lock, misuse),
    }
}

/// Completes what was issued on the default context, then lets the next one have the lock.
pub(crate) fn clear(routine: &'static str, lock: *mut i32) {
    let words = Copies::new(routine, lock);
    order::quiet(routine, Ctx::DEFAULT);
    if lock::release(&words, words.0.me).is_err() {
        fatal(routine, format_args!("this PE does not hold lock {lock:p}"));
    }
}
