//! The standard's type tables: a type is one line. `table! { form { family } }` calls `form! { { family } "name" type
//! }` for every type of the table. The types are those of LP64 Linux.

use crate::ops::coll;

pub(super) type LongDouble = coll::LongDouble;
pub(super) type ComplexD = coll::Complex<f64>;
pub(super) type ComplexF = coll::Complex<f32>;
/// Element of the 128-bit sized routines.
pub(super) type Wide = u128;

/// Calls `form` for each `"name" type` pair.
macro_rules! each {
    ($form:ident $family:tt $($n:literal $t:ty),* $(,)?) => { $( $form! { $family $n $t } )* };
}

/// Standard RMA types that C passes by value as Rust does: all but long double.
macro_rules! rma_by_value {
    ($form:ident $family:tt) => { each! { $form $family
        "float" f32, "double" f64, "char" core::ffi::c_char, "schar" i8, "short" i16, "int" i32, "long" i64,
        "longlong" i64, "uchar" u8, "ushort" u16, "uint" u32, "ulong" u64, "ulonglong" u64, "int8" i8, "int16" i16,
        "int32" i32, "int64" i64, "uint8" u8, "uint16" u16, "uint32" u32, "uint64" u64, "size" usize, "ptrdiff" isize,
    } };
}

/// Standard RMA types.
macro_rules! rma_types {
    ($form:ident $family:tt) => {
        rma_by_value! { $form $family }
        each! { $form $family "longdouble" crate::api::tables::LongDouble }
    };
}

/// Sized RMA routines: bits of an element.
macro_rules! sizes {
    ($form:ident $family:tt) => {
        each! { $form $family
            "8" u8, "16" u16, "32" u32, "64" u64, "128" crate::api::tables::Wide,
        }
    };
}

/// Sized RMA routines and the `mem` form, whose elements are bytes.
macro_rules! sizes_and_mem {
    ($form:ident $family:tt) => {
        sizes! { $form $family }
        each! { $form $family "mem" u8 }
    };
}

/// The `mem` form alone.
macro_rules! mem {
    ($form:ident $family:tt) => {
        each! { $form $family "mem" u8 }
    };
}

/// Standard AMO types.
macro_rules! amo_std {
    ($form:ident $family:tt) => {
        each! { $form $family
            "int" i32, "long" i64, "longlong" i64, "uint" u32, "ulong" u64, "ulonglong" u64, "int32" i32, "int64" i64,
            "uint32" u32, "uint64" u64, "size" usize, "ptrdiff" isize,
        }
    };
}

/// Extended AMO types.
macro_rules! amo_ext {
    ($form:ident $family:tt) => {
        each! { $form $family "float" f32, "double" f64 }
        amo_std! { $form $family }
    };
}

/// Bitwise AMO types.
macro_rules! amo_bitwise {
    ($form:ident $family:tt) => {
        each! { $form $family
            "uint" u32, "ulong" u64, "ulonglong" u64, "int32" i32, "int64" i64, "uint32" u32, "uint64" u64,
        }
    };
}

/// Types of the deprecated AMO names.
macro_rules! amo_old {
    ($form:ident $family:tt) => {
        each! { $form $family "int" i32, "long" i64, "longlong" i64 }
    };
}

/// Types of the deprecated fetch, set and swap: floating point too.
macro_rules! amo_old_ext {
    ($form:ident $family:tt) => {
        each! { $form $family "float" f32, "double" f64 }
        amo_old! { $form $family }
    };
}

/// Active-set AND, OR, XOR: the signed types of the old table.
macro_rules! set_bitwise {
    ($form:ident $family:tt) => {
        each! { $form $family "short" i16, "int" i32, "long" i64, "longlong" i64 }
    };
}

/// Active-set MIN, MAX.
macro_rules! set_ordered {
    ($form:ident $family:tt) => {
        set_bitwise! { $form $family }
        each! { $form $family "float" f32, "double" f64, "longdouble" crate::api::tables::LongDouble }
    };
}

/// Active-set SUM, PROD.
macro_rules! set_arithmetic {
    ($form:ident $family:tt) => {
        set_ordered! { $form $family }
        each! { $form $family "complexd" crate::api::tables::ComplexD, "complexf" crate::api::tables::ComplexF }
    };
}

/// Team AND, OR, XOR.
macro_rules! team_bitwise {
    ($form:ident $family:tt) => {
        each! { $form $family
            "uchar" u8, "ushort" u16, "uint" u32, "ulong" u64, "ulonglong" u64, "int8" i8, "int16" i16, "int32" i32,
            "int64" i64, "uint8" u8, "uint16" u16, "uint32" u32, "uint64" u64, "size" usize,
        }
    };
}

/// Team MIN, MAX: the standard RMA types.
macro_rules! team_ordered {
    ($form:ident $family:tt) => {
        rma_types! { $form $family }
    };
}

/// Team SUM, PROD and the scans.
macro_rules! team_arithmetic {
    ($form:ident $family:tt) => {
        team_ordered! { $form $family }
        each! { $form $family "complexd" crate::api::tables::ComplexD, "complexf" crate::api::tables::ComplexF }
    };
}

/// Element sizes of active-set collectives.
macro_rules! set_sizes {
    ($form:ident $family:tt) => {
        each! { $form $family "32" u32, "64" u64 }
    };
}

/// Types of wait and test: those of the standard's AMOs, and short ones. The standard has these for one word only, and
/// deprecated them.
macro_rules! sync_types {
    ($form:ident $family:tt) => {
        amo_std! { $form $family }
        each! { $form $family "short" i16, "ushort" u16 }
    };
}

/// Types of the deprecated wait.
macro_rules! wait_types {
    ($form:ident $family:tt) => {
        set_bitwise! { $form $family }
    };
}

/// The one type of signal words: its name begins the routines' names.
macro_rules! signal_word {
    ($form:ident $family:tt) => {
        each! { $form $family "signal" u64 }
    };
}
