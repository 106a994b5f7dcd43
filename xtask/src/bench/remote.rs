//! `cargo xtask bench remote`: calls to PEs of other nodes beside the plain MPI calls they come down to, with every PE
//! a node on this host, and between two hosts made of network namespaces where there can be some.
//!
//! Each call is measured twice. First both libraries are in one program and take turns batch by batch, so they share
//! one run and one kind of window. Then each library is in a separate program, and the programs are launched in turn:
//! plain MPI has no helper thread beside it then, and its target waits in MPI.

use super::others;
use super::report::table;
use super::turns::{Figures, Medians, in_turn, read};
use crate::cluster::{Launcher, hosts};
use crate::install;
use crate::util::{Mpi, made, median, output, root, surroundings};
use anyhow::{Result, bail, ensure};
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
    /// Beside another OpenSHMEM instead, whose compiler wrapper is OSHCC, between 2 hosts of 1 and 2 PEs
    #[arg(long, value_name = "NAME=OSHCC", conflicts_with = "per_host")]
    peer: Vec<others::Peer>,
    /// There also OSU's OpenSHMEM programs, whose sources are in this directory
    #[arg(long, value_name = "DIR", requires = "peer")]
    osu: Option<PathBuf>,
}

/// What a row may cost at most, in the plain call's time.
const TARGET: f64 = 1.05;

pub fn run(args: Args) -> Result<()> {
    let mpi = Mpi::Mpich; // Open MPI does not serve one-sided calls between such hosts.
    let prefix = match &args.prefix {
        Some(prefix) => prefix.clone(),
        None => {
            install::run(install::Args::ours(mpi, install::library::Profile::Release))?;
            mpi.prefix()
        }
    };
    let rounds = args.repeat.unwrap_or(if args.quick { 1 } else { 5 });
    if !args.peer.is_empty() {
        return others::run(&prefix, &args.peer, args.osu.as_deref(), rounds);
    }
    let programs = Programs::build(mpi, &prefix)?;
    let words = if args.quick { ["-m", "8:8", "-i", "5"] } else { ["-m", "8:32768", "-i", "100"] };
    let all = |launch: &dyn Fn() -> Command, within: &dyn Fn(&Command) -> Command| -> Result<()> {
        let run = |program: &Path| output(&mut within(launch().arg(program).args(words)));
        print!("{}", beside(&programs, rounds, run)?);
        let [ours, plain] = &programs.alone;
        print!("{}", beside_put_table(&in_turn(rounds, &[&|| run(ours), &|| run(plain)])?)?);
        Ok(())
    };

    println!("one host, OSHMPI_ROUTE=mpi");
    let launch = || {
        let mut c = mpi.mpiexec(2);
        c.env("OSHMPI_ROUTE", "mpi").env("OSHMPI_TRANSPORT", "mpi");
        c
    };
    let unchanged = |c: &Command| {
        let mut copy = Command::new(c.get_program());
        copy.args(c.get_args());
        surroundings(copy, c)
    };
    all(&launch, &unchanged)?;
    if let Some(why) = hosts::missing() {
        println!("two hosts: not measured, {why}");
        return Ok(());
    }
    let hosts = hosts::Hosts::up(2)?;
    for n in [1].into_iter().chain(args.per_host) {
        println!("two hosts, PEs on each: {n}");
        all(&|| Launcher::Mpiexec(mpi).command(&hosts, 2 * n), &|c| hosts.in_hub(c))?;
    }
    Ok(())
}

/// Compiles `benches/remote/calls.c` with a macro defined.
fn compile(compiler: &Path, defined: &str) -> Result<PathBuf> {
    let dir = made(root().join("target/bench/bin/remote"))?;
    let program = dir.join(format!("calls{}", defined.to_lowercase()));
    let mut c = Command::new(compiler);
    if defined == "BESIDE" {
        c.arg("-mpi"); // to oshcc
    }
    c.arg("-O2").arg(format!("-D{defined}")).arg(root().join("benches/remote/calls.c")).arg("-o").arg(&program);
    crate::util::run(&mut c)?;
    Ok(program)
}

struct Programs {
    /// With both libraries.
    beside: PathBuf,
    /// With oshmpi, and with plain MPI.
    alone: [PathBuf; 2],
}

