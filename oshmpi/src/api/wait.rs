//! Waiting for, and testing, words of this PE's symmetric memory.

use crate::memory::local::{Dest, Source};
use crate::ops::wait;
use core::ffi::{c_int, c_long};

families! {
    plain_one sync_types: "" _ "_wait_until" (ivar: *mut T, cmp: c_int, cmp_value: T) = wait::until;
    plain_one sync_types: "" _ "_wait_until_all"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_value: T)
        = wait::until_all(ivars, nelems, Source::of(status, nelems), cmp, cmp_value);
    plain_one sync_types: "" _ "_wait_until_any"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_value: T) -> usize
        = wait::until_any(ivars, nelems, Source::of(status, nelems), cmp, cmp_value);
    plain_one sync_types: "" _ "_wait_until_some"
        (ivars: *mut T, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, cmp_value: T) -> usize
        = wait::until_some(ivars, nelems, Dest::of(indices, nelems), Source::of(status, nelems), cmp, cmp_value);
    plain_one sync_types: "" _ "_wait_until_all_vector"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_values: *const T)
        = wait::until_all_vector(ivars, nelems, Source::of(status, nelems), cmp, Source::of(cmp_values, nelems));
    plain_one sync_types: "" _ "_wait_until_any_vector"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_values: *const T) -> usize
        = wait::until_any_vector(ivars, nelems, Source::of(status, nelems), cmp, Source::of(cmp_values, nelems));
    plain_one sync_types: "" _ "_wait_until_some_vector"
        (ivars: *mut T, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int,
            cmp_values: *const T) -> usize
        = wait::until_some_vector(ivars, nelems, Dest::of(indices, nelems), Source::of(status, nelems), cmp,
            Source::of(cmp_values, nelems));

    plain_one sync_types: "" _ "_test" (ivar: *mut T, cmp: c_int, cmp_value: T) -> c_int = wait::test;
    plain_one sync_types: "" _ "_test_all"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_value: T) -> c_int
        = wait::test_all(ivars, nelems, Source::of(status, nelems), cmp, cmp_value);
    plain_one sync_types: "" _ "_test_any"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_value: T) -> usize
        = wait::test_any(ivars, nelems, Source::of(status, nelems), cmp, cmp_value);
    plain_one sync_types: "" _ "_test_some"
        (ivars: *mut T, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int, cmp_value: T) -> usize
        = wait::test_some(ivars, nelems, Dest::of(indices, nelems), Source::of(status, nelems), cmp, cmp_value);
    plain_one sync_types: "" _ "_test_all_vector"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_values: *const T) -> c_int
        = wait::test_all_vector(ivars, nelems, Source::of(status, nelems), cmp, Source::of(cmp_values, nelems));
    plain_one sync_types: "" _ "_test_any_vector"
        (ivars: *mut T, nelems: usize, status: *const c_int, cmp: c_int, cmp_values: *const T) -> usize
        = wait::test_any_vector(ivars, nelems, Source::of(status, nelems), cmp, Source::of(cmp_values, nelems));
    plain_one sync_types: "" _ "_test_some_vector"
        (ivars: *mut T, nelems: usize, indices: *mut usize, status: *const c_int, cmp: c_int,
            cmp_values: *const T) -> usize
        = wait::test_some_vector(ivars, nelems, Dest::of(indices, nelems), Source::of(status, nelems), cmp,
            Source::of(cmp_values, nelems));

    plain_one wait_types: "" _ "_wait" (ivar: *mut T, cmp_value: T) = wait::differs;
}

// The functions for `long` that are older than the typed names. In C11 `shmem_wait_until` is also a generic macro.
routine! { "shmem_wait_until" = fn(ivar: *mut c_long, cmp: c_int, cmp_value: c_long) {
    wait::until(NAME, ivar, cmp, cmp_value)
} }
routine! { "shmem_wait" = fn(ivar: *mut c_long, cmp_value: c_long) {
    wait::differs(NAME, ivar, cmp_value)
} }
