//! Variables for programs of other MPIs, beside those of PMI.
//!
//! Open MPI 4 as distributions build it speaks neither PMI-1 nor PMI-2. Without PMIx its component for the Flux
//! launcher loads the library that a variable names and calls its PMI-1 functions; oshmpi's `libpmi.so` serves. The
//! component needs a number of the job, and Open MPI needs it with PMIx too: without one it takes each process for a
//! job of its own.
//!
//! With more ranks than cores Open MPI's launcher makes waiting ranks yield the processor. Here a variable does that.
//!
//! Open MPI keeps the memory that ranks of a node share in files in /dev/shm. With PMIx these files go into the job's
//! directory, which is removed whatever is killed.
//!
//! Open MPI's shared-memory transport names its files after host, job and rank on the node. Where one machine plays
//! several nodes, two ranks would write into one file. So it is told to use TCP there.

use crate::plan::{Plan, Word};
use crate::pmix::dir;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const JOB: &str = "FLUX_JOB_ID";
const LIBRARY: &str = "FLUX_PMI_LIBRARY_PATH";

/// What Open MPI moves data with, and over which network; MCA parameters.
const BTL: &str = "OMPI_MCA_btl";
const TCP_OVER: [&str; 2] = ["OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_btl_tcp_if_exclude"];

/// Their values where nodes are played. There may be no network but `lo`, which Open MPI would not use by default.
const PLAYED: [(&str, &str); 2] = [(BTL, "self,tcp"), (TCP_OVER[0], "lo")];

/// Directories of Open MPI's shared memory, by version and component.
const SHARED_MEMORY: [&str; 3] =
    ["OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory", "OMPI_MCA_osc_sm_backing_directory"];

/// Makes ranks that wait inside MPI let others run.
const YIELD: (&str, &str) = ("OMPI_MCA_mpi_yield_when_idle", "1");

/// Keeps UCX from catching SIGSEGV and the like, and printing a page about it: the line of oshrun says which rank was
/// ended by which signal.
const NO_HANDLER: (&str, &str) = ("UCX_HANDLE_ERRORS", "none");

/// By which of several that are served MPICH 5 does its process management. It ends where it is not told.
const BY_PMI_1: (&str, &str) = ("MPIR_CVAR_PMI_VERSION", "1");

/// Marks that oshrun has set these variables. Its name begins with OSHRUN_, so no inner job gets it.
const WE_PLAY: &str = "OSHRUN_PLAYS_NODES";

/// Where `libpmi.so` may lie, from the directory of oshrun: installed, or as cargo builds it.
const PLACES: [&str; 3] = ["../lib/oshmpi/libpmi.so.0", "../lib/libpmi.so.0", "libpmi.so"];

/// Whether a variable in oshrun's environment was made for an outer job. This is always assumed of the job's number:
/// two jobs inside one must differ, whoever has started the outer job.
pub fn is_of_outer(name: &str, value: &OsStr) -> bool {
    let played = || std::env::var_os(WE_PLAY).is_some();
    let in_a_job = || value.to_string_lossy().contains(dir::PREFIX);
    name == JOB
        || SHARED_MEMORY.contains(&name) && in_a_job()
        || PLAYED.iter().any(|&(n, v)| n == name && v == value) && played()
}

/// The variables, unless the user has set them. There are none where `libpmi.so` is missing.
///
/// `dir`: the job's directory, where ranks use PMIx. `crowded`: there are more ranks than cores.
pub fn variables(plan: &Plan, dir: Option<&Path>, crowded: bool) -> Vec<(String, String)> {
    let library = std::env::current_exe().ok().and_then(|exe| find(exe.parent()?));
    let served = dir.map_or(Served::Pmi(library), |dir| Served::Pmix(dir.to_string_lossy().into_owned()));
    let mut own = choose(&plan.env, &plan.job, served, plan.local && plan.nodes() > 1);
    let wanted = [(NO_HANDLER, true), (YIELD, crowded), (BY_PMI_1, dir.is_some())]
        .into_iter()
        .filter_map(|(variable, wanted)| wanted.then_some(variable));
    let unset = wanted.filter(|(name, _)| !plan.env.iter().any(|(n, _)| n == name.as_bytes()));
    own.extend(unset.map(|(name, value)| (name.to_string(), value.to_string())));
    own
}

