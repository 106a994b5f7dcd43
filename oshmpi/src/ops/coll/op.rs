//! The operations of reductions and scans, on the types that have them.

use crate::memory::local::{Dest, Source};
use crate::mpi::collective::{Combine, Exact};
use crate::sync::plain::Plain;
use core::ffi::c_int;
use half::{bf16, f16};

/// C's `long double` as bytes in memory. C code does its arithmetic.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub(crate) struct LongDouble([u8; 16]);

/// Fortran's REAL*16, of quadruple precision, which differs from C's long double on some machines. C code does its
/// arithmetic.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub(crate) struct Real16([u8; 16]);

/// C's complex numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Complex<T> {
    re: T,
    im: T,
}

// SAFETY: bytes, of which C code makes a number. Any bits are one.
unsafe impl Plain for LongDouble {}
// SAFETY: as for `LongDouble`.
unsafe impl Plain for Real16 {}
// SAFETY: two numbers of one type, with nothing between them.
unsafe impl<T: Plain> Plain for Complex<T> {}
// SAFETY: 16 bits in a transparent struct. Any bits are a number, or none as IEEE 754 means it.
unsafe impl Plain for f16 {}
// SAFETY: as for `f16`.
unsafe impl Plain for bf16 {}

/// An operation on a type. It uses the order of the type, so unsigned values compare as unsigned.
pub(crate) trait Op<T: Plain> {
    /// The result does not depend on the order in which elements are combined.
    const ANY_ORDER: bool = false;
    /// MPI's operation, if the result does not depend on the order, and MPIs compute it rightly.
    const EXACT: Option<Exact> = None;

    fn apply(a: T, b: T) -> T;
}

macro_rules! ops {
    ($($name:ident),*) => { $( pub(crate) struct $name; )* };
}
ops!(Sum, Prod, Min, Max, And, Or, Xor);

macro_rules! on_int {
    ($t:ty, $($op:ident = |$a:ident, $b:ident| $result:expr;)*) => { $(
        impl Op<$t> for $op {
            const ANY_ORDER: bool = true;
            const EXACT: Option<Exact> = Exact::new(Combine::$op, size_of::<$t>(), <$t>::MIN != 0);

            #[inline]
            fn apply($a: $t, $b: $t) -> $t { $result }
        }
    )* };
}

macro_rules! on_ints {
    ($($t:ty),*) => { $(
        on_int! { $t,
            Sum = |a, b| a.wrapping_add(b);
            Prod = |a, b| a.wrapping_mul(b);
            Min = |a, b| a.min(b);
            Max = |a, b| a.max(b);
            And = |a, b| a & b;
            Or = |a, b| a | b;
            Xor = |a, b| a ^ b;
        }
    )* };
}
on_ints!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize);

