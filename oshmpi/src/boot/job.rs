//! Ways into a job: through MPI under any launcher, or alone. pmi-shm will add its own.

use super::BootError;
use crate::mpi::{self, Comm};
use core::ffi::c_int;
use pmi_shm::{Alone, Error, Job};
use std::collections::HashMap;

/// A job we are part of, and how we got in.
pub(crate) struct Joined {
    pub(crate) job: Box<dyn Job>,
    pub(crate) way: &'static str,
}

/// What launchers leave in the environment of the processes they start.
const LAUNCHER_MARKS: [&str; 8] = [
    "PMI_FD",
    "PMI_PORT",
    "PMI_RANK",
    "PMIX_RANK",
    "PMIX_NAMESPACE",
    "OMPI_COMM_WORLD_SIZE",
    "SLURM_STEP_ID",
    "MPI_LOCALNRANKS",
];

/// Joins the job this process was started in. MPI is initialised here unless the program has done so, or nobody
/// launched us.
pub(crate) fn join(level: c_int) -> Result<Joined, BootError> {
    if mpi::finalized() {
        let text = "MPI has been finalized before the first shmem_init, so the job cannot be joined".to_owned();
        return Err(BootError(Some(text)));
    }
    let launched = LAUNCHER_MARKS.iter().any(|mark| std::env::var_os(mark).is_some());
    if !launched && !mpi::initialized() {
        return Ok(Joined { job: Box::new(Alone::default()), way: "no launcher (a job of one)" });
    }
    mpi::prepare_end();
    let mut way = "MPI, which the program had initialised";
    if !mpi::initialized() {
        // Programs that call MPI themselves later get this level: at least FUNNELED, which costs nothing.
        mpi::init(mpi::thread_level(level.max(1)))?;
        mpi::end_with_process();
        way = "MPI";
    }
    Ok(Joined { job: Box::new(MpiJob::new()?), way })
}

/// The store of a job that MPI runs: a fence is one allgather of what was put since the last.
struct MpiJob {
    comm: Comm,
    rank: u32,
    size: u32,
    staged: Vec<(String, Vec<u8>)>,
    visible: HashMap<(u32, String), Vec<u8>>,
}

impl MpiJob {
    fn new() -> Result<MpiJob, mpi::MpiError> {
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
        let all = self.comm.allgather(&encode(&self.staged)).map_err(|e| Error(e.to_string()))?;
        self.staged.clear();
        for (rank, bytes) in (0..).zip(all) {
            let pairs = decode(&bytes).ok_or_else(|| Error(format!("rank {rank} sent a broken record")))?;
            self.visible.extend(pairs.into_iter().map(|(key, value)| ((rank, key), value)));
        }
        Ok(())
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        let found = self.visible.get(&(rank, key.to_owned()));
        found.cloned().ok_or_else(|| Error(format!("rank {rank} has not published \"{key}\"")))
    }
}

/// Length-prefixed strings, key and value in turn.
fn encode(pairs: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut out = Vec::new();
    for (key, value) in pairs {
        for part in [key.as_bytes(), value] {
            out.extend((part.len() as u32).to_le_bytes());
            out.extend(part);
        }
    }
    out
}

fn decode(mut bytes: &[u8]) -> Option<Vec<(String, Vec<u8>)>> {
    let mut part = || -> Option<Vec<u8>> {
        let (len, rest) = bytes.split_first_chunk::<4>()?;
        let (part, rest) = rest.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        bytes = rest;
        Some(part.to_vec())
    };
    let mut pairs = Vec::new();
    while let Some(key) = part() {
        pairs.push((String::from_utf8(key).ok()?, part()?));
    }
    bytes.is_empty().then_some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(pairs: Vec<(String, Vec<u8>)>) {
            prop_assert_eq!(decode(&encode(&pairs)), Some(pairs));
        }

        #[test]
        fn junk_never_panics(bytes: Vec<u8>) {
            let _ = decode(&bytes);
        }
    }
}
