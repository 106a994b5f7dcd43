//! A part of the runs, by a seed. A unit test of the stages shows that the parts have every program.

use super::list::Entry;
use super::way::WAYS;
use crate::util::Mpi;
use std::collections::BTreeMap;

/// Where each program has a run in every sample: the first MPI and the first way that one of its lines is for.
pub fn homes(entries: &[Entry]) -> BTreeMap<&str, (Mpi, &'static str)> {
    let mut homes = BTreeMap::new();
    for way in WAYS.iter().rev() {
        for mpi in Mpi::ALL.into_iter().rev() {
            let here = entries.iter().filter(|e| e.mpis.contains(&mpi) && e.goes(way.name));
            homes.extend(here.map(|e| (e.program.as_str(), (mpi, way.name))));
        }
    }
    homes
}

/// Which of the runs are chosen: every `nth`, and one of each program that must have one. `runs`: the program of each,
/// and whether that must have a run.
pub fn choose(runs: &[(&str, bool)], nth: usize, seed: usize) -> Vec<bool> {
    let mut chosen: Vec<bool> = (0..runs.len()).map(|i| i % nth == seed % nth).collect();
    let mut of_program: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, (program, _)) in runs.iter().enumerate().filter(|(_, (_, must))| *must) {
        of_program.entry(program).or_default().push(i);
    }
    for runs in of_program.values() {
        if !runs.iter().any(|&i| chosen[i]) {
            chosen[runs[seed % runs.len()]] = true;
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctest::list;
    use std::collections::BTreeSet;

    #[test]
    fn a_program_is_at_home_in_the_first_way_of_the_first_mpi() {
        let list = "a/a 2 mpi=openmpi\na/a 2 ways=mpi\na/b 4 mpi=openmpi ways=2x2,always\na/c 2";
        let entries = list::parse(list).unwrap();
        let expected =
            [("a/a", (Mpi::Openmpi, "node")), ("a/b", (Mpi::Openmpi, "always")), ("a/c", (Mpi::Mpich, "node"))];
        assert_eq!(homes(&entries), expected.into());
    }

    #[test]
    fn every_run_is_chosen_by_some_seed_and_every_program_by_all() {
        let names = ["a", "a", "a", "a", "a", "b", "c", "c", "c", "d"];
        let runs: Vec<(&str, bool)> = names.iter().map(|&name| (name, name != "d")).collect();
        let mut seen = BTreeSet::new();
        for seed in 0..12 {
            let chosen = choose(&runs, 4, seed);
            let now: Vec<usize> = (0..runs.len()).filter(|&i| chosen[i]).collect();
            assert!(["a", "b", "c"].iter().all(|name| now.iter().any(|&i| names[i] == *name)), "{seed}: {now:?}");
            assert!(now.len() <= 5, "{now:?}");
            seen.extend(now);
        }
        assert_eq!(seen.len(), runs.len());
        assert_eq!(choose(&runs, 1, 7), [true; 10]);
    }
}
