//! What `OSHMPI_STATS` prints at the end: counted only when asked for.

use crate::sync::atomics::{AtomicU64, Ordering};
use std::collections::BTreeSet;
use std::sync::Mutex;

#[derive(Default)]
struct Counts {
    puts: AtomicU64,
    put_bytes: AtomicU64,
    gets: AtomicU64,
    get_bytes: AtomicU64,
    amos: AtomicU64,
}

pub(crate) struct Stats {
    on: bool,
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
    pub(crate) fn new(on: bool) -> Stats {
        let peers = Mutex::new(BTreeSet::new());
        Stats { on, memory: Counts::default(), mpi: Counts::default(), flushes: AtomicU64::new(0), peers }
    }

    #[inline]
    fn met(&self, pe: u32) {
        self.peers.lock().unwrap_or_else(|e| e.into_inner()).insert(pe);
    }

    #[inline]
    pub(super) fn put(&self, pe: u32, bytes: usize) {
        if self.on {
            self.met(pe);
            add(&self.mpi.puts, 1);
            add(&self.mpi.put_bytes, bytes);
        }
    }

    #[inline]
    pub(super) fn get(&self, pe: u32, bytes: usize) {
        if self.on {
            self.met(pe);
            add(&self.mpi.gets, 1);
            add(&self.mpi.get_bytes, bytes);
        }
    }

    #[inline]
    pub(super) fn amo(&self, pe: u32) {
        if self.on {
            self.met(pe);
            add(&self.mpi.amos, 1);
        }
    }

    #[inline]
    pub(super) fn flush(&self) {
        if self.on {
            add(&self.flushes, 1);
        }
    }

    /// Loads and stores, as far as they pass the slow path (with `OSHMPI_STATS` all do). AMOs have one executor.
    pub(crate) fn memory_put(&self, bytes: usize) {
        add(&self.memory.puts, 1);
        add(&self.memory.put_bytes, bytes);
    }

    pub(crate) fn memory_get(&self, bytes: usize) {
        add(&self.memory.gets, 1);
        add(&self.memory.get_bytes, bytes);
    }

    /// One line.
    pub(crate) fn line(&self) -> String {
        let get = |v: &AtomicU64| v.load(Ordering::Relaxed);
        let route = |name: &str, c: &Counts| {
            let (puts, gets) = (get(&c.puts), get(&c.gets));
            format!("{name} {puts} puts ({} bytes), {gets} gets ({} bytes)", get(&c.put_bytes), get(&c.get_bytes))
        };
        let peers = self.peers.lock().unwrap_or_else(|e| e.into_inner()).len();
        let (memory, mpi) = (route("memory", &self.memory), route("mpi", &self.mpi));
        let (amos, flushes) = (get(&self.mpi.amos), get(&self.flushes));
        format!("{memory}; {mpi}, {amos} amos, {flushes} flushes, {peers} peers")
    }
}
