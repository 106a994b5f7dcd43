//! `cargo xtask bench`: programs of oshmpi, of its peers and of the machine's limits, in turn.
//!
//! `contest` runs them and shows their figures. `who` compiles the programs of `benches/osu`;
//! `remote` compares calls to other nodes, and `path` what they cost over the network's own calls.

mod contest;
mod path;
mod remote;
mod who;

use crate::install;
use crate::util::Mpi;
use anyhow::{Result, bail, ensure};
use contest::Contest;
use std::path::PathBuf;
use who::Who;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    /// Few calls and one round: does everything run? Figures are rough
    #[arg(long)]
    quick: bool,
    /// Only these: put, get, atomics, barrier, broadcast, collect, fcollect, reduce, alltoall, alltoalls, scan,
    /// put_signal, wait, lock, startup, startup_alone
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
    /// PEs of other nodes instead, beside plain MPI and other OpenSHMEM libraries
    Remote(remote::Args),
    /// Puts and atomics over UCX and libfabric instead, beside plain programs of these libraries' own calls
    Path(path::Args),
}

/// A measurement: its word, the program below `benches/`, and numbers of PEs.
struct Measure {
    name: &'static str,
    program: &'static str,
    pes: &'static [usize],
    /// Plain MPI and the machine have it too.
    by_mpi: bool,
    by_machine: bool,
}

const fn calls(name: &'static str, pes: &'static [usize], by_mpi: bool, by_machine: bool) -> Measure {
    Measure { name, program: "calls", pes, by_mpi, by_machine }
}

const TWO: &[usize] = &[2];
const SOME: &[usize] = &[2, 4, 8];
const MANY: &[usize] = &[2, 16, 64];

const MEASURES: [Measure; 16] = [
    calls("put", TWO, true, true),
    calls("get", TWO, true, true),
    calls("atomics", TWO, true, true),
    calls("barrier", SOME, true, false),
    calls("broadcast", SOME, true, false),
    calls("collect", SOME, true, false),
    calls("fcollect", SOME, true, false),
    calls("reduce", SOME, true, false),
    calls("alltoall", SOME, true, false),
    calls("alltoalls", SOME, true, false),
    calls("scan", SOME, true, false),
    calls("put_signal", SOME, true, false),
    calls("wait", SOME, true, false),
    calls("lock", SOME, false, false),
    Measure { name: "startup", program: "startup", pes: MANY, by_mpi: true, by_machine: false },
    Measure { name: "startup_alone", program: "startup", pes: MANY, by_mpi: false, by_machine: false },
];

pub fn run(args: Args) -> Result<()> {
    match args.what {
        Some(What::Remote(args)) => return remote::run(args),
        Some(What::Path(args)) => return path::run(args),
        None => {}
    }
    let mpis = if args.mpi.is_empty() { Mpi::ALL.to_vec() } else { args.mpi };
    ensure!(args.prefix.is_none() || mpis.len() == 1, "--prefix needs --mpi mpich or --mpi openmpi");
    let known = MEASURES.map(|m| m.name);
    if let Some(name) = args.only.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("--only {name}: not a benchmark; there are {}", known.join(", "));
    }
    let mut contest = Contest::new(args.repeat, args.quick)?;
    let prefixes = mpis.iter().map(|&mpi| prefix(mpi, args.prefix.clone())).collect::<Result<Vec<_>>>()?;
    // Not before: building loads the machine.
    warn_if_busy();
    for (mpi, prefix) in mpis.into_iter().zip(prefixes) {
        let chosen = MEASURES.iter().filter(|m| args.only.is_empty() || args.only.iter().any(|name| name == m.name));
        let rows = chosen.map(|m| of_measure(m, mpi, &prefix, args.quick, &mut contest)).collect::<Result<Vec<_>>>()?;
        contest.show(&format!("oshmpi over {mpi} on one node"), rows.concat());
    }
    contest.end()
}

/// Where oshmpi is: as told, or built there now.
fn prefix(mpi: Mpi, told: Option<PathBuf>) -> Result<PathBuf> {
    if told.is_none() {
        install::run(install::Args::ours(mpi))?;
    }
    Ok(told.unwrap_or_else(|| mpi.prefix()))
}

/// Says so when somebody else would be measured too.
fn warn_if_busy() {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let last_minute = load.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    if last_minute > 0.5 {
        eprintln!("the machine is busy (load {last_minute:.1}): figures will be worse than they are");
    }
}

fn of_measure(
    m: &Measure,
    mpi: Mpi,
    prefix: &std::path::Path,
    quick: bool,
    contest: &mut Contest,
) -> Result<Vec<contest::Row>> {
    let cores = std::thread::available_parallelism()?.get();
    let mut rows = Vec::new();
    for &pes in m.pes.iter().filter(|&&pes| pes <= 16 || !quick) {
        let mut all = vec![Who::Ours(mpi, prefix.to_owned()), Who::Oshmem];
        // Where they share cores, plain MPICH's ranks spin against each other: an operation takes milliseconds.
        all.extend(
            (m.by_mpi && (mpi != Mpi::Mpich || pes <= cores || m.program == "startup")).then_some(Who::Plain(mpi)),
        );
        all.extend(m.by_machine.then_some(Who::Machine));
        let word = m.name.trim_start_matches("startup_");
        let entries = all.iter().map(|who| {
            let started = who.start(m.program, pes, cores).map(|mut c| {
                c.args([word, "static"]).args(if quick { &["-b", "1"][..] } else { &[] });
                c
            });
            contest::Entry { name: who.name(), command: started, lines: str::to_owned }
        });
        rows.extend(contest.hold(&format!("{} {pes}", m.name), entries.collect()));
        eprintln!("{mpi}, {} on {pes} PEs", m.name);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_measurements_are_there() {
        for m in &MEASURES {
            let text =
                std::fs::read_to_string(crate::util::root().join("benches/osu").join(format!("{}.c", m.program)));
            let word = m.name.trim_start_matches("startup_");
            assert!(m.name == "startup" || text.unwrap().contains(&format!("\"{word}\"")), "{}", m.name);
        }
    }
}
