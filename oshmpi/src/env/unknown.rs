//! Environment variables that look like settings and are none: misspelled ones, and settings of other libraries.

use std::fmt::Write;

/// Variables that begin with `OSHMPI_` and are read elsewhere: by the wrappers, the build of `shmem-sys`, the race
/// detector and the tests. A name that ends with `_` stands for all names that begin with it.
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

/// A setting of another library, the library's name, and what this library has instead; empty if it has nothing.
struct Foreign {
    /// A name that ends with `_` stands for all names that begin with it.
    name: &'static str,
    library: &'static str,
    instead: &'static str,
}

const fn foreign(name: &'static str, library: &'static str, instead: &'static str) -> Foreign {
    Foreign { name, library, instead }
}

const PMODELS: &str = "pmodels' OSHMPI";
const EARLIER: &str = "earlier releases";
const SANDIA: &str = "Sandia OpenSHMEM";
const CRAY: &str = "Cray SHMEM";

/// From the documents of these libraries.
const FOREIGN: &[Foreign] = &[
    foreign("OSHMPI_VERBOSE", PMODELS, "SHMEM_INFO"),
    foreign("OSHMPI_AMO_OPS", PMODELS, "OSHMPI_TRANSPORT"),
    foreign("OSHMPI_ENABLE_ASYNC_THREAD", PMODELS, "OSHMPI_PROGRESS"),
    foreign("OSHMPI_MPI_GPU_FEATURES", PMODELS, ""),
    foreign("OSHMPI_WINDOW", EARLIER, "OSHMPI_TRANSPORT"),
    foreign("OSHMPI_WINDOW_POOL", EARLIER, ""),
    foreign("OSHMPI_ONE_SIDED", EARLIER, "OSHMPI_TRANSPORT"),
    foreign("OSHMPI_AMO", EARLIER, "OSHMPI_TRANSPORT"),
    foreign("OSHMPI_COLL", EARLIER, "OSHMPI_TRANSPORT"),
    foreign("OSHMPI_RECEIVE", EARLIER, ""),
    foreign("SHMEM_BARRIER_ALGORITHM", SANDIA, "OSHMPI_COLL_SELECT"),
    foreign("SHMEM_BCAST_ALGORITHM", SANDIA, "OSHMPI_COLL_SELECT"),
    foreign("SHMEM_REDUCE_ALGORITHM", SANDIA, "OSHMPI_COLL_SELECT"),
    foreign("SHMEM_SCAN_ALGORITHM", SANDIA, "OSHMPI_COLL_SELECT"),
    foreign("SHMEM_COLLECT_ALGORITHM", SANDIA, "OSHMPI_COLL_SELECT"),
    foreign("SHMEM_FCOLLECT_ALGORITHM", SANDIA, "OSHMPI_COLL_SELECT"),
    foreign("SHMEM_COLL_", SANDIA, "OSHMPI_COLL_SELECT"),
    foreign("SHMEM_TEAMS_MAX", SANDIA, ""),
    foreign("SHMEM_TEAM_SHARED_ONLY_SELF", SANDIA, ""),
    foreign("SHMEM_BOUNCE_SIZE", SANDIA, ""),
    foreign("SHMEM_MAX_BOUNCE_BUFFERS", SANDIA, ""),
    foreign("SHMEM_SYMMETRIC_HEAP_USE_HUGE_PAGES", SANDIA, "OSHMPI_PAGES"),
    foreign("SHMEM_SYMMETRIC_HEAP_PAGE_SIZE", SANDIA, "OSHMPI_PAGES"),
    foreign("SHMEM_SYMMETRIC_HEAP_USE_MALLOC", SANDIA, ""),
    foreign("SHMEM_DISABLE_", SANDIA, ""),
    foreign("SHMEM_CMA_", SANDIA, ""),
    foreign("SHMEM_OFI_", SANDIA, ""),
    foreign("SHMEM_UCX_", SANDIA, ""),
    foreign("SHMEM_PROGRESS_INTERVAL", SANDIA, ""),
    foreign("SHMEM_COLL_OPT_OFF", CRAY, ""),
    foreign("SHMEM_ENV_DISPLAY", CRAY, "SHMEM_INFO"),
    foreign("SHMEM_VERSION_DISPLAY", CRAY, "SHMEM_VERSION"),
    foreign("SHMEM_USE_DMAPP_COLL", CRAY, ""),
    foreign("SHMEM_SWAP_BACKOFF", CRAY, ""),
    foreign("SHMEM_MEMINFO_DISPLAY", CRAY, "SHMEM_INFO"),
    foreign("SMA_GLOBAL_EXIT_TIMEOUT", "SGI SHMEM", ""),
    foreign("SMA_SYMMETRIC_PARTITION", "SGI SHMEM", ""),
];

