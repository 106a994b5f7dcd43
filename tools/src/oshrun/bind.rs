//! Where on its machine a rank runs: the place that it is mapped to, and the CPUs to which it is bound.
//!
//! The words are those of Hydra and PRRTE. The ranks of a node are dealt to places of one level (`--map-by`), one to
//! each place in turn, or some to each (`ppr:N:PLACE`). A rank is bound to its place, to a part of it or to what
//! surrounds it (`--bind-to`).

use crate::cli::Job;
use crate::cli::place::RankBy;
use crate::plan::{Layout, Plan, Slots};
use crate::topology::{CpuGroup, Level, Topology, shown};
use anyhow::{Result, anyhow, bail};
use nix::sched::CpuSet;

/// What the options ask for; `None`: ranks are not bound. `of_slurm`: the CPUs of a task in Slurm's allocation.
pub fn layout(o: &Job, of_slurm: Option<u32>) -> Result<Option<Layout>> {
    let map = o.map_by.unwrap_or_default();
    let fill = match o.rank_by {
        RankBy::Place(level) if map.level != Some(level) => {
            bail!("--rank-by is slot, node or fill, or the place of --map-by, which is the order of slot")
        }
        by => by == RankBy::Fill,
    };
    let units = o.cpus_per_rank.or(map.units);
    let smallest = if map.threads { Level::Hwthread } else { Level::Core };
    let to = match o.bind_to {
        Some(bind) => bind.level,
        None if units.is_some() || o.cpus_per_task.is_some() => Some(smallest),
        None => map.level,
    };
    let Some(to) = to else { return Ok(None) };
    let units = units.or(o.bind_to.map(|bind| bind.units)).unwrap_or(1);
    let cpus = o.cpus_per_task.or(of_slurm).unwrap_or(1);
    let each = map.each.filter(|_| map.level.is_some());
    let by = match o.map_by {
        // As with Hydra: each of what ranks are bound to gets one.
        None => to,
        // As with PRRTE: a slot is a core, and what surrounds it gets as many ranks as it has cores.
        Some(map) => map.level.unwrap_or(to.max(Level::Core)),
    };
    let places = if each.is_some() { Some(Topology::here()?.objects(by).len()) } else { None };
    Ok(Some(Layout { by, each, to, units, cpus, fill, places }))
}

/// The number of ranks of each host, if the options tell it. Places are counted on this machine.
pub fn ranks_per_host(o: &Job) -> Result<Option<u32>> {
    match o.map_by.and_then(|map| Some((map.each?, map.level))) {
        Some(_) if o.ppn.is_some() => {
            bail!("-ppn and --map-by ppr:N:PLACE both tell how many ranks a host has: say one")
        }
        Some((each, Some(level))) => Ok(Some(each.saturating_mul(Topology::here()?.objects(level).len() as u32))),
        Some((each, None)) => Ok(Some(each)),
        None => Ok(o.ppn),
    }
}

/// The CPUs of each rank of a node, in order; `None`: it is not bound.
pub fn groups(plan: &Plan, ranks: &[u32]) -> Result<Vec<Option<CpuGroup>>> {
    if let Some(listed) = &plan.listed {
        let topology = Topology::here()?;
        return ranks.iter().map(|&rank| chosen(&topology, rank, &listed[rank as usize]).map(Some)).collect();
    }
    let Some(layout) = &plan.layout else { return Ok(vec![None; ranks.len()]) };
    // A machine that plays several nodes has all their ranks on its cores.
    let all = if plan.fake { plan.size() as usize } else { ranks.len() };
    let dealt = deal(&Topology::here()?, layout, all)?;
    let index = |(place, &rank): (usize, &u32)| if plan.fake { rank as usize } else { place };
    Ok(ranks.iter().enumerate().map(index).map(|i| Some(dealt[i].clone())).collect())
}

/// The CPUs of `count` ranks. With more ranks than places or CPUs, the first are used again.
pub fn deal(topology: &Topology, layout: &Layout, count: usize) -> Result<Vec<CpuGroup>> {
    let &Layout { by, to, units, cpus, .. } = layout;
    let width = |sets| joined(sets, units as usize, cpus as usize);
    let sets = topology.objects(to);
    let inside = |place: &CpuGroup| -> Vec<CpuGroup> {
        sets.iter().filter(|set| set.iter().any(|cpu| place.contains(cpu))).cloned().collect()
    };
    // For each place the sets of CPUs that its ranks take in turn.
    let places: Vec<Vec<CpuGroup>> = match by < to {
        true => topology.objects(by).iter().map(|place| width(inside(place))).collect(),
        // Several small places may be one rank's.
        false => width(topology.objects(by)).iter().map(|place| vec![inside(place).concat()]).collect(),
    };
    if let Some(expected) = layout.places.filter(|&n| n != places.len()) {
        bail!(
            "this machine has {} sets of CPUs to map ranks to, and that of oshrun has {expected}; -ppn N tells a \
             number for every host",
            places.len()
        );
    }
    // The place of each rank, and how many ranks it has before.
    let n = places.len();
    let turn = |i: usize| match layout.each.map(|each| each as usize) {
        Some(each) => (i / each % n, i % each + i / (each * n) * each),
        None => (i % n, i / n),
    };
    let mut turns: Vec<(usize, usize)> = (0..count).map(turn).collect();
    if layout.fill {
        turns.sort_unstable();
    }
    Ok(turns.into_iter().map(|(place, k)| places[place][k % places[place].len()].clone()).collect())
}

