//! `cargo xtask bench papers`: the experiments of the five papers that the project comes from, each beside what the
//! paper says. `EXPERIMENTS` is the table, `runs` has what they run.

mod runs;

use super::contest::Contestant;
use super::parse::Row;
use super::samples::{File, Memory, Samples};
use super::{charts, host, pmi, report, stem};
use crate::cluster::hosts;
use crate::install;
use crate::util::Mpi;
use anyhow::{Result, bail, ensure};
use runs::Lab;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// One round of small jobs: does everything run? Figures are rough
    #[arg(long)]
    quick: bool,
    /// Only these experiments; --list shows their names
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Rounds; medians over them are shown. Those that take long have fewer [default: 3, with --quick 1]
    #[arg(long, value_name = "R")]
    repeat: Option<usize>,
    /// Measure the oshmpi installed here instead of building it
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Also run the programs of this directory that are named as those of NPB are, such as ep.S.4
    #[arg(long, value_name = "DIR")]
    npb: Option<PathBuf>,
    /// Show the experiments and end
    #[arg(long)]
    list: bool,
}

/// A table and a plot. All lines have the same x.
struct Figure {
    /// The name in the samples.
    measure: &'static str,
    title: &'static str,
    x: &'static str,
    unit: &'static str,
    /// Lines of the paper's with a point each: line, x, value.
    theirs: &'static [(&'static str, usize, f64)],
}

const fn figure(measure: &'static str, title: &'static str, x: &'static str, unit: &'static str) -> Figure {
    Figure { measure, title, x, unit, theirs: &[] }
}

struct Experiment {
    name: &'static str,
    paper: &'static str,
    /// What the paper found, where it was measured on other machines and with other sizes than here.
    found: &'static str,
    figures: &'static [Figure],
    /// It is not repeated more often.
    rounds: usize,
    /// It plays hosts, which needs root.
    hosts: bool,
    run: fn(&Lab, &mut Samples) -> Result<()>,
}

