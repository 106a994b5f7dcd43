//! Reserved huge pages: those that the administrator has set aside, and nameless files of them.

use super::{few_words, map, memfd};
use nix::sys::memfd::{MFdFlags, memfd_create};
use pmi_shm::fd;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// Bytes of the huge pages that are used. Slots of the node's memory start at multiples of this. Files of larger pages
/// (1 GiB) would have to be mapped at multiples of those.
pub(crate) const SIZE: usize = 2 << 20;

/// The directory in which the kernel tells of its huge pages of [`SIZE`] bytes.
const POOL: &str = "/sys/kernel/mm/hugepages/hugepages-2048kB";

/// Which huge pages a file may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum From {
    Free,
    /// Also those that the kernel then makes of normal memory (vm.nr_overcommit_hugepages).
    Anywhere,
}

/// Why there is no file of huge pages.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Lack {
    /// The system has fewer pages that are free.
    #[error(
        "{0} of {wanted} huge pages of 2 MiB are missing on this host; as root: sysctl -w vm.nr_hugepages={1}",
        wanted.saturating_sub(*free), count(Path::new(POOL), "nr_hugepages") + wanted.saturating_sub(*free)
    )]
    Pages { wanted: usize, free: usize },
    #[error("the control group may use {limit} of {wanted} huge pages of 2 MiB (hugetlb.2MB.max)")]
    Group { wanted: usize, limit: usize },
    #[error("the kernel has no file of huge pages: {0}")]
    Refused(io::Error),
}

/// Makes a nameless file of `pages` huge pages, all of which are promised to it: nobody else gets them, and they are
/// taken from the system when they are first written or committed.
pub(crate) fn file(pages: usize, from: From) -> Result<OwnedFd, Lack> {
    let free = free(Path::new(POOL));
    let lack = Lack::Pages { wanted: pages, free };
    if from == From::Free && free < pages {
        return Err(lack);
    }
    if let Some(limit) = group_limit()
        && limit < pages
    {
        return Err(Lack::Group { wanted: pages, limit });
    }
    let flags = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_HUGETLB | MFdFlags::MFD_HUGE_2MB | MFdFlags::MFD_ALLOW_SEALING;
    let made = memfd_create(c"oshmpi-heaps", flags).map_err(io::Error::from).and_then(fd::off_stdio);
    let made = made.map_err(Lack::Refused)?;
    let len = pages * SIZE;
    memfd::resize(&made, len as u64).map_err(Lack::Refused)?;
    memfd::seal_size(&made);
    match map::promise(made.as_fd(), len) {
        Ok(()) => Ok(made),
        Err(e) if e.raw_os_error() == Some(libc::ENOMEM) => Err(lack),
        Err(e) => Err(Lack::Refused(e)),
    }
}

/// The number of huge pages that are neither used nor promised.
fn free(pool: &Path) -> usize {
    match count(pool, "free_hugepages") {
        0 => 0, // the usual system: no second file is read
        free => free.saturating_sub(count(pool, "resv_hugepages")),
    }
}

fn count(pool: &Path, name: &str) -> usize {
    few_words(pool.join(name)).ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// How many huge pages the control group of this process may use; None without a limit. Container runtimes set 0 for
/// containers that have not asked for huge pages, and a page beyond the limit would end a PE by SIGBUS.
fn group_limit() -> Option<usize> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let read = |path: &Path| std::fs::read_to_string(Path::new("/sys/fs/cgroup").join(path)).ok();
    limit_of(&groups, read)
}

/// The smallest limit of the groups in the text of /proc/self/cgroup and of those above them, in pages. `read` gives
/// the text of a file below the directory of all groups.
fn limit_of(groups: &str, read: impl Fn(&Path) -> Option<String>) -> Option<usize> {
    let files = groups.lines().filter_map(|line| {
        let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
        let path = path.strip_prefix('/')?;
        match controllers {
            "" => Some((PathBuf::new(), path, "hugetlb.2MB.max")),
            _ => controllers
                .split(',')
                .any(|name| name == "hugetlb")
                .then(|| (PathBuf::from("hugetlb"), path, "hugetlb.2MB.limit_in_bytes")),
        }
    });
    let limits = files.flat_map(|(dir, path, name)| {
        let groups = Path::new(path).ancestors().map(|group| dir.join(group).join(name)).collect::<Vec<_>>();
        groups.into_iter().filter_map(|file| read(&file)?.trim().parse::<usize>().ok())
    });
    limits.min().map(|bytes| bytes / SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promised_pages_are_not_free() {
        let dir = std::env::temp_dir().join(format!("oshmpi-huge-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        for (name, number) in [("free_hugepages", "7\n"), ("resv_hugepages", "3\n")] {
            std::fs::write(dir.join(name), number).unwrap();
        }
        let found = free(&dir);
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!((found, free(Path::new("/nowhere"))), (4, 0));
    }

    #[test]
    fn the_smallest_limit_of_a_group_and_those_above_counts() {
        let files = |limits: &'static [(&str, &str)]| {
            move |path: &Path| {
                limits.iter().find(|(file, _)| Path::new(file) == path).map(|(_, text)| (*text).to_owned())
            }
        };
        let two = &[("a/b/hugetlb.2MB.max", "max\n"), ("a/hugetlb.2MB.max", "8388608\n"), ("hugetlb.2MB.max", "0\n")];
        assert_eq!(limit_of("0::/a/b\n", files(&two[..2])), Some(4));
        assert_eq!(limit_of("0::/a/b\n", files(two)), Some(0), "the topmost that a container sees");
        assert_eq!(limit_of("0::/c\n", files(&two[..2])), None);
        let one = &[("hugetlb/job/hugetlb.2MB.limit_in_bytes", "2097152\n")];
        assert_eq!(limit_of("4:cpu:/x\n3:hugetlb:/job\n0::/\n", files(one)), Some(1));
    }

    #[test]
    fn what_is_missing_is_told() {
        let text = Lack::Pages { wanted: 512, free: 100 }.to_string();
        assert!(text.starts_with("412 of 512 huge pages of 2 MiB are missing"), "{text}");
        let enough = text.split_once("sysctl -w vm.nr_hugepages=").unwrap().1;
        assert!(enough.parse::<usize>().unwrap() >= 412, "{text}");
    }
}
