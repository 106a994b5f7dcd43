//! Atomic memory operations: the three tables, their nonblocking forms, and the deprecated names that OpenSHMEM had
//! before 1.4.

use crate::ctx::Ctx;
use crate::memory::local::Dest;
use crate::ops::amo;
use core::ffi::{c_int, c_long};

families! {
    both_one amo_ext: "" _ "_atomic_fetch" (source: *const T, pe: c_int) -> T = amo::fetch;
    both_one amo_ext: "" _ "_atomic_set" (dest: *mut T, value: T, pe: c_int) = amo::set;
    both_one amo_ext: "" _ "_atomic_swap" (dest: *mut T, value: T, pe: c_int) -> T = amo::swap;
    both_one amo_std: "" _ "_atomic_compare_swap" (dest: *mut T, cond: T, value: T, pe: c_int) -> T = amo::compare_swap;
    both_one amo_std: "" _ "_atomic_fetch_inc" (dest: *mut T, pe: c_int) -> T = amo::fetch_inc;
    both_one amo_std: "" _ "_atomic_inc" (dest: *mut T, pe: c_int) = amo::inc_only;
    both_one amo_std: "" _ "_atomic_fetch_add" (dest: *mut T, value: T, pe: c_int) -> T = amo::fetch_add;
    both_one amo_std: "" _ "_atomic_add" (dest: *mut T, value: T, pe: c_int) = amo::add;
    both_one amo_bitwise: "" _ "_atomic_fetch_and" (dest: *mut T, value: T, pe: c_int) -> T = amo::fetch_and;
    both_one amo_bitwise: "" _ "_atomic_and" (dest: *mut T, value: T, pe: c_int) = amo::and;
    both_one amo_bitwise: "" _ "_atomic_fetch_or" (dest: *mut T, value: T, pe: c_int) -> T = amo::fetch_or;
    both_one amo_bitwise: "" _ "_atomic_or" (dest: *mut T, value: T, pe: c_int) = amo::or;
    both_one amo_bitwise: "" _ "_atomic_fetch_xor" (dest: *mut T, value: T, pe: c_int) -> T = amo::fetch_xor;
    both_one amo_bitwise: "" _ "_atomic_xor" (dest: *mut T, value: T, pe: c_int) = amo::xor;

    both_one amo_ext: "" _ "_atomic_fetch_nbi" (fetch: *mut T, source: *const T, pe: c_int)
        = amo::fetch_nbi(Dest::of(fetch, 1), source, pe);
    both_one amo_ext: "" _ "_atomic_swap_nbi" (fetch: *mut T, dest: *mut T, value: T, pe: c_int)
        = amo::swap_nbi(Dest::of(fetch, 1), dest, value, pe);
    both_one amo_std: "" _ "_atomic_compare_swap_nbi" (fetch: *mut T, dest: *mut T, cond: T, value: T, pe: c_int)
        = amo::compare_swap_nbi(Dest::of(fetch, 1), dest, cond, value, pe);
    both_one amo_std: "" _ "_atomic_fetch_inc_nbi" (fetch: *mut T, dest: *mut T, pe: c_int)
        = amo::fetch_inc_nbi(Dest::of(fetch, 1), dest, pe);
    both_one amo_std: "" _ "_atomic_fetch_add_nbi" (fetch: *mut T, dest: *mut T, value: T, pe: c_int)
        = amo::fetch_add_nbi(Dest::of(fetch, 1), dest, value, pe);
    both_one amo_bitwise: "" _ "_atomic_fetch_and_nbi" (fetch: *mut T, dest: *mut T, value: T, pe: c_int)
        = amo::fetch_and_nbi(Dest::of(fetch, 1), dest, value, pe);
    both_one amo_bitwise: "" _ "_atomic_fetch_or_nbi" (fetch: *mut T, dest: *mut T, value: T, pe: c_int)
        = amo::fetch_or_nbi(Dest::of(fetch, 1), dest, value, pe);
    both_one amo_bitwise: "" _ "_atomic_fetch_xor_nbi" (fetch: *mut T, dest: *mut T, value: T, pe: c_int)
        = amo::fetch_xor_nbi(Dest::of(fetch, 1), dest, value, pe);

    default_one amo_old_ext: "" _ "_fetch" (source: *const T, pe: c_int) -> T = amo::fetch;
    default_one amo_old_ext: "" _ "_set" (dest: *mut T, value: T, pe: c_int) = amo::set;
    default_one amo_old_ext: "" _ "_swap" (dest: *mut T, value: T, pe: c_int) -> T = amo::swap;
    default_one amo_old: "" _ "_cswap" (dest: *mut T, cond: T, value: T, pe: c_int) -> T = amo::compare_swap;
    default_one amo_old: "" _ "_finc" (dest: *mut T, pe: c_int) -> T = amo::fetch_inc;
    default_one amo_old: "" _ "_inc" (dest: *mut T, pe: c_int) = amo::inc_only;
    default_one amo_old: "" _ "_fadd" (dest: *mut T, value: T, pe: c_int) -> T = amo::fetch_add;
    default_one amo_old: "" _ "_add" (dest: *mut T, value: T, pe: c_int) = amo::add;
}

// The function for `long` that is older than the typed names. In C11 it is also a generic macro.
routine! { "shmem_swap" = fn(dest: *mut c_long, value: c_long, pe: c_int) -> c_long {
    amo::swap(NAME, Ctx::DEFAULT, dest, value, pe)
} }
