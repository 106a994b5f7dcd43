//! What is run, and what the rows of `benches/pmi` mean.

use anyhow::{Result, bail};

/// How a figure is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Lines over x, both axes logarithmic.
    Lines,
    /// A bar for each line.
    Bars,
    /// In the table and the file only.
    Table,
}

/// One figure: the rows whose first word is `name`.
pub struct Figure {
    pub name: &'static str,
    /// Figures with the same word are panels of one file.
    pub file: &'static str,
    pub title: &'static str,
    pub x: &'static str,
    pub unit: &'static str,
    pub shape: Shape,
}

const fn lines(
    name: &'static str,
    file: &'static str,
    title: &'static str,
    x: &'static str,
    unit: &'static str,
) -> Figure {
    Figure { name, file, title, x, unit, shape: Shape::Lines }
}

const fn bars(name: &'static str, title: &'static str) -> Figure {
    Figure { name, file: "memory", title, x: "processes", unit: "MB", shape: Shape::Bars }
}

const fn table(name: &'static str, title: &'static str, x: &'static str, unit: &'static str) -> Figure {
    Figure { name, file: "", title, x, unit, shape: Shape::Table }
}

/// All figures, in the order in which they are shown.
pub const FIGURES: &[Figure] = &[
    lines("get-wall-65536", "get", "Get, 65536 keys: time a client waits", "clients", "us"),
    lines("get-cpu-65536", "get", "Get, 65536 keys: processor time, server included", "clients", "us"),
    lines("get-wall-1000000", "get", "Get, 1000000 keys: time a client waits", "clients", "us"),
    lines("get-cpu-1000000", "get", "Get, 1000000 keys: processor time, server included", "clients", "us"),
    table("get-cold-65536", "first Gets of a client, with page faults, 65536 keys", "clients", "us"),
    table("get-cold-1000000", "first Gets of a client, with page faults, 1000000 keys", "clients", "us"),
    lines("load-cpu", "load", "Get by load factor, one client: processor time", "entries per 100 buckets", "us"),
    lines("load-bytes", "load", "Table by load factor", "entries per 100 buckets", "bytes"),
    bars("memory-fence", "memory of a node after a fence, 16 clients"),
    bars("memory-gather", "memory of a node after an allgather, 16 clients"),
    table("memory-page-tables", "page tables of 16 clients, not in the above", "processes", "MB"),
    lines("fence", "fence", "a server takes in the pairs of a fence", "pairs", "ms"),
    lines("ring", "ring", "messages to other servers per server and exchange", "processes per node", "messages"),
    lines("launch", "start", "hello, from the call of the launcher to its end", "PEs", "s"),
    lines("init", "start", "shmem_init (with MPI: MPI_Init), median over the PEs", "PEs", "ms"),
    lines("resident", "start", "resident memory of a PE, libraries included", "PEs", "KiB"),
    lines("private", "start", "memory of a PE that is its own", "PEs", "KiB"),
    lines("tree-fence", "tree", "fence on a modelled tree, 16 processes per node", "processes", "ms"),
    lines("tree-contact", "tree", "first contact without a fence, same tree", "processes", "us"),
    table("tree-root", "processor time of the root in that fence", "processes", "ms"),
];

pub fn figure(name: &str) -> Option<&'static Figure> {
    FIGURES.iter().find(|f| f.name == name)
}

/// What a line is called in tables and plots.
pub fn label(line: &str) -> String {
    let known = [
        ("socket", "socket, PMI-1"),
        ("library", "shared memory, PMI-2 library"),
        ("two", "shared memory, two regions"),
        ("one", "shared memory, one region"),
        ("shared", "shared memory"),
        ("copies", "a copy per client"),
        ("private", "a map of the server's own"),
        ("ring", "ring exchange"),
        ("put-get", "Put and Get of sparse keys"),
        ("oshrun", "oshrun"),
        ("mpiexec", "mpiexec (MPICH)"),
        ("mpiexec-mpi", "mpiexec (MPICH), an MPI program"),
    ];
    match known.iter().find(|(word, _)| *word == line) {
        Some((_, label)) => label.to_string(),
        None if line.parse::<u64>().is_ok() => format!("{line} keys"),
        None => line.replace("arity-", "children per server: "),
    }
}

/// One start of the program.
pub struct Step {
    name: &'static str,
    pub args: Vec<String>,
    /// Runs in this many of the rounds, if not in all.
    pub rounds: usize,
}

impl Step {
    /// Not a start of `benches/pmi` but of the launchers.
    pub fn is_start(&self) -> bool {
        self.name == "start"
    }
}

/// What is run in a round.
pub fn steps(only: &[String], quick: bool) -> Result<Vec<Step>> {
    let step = |args: &str, rounds| {
        let args: Vec<String> = args.split(' ').map(String::from).collect();
        Step { name: NAMES.into_iter().find(|n| *n == args[0]).expect("a known figure"), args, rounds }
    };
    let every = usize::MAX;
    let all = if quick {
        vec![
            step("get --keys 65536 --clients 1,32 --gets 2000", every),
            step("get --keys 1000000 --clients 1,32 --gets 2000", every),
            step("load --keys 65536,1000000 --gets 2000", every),
            step("memory --keys 1000000 --clients 16", every),
            step("fence --keys 1024,16384", every),
            step("ring", every),
            step("tree --sizes 64,1024,16384", every),
            step("start 2", every),
            step("start 16", every),
        ]
    } else {
        vec![
            step("get --keys 65536 --clients 1,2,4,8,16,32 --gets 10000", every),
            step("get --keys 1000000 --clients 1,2,4,8,16,32 --gets 10000", every),
            step("load --keys 65536,1000000 --gets 10000", every),
            step("memory --keys 1000000 --clients 16", every),
            step("fence --keys 1024,16384,262144,1048576", every),
            step("ring", every),
            step("tree --sizes 64,1024,16384,131072", every),
            step("start 2", every),
            step("start 16", every),
            step("start 64", every),
            step("start 128", every),
            // Takes as long as all the others together.
            step("tree --sizes 1000000", 1),
        ]
    };
    for name in only {
        if !NAMES.contains(&name.as_str()) {
            bail!("--only {name}: not a figure; there are {}", NAMES.join(", "));
        }
    }
    Ok(all.into_iter().filter(|s| only.is_empty() || only.iter().any(|o| o == s.name)).collect())
}

/// The names that `--only` takes.
const NAMES: [&str; 7] = ["get", "load", "memory", "fence", "ring", "tree", "start"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_asked() {
        let names = |only: &[&str], quick| {
            let only: Vec<String> = only.iter().map(ToString::to_string).collect();
            steps(&only, quick).map(|all| all.into_iter().map(|s| s.name).collect::<Vec<_>>())
        };
        for quick in [true, false] {
            for name in NAMES {
                assert!(names(&[], quick).unwrap().contains(&name));
            }
            assert_eq!(names(&["ring"], quick).unwrap(), ["ring"]);
        }
        assert!(names(&["rings"], true).unwrap_err().to_string().contains("--only rings"));
    }

    #[test]
    fn names_are_known_once() {
        for (i, f) in FIGURES.iter().enumerate() {
            assert!(FIGURES[..i].iter().all(|g| g.name != f.name), "{}", f.name);
            assert_eq!(f.file.is_empty(), f.shape == Shape::Table);
        }
        assert_eq!(label("two"), "shared memory, two regions");
        assert_eq!(label("65536"), "65536 keys");
    }
}
