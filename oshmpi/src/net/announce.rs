//! Announcements: before a PE uses another PE's memory by the fabric, it tells that PE so by a message, so that the
//! target's progress thread is awake.
//!
//! Bound: an operation on a window costs at most one announcement, a message of 33 bytes that is answered by one byte.
//! A target gets one announcement in [`RENEWED`] milliseconds, as long as the PE uses at most [`TARGETS`] targets whose
//! numbers differ modulo [`TARGETS`].

use crate::memory::addr::Pe;
use core::sync::atomic::{AtomicU64, Ordering};

/// How many targets are remembered. With fewer, programs with many neighbours announce themselves more often.
const TARGETS: usize = 64;
/// Milliseconds for which an announcement holds. The sleeps of the target's progress thread stay short for this time
/// after a message, and grow afterwards (`progress`).
pub(super) const RENEWED: u32 = 30;

/// The targets that this PE has told, and when. Relaxed: two threads that announce at once send one message too many.
pub(super) struct Announcements([AtomicU64; TARGETS]);

impl Announcements {
    pub(super) const fn new() -> Announcements {
        Announcements([const { AtomicU64::new(0) }; TARGETS])
    }

    /// Whether `pe` is to be told now. If so, it is noted as told. `millis`: the time, from any beginning.
    pub(super) fn is_due(&self, pe: Pe, millis: u64) -> bool {
        let (target, now) = (u64::from(pe.0) + 1, millis as u32);
        let told = &self.0[pe.0 as usize % TARGETS];
        let last = told.load(Ordering::Relaxed);
        let due = last >> 32 != target || now.wrapping_sub(last as u32) >= RENEWED;
        if due {
            told.store(target << 32 | u64::from(now), Ordering::Relaxed);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_told_once_in_a_while() {
        let told = Announcements::new();
        let at = |pe, millis| told.is_due(Pe(pe), millis);
        assert!(at(0, 0), "never told, although the clock says 0");
        assert!(!(1..u64::from(RENEWED)).any(|millis| at(0, millis)));
        assert!(at(0, RENEWED.into()) && !at(0, RENEWED.into()));
        let long = 100 << 32; // the clock's low half is the same
        assert!(at(5, long) && !at(5, long + 1) && at(5, (1 << 32) + long - 1), "it may turn over");
        // One message for each of a second's operations on as many targets as are remembered, in each period.
        let told = Announcements::new();
        let all = (0..1000).flat_map(|ms| (0..TARGETS as u32).map(move |pe| (pe, ms)));
        let sent = all.filter(|&(pe, ms)| told.is_due(Pe(pe), ms)).count();
        assert_eq!(sent, TARGETS * 1000usize.div_ceil(RENEWED as usize));
    }

    #[test]
    fn targets_that_share_a_place_are_told_each_time() {
        let told = Announcements::new();
        assert!((0..10).all(|i| told.is_due(Pe(i % 2 * TARGETS as u32), 7)));
    }
}
