//! What is run: groups of the same measurement by different contestants, run back to back.

use super::contest::Contestant;
use super::samples::Memory;
use crate::util::Mpi;
use anyhow::{Result, bail};

/// One start of one program.
#[derive(Clone, Debug)]
pub struct Step {
    pub who: Contestant,
    /// The C file below `benches/`, without `.c`.
    pub source: &'static str,
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

/// Rounds of a group that runs in every one.
const EVERY: usize = usize::MAX;
/// Rounds of programs whose figures differ little between rounds, or that take seconds each.
const FEW: usize = 3;

/// Operations between two PEs over message sizes: measure, which is also the word of `limits/limit_memcpy`, and the
/// programs over OpenSHMEM and over MPI.
const SIZED: [(&str, &str, &str); 2] =
    [("put", "osu/osu_oshm_put", "mpi/mpi_put"), ("get", "osu/osu_oshm_get", "mpi/mpi_get")];

/// Numbers of PEs that barriers and collectives are measured at.
pub const PES: [usize; 3] = [2, 4, 8];

/// A program, and what its forms are called.
pub struct Collective {
    /// The measurement, and the word of `mpi/mpi_collective`.
    pub name: &'static str,
    source: &'static str,
    /// The measurement of the team form. The peers have the active-set form alone. None: there is no active-set form,
    /// and `name` is the team form.
    pub team: Option<&'static str>,
}

pub const COLLECTIVES: [Collective; 7] = [
    Collective { name: "broadcast", source: "osu/osu_oshm_broadcast", team: Some("broadcast_team") },
    Collective { name: "collect", source: "osu/osu_oshm_collect", team: Some("collect_team") },
    Collective { name: "fcollect", source: "osu/osu_oshm_fcollect", team: Some("fcollect_team") },
    Collective { name: "reduce", source: "osu/osu_oshm_reduce", team: Some("reduce_team") },
    Collective { name: "alltoall", source: "osu/osu_oshm_alltoall", team: Some("alltoall_team") },
    Collective { name: "alltoalls", source: "osu/osu_oshm_alltoalls", team: Some("alltoalls_team") },
    Collective { name: "scan", source: "osu/osu_oshm_scan", team: None },
];

/// Messages between pairs that are waited for, and the lock.
pub const PUT_SIGNAL: &str = "put_signal";
pub const WAIT: &str = "wait";
pub const LOCK: &str = "lock";

/// The names that `--only` takes.
pub fn names() -> Vec<&'static str> {
    let one_sided = SIZED.iter().map(|(name, ..)| *name).chain(["atomics", "barrier", "startup"]);
    let collectives = COLLECTIVES.iter().map(|c| c.name);
    one_sided.chain(collectives).chain([PUT_SIGNAL, WAIT, LOCK]).collect()
}

/// What the user asked for.
pub struct Wanted {
    pub mpis: Vec<Mpi>,
    /// Cores that processes may use.
    pub cores: usize,
    pub quick: bool,
    /// Measures by name; none means all.
    pub only: Vec<String>,
}

/// The steps of one group.
struct Steps<'a> {
    wanted: &'a Wanted,
    measure: &'static str,
    memory: Memory,
    pes: usize,
    /// Iterations of a quick run; 0: the program takes no number. Otherwise programs have their own default.
    quick: u32,
    steps: Vec<Step>,
}

