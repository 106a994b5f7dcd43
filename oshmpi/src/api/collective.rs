//! Collectives, on teams and on active sets.

use crate::diag::fatal;
use crate::ops::coll::{self, And, Asked, Max, Min, Or, Prod, Req, SetArgs, Sum, Xor};
use crate::team::TeamHandle;
use core::ffi::{c_int, c_long, c_void};

routine! { "shmem_barrier_all" = fn() { coll::barrier_all(NAME) } }
routine! { "shmem_sync_all" = fn() { coll::sync_all(NAME) } }
routine! { "shmemx_barrier_all_nb" = fn(req: Req) -> c_int { coll::start_barrier_all(NAME, req) } }
routine! { "shmemx_sync_nb" = fn(team: TeamHandle, req: Req) -> c_int {
    coll::start(NAME, team, [0; 2], || Asked::Barrier, req)
} }
routine! { "shmemx_req_test" = fn(req: Req) -> c_int { coll::test(NAME, req) } }
routine! { "shmemx_req_wait" = fn(req: Req) { coll::wait(NAME, req) } }
routine! { "shmem_barrier" = fn(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    coll::barrier(NAME, set(start, log_stride, size, psync, None))
} }
routine! { "shmem_sync" = fn(start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long) {
    coll::sync(NAME, set(start, log_stride, size, psync, None))
} }

/// An active set as the C caller names it. Only the addresses of pSync and pWrk are kept, for the checks of
/// `SHMEM_DEBUG`: this library uses neither array.
#[inline(always)]
pub(super) fn set(start: c_int, log_stride: c_int, size: c_int, psync: *const c_long, pwrk: Option<usize>) -> SetArgs {
    SetArgs { start, log_stride, size, psync: psync as usize, pwrk }
}

/// The number of elements of an active set's reduction, which C passes as an int. A negative number ends the job.
#[inline(always)]
fn count(routine: &str, nreduce: c_int) -> usize {
    usize::try_from(nreduce).unwrap_or_else(|_| fatal(routine, format_args!("nreduce is {nreduce}, a negative count")))
}

/// Forms for `families!`: a collective of a team, done and started, in the standard or beyond it; one of an active set,
/// and a reduction of an active set. The arguments of the line follow dest and source. Buffers are passed on as
/// addresses. A collective touches a buffer only after it has found the buffer symmetric, so no promise of the C caller
/// is needed.
macro_rules! of_team {
    ($of:literal { $pre:literal _ $post:literal ($($a:ident: $at:ty),*) = $($body:ident)::+ $(<$o:ident>)? }
        $n:literal $t:ty) => {
        symbol! { [$of $pre $n $post] fn(
            team: TeamHandle, dest: *mut c_void, source: *const c_void $(, $a: $at)*
        ) -> c_int {
            let _frame = crate::diag::frames::Frame;
            let plan = $($body)::+::<$t $(, $o)?>($($a),*);
            coll::run(NAME, team, dest as usize, source as usize, plan);
            0
        } }
        symbol! { ["shmemx_" $pre $n $post "_nb"] fn(
            team: TeamHandle, dest: *mut c_void, source: *const c_void $(, $a: $at)*, req: Req
        ) -> c_int {
            let _frame = crate::diag::frames::Frame;
            let plan = $($body)::+::<$t $(, $o)?>($($a),*);
            coll::start(NAME, team, [dest as usize, source as usize], plan.asked, req)
        } }
    };
}

macro_rules! on_team {
    ($line:tt $n:literal $t:ty) => {
        of_team! { "shmem_" $line $n $t }
    };
}

macro_rules! beyond {
    ($line:tt $n:literal $t:ty) => {
        of_team! { "shmemx_" $line $n $t }
    };
}

macro_rules! on_set {
    ({ $pre:literal _ $post:literal ($($a:ident: $at:ty),*) = $($body:ident)::+ } $n:literal $t:ty) => {
        symbol! { ["shmem_" $pre $n $post] fn(
            dest: *mut c_void, source: *const c_void $(, $a: $at)*,
            start: c_int, log_stride: c_int, size: c_int, psync: *mut c_long
        ) {
            let _frame = crate::diag::frames::Frame;
            let set = set(start, log_stride, size, psync, None);
            coll::run_in_set(NAME, set, dest as usize, source as usize, $($body)::+::<$t>($($a),*));
        } }
    };
}

