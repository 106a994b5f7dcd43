//! `_exit` and `_Exit` in place of the C library's: a PE that ends by them prints a line, which no other process can.
//! The symbols are weak, like those of the MPI calls that the library intercepts. A program that loads the library by
//! `dlopen` uses the C library's functions.

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
