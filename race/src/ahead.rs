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
    #[cfg(all(target_arch = "x86_64", not(miri)))] // Miri knows no assembly
    // The intrinsic would ask for a copy to read unless the program is for processors that are known to have this
    // instruction. The others take it for none.
    // SAFETY: a hint for a valid address.
    unsafe {
        core::arch::asm!("prefetchw [{}]", in(reg) at, options(nostack, preserves_flags));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = at;
}

/// Asks for a word that is only read.
#[inline(always)]
pub fn read_soon<T: Word>(at: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint for a valid address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(at).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}
