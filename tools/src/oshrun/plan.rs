//! What is to be started, decided from the command line before anything is started.

use crate::cli::{Bind, Command, Session};
use crate::node::foreign;
use crate::pmix::need::{self, When};
use crate::{hosts, launch, place};
use anyhow::{Context, Result, anyhow, bail};
use pmi_shm::tcp;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io::IsTerminal;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Bytes of a word or a variable: any but NUL.
pub type Word = Vec<u8>;

/// A whole job. Every node server gets it.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Plan {
    /// Name of the job, which is also that of its key-value store.
    pub job: String,
    /// Node servers prove to each other that they know it.
    pub secret: [u8; 32],
    /// Ranks know it, and nobody else does: it is a part of their name for PMIx.
    pub pmix_token: [u8; 16],
    pub pmix: When,
    /// Where libpmix lies on all hosts, if the user says so.
    pub pmix_library: Option<PathBuf>,
    pub programs: Vec<Program>,
    /// The environment that all ranks start with.
    pub env: Vec<(Word, Word)>,
    /// Names of the hosts, by node.
    pub hosts: Vec<String>,
    /// The node of each rank.
    pub node_of: Vec<u32>,
    pub bind: Bind,
    pub session: Session,
    pub prepend_rank: bool,
    /// Whether somebody sits before the output.
    pub terminal: bool,
    /// Children of a node server in the tree.
    pub fanout: u32,
    /// Network of the links between node servers.
    pub iface: Option<String>,
    /// How long a host may be silent before the job is ended; none: for ever.
    pub silence: Option<Duration>,
    /// Whether the nodes are all played by one machine.
    pub fake: bool,
    /// Whether all nodes are on this machine.
    pub local: bool,
    /// Names or addresses by which hosts reach each other, by node.
    pub reach: Vec<String>,
    /// Whether ranks read the key-value store in shared memory.
    pub share: bool,
    /// Seconds between a signal that ends programs and the kill.
    pub grace: f64,
    /// Whether standard input goes to rank 0.
    pub stdin: bool,
}

/// One program of the job and its ranks.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct Program {
    pub argv: Vec<Word>,
    /// Beside the job's environment.
    pub env: Vec<(Word, Word)>,
    pub wdir: PathBuf,
    pub ranks: Range<u32>,
}

impl Plan {
    pub fn size(&self) -> u32 {
        self.node_of.len() as u32
    }

    /// The ranks of a node, in order.
    pub fn ranks_on(&self, node: u32) -> Vec<u32> {
        (0..self.size()).filter(|&r| self.node_of[r as usize] == node).collect()
    }

    /// The program of a rank, by number: MPI's appnum.
    pub fn program_of(&self, rank: u32) -> usize {
        self.programs.iter().position(|p| p.ranks.contains(&rank)).expect("every rank belongs to a program")
    }

    /// What is told about a node: with its host, where the job has several.
    pub fn located(&self, node: u32, text: &str) -> String {
        if self.hosts.len() > 1 && !self.fake && !text.is_empty() {
            format!("{text} (host {})", self.hosts[node as usize])
        } else {
            text.to_string()
        }
    }

    /// The children of a node in the tree of node servers.
    pub fn children(&self, node: u32) -> Range<u32> {
        let nodes = self.hosts.len() as u64;
        let at = |n: u64| n.min(nodes) as u32;
        at(node as u64 * self.fanout as u64 + 1)..at((node as u64 + 1) * self.fanout as u64 + 1)
    }
}

/// Variables that belong to the job that oshrun itself may be a part of.
const NOT_PASSED: &[&str] =
    &["PMI_", "PMI2_", "PMIX_", "OSHRUN_", "MPI_LOCALNRANKS", "MPI_LOCALRANKID", "HYDI_", "HYDRA_"];

