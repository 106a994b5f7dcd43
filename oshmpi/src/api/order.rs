//! Memory ordering, and the routines for caches that are not coherent.

use crate::ctx::Ctx;
use crate::memory::local::Source;
use crate::ops::order;
use crate::state;
use core::ffi::{c_int, c_void};

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

// Of OpenSHMEM 1.0 to 1.4. Memory is coherent here, so there is nothing to do. A call outside init and finalize is a
// mistake nevertheless.
routine! { "shmem_set_cache_inv" = fn() { let _ = state::my_pe(NAME); } }
routine! { "shmem_clear_cache_inv" = fn() { let _ = state::my_pe(NAME); } }
routine! { "shmem_set_cache_line_inv" = fn(_dest: *mut c_void) { let _ = state::my_pe(NAME); } }
routine! { "shmem_clear_cache_line_inv" = fn(_dest: *mut c_void) { let _ = state::my_pe(NAME); } }
routine! { "shmem_udcflush" = fn() { let _ = state::my_pe(NAME); } }
routine! { "shmem_udcflush_line" = fn(_dest: *mut c_void) { let _ = state::my_pe(NAME); } }
