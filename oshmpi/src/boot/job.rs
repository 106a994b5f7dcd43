//! Ways into a job: the launcher's PMI or PMIx, MPI under any other launcher, or alone.

use super::BootError;
use super::mpijob::MpiJob;
use super::{far, link, pmix};
use crate::mpi::{self, life::NoMpi};
use core::ffi::c_int;
use pmi_shm::{BoxedJob, Job, Singleton, client};

/// A job we are part of, and how we got in.
pub(crate) struct Joined {
    pub(crate) job: Box<dyn Job>,
    pub(crate) way: String,
    /// The launcher hints that all processes are on one node. The same on all PEs.
    pub(crate) one_node: bool,
    /// Everybody can read what everybody has put without waiting for the launcher each time.
    swift: bool,
    /// Thread level (0..3) for MPI, should it be needed between nodes.
    pub(crate) mpi_level: c_int,
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

fn is_launched() -> bool {
    LAUNCHER_MARKS.iter().any(|mark| std::env::var_os(mark).is_some())
}

/// Joins the job this process was started in. Whether MPI is initialised depends on the way: the launcher's own PMI
/// needs none. A program that has initialised MPI has given it the launcher's attention; then MPI is the way.
pub(crate) fn join(level: c_int) -> Result<Joined, BootError> {
    let mpi_level = far::mpi_level(level);
    if mpi::finalized() {
        let text = "MPI has been finalized before the first shmem_init, so the job cannot be joined".to_owned();
        return Err(BootError(Some(text)));
    }
    // Our exit handler comes before those of what starts later.
    mpi::life::prepare_end();
    if mpi::initialized() {
        mpi::life::program_init(); // a profiling tool may have taken the call
        return through_mpi("MPI, which the program had initialised".to_owned(), mpi_level);
    }
    if mpi_may_come_later()
        && let Some(job) = client::from_env()
    {
        return through_pmi(job?, mpi_level);
    }
    match pmix::join() {
        Some(Ok(job)) => return through_pmi(job, mpi_level),
        Some(Err(why)) => return through_mpi(format!("MPI (not PMIx: {why})"), mpi_level),
        None if is_launched() => return through_mpi("MPI".to_owned(), mpi_level),
        None => {}
    }
    let job = Box::new(Singleton::default());
    Ok(Joined { way: job.served_by().to_owned(), job, one_node: true, swift: true, mpi_level })
}

/// Whether a process may join through PMI and initialise MPI afterwards, as the program may do at any time. Not where both
/// would have to greet one server that takes one greeting: srun, and a server behind a port.
fn mpi_may_come_later() -> bool {
    let set = |name| std::env::var_os(name).is_some();
    client::is_oshruns() || set("PMI_FD") && !set("SLURM_STEP_ID")
}

/// The way that needs no MPI.
fn through_pmi(job: BoxedJob, mpi_level: c_int) -> Result<Joined, BootError> {
    let (way, swift) = (job.served_by().to_owned(), job.all_may_read_all());
    let one_node =
        one_node_by_environment(job.size()) || job.size() == 1 || job.node_map().is_some_and(|map| map.nodes() == 1);
    if !one_node {
        far::expect_other_nodes();
    }
    mpi::life::expect_world(job.rank(), job.size());
    Ok(Joined { job: Box::new(link::keep(job)), way, one_node, swift, mpi_level })
}

/// Has MPI initialised. Where it belongs to another launcher all PEs find out, and one says so.
pub(crate) fn have_mpi(level: c_int) -> Result<(), BootError> {
    mpi::ensure(level).map(drop).map_err(|e| match e {
        NoMpi::OtherWorld { job, .. } => BootError::by(0, job.0, || e.to_string()),
        e => e.into(),
    })
}

fn through_mpi(way: String, mpi_level: c_int) -> Result<Joined, BootError> {
    mpi::ensure(mpi_level)?;
    let job = MpiJob::new()?;
    foreign_launcher(job.size())?;
    let one_node = one_node_by_environment(job.size());
    Ok(Joined { job: Box::new(job), way, one_node, swift: true, mpi_level })
}

/// An MPI that does not understand the launcher makes each process a job of its own, which is never what was wanted.
fn foreign_launcher(size: u32) -> Result<(), BootError> {
    if size != 1 {
        return Ok(());
    }
    match Mismatch::of(number_in_environment) {
        None => Ok(()),
        Some(found) => Err(BootError::by(0, found.rank, || found.to_string())),
    }
}

/// What launchers have told of this process. The nearest counts: srun may have started a launcher.
struct Started {
    size: u32,
    rank: u32,
    by_srun: bool,
}

impl Started {
    fn of(number: impl Fn(&str) -> Option<u32>) -> Option<Started> {
        let known = [
            ("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", false),
            ("PMI_SIZE", "PMI_RANK", false),
            ("SLURM_STEP_NUM_TASKS", "SLURM_PROCID", true),
        ];
        known.into_iter().find_map(|(size, rank, by_srun)| {
            Some(Started { size: number(size)?, rank: number(rank).unwrap_or(0), by_srun })
        })
    }

