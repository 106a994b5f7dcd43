//! MPI calls that a program may make in any order with calls of OpenSHMEM. MPI is initialised once, by the first call
//! of either that needs it. It ends when neither needs it. A program's MPI_Finalize before its first shmem_init, or
//! while OpenSHMEM is up, is put off to the last shmem_finalize or to the end of the process. MPI_Wtime and MPI_Wtick
//! work whether MPI is up or not: some programs expect that OpenSHMEM has initialised MPI, and some MPIs would end such
//! a program. In a job that may be on several nodes, MPI is initialised at the thread level that this library's
//! progress thread needs.
//!
//! These symbols are weak, like the routines. An MPI profiling tool that wraps these calls takes precedence, and calls
//! MPI directly.

use crate::boot::{job, session};
use crate::diag;
use crate::mpi::{self, MpiError};
use crate::ops::life;
use crate::os::clock;
use core::ffi::{c_char, c_int};

const SUCCESS: c_int = 0;

/// A function under the name of MPI's, and under the names that Fortran compilers make of it.
macro_rules! entry {
    ($name:literal $(, $fortran:literal)* = fn($($a:ident: $t:ty),*) -> $r:ty $body:block) => {
        const _: () = {
            #[unsafe(export_name = concat!("oshmpi_", $name))]
            unsafe extern "C" fn body($($a: $t),*) -> $r $body
        };
        entry! { @alias $name $name $(, $name $fortran)* }
    };
    (@alias $($target:literal $alias:literal),*) => {
        core::arch::global_asm!($(concat!(".weak ", $alias), concat!(".set ", $alias, ", oshmpi_", $target)),*);
    };
}

/// A Fortran subroutine: all arguments by address, the error code last, which the 2008 binding may leave out.
macro_rules! subroutine {
    ($lower:literal $upper:literal ($($a:ident),*) $call:expr) => {
        const _: () = {
            #[unsafe(export_name = concat!("oshmpi_", $lower, "_"))]
            unsafe extern "C" fn body($($a: *mut c_int,)* ierror: *mut c_int) {
                let code: c_int = $call;
                // SAFETY: the Fortran caller passes an INTEGER or nothing.
                unsafe { give(ierror, code) };
            }
        };
        core::arch::global_asm!(
            concat!(".weak ", $lower, "_"), concat!(".set ", $lower, "_, oshmpi_", $lower, "_"),
            concat!(".weak ", $lower), concat!(".set ", $lower, ", oshmpi_", $lower, "_"),
            concat!(".weak ", $lower, "__"), concat!(".set ", $lower, "__, oshmpi_", $lower, "_"),
            concat!(".weak ", $upper), concat!(".set ", $upper, ", oshmpi_", $lower, "_"),
            concat!(".weak ", $lower, "_f08_"), concat!(".set ", $lower, "_f08_, oshmpi_", $lower, "_"),
        );
    };
}

entry! { "MPI_Init" = fn(_argc: *mut c_int, _argv: *mut *mut *mut c_char) -> c_int {
    // SAFETY: nothing is to be written.
    unsafe { init(mpi::thread_level(0), core::ptr::null_mut()) }
} }

entry! {
    "MPI_Init_thread" =
        fn(_argc: *mut c_int, _argv: *mut *mut *mut c_char, required: c_int, provided: *mut c_int) -> c_int {
    // SAFETY: the C caller promises an int there, or passes null.
    unsafe { init(required, provided) }
} }

entry! { "MPI_Finalize" = fn() -> c_int { finalize() } }

entry! { "MPI_Finalized" = fn(flag: *mut c_int) -> c_int {
    // SAFETY: the C caller promises an int there, or passes null.
    unsafe { give(flag, c_int::from(is_finalized())) };
    SUCCESS
} }

entry! {
    "MPI_Wtime", "mpi_wtime_", "mpi_wtime", "mpi_wtime__", "MPI_WTIME", "mpi_wtime_f08_" =
        fn() -> f64 { clock::seconds() }
}
entry! {
    "MPI_Wtick", "mpi_wtick_", "mpi_wtick", "mpi_wtick__", "MPI_WTICK", "mpi_wtick_f08_" =
        fn() -> f64 { clock::tick() }
}

subroutine! { "mpi_init" "MPI_INIT" ()
// SAFETY: nothing is to be written.
unsafe { init(mpi::thread_level(0), core::ptr::null_mut()) } }

subroutine! { "mpi_init_thread" "MPI_INIT_THREAD" (required, provided)
// SAFETY: the Fortran caller passes the addresses of INTEGERs.
unsafe { init(required.read(), provided) } }

subroutine! { "mpi_finalize" "MPI_FINALIZE" () finalize() }

subroutine! { "mpi_finalized" "MPI_FINALIZED" (flag) {
    // SAFETY: the Fortran caller passes the address of a LOGICAL, in which 1 is true to every compiler.
    unsafe { give(flag, c_int::from(is_finalized())) };
    SUCCESS
} }

/// # Safety
/// `provided` is null or may be written.
unsafe fn init(required: c_int, provided: *mut c_int) -> c_int {
    mpi::life::program_init();
    // Another thread may want to read a PE's record.
    let alone = session::alone();
    let level = if mpi::initialized() { mpi::query_thread() } else { mpi::life::init(job::level_of_program(required)) };
    drop(alone);
    match level {
        Ok(level) => {
            // SAFETY: passed on to the caller.
            unsafe { give(provided, level) };
            SUCCESS
        }
        Err(e @ MpiError::Found(_)) => diag::fatal("MPI_Init", e),
        Err(e) => e.code(),
    }
}

fn finalize() -> c_int {
    mpi::life::Event::ProgramDone.note();
    // Put off, unless the place it would be put off to has passed.
    if life::needs_mpi() && !mpi::life::Event::HandlerPassed.has_happened() {
        mpi::life::end_with_process();
        return SUCCESS;
    }
    mpi::life::end().map_or_else(|e| e.code(), |()| SUCCESS)
}

/// True if the program has called MPI_Finalize, also when the call was put off, or if MPI has ended.
fn is_finalized() -> bool {
    mpi::life::Event::ProgramDone.has_happened() || mpi::finalized()
}

/// # Safety
/// `to` is null or may be written.
unsafe fn give(to: *mut c_int, value: c_int) {
    if !to.is_null() {
        // SAFETY: passed on to the caller.
        unsafe { to.write(value) };
    }
}
