//! The variables that launchers set in the environment of the processes they start: who is the launcher, and what it
//! tells of nodes.

use crate::mpi;
use crate::os::parent;
use pmi_shm::client;

/// Each known launcher sets at least one of these variables.
const MARKS: [&str; 8] = [
    "PMI_FD",
    "PMI_PORT",
    "PMI_RANK",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "OMPI_COMM_WORLD_SIZE",
    "SLURM_STEP_ID",
    "MPI_LOCALNRANKS",
];

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

fn number(name: &str) -> Option<u32> {
    std::env::var(name).ok()?.parse().ok()
}

pub(super) fn is_launched() -> bool {
    MARKS.iter().any(|mark| is_set(mark))
}

/// A server of PMI-1 or PMI-2 listens on a descriptor or on a port.
pub(super) fn offers_pmi() -> bool {
    is_set("PMI_FD") || is_set("PMI_PORT")
}

/// Whether a process may join through PMI and initialise MPI afterwards. A program may initialise MPI at any time.
/// False under srun, and if the server listens on a port: these servers accept one connection per process, and MPI
/// would be the second one.
pub(super) fn mpi_may_come_later() -> bool {
    client::is_oshruns() || is_set("PMI_FD") && !is_set("SLURM_STEP_ID")
}

/// Whether MPI is connected to Slurm's PMI-2, and not to a launcher that srun has started.
pub(super) fn mpi_is_served_by_srun() -> bool {
    served_by_srun(is_set)
}

fn served_by_srun(is_set: impl Fn(&str) -> bool) -> bool {
    is_set("SLURM_STEP_ID") && is_set("PMI_FD") && !["MPI_LOCALNRANKS", "PMIX_RANK"].iter().any(|&name| is_set(name))
}

/// Whether a PMIx server serves MPI. oshrun serves Open MPI by PMIx, and other MPIs by PMI-1 or PMI-2.
pub(super) fn mpi_is_served_by_pmix() -> bool {
    is_set("PMIX_RANK") && mpi::is_open_mpi()
}

/// Whether the launcher tells that all `size` processes of the job are on this node.
pub(super) fn tells_one_node(size: u32) -> bool {
    all_are_here(size, number)
}

/// Whether Open MPI's launcher tells that some of the job's processes are on other nodes.
pub(super) fn tells_several_nodes() -> bool {
    let here = number("OMPI_COMM_WORLD_LOCAL_SIZE");
    here.is_some() && here != number("OMPI_COMM_WORLD_SIZE")
}

/// Whether it is known before the job is joined that all its processes are on this node, or that there is no launcher.
pub(super) fn is_surely_one_node() -> bool {
    !is_launched() || Started::of(number).is_some_and(|started| started.is_here(number))
}

fn all_are_here(size: u32, number: impl Fn(&str) -> Option<u32>) -> bool {
    ["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"].into_iter().find_map(number) == Some(size)
}

/// What launchers tell of this process. The innermost launcher counts: srun may have started another one.
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

    /// Whether the launcher says that all processes are on this node. srun never says so: such variables beside srun's
    /// come from another launcher.
    fn is_here(&self, number: impl Fn(&str) -> Option<u32>) -> bool {
        !self.by_srun && all_are_here(self.size, number)
    }
}

/// This process would be a job of its own although a launcher has started it. What a launcher leaves is believed whole
/// or not at all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// More than one process was started, and MPI sees one.
    Foreign { started: u32, rank: u32, by_srun: bool },
    /// This variable is left, and others without which it says nothing are not.
    Torn { left: &'static str },
    /// This launcher's process is the parent, and none of its variables is there.
    Bare { launcher: String },
}

/// A variable of a launcher, and the one that it sets with it: how many processes there are.
const PAIRS: [(&str, &str); 2] = [("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")];

/// How many processes a launcher has started on this host.
const HERE: [&str; 2] = ["MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"];

/// Processes of launchers that are the parents of what they start. A script has the name of its interpreter.
const PARENTS: [&str; 8] = ["oshrun", "hydra_pmi_proxy", "orterun", "orted", "prterun", "prted", "prte", "slurmstepd"];