pub fn make(command: &Command) -> Result<Plan> {
    let o = &command.job;
    let mut hosts = match (&o.hosts, &o.hostfile) {
        (Some(list), _) => hosts::list(list)?,
        (_, Some(file)) => hosts::file(file)?,
        _ => Vec::new(),
    };
    if o.fake_nodes.is_some() && !hosts.is_empty() {
        bail!("--fake-nodes is for one machine and does not go with -hosts or -hostfile");
    }
    let (programs, size) = programs(command, place::default_size(&hosts, o.ppn))?;
    let mut node_of = match o.fake_nodes {
        Some(nodes) => place::on_fakes(size, nodes, o.ppn)?,
        None if hosts.is_empty() => vec![0; size as usize],
        None => place::on_hosts(size, &hosts, o.ppn),
    };
    let used = place::compact(&mut node_of);
    if hosts.is_empty() {
        let here = hosts::Host { name: "localhost".into(), slots: None };
        hosts = vec![here; o.fake_nodes.unwrap_or(1) as usize];
    }
    let names: Vec<String> = used.iter().map(|&n| hosts[n as usize].name.clone()).collect();
    let env = environment(command)?;
    let for_ranks = env.iter().find(|(name, _)| name == HOST_TIMEOUT.as_bytes());
    // What ranks are not given is still a setting of oshrun's own servers.
    let setting = for_ranks.map(|(_, v)| OsString::from_vec(v.clone())).or_else(|| std::env::var_os(HOST_TIMEOUT));
    let silence = silence(setting)?;
    let launcher = launch::launcher(o, silence);
    let here = |host: &str| launch::is_local(&launcher, host, o);
    let name: [u8; 4] = random()?;
    Ok(Plan {
        job: format!("oshrun_{}_{:08x}", std::process::id(), u32::from_ne_bytes(name)),
        secret: random()?,
        pmix_token: random()?,
        pmix: o.pmix,
        pmix_library: std::env::var_os(need::LIBRARY).filter(|v| !v.is_empty()).map(PathBuf::from),
        programs,
        env,
        hosts: names.clone(),
        node_of,
        bind: o.bind_to,
        session: o.session,
        prepend_rank: o.prepend_rank,
        terminal: std::io::stdout().is_terminal(),
        fanout: o.fanout,
        iface: o.iface.clone(),
        silence,
        fake: o.fake_nodes.is_some(),
        local: names.iter().all(|host| here(host)),
        reach: names.iter().map(|host| if here(host) { own_name(host, o) } else { host.clone() }).collect(),
        share: !o.no_share,
        grace: o.grace,
        stdin: o.stdin == crate::cli::Stdin::First,
    })
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|e| anyhow!("the system gives no random numbers: {e}"))?;
    Ok(bytes)
}

/// The runtime's name for it: who is not started by oshrun asks for signs of life itself.
const HOST_TIMEOUT: &str = "OSHMPI_HOST_TIMEOUT";

fn silence(setting: Option<OsString>) -> Result<Option<Duration>> {
    let Some(text) = setting else { return Ok(Some(tcp::SILENCE)) };
    let seconds = text.to_str().and_then(|t| t.parse::<u32>().ok());
    let seconds = seconds.ok_or_else(|| {
        anyhow!("{HOST_TIMEOUT} is set to {text:?}: expected a whole number of seconds, or 0 for never")
    })?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds.into())))
}

/// What other hosts call this one.
fn own_name(host: &str, o: &crate::cli::Job) -> String {
    let loopback = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match &o.localhost {
        Some(name) => name.clone(),
        None if loopback => nix::unistd::gethostname().ok().and_then(|n| n.into_string().ok()).unwrap_or_default(),
        None => host.to_string(),
    }
}

/// The programs with their ranks, and the number of all ranks. A single program without -n takes `default` ranks.
fn programs(command: &Command, default: u32) -> Result<(Vec<Program>, u32)> {
    let here = std::env::current_dir().context("cannot tell the current directory")?;
    let mut next = 0u32;
    let mut all = Vec::new();
    for part in &command.parts {
        let n = part.n.unwrap_or(if command.parts.len() == 1 { default } else { 1 });
        let end = next.checked_add(n).filter(|&e| e <= MOST_RANKS);
        let end = end.ok_or_else(|| anyhow!("a job has at most {MOST_RANKS} ranks"))?;
        let wdir = part.wdir.as_ref().map_or_else(|| here.clone(), |d| here.join(d));
        let argv = part.argv.iter().map(|w| w.clone().into_vec()).collect();
        all.push(Program { argv, env: pairs(&part.env, "-env")?, wdir, ranks: next..end });
        next = end;
    }
    Ok((all, next))
}

/// More is a slip of the hand.
const MOST_RANKS: u32 = 1 << 20;

fn environment(command: &Command) -> Result<Vec<(Word, Word)>> {
    let o = &command.job;
    let mut env: Vec<(Word, Word)> = Vec::new();
    if !o.genvnone {
        for (name, value) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let listed = o.genvlist.as_ref().is_none_or(|list| list.iter().any(|n| *n == text));
            let of_outer = NOT_PASSED.iter().any(|p| text.starts_with(p)) || foreign::is_of_outer(&text, &value);
            if listed && !of_outer {
                env.push((name.as_bytes().to_vec(), value.into_vec()));
            }
        }
    }
    for (name, value) in pairs(&o.genv, "-genv")? {
        set(&mut env, name, value);
    }
    for x in &o.x {
        let (name, value) = match split(x) {
            Some((n, v)) => (n.to_vec(), Some(v.to_vec())),
            None => (x.as_bytes().to_vec(), std::env::var_os(x).map(OsString::into_vec)),
        };
        check_name(&name, "-x")?;
        // A variable that is not set here is not set there, as Open MPI has it.
        if let Some(value) = value {
            set(&mut env, name, value);
        }
    }
    Ok(env)
}

