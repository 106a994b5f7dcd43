//! Statics of a node peer that could not be moved onto shared memory: the kernel copies from process to process.

use crate::memory::node::Node;
use crate::os::{peer, process};
use crate::sync::publication;
use std::io;
use std::sync::OnceLock;

/// What a PE's location says about its statics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StaticsLocation {
    /// Process id.
    pub(crate) pid: i32,
    /// First address of the segment in that process.
    pub(crate) base: usize,
    /// Where a random number of that process lies, and the number: another process of the same id does not have it there.
    proof: usize,
    token: u64,
}

impl StaticsLocation {
    /// Of this process, whose segment begins at `base`.
    pub(crate) fn own(base: usize) -> StaticsLocation {
        static TOKEN: OnceLock<Box<u64>> = OnceLock::new();
        let token = TOKEN.get_or_init(|| Box::new(process::random_token()[0]));
        StaticsLocation { pid: process::pid() as i32, base, proof: &raw const **token as usize, token: **token }
    }

    /// Makes it readable for the node's peers.
    pub(crate) fn publish(self, node: &Node) {
        let StaticsLocation { pid, base, proof, token } = self;
        publication::publish(
            &node.published(node.me),
            &node.waiter(),
            [pid as u64, base as u64, proof as u64, token, 0, 0],
        );
    }

    /// Of the PE at `index`; waits until that PE, and only that PE, has published it.
    pub(crate) fn of(node: &Node, index: usize) -> StaticsLocation {
        let words = publication::read(&node.published(index), &node.waiter());
        StaticsLocation { pid: words[0] as i32, base: words[1] as usize, proof: words[2] as usize, token: words[3] }
    }

    /// The kernel copies from the process that has published this. In another PID namespace its id is that of another process, or
    /// of none.
    pub(crate) fn check(self) -> io::Result<()> {
        let mut found = [0u8; size_of::<u64>()];
        // SAFETY: the buffer is ours and as long as we say.
        unsafe { peer::read(self.pid, self.proof, found.as_mut_ptr(), found.len())? };
        if u64::from_ne_bytes(found) == self.token {
            return Ok(());
        }
        Err(io::Error::other("another process has the id of that PE here"))
    }
}

/// # Safety
/// `[from, from+len)` can be read; `off` and `len` lie inside the peer's segment.
pub(crate) unsafe fn put(node: &Node, index: usize, off: usize, from: *const u8, len: usize) -> io::Result<()> {
    let there = StaticsLocation::of(node, index);
    // SAFETY: passed on to the caller.
    unsafe { peer::write(there.pid, there.base + off, from, len) }
}

/// # Safety
/// `[to, to+len)` can be written; `off` and `len` lie inside the peer's segment.
pub(crate) unsafe fn get(node: &Node, index: usize, off: usize, to: *mut u8, len: usize) -> io::Result<()> {
    let there = StaticsLocation::of(node, index);
    // SAFETY: passed on to the caller.
    unsafe { peer::read(there.pid, there.base + off, to, len) }
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