impl Mismatch {
    /// What the launcher tells of a process that MPI takes for a job of one; None if the launcher too has started one
    /// process.
    pub(super) fn found() -> Option<Mismatch> {
        Mismatch::of(is_set, number)
    }

    fn of(is_set: impl Fn(&str) -> bool, number: impl Fn(&str) -> Option<u32>) -> Option<Mismatch> {
        if let Some(Started { size: started, rank, by_srun }) = Started::of(&number) {
            return (started > 1).then_some(Mismatch::Foreign { started, rank, by_srun });
        }
        let alone = PAIRS.into_iter().find(|(rank, size)| is_set(rank) && !is_set(size)).map(|(rank, _)| rank);
        let several = || HERE.into_iter().find(|name| number(name).is_some_and(|n| n > 1));
        alone.or_else(several).map(|left| Mismatch::Torn { left })
    }

    /// What is wrong with a process in whose environment no launcher is found.
    pub(super) fn of_nobodys() -> Option<Mismatch> {
        let bare = || parent::starters().into_iter().find(|name| PARENTS.contains(&name.as_str()));
        Mismatch::found().or_else(|| bare().map(|launcher| Mismatch::Bare { launcher }))
    }

    /// The process that tells it; None: each of them, because none knows its number.
    pub(super) fn reporter(&self) -> Option<u32> {
        match self {
            Mismatch::Foreign { rank, .. } => Some(*rank),
            _ => None,
        }
    }
}

impl std::fmt::Display for Mismatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Mismatch::Foreign { started, by_srun: true, .. } => write!(
                f,
                "srun started {started} processes, but MPI sees one: call srun with the --mpi= that your MPI speaks \
                 (pmi2 for MPICH; srun --mpi=list names those it has), or start with oshrun or mpiexec"
            ),
            Mismatch::Foreign { started, .. } => {
                let why = mpi::launcher_of_another_mpi();
                write!(f, "the launcher started {started} processes, but MPI sees one: {why}")
            }
            Mismatch::Torn { left } => write!(
                f,
                "{left} is set, but other variables of the launcher are not, so its job cannot be joined: keep all of \
                 them (env -u removes some), or none"
            ),
            Mismatch::Bare { launcher } => write!(
                f,
                "{launcher} has started this process, but none of its variables is set, so its job cannot be joined: \
                 keep the environment (env -i, sudo and containers remove it), or start without {launcher}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(set: &[(&str, u32)]) -> Option<Mismatch> {
        let number = |name: &str| set.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
        Mismatch::of(|name| number(name).is_some(), number)
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
        assert_eq!(pmi, Mismatch::Foreign { started: 4, rank: 2, by_srun: false });
        let text = pmi.to_string();
        assert!(text.starts_with("the launcher started 4 processes, but MPI sees one: "), "{text}");
        assert!(text.contains("; start with oshrun or "), "{text}");
        let srun = found(&[("SLURM_STEP_NUM_TASKS", 8), ("SLURM_PROCID", 3)]).unwrap();
        assert_eq!(srun, Mismatch::Foreign { started: 8, rank: 3, by_srun: true });
        assert!(srun.to_string().contains("srun started 8 processes") && srun.to_string().contains("--mpi="));
    }

    #[test]
    fn variables_that_are_left_alone_are_noticed() {
        for (set, left) in [
            (&[("PMI_RANK", 0), ("MPI_LOCALNRANKS", 2)][..], "PMI_RANK"),
            (&[("OMPI_COMM_WORLD_RANK", 1)], "OMPI_COMM_WORLD_RANK"),
            (&[("MPI_LOCALNRANKS", 2)], "MPI_LOCALNRANKS"),
            (&[("OMPI_COMM_WORLD_LOCAL_SIZE", 2)], "OMPI_COMM_WORLD_LOCAL_SIZE"),
        ] {
            assert_eq!(found(set), Some(Mismatch::Torn { left }));
        }
        assert_eq!(found(&[("MPI_LOCALNRANKS", 1)]), None, "Hydra with a port and one process");
        assert_eq!(found(&[("SLURM_PROCID", 0)]), None, "the script of a batch job");
    }

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
