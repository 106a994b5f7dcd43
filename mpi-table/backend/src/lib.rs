//! `liboshmpi-mpi-NAME.so`: fills the runtime's table for the MPI over whose headers this is compiled, and for every
//! MPI of the same ABI. The library is not linked with MPI: `PMPI_` names are those of the MPI that is in the process.

use core::ffi::{c_char, c_int, c_void};
use mpi::ffi as sys;
use oshmpi_mpi_table::{
    Constants, LAYOUT, MPI_Aint, MPI_Comm, MPI_Datatype, MPI_Errhandler, MPI_Group, MPI_Info, MPI_Message, MPI_Op,
    MPI_Request, MPI_Status, MPI_T_cvar_handle, MPI_Win, Table, calls, constants,
};

/// An argument or a constant, in the table's type and in MPI's.
trait As<T> {
    fn to(self) -> T;
}

macro_rules! equal {
    ($($t:ty)*) => { $(
        impl As<$t> for $t {
            fn to(self) -> $t {
                self
            }
        }
    )* };
}
equal! {
    c_int *mut c_int *const c_int *mut [c_int; 3] *const c_void *mut c_void *const c_char *mut c_char
    *mut *mut *mut c_char
}

impl As<sys::MPI_Aint> for MPI_Aint {
    fn to(self) -> sys::MPI_Aint {
        const { assert!(size_of::<sys::MPI_Aint>() == size_of::<MPI_Aint>()) };
        self as sys::MPI_Aint
    }
}

macro_rules! handles {
    ($($name:ident)*) => { $(
        impl As<sys::$name> for $name {
            fn to(self) -> sys::$name {
                const { assert!(size_of::<sys::$name>() <= size_of::<$name>()) };
                // SAFETY: the table's handle begins with the bytes of MPI's.
                unsafe { core::mem::transmute_copy(&self) }
            }
        }
        impl As<$name> for sys::$name {
            fn to(self) -> $name {
                let mut handle = $name(0);
                // SAFETY: a word has room for MPI's handle, as is asserted above.
                unsafe { (&raw mut handle).cast::<sys::$name>().write(self) };
                handle
            }
        }
        pointers! { $name }
    )* };
}

macro_rules! pointers {
    ($name:ident) => {
        impl As<*mut sys::$name> for *mut $name {
            fn to(self) -> *mut sys::$name {
                self.cast()
            }
        }
    };
}

handles! {
    MPI_Comm MPI_Datatype MPI_Errhandler MPI_Group MPI_Info MPI_Message MPI_Op MPI_Request MPI_T_cvar_handle MPI_Win
}

pointers! { MPI_Status }

impl As<*const sys::MPI_Status> for *const MPI_Status {
    fn to(self) -> *const sys::MPI_Status {
        const { assert!(size_of::<sys::MPI_Status>() <= size_of::<MPI_Status>()) };
        self.cast()
    }
}

impl As<*mut MPI_Status> for *mut sys::MPI_Status {
    fn to(self) -> *mut MPI_Status {
        self.cast()
    }
}

/// MPI's names, and those of `shim.c`.
mod all {
    pub use super::sys::*;
    use core::ffi::{c_int, c_void};

    unsafe extern "C" {
        pub static oshmpi_mpi_replace: MPI_Op;
        pub static oshmpi_mpi_no_op: MPI_Op;
        pub static oshmpi_mpi_in_place: *mut c_void;
        pub static oshmpi_mpi_err_other: c_int;
        pub static oshmpi_mpi_err_truncate: c_int;
        pub static oshmpi_mpi_mode_nocheck: c_int;
        pub fn oshmpi_mpi_is_unified(win: MPI_Win) -> c_int;
        pub fn oshmpi_mpi_tell_end(then: extern "C" fn()) -> c_int;
    }
}

unsafe extern "C" fn source(status: *const MPI_Status) -> c_int {
    let status: *const sys::MPI_Status = status.to();
    // SAFETY: the caller passes a status that MPI has written.
    unsafe { (*status).MPI_SOURCE }
}

unsafe extern "C" fn is_unified(win: MPI_Win) -> c_int {
    // SAFETY: passed on.
    unsafe { all::oshmpi_mpi_is_unified(win.to()) }
}

macro_rules! wrap {
    ($($name:ident($($arg:ident: $t:ty),*);)*) => {
        #[allow(non_snake_case)]
        mod wrapped {
            use super::*;
            $(
                pub unsafe extern "C" fn $name($($arg: $t),*) -> c_int {
                    // SAFETY: passed on.
                    unsafe { sys::$name($($arg.to()),*) }
                }
            )*
        }

        fn table(constants: Constants) -> Table {
            Table { $($name: wrapped::$name,)* source, is_unified, tell_end: all::oshmpi_mpi_tell_end, constants }
        }
    };
}
calls!(wrap);

macro_rules! collect {
    ($($name:ident: $_type:ty,)*) => {
        fn collected() -> Constants {
            // SAFETY: constants of the shims.
            unsafe { Constants { $($name: all::$name.to(),)* } }
        }
    };
}
constants!(collect);

/// # Safety
/// `table` can be written, if `layout` is its layout.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn oshmpi_mpi_fill(to: *mut Table, layout: usize) -> bool {
    if layout == LAYOUT {
        // SAFETY: passed on.
        unsafe { to.write(table(collected())) };
    }
    layout == LAYOUT
}
