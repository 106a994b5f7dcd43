//! The thread level at which MPI is initialised. It is chosen before it is known whether the job has other nodes.

use super::launcher;
use crate::env::{Env, ProgressBy, Route, TransportBy};
use crate::{mpi, state};
use core::ffi::c_int;

/// The level (0..3) for a program that requests `level`. A job on several nodes has a progress thread, which needs
/// level 3.
pub(super) fn of_job(env: &Env, level: c_int) -> c_int {
    if launcher::tells_several_nodes() || through_mpi_anyway(env) {
        expect_other_nodes(env);
    }
    if env.progress == ProgressBy::None { level } else { 3 }
}

/// Prepares MPI for a job in which data goes through MPI. Called before MPI is initialised.
pub(super) fn expect_other_nodes(env: &Env) {
    mpi::faults::avoid_broken_windows();
    if env.transport == TransportBy::Rma {
        mpi::faults::avoid_slow_allocation();
    }
}

/// The thread level at which the program's MPI_Init is carried out, if it requests `required`. While a program waits in
/// calls of MPI, only the progress thread serves its peers. So a job that may be on several nodes gets the level of
/// that thread. On one node, a PE that waits for another one lets MPI serve the others meanwhile, which it may not do
/// at SERIALIZED. The MPI standard lets MPI grant more than was requested.
pub(crate) fn of_program(required: c_int) -> c_int {
    // The program may still change its environment before shmem_init, which reads the settings again.
    let (env, _) = Env::of_process();
    // A job that has started without MPI has no other nodes, or none to which data goes through MPI.
    let one_node = state::made().is_some() || launcher::is_surely_one_node();
    match one_node && !through_mpi_anyway(&env) {
        true if required == mpi::thread_level(2) => mpi::thread_level(3),
        true => required,
        false => required.max(mpi::thread_level(of_job(&env, 0))),
    }
}

/// Whether data goes through MPI even on one node.
fn through_mpi_anyway(env: &Env) -> bool {
    env.route == Route::Mpi || env.transport == TransportBy::Rma
}
