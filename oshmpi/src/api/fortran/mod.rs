//! The Fortran interface of OpenSHMEM 1.4, the last version that has one: a second set of symbols over the same `ops`.
//!
//! Everything is passed by address, so a symbol does nothing but read its scalars ([`args`]). `K` is the default
//! INTEGER and LOGICAL: each routine is made for 4 bytes, and for 8 (gfortran's `-fdefault-integer-8`) under the name
//! `oshmpi_ilp64_x`, to which liboshmpi_ilp64.a sends the calls of the Fortran names.
//!
//! Names are lower case with one underscore behind, and with two for `-fsecond-underscore`. Names without any
//! underscore (`-fno-underscoring`) are those of the C interface, which passes by value: liboshmpi_plain.a puts
//! Fortran's in their place.

#[macro_use]
mod export;

mod amo;
mod args;
mod collective;
mod lock;
mod memory;
mod rma;
mod setup;
mod sync;