fn find(dir: &Path) -> Option<PathBuf> {
    PLACES.iter().map(|p| dir.join(p)).find(|p| p.is_file())?.canonicalize().ok()
}

/// By what Open MPI is served.
enum Served {
    /// PMI-1 through this library, if it is there.
    Pmi(Option<PathBuf>),
    /// PMIx, with this directory.
    Pmix(String),
}

/// `played`: several nodes are one machine.
fn choose(env: &[(Word, Word)], job: &str, served: Served, played: bool) -> Vec<(String, String)> {
    let is_set = |name: &str| env.iter().any(|(n, _)| n == name.as_bytes());
    let mut own = Vec::new();
    match served {
        Served::Pmix(dir) => {
            let unset = SHARED_MEMORY.into_iter().filter(|name| !is_set(name));
            own.extend(unset.map(|name| (name.to_string(), dir.clone())));
        }
        Served::Pmi(library) => match library.and_then(|l| l.into_os_string().into_string().ok()) {
            Some(path) if !is_set(LIBRARY) => own.push((LIBRARY.to_string(), path)),
            None if !is_set(LIBRARY) => return own,
            _ => {}
        },
    }
    if !is_set(JOB) {
        own.push((JOB.to_string(), number(job).to_string()));
    }
    if played && !is_set(BTL) {
        let network_is_set = TCP_OVER.into_iter().any(is_set);
        let ours = PLAYED.iter().filter(|(name, _)| *name == BTL || !network_is_set);
        own.extend(ours.chain([&(WE_PLAY, "1")]).map(|(n, v)| (n.to_string(), v.to_string())));
    }
    own
}

/// A number for the job, different for two jobs of a user. Open MPI reads 32 bits, takes the lower half for a part of
/// the job, and loses that half's upper bit where it names peers.
fn number(job: &str) -> u32 {
    let digits = job.rsplit('_').next().unwrap_or_default();
    (u32::from_str_radix(digits, 16).unwrap_or(1) & 0x7fff_7fff).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_settings_stay() {
        let set = |names: &[&str]| names.iter().map(|n| (n.as_bytes().to_vec(), b"x".to_vec())).collect::<Vec<_>>();
        let ours = || Served::Pmi(Some(PathBuf::from("/lib/ours")));
        let names = |v: Vec<(String, String)>| v.into_iter().map(|(n, _)| n).collect::<Vec<_>>();
        assert_eq!(names(choose(&set(&[]), "j_1", ours(), false)), [LIBRARY, JOB]);
        assert_eq!(names(choose(&set(&[JOB]), "j_1", ours(), false)), [LIBRARY]);
        assert_eq!(names(choose(&set(&[LIBRARY]), "j_1", ours(), false)), [JOB]);
        assert_eq!(names(choose(&set(&[LIBRARY]), "j_1", Served::Pmi(None), false)), [JOB]);
        assert!(choose(&set(&[]), "j_1", Served::Pmi(None), true).is_empty());
        assert_eq!(names(choose(&set(&[]), "j_1", ours(), true)), [LIBRARY, JOB, BTL, TCP_OVER[0], WE_PLAY]);
        assert_eq!(names(choose(&set(&[TCP_OVER[1]]), "j_1", ours(), true)), [LIBRARY, JOB, BTL, WE_PLAY]);
        assert_eq!(names(choose(&set(&[BTL]), "j_1", ours(), true)), [LIBRARY, JOB]);
        let pmix = || Served::Pmix("/dev/shm/x".into());
        assert_eq!(names(choose(&set(&[]), "j_1", pmix(), false))[..3], SHARED_MEMORY);
        assert_eq!(names(choose(&set(&[JOB, SHARED_MEMORY[0]]), "j_1", pmix(), false)), SHARED_MEMORY[1..]);
    }

    #[test]
    fn jobs_have_numbers() {
        assert_eq!(number("oshrun_12_000000ff"), 255);
        assert_eq!(number("oshrun_12_00000000"), 1);
        assert_eq!(number("oshrun_12_ffffffff"), 0x7fff_7fff);
    }
}
