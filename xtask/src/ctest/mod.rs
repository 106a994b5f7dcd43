//! `cargo xtask ctest`: builds the C programs of tests/openshmem/tests.list with the installed oshcc, runs them with
//! mpiexec and judges strictly (see the head of that file).

mod build;
mod cases;
mod judge;
pub mod leftovers;
mod list;
mod rules;
mod sample;
mod way;

use crate::cluster::hosts::{self, Hosts};
use crate::cluster::slurm::{self, Slurm};
use crate::install::cross;
use crate::seed;
use crate::util::{self, Mpi, each, read, root};
use anyhow::{Context, Result, bail};
use build::Place;
use leftovers::Private;
use list::Entry;
pub use list::words;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, RwLock};
use std::thread;
use std::time::{Duration, Instant};
pub use way::emulator;
use way::{Ground, Way};

#[derive(clap::Args)]
pub struct Args {
    /// Only tests whose program, arguments, environment or flags contain all these words
    filter: Vec<String>,
    /// Only these programs
    #[arg(long, value_delimiter = ',')]
    programs: Vec<String>,
    /// Only with these MPIs
    #[arg(long, value_enum, value_delimiter = ',')]
    mpi: Vec<Mpi>,
    /// Only the runs with no more PEs than this
    #[arg(long)]
    most_pes: Option<usize>,
    /// Ways to run: node, mpi, always, oshrun, 2x2, ... (an unknown one prints all)
    #[arg(long, value_parser = way::parse, value_delimiter = ',', default_value = "node")]
    way: Vec<&'static Way>,
    /// One run of every line of the list only: the one with most PEs, up to 4
    #[arg(long)]
    short: bool,
    /// Only every so many-th of the runs; one run of each program at least, in the first MPI and way that it is for
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// What samples and random programs depend on (default: from the commit)
    #[arg(long)]
    seed: Option<u32>,
    /// Installation to test; with one --mpi or --mpicc (default: target/prefix/MPI)
    #[arg(long)]
    prefix: Option<PathBuf>,
    /// The compiler wrapper of the MPI that the installation was built over, where it is not Debian's: its mpiexec
    /// starts the runs
    #[arg(long, requires = "prefix", conflicts_with = "mpi")]
    mpicc: Option<String>,
    /// Runs at the same time (default: one per core)
    #[arg(long)]
    jobs: Option<usize>,
    /// Give every run so many times the time it has in the list: for machines with other work
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    slow: u32,
    /// Do each run so many times
    #[arg(long, default_value_t = 1)]
    repeat: usize,
    /// Print the runs, do not do them
    #[arg(long)]
    list: bool,
    /// Only compare docs/conformance.md with the rules that the programs claim
    #[arg(long)]
    rules: bool,
    /// With --rules: bring the programs in docs/conformance.md up to date
    #[arg(long, requires = "rules")]
    write: bool,
    /// Print every run with its time, not only failures
    #[arg(long, short)]
    verbose: bool,
}

/// One run to do.
struct Run<'a> {
    place: &'a Place,
    entry: &'a Entry,
    pes: usize,
    way: &'static Way,
}

impl Run<'_> {
    fn ground<'g>(&self, grounds: &'g Grounds) -> Option<&'g Ground> {
        grounds.get(&key(self.way)?)
    }

    fn name(&self) -> String {
        let way = if self.way.is_normal() { String::new() } else { format!("{:<7} ", self.way.name) };
        format!("{:<7} {way}{:>2} PE  {}", self.place.mpi, self.pes, self.entry.label())
    }
}

/// Passed, failed and time of one chapter with one MPI.
#[derive(Default, Clone, Copy)]
struct Tally {
    passed: usize,
    failed: usize,
    time: Duration,
}

