//! `cargo xtask test`: everything CI runs, stage by stage, with the time each takes.

mod aarch64;
mod ahead;
mod allocation;
mod counts;
mod examples;
mod failures;
mod hosts;
mod limits;
mod mutants;
mod running;
mod site;
mod software;
mod stages;
mod task;
mod templates;
mod wheels;
mod wrappers;

use crate::seed;
use ahead::Ahead;
use anyhow::{Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Args {
    /// Leave out what takes longest: models, the second MPI, examples, demo
    #[arg(long)]
    quick: bool,
    /// Only these stages, without what they need
    #[arg(long)]
    alone: bool,
    /// What samples and random programs depend on (default: from the commit)
    #[arg(long)]
    seed: Option<u32>,
    /// Only these stages, and what they need
    stages: Vec<String>,
}

/// One step. `needs`: stages without which this one says nothing.
struct Stage {
    name: &'static str,
    needs: &'static [&'static str],
    /// Part of a quick run.
    quick: bool,
    run: fn() -> Result<()>,
}

/// Begun before all others: it needs none of the packages that are installed meanwhile.
const AT_ONCE: &str = "tools";

/// Stages that mostly wait, for a single compilation or for a silent host, and write no files of other stages. They are
/// begun beside the other stages when the stage that is named first, and all stages that they need, have passed.
const AHEAD: [(&str, &[&str]); 4] = [
    ("deps", &["install-mpich", "install-openmpi", "models"]),
    ("install-openmpi", &["install-wheels"]),
    ("oshrun-hosts", &["failures", "mutants"]),
    ("ctest-ways-openmpi", &["templates"]),
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcome {
    Passed,
    Failed,
    /// A stage that this one needs has not passed.
    Skipped,
    /// This machine lacks what the stage needs, and the task cannot install it.
    NotHere,
}

impl Outcome {
    /// Whether the whole run has failed with this stage.
    fn is_failure(self) -> bool {
        matches!(self, Outcome::Failed | Outcome::Skipped)
    }
}

/// The error of a stage that cannot run on this machine: what is missing, and what to do.
#[derive(Debug)]
struct NotHere(String);

impl std::fmt::Display for NotHere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotHere {}

struct Done {
    name: &'static str,
    outcome: Outcome,
    time: Duration,
    /// What its processes used of all cores, and those of stages that ended beside it.
    processors: Duration,
    /// What a stage that failed said.
    why: Option<String>,
}

pub fn run(args: Args) -> Result<()> {
    seed::given(args.seed);
    let chosen = choose(stages::ALL, &args)?;
    let begin = Instant::now();
    let done = run_all(&chosen);
    let failed = done.iter().filter(|d| d.outcome.is_failure()).count();

    println!("\n== summary");
    for d in &done {
        let word = match d.outcome {
            Outcome::Passed => "ok",
            Outcome::Failed => "FAILED",
            Outcome::Skipped | Outcome::NotHere => "skipped",
        };
        let (time, processors) = (d.time.as_secs_f64(), d.processors.as_secs_f64());
        println!("{:<18} {word:<8} {time:>7.1} s, of processors {processors:>7.1} s", d.name);
    }
    let (time, processors) = (begin.elapsed().as_secs_f64(), of_processors().as_secs_f64());
    println!("{:<18} {:<8} {time:>7.1} s, of processors {processors:>7.1} s", "all", "");
    // Once more at the end: a log may be cut anywhere before.
    let seed = seed::get();
    for d in &done {
        let again = format!("cargo xtask test --seed {seed} --alone {}", d.name);
        d.why.iter().for_each(|why| println!("{}: {why}\n    repeat: {again}", d.name));
    }
    println!("seed {seed}");
    let not_here = done.iter().filter(|d| d.outcome == Outcome::NotHere).count();
    if not_here > 0 {
        println!("{not_here} of {} stages could not run on this machine", done.len());
    }
    if failed > 0 {
        bail!("{failed} of {} stages did not pass", done.len());
    }
    Ok(())
}

/// The stages asked for and those they need, in their order.
fn choose<'a>(all: &'a [Stage], args: &Args) -> Result<Vec<&'a Stage>> {
    let mut wanted: Vec<&str> = args.stages.iter().map(String::as_str).collect();
    if let Some(unknown) = wanted.iter().find(|w| all.iter().all(|s| s.name != **w)) {
        let names: Vec<&str> = all.iter().map(|s| s.name).collect();
        bail!("there is no stage {unknown}; there are {}", names.join(" "));
    }
    if wanted.is_empty() {
        wanted = all.iter().filter(|s| s.quick || !args.quick).map(|s| s.name).collect();
    }
    // What a stage needs stands before it: one pass from the end finds all.
    let mut chosen: Vec<&Stage> = Vec::new();
    for stage in all.iter().rev() {
        if wanted.contains(&stage.name) {
            if !args.alone {
                wanted.extend(stage.needs);
            }
            chosen.push(stage);
        }
    }
    chosen.reverse();
    Ok(chosen)
}

