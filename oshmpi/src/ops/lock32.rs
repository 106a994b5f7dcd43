//! set_lock, test_lock and clear_lock on Fortran's lock variables, which have 32 bits. The algorithm is `sync::lock` on
//! the narrow words of `sync::lock32`.

use super::amo;
use super::lock::Lock;
use super::wait::Own;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::state;
use crate::sync::awaited::Awaited;
use crate::sync::lock32::{self, Narrow, PES};
use core::ffi::c_int;

/// The 32-bit lock variable on every PE's copy.
struct Copies {
    routine: &'static str,
    word: *mut u32,
    home: u32,
}

fn lock32(routine: &'static str, lock: *mut i32) -> Lock<Narrow<Copies>> {
    let n_pes = state::n_pes(routine) as u32;
    if n_pes > PES {
        fatal(
            routine,
            format_args!("a lock of 4 bytes serves up to {PES} PEs, not {n_pes}; 8-byte integers serve all"),
        );
    }
    Lock::new(routine, lock, |home| Narrow(Copies { routine, word: lock.cast(), home }))
}

pub(crate) fn set(routine: &'static str, lock: *mut i32) {
    lock32(routine, lock).set()
}

pub(crate) fn test(routine: &'static str, lock: *mut i32) -> c_int {
    lock32(routine, lock).test()
}

pub(crate) fn clear(routine: &'static str, lock: *mut i32) {
    lock32(routine, lock).clear()
}

impl lock32::Copies for Copies {
    fn n_pes(&self) -> u32 {
        state::n_pes(self.routine) as u32
    }

    fn home(&self) -> u32 {
        self.home
    }

    fn fetch(&self, pe: u32) -> u32 {
        amo::fetch(self.routine, Ctx::DEFAULT, self.word, pe as c_int)
    }

    fn compare_swap(&self, pe: u32, cond: u32, value: u32) -> u32 {
        amo::compare_swap(self.routine, Ctx::DEFAULT, self.word, cond, value, pe as c_int)
    }

    fn xor(&self, pe: u32, bits: u32) -> u32 {
        amo::fetch_xor(self.routine, Ctx::DEFAULT, self.word, bits, pe as c_int)
    }

    fn wait(&self, ready: impl Fn(u32) -> bool, behind: Option<u32>) {
        let what = |_| Awaited::Lock { at: self.word as usize, behind };
        Own::new(self.routine, "lock", self.word, 1).until(self.routine, ready, what);
    }
}
