//! One round of each experiment.

use super::super::contest::{Contestant, Workshop};
use super::super::parse::{self, Row};
use super::super::samples::{Memory, Samples};
use super::super::{launch, pmi};
use crate::cluster::Launcher;
use crate::cluster::hosts::{self, Hosts};
use crate::util::{Mpi, median};
use anyhow::{Context, Result, bail, ensure};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

const OURS: Contestant = Contestant::Ours(Mpi::Mpich);
const PLAIN: Contestant = Contestant::Plain(Mpi::Mpich);
const OVER_MPI: Contestant = Contestant::Variant("oshmpi/mpich, OSHMPI_TRANSPORT=mpi");

/// MPI's own time for what a one-sided library must have of it.
const OBJECTS: Contestant = Contestant::Variant("MPI_Init, a communicator and a window");

const STARTUP: &str = "startup/startup";
const CONTACT: &str = "papers/contact";
const HEAT: &str = "../examples/c/heat2d";
const CG: &str = "../examples/c/cg";

const BY_MPI: (&str, &str) = ("OSHMPI_ROUTE", "mpi");
const EAGER: (&str, &str) = ("OSHMPI_CONNECT", "eager");
const STATS: (&str, &str) = ("OSHMPI_STATS", "json");
const INFO: (&str, &str) = ("SHMEM_INFO", "1");

const MPIEXEC: Launcher = Launcher::Mpiexec(Mpi::Mpich);

const LIMIT: Duration = Duration::from_secs(120);
/// For plain MPI between hosts. MPICH 4.0 does not always get through MPI_Finalize there; its figures are printed then.
const SHORT: Duration = Duration::from_secs(15);

/// What all experiments use.
pub struct Lab {
    quick: bool,
    shop: Workshop,
    prefix: PathBuf,
    /// The program of `benches/pmi`, if an experiment needs it.
    pmi: Option<PathBuf>,
    npb: Option<PathBuf>,
    built: RefCell<BTreeSet<(Contestant, &'static str)>>,
    /// Peers that were not measured, and why.
    problems: RefCell<BTreeSet<String>>,
}

/// A job of one program.
struct Job<'a> {
    who: Contestant,
    /// The file below `benches/`, without `.c`.
    source: &'static str,
    pes: usize,
    /// None: this machine.
    hosts: Option<(&'a Hosts, &'a Launcher)>,
    args: &'a [&'a str],
    env: &'a [(&'a str, &'a str)],
}

impl Lab {
    pub fn new(quick: bool, prefix: Option<PathBuf>, pmi: Option<PathBuf>, npb: Option<PathBuf>) -> Result<Lab> {
        let shop = Workshop::new(prefix.clone())?;
        let prefix = prefix.unwrap_or_else(|| Mpi::Mpich.prefix());
        Ok(Lab { quick, shop, prefix, pmi, npb, built: RefCell::default(), problems: RefCell::default() })
    }

    pub fn problems(&self) -> BTreeSet<String> {
        self.problems.borrow().clone()
    }

    /// The numbers of a run, or those of a quick one.
    fn sizes(&self, all: &'static [usize], quick: &'static [usize]) -> &'static [usize] {
        if self.quick { quick } else { all }
    }

    fn pmi_bench(&self, words: &str, samples: &mut Samples) -> Result<()> {
        pmi::measure(self.pmi.as_deref().context("pmi-bench is built")?, words, samples)
    }

    /// What a job printed on both streams, and its seconds if it ended well. Figures of a peer count although it ends
    /// badly behind them.
    fn timed(&self, job: &Job<'_>) -> Result<(String, Option<f64>)> {
        if !self.built.borrow().contains(&(job.who, job.source)) {
            self.shop.build(job.who, job.source)?;
            self.built.borrow_mut().insert((job.who, job.source));
        }
        let mut c = match job.hosts {
            None => self.shop.start(job.who, job.source, job.pes),
            Some((hosts, launcher)) => {
                let mut c = launcher.command(hosts, job.pes, false);
                c.arg(self.shop.binary(job.who, job.source));
                c
            }
        };
        c.args(job.args).envs(job.env.iter().copied());
        let c = match job.hosts {
            Some((hosts, _)) => hosts.in_hub(&c),
            None => c,
        };
        let begun = Instant::now();
        let outcome = launch::run(&c, if job.who == PLAIN && job.hosts.is_some() { SHORT } else { LIMIT })?;
        let took = begun.elapsed().as_secs_f64();
        let complaint = outcome.complaint();
        match &complaint {
            Some(why) if job.who.is_ours() || outcome.stdout.is_empty() => bail!("{c:?}: {why}"),
            _ => Ok((outcome.stdout + &outcome.stderr, complaint.is_none().then_some(took))),
        }
    }

    fn output(&self, job: &Job<'_>) -> Result<String> {
        Ok(self.timed(job)?.0)
    }

    /// What became of a contestant's job. The failure of a peer is noted, and that of oshmpi an error.
    fn noted(&self, who: Contestant, done: Result<()>) -> Result<()> {
        match done {
            Err(why) if who != OURS => {
                self.problems.borrow_mut().insert(format!("{}: {why:#}", who.name()));
                Ok(())
            }
            done => done,
        }
    }
}