/// Joins neighbouring sets until each group has at least `units` of them and `cpus` CPUs. Sets left over at the end
/// stay unused, unless there is no complete group.
fn joined(sets: Vec<CpuGroup>, units: usize, cpus: usize) -> Vec<CpuGroup> {
    let mut groups: Vec<(usize, CpuGroup)> = Vec::new();
    let is_short = |(n, group): &(usize, CpuGroup)| *n < units || group.len() < cpus;
    for set in sets {
        match groups.last_mut() {
            Some(last) if is_short(last) => {
                last.0 += 1;
                last.1.extend(set);
            }
            _ => groups.push((1, set)),
        }
    }
    if groups.len() > 1 && groups.last().is_some_and(is_short) {
        groups.pop();
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// The CPUs that the user has chosen for a rank.
fn chosen(topology: &Topology, rank: u32, slots: &Slots) -> Result<CpuGroup> {
    let mut cores = topology.objects(Level::Core);
    if let Some(package) = slots.package {
        let packages = topology.objects(Level::Package);
        let Some(group) = packages.get(package) else {
            bail!("the rank file binds rank {rank} to package {package}, and this machine has {}", packages.len());
        };
        cores.retain(|core| group.contains(&core[0]));
    }
    let one = |&core: &usize| match cores.get(core) {
        Some(cpus) => Ok(cpus.clone()),
        None => Err(anyhow!("the rank file binds rank {rank} to core {core}, and there are {} cores", cores.len())),
    };
    Ok(slots.cores.iter().map(one).collect::<Result<Vec<_>>>()?.concat())
}

/// A group in the form of the system call.
pub fn set(group: &[usize]) -> Result<CpuSet> {
    let mut set = CpuSet::new();
    for &cpu in group {
        set.set(cpu).map_err(|_| anyhow!("CPU {cpu} is beyond what can be bound to"))?;
    }
    Ok(set)
}

/// The lines of `--report-bindings` for the ranks of a node.
pub fn report(plan: &Plan, node: u32, ranks: &[u32], groups: &[Option<CpuGroup>]) -> String {
    let line = |(rank, group): (&u32, &Option<CpuGroup>)| {
        let where_to = group.as_ref().map_or("not bound".into(), |cpus| format!("bound to CPU {}", shown(cpus)));
        format!("oshrun: {}\n", plan.located(node, &format!("rank {rank} is {where_to}")))
    };
    ranks.iter().zip(groups).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::tests::plan;
    use crate::topology::tests::{Numbers, played};

    /// The CPUs of `count` ranks for these options.
    fn placed(topology: &Topology, options: &str, count: usize) -> Vec<String> {
        let layout = plan(&format!("-n {count} {options} x")).unwrap().layout.unwrap();
        let layout = Layout { places: None, ..layout };
        deal(topology, &layout, count).unwrap().iter().map(|g| shown(g)).collect()
    }

    #[test]
    fn a_rank_with_several_cpus_has_several_cores() {
        let cores = || vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7], vec![8]];
        assert_eq!(joined(cores(), 1, 1), cores());
        assert_eq!(joined(cores(), 1, 2), cores()[..4]);
        assert_eq!(joined(cores(), 1, 3), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(joined(cores(), 2, 1), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(joined(cores(), 1, 100), [[0, 4, 1, 5, 2, 6, 3, 7, 8]]);
        assert!(joined(Vec::new(), 1, 2).is_empty());
    }

    #[test]
    fn a_rank_file_names_cores() {
        let machine = played(2, 2, 2, 1, Numbers::Interleaved);
        let of = |package, cores: &[usize]| chosen(&machine, 3, &Slots { package, cores: cores.to_vec() });
        assert_eq!(shown(&of(None, &[0, 2]).unwrap()), "0-1,4-5");
        assert_eq!(shown(&of(Some(1), &[1]).unwrap()), "3,7");
        assert!(of(Some(2), &[0]).unwrap_err().to_string().contains("package 2, and this machine has 2"));
        assert!(of(Some(1), &[2]).unwrap_err().to_string().contains("core 2, and there are 2"));
    }

    /// The CPUs of each rank as Hydra (MPICH 4.0) and PRRTE 3 (Open MPI 5.0) gave them for their words for the same, on
    /// hwloc's synthetic machines of the same shape, and Open MPI 4.1 (`HWLOC_XMLFILE`, `--display-devel-map`). PRRTE
    /// numbers the ranks of a host as `--rank-by fill`, where they are mapped to places larger than a core; Hydra and
    /// Open MPI 4 deal them in turn. Open MPI 4 deals the ranks of `--map-by slot --bind-to package` in turn too.
    #[test]
    fn ranks_are_where_other_launchers_put_them() {
        let machines = [(1, 4, 1, 1), (2, 4, 2, 1), (4, 4, 1, 2)];
        let machines = machines.map(|(p, c, t, l3)| played(p, c, t, l3, Numbers::Neighbours));
        for (machine, options, cpus) in [
            (0, "--bind-to core", "0 1 2 3"),
            (0, "--bind-to socket", "0-3 0-3 0-3 0-3"),
            (1, "--bind-to core", "0-1 2-3 4-5 6-7 8-9 10-11"),
            (1, "--map-by core --bind-to core", "0-1 2-3 4-5 6-7 8-9 10-11"),
            (1, "--bind-to core --map-by socket", "0-1 8-9 2-3 10-11 4-5 12-13"),
            (1, "--bind-to core --map-by package --rank-by fill", "0-1 2-3 4-5 8-9 10-11 12-13"),
            (1, "--bind-to socket", "0-7 8-15 0-7 8-15 0-7 8-15"),
            (1, "--bind-to numa --map-by numa", "0-7 8-15 0-7 8-15 0-7 8-15"),
            (1, "--map-by numa --rank-by fill", "0-7 0-7 0-7 8-15 8-15 8-15"),
            (1, "--bind-to l3cache", "0-7 8-15 0-7 8-15 0-7 8-15"),
            (1, "--bind-to hwthread --map-by core", "0 2 4 6 8 10"),
            (1, "--bind-to hwthread", "0 1 2 3 4 5"),
            (1, "--map-by hwthread:HWTCPUS --bind-to hwthread", "0 1 2 3 4 5"),
            (1, "--bind-to core:2", "0-3 4-7 8-11 12-15"),
            (1, "--map-by slot:PE=2 --bind-to core", "0-3 4-7 8-11 12-15"),
            (1, "--cpus-per-proc 2", "0-3 4-7 8-11 12-15"),
            (1, "--cpus-per-task 4", "0-3 4-7 8-11 12-15"),
            (1, "--bind-to core:2 --map-by socket", "0-3 8-11 4-7 12-15"),
            (1, "--map-by package:PE=2 --bind-to core --rank-by fill", "0-3 4-7 8-11 12-15"),
            (1, "--map-by ppr:2:package --bind-to core", "0-1 2-3 8-9 10-11"),
            (1, "--map-by ppr:2:package --bind-to package", "0-7 0-7 8-15 8-15"),
            (1, "--map-by slot --bind-to package", "0-7 0-7 0-7 0-7 8-15 8-15"),
            (2, "--bind-to core", "0 1 2 3 4 5 6 7"),
            (2, "--bind-to core --map-by socket", "0 4 8 12 1 5 9 13"),
            (2, "--bind-to core --map-by package --rank-by fill", "0 1 4 5 8 9 12 13"),
            (2, "--bind-to core --map-by l3cache", "0 2 4 6 8 10 12 14"),
            (2, "--bind-to socket", "0-3 4-7 8-11 12-15 0-3 4-7 8-11 12-15"),
            (2, "--bind-to socket --map-by core", "0-3 0-3 0-3 0-3 4-7 4-7 4-7 4-7"),
            (2, "--map-by ppr:1:l3cache --bind-to l3cache", "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15"),
        ] {
            let count = cpus.split(' ').count();
            assert_eq!(placed(&machines[machine], options, count).join(" "), cpus, "{machine}: {options}");
        }
    }

    #[test]
    fn another_machine_than_that_of_oshrun_is_told() {
        let layout = plan("-n 4 --bind-to core --map-by package x").unwrap().layout.unwrap();
        let e = deal(&played(2, 2, 1, 1, Numbers::Halves), &Layout { places: Some(4), ..layout }, 4)
            .unwrap_err()
            .to_string();
        assert!(e.starts_with("this machine has 2 sets of CPUs to map ranks to, and that of oshrun has 4"), "{e}");
    }
}
