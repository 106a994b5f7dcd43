//! Functions of `boot` and `ops` that lower layers call, although they may not import these modules. They are set once,
//! when the job is joined. Until then the lower layers call nothing.

use std::sync::OnceLock;

pub(crate) struct Hooks {
    /// `diag`: ends the whole job with a status.
    pub(crate) end_job: fn(i32) -> !,
    /// `diag`: announces to the node that the job ends with a status; leaves if another PE has announced an end.
    pub(crate) announce_end: fn(i32),
    /// `mpi::life`, first when MPI ends under the library: ends the library's threads that call MPI, because MPICH
    /// takes no locks inside MPI_Finalize.
    pub(crate) end_threads: fn(),
    /// `mpi::life`, before MPI ends: takes the library down if it is up and needs MPI. Collective.
    pub(crate) finalize: fn(),
    /// `mpi::life`, after `finalize`: frees windows and the library's other objects in MPI. Collective.
    pub(crate) close_transports: fn(),
    /// `mpi::life`, instead of MPI_Finalize: leaves MPI together with all other processes of the job; false if that is
    /// not possible. Collective.
    pub(crate) leave_mpi: fn() -> bool,
}

static HOOKS: OnceLock<Hooks> = OnceLock::new();

/// Sets the hooks. A job is joined once.
pub(crate) fn set(hooks: Hooks) {
    if HOOKS.set(hooks).is_err() {
        unreachable!("a job is joined once");
    }
}

pub(crate) fn get() -> Option<&'static Hooks> {
    HOOKS.get()
}
