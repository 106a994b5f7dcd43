//! Arguments as Fortran passes them → arguments as `ops` takes them.

use crate::diag::fatal;
use core::ffi::c_int;

/// The default INTEGER and LOGICAL of a program: `i32`, or `i64` under `-fdefault-integer-8`.
pub(super) trait IntegerKind: Copy {
    fn wide(self) -> i64;
    fn from_int(value: c_int) -> Self;
}

impl IntegerKind for i32 {
    fn wide(self) -> i64 {
        i64::from(self)
    }
    fn from_int(value: c_int) -> i32 {
        value
    }
}

impl IntegerKind for i64 {
    fn wide(self) -> i64 {
        self
    }
    fn from_int(value: c_int) -> i64 {
        i64::from(value)
    }
}

/// An argument of a Fortran routine.
pub(super) trait Argument {
    type Value;
    /// The value that `ops` takes. `routine` and `arg` name the argument in an error message.
    ///
    /// # Safety
    /// The caller passes the address of a variable of the right type, as Fortran does.
    unsafe fn value(self, routine: &'static str, arg: &'static str) -> Self::Value;
}

/// Arrays, and what a routine writes to: the address itself.
impl<T> Argument for *mut T {
    type Value = *mut T;
    #[inline(always)]
    unsafe fn value(self, _: &'static str, _: &'static str) -> *mut T {
        self
    }
}

impl<T> Argument for *const T {
    type Value = *const T;
    #[inline(always)]
    unsafe fn value(self, _: &'static str, _: &'static str) -> *const T {
        self
    }
}

/// A number that C takes as an int: a PE, a member of a set, an operator.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Int<K>(*const K);

/// A number of elements.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Count<K>(*const K);

/// A stride in elements. The verb checks its range.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Stride<K>(*const K);

/// An operand.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Value<T>(*const T);

impl<K: IntegerKind> Argument for Int<K> {
    type Value = c_int;
    #[inline(always)]
    unsafe fn value(self, _: &'static str, _: &'static str) -> c_int {
        // SAFETY: the caller passes the address of an integer of kind `K`.
        let wide = unsafe { self.0.read_unaligned() }.wide();
        // A value that no int can hold is out of every range. The verb gets the nearest int, and complains of it in the
        // same way.
        c_int::try_from(wide).unwrap_or(if wide < 0 { c_int::MIN } else { c_int::MAX })
    }
}

impl<K: IntegerKind> Argument for Count<K> {
    type Value = usize;
    #[inline(always)]
    unsafe fn value(self, routine: &'static str, arg: &'static str) -> usize {
        // SAFETY: the caller passes the address of an integer of kind `K`.
        let wide = unsafe { self.0.read_unaligned() }.wide();
        usize::try_from(wide).unwrap_or_else(|_| negative(routine, arg, wide))
    }
}

#[cold]
#[inline(never)]
fn negative(routine: &str, arg: &str, count: i64) -> ! {
    fatal(routine, format_args!("{arg} is {count}, a negative count"))
}

impl<K: IntegerKind> Argument for Stride<K> {
    type Value = isize;
    #[inline(always)]
    unsafe fn value(self, _: &'static str, _: &'static str) -> isize {
        // SAFETY: the caller passes the address of an integer of kind `K`.
        unsafe { self.0.read_unaligned() }.wide() as isize
    }
}

impl<T: Copy> Argument for Value<T> {
    type Value = T;
    #[inline(always)]
    unsafe fn value(self, _: &'static str, _: &'static str) -> T {
        // SAFETY: the caller passes the address of a `T`.
        unsafe { self.0.read_unaligned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_integers_do_not_wrap_into_range() {
        // SAFETY: the address of a local variable of this type, here and below.
        let int = |wide: i64| unsafe { Int(&raw const wide).value("r", "pe") };
        assert_eq!([int(3), int(-1), int(1 << 32), int(-1 << 40)], [3, -1, c_int::MAX, c_int::MIN]);
        // SAFETY: as above.
        let count = |wide: i64| unsafe { Count(&raw const wide).value("r", "nelems") };
        assert_eq!([count(0), count(1 << 33)], [0, 1 << 33]);
    }
}
