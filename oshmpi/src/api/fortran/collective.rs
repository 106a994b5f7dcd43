//! Collectives on active sets.

use super::args::{Argument, Count, Int, IntegerKind, Stride};
use crate::ops::coll::{self, And, Complex, Max, Min, Or, Prod, Real16, SetArgs, Sum, Xor};
use core::ffi::{c_long, c_void};

/// Elements of 8 bytes, which may be two REALs.
type Pair = [u32; 2];
type Comp4 = Complex<f32>;
type Comp8 = Complex<f64>;

tables! { $
    /// Sizes in routine names: bytes of an element for 4 and 8, bits for 32 and 64.
    f_set_sizes = [f_set_bits] "4" u32, "8" Pair;

    f_set_bits = [] "32" u32, "64" Pair;

    f_bitwise = [] "int2" i16, "int4" i32, "int8" i64;

    f_ordered = [f_bitwise] "real4" f32, "real8" f64, "real16" Real16;

    f_arithmetic = [f_ordered] "comp4" Comp4, "comp8" Comp8;
}

f_routine! { f_names "shmem_barrier_all" = fn() { coll::barrier_all(NAME) } }
f_routine! { f_names "shmem_sync_all" = fn() { coll::sync_all(NAME) } }
f_routine! { f_names "shmem_barrier" = fn(start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) {
    // SAFETY: the Fortran caller passes the addresses of integers.
    coll::barrier(NAME, unsafe { set::<K>(NAME, start, log_stride, size, psync, None) })
} }
f_routine! { f_names "shmem_sync" = fn(start: Int<K>, log_stride: Int<K>, size: Int<K>, psync: *mut c_long) {
    // SAFETY: the Fortran caller passes the addresses of integers.
    coll::sync(NAME, unsafe { set::<K>(NAME, start, log_stride, size, psync, None) })
} }

/// The active set that the Fortran caller names.
///
/// # Safety
/// The numbers are addresses of integers.
unsafe fn set<K: IntegerKind>(
    routine: &'static str,
    start: Int<K>,
    log_stride: Int<K>,
    size: Int<K>,
    psync: *const c_long,
    pwrk: Option<usize>,
) -> SetArgs {
    // SAFETY: promised.
    let int = |number: Int<K>, arg| unsafe { number.value(routine, arg) };
    let (start, log_stride) = (int(start, "PE_start"), int(log_stride, "logPE_stride"));
    crate::api::collective::set(start, log_stride, int(size, "PE_size"), psync, pwrk)
}

/// Forms for `families!`: a collective of an active set, and a reduction of one. The arguments of the line follow dest
/// and source.
macro_rules! f_on_set {
    ({ $($family:tt)* } $n:literal $t:ty) => { f_set! { [] { $($family)* } $n $t } };
}

macro_rules! f_to_all {
    ({ $($family:tt)* } $n:literal $t:ty) => { f_set! { [pwrk] { $($family)* } $n $t } };
}

macro_rules! f_set {
    ([$($pwrk:ident)?]
        { $pre:literal _ $post:literal ($($a:ident: $at:ty),*) = $($body:ident)::+ $(<$o:ident>)? }
        $n:literal $t:ty) => {
        f_symbols! { f_names ["shmem_" $pre $n $post] fn(
            dest: *mut c_void, source: *const c_void $(, $a: $at)*,
            start: Int<K>, log_stride: Int<K>, size: Int<K> $(, $pwrk: *mut c_void)?, psync: *mut c_long,
        ) {
            let pwrk = None $(.or(Some($pwrk as usize)))?;
            // SAFETY: the Fortran caller passes the addresses of integers.
            let set = unsafe { set::<K>(NAME, start, log_stride, size, psync, pwrk) };
            // SAFETY: as above.
            $(let $a = unsafe { Argument::value($a, NAME, stringify!($a)) };)*
            coll::run_in_set(NAME, set, dest as usize, source as usize, $($body)::+::<$t $(, $o)?>($($a),*));
        } }
    };
}

families! {
    f_on_set f_set_sizes: "broadcast" _ "" (nelems: Count<K>, root: Int<K>) = coll::broadcast;
    f_on_set f_set_sizes: "collect" _ "" (nelems: Count<K>) = coll::collect;
    f_on_set f_set_sizes: "fcollect" _ "" (nelems: Count<K>) = coll::fcollect;
    f_on_set f_set_bits: "alltoall" _ "" (nelems: Count<K>) = coll::alltoall;
    f_on_set f_set_bits: "alltoalls" _ "" (dst: Stride<K>, sst: Stride<K>, nelems: Count<K>) = coll::alltoalls;

    f_to_all f_bitwise: "" _ "_and_to_all" (nreduce: Count<K>) = coll::reduce_in_set<And>;
    f_to_all f_bitwise: "" _ "_or_to_all" (nreduce: Count<K>) = coll::reduce_in_set<Or>;
    f_to_all f_bitwise: "" _ "_xor_to_all" (nreduce: Count<K>) = coll::reduce_in_set<Xor>;
    f_to_all f_ordered: "" _ "_max_to_all" (nreduce: Count<K>) = coll::reduce_in_set<Max>;
    f_to_all f_ordered: "" _ "_min_to_all" (nreduce: Count<K>) = coll::reduce_in_set<Min>;
    f_to_all f_arithmetic: "" _ "_sum_to_all" (nreduce: Count<K>) = coll::reduce_in_set<Sum>;
    f_to_all f_arithmetic: "" _ "_prod_to_all" (nreduce: Count<K>) = coll::reduce_in_set<Prod>;
}
