//! `cargo xtask bench far`: calls to PEs of other nodes beside the plain MPI calls they come down to, with every PE a node
//! of its own on this host, and between two hosts made of network namespaces where there can be some.
//!
//! Twice: both in one program, batch by batch, so in one run on one kind of window; and each in a program of its own,
//! launched in turn, so that plain MPI has no thread of ours beside it and a target that waits in MPI.

use super::samples::median;
use crate::cluster::{Launcher, hosts};
use crate::install;
use crate::util::{Mpi, output, root, surroundings};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Only shows that it runs
    #[arg(long)]
    quick: bool,
    /// Measure the oshmpi installed here instead of building it
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Launches of each program; medians over them are shown [default: 5, with --quick 1]
    #[arg(long, value_name = "R")]
    repeat: Option<usize>,
    /// Also between hosts of so many PEs each, which all share this machine's cores
    #[arg(long, value_name = "N", value_delimiter = ',')]
    per_host: Vec<usize>,
}

/// What a row may cost at most, in the plain call's time.
const TARGET: f64 = 1.05;

pub fn run(args: Args) -> Result<()> {
    let mpi = Mpi::Mpich; // others do not serve one-sided calls between such hosts
    let prefix = match &args.prefix {
        Some(prefix) => prefix.clone(),
        None => {
            install::run(install::Args::ours(mpi, install::library::Profile::Release))?;
            mpi.prefix()
        }
    };
    let programs = Programs::build(mpi, &prefix)?;
    let words = if args.quick { ["-m", "8:8", "-i", "5"] } else { ["-m", "8:32768", "-i", "100"] };
    let rounds = args.repeat.unwrap_or(if args.quick { 1 } else { 5 });
    let all = |launch: &dyn Fn() -> Command, within: &dyn Fn(&Command) -> Command| -> Result<()> {
        let run = |program: &Path| output(&mut within(launch().arg(program).args(words)));
        show(&beside(&programs, rounds, run)?)?;
        show(&alone(&programs, rounds, run)?)
    };

    println!("one host, OSHMPI_ROUTE=mpi");
    let launch = || {
        let mut c = mpi.mpiexec(2);
        c.env("OSHMPI_ROUTE", "mpi");
        c
    };
    all(&launch, &same)?;
    if let Some(why) = hosts::missing() {
        println!("two hosts: not measured, {why}");
        return Ok(());
    }
    let hosts = hosts::Hosts::up(2)?;
    for n in [1].into_iter().chain(args.per_host) {
        println!("two hosts, PEs on each: {n}");
        all(&|| Launcher::Mpiexec(mpi).command(&hosts, 2 * n, false), &|c| hosts.in_hub(c))?;
    }
    Ok(())
}

fn same(c: &Command) -> Command {
    let mut copy = Command::new(c.get_program());
    copy.args(c.get_args());
    surroundings(copy, c)
}

struct Programs {
    beside: PathBuf,
    shmem: PathBuf,
    plain: PathBuf,
}

impl Programs {
    fn build(mpi: Mpi, prefix: &Path) -> Result<Programs> {
        let dir = root().join("target/bench/bin/far");
        std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
        let compile = |compiler: &Path, name: &str| -> Result<PathBuf> {
            let source = root().join("benches/far").join(name).with_extension("c");
            crate::util::run(Command::new(compiler).arg("-O2").arg(source).arg("-o").arg(dir.join(name)))?;
            Ok(dir.join(name))
        };
        let oshcc = prefix.join("bin/oshcc");
        Ok(Programs {
            beside: compile(&oshcc, "beside_mpi")?,
            shmem: compile(&oshcc, "alone_shmem")?,
            plain: compile(Path::new(&mpi.command("mpicc")), "alone_mpi")?,
        })
    }
}

/// Operation and bytes, in the order of the programs.
type What = (usize, String, usize);

/// What a program prints: operation, bytes and so many figures in a line.
fn rows<const N: usize>(text: &str) -> Result<Vec<(What, [f64; N])>> {
    let row = |(i, line): (usize, &str)| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [name, bytes, figures @ ..] = &words[..] else { bail!("{line:?} is no row of operation and bytes") };
        let figures = figures.iter().map(|f| f.parse()).collect::<Result<Vec<f64>, _>>()?;
        match figures.try_into() {
            Ok(figures) => Ok(((i, (*name).to_owned(), bytes.parse()?), figures)),
            Err(_) => bail!("{line:?} does not have {N} figures"),
        }
    };
    text.lines().filter(|l| !l.starts_with('#')).enumerate().map(row).collect()
}

/// The table of the program that calls both; the ratio is the median of the launches' ratios.
fn beside(programs: &Programs, rounds: usize, run: impl Fn(&Path) -> Result<String>) -> Result<String> {
    let mut all: BTreeMap<What, [Vec<f64>; 3]> = BTreeMap::new();
    for _ in 0..rounds {
        for (what, figures) in rows::<3>(&run(&programs.beside)?)? {
            let samples = all.entry(what).or_default();
            samples.iter_mut().zip(figures).for_each(|(samples, figure)| samples.push(figure));
        }
    }
    Ok(beside_table(all))
}

