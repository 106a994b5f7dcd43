//! A job over a PMI-1 server that is not ours: Hydra, srun, Flux.

use super::bundle;
use super::link::Ender;
use super::pmi1::Pmi1;
use crate::job::{Error, Job};
use crate::wire::NodeMap;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Jobs opened in this process before: the store cannot forget, so each uses keys of its own. All processes open theirs
/// in the same order.
static GENERATION: AtomicU32 = AtomicU32::new(0);

/// What one rank brought to one fence; `None`: nothing.
type Bundle = Option<HashMap<String, Vec<u8>>>;

/// Pairs are kept here until the fence and stored as one bundle per rank and fence.
pub(super) struct LineJob {
    state: Mutex<State>,
    rank: u32,
    size: u32,
    generation: u32,
    /// Fences so far.
    fences: u32,
    staged: BTreeMap<String, Vec<u8>>,
    with_mpi: bool,
    ender: Ender,
}

struct State {
    pmi: Pmi1,
    /// Bundles that were fetched, by rank and fence.
    read: HashMap<(u32, u32), Bundle>,
}

impl LineJob {
    pub fn new(pmi: Pmi1, with_mpi: bool) -> LineJob {
        let (rank, size, ender) = (pmi.rank, pmi.size, pmi.ender());
        // Relaxed: a number of its own is all that is wanted.
        let generation = GENERATION.fetch_add(1, Ordering::Relaxed);
        let state = Mutex::new(State { pmi, read: HashMap::new() });
        LineJob { state, rank, size, generation, fences: 0, staged: BTreeMap::new(), with_mpi, ender }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic in another thread leaves nothing half done here that matters more than going on.
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }
}

/// `osh.<generation>.<fence>.<rank>.<piece>`
fn key(generation: u32, fence: u32, rank: u32, piece: usize) -> String {
    format!("osh.{generation}.{fence}.{rank}.{piece}")
}

/// Longest key: five numbers.
const KEY_ROOM: usize = 3 + 4 * 11 + 1;

impl State {
    fn bundle(&mut self, generation: u32, fence: u32, rank: u32) -> Result<&Bundle, Error> {
        if !self.read.contains_key(&(rank, fence)) {
            let space = self.pmi.space.clone();
            let pmi = &mut self.pmi;
            let first = pmi.get(&space, &key(generation, fence, rank, 0))?;
            let bundle = match first {
                None => None,
                Some(first) => {
                    let pairs = bundle::join(|i| {
                        if i == 0 {
                            return Ok(first.clone());
                        }
                        let piece = pmi.get(&space, &key(generation, fence, rank, i))?;
                        piece.ok_or_else(|| Error(format!("piece {i} of what rank {rank} put is missing")))
                    })?;
                    Some(pairs.into_iter().collect())
                }
            };
            self.read.insert((rank, fence), bundle);
        }
        Ok(&self.read[&(rank, fence)])
    }
}

impl Job for LineJob {
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
        self.begin_fence()?;
        self.end_fence()
    }

    fn begin_fence(&mut self) -> Result<(), Error> {
        let staged = std::mem::take(&mut self.staged);
        let (generation, fence, rank) = (self.generation, self.fences, self.rank);
        let mut state = self.state();
        if !staged.is_empty() {
            let pairs = staged.iter().map(|(k, v)| (k.as_str(), v.as_slice()));
            let space = state.pmi.space.clone();
            for (i, piece) in bundle::cut(pairs, state.pmi.room(KEY_ROOM)).into_iter().enumerate() {
                state.pmi.put(&space, &key(generation, fence, rank, i), piece.as_bytes())?;
            }
        }
        state.pmi.begin_fence()
    }

    fn end_fence(&mut self) -> Result<(), Error> {
        self.state().pmi.end_fence()?;
        self.fences += 1;
        Ok(())
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        if rank >= self.size {
            return Err(Error(format!("rank {rank} does not exist: the job has {}", self.size)));
        }
        let mut state = self.state();
        for fence in (0..self.fences).rev() {
            if let Some(value) = state.bundle(self.generation, fence, rank)?.as_ref().and_then(|b| b.get(key)) {
                return Ok(value.clone());
            }
        }
        Err(Error(format!("rank {rank} has not put \"{key}\" before the last of {} fences", self.fences)))
    }

    fn node_map(&self) -> Option<NodeMap> {
        self.state().pmi.node_map()
    }

    fn goes_with_mpi(&self) -> bool {
        self.with_mpi
    }

    fn ender(&self) -> Option<Ender> {
        Some(self.ender.clone())
    }

    fn end(&mut self) {
        self.state().pmi.finalize();
    }

    fn served_by(&self) -> &'static str {
        "PMI-1 on PMI_FD"
    }
}