macro_rules! on_floats {
    ($($t:ty),*) => { $(
        impl Op<$t> for Sum { #[inline] fn apply(a: $t, b: $t) -> $t { a + b } }
        impl Op<$t> for Prod { #[inline] fn apply(a: $t, b: $t) -> $t { a * b } }
        impl Op<$t> for Min { #[inline] fn apply(a: $t, b: $t) -> $t { if b < a { b } else { a } } }
        impl Op<$t> for Max { #[inline] fn apply(a: $t, b: $t) -> $t { if b > a { b } else { a } } }
    )* };
}
// Those of 16 bits are combined as f32, and each result is rounded.
on_floats!(f32, f64, f16, bf16);

macro_rules! on_complex {
    ($($t:ty),*) => { $(
        impl Op<Complex<$t>> for Sum {
            #[inline]
            fn apply(a: Complex<$t>, b: Complex<$t>) -> Complex<$t> { Complex { re: a.re + b.re, im: a.im + b.im } }
        }
        impl Op<Complex<$t>> for Prod {
            #[inline]
            fn apply(a: Complex<$t>, b: Complex<$t>) -> Complex<$t> {
                Complex { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
            }
        }
    )* };
}
on_complex!(f32, f64);

unsafe extern "C" {
    fn oshmpi_longdouble_combine(op: c_int, a: *mut LongDouble, b: *const LongDouble);
    fn oshmpi_real16_combine(op: c_int, a: *mut Real16, b: *const Real16);
}

macro_rules! in_c {
    ($t:ty, $combine:ident: $($op:ident = $code:literal),*) => { $(
        impl Op<$t> for $op {
            fn apply(mut a: $t, b: $t) -> $t {
                // SAFETY: both are whole values, and the C function knows these codes.
                unsafe { $combine($code, &mut a, &b) };
                a
            }
        }
    )* };
}
in_c!(LongDouble, oshmpi_longdouble_combine: Sum = 0, Prod = 1, Min = 2, Max = 3);
in_c!(Real16, oshmpi_real16_combine: Sum = 0, Prod = 1, Min = 2, Max = 3);

/// An operation on one type of elements, as a value. Code that takes it is compiled once for all types, and its loops
/// over elements are functions of their own: see [`combine_after`].
#[derive(Clone, Copy)]
pub(crate) struct Operation {
    /// Bytes of an element.
    pub(super) unit: usize,
    /// See [`Op::ANY_ORDER`].
    pub(super) any_order: bool,
    /// See [`Op::EXACT`].
    pub(super) exact: Option<Exact>,
    after: fn(Dest, Source),
    before: fn(Dest, Source),
}

impl Operation {
    pub(super) const fn of<T: Plain, O: Op<T>>() -> Operation {
        Operation {
            unit: size_of::<T>(),
            any_order: O::ANY_ORDER,
            exact: O::EXACT,
            after: combine_after::<T, O>,
            before: combine_before::<T, O>,
        }
    }

    /// `acc[k] = acc[k] op from[k]`.
    pub(super) fn after(&self, acc: Dest, from: Source) {
        (self.after)(acc, from);
    }

    /// `acc[k] = from[k] op acc[k]`.
    pub(super) fn before(&self, acc: Dest, from: Source) {
        (self.before)(acc, from);
    }

    /// Bytes of the whole elements that are combined at a time: at most [`CHUNK`].
    pub(super) fn chunk(&self) -> usize {
        (CHUNK / self.unit).max(1) * self.unit
    }
}

/// Bytes that are combined at a time, so that the accumulated elements stay in the first-level cache. Fewer cost more
/// calls.
pub(super) const CHUNK: usize = 16 << 10;

/// `acc[k] = acc[k] op from[k]`.
#[inline]
pub(super) fn combine<T: Plain, O: Op<T>>(acc: Dest, from: Source) {
    each(acc, from, O::apply);
}

/// [`combine`] as a function of its own, for calls in a loop over parts of the elements.
///
/// In such a loop, a loop over elements must not be inlined: rustc 1.95 (LLVM 22.1) then can leave elements out. Where
///
/// ```text
/// for first in (0..n).step_by(PART) {
///     let n = PART.min(n - first);
///     let all = gather(n); // elements of all members, by a call that is not inlined
///     for i in 1..members { for k in 0..n { all[k] += all[i * n + k] } } // no element is added
/// }
/// ```
///
/// stands with raw pointers, LLVM's LoopVectorize computes the inner loop's count as `min(n + poison * PART, PART)`: it
/// has lost the outer loop's counter. That needs opt-level 3 and local ThinLTO; with other options these lines are
/// compiled rightly, and so they are by rustc 1.101 (LLVM 23.1). Unit tests of this project before commit 9774c6e1 show
/// it, and Miri finds nothing wrong in them. Reports 219371 and 205252 of LLVM are of this kind; none is known to be
/// this fault.
#[inline(never)]
fn combine_after<T: Plain, O: Op<T>>(acc: Dest, from: Source) {
    combine::<T, O>(acc, from);
}

/// `acc[k] = from[k] op acc[k]`, as [`combine_after`].
#[inline(never)]
fn combine_before<T: Plain, O: Op<T>>(acc: Dest, from: Source) {
    each(acc, from, |acc, from| O::apply(from, acc));
}

/// `acc[k] = f(acc[k], from[k])`.
#[inline(always)]
pub(super) fn each<T: Plain>(acc: Dest, from: Source, f: impl Fn(T, T) -> T) {
    assert!(acc.len() == from.len(), "as many elements on both sides");
    #[cfg(test)]
    if super::recording::combined(acc.len()) {
        return;
    }
    let n = acc.len() / size_of::<T>();
    let (acc, from) = (acc.at().cast::<T>(), from.at().cast::<T>());
    for k in 0..n {
        // SAFETY: the makers of the values have promised these elements, which need not be aligned. The accesses are
        // raw, because another process may own `from`.
        unsafe { acc.add(k).write_unaligned(f(acc.add(k).read_unaligned(), from.add(k).read_unaligned())) };
    }
}
