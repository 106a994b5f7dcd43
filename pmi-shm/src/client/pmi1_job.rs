//! A job over a PMI-1 server other than oshrun: Hydra, srun, Flux.

use super::pmi1::Pmi1;
use super::record;
use crate::abort::AbortHandle;
use crate::error::Error;
use crate::job::{Job, LauncherJob, check_rank};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Number of jobs that this process has opened before. The store does not forget, so the keys of each job carry its
/// number. All processes open their jobs in the same order.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// What one rank has put before one fence. `None`: nothing.
type Record = Option<HashMap<String, Vec<u8>>>;

/// Pairs are kept in this process until the fence, and then stored as one record per rank and fence.
pub(super) struct Pmi1Job {
    state: Mutex<State>,
    rank: u32,
    size: u32,
    generation: u32,
    /// Fences so far.
    fences: u32,
    staged: BTreeMap<String, Vec<u8>>,
    abort: AbortHandle,
}

struct State {
    pmi: Pmi1,
    /// Records that were fetched, by rank and fence.
    fetched: HashMap<(u32, u32), Record>,
}

impl Pmi1Job {
    pub fn new(pmi: Pmi1) -> Pmi1Job {
        let (rank, size, abort) = (pmi.rank, pmi.size, pmi.connection.abort_handle());
        // Relaxed: the numbers must differ, nothing else.
        let generation = GENERATION.fetch_add(1, Ordering::Relaxed);
        let state = Mutex::new(State { pmi, fetched: HashMap::new() });
        Pmi1Job { state, rank, size, generation, fences: 0, staged: BTreeMap::new(), abort }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic of another thread leaves the state usable.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// `osh.<generation>.<fence>.<rank>.<piece>`
fn key(generation: u32, fence: u32, rank: u32, piece: usize) -> String {
    format!("osh.{generation}.{fence}.{rank}.{piece}")
}

/// Bytes of the longest key: three letters, and four numbers behind a dot each.
const KEY_ROOM: usize = 3 + 4 * 11 + 1;

impl State {
    fn record(&mut self, generation: u32, fence: u32, rank: u32) -> Result<&Record, Error> {
        if !self.fetched.contains_key(&(rank, fence)) {
            let space = self.pmi.space.clone();
            let mut piece = |i| self.pmi.get(&space, &key(generation, fence, rank, i));
            let record = match piece(0)? {
                None => None,
                Some(first) => {
                    let pairs = record::join(rank, |i| match i {
                        0 => Ok(first.clone()),
                        i => piece(i)?.ok_or(Error::BrokenRecord(rank)),
                    })?;
                    Some(pairs.into_iter().collect())
                }
            };
            self.fetched.insert((rank, fence), record);
        }
        Ok(&self.fetched[&(rank, fence)])
    }
}

impl Job for Pmi1Job {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.staged.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn fence(&mut self) -> Result<(), Error> {
        let staged = std::mem::take(&mut self.staged);
        let mut state = self.state();
        if !staged.is_empty() {
            let pairs = staged.iter().map(|(k, v)| (k.as_str(), v.as_slice()));
            let space = state.pmi.space.clone();
            for (i, piece) in record::cut(pairs, state.pmi.room(KEY_ROOM)).into_iter().enumerate() {
                let key = key(self.generation, self.fences, self.rank, i);
                state.pmi.put(&space, &key, piece.as_bytes())?;
            }
        }
        state.pmi.fence()?;
        drop(state);
        self.fences += 1;
        Ok(())
    }

    /// What was put waits for the next fence, so a question after it has one fence less to go back to.
    fn barrier(&mut self) -> Result<(), Error> {
        self.state().pmi.fence()
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        check_rank(rank, self.size)?;
        let mut state = self.state();
        for fence in (0..self.fences).rev() {
            if let Some(value) = state.record(self.generation, fence, rank)?.as_ref().and_then(|r| r.get(key)) {
                return Ok(value.clone());
            }
        }
        Err(Error::NotPut { rank, key: key.to_owned() })
    }

    fn puts_are_awaited(&self) -> bool {
        false
    }

    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.put(key, value)
    }

    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.get(rank, key)
    }

    fn served_by(&self) -> &'static str {
        "PMI-1 on PMI_FD"
    }
}

impl LauncherJob for Pmi1Job {
    fn spread(&mut self) -> Result<(), Error> {
        self.fence()
    }

    fn ranks_here(&self) -> Option<Vec<u32>> {
        let map = self.state().pmi.node_map()?;
        Some(map.ranks_on(map.node_of(self.rank)))
    }

    fn begin_barrier(&mut self) -> Result<(), Error> {
        self.state().pmi.connection.begin_fence()
    }

    fn barrier_is_over(&mut self) -> Result<bool, Error> {
        self.state().pmi.connection.fence_is_over()
    }

    fn mpi_may_be_left(&self) -> bool {
        true
    }

    fn abort_handle(&self) -> AbortHandle {
        self.abort.clone()
    }

    fn end(&mut self) {
        self.state().pmi.finalize();
    }
}