pub fn run(args: Args) -> Result<()> {
    seed::given(args.seed);
    let sources = sources();
    let mut entries = entries()?;
    entries.iter_mut().for_each(|e| e.time *= args.slow);
    if args.rules {
        return rules(&sources, &entries, args.write);
    }
    let places = places(&args, &sources)?;
    let chosen = choose(&args, &places, &entries);
    let fits = !chosen.is_empty();
    let no_mpifort = args.mpicc.is_some() && !places.iter().any(|place| place.mpi.has("mpifort"));
    let runs = without(chosen, "of Fortran programs that call MPI: it has no mpifort", |run| {
        no_mpifort && build::needs_mpifort(&run.place.sources, &run.entry.program)
    });
    let no_pmix = |run: &Run| args.mpicc.is_none() && run.place.mpi == Mpi::Mpich && run.way.is_by_pmix();
    let runs =
        without(runs, "that need MPI: Debian's MPICH does not speak PMIx", |run| no_pmix(run) && run.entry.needs_mpi());
    if args.list {
        runs.iter().for_each(|r| println!("{}", r.name()));
        return Ok(());
    }
    if !fits {
        bail!("no test was run: nothing in tests.list fits");
    }
    if runs.is_empty() {
        return Ok(());
    }
    places.iter().try_for_each(Place::is_ready)?;
    let grounds = match missing(&args.way) {
        None => grounds(&args.way)?,
        Some(why) if args.way.iter().all(|w| w.hosts().is_some()) => {
            println!("skipped: {why}");
            return Ok(());
        }
        Some(why) => bail!("{why}"),
    };
    leftovers::sweep();
    let private = Private::with(places.iter().map(|p| p.prefix.clone()).chain([root()]))?;
    if !private.is_complete() {
        println!("runs share /dev/shm and /tmp here: what they leave there is not looked at");
    }
    let cores = thread::available_parallelism().map_or(1, |n| n.get());
    let jobs = args.jobs.unwrap_or(cores).max(1);
    let start = Instant::now();
    let broken = build_all(&runs, cores);
    for why in broken.values().flatten() {
        println!("does not compile: {why}");
    }
    println!(
        "{} programs built in {:.0} s, {} could not be; seed {}",
        broken.len(),
        start.elapsed().as_secs_f64(),
        broken.values().filter(|b| b.is_some()).count(),
        seed::get()
    );
    let tallies = run_all(&runs, &broken, &grounds, jobs, private, args.verbose)?;
    summary(&tallies, start.elapsed())
}

fn sources() -> PathBuf {
    root().join("tests/openshmem")
}

/// The list.
fn entries() -> Result<Vec<Entry>> {
    let list = list::parse(&read(&sources().join("tests.list"))?)?;
    cases::expand(list, |program| {
        let source = build::source(&sources(), program)?;
        cases::of(&read(&source)?).with_context(|| source.display().to_string())
    })
}

/// The MPI and the way in which each program has a run in every sample.
#[cfg(test)]
pub fn homes() -> std::collections::BTreeSet<(Mpi, &'static str)> {
    sample::homes(&entries().unwrap()).into_values().collect()
}

/// Whether a program is for a way.
#[cfg(test)]
pub fn goes(program: &str, way: &str) -> bool {
    entries().unwrap().iter().any(|e| e.program == program && e.goes(way))
}

/// Where things lie for each MPI that the command line names.
fn places(args: &Args, sources: &Path) -> Result<Vec<Place>> {
    let mpis = match &args.mpicc {
        Some(mpicc) => vec![Mpi::other(mpicc)?],
        None if args.mpi.is_empty() => Mpi::ALL.to_vec(),
        None => args.mpi.clone(),
    };
    if args.prefix.is_some() && mpis.len() != 1 {
        bail!("--prefix goes with one --mpi");
    }
    let target = args.way.first().and_then(|w| w.target());
    if args.way.iter().any(|w| w.target() != target) {
        bail!("the ways of one run are for one architecture: --way aarch64 goes alone");
    }
    let place = |mpi: Mpi| Place {
        mpi,
        sources: sources.to_path_buf(),
        prefix: args.prefix.clone().unwrap_or_else(|| target.map_or(mpi.prefix(), |t| t.prefix().join(cross::DIR))),
        out: target.map_or(mpi.target_dir(), |t| root().join("target").join(t.triple)).join("ctest"),
    };
    Ok(mpis.into_iter().map(place).collect())
}

