//! The cores to which ranks are bound.

use crate::cli::Bind;
use crate::plan::Plan;
use anyhow::{Context, Result, anyhow, bail};
use nix::sched::CpuSet;
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::path::Path;

/// CPUs to which a rank is bound: the hardware threads of one or more cores, or the CPUs of a memory node.
type CpuGroup = Vec<usize>;

/// The groups of this machine's CPUs that this process may use, for one rank each; none for [`Bind::None`]. `cpus` is
/// the least number of CPUs of a rank that is bound to cores.
pub fn groups(what: Bind, cpus: u32) -> Result<Vec<CpuGroup>> {
    let sys = Path::new("/sys/devices/system");
    match what {
        Bind::None => Ok(Vec::new()),
        Bind::Core => Ok(joined(cores(sys, &allowed()?), cpus as usize)),
        Bind::Numa => Ok(memory_nodes(sys, &allowed()?)),
    }
}

/// Joins neighbouring cores until each group has at least `cpus` CPUs. Cores left over at the end stay unused, unless
/// there is no complete group.
fn joined(cores: Vec<CpuGroup>, cpus: usize) -> Vec<CpuGroup> {
    let mut groups: Vec<CpuGroup> = Vec::new();
    for core in cores {
        match groups.last_mut() {
            Some(last) if last.len() < cpus => last.extend(core),
            _ => groups.push(core),
        }
    }
    if groups.len() > 1 && groups.last().is_some_and(|p| p.len() < cpus) {
        groups.pop();
    }
    groups
}

/// The index of a rank among those that share a machine's CPUs. `place`: that among the ranks of its node. A machine
/// that plays several nodes has all ranks.
pub fn index(plan: &Plan, rank: u32, place: usize) -> usize {
    if plan.fake { rank as usize } else { place }
}

/// The CPUs of the rank with this index. With more ranks than groups the first groups are used again.
pub fn set(groups: &[CpuGroup], index: usize) -> Result<Option<CpuSet>> {
    let Some(group) = groups.get(index % groups.len().max(1)) else { return Ok(None) };
    let mut set = CpuSet::new();
    for &cpu in group {
        set.set(cpu).map_err(|_| anyhow!("CPU {cpu} is beyond what can be bound to"))?;
    }
    Ok(Some(set))
}

/// The CPUs on which this process may run.
fn allowed() -> Result<Vec<usize>> {
    let set = nix::sched::sched_getaffinity(Pid::from_raw(0)).context("cannot tell which CPUs we may use")?;
    Ok((0..CpuSet::count()).filter(|&c| set.is_set(c).unwrap_or(false)).collect())
}

/// The cores. The kernel lists the hardware threads of a core in `thread_siblings_list`; without it each CPU is a core.
fn cores(sys: &Path, allowed: &[usize]) -> Vec<CpuGroup> {
    let mut cores: BTreeMap<usize, CpuGroup> = BTreeMap::new();
    for &cpu in allowed {
        let file = sys.join(format!("cpu/cpu{cpu}/topology/thread_siblings_list"));
        let siblings = std::fs::read_to_string(file).ok().and_then(|t| cpu_list(&t).ok());
        let first = siblings.and_then(|s| s.first().copied()).unwrap_or(cpu);
        cores.entry(first).or_default().push(cpu);
    }
    cores.into_values().collect()
}

/// The CPUs of each memory node that has CPUs; without memory nodes one group of all CPUs.
fn memory_nodes(sys: &Path, allowed: &[usize]) -> Vec<CpuGroup> {
    let mut nodes = BTreeMap::new();
    for entry in std::fs::read_dir(sys.join("node")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(n) = name.to_str().and_then(|n| n.strip_prefix("node")?.parse::<usize>().ok()) else { continue };
        let text = std::fs::read_to_string(entry.path().join("cpulist")).unwrap_or_default();
        let cpus: CpuGroup = cpu_list(&text).unwrap_or_default().into_iter().filter(|c| allowed.contains(c)).collect();
        if !cpus.is_empty() {
            nodes.insert(n, cpus);
        }
    }
    if nodes.is_empty() { vec![allowed.to_vec()] } else { nodes.into_values().collect() }
}

/// Reads the kernel's notation, such as `0-3,8,10-11`.
fn cpu_list(text: &str) -> Result<CpuGroup> {
    let mut cpus = Vec::new();
    for range in text.trim().split(',').filter(|r| !r.is_empty()) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse()?, last.parse()?);
        if last < first || last > 1 << 20 {
            bail!("\"{range}\" is no range of CPUs");
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}

/// The CPUs in the kernel's notation, such as `0-1,4`.
pub fn shown(group: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &cpu in group {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let part = |&(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_kernels_lists() {
        assert_eq!(cpu_list("0-2,5,7-8\n").unwrap(), [0, 1, 2, 5, 7, 8]);
        assert!(cpu_list("").unwrap().is_empty() && cpu_list("x").is_err() && cpu_list("3-1").is_err());
        assert_eq!(shown(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
    }

    #[test]
    fn cores_and_memory_nodes_of_a_made_up_machine() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = dir.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        for (cpu, siblings) in [(0, "0,4"), (1, "1,5"), (4, "0,4"), (5, "1,5")] {
            write(&format!("cpu/cpu{cpu}/topology/thread_siblings_list"), siblings);
        }
        write("node/node0/cpulist", "0,4\n");
        write("node/node1/cpulist", "1,5\n");
        write("node/node2/cpulist", "\n");
        assert_eq!(cores(dir.path(), &[0, 1, 4, 5]), [[0, 4], [1, 5]]);
        assert_eq!(cores(dir.path(), &[1, 4, 5]), [vec![4], vec![1, 5]]);
        assert_eq!(memory_nodes(dir.path(), &[0, 1, 4, 5]), [[0, 4], [1, 5]]);
        assert_eq!(memory_nodes(&dir.path().join("none"), &[0, 1]), [[0, 1]]);
    }

    #[test]
    fn a_rank_with_several_cpus_has_several_cores() {
        let cores = || vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7], vec![8]];
        assert_eq!(joined(cores(), 1), cores());
        assert_eq!(joined(cores(), 2), cores()[..4]);
        assert_eq!(joined(cores(), 3), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(joined(cores(), 100), [[0, 4, 1, 5, 2, 6, 3, 7, 8]]);
        assert!(joined(Vec::new(), 2).is_empty());
    }

    #[test]
    fn groups_are_dealt_in_turn() {
        let groups = [vec![0], vec![1]];
        let set = set(&groups, 3).unwrap().unwrap();
        assert!(set.is_set(1).unwrap() && !set.is_set(0).unwrap());
        assert!(super::set(&[], 3).unwrap().is_none());
    }
}
