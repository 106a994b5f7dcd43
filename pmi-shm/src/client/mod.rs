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
//! A PMIx server is for those who ask for it ([`pmix::join`]): its library must be the one that MPI will use.
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
pub mod pmix;
mod shared;

use crate::job::{Error, Job};
use lines::LineJob;
pub use link::Ender;
use std::env;
use std::os::fd::RawFd;
use std::sync::OnceLock;

/// Descriptor of the connection that `oshrun` keeps for a runtime above MPI.
pub const OWN_FD: &str = "OSHRUN_FD";

/// Who the process is: `RANK:SIZE:OWN:PMI`, the last two being the system's numbers of the sockets behind [`OWN_FD`] and
/// `PMI_FD`. So nobody has to ask, and a job inside a job is told from the one outside.
pub const PROCESS: &str = "OSHRUN_PROCESS";

/// Descriptors of the store's regions, and the store's number: `5,6:0123...`.
pub const SHARED: &str = "OSHRUN_SHM";

/// Joins the job of this process. `None`: no launcher whose protocol we speak has started it (Open MPI's mpirun, or
/// nobody at all).
pub fn from_env() -> Option<Result<Box<dyn Job + Send + Sync>, Error>> {
    if let Some((fd, rank, size)) = found() {
        return Some(own::OwnJob::over_fd(fd, rank, size).map(|job| Box::new(job) as Box<dyn Job + Send + Sync>));
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

/// The value of [`PROCESS`].
pub(crate) fn process_text(rank: u32, size: u32, own: RawFd, pmi: RawFd) -> String {
    format!("{rank}:{size}:{}:{}", socket(own).unwrap_or(0), socket(pmi).unwrap_or(0))
}

/// Whether oshrun has started this process itself. That [`OWN_FD`] is set does not tell: it may come from a job outside.
pub fn is_oshruns() -> bool {
    found().is_some()
}

/// What [`own_process`] found at first: later the program may have closed `PMI_FD` (MPI_Finalize does), and another
/// socket may stand there.
fn found() -> Option<(RawFd, u32, u32)> {
    static OWN: OnceLock<Option<(RawFd, u32, u32)>> = OnceLock::new();
    *OWN.get_or_init(own_process)
}

/// Whether `PMI_FD` is still the socket that oshrun has given: an MPI may have closed it in its end.
pub fn pmi_is_open() -> bool {
    let fd = env::var("PMI_FD").ok().and_then(|fd| fd.trim().parse::<RawFd>().ok());
    let given = env::var(PROCESS).ok().and_then(|text| text.split(':').nth(3)?.parse::<u64>().ok());
    is_oshruns() && given.is_some() && fd.and_then(socket) == given
}

/// Own descriptor, rank and size, if they are meant for this process. A program that one of our ranks has started, directly
/// or through another launcher, sees the variables too: then the descriptors are closed, or `PMI_FD` is another
/// launcher's.
fn own_process() -> Option<(RawFd, u32, u32)> {
    let fd = |name: &str| env::var(name).ok()?.trim().parse::<RawFd>().ok();
    let own = fd(OWN_FD)?;
    let text = env::var(PROCESS).ok()?;
    let mut parts = text.split(':').map(|t| t.parse::<u64>().ok());
    let mut part = || parts.next().flatten();
    let (rank, size, own_socket, pmi_socket) = (part()?, part()?, part()?, part()?);
    let nearer = fd("PMI_FD").and_then(socket).is_some_and(|s| s != pmi_socket);
    let (rank, size) = (u32::try_from(rank).ok()?, u32::try_from(size).ok()?);
    (socket(own) == Some(own_socket) && !nearer && rank < size).then_some((own, rank, size))
}

/// The system's number of the socket behind a descriptor; `None`: there is none.
fn socket(fd: RawFd) -> Option<u64> {
    // SAFETY: all bytes zero is a value of this structure, and fstat writes nothing else.
    let stat = unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        (libc::fstat(fd, &raw mut stat) == 0).then_some(stat)
    }?;
    (stat.st_mode & libc::S_IFMT == libc::S_IFSOCK).then_some(stat.st_ino)
}