/// `--rules`: holds docs/conformance.md against the programs that are run.
fn rules(sources: &Path, entries: &[Entry], write: bool) -> Result<()> {
    let all = rules::collect(sources)?;
    let file = root().join("docs/conformance.md");
    let mut doc = read(&file)?;
    if write {
        doc = rules::fill(&doc, &all);
        util::write(&file, &doc)?;
    }
    let listed = entries.iter().map(|e| e.program.as_str()).collect();
    let wrong = rules::disagreements(&doc, &all, &listed);
    wrong.iter().for_each(|w| println!("{w}"));
    if !wrong.is_empty() {
        bail!("docs/conformance.md and the programs disagree: --write brings the lists of programs up to date");
    }
    println!("docs/conformance.md agrees");
    Ok(())
}

/// Leaves out runs that cannot be made, and says how many and why.
fn without<'a>(mut runs: Vec<Run<'a>>, why: &str, cannot: impl Fn(&Run) -> bool) -> Vec<Run<'a>> {
    let all = runs.len();
    runs.retain(|run| !cannot(run));
    if runs.len() < all {
        println!("skipped: {} runs {why}", all - runs.len());
    }
    runs
}

/// The runs that the command line asks for; MPIs take turns, so that an early failure of either is seen early.
fn choose<'a>(args: &Args, places: &'a [Place], entries: &'a [Entry]) -> Vec<Run<'a>> {
    let mut runs = Vec::new();
    for entry in entries {
        let label = entry.label();
        if !args.programs.is_empty() && !args.programs.contains(&entry.program) {
            continue;
        }
        if !args.filter.iter().all(|f| label.contains(f.as_str())) {
            continue;
        }
        for &way in args.way.iter().filter(|w| entry.goes(w.name)) {
            for pes in numbers_of_pes(args, entry, way) {
                for place in places.iter().filter(|p| entry.mpis.contains(&p.mpi)) {
                    runs.extend((0..args.repeat * entry.repeat).map(|_| Run { place, entry, pes, way }));
                }
            }
        }
    }
    let homes = sample::homes(entries);
    let at_home =
        |run: &Run| args.mpicc.is_none() && homes[run.entry.program.as_str()] == (run.place.mpi, run.way.name);
    let programs: Vec<(&str, bool)> = runs.iter().map(|run| (run.entry.program.as_str(), at_home(run))).collect();
    let mut chosen = sample::choose(&programs, args.sample as usize, seed::get() as usize).into_iter();
    runs.retain(|_| chosen.next().expect("there is a word for every run"));
    runs
}

/// The numbers of PEs with which an entry runs in a way. Programs without a launcher, and programs with a fixed one,
/// run in the normal way only.
fn numbers_of_pes(args: &Args, entry: &Entry, way: &Way) -> Vec<usize> {
    if (entry.alone || entry.launcher.is_some()) && !way.is_normal() {
        return Vec::new();
    }
    // Without process_vm_readv, which qemu-user lacks, statics that are not moved are reached through MPI
    // (docs/design/interfaces.md).
    let not_moved =
        entry.env.iter().any(|(k, v)| k == "OSHMPI_STATICS" && v != "remap") || entry.args.iter().any(|a| a == "odd");
    if way.target().is_some() && not_moved {
        return Vec::new();
    }
    // Between hosts MPICH 4.0's MPI_Finalize hangs now and then, and these programs call it themselves.
    if way.nodes() > 1 && entry.chapter() == "hybrid" {
        return Vec::new();
    }
    let mut all = way.pes(&entry.pes);
    all.retain(|&p| args.most_pes.is_none_or(|most| p <= most));
    if args.short {
        let best = all.iter().copied().filter(|&p| p <= 4).max().or(all.first().copied());
        all = best.into_iter().collect();
    }
    all
}