fn run_all(stages: &[&Stage]) -> Vec<Done> {
    let mut done: Vec<Done> = Vec::new();
    let mut ahead = Ahead::default();
    let names: Vec<&str> = stages.iter().map(|s| s.name).collect();
    ahead.begin(at_once(&names));
    for stage in stages {
        let (begin, used) = (Instant::now(), of_processors());
        // With `--alone` a stage that is needed is taken to have passed before.
        let failed = |name: &&str| done.iter().any(|d| d.name == *name && d.outcome != Outcome::Passed);
        let mut why = None;
        let outcome = if stage.needs.iter().any(failed) {
            println!("\n== {}: skipped, because {} did not pass", stage.name, stage.needs.join(" or "));
            Outcome::Skipped
        } else {
            println!("\n== {}", stage.name);
            let result = ahead.result(stage.name).unwrap_or_else(stage.run);
            match result {
                Ok(()) => Outcome::Passed,
                Err(e) if e.is::<NotHere>() => {
                    println!("{}: skipped: {e}", stage.name);
                    Outcome::NotHere
                }
                Err(e) => {
                    eprintln!("{}: {e:#}", stage.name);
                    why = Some(format!("{e:#}"));
                    Outcome::Failed
                }
            }
        };
        let (time, processors) = (begin.elapsed(), of_processors().saturating_sub(used));
        if outcome != Outcome::Skipped {
            println!("-- {}: {:.1} s", stage.name, time.as_secs_f64());
        }
        done.push(Done { name: stage.name, outcome, time, processors, why });
        if outcome == Outcome::Passed {
            let names = AHEAD.iter().filter(|(first, _)| stage.name == *first).flat_map(|(_, names)| names.iter());
            ahead.begin(names.copied().filter(|name| may_begin(name, stages, &done)).collect());
        }
    }
    done
}

/// The processor time of all processes of this run that have ended.
fn of_processors() -> Duration {
    let of = |time: TimeVal| Duration::from_micros(time.num_microseconds().unsigned_abs());
    getrusage(UsageWho::RUSAGE_CHILDREN).map_or(Duration::ZERO, |used| of(used.user_time()) + of(used.system_time()))
}

