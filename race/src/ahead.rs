//! Memory that is written soon. Words of other PEs come from their processors' caches, which takes as long as some
//! hundred steps. Who needs several of them asks for all before it needs the first.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// A word that is written soon.
pub trait Word {}
impl Word for AtomicU32 {}
impl Word for AtomicU64 {}

/// Asks for a word. This changes nothing but time.
#[inline(always)]
pub fn write_soon<T: Word>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint for a valid address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(core::ptr::from_ref(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
