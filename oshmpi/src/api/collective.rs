//! Collectives that the library has: barriers, syncs, active-set reductions.

use crate::ops::coll::{self, And, Max, Min, Or, Prod, Sum, Xor};
use crate::state;
use core::ffi::{c_int, c_long};

routine! { "shmem_barrier_all" = fn() { coll::barrier_all(state::up(NAME)) } }
routine! { "shmem_sync_all" = fn() { coll::barrier_all(state::up(NAME)) } }
routine! { "shmem_barrier" = fn(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    // SAFETY: pSync is not touched.
    unsafe { coll::barrier(NAME, start, log_stride, size, psync) }
} }
routine! { "shmem_sync" = fn(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    // SAFETY: pSync is not touched.
    unsafe { coll::sync(NAME, start, log_stride, size, psync) }
} }

families! {
    plain_one set_arithmetic: "" _ "_sum_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Sum>;
    plain_one set_arithmetic: "" _ "_prod_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Prod>;
    plain_one set_ordered: "" _ "_min_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Min>;
    plain_one set_ordered: "" _ "_max_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Max>;
    plain_one set_bitwise: "" _ "_and_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<And>;
    plain_one set_bitwise: "" _ "_or_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Or>;
    plain_one set_bitwise: "" _ "_xor_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Xor>;
}
