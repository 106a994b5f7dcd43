//! Ways into a job: the launcher's PMI or PMIx, MPI under any other launcher, or alone.

use super::launcher::{self, Mismatch};
use super::liveness::absent;
use super::{BootError, pmix, session};
use crate::env::{Env, ProgressBy, Route, TransportBy};
use crate::mpi::{self, Comm, MpiError, life::NoMpi};
use crate::os::{process, stack};
use crate::state;
use core::ffi::c_int;
use pmi_shm::{BoxedJob, Job, Singleton, client};

/// Who has the connection to the launcher.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// This library: see [`session`].
    Launcher,
    Mpi,
    /// There is no launcher.
    Nobody,
}

/// The job of this process, and how it was joined.
pub(crate) struct Joined {
    pub(crate) rank: u32,
    pub(crate) size: u32,
    pub(super) by: By,
    pub(crate) way: String,
    /// The PEs of this PE's node, as the launcher hints. None if it gives no hint, and then on all PEs.
    pub(super) here: Option<Vec<u32>>,
    /// Thread level (0..3) for MPI, should it be needed between nodes.
    pub(crate) mpi_level: c_int,
    /// Looks for processes that will never join, until all are known to have.
    pub(super) absent: Option<absent::Watch>,
}

/// Joins the job this process was started in. Whether MPI is initialised depends on the way: the launcher's own PMI
/// needs none. Where the program has initialised MPI, MPI has the connection to the launcher, and is the way.
pub(crate) fn join(env: &Env, level: c_int) -> Result<Joined, BootError> {
    let mpi_level = level_of_job(env, level);
    if mpi::finalized() {
        return Err(BootError::MpiFinalizedFirst);
    }
    // Exit handlers of what starts later run before this one.
    mpi::life::prepare_end();
    if mpi::initialized() {
        mpi::life::program_init(); // a profiling tool may have taken the call
        return through_mpi(env, "MPI, which the program had initialised".to_owned(), mpi_level);
    }
    if launcher::mpi_may_come_later()
        && let Some(job) = client::from_env()
    {
        return through_pmi(env, job?, mpi_level);
    }
    match pmix::join(env.mpi) {
        Some(Ok(job)) => return through_pmi(env, job, mpi_level),
        Some(Err(why)) => return through_mpi(env, format!("MPI (not PMIx: {why})"), mpi_level),
        None if launcher::is_launched() => return through_mpi(env, "MPI".to_owned(), mpi_level),
        None => not_of_a_launcher(Mismatch::of_nobodys())?,
    }
    Ok(Joined {
        rank: 0,
        size: 1,
        way: Singleton::default().served_by().to_owned(),
        by: By::Nobody,
        here: Some(vec![0]),
        mpi_level,
        absent: None,
    })
}

/// The way that needs no MPI.
fn through_pmi(env: &Env, job: BoxedJob, mpi_level: c_int) -> Result<Joined, BootError> {
    let absent = absent::watch(env.hang);
    let (way, rank, size) = (job.served_by().to_owned(), job.rank(), job.size());
    let one_node = launcher::tells_one_node(size) || size == 1;
    let here = if one_node { Some((0..size).collect()) } else { job.ranks_here() };
    if here.as_ref().is_none_or(|here| here.len() < size as usize) {
        expect_other_nodes(env);
    }
    mpi::life::expect_world(rank, size);
    session::keep(job);
    Ok(Joined { rank, size, by: By::Launcher, way, here, mpi_level, absent })
}

/// Bytes of stack that MPI_Init takes over UCX.
const MPI_STACK: usize = 152 << 10;

/// An error where MPI is not initialised yet, and would end by SIGSEGV.
fn enough_stack() -> Result<(), BootError> {
    match stack::left().filter(|left| *left < MPI_STACK && !mpi::initialized()) {
        Some(left) => Err(BootError::SmallStack { left: left >> 10, needed: MPI_STACK >> 10 }),
        None => Ok(()),
    }
}

/// Microseconds in which PE 0 tells what other PEs most likely have found too.
const TO_TELL_US: u64 = 500_000;

/// Has MPI loaded and initialised. Where it belongs to another launcher all PEs find out, and one says so.
pub(crate) fn have_mpi(me: u32, level: c_int) -> Result<(), BootError> {
    enough_stack()?;
    mpi::ensure(level).map(drop).map_err(|e| match e {
        NoMpi::OtherWorld { job, .. } => BootError::by(0, job.0, e.into()),
        NoMpi::Failed(MpiError::Found(_)) if me > 0 => {
            process::sleep_micros(TO_TELL_US);
            e.into()
        }
        e => e.into(),
    })
}