fn add(samples: &mut Samples, measure: &'static str, line: Contestant, x: usize, value: f64, unit: &'static str) {
    samples.add(line, measure, Memory::Any, 0, Row { name: x.to_string(), value, unit });
}

pub fn kvs_memory(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let keys = if lab.quick { "1024,65536" } else { "1024,4096,16384,65536,262144,1000000" };
    lab.pmi_bench(&format!("memory --keys {keys} --clients 16"), samples)
}

pub fn kvs_get(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let (clients, gets) = if lab.quick { ("1,32", 1000) } else { ("1,2,4,8,16,32", 10_000) };
    lab.pmi_bench(&format!("get --keys 65536 --clients {clients} --gets {gets}"), samples)
}

pub fn exchange(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let program = pmi::Neighbours::new(Some(&lab.prefix))?;
    for &processes in lab.sizes(&[1, 2, 4, 8, 16, 32], &[2, 8]) {
        program.measure("exchange", processes, processes, 1, samples)?;
    }
    for &processes in lab.sizes(&[16, 32, 64], &[32]) {
        program.measure("exchange-nodes", processes, processes, processes / 16, samples)?;
    }
    Ok(())
}

pub fn neighbours(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let program = pmi::Neighbours::new(Some(&lab.prefix))?;
    for &nodes in lab.sizes(&[2, 4, 8, 16, 32], &[2, 4]) {
        for measure in ["broadcast", "neighbours"] {
            program.measure(measure, nodes, 2 * nodes, nodes, samples)?;
        }
    }
    Ok(())
}

/// The phases that `SHMEM_INFO` names.
const PHASES: [&str; 7] = ["launcher", "node", "MPI", "memory", "segments", "transport", "end"];

/// Phases and milliseconds of the line `start: 10.20 ms: launcher 4.59, node 5.36, ...` of `SHMEM_INFO`.
fn phases(text: &str) -> Result<Vec<(&'static str, f64)>> {
    let line = text.lines().find_map(|l| l.trim().strip_prefix("start: ")?.split_once(" ms: "));
    let phase = |part: &str| {
        let (name, ms) = part.trim().split_once(' ')?;
        Some((PHASES.into_iter().find(|known| *known == name)?, ms.parse().ok()?))
    };
    let found: Option<Vec<_>> = line.and_then(|(_, parts)| parts.split(',').map(phase).collect());
    found.context("SHMEM_INFO has no line with the phases of the start")
}

/// The time until the last process is ready, from the table of the program of a start among other lines.
fn last_ready(text: &str) -> Result<f64> {
    let is_row = |l: &&str| l.split_whitespace().map(str::parse::<f64>).filter(Result::is_ok).count() == 6;
    let [mpi, shmem, ..] = parse::processes(&text.lines().filter(is_row).collect::<Vec<_>>())?;
    ensure!(!mpi.is_empty(), "no process has said when it was ready");
    Ok(mpi.iter().zip(&shmem).map(|(a, b)| a + b).fold(0.0, f64::max))
}

pub fn start(lab: &Lab, samples: &mut Samples) -> Result<()> {
    for &pes in lab.sizes(&[2, 16, 64], &[2, 8]) {
        let job = Job { who: OURS, source: STARTUP, pes, hosts: None, args: &["alone"], env: &[INFO] };
        for (phase, ms) in phases(&lab.output(&job)?)? {
            add(samples, "start", Contestant::Variant(phase), pes, ms, "ms");
        }
    }
    Ok(())
}

