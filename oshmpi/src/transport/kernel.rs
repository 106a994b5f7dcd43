//! Statics of a node peer that could not be moved onto shared memory: the kernel copies from process to process.
//!
//! There is no atomic copy, so AMOs on such words take a lock on the owner's control page, all of them, the owner's
//! own included: one executor per word.

use crate::memory::node::Node;
use crate::os::{peer, sched};
use crate::sync::{Wait, card};
use core::sync::atomic::Ordering;
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

/// Runs `op` on a copy of the word and writes it back, alone among all AMOs on that PE's statics. Returns what `op`
/// returned.
pub(crate) fn amo<T: Copy, R>(node: &Node, index: usize, off: usize, op: impl FnOnce(*mut T) -> R) -> io::Result<R> {
    let lock = node.amo_lock(index);
    let free = || lock.compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok(); // SYNC amo-lock
    if !free() {
        node.waiter().until(|| {
            sched::yield_now();
            free()
        });
    }
    let there = StaticsCard::of(node, index);
    let mut word = core::mem::MaybeUninit::<T>::uninit();
    // SAFETY: the word lies inside the peer's segment, our copy is as large, and the lock keeps other AMOs out.
    let done = unsafe {
        peer::read(there.pid, there.base + off, word.as_mut_ptr().cast(), size_of::<T>()).and_then(|()| {
            let result = op(word.as_mut_ptr());
            peer::write(there.pid, there.base + off, word.as_ptr().cast(), size_of::<T>()).map(|()| result)
        })
    };
    lock.store(0, Ordering::Release); // SYNC amo-lock
    node.waiter().tell();
    done
}