impl Programs {
    fn build(mpi: Mpi, prefix: &Path) -> Result<Programs> {
        let (oshcc, mpicc) = (prefix.join("bin/oshcc"), PathBuf::from(mpi.command("mpicc")));
        let alone = [compile(&oshcc, "ALONE")?, compile(&mpicc, "PLAIN")?];
        Ok(Programs { beside: compile(&oshcc, "BESIDE")?, alone })
    }
}

/// The table of the program that calls both libraries. The ratio is the median of the launches' ratios.
fn beside(programs: &Programs, rounds: usize, run: impl Fn(&Path) -> Result<String>) -> Result<String> {
    let mut all = Figures::new();
    for _ in 0..rounds {
        read(&run(&programs.beside)?, 3, &mut all)?;
    }
    beside_table(all)
}

fn beside_table(all: Figures) -> Result<String> {
    let rows = all.into_iter().map(|((_, name, bytes), samples)| {
        let highest = samples[2].iter().copied().fold(0.0, f64::max);
        let medians: Vec<f64> = samples.into_iter().map(|mut samples| median(&mut samples)).collect();
        let times = [format!("{:.2}", medians[0]), format!("{:.2}", medians[1]), format!("{highest:.3}")];
        ([&[name, bytes.to_string()], &times[..]].concat(), medians[2])
    });
    show("in one program", &["highest"], rows.collect())
}

/// Of oshmpi and plain MPI. The column before the ratio has the time over that of plain MPI's 8-byte put and flush. It
/// is empty for gets and for more than 8 bytes.
fn beside_put_table(all: &[Medians]) -> Result<String> {
    let [ours, plain] = all else { bail!("there are two programs") };
    let put_flush = plain.iter().find(|((_, name, _), _)| name == "put+quiet").map(|(_, us)| *us);
    let rows = ours.iter().filter_map(|(what, ours)| {
        let theirs = plain.get(what)?;
        let (_, name, bytes) = what;
        let to_put = put_flush.filter(|_| *bytes == 8 && name != "get").map(|put| format!("{:.3}", ours / put));
        let times = [format!("{ours:.2}"), format!("{theirs:.2}"), to_put.unwrap_or_default()];
        Some(([&[name.clone(), bytes.to_string()], &times[..]].concat(), ours / theirs))
    });
    show("each in a program without the other", &["to MPI_Put+flush"], rows.collect())
}

/// The rows with their ratios. Those above the target are marked. A blocking put alone has no counterpart in MPI: the
/// other side completes it locally, which MPI puts off to another call.
fn show(title: &str, further: &[&str], rows: Vec<(Vec<String>, f64)>) -> Result<String> {
    ensure!(!rows.is_empty(), "no row was measured");
    let heads = [&["operation", "bytes", "OpenSHMEM", "MPI"], further, &["ratio"]].concat();
    let heads = heads.into_iter().map(str::to_string).collect();
    let row = |(cells, ratio): (Vec<String>, f64)| {
        let mark = if ratio > TARGET { format!("above {TARGET}") } else { String::new() };
        [cells, vec![format!("{ratio:.3}"), mark]].concat()
    };
    Ok(table(title, 1, &[vec![heads], rows.into_iter().map(row).collect()].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(table: &str, line: usize) -> Vec<&str> {
        table.lines().nth(line).unwrap().split_whitespace().collect()
    }

    #[test]
    fn rows_in_the_programs_order() {
        let [ours, plain] = ["put+quiet 8 8\nget 8 10\n", "put+quiet 8 16\nget 8 5\n"].map(String::from);
        let all = in_turn(1, &[&|| Ok(ours.clone()), &|| Ok(plain.clone())]).unwrap();
        let table = beside_put_table(&all).unwrap();
        assert_eq!(cells(&table, 3), ["put+quiet", "8", "8.00", "16.00", "0.500", "0.500"]);
        assert_eq!(cells(&table, 4), ["get", "8", "10.00", "5.00", "2.000", "above", "1.05"]);
    }

    #[test]
    fn the_ratio_is_the_launches_median() {
        let mut all = Figures::new();
        for factor in [1.0, 4.0, 2.0] {
            let text = format!("# a comment\nput 8 {} {} {}\n", factor, 2.0 * factor, 0.5 * factor);
            read(&text, 3, &mut all).unwrap();
        }
        let table = beside_table(all).unwrap();
        assert_eq!(cells(&table, 3), ["put", "8", "2.00", "4.00", "2.000", "1.000"]);
        assert!(read("put 8 1 2\n", 3, &mut Figures::new()).is_err());
        assert!(beside_table(Figures::new()).is_err());
    }
}
