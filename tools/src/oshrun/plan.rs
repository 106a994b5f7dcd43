//! The plan of a job: made from the command line before anything is started ([`crate::make`]), and sent to all node
//! servers.

use crate::hostlist::Names;
use crate::topology::Level;
use clap::ValueEnum;
use pmi_shm::wire::NodeMap;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// The bytes of an argument or a variable: any but NUL.
pub type Word = Vec<u8>;

/// Variables, each with its value.
pub type Variables = Vec<(Word, Word)>;

#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Plan {
    /// The name of the job, and of its key-value store.
    pub job: String,
    /// The secret of the node servers, by which they recognise each other.
    pub secret: [u8; 32],
    /// A secret of the ranks: a part of the job's name for PMIx.
    pub pmix_token: [u8; 16],
    pub pmix: When,
    /// The path of libpmix on all hosts, if the user names it.
    pub pmix_library: Option<Word>,
    pub programs: Vec<Program>,
    pub env: Variables,
    /// The host's name of each node.
    pub hosts: Names,
    /// The node of each rank. Rank 0 is on node 0.
    #[serde(with = "blocks")]
    pub map: NodeMap,
    /// Where ranks run on their machines; `None`: anywhere.
    pub layout: Option<Layout>,
    /// The CPUs of each rank, from a rank file.
    pub listed: Option<Vec<Slots>>,
    pub report_bindings: bool,
    pub session: Session,
    /// What becomes of the ranks' output.
    pub form: Form,
    pub terminal: bool,
    /// The most children of a node server in the tree.
    pub fanout: u32,
    /// Whether node servers start those below them. Otherwise oshrun starts all.
    pub tree: bool,
    /// The command that starts a node server on another host: the words before and behind the host's name.
    pub launcher: (Vec<String>, Vec<String>),
    pub launch_timeout: f64,
    pub stats: bool,
    /// The network interface or address for the tree channels.
    pub iface: Option<String>,
    /// How long a host may be silent before the job is ended; `None`: for ever.
    pub silence: Option<Duration>,
    /// Whether one machine plays all nodes.
    pub fake: bool,
    pub local: bool,
    /// The name or address of each node by which other hosts reach it.
    pub reach: Names,
    /// Whether ranks read the key-value store in shared memory.
    pub share: bool,
    /// Seconds between a signal that ends programs and the kill.
    pub grace: f64,
    pub stdin: Stdin,
    pub exit_codes: bool,
    /// Ranks that stop at their first instruction, for a debugger.
    pub stopped: Vec<Range<u32>>,
}

/// One program of the job and its ranks.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Program {
    pub argv: Vec<Word>,
    /// Variables in addition to the job's environment.
    pub env: Variables,
    /// Names of variables of the job that this program does not get.
    pub without: Vec<Word>,
    /// The directory, as an absolute path.
    pub wdir: Word,
    pub ranks: Range<u32>,
}

/// Serialises the node of each rank as PMI does: by blocks of nodes with the same number of ranks.
mod blocks {
    use pmi_shm::wire::NodeMap;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(map: &NodeMap, to: S) -> Result<S::Ok, S::Error> {
        (map.size(), map.to_text()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<NodeMap, D::Error> {
        let (size, text) = <(u32, String)>::deserialize(from)?;
        NodeMap::parse(&text, size).map_err(D::Error::custom)
    }
}

impl Plan {
    pub fn size(&self) -> u32 {
        self.map.size()
    }

    pub fn nodes(&self) -> u32 {
        self.hosts.count
    }

    pub fn ranks_on(&self, node: u32) -> Vec<u32> {
        self.map.ranks_on(node)
    }

    /// The number of a rank's program: MPI's appnum.
    pub fn program_of(&self, rank: u32) -> usize {
        self.programs.iter().position(|p| p.ranks.contains(&rank)).expect("every rank belongs to a program")
    }

    /// The text of a message about a node. If the job has several nodes, it names the host.
    pub fn located(&self, node: u32, text: &str) -> String {
        if self.nodes() > 1 && !self.fake && !text.is_empty() {
            format!("{text} (host {})", self.hosts.get(node))
        } else {
            text.to_string()
        }
    }

    /// Whether standard input goes to all node servers, because it is not for rank 0 alone, or not on node 0.
    pub fn input_for_all(&self) -> bool {
        match self.stdin {
            Stdin::All => true,
            Stdin::Rank(rank) => self.map.node_of(rank) > 0,
            Stdin::None => false,
        }
    }

    pub fn stops(&self, rank: u32) -> bool {
        self.stopped.iter().any(|ranks| ranks.contains(&rank))
    }

    pub fn children(&self, node: u32) -> Range<u32> {
        let nodes = u64::from(self.nodes());
        let at = |n: u64| n.min(nodes) as u32;
        at(node as u64 * self.fanout as u64 + 1)..at((node as u64 + 1) * self.fanout as u64 + 1)
    }

    /// The nodes whose servers a process starts: oshrun itself (`None`), or the server of a node.
    ///
    /// oshrun takes the place of the root, which starts nobody: so up to `fanout + 1` hosts it starts all of them, with
    /// the tree or without. Of N nodes, a process starts at most `fanout + 1`, and the last one is started after
    /// log(N) / log(fanout) others.
    pub fn starts(&self, by: Option<u32>) -> Range<u32> {
        match by {
            None if self.tree => 0..self.children(0).end,
            None => 0..self.nodes(),
            Some(node) if self.tree && node > 0 => self.children(node),
            Some(_) => 0..0,
        }
    }

    /// The node whose server starts that of `node`; `None`: oshrun does.
    pub fn starter(&self, node: u32) -> Option<u32> {
        Some(node.checked_sub(1)? / self.fanout).filter(|&parent| self.tree && parent > 0)
    }
}

impl Program {
    pub fn name(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.argv[0]))
    }

    pub fn wdir(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.wdir))
    }
}

/// Sets a variable and removes its earlier values.
pub fn set(env: &mut Variables, name: &[u8], value: Word) {
    match env.iter_mut().find(|(n, _)| n == name) {
        Some((_, v)) => *v = value,
        None => env.push((name.to_vec(), value)),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    pub by: Level,
    /// The ranks that a place gets before the next has its turn; `None`: one each, and again from the first.
    pub each: Option<u32>,
    pub to: Level,
    /// The least number of neighbouring sets of `to`, and of CPUs, that a rank is bound to.
    pub units: u32,
    pub cpus: u32,
    /// Neighbouring ranks share a place: they fill the places one after the other, as many as each has got.
    pub fill: bool,
    /// The number of places on the machine of oshrun, which the number of ranks was made from.
    pub places: Option<usize>,
}

/// The CPUs of one rank that the user has chosen: cores by their logical numbers, in the package if one is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slots {
    pub package: Option<usize>,
    pub cores: Vec<usize>,
}

/// What becomes of the ranks' output.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Form {
    /// What stands before each line; a pattern.
    pub label: Word,
    pub stamped: bool,
    /// Whether standard error goes the way of standard output.
    pub merged: bool,
    /// The files for standard output and standard error, as absolute paths; patterns.
    pub files: [Option<Word>; 2],
    /// Whether what goes to files goes to oshrun's own output too.
    pub copied: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Session {
    /// One session for each rank if every rank can have its own core, otherwise one for all ranks of the node.
    Auto,
    Node,
    Rank,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Stdin {
    Rank(u32),
    All,
    None,
}

impl Stdin {
    pub fn is_for(self, rank: u32) -> bool {
        self == Stdin::All || self == Stdin::Rank(rank)
    }
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum When {
    /// If a program needs it
    Auto,
    Yes,
    No,
}
