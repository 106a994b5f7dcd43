//! The CPUs of this machine and what they share: packages, memory nodes, caches, cores.

use anyhow::{Context, Result, bail};
use nix::sched::CpuSet;
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A set of CPUs, by the kernel's numbers.
pub type CpuGroup = Vec<usize>;

/// What CPUs share, from all of them to nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, strum::EnumIter)]
pub enum Level {
    Machine,
    Package,
    Numa,
    L3,
    L2,
    L1,
    Core,
    Hwthread,
}

const LEVELS: usize = Level::Hwthread as usize + 1;

impl Level {
    /// Reads a name that one of the launchers has for it, in the singular or the plural, in any case.
    pub fn named(text: &str) -> Option<Level> {
        let text = text.to_ascii_lowercase();
        Some(match text.strip_suffix('s').unwrap_or(&text) {
            "machine" | "board" => Level::Machine,
            "package" | "socket" => Level::Package,
            "numa" | "ldom" => Level::Numa,
            "l3" | "l3cache" => Level::L3,
            "l2" | "l2cache" => Level::L2,
            "l1" | "l1cache" => Level::L1,
            "core" => Level::Core,
            "hwthread" | "thread" => Level::Hwthread,
            _ => return None,
        })
    }
}

/// CPUs in the order of hwloc's logical numbers: those that share most stand together. Each has, for each level, the
/// lowest number of a CPU that shares it.
pub struct Topology(Vec<[usize; LEVELS]>);

impl Topology {
    /// The CPUs on which this process may run.
    pub fn here() -> Result<Topology> {
        let set = nix::sched::sched_getaffinity(Pid::from_raw(0)).context("cannot tell which CPUs we may use")?;
        let allowed: CpuGroup = (0..CpuSet::count()).filter(|&c| set.is_set(c).unwrap_or(false)).collect();
        Ok(Topology::read(Path::new("/sys/devices/system"), &allowed))
    }

    /// Reads a directory like /sys/devices/system. What the kernel does not tell is taken to be like the level above,
    /// and a core to be one CPU.
    pub fn read(sys: &Path, allowed: &[usize]) -> Topology {
        let list = |file: &Path| std::fs::read_to_string(file).ok().and_then(|text| cpu_list(&text).ok());
        let numbered = |dir: &Path, prefix: &str| {
            let names = std::fs::read_dir(dir).into_iter().flatten().flatten();
            let is_one = |name: &str| name.strip_prefix(prefix).is_some_and(|n| n.parse::<u32>().is_ok());
            names.filter(|e| e.file_name().to_str().is_some_and(is_one)).map(|e| e.path()).collect::<Vec<_>>()
        };
        let nodes = numbered(&sys.join("node"), "node").into_iter().filter_map(|d| list(&d.join("cpulist")));
        let nodes: Vec<CpuGroup> = nodes.collect();
        let first_of = |group: Option<CpuGroup>, cpu: usize, otherwise: usize| match group {
            Some(group) if group.contains(&cpu) => {
                group.into_iter().filter(|c| allowed.contains(c)).min().unwrap_or(otherwise)
            }
            _ => otherwise,
        };
        let one = |&cpu: &usize| {
            let dir = sys.join(format!("cpu/cpu{cpu}"));
            let cache = |level: &str| {
                let text = |d: &Path, name: &str| std::fs::read_to_string(d.join(name)).unwrap_or_default();
                let is_it = |d: &Path| text(d, "level").trim() == level && text(d, "type").trim() != "Instruction";
                let found = numbered(&dir.join("cache"), "index").into_iter().find(|d| is_it(d));
                found.and_then(|d| list(&d.join("shared_cpu_list")))
            };
            let all = allowed.iter().copied().min().unwrap_or(cpu);
            let package = first_of(list(&dir.join("topology/core_siblings_list")), cpu, all);
            let numa = first_of(nodes.iter().find(|n| n.contains(&cpu)).cloned(), cpu, package);
            let l3 = first_of(cache("3"), cpu, numa);
            let core = first_of(list(&dir.join("topology/thread_siblings_list")), cpu, cpu);
            let l2 = first_of(cache("2"), cpu, core);
            let l1 = first_of(cache("1"), cpu, core);
            [all, package, numa, l3, l2, l1, core, cpu]
        };
        let mut cpus: Vec<[usize; LEVELS]> = allowed.iter().map(one).collect();
        cpus.sort_unstable();
        Topology(cpus)
    }

    /// The sets of CPUs that share this level, in the order of their logical numbers.
    pub fn objects(&self, level: Level) -> Vec<CpuGroup> {
        let mut found: Vec<(usize, CpuGroup)> = Vec::new();
        for cpu in &self.0 {
            let (first, number) = (cpu[level as usize], cpu[Level::Hwthread as usize]);
            match found.iter_mut().rfind(|(f, _)| *f == first) {
                Some((_, group)) => group.push(number),
                None => found.push((first, vec![number])),
            }
        }
        found.into_iter().map(|(_, group)| group).collect()
    }
}

