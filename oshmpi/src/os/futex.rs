//! Sleeping on a word in memory that several processes share.

use core::sync::atomic::AtomicU32;
use core::time::Duration;

/// Sleeps while `word` holds `seen`, until woken, `limit` is over or a signal comes. May return for no reason.
pub(crate) fn wait(word: &AtomicU32, seen: u32, limit: Duration) {
    let limit =
        libc::timespec { tv_sec: limit.as_secs() as libc::time_t, tv_nsec: limit.subsec_nanos() as libc::c_long };
    // SAFETY: the word is alive for the call; the kernel only compares it. Every outcome means "look again".
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const limit) };
}

/// Wakes everybody who sleeps on `word`, in any process.
pub(crate) fn wake_all(word: &AtomicU32) {
    // SAFETY: the kernel uses the address as a key only.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
