//! `_exit` and `_Exit` of the C library: a PE that ends by them has to print a line, and nobody else can. Weak, as the
//! calls of MPI that the library intercepts. A program that loads the library by `dlopen` has the C library's.

use crate::ops::life;
use core::ffi::c_int;

#[unsafe(no_mangle)]
extern "C" fn oshmpi_exit_at_once(status: c_int) -> ! {
    life::exit_at_once(status)
}

core::arch::global_asm!(
    ".weak _exit",
    ".set _exit, oshmpi_exit_at_once",
    ".weak _Exit",
    ".set _Exit, oshmpi_exit_at_once",
);