/// What the ways need and this machine does not have.
fn missing(ways: &[&'static Way]) -> Option<String> {
    let slurm = || slurm::missing().filter(|_| ways.iter().any(|w| w.needs_slurm()));
    ways.iter().any(|w| w.hosts().is_some()).then(|| hosts::missing().or_else(slurm)).flatten()
}

/// Which of the grounds a way uses.
fn key(way: &Way) -> Option<(usize, bool)> {
    Some((way.hosts()?, way.needs_slurm()))
}

/// What the ways need.
fn grounds(ways: &[&'static Way]) -> Result<Grounds> {
    let mut all = Grounds::new();
    for &way in ways {
        let Some((count, with_slurm)) = key(way) else { continue };
        if let std::collections::btree_map::Entry::Vacant(place) = all.entry((count, with_slurm)) {
            let hosts = Hosts::up(count)?;
            let slurm = if with_slurm { Some(Slurm::up(&hosts)?) } else { None };
            place.insert(Ground { hosts, slurm });
        }
    }
    Ok(all)
}

/// Builds what the runs need. The result has an entry per executable: None, or why it could not be built.
fn build_all(runs: &[Run], workers: usize) -> HashMap<PathBuf, Option<String>> {
    let mut todo: Vec<&Run> = Vec::new();
    let mut seen = HashMap::new();
    for run in runs {
        if seen.insert(run.place.executable(run.entry), None).is_none() {
            todo.push(run);
        }
    }
    let done = Mutex::new(seen);
    each(&todo, workers, |run| {
        if let Err(e) = run.place.build(run.entry) {
            done.lock().expect("no holder panics").insert(run.place.executable(run.entry), Some(format!("{e:#}")));
        }
    });
    done.into_inner().expect("no holder panics")
}

/// Grounds by their number of hosts, and whether Slurm runs there.
type Grounds = BTreeMap<(usize, bool), Ground>;

type Tallies = BTreeMap<(String, &'static str), Tally>;

fn run_all(
    runs: &[Run],
    broken: &HashMap<PathBuf, Option<String>>,
    grounds: &Grounds,
    jobs: usize,
    private: Private,
    verbose: bool,
) -> Result<Tallies> {
    let tallies = Mutex::new(Tallies::new());
    // Exclusive runs take the lock for writing.
    let machine = RwLock::new(());
    each(runs, jobs, |run| {
        let place = run.place;
        let mut shown = String::new();
        let mut took = Duration::ZERO;
        let mut left = Vec::new();
        let mut fail = |why: &str, output: &str| {
            let command = judge::command(place, run.entry, run.pes, run.way, run.ground(grounds));
            let line = command.map_or_else(|e| format!("{e:#}"), |c| judge::shell_line(&c));
            shown += &format!("FAIL {}  (tests.list:{})\n", run.name(), run.entry.line);
            shown += &format!("    {why}\n{output}    repeat: {line}\n");
        };
        if let Some(Some(why)) = broken.get(&place.executable(run.entry)) {
            fail(&format!("does not compile: {}", why.lines().next().unwrap_or_default()), "");
        } else {
            let shared = (!run.entry.exclusive).then(|| machine.read().expect("no holder panics"));
            let alone = run.entry.exclusive.then(|| machine.write().expect("no holder panics"));
            match judge::run(run, run.ground(grounds), private) {
                Ok(o) if o.faults.is_empty() => {
                    took = o.took;
                    left = o.allowed;
                }
                Ok(o) => fail(&o.faults.join("\n    "), &o.output),
                Err(e) => fail(&format!("{e:#}"), ""),
            }
            drop((shared, alone));
        }
        let mut all = tallies.lock().expect("no holder panics");
        let tally = all.entry((run.entry.chapter().to_string(), place.mpi.name())).or_default();
        tally.time += took;
        if shown.is_empty() {
            tally.passed += 1;
            if verbose {
                shown = format!("pass {:6.2} s  {}\n", took.as_secs_f64(), run.name());
                left.iter().for_each(|l| shown += &format!("    by the MPI itself, allowed: {l}\n"));
            }
        } else {
            tally.failed += 1;
        }
        print!("{shown}");
    });
    Ok(tallies.into_inner().expect("no holder panics"))
}

fn summary(tallies: &Tallies, took: Duration) -> Result<()> {
    let mut sum = Tally::default();
    println!("\n{:<12} {:<8} {:>6} {:>6} {:>8}", "chapter", "mpi", "passed", "failed", "seconds");
    for ((chapter, mpi), t) in tallies {
        println!("{chapter:<12} {mpi:<8} {:>6} {:>6} {:>8.1}", t.passed, t.failed, t.time.as_secs_f64());
        sum.passed += t.passed;
        sum.failed += t.failed;
    }
    println!("{:<12} {:<8} {:>6} {:>6} {:>8.1}", "all", "", sum.passed, sum.failed, took.as_secs_f64());
    if sum.failed > 0 {
        bail!("{} of {} C tests failed", sum.failed, sum.passed + sum.failed);
    }
    Ok(())
}