pub fn init(lab: &Lab, samples: &mut Samples) -> Result<()> {
    for &count in lab.sizes(&[2, 4, 8], &[2]) {
        let hosts = Some((&Hosts::up(count)?, &MPIEXEC));
        let ours = Job { who: OURS, source: STARTUP, pes: count, hosts, args: &["alone"], env: &[INFO] };
        let over_mpi = Job { env: &[INFO, ("OSHMPI_TRANSPORT", "mpi")], ..ours };
        let plain = Job { who: PLAIN, args: &[], env: &[], ..ours };
        let objects = Job { args: &["objects"], ..plain };
        for (line, job) in [(OURS, ours), (OVER_MPI, over_mpi), (PLAIN, plain), (OBJECTS, objects)] {
            let done = lab.timed(&job).and_then(|(text, seconds)| {
                add(samples, "init", line, count, last_ready(&text)?, "ms");
                if let Some(seconds) = seconds {
                    add(samples, "init-job", line, count, seconds, "s");
                }
                for (phase, ms) in if line == OURS { phases(&text)? } else { Vec::new() } {
                    add(samples, "init-phases", Contestant::Variant(phase), count, ms, "ms");
                }
                Ok(())
            });
            lab.noted(line, done)?;
        }
    }
    Ok(())
}

/// What `OSHMPI_STATS=json` printed of each PE at these places, added.
fn counted(text: &str, places: &[&str]) -> Result<Vec<f64>> {
    let of = |line: &str| {
        let pe: serde_json::Value = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
        let values = places.iter().map(|p| pe.pointer(p).and_then(|v| v.as_f64()).with_context(|| format!("no {p}")));
        values.sum::<Result<f64>>()
    };
    let pes: Vec<f64> = text.lines().filter(|l| l.starts_with('{')).map(of).collect::<Result<_>>()?;
    ensure!(!pes.is_empty(), "OSHMPI_STATS printed nothing");
    Ok(pes)
}

const PEERS: &[&str] = &["/memory/peers", "/mpi/peers"];
const RESIDENT: &[&str] = &["/resident_kib"];

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub fn connections(lab: &Lab, samples: &mut Samples) -> Result<()> {
    // Under mpiexec the runtime has further sockets, by which it notices lost hosts.
    let oshrun = Launcher::Oshrun(lab.prefix.join("bin/oshrun"));
    for &count in lab.sizes(&[2, 4, 8], &[2]) {
        let hosts = Some((&Hosts::up(count)?, &oshrun));
        for (line, word) in [("after init", "none"), ("after a ring of puts", "ring"), ("all to all", "all")] {
            let job = Job { who: OURS, source: CONTACT, pes: count, hosts, args: &[word], env: &[STATS] };
            let mut sockets = counted(&lab.output(&job)?, &["/connections"])?;
            add(samples, "connections", Contestant::Variant(line), count, median(&mut sockets), "sockets");
        }
    }
    Ok(())
}

pub fn peers(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let programs: [(&str, &str, &[&str]); 3] =
        [("heat2d", HEAT, &["-n", "128x128"]), ("cg", CG, &["2000"]), ("all to all", CONTACT, &["all"])];
    for &pes in lab.sizes(&[16, 64], &[4]) {
        for (line, source, args) in programs {
            let job = Job { who: OURS, source, pes, hosts: None, args, env: &[BY_MPI, STATS] };
            let peers = counted(&lab.output(&job)?, PEERS)?;
            add(samples, "peers", Contestant::Variant(line), pes, mean(&peers), "PEs");
        }
    }
    Ok(())
}

/// Adds a message rate for each size that a program has printed, in millions per second.
fn add_rates(samples: &mut Samples, measure: &'static str, line: Contestant, text: &str) -> Result<()> {
    // Other lines are of libraries and launchers.
    let is_table = |l: &&str| l.starts_with('#') || l.starts_with(|c: char| c.is_ascii_digit());
    for row in parse::rows(&text.lines().filter(is_table).collect::<Vec<_>>().join("\n"))? {
        let size = row.name.parse().context("a row of a message rate has a size")?;
        add(samples, measure, line, size, 1.0 / row.value, "million/s");
    }
    Ok(())
}

