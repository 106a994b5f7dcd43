//! Reductions: elements are always combined in the order of the members, each by one PE or by all alike, so that
//! everybody gets bit-identical results, floating point included.

use super::buffer::Buffer;
use super::check;
use super::group::{Group, IntraNode};
use super::inter_node;
use crate::args;
use crate::mpi::collective::{Combine, Exact};
use crate::ops::rma::bytes_of;
use crate::state::{self, Runtime};
use crate::team::TeamHandle;
use crate::transport::node;
use core::ffi::{c_int, c_long};

/// Bytes combined at a time: what is accumulated stays in the first-level cache.
pub(super) const CHUNK: usize = 16 << 10;

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
    /// The same for MPI, where the order in which elements are combined makes no difference.
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

/// `acc[k] = acc[k] op from[k]`.
///
/// # Safety
/// `n` elements on both sides; `from` need not be aligned.
#[inline]
pub(super) unsafe fn combine<T: Copy, O: Op<T>>(acc: *mut T, from: *const T, n: usize) {
    for k in 0..n {
        // SAFETY: passed on to the caller. Raw accesses: another process may own `from`.
        unsafe { acc.add(k).write_unaligned(O::apply(acc.add(k).read_unaligned(), from.add(k).read_unaligned())) };
    }
}

/// A reduction's arguments, checked.
struct Call<'a> {
    group: IntraNode<'a>,
    source: Buffer<'a>,
}

/// Elements `[from, from+count)` of all members' sources into `into`, in member order. `into` may be the same place as
/// the own source, which is read in its turn: so a chunk is combined aside and stored when it is whole.
unsafe fn gather<T: Copy, O: Op<T>>(call: &Call<'_>, into: *mut T, from: usize, count: usize) {
    let g = &call.group;
    let per_chunk = (CHUNK / size_of::<T>()).max(1).min(count);
    let mut acc: Vec<T> = Vec::with_capacity(per_chunk);
    let mut theirs: Vec<T> = Vec::new();
    let mut done = 0;
    while done < count {
        let n = per_chunk.min(count - done);
        let (off, len) = ((from + done) * size_of::<T>(), n * size_of::<T>());
        for i in 0..g.size() {
            // SAFETY: both vectors have room for n elements, `into` for count; the buffer covers the range at every
            // member.
            unsafe {
                if i == 0 {
                    call.source.read(g.pe(0), off, acc.as_mut_ptr().cast(), len);
                } else if let Some(at) = call.source.mapped(g.pe(i), off) {
                    combine::<T, O>(acc.as_mut_ptr(), at.cast(), n);
                } else {
                    theirs.reserve(n);
                    call.source.read(g.pe(i), off, theirs.as_mut_ptr().cast(), len);
                    combine::<T, O>(acc.as_mut_ptr(), theirs.as_ptr(), n);
                }
            }
        }
        // SAFETY: as above.
        unsafe { node::copy(into.add(done).cast(), acc.as_ptr().cast(), len) };
        done += n;
    }
}

unsafe fn reduce_in<T: Copy, O: Op<T>>(
    rt: &Runtime,
    routine: &'static str,
    group: Group<'_>,
    dest: *mut T,
    source: *const T,
    n: usize,
) {
    let len = bytes_of::<T>(n);
    check::buffers(rt, routine, (dest as usize, len), (source as usize, len), true);
    let group = match group {
        Group::IntraNode(g) => g,
        // SAFETY: passed on to the caller; checked a line above.
        Group::InterNode(group) => return unsafe { inter_node::reduce::<T, O>(&group, dest, source, n) },
    };
    if group.fits(len) {
        let g = &group;
        // SAFETY: the places hold `len` bytes, dest and source are ours and as long.
        unsafe {
            g.barrier_with(len, |place| node::copy(place, source.cast(), len));
            node::copy(dest.cast(), g.placed(0, len), len);
            for i in 1..g.size() {
                combine::<T, O>(dest, g.placed(i, len).cast(), n);
            }
        }
        return;
    }
    let result = Buffer::new(rt, routine, "dest", dest as usize, len);
    let call = Call { group, source: Buffer::new(rt, routine, "source", source as usize, len) };
    let g = &call.group;
    // Every member combines its share of the elements for all and gives it to the others. The own share of any source
    // is read by nobody else, so working in place needs no other buffer.
    let share = n.div_ceil(g.size());
    let bounds = |i: usize| ((i * share).min(n), ((i + 1) * share).min(n));
    g.barrier(); // all sources are ready
    let (from, to) = bounds(g.me());
    // SAFETY: the share lies inside dest, which is ours.
    unsafe { gather::<T, O>(&call, dest.add(from), from, to - from) };
    if result.writable() {
        for i in (0..g.size()).filter(|&i| i != g.me() && from < to) {
            let (off, len) = (from * size_of::<T>(), (to - from) * size_of::<T>());
            // SAFETY: dest is symmetric and ready on all members when one calls; the share lies inside it.
            unsafe { result.write(g.pe(i), off, dest.cast::<u8>().add(off), len) };
        }
        return g.barrier(); // all shares have come, and nobody reads a source any more
    }
    g.barrier(); // all shares are combined, and no source is needed any more
    for i in (0..g.size()).filter(|&i| i != g.me()) {
        let (from, to) = bounds(i);
        let (off, len) = (from * size_of::<T>(), (to - from) * size_of::<T>());
        if len > 0 {
            // SAFETY: dest is ours and symmetric: the same range holds the share at member i.
            unsafe { result.read(g.pe(i), off, dest.cast::<u8>().add(off), len) };
        }
    }
    g.barrier(); // nobody reads my share any more
}

/// Team reductions.
///
/// # Safety
/// What C promises: `nreduce` elements at source and dest, equal or disjoint.
pub(crate) unsafe fn reduce<T: Copy, O: Op<T>>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    nreduce: usize,
) -> c_int {
    let rt = state::up(routine);
    let team = args::team(rt, routine, handle);
    let group = Group::of_team(rt, routine, team);
    let len = bytes_of::<T>(nreduce);
    let buffers = [(dest as usize, len), (source as usize, len)];
    let _alone = check::call(rt, routine, team, &group, buffers, true, [nreduce as u64, 0, 0]);
    // SAFETY: passed on to the caller.
    unsafe { reduce_in::<T, O>(rt, routine, group, dest, source, nreduce) };
    0
}

/// The active-set reductions as C has them, whose count is an int.
///
/// # Safety
/// As for [`reduce`].
pub(crate) unsafe fn to_all<T: Copy, O: Op<T>>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    nreduce: c_int,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    pwrk: *mut T,
    psync: *mut c_long,
) {
    let n = usize::try_from(nreduce)
        .unwrap_or_else(|_| crate::diag::fatal(routine, format_args!("nreduce is {nreduce}, a negative count")));
    // SAFETY: passed on to the caller.
    unsafe { to_all_of::<T, O>(routine, dest, source, n, start, log_stride, size, pwrk, psync) };
}

/// The same for any count, which Fortran's integers of 8 bytes can be. pWrk and pSync are not needed.
///
/// # Safety
/// As for [`reduce`].
pub(crate) unsafe fn to_all_of<T: Copy, O: Op<T>>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    nreduce: usize,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    pwrk: *mut T,
    psync: *mut c_long,
) {
    let rt = state::up(routine);
    // SAFETY: passed on to the caller.
    let group = unsafe { Group::of_set(rt, routine, (start, log_stride, size), psync, Some(pwrk as usize)) };
    // SAFETY: passed on to the caller.
    unsafe { reduce_in::<T, O>(rt, routine, group, dest, source, nreduce) };
}
