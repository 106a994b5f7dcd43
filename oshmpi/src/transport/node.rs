//! A peer's memory that is mapped here: plain copies. No lock, no system call, no allocation.
//!
//! Symmetric memory is never borrowed, because other processes change it at any time. It is accessed by raw copies and
//! by atomics of the exact width only ([`amo`](super::amo)).

use crate::sync::plain::Plain;
use core::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Copies `n` bytes. Small power-of-two sizes are one load and one store of that width, so that an aligned element is
/// never seen half written.
///
/// # Safety
/// Both ranges of `n` bytes are mapped. They may overlap, which is a mistake of the C caller and harmless here.
#[inline(always)]
pub(crate) unsafe fn copy(to: *mut u8, from: *const u8, n: usize) {
    // SAFETY: the caller promises that both ranges are mapped for `n` bytes; accesses that need not be aligned say so.
    unsafe {
        match n {
            8 => to.cast::<u64>().write_unaligned(from.cast::<u64>().read_unaligned()),
            4 => to.cast::<u32>().write_unaligned(from.cast::<u32>().read_unaligned()),
            2 => to.cast::<u16>().write_unaligned(from.cast::<u16>().read_unaligned()),
            1 => to.write(from.read()),
            ..ECHO_FROM => core::ptr::copy(from, to, n),
            _ => copy_long(to, from, n),
        }
    }
}

/// Bytes from which, and up to which, a C library copies by `rep movsb`: glibc from about 2 KiB to the size of the
/// second-level cache.
const ECHO_FROM: usize = 2 << 10;
const ECHO_TO: usize = 512 << 10;

/// Whether this is a copy for which several generations of AMD's processors take 15 times as long. They compare only
/// the addresses within a page. If a store lies less than 32 bytes behind a load there, they assume that it changes
/// what is loaded next. A get from the start of a page into a large block of `malloc` is such a copy, because the block
/// begins 16 bytes behind the start of a page.
#[inline]
fn echoes(to: *mut u8, from: *const u8, n: usize) -> bool {
    const PAGE: usize = 4096;
    let ahead = (to as usize).wrapping_sub(from as usize);
    // Not for ranges that overlap: pieces would copy bytes that they have written.
    (1..32).contains(&(ahead % PAGE)) && n < ECHO_TO && ahead >= n
}

/// A copy that may [echo](echoes) goes in pieces for which the C library uses loads and stores. Not inlined: the short
/// copies beside it would save registers for it.
///
/// # Safety
/// As for [`copy`].
#[inline(never)]
unsafe fn copy_long(to: *mut u8, from: *const u8, n: usize) {
    let piece = if echoes(to, from, n) { ECHO_FROM } else { n };
    for at in (0..n).step_by(piece) {
        // SAFETY: each piece lies inside both ranges. With more than one piece, `to` does not lie inside the range of
        // `from`.
        unsafe { core::ptr::copy(from.add(at), to.add(at), piece.min(n - at)) };
    }
}

/// Loads one element as [`copy`] does.
///
/// # Safety
/// `at` is mapped for `size_of::<T>()` bytes.
#[inline(always)]
pub(crate) unsafe fn element<T: Plain>(at: *const T) -> T {
    let mut value = core::mem::MaybeUninit::<T>::uninit();
    // SAFETY: the caller promises as many mapped bytes as `T` has, which fill all of `value`. Any bytes are one.
    unsafe {
        copy(value.as_mut_ptr().cast(), at.cast(), size_of::<T>());
        value.assume_init()
    }
}

/// Loads a word on which a PE waits. The compiler does not take such a load out of a loop.
///
/// # Safety
/// `at` is mapped for `size_of::<T>()` bytes and aligned to as many.
#[inline(always)]
pub(crate) unsafe fn load<T: Plain>(at: *const T) -> T {
    let mut value = core::mem::MaybeUninit::<T>::uninit();
    let (at, dst) = (at.cast_mut(), value.as_mut_ptr());
    // SAFETY: the caller promises an aligned word of this size, and every branch that returns fills all of `value`.
    unsafe {
        match size_of::<T>() {
            2 => dst.cast::<u16>().write(AtomicU16::from_ptr(at.cast()).load(Ordering::Relaxed)),
            4 => dst.cast::<u32>().write(AtomicU32::from_ptr(at.cast()).load(Ordering::Relaxed)),
            8 => dst.cast::<u64>().write(AtomicU64::from_ptr(at.cast()).load(Ordering::Relaxed)),
            _ => unreachable!("words on which PEs wait have 2, 4 or 8 bytes"),
        }
        value.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        /// What is copied is what was there, also where the ranges overlap, and nothing beside it changes.
        #[test]
        fn bytes_arrive(from in 0usize..9000, ahead in 0usize..40, page in 0usize..4, n in 0usize..13000, back: bool) {
            let to = if back { from.saturating_sub(ahead) } else { from + page * 4096 + ahead };
            let mut bytes = (0..251).collect::<Vec<u8>>().repeat(160);
            let mut expected = bytes.clone();
            expected.copy_within(from..from + n, to);
            let at = bytes.as_mut_ptr();
            // SAFETY: the largest end is 9000 + 12288 + 40 + 13000; there are 40,160.
            unsafe { super::copy(at.add(to), at.add(from), n) };
            prop_assert!(bytes == expected);
        }
    }
}
