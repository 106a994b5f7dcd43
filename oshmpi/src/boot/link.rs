//! The launcher's ear, kept to the end of the process: how it learns that this process leaves in good order, or that the
//! job is to end.

use crate::mpi;
use crate::os::process;
use pmi_shm::client::{self, AbortHandle};
use pmi_shm::{BoxedJob, Error, Job};
use std::sync::{Mutex, MutexGuard, OnceLock};

static LINK: OnceLock<Link> = OnceLock::new();

struct Link {
    job: Mutex<BoxedJob>,
    ender: AbortHandle,
    /// A forked child shares the connection and must not speak for its parent.
    pid: u32,
}

/// The job over the kept connection.
pub(crate) struct Linked(&'static Link);

/// Keeps the connection, and gives the job to boot from.
pub(crate) fn keep(job: BoxedJob) -> Linked {
    let link = Link { ender: job.abort_handle(), job: Mutex::new(job), pid: process::pid() };
    if LINK.set(link).is_err() {
        unreachable!("a job is joined once");
    }
    Linked(LINK.get().expect("set a line above"))
}

impl Linked {
    fn job(&self) -> MutexGuard<'static, BoxedJob> {
        self.0.job.lock().unwrap_or_else(|e| e.into_inner())
    }
}

impl Job for Linked {
    fn rank(&self) -> u32 {
        self.job().rank()
    }

    fn size(&self) -> u32 {
        self.job().size()
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.job().put(key, value)
    }

    fn fence(&mut self) -> Result<(), Error> {
        self.job().fence()
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.job().get(rank, key)
    }

    fn puts_are_awaited(&self) -> bool {
        self.job().puts_are_awaited()
    }

    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.job().publish(key, value)
    }

    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.job().get_when_put(rank, key)
    }

    fn served_by(&self) -> &'static str {
        self.job().served_by()
    }
}

/// Asks the launcher to end the job with `status`; false if it has no ear for us. From any thread, and while another is
/// in a call of the job's, which may wait for PEs that never come.
pub(crate) fn abort(status: i32) -> bool {
    LINK.get().inspect(|link| link.ender.abort(status, "")).is_some()
}

/// All processes of the job leave MPI without its MPI_Finalize: they meet in the launcher instead, and MPI is not used
/// again. True when that was possible.
///
/// MPICH 4.0 between hosts may hang in MPI_Finalize: one process still waits for another to take part in closing their
/// connection, and that one waits in the launcher for everybody, not looking at the network. Here MPI is given the
/// processor for as long as the meeting lasts; after it nobody waits for anything of this process any more.
pub(crate) fn leave_together() -> bool {
    let Some(link) = LINK.get() else { return leave_srun_together(|name| std::env::var_os(name).is_some()) };
    if link.pid != process::pid() || served_by_pmix(|name| std::env::var_os(name).is_some()) {
        return false;
    }
    if !link.job.lock().unwrap_or_else(|e| e.into_inner()).mpi_may_be_left() {
        return false;
    }
    let meet = || link.job.lock().unwrap_or_else(|e| e.into_inner()).fence().is_ok();
    let met = std::thread::scope(|threads| {
        let meeting = threads.spawn(meet);
        while !meeting.is_finished() {
            mpi::Comm::shared_world().poll();
            process::nap(50);
        }
        meeting.join().unwrap_or(false)
    });
    // Under oshrun MPI has a connection of its own, which is not ours.
    if met && client::is_oshruns() {
        process::take_leave_for_mpi();
    }
    met
}

/// oshrun serves Open MPI by PMIx, where only MPI itself can take leave, in its MPI_Finalize. Other MPIs use PMI-1 or PMI-2 all the same.
fn served_by_pmix(is_set: impl Fn(&str) -> bool) -> bool {
    is_set("PMIX_RANK") && mpi::is_open_mpi()
}

/// The same under srun, where MPI has the connection: its PMI-2 lets a process go that ends with 0 and has not taken leave.
/// Who is through the second meeting knows that nobody is left in the first; what it has sent for the second is short and
/// lies in the kernel.
fn leave_srun_together(is_set: impl Fn(&str) -> bool) -> bool {
    served_by_srun(is_set) && mpi::is_mpich() && (0..2).all(|_| mpi::Comm::shared_world().least(&[0]).is_ok())
}

/// Slurm's own PMI-2, not a launcher that srun has started.
fn served_by_srun(is_set: impl Fn(&str) -> bool) -> bool {
    is_set("SLURM_STEP_ID") && is_set("PMI_FD") && !["MPI_LOCALNRANKS", "PMIX_RANK"].iter().any(|&name| is_set(name))
}

/// Takes leave of the launcher, which takes the end of a process that does not for a failure. Runs after all exit
/// handlers and destructors of the program: in them it may still use and end MPI, which may share the connection, and
/// then has taken leave itself. While MPI is up the launcher judges as it does for MPI programs.
extern "C" fn take_leave() {
    let Some(link) = LINK.get() else { return };
    if link.pid != process::pid() || mpi::usable() {
        return;
    }
    if let Ok(mut job) = link.job.try_lock() {
        job.end();
    }
}

/// Destructors run after all handlers, those registered before shmem_init included.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_THE_VERY_END: extern "C" fn() = take_leave;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_inside_a_step_of_slurm_is_not_srun() {
        let by_srun = |set: &[&str]| served_by_srun(|name| set.contains(&name));
        assert!(by_srun(&["SLURM_STEP_ID", "PMI_FD", "PMI_RANK"]));
        assert!(!by_srun(&["PMI_FD", "PMI_RANK"]), "Hydra");
        assert!(!by_srun(&["SLURM_STEP_ID", "PMI_FD", "MPI_LOCALNRANKS"]), "Hydra, started by srun");
        assert!(!by_srun(&["SLURM_STEP_ID", "PMIX_RANK"]), "srun --mpi=pmix");
        assert!(!by_srun(&["SLURM_STEP_ID"]), "srun --mpi=none");
    }
}
