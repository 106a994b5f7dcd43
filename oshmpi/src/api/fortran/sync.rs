//! Waiting and ordering, and the routines for caches that are not coherent.

use super::args::{Int, Value};
use crate::ctx::Ctx;
use crate::ops::{order, wait};
use crate::state;
use core::ffi::c_void;

tables! { $
    f_ivars = [] "int4_" i32, "int8_" i64, "" K;
}

families! {
    f_plain f_ivars: "" _ "wait" (ivar: *mut T, cmp_value: Value<T>) = wait::differs;
    f_plain f_ivars: "" _ "wait_until" (ivar: *mut T, cmp: Int<K>, cmp_value: Value<T>) = wait::until;
}

f_routine! { f_names "shmem_fence" = fn() { order::fence(NAME, Ctx::DEFAULT) } }
f_routine! { f_names "shmem_quiet" = fn() { order::quiet(NAME, Ctx::DEFAULT) } }

// Memory is coherent here, so there is nothing to do. A call outside init and finalize is a mistake nevertheless.
f_routine! { f_names "shmem_clear_cache_inv" = fn() { let _ = state::my_pe(NAME); } }
f_routine! { f_names "shmem_set_cache_inv" = fn() { let _ = state::my_pe(NAME); } }
f_routine! { f_names "shmem_set_cache_line_inv" = fn(_dest: *mut c_void) { let _ = state::my_pe(NAME); } }
f_routine! { f_names "shmem_clear_cache_line_inv" = fn(_dest: *mut c_void) { let _ = state::my_pe(NAME); } }
f_routine! { f_names "shmem_udcflush" = fn() { let _ = state::my_pe(NAME); } }
f_routine! { f_names "shmem_udcflush_line" = fn(_dest: *mut c_void) { let _ = state::my_pe(NAME); } }
