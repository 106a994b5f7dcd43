//! What `OSHMPI_STATS` prints at the end: counted only when asked for.

use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::BTreeSet;
use std::sync::Mutex;

/// This process's.
pub(crate) static STATS: Stats = Stats::new();

struct Counts {
    puts: AtomicU64,
    put_bytes: AtomicU64,
    gets: AtomicU64,
    get_bytes: AtomicU64,
    amos: AtomicU64,
}

impl Counts {
    const fn new() -> Counts {
        Counts {
            puts: AtomicU64::new(0),
            put_bytes: AtomicU64::new(0),
            gets: AtomicU64::new(0),
            get_bytes: AtomicU64::new(0),
            amos: AtomicU64::new(0),
        }
    }
}

pub(crate) struct Stats {
    on: AtomicBool,
    memory: Counts,
    mpi: Counts,
    flushes: AtomicU64,
    /// PEs that were reached through MPI.
    peers: Mutex<BTreeSet<u32>>,
}

fn add(to: &AtomicU64, n: usize) {
    to.fetch_add(n as u64, Ordering::Relaxed); // a number for people
}

impl Stats {
    const fn new() -> Stats {
        Stats {
            on: AtomicBool::new(false),
            memory: Counts::new(),
            mpi: Counts::new(),
            flushes: AtomicU64::new(0),
            peers: Mutex::new(BTreeSet::new()),
        }
    }

    /// From now on.
    pub(crate) fn begin(&self) {
        self.on.store(true, Ordering::Relaxed); // before the program calls
    }

    #[inline]
    pub(crate) fn on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    #[inline]
    fn met(&self, pe: u32) {
        self.peers.lock().unwrap_or_else(|e| e.into_inner()).insert(pe);
    }

    #[inline]
    pub(super) fn put(&self, pe: u32, bytes: usize) {
        if self.on() {
            self.met(pe);
            add(&self.mpi.puts, 1);
            add(&self.mpi.put_bytes, bytes);
        }
    }

    #[inline]
    pub(super) fn get(&self, pe: u32, bytes: usize) {
        if self.on() {
            self.met(pe);
            add(&self.mpi.gets, 1);
            add(&self.mpi.get_bytes, bytes);
        }
    }

    #[inline]
    pub(super) fn amo(&self, pe: u32) {
        if self.on() {
            self.met(pe);
            add(&self.mpi.amos, 1);
        }
    }

    #[inline]
    pub(super) fn flush(&self) {
        if self.on() {
            add(&self.flushes, 1);
        }
    }

    /// Loads and stores, as far as they pass the slow path (with `OSHMPI_STATS` all do).
    pub(crate) fn memory_put(&self, bytes: usize) {
        if self.on() {
            add(&self.memory.puts, 1);
            add(&self.memory.put_bytes, bytes);
        }
    }

    pub(crate) fn memory_get(&self, bytes: usize) {
        if self.on() {
            add(&self.memory.gets, 1);
            add(&self.memory.get_bytes, bytes);
        }
    }

    pub(crate) fn memory_amo(&self) {
        if self.on() {
            add(&self.memory.amos, 1);
        }
    }

    /// One line: what went through memory, what through MPI.
    pub(crate) fn line(&self) -> String {
        let get = |v: &AtomicU64| v.load(Ordering::Relaxed);
        let route = |name: &str, c: &Counts| {
            let (puts, gets, amos) = (get(&c.puts), get(&c.gets), get(&c.amos));
            let (put_bytes, get_bytes) = (get(&c.put_bytes), get(&c.get_bytes));
            format!("{name} {puts} puts ({put_bytes} bytes), {gets} gets ({get_bytes} bytes), {amos} amos")
        };
        let peers = self.peers.lock().unwrap_or_else(|e| e.into_inner()).len();
        let (memory, mpi, flushes) = (route("memory", &self.memory), route("mpi", &self.mpi), get(&self.flushes));
        let comms = crate::mpi::communicators();
        format!("{memory}; {mpi}, {flushes} flushes, {peers} peers, {comms} communicators")
    }
}
