//! The C symbols, one file per chapter of the standard. Nothing is decided here: a line names a symbol, its types and
//! the `ops` function that is its meaning.

#[macro_use]
mod export;
#[macro_use]
mod tables;

mod amo;
mod collective;
mod fork;
mod fortran;
mod inline;
mod memory;
mod mpi_entry;
mod pcntr;
mod rma;
mod setup;
mod space;
mod sync;
mod team;
mod tool;
mod wait;
