//! Raw, unsafe bindings of OpenSHMEM 1.6: the C functions of `shmem.h`.
//!
//! The functions, types and number constants are made by bindgen from the installed `shmem.h`. The predefined handles,
//! which are cast expressions in C, are given below (`oshmpi_handle_*` are the numbers they are made from). Each
//! constant has the type of the parameter it is passed to, and lengths are `usize`. The generic macros of C11 have no
//! counterpart: call the typed functions.
//!
//! `long double` has no Rust type. Where it stands behind a pointer the bindings show a 16-byte integer, which may be
//! moved but not computed with; the four routines that pass it by value (`shmem_longdouble_p`, `shmem_longdouble_g` and
//! their context forms) are left out.
//!
//! A program links with `liboshmpi.so` of the prefix that the environment variable `OSHMPI_PREFIX` names when it is
//! built, or of the one that pkg-config finds as `oshmpi`. The README shows how a program gets a run path to it.
//!
//! Symmetric objects are what C programs have: memory from `shmem_malloc` and its kin, and `static`s of the executable
//! (not of a shared library). Other PEs write to them at any time, so touch them through raw pointers, never through
//! Rust references.

#![no_std]
#![allow(non_camel_case_types, non_upper_case_globals, missing_docs)]

use core::ptr::without_provenance_mut;

mod bindings {
    include!(concat!(env!("OUT_DIR"), "/shmem.rs"));
}

pub use bindings::*;

/// No context. Fence, quiet and destroy ignore it.
pub const SHMEM_CTX_INVALID: shmem_ctx_t = without_provenance_mut(oshmpi_handle_CTX_INVALID as usize);
/// The default context, which routines without a context argument use.
pub const SHMEM_CTX_DEFAULT: shmem_ctx_t = without_provenance_mut(oshmpi_handle_CTX_DEFAULT as usize);
/// No team.
pub const SHMEM_TEAM_INVALID: shmem_team_t = without_provenance_mut(oshmpi_handle_TEAM_INVALID as usize);
/// All PEs.
pub const SHMEM_TEAM_WORLD: shmem_team_t = without_provenance_mut(oshmpi_handle_TEAM_WORLD as usize);
/// The PEs whose heap this PE can access by loads and stores.
pub const SHMEM_TEAM_SHARED: shmem_team_t = without_provenance_mut(oshmpi_handle_TEAM_SHARED as usize);
