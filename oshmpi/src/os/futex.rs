//! Sleeping on a word in memory that several processes share.

use core::sync::atomic::AtomicU32;
use core::time::Duration;

/// Sleeps while `word` holds `seen`, until woken, until `limit` is over, or until a signal arrives. It may also return
/// for no reason.
pub(crate) fn wait(word: &AtomicU32, seen: u32, limit: Duration) {
    let limit =
        libc::timespec { tv_sec: limit.as_secs() as libc::time_t, tv_nsec: limit.subsec_nanos() as libc::c_long };
    // SAFETY: the word and the time are alive for the call. The kernel compares the word and does not write it. Callers
    // check their condition again after every return, so errors need no care.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const limit) };
}

/// Wakes all threads that sleep on `word`, in any process.
pub(crate) fn wake_all(word: &AtomicU32) {
    // SAFETY: the word is mapped for the call. The kernel uses its address as a key and does not access it.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}
