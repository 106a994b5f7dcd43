//! What `OSHMPI_STATS` prints at the end: counted only when asked for.

use crate::memory::addr::Pe;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Debug)]
struct Counts {
    puts: AtomicU64,
    put_bytes: AtomicU64,
    gets: AtomicU64,
    get_bytes: AtomicU64,
    amos: AtomicU64,
    /// PEs that were reached this way.
    peers: Mutex<BTreeSet<Pe>>,
}

impl Counts {
    const fn new() -> Counts {
        Counts {
            puts: AtomicU64::new(0),
            put_bytes: AtomicU64::new(0),
            gets: AtomicU64::new(0),
            get_bytes: AtomicU64::new(0),
            amos: AtomicU64::new(0),
            peers: Mutex::new(BTreeSet::new()),
        }
    }

    fn met(&self, pe: Pe) {
        self.peers.lock().unwrap_or_else(|e| e.into_inner()).insert(pe);
    }

    fn put(&self, pe: Pe, bytes: usize) {
        self.met(pe);
        add(&self.puts, 1);
        add(&self.put_bytes, bytes);
    }

    fn get(&self, pe: Pe, bytes: usize) {
        self.met(pe);
        add(&self.gets, 1);
        add(&self.get_bytes, bytes);
    }

    fn amo(&self, pe: Pe) {
        self.met(pe);
        add(&self.amos, 1);
    }

    fn line(&self, me: Pe) -> String {
        let get = |v: &AtomicU64| v.load(Ordering::Relaxed);
        let (puts, gets, amos) = (get(&self.puts), get(&self.gets), get(&self.amos));
        let (put_bytes, get_bytes) = (get(&self.put_bytes), get(&self.get_bytes));
        let peers = self.peers.lock().unwrap_or_else(|e| e.into_inner()).iter().filter(|&&pe| pe != me).count();
        format!("{puts} puts ({put_bytes} bytes), {gets} gets ({get_bytes} bytes), {amos} amos, {peers} peers")
    }
}

#[derive(Debug)]
pub(crate) struct Stats {
    on: AtomicBool,
    memory: Counts,
    mpi: Counts,
    flushes: AtomicU64,
}

static OF_THE_JOB: Stats =
    Stats { on: AtomicBool::new(false), memory: Counts::new(), mpi: Counts::new(), flushes: AtomicU64::new(0) };

fn add(to: &AtomicU64, n: usize) {
    to.fetch_add(n as u64, Ordering::Relaxed); // a number for people
}

impl Stats {
    /// Those of this process.
    pub(crate) fn of_the_job() -> &'static Stats {
        &OF_THE_JOB
    }

    /// Counts from now on, or not. Contacts made for `OSHMPI_CONNECT=eager` come before.
    pub(crate) fn count(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    fn on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn put(&self, pe: Pe, bytes: usize) {
        if self.on() {
            self.mpi.put(pe, bytes);
        }
    }

    #[inline]
    pub(super) fn get(&self, pe: Pe, bytes: usize) {
        if self.on() {
            self.mpi.get(pe, bytes);
        }
    }

    #[inline]
    pub(super) fn amo(&self, pe: Pe) {
        if self.on() {
            self.mpi.amo(pe);
        }
    }

    #[inline]
    pub(super) fn flush(&self) {
        if self.on() {
            add(&self.flushes, 1);
        }
    }

    /// Without MPI: memory of this node, as far as it passes the slow path (with `OSHMPI_STATS` all does).
    pub(crate) fn memory_put(&self, pe: Pe, bytes: usize) {
        self.memory.put(pe, bytes);
    }

    pub(crate) fn memory_get(&self, pe: Pe, bytes: usize) {
        self.memory.get(pe, bytes);
    }

    pub(crate) fn memory_amo(&self, pe: Pe) {
        self.memory.amo(pe);
    }

    /// A peer's buffer is read where it lies, in a collective.
    pub(crate) fn memory_met(&self, pe: Pe) {
        self.memory.met(pe);
    }

    /// One line; this PE is not its own peer.
    pub(crate) fn line(&self, me: Pe) -> String {
        let flushes = self.flushes.load(Ordering::Relaxed);
        let (memory, mpi, made) = (self.memory.line(me), self.mpi.line(me), crate::mpi::communicators());
        format!("memory {memory}; mpi {mpi}, {flushes} flushes, {made} communicators")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_are_others_and_count_once() {
        let counts = Counts::new();
        for (pe, bytes) in [(1, 8), (1, 16), (0, 4)] {
            counts.put(Pe(pe), bytes);
        }
        counts.amo(Pe(2));
        assert_eq!(counts.line(Pe(0)), "3 puts (28 bytes), 0 gets (0 bytes), 1 amos, 2 peers");
    }
}
