//! `cargo xtask bench remote --peer NAME=OSHCC`: oshmpi and other OpenSHMEM libraries between two hosts made of network
//! namespaces, in turn: our calls (`benches/remote/calls.c`), and OSU's OpenSHMEM programs from a directory of their
//! sources. A peer's program that fails or takes too long gives the rows that it has printed.

use super::launch;
use super::report::table;
use super::turns::{Medians, What, in_turn};
use crate::cluster::Launcher;
use crate::cluster::hosts::{self, Hosts};
use crate::util::{Mpi, made, output, root};
use anyhow::{Result, bail, ensure};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;
use std::time::Duration;

/// A library, and its compiler wrapper.
#[derive(Clone, Debug)]
pub struct Peer {
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
    /// Open MPI's launcher for its OpenSHMEM, MPICH's for others: they take PMI-1.
    fn launcher(&self) -> Launcher {
        let says = output(Command::new(&self.oshcc).arg("--showme:version")).unwrap_or_default();
        Launcher::Mpiexec(if says.contains("Open SHMEM") { Mpi::Openmpi } else { Mpi::Mpich })
    }
}

/// What one run of a program may take. Others need seconds for a call on more PEs than cores.
const LIMIT: Duration = Duration::from_secs(60);

/// Hosts and PEs on each.
const LAYOUTS: [(usize, usize); 2] = [(2, 1), (2, 2)];

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
    name: String,
    words: Vec<&'static str>,
    sources: Vec<PathBuf>,
    flags: Vec<String>,
    two_pes: bool,
    /// What it prints as lines of operation, bytes and microseconds.
    lines: fn(&str, &str) -> String,
}

fn programs(osu: Option<&Path>) -> Vec<Program> {
    let ours = Program {
        name: "calls".to_owned(),
        words: vec!["-m", "8:32768", "-i", "100"],
        sources: vec![root().join("benches/remote/calls.c")],
        flags: vec!["-DALONE".to_owned()],
        two_pes: false,
        lines: |_, text| text.to_owned(),
    };
    let others = osu.map(|dir| {
        OSU.map(|(name, two_pes)| {
            let util = dir.join("c/util");
            let flags = ["-DPACKAGE_VERSION=\"7.4\"", "-DFIELD_WIDTH=18", "-DFLOAT_PRECISION=2", "-DOSHM_1_3=1"];
            Program {
                name: name.to_owned(),
                words: if ["put", "get", "atomics"].iter().any(|kind| name.starts_with(kind)) {
                    vec!["heap"]
                } else {
                    vec![]
                },
                sources: vec![
                    dir.join(format!("c/openshmem/osu_oshm_{name}.c")),
                    util.join("osu_util.c"),
                    util.join("osu_util_pgas.c"),
                ],
                flags: flags.map(String::from).into_iter().chain([format!("-I{}", util.display())]).collect(),
                two_pes,
                lines: of_osu,
            }
        })
    });
    [ours].into_iter().chain(others.into_iter().flatten()).collect()
}

/// The rows of one of OSU's programs that are shown. Messages a second become the time of one.
fn of_osu(name: &str, text: &str) -> String {
    let rows = text.lines().filter(|line| !line.starts_with('#')).filter_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [us] => Some((name.to_owned(), 0, us.parse::<f64>().ok()?)),
            [bytes, figure] => {
                let (bytes, figure): (usize, f64) = (bytes.parse().ok()?, figure.parse().ok()?);
                let us = if name.contains("_mr") { 1e6 / figure } else { figure };
                SIZES.contains(&bytes).then(|| (name.to_owned(), bytes, us))
            }
            [operation, _, us] => Some((operation.trim_start_matches("shmem_").to_owned(), 0, us.parse().ok()?)),
            _ => None,
        }
    });
    rows.map(|(name, bytes, us)| format!("{name} {bytes} {us}\n")).collect()
}

