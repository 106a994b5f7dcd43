//! Collectives on active sets.

use super::args::{Argument, Count, Int, Stride};
use crate::ops::coll::{self, And, Complex, Max, Min, Or, Prod, Real16, Sum, Xor};
use core::ffi::c_long;

/// Elements of 8 bytes, which may be two REALs.
type Pair = [u32; 2];
type Comp4 = Complex<f32>;
type Comp8 = Complex<f64>;

/// Bytes of an element for 4 and 8, bits for the others.
macro_rules! f_set_sizes {
    ($form:ident $family:tt) => {
        each! { $form $family "4" u32, "8" Pair }
        f_set_bits! { $form $family }
    };
}

macro_rules! f_set_bits {
    ($form:ident $family:tt) => {
        each! { $form $family "32" u32, "64" Pair }
    };
}

macro_rules! f_bitwise {
    ($form:ident $family:tt) => {
        each! { $form $family "int2" i16, "int4" i32, "int8" i64 }
    };
}

macro_rules! f_ordered {
    ($form:ident $family:tt) => {
        f_bitwise! { $form $family }
        each! { $form $family "real4" f32, "real8" f64, "real16" Real16 }
    };
}

macro_rules! f_arithmetic {
    ($form:ident $family:tt) => {
        f_ordered! { $form $family }
        each! { $form $family "comp4" Comp4, "comp8" Comp8 }
    };
}

f_routine! { f_names "shmem_barrier_all" = fn() { coll::barrier_all(NAME) } }
f_routine! { f_names "shmem_sync_all" = fn() { coll::sync_all(NAME) } }
f_routine! { f_names "shmem_barrier" = fn(start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) {
    // SAFETY: the Fortran caller's promise.
    unsafe { coll::barrier(NAME, start.value(NAME, "PE_start"), log_stride.value(NAME, "logPE_stride"), size.value(NAME, "PE_size"), psync) }
} }
f_routine! { f_names "shmem_sync" = fn(start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) {
    // SAFETY: the Fortran caller's promise.
    unsafe { coll::sync(NAME, start.value(NAME, "PE_start"), log_stride.value(NAME, "logPE_stride"), size.value(NAME, "PE_size"), psync) }
} }

families! {
    f_plain f_set_sizes: "broadcast" _ "" (dest: *mut T, source: *const T, nelems: Count<K>, root: Int<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) = coll::set_broadcast;
    f_plain f_set_sizes: "collect" _ "" (dest: *mut T, source: *const T, nelems: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) = coll::set_collect;
    f_plain f_set_sizes: "fcollect" _ "" (dest: *mut T, source: *const T, nelems: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) = coll::set_fcollect;
    f_plain f_set_bits: "alltoall" _ "" (dest: *mut T, source: *const T, nelems: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) = coll::set_alltoall;
    f_plain f_set_bits: "alltoalls" _ "" (dest: *mut T, source: *const T, dst: Stride<K>, sst: Stride<K>, nelems: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) = coll::set_alltoalls;

    f_plain f_bitwise: "" _ "_and_to_all" (dest: *mut T, source: *const T, nreduce: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, pwrk: *mut T, psync: *mut c_long) = coll::to_all_of<And>;
    f_plain f_bitwise: "" _ "_or_to_all" (dest: *mut T, source: *const T, nreduce: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, pwrk: *mut T, psync: *mut c_long) = coll::to_all_of<Or>;
    f_plain f_bitwise: "" _ "_xor_to_all" (dest: *mut T, source: *const T, nreduce: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, pwrk: *mut T, psync: *mut c_long) = coll::to_all_of<Xor>;
    f_plain f_ordered: "" _ "_max_to_all" (dest: *mut T, source: *const T, nreduce: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, pwrk: *mut T, psync: *mut c_long) = coll::to_all_of<Max>;
    f_plain f_ordered: "" _ "_min_to_all" (dest: *mut T, source: *const T, nreduce: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, pwrk: *mut T, psync: *mut c_long) = coll::to_all_of<Min>;
    f_plain f_arithmetic: "" _ "_sum_to_all" (dest: *mut T, source: *const T, nreduce: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, pwrk: *mut T, psync: *mut c_long) = coll::to_all_of<Sum>;
    f_plain f_arithmetic: "" _ "_prod_to_all" (dest: *mut T, source: *const T, nreduce: Count<K>, start: Int<K>, log_stride: Int<K>, size: Int<K>, pwrk: *mut T, psync: *mut c_long) = coll::to_all_of<Prod>;
}