const RATE: &str = "osu/osu_oshm_put_mr";
const PUT: &str = "mpi/mpi_put_mr";

pub fn message_rate(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let times = if lab.quick { "500" } else { "20000" };
    let ours =
        Job { who: OURS, source: RATE, pes: 2, hosts: None, args: &["heap", "-m", "8:16384", "-i", times], env: &[] };
    let plain = Job { who: PLAIN, source: PUT, args: &["-m", "8:16384", "-i", times], ..ours };
    let hosts = match hosts::missing() {
        None => Some(Hosts::up(2)?),
        Some(why) => {
            lab.problems.borrow_mut().insert(format!("message rate between hosts: {why}"));
            None
        }
    };
    let places = [("rate-node", None), ("rate-hosts", hosts.as_ref().map(|hosts| (hosts, &MPIEXEC)))];
    for (measure, hosts) in places.into_iter().filter(|(measure, hosts)| *measure == "rate-node" || hosts.is_some()) {
        for job in [Job { hosts, ..ours }, Job { hosts, ..plain }] {
            let done = lab.output(&job).and_then(|text| add_rates(samples, measure, job.who, &text));
            lab.noted(job.who, done)?;
        }
    }
    Ok(())
}

pub fn put_rate(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let lines = [
        (OURS, 2, "oshmpi/mpich, 2 PEs"),
        (OURS, 8, "oshmpi/mpich, 8 PEs"),
        (OURS, 16, "oshmpi/mpich, 16 PEs"),
        (Contestant::Oshmem, 2, "openmpi-oshmem, 2 PEs"),
        (Contestant::Oshmem, 8, "openmpi-oshmem, 8 PEs"),
        (Contestant::Oshmem, 16, "openmpi-oshmem, 16 PEs"),
    ];
    // Some milliseconds, so that PEs that share a core take turns within a measurement.
    let times = if lab.quick { "20000" } else { "100000" };
    for (who, pes, line) in lines {
        let job = Job { who, source: RATE, pes, hosts: None, args: &["heap", "-m", "8:16384", "-i", times], env: &[] };
        let done = lab.output(&job).and_then(|text| add_rates(samples, "put-rate", Contestant::Variant(line), &text));
        lab.noted(who, done)?;
    }
    Ok(())
}

/// The seconds in `sor on 512 x 512 points, 4 PEs: 700 sweeps, residual 9.9e-07, 1.23 s`.
fn seconds(text: &str) -> Result<f64> {
    let line = text.lines().find(|l| l.contains(" points, ")).context("heat2d has printed no time")?;
    let word = line.trim_end_matches(" s").rsplit(' ').next();
    word.and_then(|s| s.parse().ok()).with_context(|| format!("no time in {line:?}"))
}

pub fn heat2d(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let plate = if lab.quick { "256x256" } else { "512x512" };
    for &pes in lab.sizes(&[1, 2, 4], &[2]) {
        for who in [OURS, Contestant::Oshmem] {
            let job = Job { who, source: HEAT, pes, hosts: None, args: &["-n", plate], env: &[] };
            let took = lab.output(&job).and_then(|text| seconds(&text));
            lab.noted(who, took.map(|s| add(samples, "heat2d", who, pes, s, "s")))?;
        }
        // The launcher matters where PEs outnumber cores, and OSHMEM has its own.
        let mut c = Command::new(lab.prefix.join("bin/oshrun"));
        c.args(["-n", &pes.to_string()]).arg(lab.shop.binary(OURS, HEAT)).args(["-n", plate]);
        let outcome = launch::run(&c, LIMIT)?;
        ensure!(outcome.complaint().is_none(), "{c:?}: {:?}", outcome.complaint());
        add(samples, "heat2d", Contestant::Variant("oshmpi/mpich, oshrun"), pes, seconds(&outcome.stdout)?, "s");
    }
    Ok(())
}

