//! `cargo xtask bench pmi`: the process management, measured by `benches/pmi`, and what a start costs under `oshrun`
//! and under MPICH's `mpiexec`, beside an MPI program.

use super::contest::Contestant;
use super::parse::{self, Row};
use super::samples::{File, Memory, Samples};
use super::{host, launch, report, stem};
use crate::util::{self, Mpi, cargo, median, root};
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Args {
    /// One round with few repetitions: does everything run? Figures are rough
    #[arg(long)]
    quick: bool,
    /// Only these: get, memory, start
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Rounds; medians over them are shown [default: 5, with --quick 1]
    #[arg(long, value_name = "R")]
    repeat: Option<usize>,
    /// The installation whose start is measured [default: target/prefix/mpich]
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// What one start of a program may take: a million keys and 32 clients on a slow machine.
const LIMIT: Duration = Duration::from_secs(600);

/// A figure: the measure, title, x, unit.
type Figure = (&'static str, &'static str, &'static str, &'static str);

const FIGURES: [Figure; 9] = [
    ("get-wall-65536", "Get, 65536 keys: time a client waits", "clients", "us"),
    ("get-cpu-65536", "Get, 65536 keys: processor time, server included", "clients", "us"),
    ("get-wall-1000000", "Get, 1000000 keys: time a client waits", "clients", "us"),
    ("get-cpu-1000000", "Get, 1000000 keys: processor time, server included", "clients", "us"),
    ("memory-fence", "memory of a node after a fence, 16 clients", "processes", "MB"),
    ("launch", "hello, from the call of the launcher to its end", "PEs", "s"),
    ("init", "shmem_init (with MPI: MPI_Init), median over the PEs", "PEs", "ms"),
    ("resident", "resident memory of a PE, libraries included", "PEs", "KiB"),
    ("private", "memory of a PE that is its own", "PEs", "KiB"),
];

/// The lines of a figure.
const SOCKET: Contestant = Contestant::Variant("socket, PMI-1");
const SHARED: Contestant = Contestant::Variant("shared memory");
const COPIES: Contestant = Contestant::Variant("a copy per client");
const OSHRUN: Contestant = Contestant::Variant("oshrun");
const MPIEXEC: Contestant = Contestant::Variant("mpiexec (MPICH)");
const MPIEXEC_MPI: Contestant = Contestant::Variant("mpiexec (MPICH), an MPI program");

/// The words that `benches/pmi` prints for lines.
const PRINTED: [(&str, Contestant); 3] = [("socket", SOCKET), ("shared", SHARED), ("copies", COPIES)];

const NAMES: [&str; 3] = ["get", "memory", "start"];

/// The starts of `benches/pmi` in a round, and the numbers of PEs in `start`.
fn steps(args: &Args) -> (Vec<&'static str>, &'static [usize]) {
    let wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|o| o == name);
    let gets = match args.quick {
        true => [
            "get --keys 65536 --clients 1,32 --gets 2000",
            "get --keys 1000000 --clients 1,32 --gets 2000",
            "memory --keys 1000000 --clients 16",
        ],
        false => [
            "get --keys 65536 --clients 1,2,4,8,16,32 --gets 10000",
            "get --keys 1000000 --clients 1,2,4,8,16,32 --gets 10000",
            "memory --keys 1000000 --clients 16",
        ],
    };
    let pes: &[usize] = if args.quick { &[2, 16] } else { &[2, 16, 64, 128] };
    let program = gets.into_iter().filter(|s| wanted(s.split(' ').next().unwrap_or(s))).collect();
    (program, if wanted("start") { pes } else { &[] })
}