/// The stages that are begun at once. A run of one stage begins none: a stage that is begun ahead is itself such a run.
fn at_once(names: &[&'static str]) -> Vec<&'static str> {
    names.iter().copied().filter(|name| *name == AT_ONCE && names.len() > 1).collect()
}

/// Whether a stage is one of those to run, and all of them that it needs have passed.
fn may_begin(name: &str, stages: &[&Stage], done: &[Done]) -> bool {
    let passed = |need: &str| done.iter().any(|d| d.name == need && d.outcome == Outcome::Passed);
    let chosen = |name: &str| stages.iter().any(|s| s.name == name);
    stages.iter().any(|s| s.name == name && s.needs.iter().all(|need| passed(need) || !chosen(need)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good() -> Result<()> {
        Ok(())
    }

    fn bad() -> Result<()> {
        bail!("no")
    }

    fn elsewhere() -> Result<()> {
        Err(NotHere("no such machine".into()).into())
    }

    const SOME: &[Stage] = &[
        Stage { name: "a", needs: &[], quick: true, run: good },
        Stage { name: "b", needs: &["a"], quick: false, run: bad },
        Stage { name: "c", needs: &["b"], quick: true, run: good },
        Stage { name: "d", needs: &["a"], quick: false, run: good },
    ];

    fn chosen(quick: bool, stages: &[&str]) -> Vec<&'static str> {
        let stages = stages.iter().map(|s| s.to_string()).collect();
        choose(SOME, &Args { quick, alone: false, seed: None, stages }).unwrap().iter().map(|s| s.name).collect()
    }

    #[test]
    fn stages_bring_what_they_need() {
        assert_eq!(chosen(false, &[]), ["a", "b", "c", "d"]);
        assert_eq!(chosen(true, &[]), ["a", "b", "c"]);
        assert_eq!(chosen(false, &["d"]), ["a", "d"]);
        let alone = Args { quick: false, alone: true, seed: None, stages: vec!["d".into()] };
        assert_eq!(choose(SOME, &alone).unwrap().iter().map(|s| s.name).collect::<Vec<_>>(), ["d"]);
        assert!(choose(SOME, &Args { quick: false, alone: false, seed: None, stages: vec!["e".into()] }).is_err());
    }

    #[test]
    fn what_needs_a_failed_stage_is_skipped_and_the_rest_goes_on() {
        let all: Vec<&Stage> = SOME.iter().collect();
        let done = run_all(&all);
        let outcomes: Vec<Outcome> = done.iter().map(|d| d.outcome).collect();
        assert_eq!(outcomes, [Outcome::Passed, Outcome::Failed, Outcome::Skipped, Outcome::Passed]);
        assert_eq!(done.iter().map(|d| d.why.as_deref()).collect::<Vec<_>>(), [None, Some("no"), None, None]);
    }

    #[test]
    fn a_stage_that_cannot_run_here_is_neither_passed_nor_failed() {
        let stage = Stage { name: "e", needs: &[], quick: true, run: elsewhere };
        let needs_it = Stage { name: "f", needs: &["e"], quick: true, run: good };
        let outcomes: Vec<Outcome> = run_all(&[&stage, &needs_it]).iter().map(|d| d.outcome).collect();
        assert_eq!(outcomes, [Outcome::NotHere, Outcome::Skipped]);
        assert!(!Outcome::NotHere.is_failure() && Outcome::Skipped.is_failure());
    }

    #[test]
    fn a_run_of_one_stage_does_not_begin_itself() {
        assert_eq!(at_once(&["deps", AT_ONCE, "fmt"]), [AT_ONCE]);
        assert!(at_once(&[AT_ONCE]).is_empty() && at_once(&["deps", "fmt"]).is_empty());
    }

    #[test]
    fn nothing_is_begun_ahead_of_what_it_needs() {
        let all: Vec<&Stage> = SOME.iter().collect();
        let done = |ends: &[Outcome]| -> Vec<Done> {
            let names = SOME.iter().map(|s| s.name);
            let (time, processors) = (Duration::ZERO, Duration::ZERO);
            names.zip(ends).map(|(name, &outcome)| Done { name, outcome, time, processors, why: None }).collect()
        };
        assert!(may_begin("c", &all, &done(&[Outcome::Passed, Outcome::Passed])));
        assert!(!may_begin("c", &all, &done(&[Outcome::Passed, Outcome::Failed])));
        assert!(!may_begin("c", &all, &done(&[Outcome::Passed])));
        assert!(!may_begin("c", &all[..2], &done(&[Outcome::Passed, Outcome::Passed])));
        // With `--alone` what it needs is not among them.
        assert!(may_begin("c", &all[2..], &[]));
    }

    #[test]
    fn needs_stand_before_and_names_are_unique() {
        for (i, stage) in stages::ALL.iter().enumerate() {
            let before = &stages::ALL[..i];
            assert!(before.iter().all(|s| s.name != stage.name), "{} twice", stage.name);
            for need in stage.needs {
                assert!(before.iter().any(|s| s.name == *need), "{} needs {need}", stage.name);
            }
        }
    }
}
