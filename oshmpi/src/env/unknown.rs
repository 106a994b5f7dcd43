//! What looks like a setting and is none: variables of other libraries, names of `OSHMPI_` that nobody reads, and lines
//! of the site's file.

use super::site::Site;

/// Variables that begin with `OSHMPI_` and are read elsewhere: by the wrappers, the build of `shmem-sys`, the race
/// detector and the tests. A name that ends with `_` stands for all names that begin with it, here and below.
const ELSEWHERE: &[&str] = &[
    "OSHMPI_CC",
    "OSHMPI_CXX",
    "OSHMPI_FC",
    "OSHMPI_PREFIX",
    "OSHMPI_RACE",
    "OSHMPI_RACE_",
    "OSHMPI_CLUSTER",
    "OSHMPI_CLUSTER_",
    "OSHMPI_LIST_",
    "OSHMPI_XTASK_",
];

/// From the documents of these libraries: a library, the setting that this one has instead (empty: none), and the
/// names.
const FOREIGN: &[(&str, &str, &str)] = &[
    ("pmodels' OSHMPI", "SHMEM_INFO", "OSHMPI_VERBOSE"),
    ("pmodels' OSHMPI", "OSHMPI_TRANSPORT", "OSHMPI_AMO_OPS"),
    ("pmodels' OSHMPI", "OSHMPI_PROGRESS", "OSHMPI_ENABLE_ASYNC_THREAD"),
    ("pmodels' OSHMPI", "", "OSHMPI_MPI_GPU_FEATURES"),
    ("earlier releases", "OSHMPI_TRANSPORT", "OSHMPI_WINDOW OSHMPI_ONE_SIDED OSHMPI_AMO OSHMPI_COLL"),
    ("earlier releases", "OSHMPI_MPI", "OSHMPI_PMIX"),
    ("earlier releases", "OSHMPI_COLL_SELECT", "OSHMPI_TOPOLOGY"),
    ("earlier releases", "", "OSHMPI_WINDOW_POOL OSHMPI_RECEIVE OSHMPI_CONNECT OSHMPI_QUIET"),
    (
        "Sandia OpenSHMEM",
        "OSHMPI_COLL_SELECT",
        "SHMEM_BARRIER_ALGORITHM SHMEM_BCAST_ALGORITHM SHMEM_REDUCE_ALGORITHM SHMEM_SCAN_ALGORITHM \
         SHMEM_COLLECT_ALGORITHM SHMEM_FCOLLECT_ALGORITHM SHMEM_COLL_",
    ),
    ("Sandia OpenSHMEM", "OSHMPI_ON_ERROR", "SHMEM_TRAP_ON_ABORT SHMEM_BACKTRACE"),
    ("Sandia OpenSHMEM", "OSHMPI_PAGES", "SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES SHMEM_SYMMETRIC_HEAP_PAGE_SIZE"),
    (
        "Sandia OpenSHMEM",
        "",
        "SHMEM_TEAMS_MAX SHMEM_TEAM_SHARED_ONLY_SELF SHMEM_BOUNCE_SIZE SHMEM_MAX_BOUNCE_BUFFERS SHMEM_DISABLE_ \
         SHMEM_SYMMETRIC_HEAP_USE_MALLOC SHMEM_CMA_ SHMEM_OFI_ SHMEM_UCX_ SHMEM_PROGRESS_INTERVAL",
    ),
    ("Cray SHMEM", "OSHMPI_ON_ERROR", "SHMEM_ABORT_ON_ERROR"),
    ("Cray SHMEM", "SHMEM_INFO", "SHMEM_ENV_DISPLAY SHMEM_MEMINFO_DISPLAY"),
    ("Cray SHMEM", "SHMEM_VERSION", "SHMEM_VERSION_DISPLAY"),
    ("Cray SHMEM", "", "SHMEM_COLL_OPT_OFF SHMEM_USE_DMAPP_COLL SHMEM_SWAP_BACKOFF"),
    ("SGI SHMEM", "", "SMA_GLOBAL_EXIT_TIMEOUT SMA_SYMMETRIC_PARTITION"),
];

/// One line for each name that looks like a setting and is none, in alphabetical order. `known` are the settings.
pub(super) fn lines(names: impl Iterator<Item = String>, known: &[&str]) -> Vec<String> {
    let mut all: Vec<String> = names.filter_map(|name| line(&name, known)).collect();
    all.sort(); // the order of the environment has no meaning
    all
}

fn line(name: &str, known: &[&str]) -> Option<String> {
    if known.contains(&name) || ELSEWHERE.iter().any(|pattern| covers(pattern, name)) {
        return None;
    }
    foreign(name).or_else(|| name.starts_with("OSHMPI_").then(|| nobodys(name)))
}

/// For the setting of another library.
fn foreign(name: &str) -> Option<String> {
    let (library, instead, _) = FOREIGN.iter().find(|(.., names)| names.split(' ').any(|p| covers(p, name)))?;
    let see = if instead.is_empty() { "" } else { "; see " };
    Some(format!("{name} is a setting of {library} and does nothing here{see}{instead}"))
}

fn nobodys(name: &str) -> String {
    format!("{name} is no setting and does nothing; osh_info lists the settings")
}

fn covers(pattern: &str, name: &str) -> bool {
    pattern == name || pattern.ends_with('_') && name.starts_with(pattern)
}

/// One line for each line of the site's file that is no setting, in its order but for those that are no lines at all,
/// which come first.
pub(super) fn lines_of_site(site: &Site, known: &[&str]) -> Vec<String> {
    let others = site.lines.iter().filter(|line| !known.contains(&&*line.name));
    let unknown = others.map(|line| {
        let name = &line.name;
        site.complaint(line.number, foreign(name).unwrap_or_else(|| nobodys(name)))
    });
    site.wrong.iter().cloned().chain(unknown).collect()
}

#[cfg(all(test, not(feature = "documents")))]
mod tests {
    use super::super::NAMES;
    use super::*;

    #[test]
    fn what_does_nothing_is_named() {
        for (name, says) in [
            ("SHMEM_BARRIER_ALGORITHM", "a setting of Sandia OpenSHMEM and does nothing here; see OSHMPI_COLL_SELECT"),
            ("SHMEM_OFI_PROVIDER", "a setting of Sandia OpenSHMEM and does nothing here"),
            ("OSHMPI_VERBOSE", "a setting of pmodels' OSHMPI and does nothing here; see SHMEM_INFO"),
            ("OSHMPI_PMIX", "a setting of earlier releases and does nothing here; see OSHMPI_MPI"),
            ("OSHMPI_ROUT", "no setting and does nothing; osh_info lists the settings"),
        ] {
            assert_eq!(line(name, NAMES), Some(format!("{name} is {says}")));
        }
        let others = ["PATH", "SHMEM_HOME", "SMA_TEST", "OSHMPI", "OSHMPI_CC", "OSHMPI_RACE_LOG", "OSHMPI_RACE"];
        assert!(others.iter().chain(NAMES).all(|name| line(name, NAMES).is_none()));
    }

    /// The settings that a line offers exist.
    #[test]
    fn what_is_offered_instead_is_a_setting() {
        for (_, instead, names) in FOREIGN {
            assert!(instead.is_empty() || NAMES.contains(instead), "{instead}");
            assert!(!names.split(' ').any(|name| NAMES.contains(&name)), "{names} is read");
        }
    }
}