const COPY: &str = "paper: a copy per process";
const SHARED: &str = "paper: shared memory";
const SOCKET: &str = "paper: socket";

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "kvs-memory",
        paper: "SHMEMPMI, Figs. 2 and 7",
        found: "960 and 800 MB become 64 and 40 MB: a copy per node instead of one per process",
        figures: &[
            Figure {
                theirs: &[(COPY, 1_000_000, 960.0), (SHARED, 1_000_000, 64.0)],
                ..figure("memory-fence", "memory of a node after a fence, 16 clients", "processes", "MB")
            },
            Figure {
                theirs: &[(COPY, 1_000_000, 800.0), (SHARED, 1_000_000, 40.0)],
                ..figure("memory-gather", "memory of a node after an allgather, 16 clients", "processes", "MB")
            },
        ],
        rounds: 1,
        hosts: false,
        run: runs::kvs_memory,
    },
    Experiment {
        name: "kvs-get",
        paper: "SHMEMPMI, Figs. 1 and 8(a)",
        found: "a Get takes 20 us (1 client) to 250 us (32) over a socket, and 0.25 us from shared memory",
        figures: &[Figure {
            theirs: &[(SOCKET, 1, 20.0), (SOCKET, 32, 250.0), (SHARED, 1, 0.25), (SHARED, 32, 0.25)],
            ..figure("get-wall-65536", "PMI2_KVS_Get, 65536 keys: time a client waits", "clients", "us")
        }],
        rounds: 1,
        hosts: false,
        run: runs::kvs_get,
    },
    Experiment {
        name: "exchange",
        paper: "SHMEMPMI, Fig. 9; PMI extensions, Figs. 2, 8 and 9",
        found: "a start that exchanges by a ring takes up to 34 % less; the fence takes most of a put-fence-get, and \
                shared memory does not slow it; it speeds up a large allgather. The start of this runtime has a \
                record per node, a fence and reads from shared memory instead, so exchanges alone are measured",
        figures: &[
            figure("exchange", "operations of an exchange, one node", "processes", "us"),
            figure("exchange-nodes", "the same, 16 processes per played node", "processes", "us"),
        ],
        rounds: usize::MAX,
        hosts: false,
        run: runs::exchange,
    },
    Experiment {
        name: "neighbours",
        paper: "PMI extensions, Fig. 7",
        found: "(a) a value for all: the fence is best. (b) values of neighbours: put-fence-get grows with the \
                processes, DKVS (here: owner by hash) and direct stay constant, and the tree is worst at scale. A put \
                that a tree of servers keeps (their design 1) is not built here",
        figures: &[
            figure("broadcast", "until all have the value of one process, 2 processes per played node", "nodes", "us"),
            figure("neighbours", "until all have a value of another node, the same", "nodes", "us"),
        ],
        rounds: usize::MAX,
        hosts: false,
        run: runs::neighbours,
    },
    Experiment {
        name: "start",
        paper: "PMI extensions, Fig. 1",
        found: "the PMI exchange takes most of MPI_Init at large scale. Here it is in the phases launcher and node",
        figures: &[figure("start", "phases of shmem_init on one node, of PE 0", "PEs", "ms")],
        rounds: usize::MAX,
        hosts: false,
        run: runs::start,
    },
    Experiment {
        name: "init",
        paper: "on-demand connections: initialisation and its breakdown",
        found: "constant at any scale; 29.6 times faster at 8192 processes; a hello 8.3 times",
        figures: &[
            figure("init", "init of the last process, hosts of one PE", "hosts", "ms"),
            figure("init-job", "time of the job, from the launcher's call to its end", "hosts", "s"),
            figure("init-phases", "phases of shmem_init on these hosts, of PE 0", "hosts", "ms"),
        ],
        rounds: usize::MAX,
        hosts: true,
        run: runs::init,
    },
    Experiment {
        name: "connections",
        paper: "on-demand connections: resource usage",
        found: "more than 90 % fewer connections than all to all",
        figures: &[figure("connections", "sockets of a PE to other hosts, hosts of one PE", "hosts", "sockets")],
        rounds: 1,
        hosts: true,
        run: runs::connections,
    },
    Experiment {
        name: "peers",
        paper: "on-demand connections: communicating peers",
        found: "at 64 processes: EP 3, BT 8.7, SP 8.75, MG 9.46, 2D heat 5.28; at 1024: 5.01 to 11.9",
        figures: &[Figure {
            theirs: &[("paper: 2D heat", 64, 5.28), ("paper: MG of NAS", 64, 9.46)],
            ..figure("peers", "PEs that a PE has operations with, mean, OSHMPI_ROUTE=mpi", "PEs", "PEs")
        }],
        rounds: 1,
        hosts: false,
        run: runs::peers,
    },
    Experiment {
        name: "message-rate",
        paper: "OSHMPI, Fig. 3",
        found: "a SHMEM of its own has a higher rate of small messages than MPI-3 RMA between nodes, and the same of \
                large ones",
        figures: &[
            figure("rate-node", "puts of 2 PEs on a node", "bytes", "million/s"),
            figure("rate-hosts", "puts of 2 PEs on two hosts", "bytes", "million/s"),
        ],
        rounds: usize::MAX,
        hosts: false,
        run: runs::message_rate,
    },
    Experiment {
        name: "put-rate",
        paper: "OSHMPI, Fig. 5",
        found: "on a node OSHMPI is among the best, by load and store; between nodes it is behind",
        figures: &[figure("put-rate", "puts of half of the PEs of a node to the other half", "bytes", "million/s")],
        rounds: usize::MAX,
        hosts: false,
        run: runs::put_rate,
    },
    Experiment {
        name: "heat2d",
        paper: "OSHMPI, Fig. 8",
        found: "128 to 1024 PEs, 32K x 32K points: as fast as other implementations. Here: the example, 512 x 512",
        figures: &[figure("heat2d", "2D heat equation on a node", "PEs", "s")],
        rounds: usize::MAX,
        hosts: false,
        run: runs::heat2d,
    },
    Experiment {
        name: "memory",
        paper: "MPICH2 memory, Fig. 1",
        found: "constant without communication and after a reduction, growing with the PEs after contact with all",
        figures: &[
            figure("memory-node", "private memory of a PE on a node", "PEs", "KiB"),
            figure("memory-mpi", "private memory of a PE, OSHMPI_ROUTE=mpi", "PEs", "KiB"),
            figure("memory-plain", "private memory of a process of plain MPI (MPICH)", "PEs", "KiB"),
        ],
        rounds: 1,
        hosts: false,
        run: runs::memory,
    },
    Experiment {
        name: "cg-memory",
        paper: "MPICH2 memory, Table 1",
        found: "CG at 512 processes: 10.9 % less with connections on demand, MG 10.7 %. Here: the example cg",
        figures: &[figure("cg-memory", "private memory of a PE of cg, at its end", "PEs", "KiB")],
        rounds: 1,
        hosts: false,
        run: runs::cg_memory,
    },
    Experiment {
        name: "npb",
        paper: "on-demand connections: NAS; PMI extensions, Fig. 10",
        found: "18 to 35 % less time of the job at 256 processes, class B; up to 20 % at 1024",
        figures: &[
            figure("npb-node", "time of the job on a node", "PEs", "s"),
            figure("npb-mpi", "time of the job, OSHMPI_ROUTE=mpi", "PEs", "s"),
            figure("npb-peers", "peers of a PE, mean, OSHMPI_ROUTE=mpi", "PEs", "PEs"),
            figure("npb-memory", "private memory of a PE, OSHMPI_ROUTE=mpi", "PEs", "KiB"),
        ],
        rounds: 1,
        hosts: false,
        run: runs::npb,
    },
];