    /// All of them are on this node. srun does not say so; what is found beside its numbers is another launcher's.
    fn is_here(&self, number: impl Fn(&str) -> Option<u32>) -> bool {
        !self.by_srun && all_are_here(self.size, number)
    }
}

/// More than one process was started, and MPI sees one.
#[derive(Debug, PartialEq, Eq)]
struct Mismatch {
    started: u32,
    rank: u32,
    by_srun: bool,
}

impl Mismatch {
    fn of(number: impl Fn(&str) -> Option<u32>) -> Option<Mismatch> {
        let Started { size: started, rank, by_srun } = Started::of(number)?;
        (started > 1).then_some(Mismatch { started, rank, by_srun })
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mismatch { started, by_srun, .. } = self;
        if *by_srun {
            write!(
                f,
                "srun started {started} processes, but MPI sees one: call srun with the --mpi= that your MPI speaks \
                 (pmi2 for MPICH; srun --mpi=list names those it has), or start with oshrun or mpiexec"
            )
        } else {
            let why = mpi::launcher_of_another_mpi();
            write!(f, "the launcher started {started} processes, but MPI sees one: {why}")
        }
    }
}

/// A number that a launcher has left in the environment.
pub(super) fn number_in_environment(name: &str) -> Option<u32> {
    std::env::var(name).ok()?.parse().ok()
}

/// The launcher has told how many of its processes are on this node, and it is all of them.
fn one_node_by_environment(size: u32) -> bool {
    all_are_here(size, number_in_environment)
}

fn all_are_here(size: u32, number: impl Fn(&str) -> Option<u32>) -> bool {
    ["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"].into_iter().find_map(number) == Some(size)
}

/// Known before the job is joined: its processes are all on this node, or there is no launcher.
pub(super) fn is_surely_one_node() -> bool {
    !is_launched() || Started::of(number_in_environment).is_some_and(|started| started.is_here(number_in_environment))
}

impl Joined {
    /// A job in which everybody may read from everybody: MPI's where the launcher's store would have to be asked for every
    /// value. Collective.
    pub(crate) fn for_all_to_all(&mut self) -> Result<&mut dyn Job, BootError> {
        if !self.swift {
            have_mpi(self.mpi_level)?;
            // Already here: should init fail from now on, MPI ends with the process all the same.
            mpi::life::leave_by(link::leave_together);
            self.job = Box::new(MpiJob::new()?);
            self.swift = true;
        }
        Ok(&mut *self.job)
    }
}

#[cfg(test)]
mod tests {
    use super::super::watch::Door;
    use super::*;
    use crate::env::Seconds;

    fn found(set: &[(&str, u32)]) -> Option<Mismatch> {
        Mismatch::of(|name| set.iter().find(|(n, _)| *n == name).map(|(_, value)| *value))
    }

    /// Another launcher inside a job of oshrun's: its variables are inherited, its descriptors are closed.
    #[test]
    fn who_has_oshruns_variables_only_is_not_oshruns() {
        const INSIDE: &str = "TEST_INSIDE_OSHRUN";
        if std::env::var_os(INSIDE).is_some() {
            assert!(!mpi_may_come_later(), "srun takes one greeting");
            assert!(Door::wanted(0, Seconds(30)).is_some(), "nobody else asks hosts for signs of life");
            return;
        }
        let mut inside = std::process::Command::new(std::env::current_exe().unwrap());
        inside.args(["--exact", "boot::job::tests::who_has_oshruns_variables_only_is_not_oshruns", "--nocapture"]);
        inside.env(INSIDE, "1").env("PMI_FD", "900").env("SLURM_STEP_ID", "0");
        inside.env(client::OWN_FD, "901").env(client::PROCESS, "0:1:901:900");
        let out = inside.output().unwrap();
        let said = [out.stdout, out.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(out.status.success() && said[0].contains("1 passed"), "{said:?}");
    }

    #[test]
    fn one_node_is_believed_of_the_nearest_launcher() {
        let here = |set: &[(&str, u32)]| {
            let number = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
            Started::of(number).is_some_and(|started| started.is_here(number))
        };
        assert!(here(&[("PMI_SIZE", 4), ("MPI_LOCALNRANKS", 4)]));
        assert!(here(&[("OMPI_COMM_WORLD_SIZE", 4), ("OMPI_COMM_WORLD_LOCAL_SIZE", 4)]));
        assert!(!here(&[("PMI_SIZE", 4), ("MPI_LOCALNRANKS", 2)]), "two nodes");
        assert!(!here(&[("OMPI_COMM_WORLD_SIZE", 4), ("OMPI_COMM_WORLD_LOCAL_SIZE", 2)]), "two nodes");
        assert!(!here(&[("PMI_SIZE", 4)]) && !here(&[("MPI_LOCALNRANKS", 1)]), "half of what has to be known");
        assert!(
            !here(&[("SLURM_STEP_NUM_TASKS", 1), ("MPI_LOCALNRANKS", 1)]),
            "a launcher with a port, started by srun"
        );
    }

    #[test]
    fn processes_that_nobody_joins_are_noticed() {
        assert_eq!(found(&[]), None);
        assert_eq!(found(&[("PMI_SIZE", 1), ("SLURM_STEP_NUM_TASKS", 4)]), None, "mpiexec -n 1, started by srun");
        let pmi = found(&[("PMI_SIZE", 4), ("PMI_RANK", 2)]).unwrap();
        assert_eq!((pmi.started, pmi.rank, pmi.by_srun), (4, 2, false));
        let text = pmi.to_string();
        assert!(text.starts_with("the launcher started 4 processes, but MPI sees one: "), "{text}");
        assert!(text.contains("; start with oshrun or "), "{text}");
        let srun = found(&[("SLURM_STEP_NUM_TASKS", 8), ("SLURM_PROCID", 3)]).unwrap();
        assert_eq!((srun.started, srun.rank, srun.by_srun), (8, 3, true));
        assert!(srun.to_string().contains("srun started 8 processes") && srun.to_string().contains("--mpi="));
    }
}
