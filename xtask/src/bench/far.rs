//! `cargo xtask bench far`: calls to PEs of other nodes beside the plain MPI calls they come down to, in one program, so in
//! one run on one kind of window: with every PE a node of its own on this host, and between two hosts made of network
//! namespaces where there can be some.

use crate::cluster::{Launcher, hosts};
use crate::install;
use crate::util::{Mpi, output, root};
use anyhow::{Context, Result, bail};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Only shows that it runs
    #[arg(long)]
    quick: bool,
    /// Measure the oshmpi installed here instead of building it
    #[arg(long, value_name = "DIR")]
    prefix: Option<std::path::PathBuf>,
}

/// What a row may cost at most, in the plain call's time.
const TARGET: f64 = 1.05;

pub fn run(args: Args) -> Result<()> {
    let mpi = Mpi::Mpich; // others do not serve one-sided calls between such hosts
    let prefix = match args.prefix {
        Some(prefix) => prefix,
        None => {
            install::run(install::Args { prefix: mpi.prefix(), mpi })?;
            mpi.prefix()
        }
    };
    let dir = root().join("target/bench/bin/far");
    std::fs::create_dir_all(&dir).with_context(|| format!("cannot make {}", dir.display()))?;
    let program = dir.join("beside_mpi");
    let source = root().join("benches/far/beside_mpi.c");
    crate::util::run(Command::new(prefix.join("bin/oshcc")).arg("-O2").arg(source).arg("-o").arg(&program))?;
    let words = if args.quick { ["-m", "8:8", "-i", "5"] } else { ["-m", "8:32768", "-i", "100"] };

    println!("one host, OSHMPI_ROUTE=mpi");
    let mut c = mpi.mpiexec(2);
    show(&output(c.env("OSHMPI_ROUTE", "mpi").arg(&program).args(words))?)?;
    match hosts::missing() {
        Some(why) => println!("two hosts: not measured, {why}"),
        None => {
            println!("two hosts");
            let hosts = hosts::Hosts::up(2)?;
            let mut c = Launcher::Mpiexec(mpi).command(&hosts, 2, false);
            c.arg(&program).args(words);
            show(&output(&mut hosts.in_hub(&c))?)?;
        }
    }
    Ok(())
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