pub fn run(args: Args) -> Result<()> {
    if args.list {
        EXPERIMENTS.iter().for_each(|e| println!("{:<14}{}", e.name, e.paper));
        return Ok(());
    }
    let chosen = chosen(&args.only, args.npb.is_some())?;
    if chosen.is_empty() {
        return Ok(());
    }
    let rounds = args.repeat.unwrap_or(if args.quick { 1 } else { 3 });
    ensure!(rounds > 0, "--repeat must be at least 1");
    if args.prefix.is_none() {
        install::run(install::Args::ours(Mpi::Mpich, install::library::Profile::Release))?;
    }
    let pmi = chosen.iter().any(|e| e.name.starts_with("kvs-")).then(pmi::built).transpose()?;
    let lab = Lab::new(args.quick, args.prefix, pmi, args.npb)?;
    let host = host::Host::idle()?;
    let stem = stem(&format!("{}-{}-papers", host::today()?, host.slug()))?;
    let (mut samples, mut failed) = (Samples::default(), Vec::new());
    let progress = crate::progress::bar(chosen.len() as u64);
    for experiment in &chosen {
        progress.set_message(experiment.name);
        let result = (0..rounds.min(experiment.rounds)).try_for_each(|_| (experiment.run)(&lab, &mut samples));
        if let Err(why) = result {
            failed.push(format!("{}: {why:#}", experiment.name));
        }
        add_theirs(experiment, &mut samples);
        progress.suspend(|| print!("{}", shown(experiment, &samples)));
        progress.inc(1);
    }
    progress.finish_and_clear();
    let mut file = File::new(&samples, host, args.quick, rounds)?;
    file.problems = lab.problems().into_iter().chain(failed.iter().cloned()).collect();
    if !file.problems.is_empty() {
        println!("\nnot measured, or with a complaint");
        file.problems.iter().for_each(|p| println!("  {p}"));
    }
    let json = PathBuf::from(format!("{}.json", stem.display()));
    file.write(&json)?;
    println!("\nwritten: {}", json.display());
    for experiment in &chosen {
        let panels = experiment.figures.iter();
        let panels: Vec<_> =
            panels.filter_map(|f| charts::variants(&samples, f.measure, f.title, f.x, f.unit)).collect();
        if !panels.is_empty() {
            println!("written: {}", charts::file(&stem, experiment.name, &panels)?.display());
        }
    }
    if let Some(first) = failed.first() {
        bail!("{} experiments failed, the first: {first}", failed.len());
    }
    Ok(())
}

