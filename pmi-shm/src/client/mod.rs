//! Clients of a process manager: a [`Job`] for a runtime, and the protocols' own calls for `libpmi` and `libpmi2`.
//!
//! [`from_env`] joins the job that this process was started in, as the environment says:
//!
//! | variable    | set by                        | the job |
//! |-------------|-------------------------------|---------|
//! | `OSHRUN_FD` | oshrun                        | puts are awaited; what the node knows is read in shared memory |
//! | `PMI_FD`    | Hydra (mpiexec of MPICH), srun --mpi=pmi2 | PMI-1, a fence before any get |
//! | `PMI_PORT`  | Hydra with `-pmi-port`        | the same |
//!
//! **One descriptor, two clients.** `PMI_FD` is used through a copy that programs started from here do not inherit; the
//! descriptor itself stays as it was. So MPI can be initialised in the same process, before or after, provided that only
//! one of the two is in a call at a time, and that [`Job::end`] is called by an exit handler and not earlier: after it the
//! launcher serves nobody on that descriptor. A process that ends without it is taken for dead, and its job is ended.
//! After MPI_Finalize calls fail with an [`Error`]; no signal is raised. srun refuses a second greeting, and a port takes each rank
//! once, so there MPI must not be initialised beside this client ([`Job::goes_with_mpi`]).

mod bundle;
mod lines;
mod link;
mod own;
pub mod pmi1;
pub mod pmi2;
mod shared;

use crate::job::{Error, Job};
use lines::LineJob;
use std::env;

/// Descriptor of the connection that `oshrun` keeps for a runtime above MPI.
pub const OWN_FD: &str = "OSHRUN_FD";

/// The rank of the process and the size of its job, beside [`OWN_FD`]: so that nobody has to ask for them.
pub const OWN_RANK: &str = "OSHRUN_RANK";
pub const OWN_SIZE: &str = "OSHRUN_SIZE";

/// Descriptors of the store's regions, and the store's number: `5,6:0123...`.
pub const SHARED: &str = "OSHRUN_SHM";

/// Joins the job of this process. `None`: no launcher whose protocol we speak has started it (Open MPI's mpirun, or
/// nobody at all).
pub fn from_env() -> Option<Result<Box<dyn Job + Send + Sync>, Error>> {
    if let Ok(fd) = env::var(OWN_FD) {
        let fd = fd.trim().parse().map_err(|_| Error(format!("{OWN_FD} is \"{fd}\", not a descriptor")));
        return Some(fd.and_then(own::OwnJob::over_fd).map(|job| Box::new(job) as Box<dyn Job + Send + Sync>));
    }
    let pmi = match pmi1::Pmi1::from_env()? {
        Ok(pmi) => pmi,
        Err(e) => return Some(Err(e)),
    };
    // Slurm's variable; its server takes a second greeting for an unknown command.
    let slurm = env::var_os("PMI_JOBID").is_some() && env::var_os("SLURM_STEP_ID").is_some();
    // Over a port MPI would connect anew under an id that is taken.
    let port = env::var_os("PMI_FD").is_none();
    Some(Ok(Box::new(LineJob::new(pmi, !slurm && !port))))
}
