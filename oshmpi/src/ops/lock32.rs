//! set_lock, test_lock and clear_lock on Fortran's lock variables, which have 32 bits: a ticket lock, first come first
//! served. The home PE's copy holds the next ticket in its upper half, and in its lower half the ticket that is served.
//! The copy is 0 when nobody has a ticket. A PE that waits polls that copy.

use super::lock::{Held, home, misused};
use super::{amo, order, wait};
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::state;
use crate::sync::awaited::Awaited;
use crate::sync::lock::Misuse;
use core::ffi::c_int;

/// What one ticket adds to a copy.
const TICKET: u32 = 1 << 16;
/// The most tickets out at a time. A copy that tells of more has never been a lock.
const MOST: u32 = (1 << 15) - 1;

fn served(copy: u32) -> u32 {
    copy & (TICKET - 1)
}

/// The tickets that are out. An error if the copy is not that of a lock.
fn out(copy: u32) -> Result<u32, Misuse> {
    match served((copy >> 16).wrapping_sub(copy)) {
        0 if copy == 0 => Ok(0),
        n @ 1..=MOST => Ok(n),
        _ => Err(Misuse::Junk),
    }
}

/// A copy after the lock has been passed on.
fn passed(copy: u32) -> Result<u32, Misuse> {
    Ok(if out(copy)? <= 1 { 0 } else { copy - served(copy) + served(copy + 1) })
}

/// A lock variable, and the PE whose copy is used.
struct Lock32 {
    routine: &'static str,
    word: *mut u32,
    home: c_int,
}

impl Lock32 {
    fn new(routine: &'static str, lock: *mut i32) -> Lock32 {
        let n_pes = state::n_pes(routine) as u32;
        if n_pes > MOST {
            fatal(
                routine,
                format_args!("a lock of 4 bytes serves up to {MOST} PEs, not {n_pes}; 8-byte integers serve all"),
            );
        }
        Lock32 { routine, word: lock.cast(), home: home(routine, lock) as c_int }
    }

    fn held(&self) -> Held {
        Held(self.word as usize)
    }

    fn or_end<T>(&self, result: Result<T, Misuse>) -> T {
        result.unwrap_or_else(|misuse| misused(self.routine, self.word as usize, misuse))
    }

    fn compare_swap(&self, cond: u32, value: u32) -> u32 {
        amo::compare_swap(self.routine, Ctx::DEFAULT, self.word, cond, value, self.home)
    }

    fn fetch(&self) -> u32 {
        amo::fetch(self.routine, Ctx::DEFAULT, self.word, self.home)
    }
}

pub(crate) fn set(routine: &'static str, lock: *mut i32) {
    let lock = Lock32::new(routine, lock);
    lock.or_end(if lock.held().by_caller() { Err(Misuse::Held) } else { Ok(()) });
    let copy = amo::fetch_add(routine, Ctx::DEFAULT, lock.word, TICKET, lock.home);
    lock.or_end(out(copy));
    let mine = copy >> 16;
    if served(copy) != mine {
        let what = || Awaited::Lock { at: lock.word as usize, behind: None };
        wait::wait(routine, || served(lock.fetch()) == mine, what);
    }
    lock.held().note();
}

pub(crate) fn test(routine: &'static str, lock: *mut i32) -> c_int {
    let lock = Lock32::new(routine, lock);
    lock.or_end(if lock.held().by_caller() { Err(Misuse::Held) } else { Ok(()) });
    match lock.compare_swap(0, TICKET) {
        0 => {
            lock.held().note();
            0
        }
        copy => {
            lock.or_end(out(copy));
            wait::not_yet(routine);
            1
        }
    }
}

pub(crate) fn clear(routine: &'static str, lock: *mut i32) {
    order::quiet(routine, Ctx::DEFAULT);
    let lock = Lock32::new(routine, lock);
    lock.or_end(if lock.held().forget() { Ok(()) } else { Err(Misuse::NotHeld) });
    let mut copy = lock.fetch();
    loop {
        match lock.compare_swap(copy, lock.or_end(passed(copy))) {
            now if now == copy => return,
            now => copy = now, // a PE has taken a ticket
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_are_served_in_order_and_wrap() {
        // The next ticket, the served one; how many are out; the copy after the lock is passed on.
        for (next, serves, n, after) in [
            (1, 0, 1, (0, 0)),
            (3, 1, 2, (3, 2)),
            (1, 0xffff, 2, (1, 0)),
            (0, 0xffff, 1, (0, 0)),
            (0x7fff, 0, MOST, (0x7fff, 1)),
        ] {
            let copy = next * TICKET + serves;
            assert_eq!((out(copy), passed(copy)), (Ok(n), Ok(after.0 * TICKET + after.1)), "{copy:#x}");
        }
        assert_eq!(out(0), Ok(0));
        for junk in [5, TICKET | 1, 0x8000 * TICKET, u32::MAX] {
            assert_eq!((out(junk), passed(junk)), (Err(Misuse::Junk), Err(Misuse::Junk)), "{junk:#x}");
        }
    }
}
