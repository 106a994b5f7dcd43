//! Statics of a node peer that could not be moved onto shared memory: the kernel copies from process to process.

use crate::memory::node::Node;
use crate::os::peer;
use crate::sync::card;
use std::io;

/// What a PE's card says about its statics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StaticsCard {
    /// Process id.
    pub(crate) pid: i32,
    /// First address of the segment in that process.
    pub(crate) base: usize,
}

impl StaticsCard {
    /// Makes it readable for the node's peers.
    pub(crate) fn publish(self, node: &Node) {
        card::publish(&node.card(node.me), &node.waiter(), [self.pid as u64, self.base as u64, 0, 0, 0, 0]);
    }

    /// Of the PE at `index`; waits until that PE, and only that PE, has published it.
    pub(crate) fn of(node: &Node, index: usize) -> StaticsCard {
        let words = card::read(&node.card(index), &node.waiter());
        StaticsCard { pid: words[0] as i32, base: words[1] as usize }
    }
}

/// # Safety
/// `[from, from+len)` can be read; `off` and `len` lie inside the peer's segment.
pub(crate) unsafe fn put(node: &Node, index: usize, off: usize, from: *const u8, len: usize) -> io::Result<()> {
    let there = StaticsCard::of(node, index);
    // SAFETY: passed on to the caller.
    unsafe { peer::write(there.pid, there.base + off, from, len) }
}

/// # Safety
/// `[to, to+len)` can be written; `off` and `len` lie inside the peer's segment.
pub(crate) unsafe fn get(node: &Node, index: usize, off: usize, to: *mut u8, len: usize) -> io::Result<()> {
    let there = StaticsCard::of(node, index);
    // SAFETY: passed on to the caller.
    unsafe { peer::read(there.pid, there.base + off, to, len) }
}
