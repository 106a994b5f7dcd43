//! Routines whose symbols exist and whose work does not: they come with the whole of OpenSHMEM 1.6.

use crate::{diag, state};

/// Ends the job with a line that says so.
pub(super) fn not_yet(routine: &str) -> ! {
    let _ = state::my_pe(routine); // before init, that is the complaint
    diag::fatal(routine, "not available yet: comes with the whole of OpenSHMEM 1.6")
}

macro_rules! not_yet {
    ($($table:ident: $pre:literal _ $post:literal;)*) => { $( $table! { later_one { $pre _ $post } } )* };
}

not_yet! {
    // signals
    rma_types: "" _ "_put_signal";
    rma_types: "ctx_" _ "_put_signal";
    sizes_and_mem: "put" _ "_signal";
    sizes_and_mem: "ctx_put" _ "_signal";
    rma_types: "" _ "_put_signal_nbi";
    rma_types: "ctx_" _ "_put_signal_nbi";
    sizes_and_mem: "put" _ "_signal_nbi";
    sizes_and_mem: "ctx_put" _ "_signal_nbi";
    single: "signal_add" _ "";
    single: "ctx_signal_add" _ "";
    single: "signal_set" _ "";
    single: "ctx_signal_set" _ "";
    single: "signal_fetch" _ "";
    single: "signal_wait_until" _ "";
    // waits and tests
    amo_std: "" _ "_wait_until";
    short_types: "" _ "_wait_until";
    amo_std: "" _ "_wait_until_all";
    amo_std: "" _ "_wait_until_any";
    amo_std: "" _ "_wait_until_some";
    amo_std: "" _ "_wait_until_all_vector";
    amo_std: "" _ "_wait_until_any_vector";
    amo_std: "" _ "_wait_until_some_vector";
    amo_std: "" _ "_test";
    short_types: "" _ "_test";
    amo_std: "" _ "_test_all";
    amo_std: "" _ "_test_any";
    amo_std: "" _ "_test_some";
    amo_std: "" _ "_test_all_vector";
    amo_std: "" _ "_test_any_vector";
    amo_std: "" _ "_test_some_vector";
    wait_types: "" _ "_wait";
    single: "wait" _ "";
    single: "wait_until" _ "";
    // locks
    single: "set_lock" _ "";
    single: "clear_lock" _ "";
    single: "test_lock" _ "";
}
