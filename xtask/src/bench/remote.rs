//! `cargo xtask bench remote`: calls to PEs of other nodes beside the plain MPI calls they come down to, with every PE
//! a node on this host, and between hosts made of network namespaces where there can be some; there also beside other
//! OpenSHMEM libraries, and with OSU's OpenSHMEM programs from a directory of their sources.

use super::contest::{Contest, Entry};
use super::who::compile;
use crate::cluster::hosts::{self, Hosts};
use crate::cluster::mpiexec;
use crate::util::{Mpi, output, root};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

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
    /// Between two hosts of so many PEs each, which all share this machine's cores
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1")]
    per_host: Vec<usize>,
    /// Also beside another OpenSHMEM, whose compiler wrapper is OSHCC
    #[arg(long, value_name = "NAME=OSHCC")]
    peer: Vec<Peer>,
    /// Also OSU's OpenSHMEM programs, whose sources are in this directory
    #[arg(long, value_name = "DIR")]
    osu: Option<PathBuf>,
}

/// A library, and its compiler wrapper.
#[derive(Clone, Debug)]
struct Peer {
    name: String,
    oshcc: PathBuf,
}

impl FromStr for Peer {
    type Err = String;

    fn from_str(text: &str) -> Result<Peer, String> {
        match text.split_once('=') {
            Some((name, oshcc)) if !name.is_empty() && !oshcc.is_empty() => {
                Ok(Peer { name: name.to_owned(), oshcc: oshcc.into() })
            }
            _ => Err("expected NAME=OSHCC, such as sandia=/opt/sos/bin/oshcc".to_owned()),
        }
    }
}

impl Peer {
    /// Whose launcher: Open MPI's for its OpenSHMEM, MPICH's for others, which take PMI-1.
    fn launcher(&self) -> Mpi {
        let says = output(Command::new(&self.oshcc).arg("--showme:version")).unwrap_or_default();
        if says.contains("Open SHMEM") { Mpi::Openmpi } else { Mpi::Mpich }
    }
}

/// OSU's programs, and whether they take exactly two PEs. One is not here: `put_overlap` tells a share, no time.
const OSU: [(&str, bool); 13] = [
    ("put", true),
    ("get", true),
    ("put_nb", true),
    ("get_nb", true),
    ("put_mr", false),
    ("put_mr_nb", false),
    ("get_mr_nb", false),
    ("atomics", false),
    ("barrier", false),
    ("broadcast", false),
    ("collect", false),
    ("fcollect", false),
    ("reduce", false),
];

/// Sizes that are shown of those that OSU's programs measure; 0: the call has none.
const SIZES: [usize; 5] = [0, 8, 4096, 65536, 1 << 20];

/// A program that is compiled by every library.
struct Program {
    name: &'static str,
    words: &'static [&'static str],
    sources: Vec<PathBuf>,
    flags: Vec<String>,
    two_pes: bool,
    lines: fn(&str) -> String,
}

fn programs(osu: Option<&Path>, quick: bool) -> Vec<Program> {
    let ours = Program {
        name: "calls",
        words: match quick {
            true => &["put", "get", "atomics", "create", "-m", "8:8", "-b", "1"],
            false => &["put", "get", "atomics", "create", "-m", "8:32768"],
        },
        sources: vec![root().join("benches/osu/calls.c")],
        flags: Vec::new(),
        two_pes: false,
        lines: str::to_owned,
    };
    let of_osu = |dir: &Path, (name, two_pes): (&'static str, bool)| {
        let (util, shmem) = (dir.join("c/util"), dir.join("c/openshmem"));
        let flags = ["-DPACKAGE_VERSION=\"7.4\"", "-DFIELD_WIDTH=18", "-DFLOAT_PRECISION=2", "-DOSHM_1_3=1"];
        let takes_memory = ["put", "get", "atomics"].iter().any(|kind| name.starts_with(kind));
        Program {
            name,
            words: if takes_memory { &["heap"] } else { &[] },
            sources: ["osu_util.c", "osu_util_pgas.c"]
                .map(|file| util.join(file))
                .into_iter()
                .chain([shmem.join(format!("osu_oshm_{name}.c"))])
                .collect(),
            flags: flags.map(String::from).into_iter().chain([format!("-I{}", util.display())]).collect(),
            two_pes,
            lines: if name.contains("_mr") { rates } else { times },
        }
    };
    let theirs = osu.into_iter().flat_map(|dir| OSU.map(|program| of_osu(dir, program)));
    [ours].into_iter().chain(theirs).collect()
}

fn times(text: &str) -> String {
    of_osu(text, |us| us)
}

/// Messages a second become the time of one.
fn rates(text: &str) -> String {
    of_osu(text, |rate| 1e6 / rate)
}