impl Steps<'_> {
    fn add(
        &mut self,
        who: Contestant,
        source: &'static str,
        measure: &'static str,
        memory: Memory,
        word: Option<&str>,
    ) {
        let mut args: Vec<String> = word.into_iter().map(String::from).collect();
        if self.wanted.quick && self.quick > 0 {
            args.extend(["-i".to_string(), self.quick.to_string()]);
        }
        self.steps.push(Step { who, source, args, measure, memory, pes: self.pes });
    }

    /// Every implementation of OpenSHMEM.
    fn shmem(mut self, source: &'static str, word: Option<&str>) -> Self {
        for who in self.wanted.implementations() {
            self.add(who, source, self.measure, self.memory, word);
        }
        self
    }

    /// Plain MPI with up to `most` processes of MPICH.
    fn plain(mut self, source: &'static str, word: Option<&str>, most: usize) -> Self {
        for who in self.wanted.mpis.iter().map(|m| Contestant::Plain(*m)) {
            if self.pes <= most || who != Contestant::Plain(Mpi::Mpich) {
                self.add(who, source, self.measure, Memory::Any, word);
            }
        }
        self
    }

    fn limit(mut self, source: &'static str, measure: &'static str, word: Option<&str>) -> Self {
        self.add(Contestant::Limit, source, measure, Memory::Any, word);
        self
    }

    fn group(self, rounds: usize) -> Group {
        Group { steps: self.steps, rounds }
    }
}

impl Wanted {
    fn has(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|o| o == name)
    }

    fn implementations(&self) -> Vec<Contestant> {
        self.mpis.iter().map(|m| Contestant::Ours(*m)).chain([Contestant::Oshmem]).collect()
    }

    fn steps(&self, measure: &'static str, memory: Memory, pes: usize, quick: u32) -> Steps<'_> {
        Steps { wanted: self, measure, memory, pes, quick, steps: Vec::new() }
    }
}

pub fn plan(wanted: &Wanted) -> Result<Vec<Group>> {
    if let Some(name) = wanted.only.iter().find(|name| !names().contains(&name.as_str())) {
        bail!("--only {name}: not a benchmark; there are {}", names().join(", "));
    }
    let mut groups = sized(wanted);
    for memory in [Memory::Heap, Memory::Statics].into_iter().filter(|_| wanted.has("atomics")) {
        let mut steps = wanted.steps("atomics", memory, 2, 2000).shmem("osu/osu_oshm_atomics", Some(memory.word()));
        if memory == Memory::Heap {
            steps = steps.plain("mpi/mpi_atomics", None, EVERY);
            steps.quick = 20_000;
            steps = steps.limit("limits/limit_atomics", "atomics", None);
        }
        groups.push(steps.group(EVERY));
    }
    for pes in PES.into_iter().filter(|_| wanted.has("barrier")) {
        let all = wanted.steps("barrier", Memory::Any, pes, 500).shmem("osu/osu_oshm_barrier", None);
        let mut all = all.plain("mpi/mpi_barrier", None, EVERY);
        if pes == 2 {
            all = all.limit("limits/limit_handoff", "handoff", None);
        }
        groups.push(all.group(EVERY));
    }
    PES.into_iter().for_each(|pes| collectives(wanted, pes, &mut groups));
    let pes: &[usize] = if wanted.quick { &[2, 16] } else { &[2, 16, 64] };
    for &pes in pes.iter().filter(|_| wanted.has("startup")) {
        const SOURCE: &str = "startup/startup";
        let mut steps = wanted.steps("startup", Memory::Any, pes, 0).plain(SOURCE, None, EVERY).shmem(SOURCE, None);
        steps.measure = "startup_alone";
        groups.push(steps.shmem(SOURCE, Some("alone")).group(FEW));
    }
    Ok(groups)
}

fn sized(wanted: &Wanted) -> Vec<Group> {
    let mut groups = Vec::new();
    for (measure, source, plain) in SIZED.into_iter().filter(|(name, ..)| wanted.has(name)) {
        for memory in [Memory::Heap, Memory::Statics] {
            let mut steps = wanted.steps(measure, memory, 2, 5000).shmem(source, Some(memory.word()));
            if memory == Memory::Heap {
                steps = steps.plain(plain, None, EVERY).limit("limits/limit_memcpy", measure, Some(measure));
            }
            groups.push(steps.group(EVERY));
        }
    }
    groups
}

