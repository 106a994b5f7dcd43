//! Memory ordering.

use crate::ctx::Ctx;
use crate::memory::local::Source;
use crate::ops::order;
use core::ffi::c_int;

routine! { "shmem_fence" = fn() { order::fence(NAME, Ctx::DEFAULT) } }
routine! { "shmem_ctx_fence" = fn(ctx: Ctx) { order::fence(NAME, ctx) } }
routine! { "shmem_quiet" = fn() { order::quiet(NAME, Ctx::DEFAULT) } }
routine! { "shmem_ctx_quiet" = fn(ctx: Ctx) { order::quiet(NAME, ctx) } }
routine! { "shmem_pe_quiet" = fn(target_pes: *const c_int, npes: usize) {
    // SAFETY: the C caller promises npes numbers.
    order::pe_quiet(NAME, Ctx::DEFAULT, unsafe { Source::of(target_pes, npes) })
} }
routine! { "shmem_ctx_pe_quiet" = fn(ctx: Ctx, target_pes: *const c_int, npes: usize) {
    // SAFETY: the C caller promises npes numbers.
    order::pe_quiet(NAME, ctx, unsafe { Source::of(target_pes, npes) })
} }
