//! The MPI calls that programs with MPI and OpenSHMEM may make in any order relative to ours: MPI is initialised once,
//! whoever comes first, and ends when both are done with it. A program's MPI_Finalize before its first shmem_init, or
//! while OpenSHMEM is up, is put off: to the last shmem_finalize, or to the end of the process.
//!
//! Weak, like the routines: an MPI profiling tool that wraps these calls takes precedence and reaches MPI itself.

use crate::mpi;
use crate::ops::life;
use core::ffi::{c_char, c_int};

const SUCCESS: c_int = 0;

macro_rules! entry {
    ($name:literal = fn($($a:ident: $t:ty),*) $body:block) => {
        const _: () = {
            #[unsafe(export_name = concat!("oshmpi_", $name))]
            unsafe extern "C" fn body($($a: $t),*) -> c_int $body
        };
        core::arch::global_asm!(concat!(".weak ", $name), concat!(".set ", $name, ", oshmpi_", $name));
    };
}

entry! { "MPI_Init" = fn(_argc: *mut c_int, _argv: *mut *mut *mut c_char) {
    init(mpi::thread_level(0), core::ptr::null_mut())
} }

entry! { "MPI_Init_thread" = fn(_argc: *mut c_int, _argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int) {
    init(required, provided)
} }

entry! { "MPI_Finalize" = fn() {
    mpi::program_done();
    if life::needs_mpi() {
        mpi::end_with_process();
        return SUCCESS;
    }
    mpi::end().map_or_else(|e| e.code, |()| SUCCESS)
} }

entry! { "MPI_Finalized" = fn(flag: *mut c_int) {
    if !flag.is_null() {
        // SAFETY: not null, and the C caller promises an int there.
        unsafe { flag.write(c_int::from(mpi::is_program_done() || mpi::finalized())) };
    }
    SUCCESS
} }

fn init(required: c_int, provided: *mut c_int) -> c_int {
    mpi::program_init();
    let level = if mpi::initialized() { mpi::query_thread() } else { mpi::init(required) };
    match level {
        Ok(level) => {
            if !provided.is_null() {
                // SAFETY: not null, and the C caller promises an int there.
                unsafe { provided.write(level) };
            }
            SUCCESS
        }
        Err(e) => e.code,
    }
}
