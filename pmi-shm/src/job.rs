//! What a runtime asks of the process manager at start.

use crate::client::Ender;
use crate::wire::NodeMap;
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
/// Keys are private to the rank that put them, so two ranks may use the same key. There are two ways into the store:
///
/// * [`put`](Job::put) becomes readable for others after the next [`fence`](Job::fence), in which all processes take
///   part. Every launcher can do that.
/// * [`publish`](Job::publish) and [`get_when_put`](Job::get_when_put) need no fence: the reader waits for that one
///   peer. Only some launchers can do that; [`puts_are_awaited`](Job::puts_are_awaited) says so. Where they cannot, a
///   `publish` is a `put`, and a `get_when_put` before the fence is an error.
pub trait Job {
    /// This process, `0..size()`.
    fn rank(&self) -> u32;

    /// Number of processes in the job, at least 1.
    fn size(&self) -> u32;

    /// Publishes `value` under this rank's `key` with the next fence. A later put of the same key wins after the fence
    /// that follows it.
    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error>;

    /// Waits until every process has called it; afterwards all earlier puts can be read.
    fn fence(&mut self) -> Result<(), Error>;

    /// What `rank` had put under `key` before the last fence.
    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error>;

    /// Whether [`get_when_put`](Job::get_when_put) waits for its peer, without a fence in between.
    fn puts_are_awaited(&self) -> bool {
        false
    }

    /// Whether it is cheap enough that every process reads what every other has put.
    fn all_may_read_all(&self) -> bool {
        self.puts_are_awaited()
    }

    /// Publishes `value` under this rank's `key` for few readers: at once where puts are awaited, with the next fence
    /// elsewhere. Once per key.
    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.put(key, value)
    }

    /// What `rank` has published under `key`; where puts are awaited, waits until it has.
    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.get(rank, key)
    }

    /// First half of a fence: this process has entered. Until [`end_fence`](Job::end_fence) it may compute, read what
    /// earlier fences brought and take part in nothing else.
    fn begin_fence(&mut self) -> Result<(), Error> {
        self.fence()
    }

    /// Second half of a fence: returns when all processes have entered.
    fn end_fence(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Which ranks the launcher says share a node. A hint: only memory that can be mapped proves it.
    fn node_map(&self) -> Option<NodeMap> {
        None
    }

    /// Whether MPI may be initialised in this process, before or after, without disturbing this job.
    fn goes_with_mpi(&self) -> bool {
        true
    }

    /// Whether processes that have met in a fence may end without MPI_Finalize although MPI was initialised: the launcher
    /// does not miss it.
    fn mpi_may_be_left(&self) -> bool {
        true
    }

    /// How to end the whole job; `None` where the launcher has no such call.
    fn ender(&self) -> Option<Ender> {
        None
    }

    /// Ends the whole job with this exit code, as far as the launcher can; returns in any case.
    fn abort(&self, code: i32, message: &str) {
        if let Some(ender) = self.ender() {
            ender.end_job(code, message);
        }
    }

    /// Tells the launcher that this process ends in order. For an exit handler: nothing can be asked afterwards, and
    /// under Hydra an MPI_Init that comes later would fail. Never called by drop.
    fn end(&mut self) {}

    /// Who serves this job, for people: "oshrun", "PMI-1 on PMI_FD".
    fn served_by(&self) -> &'static str;
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

    /// Nobody else can be waited for.
    fn puts_are_awaited(&self) -> bool {
        true
    }

    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.visible.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn node_map(&self) -> Option<NodeMap> {
        Some(NodeMap::one_node(1))
    }

    fn served_by(&self) -> &'static str {
        "no launcher (a job of one)"
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
    fn what_is_published_needs_no_fence() {
        let mut job = Alone::default();
        assert!(job.puts_are_awaited());
        job.publish("card", b"one").unwrap();
        assert_eq!(job.get_when_put(0, "card").unwrap(), b"one");
    }

    #[test]
    fn other_ranks_do_not_exist() {
        assert!(Alone::default().get(1, "card").unwrap_err().0.contains("rank 1"));
    }
}
