//! What is run: groups of the same measurement by different contestants, run back to back.

use super::contest::{Contestant, Program};
use super::samples::Memory;
use super::{collective, crowd};
use crate::util::Mpi;
use anyhow::{Result, bail};
use std::collections::BTreeMap;

/// One start of one program.
#[derive(Clone, Debug)]
pub struct Step {
    pub who: Contestant,
    pub program: Program,
    pub args: Vec<String>,
    pub measure: &'static str,
    pub memory: Memory,
    pub pes: usize,
}

impl Step {
    pub fn label(&self) -> String {
        let memory = if self.memory == Memory::Any { String::new() } else { format!(" {}", self.memory.word()) };
        format!("{} {}{memory}, {} PEs", self.who.name(), self.measure, self.pes)
    }
}

/// Steps to compare with each other.
pub struct Group {
    pub steps: Vec<Step>,
    /// Runs in this many of the rounds, if not in all.
    pub rounds: usize,
}

/// Operations between two PEs over message sizes: measure, OpenSHMEM program, plain MPI program.
pub const SIZED: [(&str, &str, Option<&str>); 7] = [
    ("put", "osu/osu_oshm_put", Some("mpi/mpi_put")),
    ("get", "osu/osu_oshm_get", Some("mpi/mpi_get")),
    ("put_nb", "osu/osu_oshm_put_nb", None),
    ("get_nb", "osu/osu_oshm_get_nb", None),
    ("put_mr", "osu/osu_oshm_put_mr", None),
    ("put_mr_nb", "osu/osu_oshm_put_mr_nb", None),
    ("get_mr_nb", "osu/osu_oshm_get_mr_nb", None),
];

pub const BARRIER_PES: [usize; 3] = [2, 4, 8];

/// The names that `--only` takes.
pub fn names() -> Vec<&'static str> {
    let one_sided = SIZED.iter().map(|(name, ..)| *name).chain(["atomics", "barrier", "startup"]);
    one_sided.chain(collective::names()).chain([crowd::NAME]).collect()
}

/// What the user asked for.
pub struct Wanted {
    pub mpis: Vec<Mpi>,
    /// That processes may use.
    pub cores: usize,
    pub quick: bool,
    /// Measures by name; none means all.
    pub only: Vec<String>,
}

impl Wanted {
    pub fn has(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|o| o == name)
    }

    pub fn plain(&self) -> impl Iterator<Item = Contestant> {
        self.mpis.iter().map(|m| Contestant::Plain(*m))
    }

    /// Iterations: programs have their own default; a quick run takes few.
    pub fn args(&self, word: Option<&str>, quick: u32) -> Vec<String> {
        let mut args: Vec<String> = word.into_iter().map(String::from).collect();
        if self.quick {
            args.extend(["-i".to_string(), quick.to_string()]);
        }
        args
    }
}

pub fn plan(wanted: &Wanted) -> Result<Vec<Group>> {
    for name in &wanted.only {
        if !names().contains(&name.as_str()) {
            bail!("--only {name}: not a benchmark; there are {}", names().join(", "));
        }
    }
    let mut groups = Vec::new();
    sized(wanted, &mut groups);
    if wanted.has("atomics") {
        atomics(wanted, &mut groups);
    }
    if wanted.has("barrier") {
        barrier(wanted, &mut groups);
    }
    collective::plan(wanted, &mut groups);
    crowd::plan(wanted, &mut groups);
    if wanted.has("startup") {
        startup(wanted, &mut groups);
    }
    Ok(groups)
}

/// All implementations of OpenSHMEM.
pub fn implementations(wanted: &Wanted) -> Vec<Contestant> {
    wanted.mpis.iter().map(|m| Contestant::Ours(*m)).chain([Contestant::Oshmem]).collect()
}

fn every_round(steps: Vec<Step>) -> Group {
    Group { steps, rounds: usize::MAX }
}

fn sized(wanted: &Wanted, groups: &mut Vec<Group>) {
    const QUICK: u32 = 5000;
    let step = |who, source, measure, memory, word| Step {
        who,
        program: Program { source, shmem: matches!(who, Contestant::Ours(_) | Contestant::Oshmem) },
        args: wanted.args(word, QUICK),
        measure,
        memory,
        pes: 2,
    };
    let memcpy = |word| step(Contestant::Limit, "limits/limit_memcpy", word, Memory::Any, Some(word));
    // All put forms have the same peers, MPI_Put and memcpy, so these run beside the first form; get likewise.
    let mut peers: BTreeMap<&str, Vec<Step>> = BTreeMap::new();
    for direction in ["put", "get"] {
        let rma = SIZED.iter().find(|(m, ..)| *m == direction).and_then(|(.., rma)| *rma);
        let rma = rma.expect("put and get have an MPI program");
        let mut steps: Vec<Step> = wanted.plain().map(|who| step(who, rma, direction, Memory::Any, None)).collect();
        steps.push(memcpy(direction));
        peers.insert(direction, steps);
    }
    peers.insert("put_mr", vec![memcpy("put_window")]);
    peers.insert("get_mr", vec![memcpy("get_window")]);

    for (measure, osu, _) in SIZED.into_iter().filter(|(name, ..)| wanted.has(name)) {
        for memory in [Memory::Heap, Memory::Statics] {
            let shmem = |who| step(who, osu, measure, memory, Some(memory.word()));
            let mut steps: Vec<Step> = implementations(wanted).into_iter().map(shmem).collect();
            let kind = if measure.contains("_mr") { &measure[..6] } else { &measure[..3] };
            steps.extend(peers.remove(kind).unwrap_or_default());
            groups.push(every_round(steps));
        }
    }
}

