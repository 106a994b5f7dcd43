//! The standard's type tables. `table! { form { family } }` calls `form! { { family } "name" type }` for every type of
//! the table. The types are those of LP64 Linux.

use crate::ops::coll;

pub(super) type LongDouble = coll::LongDouble;
pub(super) type ComplexD = coll::Complex<f64>;
pub(super) type ComplexF = coll::Complex<f32>;
/// Element of the 128-bit sized routines.
pub(super) type Wide = u128;

/// Declares tables, a row each: `table = [tables that belong to it] "name" type, ...;`. The first token is a dollar
/// sign, for the macros that are made.
macro_rules! tables {
    ($d:tt $($(#[$doc:meta])* $table:ident = [$($part:ident)*] $($n:literal $t:ty),*;)*) => { $(
        $(#[$doc])*
        macro_rules! $table {
            ($d form:ident $d family:tt) => {
                $($part! { $d form $d family })*
                $($d form! { $d family $n $t })*
            };
        }
    )* };
}

tables! { $
    /// Standard RMA types that C passes by value as Rust does: all but long double.
    rma_by_value = [] "float" f32, "double" f64, "char" core::ffi::c_char, "schar" i8, "short" i16,
        "int" i32, "long" i64, "longlong" i64, "uchar" u8, "ushort" u16, "uint" u32, "ulong" u64, "ulonglong" u64,
        "int8" i8, "int16" i16, "int32" i32, "int64" i64, "uint8" u8, "uint16" u16, "uint32" u32, "uint64" u64,
        "size" usize, "ptrdiff" isize;

    /// Standard RMA types.
    rma_types = [rma_by_value] "longdouble" crate::api::tables::LongDouble;

    /// Sized RMA routines: bits of an element.
    sizes = [] "8" u8, "16" u16, "32" u32, "64" u64, "128" crate::api::tables::Wide;

    /// Sized RMA routines and the `mem` form, whose elements are bytes.
    sizes_and_mem = [sizes] "mem" u8;

    /// The `mem` form alone.
    mem = [] "mem" u8;

    /// Standard AMO types.
    amo_std = [] "int" i32, "long" i64, "longlong" i64, "uint" u32, "ulong" u64, "ulonglong" u64, "int32" i32,
        "int64" i64, "uint32" u32, "uint64" u64, "size" usize, "ptrdiff" isize;

    /// Extended AMO types.
    amo_ext = [amo_std] "float" f32, "double" f64;

    /// Bitwise AMO types.
    amo_bitwise = [] "uint" u32, "ulong" u64, "ulonglong" u64, "int32" i32, "int64" i64, "uint32" u32, "uint64" u64;

    /// Types of the deprecated AMO names.
    amo_old = [] "int" i32, "long" i64, "longlong" i64;

    /// Types of the deprecated fetch, set and swap: floating point too.
    amo_old_ext = [amo_old] "float" f32, "double" f64;

    /// Active-set AND, OR, XOR: the signed types of the old table.
    set_bitwise = [] "short" i16, "int" i32, "long" i64, "longlong" i64;

    /// Active-set MIN, MAX.
    set_ordered = [set_bitwise] "float" f32, "double" f64, "longdouble" crate::api::tables::LongDouble;

    /// Active-set SUM, PROD.
    set_arithmetic = [set_ordered] "complexd" crate::api::tables::ComplexD, "complexf" crate::api::tables::ComplexF;

    /// Team AND, OR, XOR.
    team_bitwise = [] "uchar" u8, "ushort" u16, "uint" u32, "ulong" u64, "ulonglong" u64, "int8" i8, "int16" i16,
        "int32" i32, "int64" i64, "uint8" u8, "uint16" u16, "uint32" u32, "uint64" u64, "size" usize;

    /// Team MIN, MAX: the standard RMA types.
    team_ordered = [rma_types];

    /// Team SUM, PROD and the scans.
    team_arithmetic = [team_ordered] "complexd" crate::api::tables::ComplexD, "complexf" crate::api::tables::ComplexF;

    /// Floating-point numbers of 16 bits, which the standard has not.
    halves = [] "half" half::f16, "bfloat16" half::bf16;

    /// Element sizes of active-set collectives.
    set_sizes = [] "32" u32, "64" u64;

    /// Types of wait and test: those of the standard's AMOs, and short ones. The standard has these for one word only,
    /// and deprecated them.
    sync_types = [amo_std] "short" i16, "ushort" u16;

    /// Types of the deprecated wait.
    wait_types = [set_bitwise];

    /// The one type of signal words: its name begins the routines' names.
    signal_word = [] "signal" u64;
}
