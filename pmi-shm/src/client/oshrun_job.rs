//! A job over the connection that `oshrun` keeps for a runtime above MPI.

use super::pmi2::Pmi2;
use crate::abort::AbortHandle;
use crate::error::Error;
use crate::job::{Job, LauncherJob, check_rank};
use crate::kvs::{Answer, RankKey, View};
use crate::wire::{Hint, NodeMap};
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard};

/// The number of the next job that this process opens; `None`: it has opened none. The store does not forget, so the
/// keys of each job carry its number. All ranks open their jobs in the same order.
static NEXT: Mutex<Option<u32>> = Mutex::new(None);

/// Neither joining nor a put waits for an answer: there is no round trip to the server until a peer's value is asked
/// for. Values go into the store unchanged. A value in the node's store is read without a message and without a lock.
/// Only one thread at a time can call the server: a thread that waits for a peer keeps others from asking.
pub(super) struct OshrunJob {
    pmi: Mutex<Pmi2>,
    store: Option<Arc<View>>,
    rank: u32,
    size: u32,
    generation: u32,
    abort: AbortHandle,
}

impl OshrunJob {
    pub fn over_fd(fd: RawFd, rank: u32, size: u32) -> Result<OshrunJob, Error> {
        let mut pmi = Pmi2::known(fd, rank, size)?;
        // No client of another kind needs the descriptor, and programs that this process starts must not have it.
        // SAFETY: fcntl looks the number up and touches no memory.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        let (store, abort) = (pmi.store.clone(), pmi.abort_handle());
        let generation = number(&mut pmi)?;
        Ok(OshrunJob { pmi: Mutex::new(pmi), store, rank, size, generation, abort })
    }

    fn pmi(&self) -> MutexGuard<'_, Pmi2> {
        // A panic of another thread leaves the client usable.
        self.pmi.lock().unwrap_or_else(|e| e.into_inner())
    }

    fn key(&self, rank: u32, key: &str) -> Result<RankKey, Error> {
        let name = format!("osh.{}.{key}", self.generation);
        RankKey::new(name.as_bytes(), rank).ok_or_else(|| Error::Key { key: key.to_owned(), why: "it is too long" })
    }

    fn store(&mut self, key: &str, value: &[u8], hint: Hint) -> Result<(), Error> {
        let key = self.key(self.rank, key)?;
        self.pmi().post(key.as_bytes(), value, hint)
    }

    fn read(&self, rank: u32, key: &str, wait: bool) -> Result<Vec<u8>, Error> {
        check_rank(rank, self.size)?;
        let full = self.key(rank, key)?;
        if let Some(Ok(value)) = self.store.as_ref().map(|store| store.value(full.as_bytes())) {
            return Ok(value);
        }
        let value = self.pmi().get(full.as_bytes(), Some(rank), wait)?;
        value.ok_or_else(|| Error::NotPut { rank, key: key.to_owned() })
    }
}

/// The number of the job that is being opened. A program that this rank has run before has left the number of the next
/// one with the node's server, which had it before the program's first reply. Without such a program there is no round
/// trip, if this process can read the store.
fn number(pmi: &mut Pmi2) -> Result<u32, Error> {
    let mut next = NEXT.lock().unwrap_or_else(|e| e.into_inner());
    let key = RankKey::new(b"osh.next", pmi.rank).expect("a short key");
    let number = match *next {
        Some(number) => number,
        None => {
            let left = match pmi.store.as_ref().map(|store| store.value(key.as_bytes())) {
                Some(Ok(value)) => Some(value),
                Some(Err(Answer::Absent)) => None,
                _ => pmi.get(key.as_bytes(), Some(pmi.rank), false)?,
            };
            left.and_then(|value| Some(u32::from_le_bytes(value.try_into().ok()?))).unwrap_or(0)
        }
    };
    pmi.post(key.as_bytes(), &(number + 1).to_le_bytes(), Hint::Direct)?;
    *next = Some(number + 1);
    Ok(number)
}

impl Job for OshrunJob {
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

    fn barrier(&mut self) -> Result<(), Error> {
        self.fence()
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

    fn served_by(&self) -> &'static str {
        "oshrun"
    }
}

impl LauncherJob for OshrunJob {
    /// The servers on the way to the process ask once, and keep the answer.
    fn spread(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn ranks_here(&self) -> Option<Vec<u32>> {
        let mapping = self.pmi().get(b"PMI_process_mapping", None, false).ok()??;
        let map = NodeMap::parse(std::str::from_utf8(&mapping).ok()?, self.size).ok()?;
        Some(map.ranks_on(map.node_of(self.rank)))
    }

    fn begin_barrier(&mut self) -> Result<(), Error> {
        self.pmi().begin_fence()
    }

    fn barrier_is_over(&mut self) -> Result<bool, Error> {
        self.pmi().fence_is_over()
    }

    fn mpi_may_be_left(&self) -> bool {
        true
    }

    fn abort_handle(&self) -> AbortHandle {
        self.abort.clone()
    }

    fn end(&mut self) {
        self.pmi().finalize();
    }
}
