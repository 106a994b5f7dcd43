//! Clients of a process manager: a [`LauncherJob`] for a runtime.
//!
//! [`from_env`] joins the job in which this process was started. The environment says which it is:
//!
//! | variable    | set by                        | the job |
//! |-------------|-------------------------------|---------|
//! | `OSHRUN_FD` | oshrun                        | puts are awaited; values on the node are read in shared memory |
//! | `PMI_FD`    | Hydra (mpiexec of MPICH), srun --mpi=pmi2 | PMI-1, a fence before any get |
//!
//! A PMIx server is joined by [`pmix::join`], whose caller names the library: it must be the one that MPI will use.
//!
//! **One descriptor, two clients.** `PMI_FD` is used through a copy that programs started from here do not inherit; the
//! descriptor itself does not change. So MPI can be initialised in the same process, before or after, on two
//! conditions. Only one of the two clients is in a call at a time. And [`LauncherJob::end`] is called by an exit
//! handler and not earlier, because the launcher serves nobody on that descriptor afterwards. A process that ends
//! without this call is taken for dead, and its job is ended. After MPI_Finalize calls fail with an [`Error`]; no
//! signal is raised. srun refuses a second greeting, so there MPI must not be initialised beside this client.

mod connection;
mod oshrun_job;
pub mod pmi1;
mod pmi1_job;
pub mod pmix;
mod record;

pub use crate::abort::{AbortHandle, PreparedTable};
use crate::error::Error;
use crate::job::BoxedJob;
#[cfg(doc)]
use crate::job::LauncherJob;
use oshrun_job::OshrunJob;
use pmi1_job::Pmi1Job;
use std::env;
use std::os::fd::RawFd;
use std::sync::OnceLock;

/// Variable with the descriptor of the connection that `oshrun` keeps for a runtime above MPI.
pub const OWN_FD: &str = "OSHRUN_FD";

/// Variable that says who the process is: `RANK:SIZE:OWN:PMI`. The last two are the inode numbers of the sockets behind
/// [`OWN_FD`] and `PMI_FD`. So the process need not ask, and a job inside a job is told from the outer one.
pub const PROCESS: &str = "OSHRUN_PROCESS";

/// Variable with the descriptor of the store, and the store's number: `5:0123...`.
pub const SHARED: &str = "OSHRUN_SHM";

/// Joins the job of this process. `None`: no launcher that speaks PMI has started it (but Open MPI's mpirun may have,
/// or nobody).
pub fn from_env() -> Option<Result<BoxedJob, Error>> {
    if let Some((fd, rank, size)) = oshrun_process() {
        return Some(OshrunJob::over_fd(fd, rank, size).map(|job| Box::new(job) as BoxedJob));
    }
    Some(pmi1::Pmi1::from_env()?.map(|pmi| Box::new(Pmi1Job::new(pmi)) as BoxedJob))
}

/// The value of [`PROCESS`].
pub(crate) fn process_text(rank: u32, size: u32, own: RawFd, pmi: RawFd) -> String {
    format!("{rank}:{size}:{}:{}", socket(own).unwrap_or(0), socket(pmi).unwrap_or(0))
}

/// Whether oshrun has started this process itself. That [`OWN_FD`] is set does not tell: an outer job may have set it.
pub fn is_oshruns() -> bool {
    oshrun_process().is_some()
}

/// The result of the first call of [`read_process`]. Later the program may have closed `PMI_FD`, as MPI_Finalize does,
/// and another socket may have that number.
fn oshrun_process() -> Option<(RawFd, u32, u32)> {
    static PROCESS: OnceLock<Option<(RawFd, u32, u32)>> = OnceLock::new();
    *PROCESS.get_or_init(read_process)
}

/// Whether `PMI_FD` is still the socket that oshrun has given. An MPI that has been finalised may have closed it.
pub fn pmi_is_open() -> bool {
    let fd = env::var("PMI_FD").ok().and_then(|fd| fd.trim().parse::<RawFd>().ok());
    let given = env::var(PROCESS).ok().and_then(|text| text.split(':').nth(3)?.parse::<u64>().ok());
    is_oshruns() && given.is_some() && fd.and_then(socket) == given
}

/// The descriptor of [`OWN_FD`], rank and size, if they are meant for this process. A program that a rank has started,
/// directly or through another launcher, sees the variables too; then the descriptors are closed, or `PMI_FD` belongs
/// to the other launcher.
fn read_process() -> Option<(RawFd, u32, u32)> {
    let fd = |name: &str| env::var(name).ok()?.trim().parse::<RawFd>().ok();
    let own = fd(OWN_FD)?;
    let text = env::var(PROCESS).ok()?;
    let mut parts = text.split(':').map(|t| t.parse::<u64>().ok());
    let mut part = || parts.next().flatten();
    let (rank, size, own_socket, pmi_socket) = (part()?, part()?, part()?, part()?);
    let is_inner = fd("PMI_FD").and_then(socket).is_some_and(|s| s != pmi_socket);
    let (rank, size) = (u32::try_from(rank).ok()?, u32::try_from(size).ok()?);
    (socket(own) == Some(own_socket) && !is_inner && rank < size).then_some((own, rank, size))
}

/// The inode number of the socket behind a descriptor. `None`: there is no socket.
fn socket(fd: RawFd) -> Option<u64> {
    // SAFETY: all bytes zero is a value of this structure, and fstat writes nothing else.
    let stat = unsafe {
        let mut stat: libc::stat = std::mem::zeroed();
        (libc::fstat(fd, &raw mut stat) == 0).then_some(stat)
    }?;
    (stat.st_mode & libc::S_IFMT == libc::S_IFSOCK).then_some(stat.st_ino)
}
