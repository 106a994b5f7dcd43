//! `cargo xtask bench path`: what this library adds to the network's own calls. Puts in a row and a fetch-add through
//! oshmpi, beside short C programs of UCX's and libfabric's calls on the same transport, in turn. Two processes of one
//! machine, each on a core of its own. What can be counted instead of measured is counted by unit tests of
//! `oshmpi/src/net` and by `cargo xtask scale --network`: round trips of a fence, calls of a quiet, locks of a put.

use super::report::table;
use super::turns::in_turn;
use crate::install;
use crate::util::{self, Mpi, limited, made, output, root};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Measure the oshmpi installed here instead of building it
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Launches of each program; medians over them are shown
    #[arg(long, value_name = "R", default_value_t = 5)]
    repeat: usize,
}

/// Calls, and what they may cost at most, in the time of the library's own call.
const WANTED: [(&str, f64); 2] = [("put_nbi", 1.2), ("fetch_add", 1.15)];

/// A library, how it is linked, the variable that chooses its transport, and transports.
const LIBRARIES: [(&str, &str, &str, &[&str]); 2] = [
    ("ucx", "-lucp", "UCX_TLS", &["posix,cma,self", "tcp,self"]),
    ("ofi", "-lfabric", "FI_PROVIDER", &["tcp;ofi_rxm", "sockets"]),
];

pub fn run(args: Args) -> Result<()> {
    let prefix = match args.prefix {
        Some(prefix) => prefix,
        None => {
            install::run(install::Args::ours(Mpi::Mpich, install::library::Profile::Release))?;
            Mpi::Mpich.prefix()
        }
    };
    measure(&prefix, args.repeat)
}

fn measure(prefix: &Path, rounds: usize) -> Result<()> {
    let dir = made(root().join("target/bench/bin/path"))?;
    let from = root().join("benches/path");
    let ours = dir.join("ours");
    util::run(Command::new(prefix.join("bin/oshcc")).args(["-O2", "-o"]).arg(&ours).arg(from.join("ours.c")))?;
    let mut rows = vec![["transport", "over", "call", "oshmpi", "plain", "ratio", ""].map(String::from).to_vec()];
    for (library, linked, variable, transports) in LIBRARIES {
        let plain = dir.join(library);
        let mut c = Command::new("cc");
        c.args(["-O2", "-o"]).arg(&plain).arg(from.join(library).with_extension("c"));
        if let Err(why) = output(c.arg(linked)) {
            let why = why.to_string();
            let line = why.lines().find(|line| line.contains("error")).unwrap_or(&why);
            println!("{library}: not measured, benches/path/{library}.c does not compile: {line}");
            continue;
        }
        for over in transports {
            let by_us = || {
                let mut c = Command::new(prefix.join("bin/oshrun"));
                c.args(["-n", "2", "--bind-to", "core"]).arg(&ours);
                c.env("OSHMPI_ROUTE", "mpi").env("OSHMPI_TRANSPORT", library).env(variable, over);
                output(&mut limited(&c)).with_context(|| format!("{variable}={over}"))
            };
            let by_it = || {
                let mut c = Command::new(&plain);
                c.env(variable, over).args((library == "ofi").then_some(over));
                output(&mut limited(&c)).with_context(|| format!("{variable}={over}"))
            };
            let all = in_turn(rounds, &[&by_us, &by_it])?;
            for ((what, ours), plain) in all[0].iter().zip(all[1].values()) {
                let wanted = WANTED.iter().find(|(call, _)| *call == what.1).map_or(f64::INFINITY, |(_, most)| *most);
                let mark = if ours / plain > wanted { format!("above {wanted}") } else { String::new() };
                let figures = [format!("{ours:.3}"), format!("{plain:.3}"), format!("{:.3}", ours / plain), mark];
                rows.push([&[library, over, &what.1].map(String::from), &figures[..]].concat());
            }
        }
    }
    print!("{}", table("microseconds of a call", 3, &rows));
    Ok(())
}