fn through_mpi(env: &Env, way: String, mpi_level: c_int) -> Result<Joined, BootError> {
    let absent = (!mpi::initialized()).then(|| absent::watch(env.hang)).flatten();
    enough_stack()?;
    mpi::ensure(mpi_level)?;
    let world = Comm::shared_world();
    let (rank, size) = (world.rank()?, world.size()?);
    if size == 1 {
        // An MPI that does not understand the launcher makes each process a job of its own, which is never what was
        // wanted.
        not_of_a_launcher(Mismatch::found())?;
    }
    let here = launcher::tells_one_node(size).then(|| (0..size).collect());
    if here.is_none() {
        // The job may be on several hosts, between which MPI_Finalize may hang. Init may fail before it knows.
        mpi::life::Event::LeaveAllowed.note();
    }
    Ok(Joined { rank, size, by: By::Mpi, way, here, mpi_level, absent })
}

/// An error if a launcher has started several processes, of which this one is a job of its own.
fn not_of_a_launcher(found: Option<Mismatch>) -> Result<(), BootError> {
    let Some(found) = found else { return Ok(()) };
    Err(match found.reporter() {
        Some(rank) => BootError::by(0, rank, BootError::ForeignLauncher(found)),
        None => BootError::ForeignLauncher(found),
    })
}

// The thread level at which MPI is initialised is chosen before it is known whether the job has other nodes.

/// The level (0..3) for a program that requests `level`. A job on several nodes has a progress thread, which needs
/// level 3.
fn level_of_job(env: &Env, level: c_int) -> c_int {
    if launcher::tells_several_nodes() || through_mpi_anyway(env) {
        expect_other_nodes(env);
    }
    if env.progress == ProgressBy::None { level } else { 3 }
}

/// Prepares MPI for a job in which data goes through MPI. Called before MPI is initialised.
fn expect_other_nodes(env: &Env) {
    mpi::faults::avoid_broken_windows();
    if env.transport == TransportBy::Rma {
        mpi::faults::avoid_slow_allocation();
    }
}

/// The thread level at which the program's MPI_Init is carried out, if it requests `required`. While a program waits in
/// calls of MPI, only the progress thread serves its peers. So a job that may be on several nodes gets the level of
/// that thread.
pub(crate) fn level_of_program(required: c_int) -> c_int {
    // The program may still change its environment before shmem_init, which reads the settings again.
    let (env, _) = Env::of_process();
    let _ = mpi::is_there(); // levels are its constants; a failure shows when it is initialised
    // A job that has started without MPI has no other nodes, or none to which data goes through MPI.
    let one_node = state::made().is_some() || launcher::is_surely_one_node();
    match one_node && !through_mpi_anyway(&env) {
        true => required,
        false => required.max(mpi::thread_level(level_of_job(&env, 0))),
    }
}

/// Whether data goes through MPI even on one node.
fn through_mpi_anyway(env: &Env) -> bool {
    env.route == Route::Mpi || env.transport == TransportBy::Rma
}

#[cfg(test)]
mod tests {
    use super::super::liveness::Listener;
    use super::*;
    use crate::env::Seconds;

    /// Another launcher inside a job of oshrun's: its variables are inherited, its descriptors are closed.
    #[test]
    fn who_has_oshruns_variables_only_is_not_oshruns() {
        const INSIDE: &str = "TEST_INSIDE_OSHRUN";
        if std::env::var_os(INSIDE).is_some() {
            assert!(!launcher::mpi_may_come_later(), "srun takes one greeting");
            assert!(Listener::wanted(0, Seconds(30)).is_some(), "nobody else asks hosts for signs of life");
            return;
        }
        let mut inside = std::process::Command::new(std::env::current_exe().unwrap());
        inside.args(["--exact", "boot::job::tests::who_has_oshruns_variables_only_is_not_oshruns", "--nocapture"]);
        inside.env(INSIDE, "1").env("PMI_FD", "900").env("SLURM_STEP_ID", "0");
        inside.env(client::OWN_FD, "901").env(client::PROCESS, "0:1:901:900");
        let out = inside.output().unwrap();
        let printed = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(out.status.success() && printed[0].contains("1 passed"), "{printed:?}");
    }
}
