//! `cargo xtask bench pmi`: the process management measured by `benches/pmi`.
//!
//! `figures` says what is run and what the rows mean, `start` measures launchers and init, `record` keeps the samples and
//! judges them, `draw` draws them.

mod draw;
mod figures;
mod record;
mod start;

use super::{host, launch, stem_in};
use crate::util::{self, cargo, root};
use anyhow::{Context, Result, bail, ensure};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

#[derive(clap::Args)]
pub struct Args {
    /// One round with few repetitions: does everything run? Figures are rough
    #[arg(long)]
    quick: bool,
    /// Only these: get, load, memory, fence, ring, tree, start
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Rounds; medians over them are shown [default: 5, with --quick 1]
    #[arg(long, value_name = "R")]
    repeat: Option<usize>,
    /// Add to today's result file instead of writing a new one: for a run in parts, on a machine that is quiet only
    /// now and then
    #[arg(long, conflicts_with = "quick")]
    more: bool,
    /// The installation whose start is measured [default: target/prefix/mpich]
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
}

/// What one start of the program may take: a million keys and 32 clients on a slow machine.
const LIMIT: Duration = Duration::from_secs(600);

pub fn run(args: Args) -> Result<()> {
    let rounds = args.repeat.unwrap_or(if args.quick { 1 } else { 5 });
    ensure!(rounds > 0, "--repeat must be at least 1");
    let steps = figures::steps(&args.only, args.quick)?;
    let starts = match steps.iter().any(figures::Step::is_start) {
        true => Some(start::Start::new(args.prefix.as_deref())?),
        false => None,
    };
    let program = build()?;
    // Not before: building loads the machine.
    let host = host::Host::here()?;
    if host.load > 0.5 {
        eprintln!("the machine is busy (load {:.1}): figures will be worse than they are", host.load);
    }
    let partial = args.quick || !args.only.is_empty() && !args.more;
    let stem = stem_in(&format!("{}-{}-pmi", host::today()?, host.slug()), partial)?;
    let json = PathBuf::from(format!("{}.json", stem.display()));
    let mut samples = if args.more && json.exists() { record::read(&json)? } else { record::Samples::default() };
    for round in 0..rounds {
        for step in steps.iter().filter(|s| round < s.rounds) {
            let done = match (&step.args[..], &starts) {
                ([_, pes], Some(starts)) if step.is_start() => starts.measure(pes.parse()?, &mut samples),
                (args, _) => measure(&program, args, &mut samples),
            };
            done.with_context(|| format!("pmi {}", step.args.join(" ")))?;
        }
        eprintln!("round {}/{rounds} done", round + 1);
    }
    let targets = record::judge(&samples);
    print!("{}", record::table(&samples));
    print!("{}", super::report::verdicts(&targets));
    record::write(&json, &samples, targets, host, args.quick)?;
    println!("\nwritten: {}", json.display());
    for svg in draw::draw(&samples, &stem)? {
        println!("written: {}", svg.display());
    }
    Ok(())
}

fn build() -> Result<PathBuf> {
    util::run(cargo().args(["build", "--locked", "--release", "-p", "pmi-bench"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    Ok(target.join("release/pmi-bench"))
}

fn measure(program: &PathBuf, step: &[String], samples: &mut record::Samples) -> Result<()> {
    let outcome = launch::run(Command::new(program).args(step), LIMIT)?;
    if let Some(complaint) = outcome.complaint() {
        bail!("{complaint}");
    }
    let mut rows = 0;
    for line in outcome.stdout.lines() {
        let row = record::Row::parse(line).with_context(|| format!("not a row: {line}"))?;
        samples.add(row);
        rows += 1;
    }
    ensure!(rows > 0, "no figures");
    Ok(())
}
