//! The types of symmetric memory, and which routine of C serves which of them.

use core::ffi::c_int;
use shmem_sys as sys;

mod sealed {
    pub trait Sealed {}
}

/// What symmetric memory can hold. Every bit pattern is a value, zero is one, and nothing points anywhere.
pub trait Element: sealed::Sealed + Copy + Default + 'static {
    #[doc(hidden)]
    const ZERO: Self;
    #[doc(hidden)]
    unsafe fn raw_put(dest: *mut Self, source: *const Self, n: usize, pe: c_int);
    #[doc(hidden)]
    unsafe fn raw_get(dest: *mut Self, source: *const Self, n: usize, pe: c_int);
    #[doc(hidden)]
    unsafe fn raw_broadcast(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize, root: c_int)
    -> c_int;
    #[doc(hidden)]
    unsafe fn raw_fcollect(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
    #[doc(hidden)]
    unsafe fn raw_alltoall(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
}

/// Types with minimum and maximum over a team.
pub trait Ordered: Element {
    #[doc(hidden)]
    unsafe fn raw_min(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
    #[doc(hidden)]
    unsafe fn raw_max(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
}

/// Types with sum and product over a team. Integers wrap.
pub trait Number: Element {
    #[doc(hidden)]
    unsafe fn raw_sum(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
    #[doc(hidden)]
    unsafe fn raw_prod(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
}

/// Types with and, or, exclusive or over a team.
pub trait Bits: Element {
    #[doc(hidden)]
    unsafe fn raw_and(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
    #[doc(hidden)]
    unsafe fn raw_or(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
    #[doc(hidden)]
    unsafe fn raw_xor(t: sys::shmem_team_t, dest: *mut Self, source: *const Self, n: usize) -> c_int;
}

/// Types with atomic operations on other PEs, and with waits.
pub trait Atomic: Element {
    #[doc(hidden)]
    unsafe fn raw_fetch(source: *const Self, pe: c_int) -> Self;
    #[doc(hidden)]
    unsafe fn raw_set(dest: *mut Self, value: Self, pe: c_int);
    #[doc(hidden)]
    unsafe fn raw_swap(dest: *mut Self, value: Self, pe: c_int) -> Self;
    #[doc(hidden)]
    unsafe fn raw_compare_swap(dest: *mut Self, cond: Self, value: Self, pe: c_int) -> Self;
    #[doc(hidden)]
    unsafe fn raw_fetch_add(dest: *mut Self, value: Self, pe: c_int) -> Self;
    #[doc(hidden)]
    unsafe fn raw_wait_until(ivar: *mut Self, cmp: c_int, value: Self);
}

/// Names of one type's routines.
macro_rules! elements {
    ($($t:ty, $zero:literal: $put:ident $get:ident $broadcast:ident $fcollect:ident $alltoall:ident;)*) => { $(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const ZERO: $t = $zero;
            unsafe fn raw_put(dest: *mut $t, source: *const $t, n: usize, pe: c_int) {
                // SAFETY: passed on to the caller, as everywhere in this file.
                unsafe { sys::$put(dest, source, n, pe) }
            }
            unsafe fn raw_get(dest: *mut $t, source: *const $t, n: usize, pe: c_int) {
                // SAFETY: as above.
                unsafe { sys::$get(dest, source, n, pe) }
            }
            unsafe fn raw_broadcast(t: sys::shmem_team_t, dest: *mut $t, source: *const $t, n: usize, root: c_int) -> c_int {
                // SAFETY: as above.
                unsafe { sys::$broadcast(t, dest, source, n, root) }
            }
            unsafe fn raw_fcollect(t: sys::shmem_team_t, dest: *mut $t, source: *const $t, n: usize) -> c_int {
                // SAFETY: as above.
                unsafe { sys::$fcollect(t, dest, source, n) }
            }
            unsafe fn raw_alltoall(t: sys::shmem_team_t, dest: *mut $t, source: *const $t, n: usize) -> c_int {
                // SAFETY: as above.
                unsafe { sys::$alltoall(t, dest, source, n) }
            }
        }
    )* };
}

elements! {
    i8, 0: shmem_int8_put shmem_int8_get shmem_int8_broadcast shmem_int8_fcollect shmem_int8_alltoall;
    i16, 0: shmem_int16_put shmem_int16_get shmem_int16_broadcast shmem_int16_fcollect shmem_int16_alltoall;
    i32, 0: shmem_int32_put shmem_int32_get shmem_int32_broadcast shmem_int32_fcollect shmem_int32_alltoall;
    i64, 0: shmem_int64_put shmem_int64_get shmem_int64_broadcast shmem_int64_fcollect shmem_int64_alltoall;
    u8, 0: shmem_uint8_put shmem_uint8_get shmem_uint8_broadcast shmem_uint8_fcollect shmem_uint8_alltoall;
    u16, 0: shmem_uint16_put shmem_uint16_get shmem_uint16_broadcast shmem_uint16_fcollect shmem_uint16_alltoall;
    u32, 0: shmem_uint32_put shmem_uint32_get shmem_uint32_broadcast shmem_uint32_fcollect shmem_uint32_alltoall;
    u64, 0: shmem_uint64_put shmem_uint64_get shmem_uint64_broadcast shmem_uint64_fcollect shmem_uint64_alltoall;
    f32, 0.0: shmem_float_put shmem_float_get shmem_float_broadcast shmem_float_fcollect shmem_float_alltoall;
    f64, 0.0: shmem_double_put shmem_double_get shmem_double_broadcast shmem_double_fcollect shmem_double_alltoall;
}

/// Reductions of one trait: a line per type says which routine serves which method.
macro_rules! reductions {
    ($trait:ident $($t:ty: $($method:ident = $routine:ident),+;)*) => { $(
        impl $trait for $t { $(
            unsafe fn $method(t: sys::shmem_team_t, dest: *mut $t, source: *const $t, n: usize) -> c_int {
                // SAFETY: passed on to the caller.
                unsafe { sys::$routine(t, dest, source, n) }
            }
        )+ }
    )* };
}

reductions! { Ordered
    i8: raw_min = shmem_int8_min_reduce, raw_max = shmem_int8_max_reduce;
    i16: raw_min = shmem_int16_min_reduce, raw_max = shmem_int16_max_reduce;
    i32: raw_min = shmem_int32_min_reduce, raw_max = shmem_int32_max_reduce;
    i64: raw_min = shmem_int64_min_reduce, raw_max = shmem_int64_max_reduce;
    u8: raw_min = shmem_uint8_min_reduce, raw_max = shmem_uint8_max_reduce;
    u16: raw_min = shmem_uint16_min_reduce, raw_max = shmem_uint16_max_reduce;
    u32: raw_min = shmem_uint32_min_reduce, raw_max = shmem_uint32_max_reduce;
    u64: raw_min = shmem_uint64_min_reduce, raw_max = shmem_uint64_max_reduce;
    f32: raw_min = shmem_float_min_reduce, raw_max = shmem_float_max_reduce;
    f64: raw_min = shmem_double_min_reduce, raw_max = shmem_double_max_reduce;
}

reductions! { Number
    i8: raw_sum = shmem_int8_sum_reduce, raw_prod = shmem_int8_prod_reduce;
    i16: raw_sum = shmem_int16_sum_reduce, raw_prod = shmem_int16_prod_reduce;
    i32: raw_sum = shmem_int32_sum_reduce, raw_prod = shmem_int32_prod_reduce;
    i64: raw_sum = shmem_int64_sum_reduce, raw_prod = shmem_int64_prod_reduce;
    u8: raw_sum = shmem_uint8_sum_reduce, raw_prod = shmem_uint8_prod_reduce;
    u16: raw_sum = shmem_uint16_sum_reduce, raw_prod = shmem_uint16_prod_reduce;
    u32: raw_sum = shmem_uint32_sum_reduce, raw_prod = shmem_uint32_prod_reduce;
    u64: raw_sum = shmem_uint64_sum_reduce, raw_prod = shmem_uint64_prod_reduce;
    f32: raw_sum = shmem_float_sum_reduce, raw_prod = shmem_float_prod_reduce;
    f64: raw_sum = shmem_double_sum_reduce, raw_prod = shmem_double_prod_reduce;
}

reductions! { Bits
    i8: raw_and = shmem_int8_and_reduce, raw_or = shmem_int8_or_reduce, raw_xor = shmem_int8_xor_reduce;
    i16: raw_and = shmem_int16_and_reduce, raw_or = shmem_int16_or_reduce, raw_xor = shmem_int16_xor_reduce;
    i32: raw_and = shmem_int32_and_reduce, raw_or = shmem_int32_or_reduce, raw_xor = shmem_int32_xor_reduce;
    i64: raw_and = shmem_int64_and_reduce, raw_or = shmem_int64_or_reduce, raw_xor = shmem_int64_xor_reduce;
    u8: raw_and = shmem_uint8_and_reduce, raw_or = shmem_uint8_or_reduce, raw_xor = shmem_uint8_xor_reduce;
    u16: raw_and = shmem_uint16_and_reduce, raw_or = shmem_uint16_or_reduce, raw_xor = shmem_uint16_xor_reduce;
    u32: raw_and = shmem_uint32_and_reduce, raw_or = shmem_uint32_or_reduce, raw_xor = shmem_uint32_xor_reduce;
    u64: raw_and = shmem_uint64_and_reduce, raw_or = shmem_uint64_or_reduce, raw_xor = shmem_uint64_xor_reduce;
}

macro_rules! atomics {
    ($($t:ty: $fetch:ident $set:ident $swap:ident $cswap:ident $add:ident $wait:ident;)*) => { $(
        impl Atomic for $t {
            unsafe fn raw_fetch(source: *const $t, pe: c_int) -> $t {
                // SAFETY: passed on to the caller.
                unsafe { sys::$fetch(source, pe) }
            }
            unsafe fn raw_set(dest: *mut $t, value: $t, pe: c_int) {
                // SAFETY: as above.
                unsafe { sys::$set(dest, value, pe) }
            }
            unsafe fn raw_swap(dest: *mut $t, value: $t, pe: c_int) -> $t {
                // SAFETY: as above.
                unsafe { sys::$swap(dest, value, pe) }
            }
            unsafe fn raw_compare_swap(dest: *mut $t, cond: $t, value: $t, pe: c_int) -> $t {
                // SAFETY: as above.
                unsafe { sys::$cswap(dest, cond, value, pe) }
            }
            unsafe fn raw_fetch_add(dest: *mut $t, value: $t, pe: c_int) -> $t {
                // SAFETY: as above.
                unsafe { sys::$add(dest, value, pe) }
            }
            unsafe fn raw_wait_until(ivar: *mut $t, cmp: c_int, value: $t) {
                // SAFETY: as above.
                unsafe { sys::$wait(ivar, cmp, value) }
            }
        }
    )* };
}

atomics! {
    i32: shmem_int32_atomic_fetch shmem_int32_atomic_set shmem_int32_atomic_swap shmem_int32_atomic_compare_swap
        shmem_int32_atomic_fetch_add shmem_int32_wait_until;
    i64: shmem_int64_atomic_fetch shmem_int64_atomic_set shmem_int64_atomic_swap shmem_int64_atomic_compare_swap
        shmem_int64_atomic_fetch_add shmem_int64_wait_until;
    u32: shmem_uint32_atomic_fetch shmem_uint32_atomic_set shmem_uint32_atomic_swap shmem_uint32_atomic_compare_swap
        shmem_uint32_atomic_fetch_add shmem_uint32_wait_until;
    u64: shmem_uint64_atomic_fetch shmem_uint64_atomic_set shmem_uint64_atomic_swap shmem_uint64_atomic_compare_swap
        shmem_uint64_atomic_fetch_add shmem_uint64_wait_until;
}
