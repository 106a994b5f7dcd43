//! Remote memory access.

use super::tables::LongDouble;
use crate::ctx::Ctx;
use crate::memory::local::{Dest, Source};
use crate::ops::rma;
use crate::ops::strided::{self, Strides};
use core::ffi::c_int;

families! {
    both_one rma_types: "" _ "_put", sizes_and_mem: "put" _ ""
        (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::put(dest, Source::of(source, nelems), pe);
    both_one rma_types: "" _ "_put_nbi", sizes_and_mem: "put" _ "_nbi"
        (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::put_nbi(dest, Source::of(source, nelems), pe);

    both_one rma_types: "" _ "_get", sizes_and_mem: "get" _ ""
        (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::get(Dest::of(dest, nelems), source, pe);
    both_one rma_types: "" _ "_get_nbi", sizes_and_mem: "get" _ "_nbi"
        (dest: *mut T, source: *const T, nelems: usize, pe: c_int)
        = rma::get_nbi(Dest::of(dest, nelems), source, pe);

    both_one rma_by_value: "" _ "_p" (dest: *mut T, value: T, pe: c_int) = rma::p;
    both_one rma_by_value: "" _ "_g" (source: *const T, pe: c_int) -> T = rma::g;

    both_one rma_types: "" _ "_iput", sizes: "iput" _ ""
        (dest: *mut T, source: *const T, dst: isize, sst: isize, nelems: usize, pe: c_int)
        = strided::put(dest, Source::blocks(source, sst, 1, nelems), Strides::elements(dst, sst, nelems), pe);
    both_one rma_types: "" _ "_iget", sizes: "iget" _ ""
        (dest: *mut T, source: *const T, dst: isize, sst: isize, nelems: usize, pe: c_int)
        = strided::get(Dest::blocks(dest, dst, 1, nelems), source, Strides::elements(dst, sst, nelems), pe);

    both_one rma_types: "" _ "_ibput", sizes: "ibput" _ ""
        (dest: *mut T, source: *const T, dst: isize, sst: isize, bsize: usize, nblocks: usize, pe: c_int)
        = strided::put(dest, Source::blocks(source, sst, bsize, nblocks), Strides::blocks(dst, sst, bsize, nblocks),
            pe);
    both_one rma_types: "" _ "_ibget", sizes: "ibget" _ ""
        (dest: *mut T, source: *const T, dst: isize, sst: isize, bsize: usize, nblocks: usize, pe: c_int)
        = strided::get(Dest::blocks(dest, dst, bsize, nblocks), source, Strides::blocks(dst, sst, bsize, nblocks), pe);
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
    let source = unsafe { Source::of(value, 1) };
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
    let dest = unsafe { Dest::of(value, 1) };
    rma::get(p_or_g(on_ctx, false), ctx, dest, source, pe)
}