fn atomics(wanted: &Wanted, groups: &mut Vec<Group>) {
    let step = |who, source, memory, word, quick| Step {
        who,
        program: Program { source, shmem: source.starts_with("osu/") },
        args: wanted.args(word, quick),
        measure: "atomics",
        memory,
        pes: 2,
    };
    for memory in [Memory::Heap, Memory::Statics] {
        let all = implementations(wanted).into_iter();
        let mut steps: Vec<Step> =
            all.map(|who| step(who, "osu/osu_oshm_atomics", memory, Some(memory.word()), 2000)).collect();
        if memory == Memory::Heap {
            steps.extend(wanted.plain().map(|who| step(who, "mpi/mpi_atomics", Memory::Any, None, 2000)));
            steps.push(step(Contestant::Limit, "limits/limit_atomics", Memory::Any, None, 20000));
        }
        groups.push(every_round(steps));
    }
}

fn barrier(wanted: &Wanted, groups: &mut Vec<Group>) {
    const QUICK: u32 = 500;
    let step = |who, source: &'static str, measure, word, pes| Step {
        who,
        program: Program { source, shmem: source.starts_with("osu/") },
        args: wanted.args(word, QUICK),
        measure,
        memory: Memory::Any,
        pes,
    };
    for pes in BARRIER_PES {
        for (measure, word) in [("barrier", "all"), ("barrier_active", "active")] {
            let all = implementations(wanted).into_iter();
            let mut steps: Vec<Step> =
                all.map(|who| step(who, "osu/osu_oshm_barrier", measure, Some(word), pes)).collect();
            if measure == "barrier" {
                steps.extend(wanted.plain().map(|who| step(who, "mpi/mpi_barrier", measure, None, pes)));
            }
            if measure == "barrier" && pes == 2 {
                steps.push(step(Contestant::Limit, "limits/limit_handoff", "handoff", None, 2));
            }
            groups.push(every_round(steps));
        }
    }
}

fn startup(wanted: &Wanted, groups: &mut Vec<Group>) {
    /// Starting 64 processes takes seconds, and the times differ little between rounds.
    const ROUNDS: usize = 3;
    const SOURCE: &str = "startup/startup";
    let pes: &[usize] = if wanted.quick { &[2, 16] } else { &[2, 16, 64] };
    for &pes in pes {
        let step = |who, measure, word: Option<&str>| Step {
            who,
            program: Program { source: SOURCE, shmem: !matches!(who, Contestant::Plain(_)) },
            args: word.into_iter().map(String::from).collect(),
            measure,
            memory: Memory::Any,
            pes,
        };
        let mut steps: Vec<Step> = wanted.plain().map(|who| step(who, "startup", None)).collect();
        for who in implementations(wanted) {
            steps.push(step(who, "startup", None));
            steps.push(step(who, "startup_alone", Some("alone")));
        }
        groups.push(Group { steps, rounds: ROUNDS });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(only: &[&str]) -> Wanted {
        Wanted { mpis: Mpi::ALL.to_vec(), cores: 2, quick: false, only: only.iter().map(|s| s.to_string()).collect() }
    }

    #[test]
    fn everything_has_a_source() {
        for step in plan(&wanted(&[])).unwrap().iter().flat_map(|g| &g.steps) {
            let file = crate::util::root().join("benches").join(step.program.source).with_extension("c");
            assert!(file.exists(), "{}", file.display());
        }
    }

    #[test]
    fn every_program_of_benches_osu_is_run() {
        let plan = plan(&wanted(&[])).unwrap();
        for entry in std::fs::read_dir(crate::util::root().join("benches/osu")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "c") {
                let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
                let used = plan.iter().flat_map(|g| &g.steps).any(|s| s.program.source == format!("osu/{stem}"));
                assert!(used, "{stem} is in no group");
            }
        }
    }

    #[test]
    fn only_keeps_the_peers_of_what_is_asked() {
        let groups = plan(&wanted(&["put_nb"])).unwrap();
        let mut measures: Vec<_> = groups.iter().flat_map(|g| &g.steps).map(|s| (s.who, s.measure)).collect();
        measures.sort();
        measures.dedup();
        assert_eq!(
            measures,
            [
                (Contestant::Ours(Mpi::Mpich), "put_nb"),
                (Contestant::Ours(Mpi::Openmpi), "put_nb"),
                (Contestant::Oshmem, "put_nb"),
                (Contestant::Plain(Mpi::Mpich), "put"),
                (Contestant::Plain(Mpi::Openmpi), "put"),
                (Contestant::Limit, "put"),
            ]
        );
    }

    #[test]
    fn nothing_is_run_twice() {
        let groups = plan(&wanted(&[])).unwrap();
        let mut keys: Vec<_> =
            groups.iter().flat_map(|g| &g.steps).map(|s| (s.who, s.measure, s.memory, s.pes)).collect();
        let all = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), all);
    }

    #[test]
    fn an_unknown_name_is_refused() {
        assert!(plan(&wanted(&["putt"])).err().unwrap().to_string().contains("--only putt"));
    }
}