fn split(word: &OsStr) -> Option<(&[u8], &[u8])> {
    let bytes = word.as_bytes();
    let at = bytes.iter().position(|&b| b == b'=')?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// NAME VALUE NAME VALUE ...
fn pairs(words: &[OsString], option: &str) -> Result<Vec<(Word, Word)>> {
    words
        .chunks_exact(2)
        .map(|p| {
            check_name(p[0].as_bytes(), option)?;
            Ok((p[0].as_bytes().to_vec(), p[1].as_bytes().to_vec()))
        })
        .collect()
}

fn check_name(name: &[u8], option: &str) -> Result<()> {
    if name.is_empty() || name.contains(&b'=') {
        let name = String::from_utf8_lossy(name);
        bail!("{option}: \"{name}\" is not the name of a variable; expected NAME VALUE (or -x NAME=VALUE)");
    }
    Ok(())
}

/// Gives a variable its value, the only one.
pub fn set(env: &mut Vec<(Word, Word)>, name: Word, value: Word) {
    match env.iter_mut().find(|(n, _)| *n == name) {
        Some((_, v)) => *v = value,
        None => env.push((name, value)),
    }
}

/// A word for people, quoted as the shell wants it where it must be.
pub fn quoted(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

impl Program {
    pub fn name(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.argv[0]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Request, parse};

    fn plan(line: &str) -> Result<Plan> {
        match parse(line.split_whitespace().map(OsString::from).collect())? {
            Request::Run(c) => make(&c),
            Request::Print(p) => panic!("{p}"),
        }
    }

    #[test]
    fn parts_get_ranks_in_order() {
        let p = plan("-n 2 a 1 : -n 3 -env A 1 -wdir sub b : c").unwrap();
        assert_eq!(p.size(), 6);
        assert_eq!(p.programs.iter().map(|p| p.ranks.clone()).collect::<Vec<_>>(), [0..2, 2..5, 5..6]);
        assert_eq!((p.program_of(0), p.program_of(4), p.program_of(5)), (0, 1, 2));
        assert!(p.programs[1].wdir.is_absolute() && p.programs[1].wdir.ends_with("sub"));
        assert_eq!(p.programs[1].env, [(b"A".to_vec(), b"1".to_vec())]);
    }

    #[test]
    fn a_silent_host_is_lost_when_told() {
        let seconds = |text: &str| silence(Some(text.into())).map(|s| s.map(|s| s.as_secs()));
        assert_eq!(silence(None).unwrap(), Some(tcp::SILENCE));
        assert_eq!((seconds("90").unwrap(), seconds("0").unwrap()), (Some(90), None));
        for bad in ["", "x", "-1", "1.5", "30s", "4294967296"] {
            let said = seconds(bad).unwrap_err().to_string();
            assert!(said.starts_with(&format!("OSHMPI_HOST_TIMEOUT is set to {bad:?}: expected")), "{said}");
        }
        // Whoever gives it to the ranks means the servers too.
        for (line, wanted) in [
            ("-genv OSHMPI_HOST_TIMEOUT 0 x", None),
            ("-genvnone -x OSHMPI_HOST_TIMEOUT=90 x", Some(Duration::from_secs(90))),
        ] {
            assert_eq!(plan(line).unwrap().silence, wanted, "{line}");
        }
        assert!(plan("-genv OSHMPI_HOST_TIMEOUT soon x").is_err());
    }

    #[test]
    fn nodes_and_their_tree() {
        let p = plan("-n 9 -hosts a,b,c,d,e -ppn 2 --fanout 2 x").unwrap();
        assert_eq!(p.hosts, ["a", "b", "c", "d", "e"]);
        assert_eq!(p.ranks_on(4), [8]);
        assert_eq!((p.children(0), p.children(1), p.children(2)), (1..3, 3..5, 5..5));
        assert_eq!(plan("-n 2 -hosts a,b,c x").unwrap().hosts, ["a", "b"]);
        assert_eq!(plan("-hosts a:2,b:3 x").unwrap().size(), 5);
        assert_eq!(plan("-n 4 --fake-nodes 2 x").unwrap().node_of, [0, 0, 1, 1]);
    }

    #[test]
    fn variables() {
        let p = plan("-genvnone -genv A 1 -genv A 2 -x B=3=4 -x OSHRUN_NOT_SET x").unwrap();
        let text: Vec<_> = p
            .env
            .iter()
            .map(|(n, v)| format!("{}={}", String::from_utf8_lossy(n), String::from_utf8_lossy(v)))
            .collect();
        assert_eq!(text, ["A=2", "B=3=4"]);
        let p = plan("-genvlist PATH,NOSUCH x").unwrap();
        assert!(p.env.len() == 1 && p.env[0].0 == b"PATH");
        assert!(plan("-genv A=B 1 x").is_err() && plan("-x =1 x").is_err());
    }

    #[test]
    fn what_does_not_fit() {
        assert!(plan("-n 2 --fake-nodes 3 x").is_err());
        assert!(plan("-n 2 --fake-nodes 2 -hosts a x").is_err());
        assert!(plan("-n 4000000000 x").is_err());
    }
}
