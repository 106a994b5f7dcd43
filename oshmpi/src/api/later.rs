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
    // teams, contexts, sessions
    single: "team_my_pe" _ "";
    single: "team_n_pes" _ "";
    single: "team_get_config" _ "";
    single: "team_translate_pe" _ "";
    single: "team_split_strided" _ "";
    single: "team_split_2d" _ "";
    single: "team_destroy" _ "";
    single: "team_create_ctx" _ "";
    single: "team_ptr" _ "";
    single: "team_sync" _ "";
    single: "ctx_create" _ "";
    single: "ctx_destroy" _ "";
    single: "ctx_get_team" _ "";
    single: "ctx_session_start" _ "";
    single: "ctx_session_stop" _ "";
    // collectives on teams
    rma_types: "" _ "_alltoall";
    rma_types: "" _ "_alltoalls";
    rma_types: "" _ "_broadcast";
    rma_types: "" _ "_collect";
    rma_types: "" _ "_fcollect";
    single: "alltoallmem" _ "";
    single: "alltoallsmem" _ "";
    single: "broadcastmem" _ "";
    single: "collectmem" _ "";
    single: "fcollectmem" _ "";
    team_bitwise: "" _ "_and_reduce";
    team_bitwise: "" _ "_or_reduce";
    team_bitwise: "" _ "_xor_reduce";
    team_ordered: "" _ "_max_reduce";
    team_ordered: "" _ "_min_reduce";
    team_arithmetic: "" _ "_sum_reduce";
    team_arithmetic: "" _ "_prod_reduce";
    team_arithmetic: "" _ "_sum_inscan";
    team_arithmetic: "" _ "_sum_exscan";
    // collectives on active sets
    set_sizes: "alltoall" _ "";
    set_sizes: "alltoalls" _ "";
    set_sizes: "broadcast" _ "";
    set_sizes: "collect" _ "";
    set_sizes: "fcollect" _ "";
}
