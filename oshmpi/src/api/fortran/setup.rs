//! Initialisation, end, and queries.

use super::args::{Argument, Int, IntegerKind};
use crate::api::setup::{initialise_threads, or_end};
use crate::boot::{info, teardown};
use crate::ops::{life, query};
use crate::state;
use core::ffi::{c_int, c_void};

/// Major and minor version of the standard, as in C.
const VERSION: [c_int; 2] = [1, 6];

/// # Safety
/// `to` can be written.
unsafe fn store<K: IntegerKind>(to: *mut K, value: c_int) {
    // SAFETY: the caller passes a variable of kind `K`.
    unsafe { to.write_unaligned(K::from_int(value)) }
}

/// The vendor string, padded with blanks or cut to the variable's length.
///
/// # Safety
/// `len` bytes can be written.
unsafe fn info_name(name: *mut u8, len: usize) {
    let known = len.min(info::VENDOR.len());
    // SAFETY: `len` bytes at `name` can be written, of which `known` are copied and the rest filled.
    unsafe {
        core::ptr::copy_nonoverlapping(info::VENDOR.as_ptr(), name, known);
        name.add(known).write_bytes(b' ', len - known);
    }
}

f_routine! { f_names "start_pes" = fn(_npes: Int<K>) { or_end(NAME, life::start_pes()) } }
f_routine! { f_names "shmem_init" = fn() { or_end(NAME, life::init(NAME, 0)) } }
f_routine! { f_names "shmem_finalize" = fn() { life::finalize(NAME) } }
f_routine! { f_names "shmem_global_exit" = fn(status: Int<K>) {
    let _ = state::up(NAME);
    // SAFETY: the Fortran caller passes an integer.
    teardown::end_job(unsafe { status.value(NAME, "status") })
} }
f_routine! { f_names "shmem_init_thread" = fn(requested: Int<K>, provided: *mut K) -> K {
    // SAFETY: the Fortran caller passes integers.
    unsafe {
        let (failed, level) = initialise_threads(NAME, requested.value(NAME, "requested"));
        store(provided, level);
        K::from_int(failed)
    }
} }
f_routine! { f_names "shmem_query_thread" = fn(provided: *mut K) {
    let _ = state::up(NAME);
    // SAFETY: the Fortran caller passes an integer.
    unsafe { store(provided, life::level()) }
} }

f_routine! { f_names "shmem_my_pe" = fn() -> K { K::from_int(state::my_pe(NAME)) } }
f_routine! { f_names "my_pe" = fn() -> K { K::from_int(state::my_pe(NAME)) } }
f_routine! { f_names "shmem_n_pes" = fn() -> K { K::from_int(state::n_pes(NAME)) } }
f_routine! { f_names "num_pes" = fn() -> K { K::from_int(state::n_pes(NAME)) } }

// .TRUE. is stored as 1, which is right for compilers that test the lowest bit and for those that test all bits.
f_routine! { f_names "shmem_pe_accessible" = fn(pe: Int<K>) -> K {
    // SAFETY: the Fortran caller passes an integer.
    K::from_int(query::pe_accessible(NAME, unsafe { pe.value(NAME, "pe") }))
} }
f_routine! { f_names "shmem_addr_accessible" = fn(addr: *const c_void, pe: Int<K>) -> K {
    // SAFETY: the Fortran caller passes an integer.
    K::from_int(query::addr_accessible(NAME, addr, unsafe { pe.value(NAME, "pe") }))
} }
f_routine! { f_names "shmem_ptr" = fn(dest: *const c_void, pe: Int<K>) -> *mut c_void {
    // SAFETY: the Fortran caller passes an integer.
    query::ptr(NAME, dest, unsafe { pe.value(NAME, "pe") })
} }

f_routine! { f_names "shmem_info_get_version" = fn(major: *mut K, minor: *mut K) {
    // SAFETY: the Fortran caller passes integers.
    unsafe {
        store(major, VERSION[0]);
        store(minor, VERSION[1]);
    }
} }
// The hidden length is an int with some compilers and a size_t with others: its low half is right for both.
f_routine! { f_names "shmem_info_get_name" = fn(name: *mut u8, len: u32) {
    // SAFETY: the Fortran compiler passes the variable's length.
    unsafe { info_name(name, len as usize) }
} }
