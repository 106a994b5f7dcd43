//! Counters that a program reads, under the names of Sandia OpenSHMEM. `include/shmemx.h` declares them.

use crate::ctx::Ctx;
use crate::ops::pcntr::counters;

/// `shmemx_pcntr_t` of shmemx.h.
#[repr(C)]
struct Pcntr([u64; 5]);

routine! { "shmemx_pcntr_get_issued_write" = fn(ctx: Ctx, cntr_value: *mut u64) {
    // SAFETY: the C caller promises a place for a number.
    unsafe { counters(NAME, ctx, "cntr_value", 0, (cntr_value, 1)) }
} }
routine! { "shmemx_pcntr_get_issued_read" = fn(ctx: Ctx, cntr_value: *mut u64) {
    // SAFETY: as above.
    unsafe { counters(NAME, ctx, "cntr_value", 1, (cntr_value, 1)) }
} }
routine! { "shmemx_pcntr_get_completed_write" = fn(ctx: Ctx, cntr_value: *mut u64) {
    // SAFETY: as above.
    unsafe { counters(NAME, ctx, "cntr_value", 2, (cntr_value, 1)) }
} }
routine! { "shmemx_pcntr_get_completed_read" = fn(ctx: Ctx, cntr_value: *mut u64) {
    // SAFETY: as above.
    unsafe { counters(NAME, ctx, "cntr_value", 3, (cntr_value, 1)) }
} }
routine! { "shmemx_pcntr_get_completed_target" = fn(cntr_value: *mut u64) {
    // SAFETY: as above.
    unsafe { counters(NAME, Ctx::DEFAULT, "cntr_value", 4, (cntr_value, 1)) }
} }
routine! { "shmemx_pcntr_get_all" = fn(ctx: Ctx, pcntr: *mut Pcntr) {
    // SAFETY: the C caller promises a struct of five numbers.
    unsafe { counters(NAME, ctx, "pcntr", 0, (pcntr.cast(), 5)) }
} }
