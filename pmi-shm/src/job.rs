//! What a runtime asks of the process manager at start.

use std::collections::HashMap;
use std::fmt;

/// Why the process manager could not serve a call. The text says what failed and, where known, what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// A group of processes started together, seen from one of them.
///
/// The store follows PMI: a `put` becomes readable for others after the next `fence`, in which all processes take
/// part. Keys are private to the rank that put them, so two ranks may use the same key.
pub trait Job {
    /// This process, `0..size()`.
    fn rank(&self) -> u32;

    /// Number of processes in the job, at least 1.
    fn size(&self) -> u32;

    /// Publishes `value` under this rank's `key`. A later put of the same key wins after the next fence.
    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error>;

    /// Waits until every process has called it; afterwards all earlier puts can be read.
    fn fence(&mut self) -> Result<(), Error>;

    /// What `rank` had put under `key` before the last fence.
    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error>;
}

/// The job of one: a program started by hand, without a launcher.
#[derive(Default)]
pub struct Alone {
    staged: HashMap<String, Vec<u8>>,
    visible: HashMap<String, Vec<u8>>,
}

impl Job for Alone {
    fn rank(&self) -> u32 {
        0
    }

    fn size(&self) -> u32 {
        1
    }

    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.staged.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn fence(&mut self) -> Result<(), Error> {
        self.visible.extend(self.staged.drain());
        Ok(())
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        if rank != 0 {
            return Err(Error(format!("rank {rank} does not exist: this is a job of one")));
        }
        self.visible.get(key).cloned().ok_or_else(|| Error(format!("rank 0 has not published \"{key}\"")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_put_is_seen_after_the_fence_only() {
        let mut job = Alone::default();
        job.put("card", b"one").unwrap();
        assert!(job.get(0, "card").is_err());
        job.fence().unwrap();
        assert_eq!(job.get(0, "card").unwrap(), b"one");
        job.put("card", b"two").unwrap();
        assert_eq!(job.get(0, "card").unwrap(), b"one");
        job.fence().unwrap();
        assert_eq!(job.get(0, "card").unwrap(), b"two");
    }

    #[test]
    fn other_ranks_do_not_exist() {
        assert!(Alone::default().get(1, "card").unwrap_err().0.contains("rank 1"));
    }
}
