//! Which cores a rank is kept to.

use crate::cli::Bind;
use anyhow::{Context, Result, anyhow, bail};
use nix::sched::CpuSet;
use nix::unistd::Pid;
use std::collections::BTreeMap;
use std::path::Path;

/// CPUs that belong together: the hardware threads of a core, or the CPUs of a memory node.
type Place = Vec<usize>;

/// The places of this machine that we may use, one rank each in turn; empty for [`Bind::None`].
pub fn places(what: Bind) -> Result<Vec<Place>> {
    let sys = Path::new("/sys/devices/system");
    match what {
        Bind::None => Ok(Vec::new()),
        Bind::Core => Ok(cores(sys, &allowed()?)),
        Bind::Numa => Ok(memory_nodes(sys, &allowed()?)),
    }
}

/// The set for the `index`-th rank of the node: places are dealt out in order, again from the first when there are more
/// ranks than places.
pub fn set(places: &[Place], index: usize) -> Result<Option<CpuSet>> {
    let Some(place) = places.get(index % places.len().max(1)) else { return Ok(None) };
    let mut set = CpuSet::new();
    for &cpu in place {
        set.set(cpu).map_err(|_| anyhow!("CPU {cpu} is beyond what can be bound to"))?;
    }
    Ok(Some(set))
}

/// The CPUs this process may run on.
fn allowed() -> Result<Vec<usize>> {
    let set = nix::sched::sched_getaffinity(Pid::from_raw(0)).context("cannot tell which CPUs we may use")?;
    Ok((0..CpuSet::count()).filter(|&c| set.is_set(c).unwrap_or(false)).collect())
}

/// Hardware threads of one core stand in `thread_siblings_list`; without it each CPU is a core.
fn cores(sys: &Path, allowed: &[usize]) -> Vec<Place> {
    let mut cores: BTreeMap<usize, Place> = BTreeMap::new();
    for &cpu in allowed {
        let file = sys.join(format!("cpu/cpu{cpu}/topology/thread_siblings_list"));
        let siblings = std::fs::read_to_string(file).ok().and_then(|t| cpu_list(&t).ok());
        let first = siblings.and_then(|s| s.first().copied()).unwrap_or(cpu);
        cores.entry(first).or_default().push(cpu);
    }
    cores.into_values().collect()
}

/// The CPUs of each memory node that has any; without such nodes all CPUs are one.
fn memory_nodes(sys: &Path, allowed: &[usize]) -> Vec<Place> {
    let mut nodes = BTreeMap::new();
    for entry in std::fs::read_dir(sys.join("node")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(n) = name.to_str().and_then(|n| n.strip_prefix("node")?.parse::<usize>().ok()) else { continue };
        let text = std::fs::read_to_string(entry.path().join("cpulist")).unwrap_or_default();
        let cpus: Place = cpu_list(&text).unwrap_or_default().into_iter().filter(|c| allowed.contains(c)).collect();
        if !cpus.is_empty() {
            nodes.insert(n, cpus);
        }
    }
    if nodes.is_empty() { vec![allowed.to_vec()] } else { nodes.into_values().collect() }
}

/// `0-3,8,10-11`, as the kernel writes it.
fn cpu_list(text: &str) -> Result<Place> {
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

/// A place for people: `0-1,4`.
pub fn shown(place: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for &cpu in place {
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
    fn places_are_dealt_in_turn() {
        let places = [vec![0], vec![1]];
        let set = set(&places, 3).unwrap().unwrap();
        assert!(set.is_set(1).unwrap() && !set.is_set(0).unwrap());
        assert!(super::set(&[], 3).unwrap().is_none());
    }
}
