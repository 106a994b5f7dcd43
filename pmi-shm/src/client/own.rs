//! A job over the connection that `oshrun` keeps for a runtime above MPI.

use super::link::Ender;
use super::pmi2::Pmi2;
use crate::job::{Error, Job};
use crate::kvs::{RankKey, View};
use crate::wire::{Hint, NodeMap};
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Jobs opened in this process before: the store does not forget, so each uses keys of its own. All processes open
/// theirs in the same order.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// Neither joining nor a put waits for an answer: until a peer's value is asked for, there is no round trip to the
/// server. Values go into the store as they are. What is in the node's store is read without a message and without a lock.
/// Calls that need the server are one at a time: a thread that waits for a peer keeps others from asking.
pub(super) struct OwnJob {
    pmi: Mutex<Pmi2>,
    store: Option<Arc<View>>,
    rank: u32,
    size: u32,
    generation: u32,
    ender: Ender,
}

impl OwnJob {
    pub fn over_fd(fd: RawFd, rank: u32, size: u32) -> Result<OwnJob, Error> {
        let pmi = Pmi2::known(fd, rank, size)?;
        // No client of another kind needs the descriptor, and programs started from here must not have it.
        // SAFETY: fcntl looks the number up and touches no memory.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        let (store, ender) = (pmi.store.clone(), pmi.ender());
        // Relaxed: a number of its own is all that is wanted.
        let generation = GENERATION.fetch_add(1, Ordering::Relaxed);
        Ok(OwnJob { pmi: Mutex::new(pmi), store, rank, size, generation, ender })
    }

    fn pmi(&self) -> MutexGuard<'_, Pmi2> {
        // A panic in another thread leaves nothing half done here that matters more than going on.
        self.pmi.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn key(&self, rank: u32, key: &str) -> Result<RankKey, Error> {
        let name = format!("osh.{}.{key}", self.generation);
        RankKey::new(name.as_bytes(), rank).ok_or_else(|| Error(format!("the key \"{key}\" is too long")))
    }

    fn store(&mut self, key: &str, value: &[u8], hint: Hint) -> Result<(), Error> {
        let key = self.key(self.rank, key)?;
        self.pmi().post(key.as_bytes(), value, hint)
    }

    fn read(&self, rank: u32, key: &str, wait: bool) -> Result<Vec<u8>, Error> {
        if rank >= self.size {
            return Err(Error(format!("rank {rank} does not exist: the job has {}", self.size)));
        }
        let full = self.key(rank, key)?;
        if let Some(Ok(value)) = self.store.as_ref().map(|store| store.value(full.as_bytes())) {
            return Ok(value);
        }
        let value = self.pmi().get(full.as_bytes(), Some(rank), wait)?;
        value.ok_or_else(|| Error(format!("rank {rank} has not put \"{key}\" before the last fence")))
    }
}

impl Job for OwnJob {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.store(key, value, Hint::Dense)
    }

    fn fence(&mut self) -> Result<(), Error> {
        self.pmi().fence()
    }

    fn begin_fence(&mut self) -> Result<(), Error> {
        self.pmi().begin_fence()
    }

    fn end_fence(&mut self) -> Result<(), Error> {
        self.pmi().wait()
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.read(rank, key, false)
    }

    fn puts_are_awaited(&self) -> bool {
        true
    }

    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.store(key, value, Hint::Sparse)
    }

    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.read(rank, key, true)
    }

    fn node_map(&self) -> Option<NodeMap> {
        let mapping = self.pmi().get(b"PMI_process_mapping", None, false).ok()??;
        NodeMap::parse(std::str::from_utf8(&mapping).ok()?, self.size).ok()
    }

    fn ender(&self) -> Option<Ender> {
        Some(self.ender.clone())
    }

    fn end(&mut self) {
        self.pmi().finalize();
    }

    fn served_by(&self) -> &'static str {
        "oshrun"
    }
}
