//! Counts what this PE has done, and prints it for `OSHMPI_STATS`.
//!
//! Operations that take the slow side are always counted. These are all that go to other nodes, and those on the node
//! that need more than a load, a store or an atomic instruction. `OSHMPI_STATS` closes the fast path, so that all
//! operations are counted.

use crate::ctx::Ctx;
use crate::diag;
use crate::env::StatsAs;
use crate::memory::addr::Pe;
use crate::memory::counters::{By, CAUSES};
use crate::mpi;
use crate::net::carrier::Carrier;
use crate::os::{network, process};
use crate::state::Runtime;
use crate::sync::tally::{Moved, Verb};
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Mutex;

/// PEs that were reached lately and are not looked up again. More places save more look-ups and take more memory.
const LATELY: usize = 64;

/// The PEs that were reached by one way.
struct Peers {
    /// At index `pe % LATELY`: one more than the PE that was reached last with this index, or 0.
    lately: [AtomicU32; LATELY],
    met: Mutex<BTreeSet<u32>>,
}

/// The PEs that were reached, indexed by [`By`]. Filled with `OSHMPI_STATS` only.
static PEERS: [Peers; 2] = [Peers::new(), Peers::new()];

impl Peers {
    const fn new() -> Peers {
        Peers { lately: [const { AtomicU32::new(0) }; LATELY], met: Mutex::new(BTreeSet::new()) }
    }

    fn met(&self, pe: Pe) {
        let place = &self.lately[pe.0 as usize % LATELY];
        if place.swap(pe.0 + 1, Ordering::Relaxed) != pe.0 + 1 {
            self.met.lock().unwrap_or_else(|e| e.into_inner()).insert(pe.0);
        }
    }

    /// The number of PEs that were reached, without this one.
    fn others(&self, me: Pe) -> usize {
        self.met.lock().unwrap_or_else(|e| e.into_inner()).iter().filter(|&&pe| pe != me.0).count()
    }
}

/// Counts an operation at `pe` that moves `bytes` bytes.
pub(super) fn count(rt: &Runtime, ctx: Ctx, by: By, verb: Verb, (pe, bytes): (Pe, usize)) {
    rt.node.counters(rt.node.me).count(by, verb, bytes);
    if ctx != Ctx::DEFAULT {
        rt.contexts.count(ctx, verb, bytes);
    }
    if rt.env.stats != StatsAs::None {
        met(by, pe);
    }
}

/// Notes that a PE is reached, by an operation or in a collective.
pub(super) fn met(by: By, pe: Pe) {
    PEERS[by as usize].met(pe);
}

/// What was issued on an existing context.
pub(super) fn issued(rt: &Runtime, ctx: Ctx) -> Moved {
    rt.contexts.issued(ctx, rt.node.counters(rt.node.me).all_moved())
}

/// Prints what was counted, at the end.
pub(super) fn print(rt: &Runtime) {
    match rt.env.stats {
        StatsAs::None => {}
        StatsAs::Text => diag::print(text(rt)),
        StatsAs::Json => process::write_error(format!("{}\n", json(rt)).as_bytes()),
    }
}

fn memory(rt: &Runtime) -> [(&'static str, u64); 4] {
    let resident = process::resident_kib();
    let since = resident.saturating_sub(rt.resident_before);
    let (tables, faults) = (process::page_tables_kib().unwrap_or(0), process::page_faults());
    [
        ("resident_kib", resident),
        ("resident_since_init_kib", since),
        ("page_tables_kib", tables),
        ("page_faults", faults),
    ]
}

/// What carries data between nodes, by its word in `OSHMPI_TRANSPORT`.
fn network(rt: &Runtime) -> &'static str {
    rt.carrier.map_or("mpi", Carrier::word)
}

/// Endpoints that a library of the network has made for this PE: one for each PE that it has contacted.
fn endpoints(rt: &Runtime) -> usize {
    match rt.carrier {
        Some(Carrier::Native(native)) => native.contacted(),
        Some(Carrier::Mpi(_)) | None => 0,
    }
}

fn text(rt: &Runtime) -> String {
    let counters = rt.node.counters(rt.node.me);
    let by = |by: By| {
        let m = counters.moved(by);
        let (puts, gets, amos, peers) = (m.puts, m.gets, m.amos + m.fetches, PEERS[by as usize].others(rt.pe));
        let (put_bytes, get_bytes) = (m.put_bytes, m.get_bytes);
        format!("{puts} puts ({put_bytes} bytes), {gets} gets ({get_bytes} bytes), {amos} amos, {peers} peers")
    };
    let flushes = rt.remote.as_ref().map_or(0, |remote| remote.flushes());
    let waits = CAUSES.iter().zip(counters.waited()).filter(|(_, micros)| *micros > 0);
    let waits: String = waits.map(|(cause, micros)| format!(" {cause} {:.3} s,", micros as f64 * 1e-6)).collect();
    let waits = if waits.is_empty() { " 0 s" } else { waits.trim_end_matches(',') };
    let [resident, since, tables, faults] = memory(rt).map(|(_, number)| number);
    format!(
        "stats: memory {}; {} {}, {flushes} flushes, {} communicators, {} endpoints, {} connections to other \
         hosts; waited{waits}; {resident} KiB resident, {since} of them since before shmem_init; {tables} KiB of page \
         tables, {faults} page faults",
        by(By::Memory),
        network(rt),
        by(By::Network),
        mpi::communicators(),
        endpoints(rt),
        network::to_other_hosts()
    )
}

/// One line of JSON. All values are numbers, so no value needs quotes.
fn json(rt: &Runtime) -> String {
    let counters = rt.node.counters(rt.node.me);
    let object = |fields: &[(&str, u64)]| {
        let fields: Vec<String> = fields.iter().map(|(name, n)| format!("\"{name}\":{n}")).collect();
        format!("{{{}}}", fields.join(","))
    };
    let mut line = format!("{{\"pe\":{},\"pes\":{}", rt.pe.0, rt.n_pes);
    for (name, by) in [("memory", By::Memory), (network(rt), By::Network)] {
        let m = counters.moved(by);
        let fields = [
            ("puts", m.puts),
            ("put_bytes", m.put_bytes),
            ("gets", m.gets),
            ("get_bytes", m.get_bytes),
            ("amos", m.amos),
            ("fetching_amos", m.fetches),
            ("peers", PEERS[by as usize].others(rt.pe) as u64),
        ];
        let _ = write!(line, ",\"{name}\":{}", object(&fields));
    }
    let waited: Vec<(&str, u64)> = CAUSES.into_iter().zip(counters.waited()).collect();
    let _ = write!(line, ",\"waited_us\":{}", object(&waited));
    let flushes = rt.remote.as_ref().map_or(0, |remote| remote.flushes());
    let [resident, since, tables, faults] = memory(rt);
    let communicators = ("communicators", mpi::communicators() as u64);
    let connections = ("connections", network::to_other_hosts() as u64);
    let endpoints = ("endpoints", endpoints(rt) as u64);
    let rest = object(&[("flushes", flushes), communicators, endpoints, connections, resident, since, tables, faults]);
    line + "," + rest.trim_start_matches('{')
}
