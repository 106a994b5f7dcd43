//! NUMA nodes: which memory is that of some CPUs. A kernel without NUMA has none of these calls, and one node.

use super::sched::CpuSet;
use std::io;
use std::path::Path;

/// Words of the kernel's sets of NUMA nodes. It has at most 1024 nodes.
const WORDS: usize = 16;
const BITS: usize = WORDS * 64;

type Nodes = [libc::c_ulong; WORDS];

/// The NUMA node whose CPUs include all of these. None: there is one node only, the CPUs belong to several nodes, or
/// the user has chosen a policy (`numactl`) for this process, which stays in force.
pub(crate) fn node_of(cpus: &CpuSet) -> Option<usize> {
    let nodes = allowed().ok()?;
    if nodes.len() < 2 || policy(0, 0).ok()?.0 != libc::MPOL_DEFAULT {
        return None;
    }
    of_cpus(Path::new("/sys/devices/system/node"), nodes.into_iter(), cpus)
}

fn of_cpus(dir: &Path, mut nodes: impl Iterator<Item = usize>, cpus: &CpuSet) -> Option<usize> {
    nodes.find(|node| {
        let list = std::fs::read_to_string(dir.join(format!("node{node}/cpulist"))).unwrap_or_default();
        CpuSet::parse(list.trim()).is_some_and(|all| all.union(cpus) == all)
    })
}

/// The nodes of whose memory this process may have some: at least one.
pub(crate) fn allowed() -> io::Result<Vec<usize>> {
    let nodes = one_without_numa(allowed_nodes(), first_node())?;
    Ok((0..BITS).filter(|node| nodes[node / 64] >> (node % 64) & 1 == 1).collect())
}

fn allowed_nodes() -> io::Result<Nodes> {
    const MPOL_F_MEMS_ALLOWED: libc::c_ulong = 1 << 2;
    Ok(policy(MPOL_F_MEMS_ALLOWED, 0)?.1)
}

/// Lets pages of a range come from the memory of a NUMA node, as long as it has some. The range is mapped shared, and
/// the kernel keeps the preference with the file. So it holds whichever process writes a page first.
pub(crate) fn prefer(at: usize, len: usize, node: usize) -> io::Result<()> {
    let mut nodes: Nodes = [0; WORDS];
    nodes[node / 64] = 1 << (node % 64);
    set_policy(at, len, libc::MPOL_PREFERRED, &nodes)
}

/// Lets pages of a range come from all allowed nodes in turn. Otherwise as [`prefer`].
pub(crate) fn interleave(at: usize, len: usize) -> io::Result<()> {
    set_policy(at, len, libc::MPOL_INTERLEAVE, &one_without_numa(allowed_nodes(), first_node())?)
}

fn set_policy(at: usize, len: usize, mode: libc::c_int, nodes: &Nodes) -> io::Result<()> {
    // SAFETY: the kernel reads the set. A policy changes no content of any mapping.
    let rc = unsafe { libc::syscall(libc::SYS_mbind, at, len, mode, nodes.as_ptr(), BITS + 1, 0) };
    let done = if rc == 0 { Ok(()) } else { Err(io::Error::last_os_error()) };
    one_without_numa(done, ())
}

fn first_node() -> Nodes {
    std::array::from_fn(|word| (word == 0).into())
}

/// What a call gives, or what holds where all memory is that of one node: in a kernel that does not know the call.
fn one_without_numa<T>(given: io::Result<T>, one: T) -> io::Result<T> {
    given.or_else(|e| if e.raw_os_error() == Some(libc::ENOSYS) { Ok(one) } else { Err(e) })
}

/// The policy that `flags` ask for (with `MPOL_F_ADDR` that of the page at `at`), and its nodes.
fn policy(flags: libc::c_ulong, at: usize) -> io::Result<(libc::c_int, Nodes)> {
    let (mut mode, mut nodes): (libc::c_int, Nodes) = (0, [0; WORDS]);
    // SAFETY: the kernel writes the mode and so many bits of the set.
    let rc = unsafe { libc::syscall(libc::SYS_get_mempolicy, &raw mut mode, nodes.as_mut_ptr(), BITS + 1, at, flags) };
    if rc == 0 { Ok((mode, nodes)) } else { Err(io::Error::last_os_error()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::{map, memfd};
    use std::os::fd::AsFd;

    #[test]
    fn cpus_of_one_node_are_told() {
        let dir = std::env::temp_dir().join(format!("oshmpi-numa-{}", std::process::id()));
        for (node, list) in [(0, "0-3,8-11\n"), (1, "4-7,12-15\n"), (2, "\n")] {
            let dir = dir.join(format!("node{node}"));
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(dir.join("cpulist"), list).unwrap();
        }
        let node = |list: &str| of_cpus(&dir, 0..3, &CpuSet::parse(list).unwrap());
        let found = ["1,9", "4-5", "3-4", "16"].map(node);
        std::fs::remove_dir_all(&dir).unwrap();
        assert_eq!(found, [Some(0), Some(1), None, None]);
    }

    #[test]
    fn a_kernel_without_numa_has_one_node() {
        let refused = |code| one_without_numa(Err(io::Error::from_raw_os_error(code)), first_node());
        assert_eq!(refused(libc::ENOSYS).unwrap()[..2], [1, 0]);
        assert_eq!(refused(libc::EPERM).unwrap_err().raw_os_error(), Some(libc::EPERM));
    }

    /// A second mapping of the file has the policies that were set through the first one.
    #[test]
    fn a_preference_is_kept_with_the_file() {
        const MPOL_F_ADDR: libc::c_ulong = 1 << 1;
        let page = map::page();
        let memory = memfd::create().unwrap().fd;
        memfd::resize(&memory, 4 * page as u64).unwrap();
        let views = [0; 2].map(|_| map::shared(memory.as_fd(), 0, 4 * page).unwrap());
        let preferred = prefer(views[0] + page, page, 0).and_then(|()| interleave(views[0] + 2 * page, page));
        let modes = [0, 1, 2, 3].map(|i| policy(MPOL_F_ADDR, views[1] + i * page).map(|found| found.0));
        for view in views {
            // SAFETY: mapped above, and nothing uses it any more.
            unsafe { map::unmap(view, 4 * page) };
        }
        // A kernel without NUMA, or a filter of system calls, has neither call.
        if let (Ok(()), [Ok(first), Ok(second), Ok(third), Ok(last)]) = (preferred, modes) {
            let (usual, preferred, interleaved) = (libc::MPOL_DEFAULT, libc::MPOL_PREFERRED, libc::MPOL_INTERLEAVE);
            assert_eq!([first, second, third, last], [usual, preferred, interleaved, usual]);
        }
    }
}