/// The experiments that are asked for and possible. What is left out is said in a line.
fn chosen(only: &[String], npb: bool) -> Result<Vec<&'static Experiment>> {
    if let Some(name) = only.iter().find(|name| EXPERIMENTS.iter().all(|e| e.name != name.as_str())) {
        let names: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
        bail!("--only {name}: not an experiment; there are {}", names.join(", "));
    }
    ensure!(npb || !only.iter().any(|name| name == "npb"), "--only npb needs --npb DIR");
    let wanted = |e: &&Experiment| only.is_empty() || only.iter().any(|name| name == e.name);
    let mut chosen: Vec<_> = EXPERIMENTS.iter().filter(wanted).filter(|e| npb || e.name != "npb").collect();
    if chosen.iter().any(|e| e.hosts)
        && let Some(why) = hosts::missing()
    {
        let left: Vec<_> = chosen.iter().filter(|e| e.hosts).map(|e| e.name).collect();
        println!("not measured: {}: {why}", left.join(", "));
        chosen.retain(|e| !e.hosts);
    }
    Ok(chosen)
}

/// The paper's values become lines of the tables and plots, where something was measured.
fn add_theirs(experiment: &Experiment, samples: &mut Samples) {
    for figure in experiment.figures {
        let measured = samples.all().any(|(_, what)| what.measure == figure.measure);
        for &(line, x, value) in figure.theirs.iter().filter(|_| measured) {
            let row = Row { name: x.to_string(), value, unit: figure.unit };
            samples.add(Contestant::Variant(line), figure.measure, Memory::Any, 0, row);
        }
    }
}

/// What the paper found, and the tables of what was measured.
fn shown(experiment: &Experiment, samples: &Samples) -> String {
    let table = |f: &Figure| report::medians(samples, &format!("{} [{}]", f.title, f.unit), f.measure, f.x);
    let tables: String = experiment.figures.iter().map(table).collect();
    format!("\n== {}: {}\nfound by the paper: {}\n{tables}", experiment.name, experiment.paper, experiment.found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn papers_values_stand_beside_what_was_measured() {
        let memory = &EXPERIMENTS[0];
        let mut samples = Samples::default();
        add_theirs(memory, &mut samples);
        assert_eq!(samples.all().count(), 0, "nothing was measured");
        let row = Row { name: "1000000".into(), value: 65.0, unit: "MB" };
        samples.add(Contestant::Variant("shared memory"), "memory-fence", Memory::Any, 0, row);
        add_theirs(memory, &mut samples);
        let text = shown(memory, &samples);
        assert!(text.contains("65.0") && text.contains("960") && !text.contains("allgather"), "{text}");
    }

    #[test]
    fn experiments_and_figures_have_names_of_their_own() {
        let mut names: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
        let mut measures: Vec<_> = EXPERIMENTS.iter().flat_map(|e| e.figures).map(|f| f.measure).collect();
        let counts = (names.len(), measures.len());
        names.sort_unstable();
        measures.sort_unstable();
        names.dedup();
        measures.dedup();
        assert_eq!((names.len(), measures.len()), counts);
        assert!(chosen(&["no".into()], false).err().unwrap().to_string().contains("--only no"));
        assert!(chosen(&["npb".into()], false).err().unwrap().to_string().contains("--npb DIR"));
    }
}
