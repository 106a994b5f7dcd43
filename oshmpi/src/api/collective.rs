//! Collectives, on teams and on active sets.

use crate::ops::coll::{self, And, Max, Min, Or, Prod, Sum, Xor};
use crate::team::TeamHandle;
use core::ffi::{c_int, c_long, c_void};

routine! { "shmem_barrier_all" = fn() { coll::barrier_all(NAME) } }
routine! { "shmem_sync_all" = fn() { coll::sync_all(NAME) } }
routine! { "shmem_barrier" = fn(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    // SAFETY: the C caller's promise.
    unsafe { coll::barrier(NAME, start, log_stride, size, psync) }
} }
routine! { "shmem_sync" = fn(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    // SAFETY: the C caller's promise.
    unsafe { coll::sync(NAME, start, log_stride, size, psync) }
} }

families! {
    plain_one rma_types: "" _ "_broadcast" (team: TeamHandle, dest: *mut T, source: *const T, nelems: usize, root: c_int) -> c_int = coll::broadcast;
    plain_one mem: "broadcast" _ "" (team: TeamHandle, dest: *mut c_void, source: *const c_void, nelems: usize, root: c_int) -> c_int = coll::broadcast;
    plain_one set_sizes: "broadcast" _ "" (dest: *mut c_void, source: *const c_void, nelems: usize, root: c_int, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) = coll::set_broadcast;
    plain_one rma_types: "" _ "_collect" (team: TeamHandle, dest: *mut T, source: *const T, nelems: usize) -> c_int = coll::collect;
    plain_one mem: "collect" _ "" (team: TeamHandle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int = coll::collect;
    plain_one set_sizes: "collect" _ "" (dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) = coll::set_collect;
    plain_one rma_types: "" _ "_fcollect" (team: TeamHandle, dest: *mut T, source: *const T, nelems: usize) -> c_int = coll::fcollect;
    plain_one mem: "fcollect" _ "" (team: TeamHandle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int = coll::fcollect;
    plain_one set_sizes: "fcollect" _ "" (dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) = coll::set_fcollect;
    plain_one rma_types: "" _ "_alltoall" (team: TeamHandle, dest: *mut T, source: *const T, nelems: usize) -> c_int = coll::alltoall;
    plain_one mem: "alltoall" _ "" (team: TeamHandle, dest: *mut c_void, source: *const c_void, nelems: usize) -> c_int = coll::alltoall;
    plain_one set_sizes: "alltoall" _ "" (dest: *mut c_void, source: *const c_void, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) = coll::set_alltoall;
    plain_one rma_types: "" _ "_alltoalls" (team: TeamHandle, dest: *mut T, source: *const T, dst: isize, sst: isize, nelems: usize) -> c_int = coll::alltoalls;
    plain_one mem: "alltoalls" _ "" (team: TeamHandle, dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize) -> c_int = coll::alltoalls;
    plain_one set_sizes: "alltoalls" _ "" (dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) = coll::set_alltoalls;

    plain_one team_bitwise: "" _ "_and_reduce" (team: TeamHandle, dest: *mut T, source: *const T, nreduce: usize) -> c_int = coll::reduce<And>;
    plain_one set_bitwise: "" _ "_and_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<And>;
    plain_one team_bitwise: "" _ "_or_reduce" (team: TeamHandle, dest: *mut T, source: *const T, nreduce: usize) -> c_int = coll::reduce<Or>;
    plain_one set_bitwise: "" _ "_or_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Or>;
    plain_one team_bitwise: "" _ "_xor_reduce" (team: TeamHandle, dest: *mut T, source: *const T, nreduce: usize) -> c_int = coll::reduce<Xor>;
    plain_one set_bitwise: "" _ "_xor_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Xor>;
    plain_one team_ordered: "" _ "_max_reduce" (team: TeamHandle, dest: *mut T, source: *const T, nreduce: usize) -> c_int = coll::reduce<Max>;
    plain_one set_ordered: "" _ "_max_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Max>;
    plain_one team_ordered: "" _ "_min_reduce" (team: TeamHandle, dest: *mut T, source: *const T, nreduce: usize) -> c_int = coll::reduce<Min>;
    plain_one set_ordered: "" _ "_min_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Min>;
    plain_one team_arithmetic: "" _ "_sum_reduce" (team: TeamHandle, dest: *mut T, source: *const T, nreduce: usize) -> c_int = coll::reduce<Sum>;
    plain_one set_arithmetic: "" _ "_sum_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Sum>;
    plain_one team_arithmetic: "" _ "_prod_reduce" (team: TeamHandle, dest: *mut T, source: *const T, nreduce: usize) -> c_int = coll::reduce<Prod>;
    plain_one set_arithmetic: "" _ "_prod_to_all" (dest: *mut T, source: *const T, nreduce: c_int, start: c_int, log_stride: c_int, size: c_int, pwrk: *mut T, psync: *mut c_long) = coll::to_all<Prod>;
    plain_one team_arithmetic: "" _ "_sum_inscan" (team: TeamHandle, dest: *mut T, source: *const T, nelems: usize) -> c_int = coll::inscan;
    plain_one team_arithmetic: "" _ "_sum_exscan" (team: TeamHandle, dest: *mut T, source: *const T, nelems: usize) -> c_int = coll::exscan;
}