/// One line for each name that looks like a setting and is none, in alphabetical order. `known` are the settings.
pub(super) fn lines(names: impl Iterator<Item = String>, known: &[&'static str]) -> Vec<String> {
    let mut all: Vec<String> = names.filter_map(|name| line(&name, known)).collect();
    all.sort(); // the order of the environment has no meaning
    all
}

/// `pattern` is the name, or ends with `_` and begins it.
fn covers(pattern: &str, name: &str) -> bool {
    pattern == name || pattern.ends_with('_') && name.starts_with(pattern)
}

fn line(name: &str, known: &[&'static str]) -> Option<String> {
    let ours = name.starts_with("OSHMPI_");
    if !ours && !name.starts_with("SHMEM_") && !name.starts_with("SMA_") || known.contains(&name) {
        return None;
    }
    if ELSEWHERE.iter().any(|pattern| covers(pattern, name)) {
        return None;
    }
    if let Some(f) = FOREIGN.iter().find(|f| covers(f.name, name)) {
        let mut text = format!("{name} is a setting of {} and does nothing here", f.library);
        if !f.instead.is_empty() {
            let _ = write!(text, "; see {}", f.instead);
        }
        return Some(text);
    }
    // Up to two letters differ. SHMEM_HOME and similar variables are not settings, and differ more from every setting.
    let similar = known.iter().map(|k| (distance(k, name), k)).min().filter(|&(d, _)| d <= 2);
    match similar {
        Some((_, setting)) => Some(format!("{name} is no setting and does nothing; {setting} is one")),
        None if ours => Some(format!("{name} is no setting and does nothing; osh_info lists the settings")),
        None => None,
    }
}

/// The number of letters to add, remove or change to turn one word into the other (Levenshtein distance).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let changed = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(all(test, not(feature = "documents")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KNOWN: &[&str] = &["SHMEM_SYMMETRIC_SIZE", "OSHMPI_ROUTE", "SHMEM_DEBUG"];

    fn of(name: &str) -> Option<String> {
        line(name, KNOWN)
    }

    #[test]
    fn what_is_known_or_none_of_ours_is_let_be() {
        let others = ["PATH", "SHMEM_HOME", "SHMEM_DIR", "SMA_TEST", "OSHMPI", "SLURM_JOBID"];
        for name in others.iter().chain(KNOWN).chain(&["OSHMPI_CC", "OSHMPI_RACE_LOG", "OSHMPI_RACE"]) {
            assert_eq!(of(name), None, "{name}");
        }
    }

    #[test]
    fn misspelled_settings_are_told_the_right_name() {
        let text = "OSHMPI_ROUT is no setting and does nothing; OSHMPI_ROUTE is one";
        assert_eq!(of("OSHMPI_ROUT").unwrap(), text);
        assert!(of("SHMEM_SYMETRIC_SIZE").unwrap().ends_with("SHMEM_SYMMETRIC_SIZE is one"));
        assert!(of("OSHMPI_NOTHING_LIKE_IT").unwrap().ends_with("osh_info lists the settings"));
    }

    #[test]
    fn settings_of_other_libraries_are_told_ours() {
        assert!(
            of("SHMEM_BARRIER_ALGORITHM")
                .unwrap()
                .ends_with("of Sandia OpenSHMEM and does nothing here; see OSHMPI_COLL_SELECT")
        );
        assert!(of("OSHMPI_VERBOSE").unwrap().ends_with("see SHMEM_INFO"));
        assert_eq!(
            of("SHMEM_OFI_PROVIDER").unwrap(),
            "SHMEM_OFI_PROVIDER is a setting of Sandia OpenSHMEM and does nothing here"
        );
    }

    /// The settings that a line offers exist.
    #[test]
    fn what_is_offered_instead_is_a_setting() {
        for f in FOREIGN {
            assert!(f.instead.is_empty() || super::super::NAMES.contains(&f.instead), "{}", f.instead);
            assert!(!super::super::NAMES.contains(&f.name), "{} is read", f.name);
        }
    }

    proptest! {
        #[test]
        fn distance_is_a_metric(a in "[A-C]{0,6}", b in "[A-C]{0,6}", c in "[A-C]{0,6}") {
            prop_assert_eq!(distance(&a, &b) == 0, a == b);
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
            prop_assert!(distance(&a, &c) <= distance(&a, &b) + distance(&b, &c));
        }
    }
}
