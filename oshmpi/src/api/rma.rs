//! Remote memory access.

use super::tables::LongDouble;
use crate::ctx::Ctx;
use crate::memory::local::{Dest, Source};
use crate::ops::rma;
use crate::ops::strided::{self, Strides};
use core::ffi::{c_int, c_void};

families! {
    both_one rma_types: "" _ "_put" (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::put(dest.cast(), Source::of::<T>(source.cast(), nelems), pe);
    both_one sizes_and_mem: "put" _ "" (dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int)
        = rma::put(dest.cast(), Source::of::<T>(source.cast(), nelems), pe);
    both_one rma_types: "" _ "_put_nbi" (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::put_nbi(dest.cast(), Source::of::<T>(source.cast(), nelems), pe);
    both_one sizes_and_mem: "put" _ "_nbi" (dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int)
        = rma::put_nbi(dest.cast(), Source::of::<T>(source.cast(), nelems), pe);

    both_one rma_types: "" _ "_get" (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::get(Dest::of::<T>(dest.cast(), nelems), source.cast(), pe);
    both_one sizes_and_mem: "get" _ "" (dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int)
        = rma::get(Dest::of::<T>(dest.cast(), nelems), source.cast(), pe);
    both_one rma_types: "" _ "_get_nbi" (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::get_nbi(Dest::of::<T>(dest.cast(), nelems), source.cast(), pe);
    both_one sizes_and_mem: "get" _ "_nbi" (dest: *mut c_void, source: *const c_void, nelems: usize, pe: c_int)
        = rma::get_nbi(Dest::of::<T>(dest.cast(), nelems), source.cast(), pe);

    both_one rma_by_value: "" _ "_p" (dest: *mut T, value: T, pe: c_int) = rma::p;
    both_one rma_by_value: "" _ "_g" (source: *const T, pe: c_int) -> T = rma::g;

    both_one rma_types: "" _ "_iput" (dest: *mut T, source: *const T, dst: isize, sst: isize, nelems: usize, pe: c_int)
        = strided::put(dest.cast(), Source::blocks::<T>(source.cast(), sst, 1, nelems),
            Strides::elements(dst, sst, nelems), pe);
    both_one sizes: "iput" _ ""
        (dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int)
        = strided::put(dest.cast(), Source::blocks::<T>(source.cast(), sst, 1, nelems),
            Strides::elements(dst, sst, nelems), pe);
    both_one rma_types: "" _ "_iget" (dest: *mut T, source: *const T, dst: isize, sst: isize, nelems: usize, pe: c_int)
        = strided::get(Dest::blocks::<T>(dest.cast(), dst, 1, nelems), source.cast(),
            Strides::elements(dst, sst, nelems), pe);
    both_one sizes: "iget" _ ""
        (dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, nelems: usize, pe: c_int)
        = strided::get(Dest::blocks::<T>(dest.cast(), dst, 1, nelems), source.cast(),
            Strides::elements(dst, sst, nelems), pe);

    both_one rma_types: "" _ "_ibput"
        (dest: *mut T, source: *const T, dst: isize, sst: isize, bsize: usize, nblocks: usize, pe: c_int)
        = strided::put(dest.cast(), Source::blocks::<T>(source.cast(), sst, bsize, nblocks),
            Strides::blocks(dst, sst, bsize, nblocks), pe);
    both_one sizes: "ibput" _ ""
        (dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, bsize: usize, nblocks: usize, pe: c_int)
        = strided::put(dest.cast(), Source::blocks::<T>(source.cast(), sst, bsize, nblocks),
            Strides::blocks(dst, sst, bsize, nblocks), pe);
    both_one rma_types: "" _ "_ibget"
        (dest: *mut T, source: *const T, dst: isize, sst: isize, bsize: usize, nblocks: usize, pe: c_int)
        = strided::get(Dest::blocks::<T>(dest.cast(), dst, bsize, nblocks), source.cast(),
            Strides::blocks(dst, sst, bsize, nblocks), pe);
    both_one sizes: "ibget" _ ""
        (dest: *mut c_void, source: *const c_void, dst: isize, sst: isize, bsize: usize, nblocks: usize, pe: c_int)
        = strided::get(Dest::blocks::<T>(dest.cast(), dst, bsize, nblocks), source.cast(),
            Strides::blocks(dst, sst, bsize, nblocks), pe);
}

/// The name of a long double routine, for messages.
fn p_or_g(on_ctx: c_int, p: bool) -> &'static str {
    match (on_ctx != 0, p) {
        (false, true) => "shmem_longdouble_p",
        (true, true) => "shmem_ctx_longdouble_p",
        (false, false) => "shmem_longdouble_g",
        (true, false) => "shmem_ctx_longdouble_g",
    }
}

/// `shmem_longdouble_p` behind `byvalue.c`, which takes the value as C passes it.
#[unsafe(no_mangle)]
unsafe extern "C" fn oshmpi_longdouble_p(
    on_ctx: c_int,
    ctx: Ctx,
    dest: *mut LongDouble,
    value: *const LongDouble,
    pe: c_int,
) {
    // SAFETY: the C side passes the address of its argument, which stays until it returns.
    let source = unsafe { Source::of::<LongDouble>(value.cast(), 1) };
    rma::put(p_or_g(on_ctx, true), ctx, dest, source, pe)
}

/// `shmem_longdouble_g` behind `byvalue.c`.
#[unsafe(no_mangle)]
unsafe extern "C" fn oshmpi_longdouble_g(
    on_ctx: c_int,
    ctx: Ctx,
    value: *mut LongDouble,
    source: *const LongDouble,
    pe: c_int,
) {
    // SAFETY: the C side passes the address of its result, which stays until it returns.
    let dest = unsafe { Dest::of::<LongDouble>(value.cast(), 1) };
    rma::get(p_or_g(on_ctx, false), ctx, dest, source, pe)
}