pub fn run(prefix: &Path, peers: &[Peer], osu: Option<&Path>, rounds: usize) -> Result<()> {
    if let Some(why) = hosts::missing() {
        bail!("several hosts need root and iproute2: {why}");
    }
    let programs = programs(osu);
    for source in programs.iter().flat_map(|p| &p.sources) {
        ensure!(source.exists(), "there is no {}: --osu takes the directory that has c/openshmem", source.display());
    }
    let ours = Peer { name: "oshmpi".to_owned(), oshcc: prefix.join("bin/oshcc") };
    let all: Vec<&Peer> = [&ours].into_iter().chain(peers).collect();
    let problems = RefCell::new(BTreeSet::new());
    for (count, per_host) in LAYOUTS {
        let hosts = Hosts::up(count)?;
        let mut rows = Vec::new();
        for program in programs.iter().filter(|p| !p.two_pes || count * per_host == 2) {
            let complain = |who: &Peer, why: &str| {
                problems.borrow_mut().insert(format!("{count}x{per_host} {} {}: {why}", who.name, program.name));
            };
            let launch = |who: &Peer, built: &Option<PathBuf>| -> Result<String> {
                let Some(built) = built else { return Ok(String::new()) };
                let mut c = who.launcher().command(&hosts, count * per_host);
                let outcome = launch::run(&hosts.in_hub(c.arg(built).args(&program.words)), LIMIT)?;
                if let Some(why) = outcome.complaint() {
                    complain(who, &why);
                }
                Ok((program.lines)(&program.name, &outcome.stdout))
            };
            let builds: Vec<_> =
                all.iter().map(|who| built(who, program).map_err(|why| complain(who, &why)).ok()).collect();
            let launch = &launch;
            let runs: Vec<_> = all.iter().zip(&builds).map(|(&who, built)| move || launch(who, built)).collect();
            let runs: Vec<&dyn Fn() -> Result<String>> = runs.iter().map(|run| run as _).collect();
            rows.extend(rows_of(program, &in_turn(rounds, &runs)?));
            eprintln!("{count}x{per_host} {}", program.name);
        }
        let mut heads = ["program", "call", "bytes", "oshmpi"].map(String::from).to_vec();
        heads.extend(peers.iter().flat_map(|peer| [peer.name.clone(), "ratio".to_owned()]));
        let title = format!(
            "{count} hosts, PEs on each: {per_host}; microseconds of a call; a ratio below 1: oshmpi is faster"
        );
        print!("{}", table(&title, 2, &[vec![heads], rows].concat()));
    }
    let problems = problems.into_inner();
    if !problems.is_empty() {
        println!("\nwith a complaint");
        problems.iter().for_each(|line| println!("  {line}"));
    }
    ensure!(!problems.iter().any(|line| line.contains(" oshmpi ")), "a program over oshmpi did not end well");
    Ok(())
}

/// The program compiled for a library, or the line that tells why it is not.
fn built(who: &Peer, program: &Program) -> Result<PathBuf, String> {
    let dir = made(root().join("target/bench/bin/others").join(&who.name)).map_err(|e| e.to_string())?;
    let file = dir.join(&program.name);
    let mut c = Command::new(&who.oshcc);
    c.args(["-O2", "-w", "-o"]).arg(&file).args(&program.flags).args(&program.sources).arg("-lm");
    output(&mut c).map(|_| file).map_err(|e| {
        let why = e.to_string();
        why.lines().find(|line| line.contains("error")).unwrap_or(&why).to_owned()
    })
}

/// Our time, and of each peer its time and ours as a factor of it.
fn rows_of(program: &Program, all: &[Medians]) -> Vec<Vec<String>> {
    let Some((ours, peers)) = all.split_first() else { return Vec::new() };
    let row = |(what, us): (&What, &f64)| {
        let (_, call, bytes) = what;
        let bytes = if *bytes == 0 { String::new() } else { bytes.to_string() };
        let beside = peers.iter().flat_map(|peer| match peer.get(what) {
            Some(its) => [format!("{its:.2}"), format!("{:.2}{}", us / its, if us > its { '*' } else { ' ' })],
            None => ["-".to_owned(), String::new()],
        });
        [program.name.clone(), call.clone(), bytes, format!("{us:.2}")].into_iter().chain(beside).collect()
    };
    ours.iter().map(row).collect()
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
        assert_eq!(of_osu("put", table), "put 8 19.5\nput 4096 30\n");
        assert_eq!(of_osu("put_mr", "8      500000.00\n"), "put_mr 8 2\n");
        assert_eq!(of_osu("barrier", "# Avg Latency(us)\n            13.00\n"), "barrier 0 13\n");
        assert_eq!(of_osu("atomics", "shmem_int_fadd       0.03     30.00\n"), "int_fadd 0 30\n");
        assert_eq!(of_osu("reduce", "some other words of a library\n"), "");
    }

    #[test]
    fn rows_where_a_peer_is_ahead_are_marked() {
        let program = &programs(None)[0];
        let of =
            |us: &[f64]| us.iter().enumerate().map(|(i, us)| ((i, "get".to_owned(), 8 * i), *us)).collect::<Medians>();
        let rows = rows_of(program, &[of(&[1.0, 4.0]), of(&[2.0]), of(&[1.0, 2.0])]);
        assert_eq!(rows[0], ["calls", "get", "", "1.00", "2.00", "0.50 ", "1.00", "1.00 "]);
        assert_eq!(rows[1], ["calls", "get", "8", "4.00", "-", "", "2.00", "2.00*"]);
    }
}