macro_rules! to_all {
    ({ $pre:literal _ $post:literal () = $($body:ident)::+ <$o:ident> } $n:literal $t:ty) => {
        symbol! { ["shmem_" $pre $n $post] fn(
            dest: *mut c_void, source: *const c_void, nreduce: c_int,
            start: c_int, log_stride: c_int, size: c_int, pwrk: *mut c_void, psync: *mut c_long
        ) {
            let _frame = crate::diag::frames::Frame;
            let n = count(NAME, nreduce);
            let set = set(start, log_stride, size, psync, Some(pwrk as usize));
            coll::run_in_set(NAME, set, dest as usize, source as usize, $($body)::+::<$t, $o>(n));
        } }
    };
}

families! {
    on_team rma_types: "" _ "_broadcast", mem: "broadcast" _ "" (nelems: usize, root: c_int) = coll::broadcast;
    on_set set_sizes: "broadcast" _ "" (nelems: usize, root: c_int) = coll::broadcast;
    on_team rma_types: "" _ "_collect", mem: "collect" _ "" (nelems: usize) = coll::collect;
    on_set set_sizes: "collect" _ "" (nelems: usize) = coll::collect;
    on_team rma_types: "" _ "_fcollect", mem: "fcollect" _ "" (nelems: usize) = coll::fcollect;
    on_set set_sizes: "fcollect" _ "" (nelems: usize) = coll::fcollect;
    on_team rma_types: "" _ "_alltoall", mem: "alltoall" _ "" (nelems: usize) = coll::alltoall;
    on_set set_sizes: "alltoall" _ "" (nelems: usize) = coll::alltoall;
    on_team rma_types: "" _ "_alltoalls", mem: "alltoalls" _ "" (dst: isize, sst: isize, nelems: usize)
        = coll::alltoalls;
    on_set set_sizes: "alltoalls" _ "" (dst: isize, sst: isize, nelems: usize) = coll::alltoalls;

    on_team team_bitwise: "" _ "_and_reduce" (nreduce: usize) = coll::reduce<And>;
    to_all set_bitwise: "" _ "_and_to_all" () = coll::reduce_in_set<And>;
    on_team team_bitwise: "" _ "_or_reduce" (nreduce: usize) = coll::reduce<Or>;
    to_all set_bitwise: "" _ "_or_to_all" () = coll::reduce_in_set<Or>;
    on_team team_bitwise: "" _ "_xor_reduce" (nreduce: usize) = coll::reduce<Xor>;
    to_all set_bitwise: "" _ "_xor_to_all" () = coll::reduce_in_set<Xor>;
    on_team team_ordered: "" _ "_max_reduce" (nreduce: usize) = coll::reduce<Max>;
    to_all set_ordered: "" _ "_max_to_all" () = coll::reduce_in_set<Max>;
    on_team team_ordered: "" _ "_min_reduce" (nreduce: usize) = coll::reduce<Min>;
    to_all set_ordered: "" _ "_min_to_all" () = coll::reduce_in_set<Min>;
    on_team team_arithmetic: "" _ "_sum_reduce" (nreduce: usize) = coll::reduce<Sum>;
    to_all set_arithmetic: "" _ "_sum_to_all" () = coll::reduce_in_set<Sum>;
    on_team team_arithmetic: "" _ "_prod_reduce" (nreduce: usize) = coll::reduce<Prod>;
    to_all set_arithmetic: "" _ "_prod_to_all" () = coll::reduce_in_set<Prod>;
    beyond halves: "" _ "_max_reduce" (nreduce: usize) = coll::reduce<Max>;
    beyond halves: "" _ "_min_reduce" (nreduce: usize) = coll::reduce<Min>;
    beyond halves: "" _ "_sum_reduce" (nreduce: usize) = coll::reduce<Sum>;
    beyond halves: "" _ "_prod_reduce" (nreduce: usize) = coll::reduce<Prod>;
    on_team team_arithmetic: "" _ "_sum_inscan" (nelems: usize) = coll::inscan;
    on_team team_arithmetic: "" _ "_sum_exscan" (nelems: usize) = coll::exscan;
}
