//! `cargo xtask bench`: oshmpi, its peers and the machine's limits, interleaved in one run.
//!
//! `plan` says what is run, `contest` how, `launch` runs it, `parse` reads it, `samples` keeps it, `targets` compares
//! it, `report` and `plot` show it. `line` tells what the machine is like meanwhile. `collective` and `crowd` are the plans and tables of collectives and waits. `pmi` and
//! `far` are benchmarks of their own, of the process management and of the way to other nodes.

mod collective;
mod contest;
mod crowd;
mod far;
mod host;
mod launch;
mod line;
mod parse;
mod plan;
mod plot;
mod pmi;
mod report;
mod samples;
mod targets;

use crate::{install, util, util::Mpi};
use anyhow::{Context, Result, bail, ensure};
use contest::{Contestant, Workshop};
use parse::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{IsTerminal, Write};
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
    /// Only these: put, get, put_nb, get_nb, put_mr, put_mr_nb, get_mr_nb, atomics, barrier, startup, broadcast, collect,
    /// fcollect, reduce, alltoall, alltoalls, scan, put_signal, wait, lock, oversubscribed
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// The MPI that oshmpi is measured over
    #[arg(long, value_enum, default_value = "both")]
    mpi: Which,
    /// Rounds; medians over them are shown [default: 5, with --quick 1]
    #[arg(long, value_name = "R")]
    repeat: Option<usize>,
    /// Print ratios to an older result
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Measure the oshmpi installed here (for the one MPI given with --mpi) instead of building it
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

#[derive(clap::Subcommand)]
enum What {
    /// The process management instead: Get, memory of a node, fences
    Pmi(pmi::Args),
    /// PEs of other nodes instead: each call beside the plain MPI call
    Far(far::Args),
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    Mpich,
    Openmpi,
    Both,
}

impl Which {
    fn mpis(self) -> Vec<Mpi> {
        match self {
            Which::Mpich => vec![Mpi::Mpich],
            Which::Openmpi => vec![Mpi::Openmpi],
            Which::Both => Mpi::ALL.to_vec(),
        }
    }
}

/// How often the programs of a round are run anew because the host moved the cores in between, which takes a line ten times as
/// long, or a tenth: then the figures of the one do not compare with those of the other.
const ANEW: usize = 5;

/// What one start of one program may take. Barriers with more processes than cores can take tens of milliseconds.
const LIMIT: Duration = Duration::from_secs(120);

pub fn run(args: Args) -> Result<()> {
    match args.what {
        Some(What::Pmi(args)) => return pmi::run(args),
        Some(What::Far(args)) => return far::run(args),
        None => {}
    }
    ensure!(args.prefix.is_none() || args.mpi != Which::Both, "--prefix needs --mpi mpich or --mpi openmpi");
    // Before the measurements, which take minutes: a wrong file name should not cost them.
    let older = args.against.as_deref().map(samples::File::read).transpose()?;
    let mpis = args.mpi.mpis();
    let rounds = args.repeat.unwrap_or(if args.quick { 1 } else { 5 });
    ensure!(rounds > 0, "--repeat must be at least 1");
    let host = host::Host::here()?;
    let wanted = plan::Wanted { mpis: mpis.clone(), cores: host.cores, quick: args.quick, only: args.only.clone() };
    let groups = plan::plan(&wanted)?;

    if args.prefix.is_none() {
        for &mpi in &mpis {
            install::run(install::Args::ours(mpi, install::library::Profile::Release))?;
        }
    }
    // Not before: building loads the machine.
    let host = host::Host::here()?;
    if host.load > 0.5 {
        eprintln!("the machine is busy (load {:.1}): figures will be worse than they are", host.load);
    }
    let mut bench = Bench {
        shop: Workshop::new(args.prefix)?,
        samples: Default::default(),
        problems: Default::default(),
        ways: Vec::new(),
        moved: 0,
    };
    bench.build(&groups);
    for round in 0..rounds {
        bench.round(&groups, round, rounds);
    }
    let Bench { samples, problems, ways, moved, .. } = bench;

    let mut file = samples::File::new(&samples, host, host::versions(), args.quick, rounds)?;
    let cores = file.host.cores;
    for &mpi in &mpis {
        print!("{}", report::ratios(&samples, mpi, cores));
        print!("{}", collective::table(&samples, mpi, cores));
        file.targets.extend(targets::judge(&samples, Contestant::Ours(mpi), cores));
    }
    print!("{}", crowd::table(&samples, cores));
    print!("{}", report::startup(&samples, &mpis));
    print!("{}", report::ways(&ways, moved));
    print!("{}", report::verdicts(&file.targets));
    if let Some(older) = older {
        print!("{}", report::against(&file, &older));
    }
    file.ways = ways;
    file.problems = problems.iter().map(|(what, why)| format!("{what}: {why}")).collect();
    if !problems.is_empty() {
        println!("\nnot measured, or with a complaint");
        file.problems.iter().for_each(|p| println!("  {p}"));
    }

    let stem = stem(&file, args.quick || !args.only.is_empty())?;
    let json = stem.with_file_name(format!("{}.json", stem.file_name().expect("a stem has a name").to_string_lossy()));
    file.write(&json)?;
    println!("\nwritten: {}", json.display());
    for svg in plot::draw(&samples, &mpis, cores, &stem)? {
        println!("written: {}", svg.display());
    }
    let failed: Vec<_> = problems.keys().filter(|what| what.starts_with("oshmpi/")).collect();
    if !failed.is_empty() {
        bail!("{} measurements of oshmpi itself did not end well, the first: {}", failed.len(), failed[0]);
    }
    Ok(())
}

