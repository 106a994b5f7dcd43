//! Reductions: every member reads every member's source in set order, so that all get bit-identical results, floating
//! point included.

use super::active::ActiveSet;
use crate::args;
use crate::ctx::Ctx;
use crate::ops::rma;
use crate::state;
use core::ffi::{c_int, c_long};

/// Bytes combined at a time: what is read from a peer stays in the second-level cache.
const CHUNK: usize = 32 << 10;

/// C's `long double` as it lies in memory; arithmetic on it is done in C.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub(crate) struct LongDouble([u8; 16]);

/// C's complex numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Complex<T> {
    re: T,
    im: T,
}

/// An operation on a type: the type decides, so that unsigned values compare unsigned.
pub(crate) trait Op<T> {
    fn apply(a: T, b: T) -> T;
}

macro_rules! ops {
    ($($name:ident),*) => { $( pub(crate) struct $name; )* };
}
ops!(Sum, Prod, Min, Max, And, Or, Xor);

macro_rules! on_ints {
    ($($t:ty),*) => { $(
        impl Op<$t> for Sum { #[inline] fn apply(a: $t, b: $t) -> $t { a.wrapping_add(b) } }
        impl Op<$t> for Prod { #[inline] fn apply(a: $t, b: $t) -> $t { a.wrapping_mul(b) } }
        impl Op<$t> for Min { #[inline] fn apply(a: $t, b: $t) -> $t { a.min(b) } }
        impl Op<$t> for Max { #[inline] fn apply(a: $t, b: $t) -> $t { a.max(b) } }
        impl Op<$t> for And { #[inline] fn apply(a: $t, b: $t) -> $t { a & b } }
        impl Op<$t> for Or { #[inline] fn apply(a: $t, b: $t) -> $t { a | b } }
        impl Op<$t> for Xor { #[inline] fn apply(a: $t, b: $t) -> $t { a ^ b } }
    )* };
}
on_ints!(i16, i32, i64);

macro_rules! on_floats {
    ($($t:ty),*) => { $(
        impl Op<$t> for Sum { #[inline] fn apply(a: $t, b: $t) -> $t { a + b } }
        impl Op<$t> for Prod { #[inline] fn apply(a: $t, b: $t) -> $t { a * b } }
        impl Op<$t> for Min { #[inline] fn apply(a: $t, b: $t) -> $t { if b < a { b } else { a } } }
        impl Op<$t> for Max { #[inline] fn apply(a: $t, b: $t) -> $t { if b > a { b } else { a } } }
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
on_floats!(f32, f64);

unsafe extern "C" {
    fn oshmpi_longdouble_combine(op: c_int, a: *mut LongDouble, b: *const LongDouble);
}

macro_rules! on_long_double {
    ($($op:ident = $code:literal),*) => { $(
        impl Op<LongDouble> for $op {
            fn apply(mut a: LongDouble, b: LongDouble) -> LongDouble {
                // SAFETY: both are whole values; the C side knows these codes.
                unsafe { oshmpi_longdouble_combine($code, &mut a, &b) };
                a
            }
        }
    )* };
}
on_long_double!(Sum = 0, Prod = 1, Min = 2, Max = 3);

/// The active-set reductions. pWrk and pSync are not needed.
///
/// # Safety
/// The C caller promises `nreduce` elements at `source` and `dest`, symmetric, equal or disjoint.
pub(crate) unsafe fn to_all<T: Copy, O: Op<T>>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    nreduce: c_int,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    _pwrk: *mut T,
    _psync: *mut c_long,
) {
    let rt = state::up(routine);
    let set = ActiveSet::new(rt, routine, start, log_stride, size);
    let n = usize::try_from(nreduce)
        .unwrap_or_else(|_| crate::diag::fatal(routine, format_args!("nreduce is {nreduce}, a negative count")));
    if n > 0 {
        args::symmetric(rt, routine, "source", source as usize, rma::bytes_of::<T>(n));
        args::symmetric(rt, routine, "dest", dest as usize, rma::bytes_of::<T>(n));
    }
    set.meet(rt); // everybody's source is ready
    let in_place = dest.cast_const() == source;
    // Peers read my source until the second meeting, so an in-place result waits aside.
    let mut aside: Vec<T> = Vec::new();
    let into = if in_place {
        aside.reserve_exact(n);
        aside.as_mut_ptr()
    } else {
        dest
    };
    let per_chunk = (CHUNK / size_of::<T>()).max(1);
    let mut theirs: Vec<T> = Vec::with_capacity(per_chunk.min(n));
    let mut done = 0;
    while done < n {
        let count = per_chunk.min(n - done);
        for (i, pe) in set.members().enumerate() {
            // SAFETY: `into` has n elements, `theirs` room for count; get fills what is then read. Nobody else touches
            // either: `into` is ours or the caller's dest, which the caller keeps still.
            unsafe {
                let acc = into.add(done);
                if i == 0 {
                    rma::get(routine, Ctx::DEFAULT, acc, source.add(done), count, pe as c_int);
                    continue;
                }
                rma::get(routine, Ctx::DEFAULT, theirs.as_mut_ptr(), source.add(done), count, pe as c_int);
                for k in 0..count {
                    let b = theirs.as_ptr().add(k).read();
                    acc.add(k).write(O::apply(acc.add(k).read(), b));
                }
            }
        }
        done += count;
    }
    set.meet(rt); // everybody has read my source
    if in_place {
        // SAFETY: n elements on both sides, all of them written above.
        unsafe { core::ptr::copy_nonoverlapping(into, dest, n) };
    }
}
