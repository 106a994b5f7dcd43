//! Variables for programs of other MPIs, beside those of PMI.
//!
//! Open MPI's shared-memory transport names its files after host, job and rank on the node. Where one machine plays
//! several nodes, two ranks would write into one file. So it is told to use TCP there.

use crate::plan::{Plan, Word};
use crate::pmix::dir;
use std::ffi::OsStr;
use std::path::Path;

/// A variable of the Flux launcher. Open MPI 4 takes the number of the job from it: without one it takes each process
/// for a job of its own.
const JOB: &str = "FLUX_JOB_ID";

/// What Open MPI moves data with, and over which network; MCA parameters.
const BTL: &str = "OMPI_MCA_btl";
const TCP_OVER: [&str; 2] = ["OMPI_MCA_btl_tcp_if_include", "OMPI_MCA_btl_tcp_if_exclude"];

/// Their values where nodes are played. There may be no network but `lo`, which Open MPI would not use by default.
const PLAYED: [(&str, &str); 2] = [(BTL, "self,tcp"), (TCP_OVER[0], "lo")];

/// Directories of Open MPI's shared memory, by version and component. In the job's directory its files are removed
/// whatever is killed.
const SHARED_MEMORY: [&str; 3] =
    ["OMPI_MCA_btl_vader_backing_directory", "OMPI_MCA_btl_sm_backing_directory", "OMPI_MCA_osc_sm_backing_directory"];

/// Makes ranks that wait inside MPI let others run, as Open MPI's launcher does where there are more ranks than cores.
const YIELD: (&str, &str) = ("OMPI_MCA_mpi_yield_when_idle", "1");

/// Keeps UCX from catching SIGSEGV and the like, and printing a page about it: the line of oshrun says which rank was
/// ended by which signal.
const NO_HANDLER: (&str, &str) = ("UCX_HANDLE_ERRORS", "none");

/// By which of several that are served MPICH 5 does its process management. It ends where it is not told.
const BY_PMI_1: (&str, &str) = ("MPIR_CVAR_PMI_VERSION", "1");

/// Marks that oshrun has set these variables. Its name begins with OSHRUN_, so no inner job gets it.
const WE_PLAY: &str = "OSHRUN_PLAYS_NODES";

/// Whether a variable in oshrun's environment was made for an outer job. This is always assumed of the job's number:
/// two jobs inside one must differ, whoever has started the outer job.
pub fn is_of_outer(name: &str, value: &OsStr) -> bool {
    let played = || std::env::var_os(WE_PLAY).is_some();
    let in_a_job = || value.to_string_lossy().contains(dir::PREFIX);
    name == JOB
        || SHARED_MEMORY.contains(&name) && in_a_job()
        || PLAYED.iter().any(|&(n, v)| n == name && v == value) && played()
}

/// The variables, unless the user has set them.
///
/// `dir`: the job's directory, where ranks use PMIx. `crowded`: there are more ranks than cores.
pub fn variables(plan: &Plan, dir: Option<&Path>, crowded: bool) -> Vec<(String, String)> {
    let by_pmix = |dir: &Path| choose(&plan.env, &plan.job, &dir.to_string_lossy(), plan.local && plan.nodes() > 1);
    let mut own = dir.map(by_pmix).unwrap_or_default();
    let wanted = [(NO_HANDLER, true), (YIELD, crowded), (BY_PMI_1, dir.is_some())]
        .into_iter()
        .filter_map(|(variable, wanted)| wanted.then_some(variable));
    let unset = wanted.filter(|(name, _)| !plan.env.iter().any(|(n, _)| n == name.as_bytes()));
    own.extend(unset.map(|(name, value)| (name.to_string(), value.to_string())));
    own
}

/// Those of Open MPI over PMIx. `played`: several nodes are one machine.
fn choose(env: &[(Word, Word)], job: &str, dir: &str, played: bool) -> Vec<(String, String)> {
    let is_set = |name: &str| env.iter().any(|(n, _)| n == name.as_bytes());
    let unset = SHARED_MEMORY.into_iter().filter(|name| !is_set(name));
    let mut own: Vec<_> = unset.map(|name| (name.to_string(), dir.to_string())).collect();
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
        let names = |of: &[&str], played| {
            let all = choose(&set(of), "j_1", "/dev/shm/x", played);
            all.into_iter().map(|(n, _)| n).collect::<Vec<_>>()
        };
        assert_eq!(names(&[], false), [&SHARED_MEMORY[..], &[JOB]].concat());
        assert_eq!(names(&[JOB, SHARED_MEMORY[0]], false), SHARED_MEMORY[1..]);
        assert_eq!(names(&[], true)[3..], [JOB, BTL, TCP_OVER[0], WE_PLAY]);
        assert_eq!(names(&[TCP_OVER[1]], true)[3..], [JOB, BTL, WE_PLAY]);
        assert_eq!(names(&[BTL], true)[3..], [JOB]);
    }

    #[test]
    fn jobs_have_numbers() {
        assert_eq!(number("oshrun_12_000000ff"), 255);
        assert_eq!(number("oshrun_12_00000000"), 1);
        assert_eq!(number("oshrun_12_ffffffff"), 0x7fff_7fff);
    }
}
