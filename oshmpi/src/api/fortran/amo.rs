//! Atomic memory operations.

use super::args::{Int, Value};
use crate::ops::amo;

tables! { $
    f_ints = [] "int4" i32, "int8" i64;

    f_words = [f_ints] "real4" f32, "real8" f64;

    /// The AMO routines without a type in their names, of the default INTEGER: swap of the standard, the others of
    /// Cray's SHMEM.
    f_integer = [] "" K;
}

families! {
    f_default f_words: "" _ "_fetch" (source: *const T, pe: Int<K>) -> T = amo::fetch;
    f_default f_words: "" _ "_set" (dest: *mut T, value: Value<T>, pe: Int<K>) = amo::set;
    f_default f_words: "" _ "_swap", f_integer: "swap" _ "" (dest: *mut T, value: Value<T>, pe: Int<K>) -> T
        = amo::swap;
    f_default f_ints: "" _ "_cswap", f_integer: "cswap" _ ""
        (dest: *mut T, cond: Value<T>, value: Value<T>, pe: Int<K>) -> T
        = amo::compare_swap;
    f_default f_ints: "" _ "_finc", f_integer: "finc" _ "" (dest: *mut T, pe: Int<K>) -> T = amo::fetch_inc;
    f_default f_ints: "" _ "_inc", f_integer: "inc" _ "" (dest: *mut T, pe: Int<K>) = amo::inc_only;
    f_default f_ints: "" _ "_fadd", f_integer: "fadd" _ "" (dest: *mut T, value: Value<T>, pe: Int<K>) -> T
        = amo::fetch_add;
    f_default f_ints: "" _ "_add", f_integer: "add" _ "" (dest: *mut T, value: Value<T>, pe: Int<K>) = amo::add;
}