/// Collectives, signals, waits and locks at one number of PEs.
fn collectives(wanted: &Wanted, pes: usize, groups: &mut Vec<Group>) {
    let of = |measure| wanted.steps(measure, Memory::Any, pes, 200);
    // If every process has a core, programs are short, and one round says little. Otherwise plain MPICH's
    // ranks spin against each other: each operation takes milliseconds, and this peer is never the fastest.
    let (rounds, most) = (if pes <= wanted.cores { EVERY } else { FEW }, wanted.cores);
    for c in COLLECTIVES.iter().filter(|c| wanted.has(c.name)) {
        let mut steps = of(c.name);
        for who in wanted.implementations() {
            if who.is_ours() {
                steps.add(who, c.source, c.team.unwrap_or(c.name), Memory::Any, Some("team"));
            }
            if c.team.is_some() {
                steps.add(who, c.source, c.name, Memory::Any, Some("active"));
            }
        }
        steps = steps.plain("mpi/mpi_collective", Some(c.name), most);
        groups.push(steps.group(rounds));
    }
    for (name, source) in [(PUT_SIGNAL, "osu/osu_oshm_put_signal"), (WAIT, "osu/osu_oshm_wait")] {
        if wanted.has(name) {
            let mut steps = of(name).shmem(source, Some("heap")).plain("mpi/mpi_pingpong", None, most);
            for step in steps.steps.iter_mut().filter(|s| name == WAIT && matches!(s.who, Contestant::Plain(_))) {
                // A wait has the size of its word alone.
                step.args.extend(["-m".to_string(), "8:8".to_string()]);
            }
            groups.push(steps.group(FEW));
        }
    }
    if wanted.has(LOCK) {
        groups.push(of(LOCK).shmem("osu/osu_oshm_lock", None).group(FEW));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::util::root;

    fn steps(only: &[&str], cores: usize) -> Vec<Step> {
        let only = only.iter().map(|s| s.to_string()).collect();
        let groups = plan(&Wanted { mpis: Mpi::ALL.to_vec(), cores, quick: false, only }).unwrap();
        groups.into_iter().flat_map(|g| g.steps).collect()
    }

    #[test]
    fn programs_and_steps_match() {
        let all = steps(&[], 2);
        for step in &all {
            let file = root().join("benches").join(step.source).with_extension("c");
            assert!(file.exists(), "{}", file.display());
        }
        for entry in std::fs::read_dir(root().join("benches/osu")).unwrap() {
            let path = entry.unwrap().path();
            let source = format!("osu/{}", path.file_stem().unwrap().to_string_lossy());
            let used = all.iter().any(|s| s.source == source);
            assert!(used || path.extension().is_some_and(|e| e == "h"), "{source} is in no group");
        }
        let mut keys: Vec<_> = all.iter().map(|s| (s.who, s.measure, s.memory, s.pes)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), all.len(), "something is run twice");
    }

    #[test]
    fn only_keeps_the_peers_of_what_is_asked() {
        let mut who: Vec<_> = steps(&["put"], 2).iter().map(|s| s.who).collect();
        who.sort();
        who.dedup();
        let of = |kind: fn(Mpi) -> Contestant| Mpi::ALL.map(kind);
        let peers = [&[Contestant::Oshmem], &of(Contestant::Plain)[..], &[Contestant::Limit]].concat();
        assert_eq!(who, [&of(Contestant::Ours)[..], &peers].concat());
        let wanted = Wanted { mpis: Vec::new(), cores: 2, quick: false, only: vec!["putt".into()] };
        assert!(plan(&wanted).err().unwrap().to_string().contains("--only putt"));
    }

    #[test]
    fn plain_mpich_runs_where_it_has_the_cores() {
        for (cores, pes) in [(2, vec![2]), (4, vec![2, 4])] {
            let all = steps(&["alltoall"], cores);
            let found: Vec<_> = all.iter().filter(|s| s.who == Contestant::Plain(Mpi::Mpich)).map(|s| s.pes).collect();
            assert_eq!(found, pes, "{cores} cores");
        }
    }
}