/// The rows of one of OSU's programs that are shown.
fn of_osu(text: &str, us: fn(f64) -> f64) -> String {
    let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (call, bytes, figure) = match words[..] {
            [figure] => ("osu", 0, figure),
            [bytes, figure] => ("osu", bytes.parse().ok()?, figure),
            [operation, _, figure] => (operation.trim_start_matches("shmem_"), 0, figure),
            _ => return None,
        };
        let figure = us(figure.parse().ok()?);
        SIZES.contains(&bytes).then(|| format!("{call} {bytes} {figure}\n"))
    });
    rows.collect()
}

pub fn run(args: Args) -> Result<()> {
    let mpi = Mpi::Mpich; // Open MPI does not serve one-sided calls between such hosts.
    let mut contest = Contest::new(args.repeat, args.quick)?;
    let prefix = super::prefix(mpi, args.prefix)?;
    let programs = programs(args.osu.as_deref(), args.quick);
    for source in programs.iter().flat_map(|p| &p.sources) {
        ensure!(source.exists(), "there is no {}: --osu takes the directory that has c/openshmem", source.display());
    }
    let ours = Peer { name: "oshmpi".to_owned(), oshcc: prefix.join("bin/oshcc") };
    // Plain MPI has the first program only.
    let plain = Peer { name: "MPI".to_owned(), oshcc: mpi.command("mpicc").into() };
    let built = |who: &Peer, program: &Program, flag: Option<&str>| {
        let mut c = Command::new(&who.oshcc);
        c.args(["-O2", "-w"]).args(flag).args(&program.flags);
        compile(c, &who.name, program.name, &program.sources)
    };
    let entry = |who: &Peer, program: &Program, flag, command: &dyn Fn(&Peer, PathBuf) -> Command| Entry {
        name: who.name.clone(),
        command: built(who, program, flag).map(|program| command(who, program)).map(|mut c| {
            c.args(program.words);
            c
        }),
        lines: program.lines,
    };
    let alone = |_: &Peer, program: PathBuf| {
        let mut c = mpi.mpiexec(2);
        c.env("OSHMPI_ROUTE", "mpi").env("OSHMPI_TRANSPORT", "mpi").arg(program);
        c
    };
    let calls = &programs[0];
    let entries = vec![entry(&ours, calls, None, &alone), entry(&plain, calls, Some("-DPLAIN"), &alone)];
    let rows = contest.hold("every PE a node", entries);
    contest.show("calls over MPI, one host", rows);
    if let Some(why) = hosts::missing() {
        println!("two hosts: not measured, {why}");
        return contest.end();
    }
    let hosts = Hosts::up(2)?;
    for per_host in args.per_host {
        let between = |who: &Peer, program: PathBuf| {
            let mut c = mpiexec(who.launcher(), &hosts, 2 * per_host);
            hosts.in_hub(c.arg(program))
        };
        let mut rows = Vec::new();
        for (i, program) in programs.iter().enumerate().filter(|(_, p)| !p.two_pes || per_host == 1) {
            let mut entries = vec![entry(&ours, program, None, &between)];
            entries.extend((i == 0).then(|| entry(&plain, program, Some("-DPLAIN"), &between)));
            entries.extend(args.peer.iter().map(|peer| entry(peer, program, None, &between)));
            rows.extend(contest.hold(program.name, entries));
            eprintln!("2x{per_host} {}", program.name);
        }
        contest.show(&format!("2 hosts, PEs on each: {per_host}"), rows);
    }
    contest.end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_a_name_and_a_wrapper() {
        let peer: Peer = "sandia=/opt/sos/bin/oshcc".parse().unwrap();
        assert_eq!((peer.name.as_str(), peer.oshcc.as_path()), ("sandia", Path::new("/opt/sos/bin/oshcc")));
        for junk in ["", "sandia", "=oshcc", "sandia="] {
            assert!(junk.parse::<Peer>().is_err(), "{junk}");
        }
    }

    #[test]
    fn rows_of_osu_are_times_of_calls() {
        let table =
            "# OSU OpenSHMEM Put Test v7.4\n# Size      Latency (us)\n8      19.50\n16      19.60\n4096   30.00\n";
        assert_eq!(times(table), "osu 8 19.5\nosu 4096 30\n");
        assert_eq!(rates("8      500000.00\n"), "osu 8 2\n");
        assert_eq!(times("# Avg Latency(us)\n            13.00\n"), "osu 0 13\n");
        assert_eq!(times("shmem_int_fadd       0.03     30.00\n"), "int_fadd 0 30\n");
        assert_eq!(times("some other words of a library\n"), "");
    }
}
