//! `cargo xtask bench`: oshmpi, its peers and the machine's limits, interleaved in one run.
//!
//! `plan` says what is run, `contest` how, `launch` runs it, `parse` reads it, `samples` keeps it, `peers` compares
//! it, `report` shows it. `remote` is the benchmark of the transport between nodes, beside MPI or `others`; `path` that
//! of its cost over the network's own calls.

mod contest;
mod launch;
mod others;
mod parse;
mod path;
mod peers;
mod plan;
mod remote;
mod report;
mod samples;
mod turns;

use crate::{install, util::Mpi};
use anyhow::{Result, bail, ensure};
use contest::{Contestant, Workshop};
use plan::{Group, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Few iterations and one round: does everything run? Figures are rough
    #[arg(long)]
    quick: bool,
    /// Only these: put, get, atomics, barrier, startup, broadcast, collect, fcollect, reduce, alltoall, alltoalls,
    /// scan, put_signal, wait, lock
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// The MPIs that oshmpi is measured over [default: both]
    #[arg(long, value_enum, value_delimiter = ',')]
    mpi: Vec<Mpi>,
    /// Rounds; medians over them are shown [default: 5, with --quick 1]
    #[arg(long, value_name = "R")]
    repeat: Option<usize>,
    /// Measure the oshmpi installed here (for the one MPI given with --mpi) instead of building it
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum What {
    /// PEs of other nodes instead: each call beside the plain MPI call, or beside another OpenSHMEM
    Remote(remote::Args),
    /// Puts and atomics over UCX and libfabric instead, beside plain programs of these libraries' own calls
    Path(path::Args),
}

/// The longest time that one start of one program may take. With more processes than cores a barrier can take tens of
/// milliseconds.
const LIMIT: Duration = Duration::from_secs(120);

pub fn run(args: Args) -> Result<()> {
    match args.what {
        Some(What::Remote(args)) => return remote::run(args),
        Some(What::Path(args)) => return path::run(args),
        None => {}
    }
    let mpis = if args.mpi.is_empty() { Mpi::ALL.to_vec() } else { args.mpi };
    ensure!(args.prefix.is_none() || mpis.len() == 1, "--prefix needs --mpi mpich or --mpi openmpi");
    let rounds = args.repeat.unwrap_or(if args.quick { 1 } else { 5 });
    ensure!(rounds > 0, "--repeat must be at least 1");
    let cores = std::thread::available_parallelism()?.get();
    let groups = plan::plan(&plan::Wanted { mpis: mpis.clone(), cores, quick: args.quick, only: args.only })?;
    if args.prefix.is_none() {
        for &mpi in &mpis {
            install::run(install::Args::ours(mpi, install::library::Profile::Release))?;
        }
    }
    // Not before: building loads the machine.
    warn_if_busy();
    let mut bench =
        Bench { shop: Workshop::new(args.prefix)?, samples: Default::default(), problems: Default::default() };
    bench.build(&groups);
    for round in 0..rounds {
        bench.round(&groups, round);
        eprintln!("round {}/{rounds} done", round + 1);
    }
    mpis.iter().for_each(|mpi| print!("{}", report::ratios(&bench.samples, *mpi, cores)));
    if !bench.problems.is_empty() {
        println!("\nnot measured, or with a complaint");
        bench.problems.iter().for_each(|(what, why)| println!("  {what}: {why}"));
    }
    let failed: Vec<_> = bench.problems.keys().filter(|what| what.starts_with("oshmpi/")).collect();
    if !failed.is_empty() {
        bail!("{} measurements of oshmpi itself did not end well, the first: {}", failed.len(), failed[0]);
    }
    Ok(())
}

/// Says so when somebody else would be measured too.
fn warn_if_busy() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let last_minute = load.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    if last_minute > 0.5 {
        eprintln!("the machine is busy (load {last_minute:.1}): figures will be worse than they are");
    }
}

struct Bench {
    shop: Workshop,
    samples: samples::Samples,
    /// The label of a step or a build, and what was wrong with it.
    problems: BTreeMap<String, String>,
}

impl Bench {
    /// Compiles what the plan needs. A program that does not compile is not run.
    fn build(&mut self, groups: &[Group]) {
        let needed: BTreeSet<_> = groups.iter().flat_map(|g| &g.steps).map(|s| (s.who, s.source)).collect();
        for (who, source) in needed {
            if let Err(why) = self.shop.build(who, source) {
                self.problems.insert(build_label(who, source), format!("{why:#}"));
            }
        }
    }

    fn round(&mut self, groups: &[Group], round: usize) {
        for group in groups.iter().filter(|g| round < g.rounds) {
            let mut steps: Vec<_> = group.steps.iter().collect();
            // No contestant is always the first after a change of programs.
            let len = steps.len();
            steps.rotate_left(round % len);
            for step in steps {
                for row in self.step(step) {
                    self.samples.add(step.who, step.measure, step.memory, step.pes, row);
                }
            }
        }
    }

    fn step(&mut self, step: &Step) -> Vec<parse::Row> {
        let label = step.label();
        // A step that gave no figures once gives none in the next round either, and could take the whole time limit
        // again.
        if self.problems.contains_key(&label) || self.problems.contains_key(&build_label(step.who, step.source)) {
            return Vec::new();
        }
        self.measure(step).unwrap_or_else(|complaint| {
            self.problems.insert(label, complaint);
            Vec::new()
        })
    }

    /// Runs a step and returns its figures, or what was wrong.
    ///
    /// The figures of a peer count although it ends badly after its table: Open MPI's OpenSHMEM crashes in
    /// shmem_finalize.
    fn measure(&self, step: &Step) -> Result<Vec<parse::Row>, String> {
        let mut command = self.shop.start(step.who, step.source, step.pes);
        let outcome = launch::run(command.args(&step.args), LIMIT).map_err(|why| format!("{why:#}"))?;
        let complaint = outcome.complaint();
        if let Some(complaint) = complaint.clone().filter(|_| step.who.is_ours()) {
            return Err(complaint);
        }
        parse::rows(&outcome.stdout).map_err(|why| complaint.unwrap_or_else(|| format!("{why:#}")))
    }
}

fn build_label(who: Contestant, source: &str) -> String {
    format!("{} {source}", who.name())
}
