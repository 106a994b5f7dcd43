//! `cargo xtask bench path`: what this library adds to the network's own calls. Puts in a row and a fetch-add through
//! oshmpi, beside short C programs of UCX's and libfabric's calls on the same transport, in turn. Two processes of one
//! machine, each on a core of its own. What can be counted instead of measured is counted by unit tests of
//! `oshmpi/src/net` and by `cargo xtask scale --network`: round trips of a fence, calls of a quiet, locks of a put.

use super::contest::{Contest, Entry};
use super::who::compile;
use crate::util::{Mpi, root};
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Measure the oshmpi installed here instead of building it
    #[arg(long, value_name = "DIR")]
    prefix: Option<PathBuf>,
    /// Launches of each program; medians over them are shown [default: 5]
    #[arg(long, value_name = "R")]
    repeat: Option<usize>,
}

/// A library, how it is linked, the variable that chooses its transport, and transports.
const LIBRARIES: [(&str, &str, &str, &[&str]); 2] = [
    ("ucx", "-lucp", "UCX_TLS", &["posix,cma,self", "tcp,self"]),
    ("ofi", "-lfabric", "FI_PROVIDER", &["tcp;ofi_rxm", "sockets"]),
];

pub fn run(args: Args) -> Result<()> {
    let mut contest = Contest::new(args.repeat, false)?;
    let prefix = super::prefix(Mpi::Mpich, args.prefix)?;
    let mut rows = Vec::new();
    for (library, linked, variable, transports) in LIBRARIES {
        let built = |compiler: PathBuf, name: &str, linked: Option<&str>| {
            let mut c = Command::new(compiler);
            c.arg("-O2");
            let sources = [root().join("benches/path").join(name).with_extension("c")];
            compile(c, "path", name, &sources.into_iter().chain(linked.map(PathBuf::from)).collect::<Vec<_>>())
        };
        for over in transports {
            let by_us = built(prefix.join("bin/oshcc"), "ours", None).map(|ours| {
                let mut c = Command::new(prefix.join("bin/oshrun"));
                c.args(["-n", "2", "--bind-to", "core"]).arg(ours);
                c.env("OSHMPI_ROUTE", "mpi").env("OSHMPI_TRANSPORT", library).env(variable, over);
                c
            });
            let by_it = built("cc".into(), library, Some(linked)).map(|plain| {
                let mut c = Command::new(plain);
                c.env(variable, over).args((library == "ofi").then_some(over));
                c
            });
            let entry = |name: &str, command| Entry { name: name.to_owned(), command, lines: str::to_owned };
            rows.extend(
                contest.hold(&format!("{library} {over}"), vec![entry("oshmpi", by_us), entry("plain", by_it)]),
            );
        }
    }
    contest.show("the path's own cost", rows);
    contest.end()
}
