//! Initialisation, end, and queries.

use crate::boot::{BootError, info, teardown};
use crate::diag;
use crate::ops::{life, query};
use crate::os::process;
use crate::state;
use core::ffi::{c_char, c_int, c_void};

/// `SHMEM_MAX_NAME_LEN` of shmem.h.
const MAX_NAME_LEN: usize = 64;
const _: () = assert!(info::VENDOR.len() < MAX_NAME_LEN, "the vendor string with its NUL must fit");

/// Microseconds for which the other PEs wait while one PE says why the start has failed. They suffice where PEs
/// outnumber cores too.
const TO_PRINT_WHY_US: u64 = 1_000_000;

/// For routines that cannot return a failure: one PE reports why, and all PEs end.
pub(super) fn or_end(routine: &str, done: Result<(), BootError>) {
    match done {
        Ok(()) => {}
        // The PE that reports the failure ends the job. If that PE is gone, this one ends the job.
        Err(BootError::ReportedElsewhere) => {
            process::sleep_micros(5_000_000);
            diag::end_job(1)
        }
        Err(why) => diag::fatal(routine, why),
    }
}

fn store(routine: &str, arg: &str, to: *mut c_int, value: c_int) {
    if to.is_null() {
        diag::fatal(routine, format_args!("{arg} is null"));
    }
    // SAFETY: not null, and the C caller promises an int there.
    unsafe { to.write(value) }
}

routine! { "shmem_init" = fn() { or_end(NAME, life::init(NAME, 0)) } }

/// Initialises with a thread level. Returns the routine's result (0, or 1 after a failure) and the level provided.
pub(super) fn initialise_threads(routine: &'static str, requested: c_int) -> (c_int, c_int) {
    if !(0..=3).contains(&requested) {
        diag::fatal(routine, format_args!("requested is {requested}, not one of the SHMEM_THREAD_ levels 0..3"));
    }
    match life::init(routine, requested) {
        Ok(()) => (0, life::level()),
        // Most programs end now, and launchers end all PEs when the first one ends. So this PE waits until another PE
        // has said why the start has failed.
        Err(BootError::ReportedElsewhere) => {
            process::sleep_micros(TO_PRINT_WHY_US);
            (1, 0)
        }
        Err(why) => {
            diag::print(format_args!("{routine}: {why}"));
            (1, 0)
        }
    }
}

routine! { "shmem_init_thread" = fn(requested: c_int, provided: *mut c_int) -> c_int {
    if provided.is_null() {
        diag::fatal(NAME, "provided is null");
    }
    let (failed, level) = initialise_threads(NAME, requested);
    store(NAME, "provided", provided, level);
    failed
} }

routine! { "start_pes" = fn(_npes: c_int) { or_end(NAME, life::start_pes()) } }
routine! { "shmem_finalize" = fn() { life::finalize(NAME) } }
routine! { "shmem_global_exit" = fn(status: c_int) {
    let _ = state::up(NAME);
    teardown::end_job(status)
} }

routine! { "shmem_query_initialized" = fn(initialized: *mut c_int) {
    store(NAME, "initialized", initialized, c_int::from(state::inits() > 0))
} }
routine! { "shmem_query_thread" = fn(provided: *mut c_int) {
    let _ = state::up(NAME);
    store(NAME, "provided", provided, life::level())
} }

routine! { "shmem_my_pe" = fn() -> c_int { state::my_pe(NAME) } }
routine! { "_my_pe" = fn() -> c_int { state::my_pe(NAME) } }
routine! { "shmem_n_pes" = fn() -> c_int { state::n_pes(NAME) } }
routine! { "_num_pes" = fn() -> c_int { state::n_pes(NAME) } }

routine! { "shmem_pe_accessible" = fn(pe: c_int) -> c_int { query::pe_accessible(NAME, pe) } }
routine! { "shmem_addr_accessible" = fn(addr: *const c_void, pe: c_int) -> c_int {
    query::addr_accessible(NAME, addr, pe)
} }
routine! { "shmem_ptr" = fn(dest: *const c_void, pe: c_int) -> *mut c_void { query::ptr(NAME, dest, pe) } }

routine! { "shmem_info_get_version" = fn(major: *mut c_int, minor: *mut c_int) {
    store(NAME, "major", major, 1);
    store(NAME, "minor", minor, 6)
} }
routine! { "shmem_info_get_name" = fn(name: *mut c_char) {
    if name.is_null() {
        diag::fatal(NAME, "name is null");
    }
    // SAFETY: the C caller promises SHMEM_MAX_NAME_LEN bytes, and the string with its NUL is shorter.
    unsafe {
        core::ptr::copy_nonoverlapping(info::VENDOR.as_ptr().cast(), name, info::VENDOR.len());
        name.add(info::VENDOR.len()).write(0);
    }
} }