/// Where a result goes, without `.json` and so on.
fn stem(file: &samples::File, partial: bool) -> Result<PathBuf> {
    stem_in(&format!("{}-{}", file.date, file.host.slug()), partial)
}

/// Results of a whole run are kept in the tree; a quick or partial one must not take the place of such a result.
fn stem_in(name: &str, partial: bool) -> Result<PathBuf> {
    let dir = util::root().join(if partial { "target/bench/results" } else { "benches/results" });
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    Ok(dir.join(name))
}

struct Bench {
    shop: Workshop,
    samples: samples::Samples,
    /// Label of a step or a build, to what was wrong with it.
    problems: BTreeMap<String, String>,
    /// Microseconds that a line took from core to core, of each group of each round.
    ways: Vec<f64>,
    /// Groups in which that changed, every time they were run.
    moved: usize,
}

impl Bench {
    /// Compiles what the plan needs. Who does not compile is not run.
    fn build(&mut self, groups: &[plan::Group]) {
        let needed: BTreeSet<_> = groups.iter().flat_map(|g| &g.steps).map(|s| (s.who, s.program)).collect();
        for (who, program) in needed {
            if let Err(why) = self.shop.build(who, program) {
                self.problems.insert(build_label(who, program), format!("{why:#}"));
            }
        }
    }

    fn round(&mut self, groups: &[plan::Group], round: usize, rounds: usize) {
        let terminal = std::io::stderr().is_terminal();
        for (number, group) in groups.iter().enumerate().filter(|(_, g)| round < g.rounds) {
            let mut steps: Vec<_> = group.steps.iter().collect();
            // Nobody is always the first after a change of programs.
            let len = steps.len();
            steps.rotate_left(round % len);
            let mut figures = self.together(&steps, &mut |step| {
                if terminal {
                    eprint!("\r\x1b[Kround {}/{rounds}, {}/{}: {}", round + 1, number + 1, groups.len(), step.label());
                    // Progress is a courtesy; a closed stderr is no reason to stop.
                    let _ = std::io::stderr().flush();
                }
            });
            for (step, row) in figures.drain(..) {
                self.samples.add(step.who, step.measure, step.memory, step.pes, row);
            }
        }
        if terminal {
            eprint!("\r\x1b[K");
        }
        eprintln!("round {}/{rounds} done", round + 1);
    }

    /// Runs the steps while the cores lie in one place, and returns their figures.
    fn together<'a>(
        &mut self,
        steps: &[&'a plan::Step],
        begin: &mut dyn FnMut(&plan::Step),
    ) -> Vec<(&'a plan::Step, Row)> {
        for _ in 0..ANEW {
            if let Some(figures) = self.attempt(steps, begin, true) {
                return figures;
            }
        }
        self.moved += 1;
        self.attempt(steps, begin, false).expect("only what may be given up is")
    }

    /// None: given up because the cores were moved in between.
    fn attempt<'a>(
        &mut self,
        steps: &[&'a plan::Step],
        begin: &mut dyn FnMut(&plan::Step),
        strict: bool,
    ) -> Option<Vec<(&'a plan::Step, Row)>> {
        let mut ways: Vec<f64> = line::way().into_iter().collect();
        let mut figures = Vec::new();
        for &step in steps {
            begin(step);
            figures.extend(self.step(step).into_iter().map(|row| (step, row)));
            ways.extend(line::way());
            if strict && !line::alike(&ways) {
                return None;
            }
        }
        self.ways.extend((!ways.is_empty()).then(|| samples::median(&mut ways)));
        Some(figures)
    }

    fn step(&mut self, step: &plan::Step) -> Vec<Row> {
        let label = step.label();
        // What gave no figures once will not in the next round, and may cost the time limit again.
        if self.problems.contains_key(&label) || self.problems.contains_key(&build_label(step.who, step.program)) {
            return Vec::new();
        }
        self.measure(step).unwrap_or_else(|complaint| {
            self.problems.insert(label, complaint);
            Vec::new()
        })
    }

    /// Runs a step and returns its figures, or what was wrong.
    ///
    /// A peer may end badly after its table (Open MPI's OpenSHMEM crashes in shmem_finalize): its figures count.
    fn measure(&self, step: &plan::Step) -> Result<Vec<Row>, String> {
        let mut command = self.shop.start(step.who, step.program, step.pes);
        command.args(&step.args);
        let outcome = launch::run(&mut command, LIMIT).map_err(|why| format!("{why:#}"))?;
        let complaint = outcome.complaint();
        if let Some(complaint) = complaint.clone().filter(|_| step.who.is_ours()) {
            return Err(complaint);
        }
        parse::rows(&outcome.stdout).map_err(|why| complaint.unwrap_or_else(|| format!("{why:#}")))
    }
}

fn build_label(who: Contestant, program: contest::Program) -> String {
    format!("{} {}", who.name(), program.source)
}