/// Reads the kernel's notation, such as `0-3,8,10-11`.
pub fn cpu_list(text: &str) -> Result<CpuGroup> {
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
    let mut sorted = group.to_vec();
    sorted.sort_unstable();
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for cpu in sorted {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => parts.push((cpu, cpu)),
        }
    }
    let part = |&(a, b): &(usize, usize)| if a == b { a.to_string() } else { format!("{a}-{b}") };
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use std::fs;

    /// How the kernel numbers CPUs.
    #[derive(Clone, Copy)]
    pub enum Numbers {
        /// The threads of a core have neighbouring numbers.
        Neighbours,
        /// Second threads have the upper half of the numbers.
        Halves,
        /// Neighbouring numbers are in different packages.
        Interleaved,
    }

    /// A machine with packages, cores in each and threads in each. A package has a memory node, and `caches`
    /// third-level caches.
    pub fn played(packages: usize, cores: usize, threads: usize, caches: usize, numbers: Numbers) -> Topology {
        let dir = tempfile::tempdir().unwrap();
        let number = |p: usize, c: usize, t: usize| match numbers {
            Numbers::Neighbours => (p * cores + c) * threads + t,
            Numbers::Halves => (t * packages + p) * cores + c,
            Numbers::Interleaved => (t * cores + c) * packages + p,
        };
        let write = |name: String, group: &[usize]| {
            let file = dir.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, shown(group)).unwrap();
        };
        let in_package =
            |p: usize| -> CpuGroup { (0..threads).flat_map(|t| (0..cores).map(move |c| number(p, c, t))).collect() };
        for p in 0..packages {
            write(format!("node/node{p}/cpulist"), &in_package(p));
            for c in 0..cores {
                let siblings: CpuGroup = (0..threads).map(|t| number(p, c, t)).collect();
                let each = cores / caches;
                let near = (0..cores).filter(|o| o / each == c / each);
                let near: CpuGroup = near.flat_map(|o| (0..threads).map(move |t| number(p, o, t))).collect();
                for cpu in &siblings {
                    write(format!("cpu/cpu{cpu}/topology/core_siblings_list"), &in_package(p));
                    write(format!("cpu/cpu{cpu}/topology/thread_siblings_list"), &siblings);
                    write(format!("cpu/cpu{cpu}/cache/index3/level"), &[3]);
                    write(format!("cpu/cpu{cpu}/cache/index3/shared_cpu_list"), &near);
                }
            }
        }
        Topology::read(dir.path(), &(0..packages * cores * threads).collect::<Vec<_>>())
    }

    #[test]
    fn the_kernels_lists() {
        assert_eq!(cpu_list("0-2,5,7-8\n").unwrap(), [0, 1, 2, 5, 7, 8]);
        assert!(cpu_list("").unwrap().is_empty() && cpu_list("x").is_err() && cpu_list("3-1").is_err());
        assert_eq!(shown(&[1, 0, 2, 5, 7, 8]), "0-2,5,7-8");
    }

    #[test]
    fn objects_in_logical_order() {
        let smt = played(2, 2, 2, 1, Numbers::Halves);
        assert_eq!(smt.objects(Level::Core), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(smt.objects(Level::Package), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(smt.objects(Level::Machine), [[0, 4, 1, 5, 2, 6, 3, 7]]);
        assert_eq!(smt.objects(Level::L2), smt.objects(Level::Core));
        let mixed = played(2, 4, 1, 2, Numbers::Interleaved);
        assert_eq!(mixed.objects(Level::Core), [[0], [2], [4], [6], [1], [3], [5], [7]]);
        assert_eq!(mixed.objects(Level::L3), [[0, 2], [4, 6], [1, 3], [5, 7]]);
        assert_eq!(mixed.objects(Level::Numa), [[0, 2, 4, 6], [1, 3, 5, 7]]);
    }

    #[test]
    fn what_the_kernel_does_not_tell() {
        let dir = tempfile::tempdir().unwrap();
        let bare = Topology::read(dir.path(), &[1, 2]);
        assert_eq!((bare.objects(Level::Core), bare.objects(Level::Numa)), (vec![vec![1], vec![2]], vec![vec![1, 2]]));
        // CPUs that this process may not use are in no set.
        fs::create_dir_all(dir.path().join("cpu/cpu1/topology")).unwrap();
        fs::write(dir.path().join("cpu/cpu1/topology/thread_siblings_list"), "0-1").unwrap();
        assert_eq!(Topology::read(dir.path(), &[1, 2]).objects(Level::Core), [[1], [2]]);
    }
}
