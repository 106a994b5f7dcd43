//! What a runtime asks of the process manager at start.

use crate::abort::AbortHandle;
use crate::error::Error;
use std::collections::HashMap;

/// A group of processes that were started together, seen from one of them.
///
/// Keys are private to the rank that put them, so two ranks may use the same key. There are two ways into the store:
///
/// * A value of [`put`](Job::put) can be read after the next [`fence`](Job::fence), in which all processes take part.
///   Every launcher can do this.
/// * [`publish`](Job::publish) and [`get_when_put`](Job::get_when_put) need no fence: the reader waits for one peer.
///   Only some launchers can do this; [`puts_are_awaited`](Job::puts_are_awaited) tells. For the others a `publish` is
///   a `put`, and a `get_when_put` before the fence is an error.
///
/// No method has a default, so that a job that passes calls on to another forgets none.
pub trait Job {
    /// Number of this process, `0..size()`.
    fn rank(&self) -> u32;

    /// Number of processes in the job, at least 1.
    fn size(&self) -> u32;

    /// Makes `value` readable under this rank's `key` after the next fence. A later put of the same key wins after the
    /// fence that follows it.
    fn put(&mut self, key: &str, value: &[u8]) -> Result<(), Error>;

    /// Waits until every process has called this method. Then all earlier puts can be read.
    fn fence(&mut self) -> Result<(), Error>;

    /// Waits until every process has called this method. What was put need not become readable; it may, where that
    /// costs nothing.
    fn barrier(&mut self) -> Result<(), Error>;

    /// The value that `rank` had put under `key` before the last fence.
    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error>;

    /// Whether [`get_when_put`](Job::get_when_put) waits for its peer, without a fence in between.
    fn puts_are_awaited(&self) -> bool;

    /// Publishes `value` under this rank's `key` for few readers: at once where puts are awaited, with the next fence
    /// elsewhere. To be called once per key.
    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error>;

    /// The value that `rank` has published under `key`. Where puts are awaited, waits until it is there.
    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error>;

    /// Who serves this job, for people: "oshrun", "PMI-1 on PMI_FD".
    fn served_by(&self) -> &'static str;
}

/// A job that a launcher serves over a connection.
pub trait LauncherJob: Job {
    /// Has what every process has published read without asking its node, where it costs little; elsewhere, readable at
    /// all. Collective.
    fn spread(&mut self) -> Result<(), Error>;

    /// The ranks that the launcher says are on this process's node, in ascending order; this process is one of them.
    /// This is a hint: only memory that can be mapped proves it. `None` on all processes: the launcher does not tell.
    fn ranks_here(&self) -> Option<Vec<u32>>;

    /// Enters a barrier of all processes and does not wait for the others. No other barrier or fence may be entered
    /// before [`barrier_is_over`](LauncherJob::barrier_is_over) says so.
    fn begin_barrier(&mut self) -> Result<(), Error>;

    /// Whether all processes have entered the barrier that was begun. It does not wait for them.
    fn barrier_is_over(&mut self) -> Result<bool, Error>;

    /// Whether processes may end without MPI_Finalize, after a common fence, although MPI was initialised.
    fn mpi_may_be_left(&self) -> bool;

    /// The call that ends the whole job.
    fn abort_handle(&self) -> AbortHandle;

    /// Tells the launcher that this process ends in order. For an exit handler: nothing can be asked afterwards, and
    /// under Hydra a later MPI_Init would fail. Dropping the job does not call this.
    fn end(&mut self);

    /// Tells a launcher that wants to know that this process does without the job for now, or needs it again. Meanwhile
    /// it may end in any way, also without [`end`](LauncherJob::end).
    fn pause(&mut self, _paused: bool) {}
}

/// A launcher's job as [`crate::client`] gives it.
pub type BoxedJob = Box<dyn LauncherJob + Send + Sync>;

/// A job of one process: a program that was started by hand, without a launcher.
#[derive(Default)]
pub struct Singleton {
    staged: HashMap<String, Vec<u8>>,
    visible: HashMap<String, Vec<u8>>,
}

impl Job for Singleton {
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

    fn barrier(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn get(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        check_rank(rank, 1)?;
        self.visible.get(key).cloned().ok_or_else(|| Error::NotPut { rank, key: key.to_owned() })
    }

    /// There is nobody else to wait for.
    fn puts_are_awaited(&self) -> bool {
        true
    }

    fn publish(&mut self, key: &str, value: &[u8]) -> Result<(), Error> {
        self.visible.insert(key.to_owned(), value.to_owned());
        Ok(())
    }

    fn get_when_put(&self, rank: u32, key: &str) -> Result<Vec<u8>, Error> {
        self.get(rank, key)
    }

    fn served_by(&self) -> &'static str {
        "no launcher (a job of one)"
    }
}

pub(crate) fn check_rank(rank: u32, size: u32) -> Result<(), Error> {
    if rank < size { Ok(()) } else { Err(Error::NoSuchRank { rank, size }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_put_is_seen_after_the_fence_only() {
        let mut job = Singleton::default();
        job.put("card", b"one").unwrap();
        assert!(job.get(0, "card").is_err());
        job.fence().unwrap();
        assert_eq!(job.get(0, "card").unwrap(), b"one");
        job.put("card", b"two").unwrap();
        assert_eq!(job.get(0, "card").unwrap(), b"one");
        job.fence().unwrap();
        assert_eq!(job.get(0, "card").unwrap(), b"two");
    }
}