pub fn memory(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let words = [
        ("after init", "none"),
        ("after a reduction", "reduce"),
        ("after contact with all", "all"),
        ("with 64 teams of all", "teams"),
    ];
    let places: [(_, _, &[_]); 3] =
        [("memory-node", OURS, &[]), ("memory-mpi", OURS, &[BY_MPI]), ("memory-plain", PLAIN, &[])];
    for &pes in lab.sizes(&[2, 4, 8, 16, 32], &[2, 4]) {
        for (measure, who, env) in places {
            for (line, word) in words {
                let text = lab.output(&Job { who, source: CONTACT, pes, hosts: None, args: &[word], env })?;
                let mut kib: Vec<f64> = text.lines().flat_map(str::parse).collect();
                ensure!(kib.len() == pes, "{} of {pes} PEs have said what memory they have", kib.len());
                add(samples, measure, Contestant::Variant(line), pes, median(&mut kib), "KiB");
            }
        }
    }
    Ok(())
}

pub fn cg_memory(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let lines: [(_, &[_]); 3] = [
        ("on a node", &[STATS]),
        ("OSHMPI_ROUTE=mpi, on demand", &[STATS, BY_MPI]),
        ("OSHMPI_ROUTE=mpi, OSHMPI_CONNECT=eager", &[STATS, BY_MPI, EAGER]),
    ];
    for &pes in lab.sizes(&[2, 4, 8, 16, 32], &[4]) {
        for (line, env) in lines {
            let job = Job { who: OURS, source: CG, pes, hosts: None, args: &["2000"], env };
            let mut kib = counted(&lab.output(&job)?, RESIDENT)?;
            add(samples, "cg-memory", Contestant::Variant(line), pes, median(&mut kib), "KiB");
        }
    }
    Ok(())
}

/// Programs that the user has built: `ep.S.4` is run on 4 PEs.
pub fn npb(lab: &Lab, samples: &mut Samples) -> Result<()> {
    let dir = lab.npb.as_deref().context("--npb names no directory")?;
    let mut found = 0;
    for entry in std::fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let (path, name) = entry.map(|e| (e.path(), e.file_name().to_string_lossy().into_owned()))?;
        let [program, class, pes] = name.split('.').collect::<Vec<_>>()[..] else { continue };
        let (true, Ok(pes)) = (class.len() == 1, pes.parse::<usize>()) else { continue };
        found += 1;
        // A line of a table has a name that stays; there are few programs.
        let line = Contestant::Variant(format!("{program}.{class}").leak());
        for (measure, env) in [("npb-node", None), ("npb-mpi", Some(BY_MPI))] {
            let mut c = Mpi::Mpich.mpiexec(pes);
            c.arg(&path).envs([STATS]).envs(env);
            let begun = Instant::now();
            let outcome = launch::run(&c, 4 * LIMIT)?;
            let took = begun.elapsed().as_secs_f64();
            if let Some(why) = outcome.complaint() {
                bail!("{name}: {why}");
            }
            add(samples, measure, line, pes, took, "s");
            if env.is_some() {
                let text = outcome.stdout + &outcome.stderr;
                add(samples, "npb-peers", line, pes, mean(&counted(&text, PEERS)?), "PEs");
                add(samples, "npb-memory", line, pes, median(&mut counted(&text, RESIDENT)?), "KiB");
            }
        }
    }
    ensure!(found > 0, "{} has no programs named as ep.S.4 is", dir.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_programs_and_libraries_print_is_read() {
        let info = "  0 of 2 PEs, started through oshrun\n  start: 3.20 ms: launcher 1.50, node 1.7\n0 0.0 9.5 1 1 1\n";
        assert_eq!(phases(info).unwrap(), [("launcher", 1.5), ("node", 1.7)]);
        assert_eq!(last_ready(&format!("{info}1 0.0 4.0 1 1 1\n")).unwrap(), 9.5);
        assert!(phases("start: 3 ms: lunch 3").is_err() && last_ready("# no rows\n").is_err());
        assert_eq!(seconds("sweep 9\nsor on 8 x 8 points, 2 PEs: 16 sweeps, residual 1e-7, 1.25 s\n").unwrap(), 1.25);
        let stats = "noise\n{\"mpi\":{\"peers\":2},\"memory\":{\"peers\":1}}\n";
        assert_eq!(counted(stats, PEERS).unwrap(), [3.0]);
        assert!(counted("noise", PEERS).is_err() && counted("{}", PEERS).is_err());
    }

    #[test]
    fn programs_are_there() {
        for source in [STARTUP, CONTACT, HEAT, CG, RATE, PUT] {
            let file = crate::util::root().join("benches").join(source).with_extension("c");
            assert!(file.exists(), "{}", file.display());
        }
    }
}