/// Columns: operation, bytes, our microseconds, theirs, the highest ratio and its median.
fn beside_table(all: BTreeMap<What, [Vec<f64>; 3]>) -> String {
    let mut text = format!(
        "{:<14} {:>8} {:>10} {:>10} {:>8} {:>7}\n",
        "# operation", "bytes", "OpenSHMEM", "MPI", "highest", "ratio"
    );
    for ((_, name, bytes), samples) in all {
        let highest = samples[2].iter().copied().fold(0.0, f64::max);
        let [ours, plain, ratio] = samples.map(|mut samples| median(&mut samples));
        text += &format!("{name:<14} {bytes:>8} {ours:>10.2} {plain:>10.2} {highest:>8.3} {ratio:>7.3}\n");
    }
    text
}

/// Microseconds.
type Figures = BTreeMap<What, Vec<f64>>;

/// The table of the two programs that are alone, run in turn.
fn alone(programs: &Programs, rounds: usize, run: impl Fn(&Path) -> Result<String>) -> Result<String> {
    let (mut ours, mut plain) = (Figures::new(), Figures::new());
    for round in 0..rounds {
        if round % 2 == 0 {
            read(&run(&programs.shmem)?, &mut ours)?;
        }
        read(&run(&programs.plain)?, &mut plain)?;
        if round % 2 != 0 {
            read(&run(&programs.shmem)?, &mut ours)?;
        }
    }
    Ok(table(ours, plain))
}

fn read(text: &str, figures: &mut Figures) -> Result<()> {
    for (what, [us]) in rows(text)? {
        figures.entry(what).or_default().push(us);
    }
    Ok(())
}

/// The last column is the ratio; the one before, for what is to be faster than a short put and its flush, that ratio.
fn table(ours: Figures, plain: Figures) -> String {
    let mut plain: BTreeMap<_, _> = plain.into_iter().map(|(what, mut us)| (what, median(&mut us))).collect();
    let put_flush = plain.iter().find(|((_, name, _), _)| name == "put+quiet").map(|(_, us)| *us);
    let mut text = format!(
        "{:<14} {:>8} {:>10} {:>10} {:>15} {:>7}\n",
        "# alone", "bytes", "OpenSHMEM", "plain MPI", "to MPI_Put+flush", "ratio"
    );
    for (what, mut us) in ours {
        let (Some(theirs), (_, name, bytes)) = (plain.remove(&what), &what) else { continue };
        let ours = median(&mut us);
        let to_put = put_flush.filter(|_| *bytes == 8 && name != "get").map(|put| format!("{:.3}", ours / put));
        let to_put = to_put.unwrap_or_default();
        text += &format!("{name:<14} {bytes:>8} {ours:>10.2} {theirs:>10.2} {to_put:>15} {:>7.3}\n", ours / theirs);
    }
    text
}

/// Prints the table, and marks the rows above the target. A blocking put alone has no counterpart in MPI: the other side
/// completes it locally, which MPI puts off to another call.
fn show(table: &str) -> Result<()> {
    let mut rows = 0;
    for line in table.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let ratio = words.last().and_then(|w| w.parse::<f64>().ok());
        let over = ratio.is_some_and(|r| r > TARGET);
        println!("  {line}{}", if over { "  above 1.05" } else { "" });
        rows += usize::from(ratio.is_some());
    }
    if rows == 0 {
        bail!("no row was measured");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_in_the_programs_order() {
        let (mut ours, mut plain) = (Figures::new(), Figures::new());
        for us in [9.0, 8.0, 7.0] {
            read(&format!("put+quiet 8 {us}\nget 8 10\n"), &mut ours).unwrap();
        }
        read("put+quiet 8 16\nget 8 5\n", &mut plain).unwrap();
        let rows: Vec<Vec<_>> =
            table(ours, plain).lines().skip(1).map(|l| l.split_whitespace().map(str::to_owned).collect()).collect();
        assert_eq!(rows[0], ["put+quiet", "8", "8.00", "16.00", "0.500", "0.500"]);
        assert_eq!(rows[1], ["get", "8", "10.00", "5.00", "2.000"]);
        assert!(read("# a comment\nput 8\n", &mut Figures::new()).is_err());
    }

    #[test]
    fn the_ratio_is_the_launches_median() {
        let all = rows::<3>("# a comment\nput 8 1 2 0.5\nget 8 3 4 0.75\n").unwrap();
        let all = all.into_iter().map(|(what, figures)| (what, figures.map(|f| vec![f, 4.0 * f, 2.0 * f]))).collect();
        let table = beside_table(all);
        let row: Vec<_> = table.lines().nth(1).unwrap().split_whitespace().collect();
        assert_eq!(row, ["put", "8", "2.00", "4.00", "2.000", "1.000"]);
        assert!(rows::<3>("put 8 1 2\n").is_err());
    }
}
