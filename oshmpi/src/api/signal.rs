//! Signals: a put whose signal word tells that the data has arrived, and operations on signal words alone.

use crate::memory::local::Source;
use crate::ops::{amo, signal, wait};
use core::ffi::c_int;

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
