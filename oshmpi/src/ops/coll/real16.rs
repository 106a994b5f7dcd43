//! Fortran's REAL*16, which is not C's long double everywhere. Arithmetic on it is done in C.

use super::reduce::{Max, Min, Op, Prod, Sum};
use core::ffi::c_int;

/// A quadruple-precision number as it lies in memory.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub(crate) struct Real16([u8; 16]);

unsafe extern "C" {
    fn oshmpi_real16_combine(op: c_int, a: *mut Real16, b: *const Real16);
}

macro_rules! on_real16 {
    ($($op:ident = $code:literal),*) => { $(
        impl Op<Real16> for $op {
            fn apply(mut a: Real16, b: Real16) -> Real16 {
                // SAFETY: both are whole values; the C side knows these codes.
                unsafe { oshmpi_real16_combine($code, &mut a, &b) };
                a
            }
        }
    )* };
}
on_real16!(Sum = 0, Prod = 1, Min = 2, Max = 3);
