//! A job over the connection that `oshrun` keeps for a runtime above MPI.

use super::connection::{Connection, expect_reply};
use super::{OWN_FD, SHARED};
use crate::abort::AbortHandle;
use crate::error::Error;
use crate::fd;
use crate::job::{Job, LauncherJob, check_rank};
use crate::kvs::{Answer, KEY_MAX, View};
use crate::wire::{NodeMap, Put, Reply, Request};
use std::env;
use std::os::fd::RawFd;
use std::sync::{Mutex, MutexGuard};

/// The number of the next job that this process opens; `None`: it has opened none. The store does not forget, so the
/// keys of each job carry its number. All ranks open their jobs in the same order.
static NEXT: Mutex<Option<u32>> = Mutex::new(None);

/// Neither joining nor a put waits for an answer: there is no round trip to the server until a peer's value is asked
/// for. Values go into the store unchanged. A value in the node's store is read without a message and without a lock.
/// Only one thread at a time can call the server: a thread that waits for a peer keeps others from asking.
pub(super) struct OshrunJob {
    connection: Mutex<Connection>,
    store: Option<View>,
    rank: u32,
    size: u32,
    generation: u32,
    abort: AbortHandle,
}

impl OshrunJob {
    /// The environment says all that the server would answer, so the greeting's reply is not awaited. The greeting
    /// tells the server that this process uses the connection, so that its end without a goodbye is a failure.
    pub fn over_fd(fd: RawFd, rank: u32, size: u32) -> Result<OshrunJob, Error> {
        let mut connection = Connection::over_copy(fd, OWN_FD, true)?;
        connection.post(&Request::Init { version: 2, subversion: 0 })?;
        // No client of another kind needs the descriptor, and programs that this process starts must not have it.
        // SAFETY: fcntl looks the number up and touches no memory.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        let (abort, connection) = (connection.abort_handle(), Mutex::new(connection));
        let mut job = OshrunJob { connection, store: store(), rank, size, generation: 0, abort };
        job.generation = job.number()?;
        Ok(job)
    }

    fn server(&self) -> MutexGuard<'_, Connection> {
        // A panic of another thread leaves the client usable.
        self.connection.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// The number of the job that is being opened. A program that this rank has run before has left the number of the
    /// next one with the node's server, which had it before the program's first reply. Without such a program there is
    /// no round trip, if this process can read the store.
    fn number(&self) -> Result<u32, Error> {
        let mut next = NEXT.lock().unwrap_or_else(|e| e.into_inner());
        let key = format!("osh.next@{}", self.rank);
        let number = match *next {
            Some(number) => number,
            None => {
                let left = match self.store.as_ref().map(|store| store.value(key.as_bytes())) {
                    Some(Ok(value)) => Some(value),
                    Some(Err(Answer::Absent)) => None,
                    _ => self.ask(&key, None, false)?,
                };
                left.and_then(|value| Some(u32::from_le_bytes(value.try_into().ok()?))).unwrap_or(0)
            }
        };
        self.post(key, &(number + 1).to_le_bytes(), true)?;
        *next = Some(number + 1);
        Ok(number)
    }

    /// Ranks put values under the same names.
    fn key(&self, rank: u32, key: &str) -> Result<String, Error> {
        let full = format!("osh.{}.{key}@{rank}", self.generation);
        let fits = full.len() <= KEY_MAX;
        if fits { Ok(full) } else { Err(Error::Key { key: key.to_owned(), why: "it is too long" }) }
    }

    /// Puts without waiting for the server. If the server refuses, a later call fails.
    fn post(&self, key: String, value: &[u8], here: bool) -> Result<(), Error> {
        let put = Put { space: Vec::new(), key: key.into_bytes(), value: value.to_vec(), here };
        self.server().post(&Request::Put(put))
    }

    /// Asks the server; `None`: there is no such key. `source` is the rank that puts it, if it is another one.
    fn ask(&self, key: &str, source: Option<u32>, wait: bool) -> Result<Option<Vec<u8>>, Error> {
        let request = Request::Get { space: Vec::new(), key: key.into(), source, wait };
        expect_reply!(self.server().call(&request), "kvs-get", Reply::Get(value) => value)
    }

    fn read(&self, rank: u32, key: &str, wait: bool) -> Result<Vec<u8>, Error> {
        check_rank(rank, self.size)?;
        let full = self.key(rank, key)?;
        if let Some(Ok(value)) = self.store.as_ref().map(|store| store.value(full.as_bytes())) {
            return Ok(value);
        }
        let value = self.ask(&full, Some(rank), wait)?;
        value.ok_or_else(|| Error::NotPut { rank, key: key.to_owned() })
    }
}

/// Opens the node's store from what the launcher has left in the environment. `None`: there is none, or its descriptor
/// is closed or used for something else by now, because the launcher has not started this process itself. Then the
/// server answers.
fn store() -> Option<View> {
    let text = env::var(SHARED).ok()?;
    let (number, id) = text.split_once(':')?;
    // Programs that this process starts do not inherit the copy.
    let file = fd::copy(number.parse().ok()?).ok()?;
    View::open(file, u128::from_str_radix(id, 16).ok()?).ok()
}

impl Job for OshrunJob {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.post(self.key(self.rank, key)?, value, false)
    }

    fn fence(&mut self) -> Result<(), Error> {
        self.begin_barrier()?;
        self.server().end_fence()
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
        self.post(self.key(self.rank, key)?, value, true)
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
        const MAPPING: &str = "PMI_process_mapping";
        let stored = self.store.as_ref().and_then(|store| store.value(MAPPING.as_bytes()).ok());
        let mapping = stored.or_else(|| self.ask(MAPPING, None, false).ok()?)?;
        let map = NodeMap::parse(std::str::from_utf8(&mapping).ok()?, self.size).ok()?;
        Some(map.ranks_on(map.node_of(self.rank)))
    }

    fn begin_barrier(&mut self) -> Result<(), Error> {
        self.server().begin_fence()
    }

    fn barrier_is_over(&mut self) -> Result<bool, Error> {
        self.server().fence_is_over()
    }

    fn mpi_may_be_left(&self) -> bool {
        true
    }

    fn abort_handle(&self) -> AbortHandle {
        self.abort.clone()
    }

    /// An error would say that the connection has ended before.
    fn end(&mut self) {
        let _ = self.server().call(&Request::Finalize);
    }

    /// Who sends a request after its goodbye is one of the job again.
    fn pause(&mut self, paused: bool) {
        let _ = self.server().call(if paused { &Request::Finalize } else { &Request::Appnum });
    }
}
