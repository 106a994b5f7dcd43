//! Access to statics of a node peer that could not be moved onto shared memory: the kernel copies from process to
//! process. It has no atomic operations, so all AMOs on such statics, the owner's too, take a lock on the owner's
//! control page: each word has one executor.

use super::amo::Amo;
use crate::memory::addr::SymRange;
use crate::memory::local::{Dest, Source};
use crate::memory::node::Node;
use crate::os::{peer, process};
use crate::sync::atomics::AtomicU32;
use crate::sync::{Wait, publication};
use std::io;
use std::sync::OnceLock;

/// Where a PE's statics are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StaticsLocation {
    /// Process id.
    pub(crate) pid: i32,
    /// First address of the segment in that process.
    pub(crate) base: usize,
    /// The address of a random number in that process, and the number. Another process with the same id does not have
    /// it there.
    proof: usize,
    token: u64,
}

impl StaticsLocation {
    /// The location of this process's statics, which begin at `base`.
    pub(crate) fn own(base: usize) -> StaticsLocation {
        static TOKEN: OnceLock<Box<u64>> = OnceLock::new();
        let token = TOKEN.get_or_init(|| Box::new(process::random_token()[0]));
        StaticsLocation { pid: process::pid() as i32, base, proof: &raw const **token as usize, token: **token }
    }

    /// Lets the node's peers read the location.
    pub(crate) fn publish(self, node: &Node) {
        let StaticsLocation { pid, base, proof, token } = self;
        publication::publish(&node.published(node.me), &node.waiter(), [pid as u64, base as u64, proof as u64, token]);
    }

    /// The location of the PE at `index`. Waits until that PE has published it.
    pub(crate) fn of(node: &Node, index: usize) -> StaticsLocation {
        let words = publication::read(&node.published(index), &node.waiter());
        StaticsLocation { pid: words[0] as i32, base: words[1] as usize, proof: words[2] as usize, token: words[3] }
    }

    /// Checks that the kernel copies from the process that has published this. In another PID namespace the id is that
    /// of another process or of none.
    pub(crate) fn check(self) -> io::Result<()> {
        let mut found = [0u8; size_of::<u64>()];
        // SAFETY: a local array of as many bytes.
        unsafe { peer::read(self.pid, self.proof, found.as_mut_ptr(), found.len())? };
        if u64::from_ne_bytes(found) == self.token {
            return Ok(());
        }
        Err(io::Error::other("another process has the id of that PE here"))
    }

    /// Puts. The range lies inside the segment, here as in `get` and `amo`.
    pub(crate) fn put(self, range: SymRange, source: Source) -> io::Result<()> {
        // SAFETY: the source can be read. The range lies inside the peer's segment.
        unsafe { peer::write(self.pid, self.base + range.off, source.at(), source.len()) }
    }

    pub(crate) fn get(self, range: SymRange, dest: Dest) -> io::Result<()> {
        // SAFETY: the destination can be written. The range lies inside the peer's segment.
        unsafe { peer::read(self.pid, self.base + range.off, dest.at(), dest.len()) }
    }

    /// Runs an AMO on a word, and returns the old value. All AMOs on the PE's statics run one after the other, under
    /// its lock.
    pub(crate) fn amo(self, lock: (&AtomicU32, &impl Wait), range: SymRange, amo: Amo) -> io::Result<u64> {
        assert!(range.len <= size_of::<u64>());
        // SAFETY: a word of 8 bytes, at least as long as the range. It stays until `get` has returned.
        let fetch = |at: *mut u64| self.get(range, unsafe { Dest::of::<u8>(at.cast(), range.len) });
        // SAFETY: the same word, which stays until `put` has returned.
        let store = |at: *const u64| self.put(range, unsafe { Source::of::<u8>(at.cast(), range.len) });
        amo.on_copy(range.len, lock, fetch, store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_token() {
        let location = StaticsLocation::own(0);
        location.check().unwrap();
        let other = StaticsLocation { token: location.token ^ 1, ..location };
        assert!(other.check().unwrap_err().to_string().contains("another process"));
    }
}
