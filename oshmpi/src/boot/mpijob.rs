//! A job that is joined through MPI, where the launcher has no PMI that this library speaks.

use crate::mpi::{self, Comm};
use pmi_shm::{Error, Job, pairs};
use std::collections::HashMap;

/// The key-value store of such a job. A fence is one allgather of what was put since the last fence.
pub(crate) struct MpiJob {
    comm: Comm,
    rank: u32,
    size: u32,
    staged: Vec<(String, Vec<u8>)>,
    visible: HashMap<(u32, String), Vec<u8>>,
}

impl MpiJob {
    pub(crate) fn new() -> Result<MpiJob, mpi::MpiError> {
        let comm = Comm::shared_world();
        let (rank, size) = (comm.rank()?, comm.size()?);
        Ok(MpiJob { comm, rank, size, staged: Vec::new(), visible: HashMap::new() })
    }
}

impl Job for MpiJob {
    fn rank(&self) -> u32 {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.staged.push((key.to_owned(), value.to_owned()));
        Ok(())
    }

    fn fence(&mut self) -> Result<(), Error> {
        let staged = pairs::encode(self.staged.iter().map(|(key, value)| (key.as_str(), value.as_slice())));
        let all = self.comm.allgather(&staged).map_err(|e| Error::Other(e.to_string()))?;
        self.staged.clear();
        for (rank, bytes) in (0..).zip(all) {
            let pairs = pairs::decode(&bytes).ok_or(Error::BrokenRecord(rank))?;
            self.visible.extend(pairs.into_iter().map(|(key, value)| ((rank, key), value)));
        }
        Ok(())
    }

    fn barrier(&mut self) -> Result<(), Error> {
        self.fence()
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        let found = self.visible.get(&(rank, key.to_owned()));
        found.cloned().ok_or_else(|| Error::NotPut { rank, key: key.to_owned() })
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
        "MPI"
    }
}
