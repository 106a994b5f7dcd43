//! The memory of a node with many clients, as the kernel counts it: the sum over server and clients of the proportional
//! set size (each page divided by the number of processes that map it), before the exchange and after it.

use super::crew::Crew;
use super::work::{KEY, VALUE, filled, value, view};
use super::{Options, figure};
use pmi_shm::kvs::{Answer, Settings};

/// Bytes per process in the tables that MVAPICH2's processes fill after a fence, from the paper's 960 MB at a million
/// processes and 16 clients.
const COPY: usize = 60;

/// `memory --keys N --clients C`: megabytes (10^6 bytes).
pub fn run(options: &Options) {
    let clients = options.one("--clients", 16);
    for n in options.list("--keys", &[1_000_000]) {
        figure("memory-fence", "copies", n, copies(n, clients));
        figure("memory-fence", "shared", n, fence(n, clients));
    }
}

/// The memory of the clients' tables when each client copies everything. The server's copy is not counted.
fn copies(n: usize, clients: usize) -> f64 {
    let mut crew = Crew::start(clients, |_| {
        move || {
            let mut table = vec![0_u8; n * COPY];
            for (i, place) in table.chunks_exact_mut(COPY).enumerate() {
                place[..VALUE].copy_from_slice(&value(i));
            }
            let sum: u64 = table.iter().step_by(COPY).map(|b| u64::from(*b)).sum();
            std::mem::forget(table);
            vec![sum as f64]
        }
    });
    let idle: f64 = pss(&crew) + own_pss();
    let figures = crew.figures();
    assert_eq!(figures.len(), clients);
    pss(&crew) + own_pss() - idle
}

/// One store for all, filled by the server and read completely by every client.
fn fence(n: usize, clients: usize) -> f64 {
    let before = idle(clients);
    let store = filled(Settings::default(), n);
    let mut crew = Crew::start(clients, |_| {
        let view = view(&store);
        move || {
            view.touch();
            let mut out = [0; VALUE];
            let found = (0..n).step_by(1000).all(|i| view.get(&super::work::key(i), &mut out) == Answer::Found(VALUE));
            std::mem::forget(view);
            vec![f64::from(u8::from(found))]
        }
    });
    assert!(crew.figures().iter().all(|f| f[0] == 1.0), "a client has not found its keys");
    let after = pss(&crew) + own_pss();
    assert_eq!(KEY + VALUE, 48);
    after - before
}

/// Server and idle clients.
fn idle(clients: usize) -> f64 {
    let mut crew = Crew::start(clients, |_| || vec![0.0]);
    crew.figures();
    pss(&crew) + own_pss()
}

fn pss(crew: &Crew) -> f64 {
    crew.pids().iter().map(|pid| pss_of(&pid.to_string())).sum()
}

fn own_pss() -> f64 {
    pss_of("self")
}

fn pss_of(process: &str) -> f64 {
    kilobytes(&format!("/proc/{process}/smaps_rollup"), "Pss:")
}

/// The line `name  123 kB` of a file of /proc, in megabytes.
fn kilobytes(path: &str, name: &str) -> f64 {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("cannot read {path}: {e}"));
    let line = text.lines().find_map(|l| l.strip_prefix(name)).unwrap_or_else(|| panic!("{path} has no {name}"));
    let kb: f64 = line.trim().trim_end_matches("kB").trim().parse().expect("a number of kB");
    kb * 1024.0 / 1e6
}