pub fn run(args: Args) -> Result<()> {
    let rounds = args.repeat.unwrap_or(if args.quick { 1 } else { 5 });
    ensure!(rounds > 0, "--repeat must be at least 1");
    if let Some(name) = args.only.iter().find(|name| !NAMES.contains(&name.as_str())) {
        bail!("--only {name}: not a figure; there are {}", NAMES.join(", "));
    }
    let (programs, pes) = steps(&args);
    let starts = if pes.is_empty() { None } else { Some(Start::new(args.prefix.as_deref())?) };
    let program = built()?;
    let host = host::Host::idle()?;
    let stem = stem(&format!("{}-{}-pmi", host::today()?, host.slug()))?;
    let mut samples = Samples::default();
    let progress = crate::progress::bar((rounds * (programs.len() + pes.len())) as u64);
    for _ in 0..rounds {
        for step in &programs {
            progress.set_message(*step);
            measure(&program, step, &mut samples).with_context(|| format!("pmi-bench {step}"))?;
            progress.inc(1);
        }
        for (&pes, starts) in pes.iter().zip(starts.iter().cycle()) {
            progress.set_message(format!("start of {pes} PEs"));
            starts.measure(pes, &mut samples)?;
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    for (measure, title, x, unit) in FIGURES {
        print!("{}", report::medians(&samples, &format!("{title} [{unit}]"), measure, x));
    }
    let json = PathBuf::from(format!("{}.json", stem.display()));
    File::new(&samples, host, args.quick, rounds)?.write(&json)?;
    println!("\nwritten: {}", json.display());
    Ok(())
}

/// The program of `benches/pmi`, built.
fn built() -> Result<PathBuf> {
    util::run(cargo().args(["build", "--locked", "--release", "-p", "pmi-bench"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/pmi-bench"))
}

/// One start of `benches/pmi`: its figures become samples.
fn measure(program: &Path, step: &str, samples: &mut Samples) -> Result<()> {
    let outcome = launch::run(Command::new(program).args(step.split(' ')), LIMIT)?;
    if let Some(complaint) = outcome.complaint() {
        bail!("{complaint}");
    }
    ensure!(!outcome.stdout.is_empty(), "no figures");
    outcome.stdout.lines().try_for_each(|line| add_line(line, samples))
}

/// `get-cpu-65536 library 32 0.0857`: measure, line, x, value.
fn add_line(text: &str, samples: &mut Samples) -> Result<()> {
    let mut parsed = || {
        let [measure, line, x, value] = text.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        let (_, who) = PRINTED.into_iter().find(|(word, _)| *word == line)?;
        let value = value.parse::<f64>().ok().filter(|v| v.is_finite())?;
        add(samples, measure, who, x.parse().ok()?, value)
    };
    parsed().with_context(|| format!("not a row of a known figure: {text:?}"))
}

/// None: there is no such figure.
fn add(samples: &mut Samples, measure: &str, who: Contestant, x: usize, value: f64) -> Option<()> {
    let (measure, .., unit) = FIGURES.into_iter().find(|(name, ..)| *name == measure)?;
    samples.add(who, measure, Memory::Any, 0, Row { name: x.to_string(), value, unit });
    Some(())
}

/// The programs of `start`, compiled once.
struct Start {
    oshrun: PathBuf,
    dir: tempfile::TempDir,
}

impl Start {
    /// Compiles the programs over an installation.
    fn new(prefix: Option<&Path>) -> Result<Start> {
        let prefix = prefix.map_or_else(|| Mpi::Mpich.prefix(), Path::to_path_buf);
        let (oshcc, oshrun) = (prefix.join("bin/oshcc"), prefix.join("bin/oshrun"));
        if !oshcc.exists() {
            bail!("{} is not installed: run `cargo xtask install --prefix {}`", oshcc.display(), prefix.display());
        }
        let dir = tempfile::tempdir()?;
        for program in ["hello", "startup"] {
            let source = root().join("benches/startup").join(program).with_extension("c");
            let compile = |compiler: &Path, flags: &[&str], kind: &str| {
                let out = dir.path().join(format!("{program}-{kind}"));
                util::run(Command::new(compiler).arg("-O2").args(flags).arg(&source).arg("-o").arg(out))
            };
            compile(&oshcc, &["-mpi", "-DWITH_SHMEM"], "shmem")?;
            compile(Path::new(&Mpi::Mpich.command("mpicc")), &[], "mpi")?;
        }
        Ok(Start { oshrun, dir })
    }

    fn command(&self, who: Contestant, pes: usize, program: &str) -> Command {
        let mut c = if who == OSHRUN { Command::new(&self.oshrun) } else { Mpi::Mpich.mpiexec(pes) };
        if who == OSHRUN {
            c.arg("-n").arg(pes.to_string());
        }
        let kind = if who == MPIEXEC_MPI { "mpi" } else { "shmem" };
        c.arg(self.dir.path().join(format!("{program}-{kind}")));
        c
    }

    /// One start of each kind.
    fn measure(&self, pes: usize, samples: &mut Samples) -> Result<()> {
        for who in [OSHRUN, MPIEXEC, MPIEXEC_MPI] {
            let mut c = self.command(who, pes, "hello");
            // Not by `launch`, which polls: a poll takes time from the cores that are measured.
            let begun = Instant::now();
            let out = c.stdin(Stdio::null()).output().with_context(|| format!("cannot start {c:?}"))?;
            let took = begun.elapsed();
            let lines = out.stdout.iter().filter(|&&b| b == b'\n').count();
            ensure!(out.status.success() && lines == pes, "{c:?}: {}, {lines} lines", out.status);
            let mut c = self.command(who, pes, "startup");
            if who != MPIEXEC_MPI {
                c.arg("alone");
            }
            let outcome = launch::run(&c, LIMIT)?;
            if let Some(complaint) = outcome.complaint() {
                bail!("{c:?}: {complaint}");
            }
            let lines: Vec<&str> = outcome.stdout.lines().filter(|l| !l.starts_with('#')).collect();
            ensure!(lines.len() == pes, "{c:?}: {} of {pes} processes", lines.len());
            let [mpi, shmem, resident, _, private] = parse::processes(&lines)?.map(|mut column| median(&mut column));
            // A program makes one of the two calls; the time of the other is 0.
            let figures =
                [("launch", took.as_secs_f64()), ("init", mpi + shmem), ("resident", resident), ("private", private)];
            for (measure, value) in figures {
                add(samples, measure, who, pes, value).context("no such figure")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::What;
    use super::*;

    fn samples(lines: &[&str]) -> Samples {
        let mut samples = Samples::default();
        lines.iter().for_each(|line| add_line(line, &mut samples).unwrap());
        samples
    }

    #[test]
    fn lines_of_known_figures_are_read() {
        let s = samples(&["get-cpu-65536 shared 32 0.25"]);
        assert_eq!(s.median(SHARED, &What::any("get-cpu-65536", 0, "32")), Some(0.25));
        let mut none = Samples::default();
        for bad in ["", "get-cpu-65536 shared 32", "nothing shared 32 1", "memory-fence no 1 2", "init copies 1 NaN"] {
            assert!(add_line(bad, &mut none).is_err(), "{bad}");
        }
    }

    #[test]
    fn medians_over_the_rounds_are_shown() {
        let s = samples(&[
            "get-cpu-65536 shared 1 0.1",
            "get-cpu-65536 shared 32 0.2",
            "get-cpu-65536 shared 32 9.0",
            "get-cpu-65536 shared 32 0.4",
        ]);
        let text = report::medians(&s, "Get", "get-cpu-65536", "clients");
        assert!(text.contains("clients") && text.lines().last().unwrap().ends_with("0.100  0.400"), "{text}");
    }
}
