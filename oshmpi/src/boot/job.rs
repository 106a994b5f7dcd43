//! Ways into a job: the launcher's PMI, MPI under any other launcher, or alone.

use super::BootError;
use super::mpijob::MpiJob;
use super::pmi1::Pmi1;
use crate::mpi;
use core::ffi::c_int;
use pmi_shm::{Alone, Job};

/// A job we are part of, and how we got in.
pub(crate) struct Joined {
    pub(crate) job: Box<dyn Job>,
    pub(crate) way: &'static str,
    /// The launcher hints that all processes are on one node. The same on all PEs.
    pub(crate) one_node: bool,
    /// Everybody can read what everybody has put without waiting for the launcher each time.
    swift: bool,
    level: c_int,
}

/// What launchers leave in the environment of the processes they start.
const LAUNCHER_MARKS: [&str; 8] = [
    "PMI_FD",
    "PMI_PORT",
    "PMI_RANK",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "OMPI_COMM_WORLD_SIZE",
    "SLURM_STEP_ID",
    "MPI_LOCALNRANKS",
];

/// Joins the job this process was started in. Whether MPI is initialised depends on the way: the launcher's own PMI
/// needs none. A program that has initialised MPI has given it the launcher's attention; then MPI is the way.
pub(crate) fn join(level: c_int) -> Result<Joined, BootError> {
    if mpi::finalized() {
        let text = "MPI has been finalized before the first shmem_init, so the job cannot be joined".to_owned();
        return Err(BootError(Some(text)));
    }
    // Our exit handler comes before those of what starts later.
    mpi::life::prepare_end();
    if mpi::initialized() {
        return through_mpi("MPI, which the program had initialised", level);
    }
    if let Some(pmi) = Pmi1::connect()? {
        let one_node = pmi.one_node();
        mpi::life::expect_world(pmi.rank(), pmi.size());
        return Ok(Joined { job: Box::new(pmi), way: "PMI", one_node, swift: false, level });
    }
    if LAUNCHER_MARKS.iter().any(|mark| std::env::var_os(mark).is_some()) {
        return through_mpi("MPI", level);
    }
    let job = Box::new(Alone::default());
    Ok(Joined { job, way: "no launcher (a job of one)", one_node: true, swift: true, level })
}

fn through_mpi(way: &'static str, level: c_int) -> Result<Joined, BootError> {
    mpi::ensure(level)?;
    let job = MpiJob::new()?;
    let one_node = one_node_by_environment(job.size());
    Ok(Joined { job: Box::new(job), way, one_node, swift: true, level })
}

/// The launcher has told how many of its processes are on this node, and it is all of them.
pub(crate) fn one_node_by_environment(size: u32) -> bool {
    let here = ["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"].iter().find_map(|name| std::env::var(name).ok());
    here.and_then(|n| n.parse().ok()) == Some(size)
}

impl Joined {
    /// A job in which everybody may read from everybody: MPI's where the launcher's store would have to be asked for every
    /// value. Collective.
    pub(crate) fn for_all_to_all(&mut self) -> Result<&mut dyn Job, BootError> {
        if !self.swift {
            mpi::ensure(self.level)?;
            self.job = Box::new(MpiJob::new()?);
            self.swift = true;
        }
        Ok(&mut *self.job)
    }
}
