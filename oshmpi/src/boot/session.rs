//! The connection to the launcher (PMI-1, PMI-2 or PMIx), kept to the end of the process. By it the launcher learns
//! that this process ends in good order, or that the job is to end.

use super::launcher;
use crate::mpi;
use crate::net::Store;
use crate::os::process;
use pmi_shm::client::{self, AbortHandle, PreparedTable};
use pmi_shm::{BoxedJob, Error};
use std::sync::{Mutex, MutexGuard, OnceLock, RwLock, RwLockWriteGuard};

/// Set when the job is joined through the launcher.
static SESSION: OnceLock<Session> = OnceLock::new();

struct Session {
    /// Threads that wait for values share it.
    job: RwLock<BoxedJob>,
    /// Held by who uses the connection in several calls that belong together. Locked before `job`.
    several_calls: Mutex<()>,
    abort_handle: AbortHandle,
    /// The process that made the connection. A forked child shares the connection and must not use it.
    pid: u32,
}

/// Keeps the connection to the end of the process.
pub(crate) fn keep(job: BoxedJob) {
    let (abort_handle, pid) = (job.abort_handle(), process::pid());
    let session = Session { job: RwLock::new(job), several_calls: Mutex::new(()), abort_handle, pid };
    if SESSION.set(session).is_err() {
        unreachable!("a job is joined once");
    }
}

/// The kept connection, for the exchange at the start.
pub(super) fn job() -> Option<RwLockWriteGuard<'static, BoxedJob>> {
    SESSION.get().map(Session::job)
}

impl Session {
    fn job(&self) -> RwLockWriteGuard<'_, BoxedJob> {
        self.job.write().unwrap_or_else(|e| e.into_inner())
    }

    fn for_several_calls(&self) -> MutexGuard<'_, ()> {
        self.several_calls.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// The launcher's store, for what a PE may read of another one at any time. None where MPI has the connection to the
/// launcher. The answer is equal on all PEs.
///
/// Bound: publishing is one put, and a fence where readers need one; reading is one get.
pub(super) fn store() -> Option<Store> {
    fn session() -> &'static Session {
        SESSION.get().expect("a store is given only with a connection")
    }
    const KEY: &str = "ucx";
    fn publish(record: &[u8]) -> Result<(), pmi_shm::Error> {
        let mut job = session().job();
        job.publish(KEY, record)?;
        job.spread()
    }
    SESSION.get().map(|_| Store {
        publish: |record| publish(record).map_err(|e| e.to_string()),
        read: |pe| {
            let job = session().job.read().unwrap_or_else(|e| e.into_inner());
            job.get_when_put(pe.0, KEY).map_err(|e| e.to_string())
        },
    })
}

/// Whether MPI uses the connection too, from its start, and closes it at its end.
pub(crate) fn is_shared_with_mpi() -> bool {
    SESSION.get().is_some() && !client::is_oshruns() && !launcher::mpi_is_served_by_pmix()
}

/// While the result lives, nobody else uses the connection, if MPI shares it.
pub(crate) fn alone() -> impl Sized {
    let shared = SESSION.get().filter(|_| is_shared_with_mpi());
    shared.map(|session| (session.for_several_calls(), session.job()))
}

/// A barrier of all processes through the launcher. `poll` is called meanwhile, and may use the store. No thread is
/// needed. False: there is no connection, or none any more. Collective.
pub(super) fn barrier(poll: impl Fn()) -> bool {
    let Some(session) = SESSION.get().filter(|session| session.pid == process::pid()) else { return false };
    let _alone = session.for_several_calls();
    let through = || {
        session.job().begin_barrier()?;
        while !session.job().barrier_is_over()? {
            poll();
            process::sleep_micros(50);
        }
        Ok::<(), Error>(())
    };
    through().is_ok()
}

/// Asks the launcher to end the job with `status`; false if there is no connection, or none any more. Any thread may
/// call it, even while another thread is in a call of the job, which may wait for PEs that never come.
pub(crate) fn abort(status: i32) -> bool {
    SESSION.get().is_some_and(|session| session.abort_handle.abort(status, ""))
}

/// OpenSHMEM goes down, or comes up again: one request. While it is down, the program may end by `_exit`, become
/// another one or close all files. To oshrun that is an end in good order; other launchers judge by [`take_leave`].
pub(crate) fn pause(paused: bool) {
    let Some(session) = SESSION.get().filter(|session| session.pid == process::pid()) else { return };
    session.job().pause(paused);
}

/// Sends the rows of a table to oshrun, which joins them with those of other nodes; false if oshrun has not started the
/// job.
pub(super) fn table(head: &str, rows: &str) -> bool {
    prepared_table(head, rows).is_some_and(|table| table.send())
}

/// The message of [`table`], to be sent later.
pub(super) fn prepared_table(head: &str, rows: &str) -> Option<PreparedTable> {
    SESSION.get().filter(|_| client::is_oshruns())?.abort_handle.prepared_table(head, rows)
}

/// Has all processes of the job leave MPI without MPI_Finalize: they synchronise through the launcher instead, and MPI
/// is not used again. True if that was possible. Collective.
///
/// MPICH 4.0 between hosts may hang in MPI_Finalize: one process waits for another to take part in closing their
/// connection, but that one already waits in the launcher's barrier and does not poll the network. Here each process
/// polls MPI until the round is over. After the round no process waits for another one.
pub(crate) fn leave_together() -> bool {
    let Some(session) = SESSION.get() else { return leave_srun_together() };
    // Only MPI can take leave of a PMIx server, in MPI_Finalize.
    if session.pid != process::pid() || launcher::mpi_is_served_by_pmix() {
        return false;
    }
    if !session.job().mpi_may_be_left() {
        return false;
    }
    let all_came = barrier(|| mpi::Comm::shared_world().poll());
    // Under oshrun MPI has a separate connection to the server.
    if all_came && client::is_oshruns() {
        process::take_leave_for_mpi();
    }
    all_came
}

/// Leaves MPI under srun, together with all processes. MPI has the connection there, and Slurm's PMI-2 accepts a
/// process that ends with 0 without taking leave. The processes synchronise in two rounds. A process that has left the
/// second round knows that no process is still in the first. Its messages of the second round are short, so the kernel
/// delivers them after its end.
fn leave_srun_together() -> bool {
    launcher::mpi_is_served_by_srun()
        && mpi::is_mpich()
        && (0..2).all(|_| mpi::Comm::shared_world().least(&[0]).is_ok())
}

/// Takes leave of the launcher, which treats the end of a process without this as a failure. This function runs after
/// all exit handlers and destructors of the program, because the program may use and end MPI in them. MPI may share the
/// connection; then it takes leave itself when it ends. If MPI is still up, the launcher judges the end as it does for
/// MPI programs.
extern "C" fn take_leave() {
    let Some(session) = SESSION.get() else { return };
    if session.pid != process::pid() || mpi::usable() {
        return;
    }
    if mpi::life::Event::EndedLate.has_happened() && !mpi::is_open_mpi() && client::pmi_is_open() {
        process::take_leave_for_mpi();
    }
    if let Ok(mut job) = session.job.try_write() {
        job.end();
    }
}

/// A destructor runs after all exit handlers, those registered before shmem_init included.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_THE_VERY_END: extern "C" fn() = take_leave;
