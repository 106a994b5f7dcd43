//! Memory ordering, signals and locks.

use crate::ctx::Ctx;
use crate::memory::local::Source;
use crate::ops::lock::{self, Lock};
use crate::ops::{amo, order, signal, wait};
use crate::state;
use core::ffi::{c_int, c_long, c_void};

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

// A put whose signal word tells that the data has arrived, and operations on signal words alone.
families! {
    both_one rma_types: "" _ "_put_signal", rma_types: "" _ "_put_signal_nbi",
        sizes_and_mem: "put" _ "_signal", sizes_and_mem: "put" _ "_signal_nbi"
        (dest: *mut T, source: *const T, nelems: usize, sig_addr: *mut u64, signal: u64, sig_op: c_int, pe: c_int)
        = signal::put(dest, Source::of(source, nelems), sig_addr, signal, sig_op, pe);

    both_one signal_word: "" _ "_add" (sig_addr: *mut T, signal: T, pe: c_int) = amo::signal_add;
    both_one signal_word: "" _ "_set" (sig_addr: *mut T, signal: T, pe: c_int) = amo::signal_set;
    plain_one signal_word: "" _ "_fetch" (sig_addr: *const T) -> T = signal::fetch;
    plain_one signal_word: "" _ "_wait_until" (sig_addr: *mut T, cmp: c_int, cmp_value: T) -> T = wait::signal_until;
}

routine! { "shmem_set_lock" = fn(lock: *mut c_long) { Lock::new(NAME, lock).set() } }
routine! { "shmem_test_lock" = fn(lock: *mut c_long) -> c_int { Lock::new(NAME, lock).test() } }
routine! { "shmem_clear_lock" = fn(lock: *mut c_long) { lock::clear(NAME, lock) } }
