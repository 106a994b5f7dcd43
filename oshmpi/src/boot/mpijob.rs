//! A job that MPI runs: the way in under launchers that speak no PMI of ours.

use crate::mpi::{self, Comm};
use pmi_shm::{Error, Job};
use std::collections::HashMap;

/// The store of a job that MPI runs: a fence is one allgather of what was put since the last.
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

    fn served_by(&self) -> &'static str {
        "MPI"
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
