//! A block from every member to every member.

use super::Wire;
use crate::mpi::collective::Collective;
use crate::transport::node;

/// Peers with whom messages are under way at a time: enough to hide the way there and back, and no flood.
const AT_A_TIME: usize = 16;

/// Block i of `source` to member i, as the block of the caller's number in its `dest`; blocks of `block` bytes.
///
/// # Safety
/// Both hold a block per member, and do not overlap.
pub(in super::super) unsafe fn exchange(w: &impl Wire, source: *const u8, dest: *mut u8, block: usize) {
    // SAFETY: passed on to the caller.
    unsafe {
        if !w.by_mpi(&Collective::Exchange { source, dest, block }) {
            swap(w, |i| (source.wrapping_add(i * block), block), |i| (dest.wrapping_add(i * block), block));
        }
    }
}

/// Sends `out(i)` to member i and receives member i's block for me at `into(i)`; both are address and bytes. The own
/// block is copied.
///
/// # Safety
/// The blocks can be read and written, and those written overlap no other.
pub(super) unsafe fn swap(
    w: &impl Wire,
    out: impl Fn(usize) -> (*const u8, usize),
    into: impl Fn(usize) -> (*mut u8, usize),
) {
    let (n, me) = (w.size(), w.me());
    let (from, len) = out(me);
    // SAFETY: passed on to the caller.
    unsafe { node::copy(into(me).0, from, len) };
    for first in (1..n).step_by(AT_A_TIME) {
        let mut pending = Default::default();
        for away in first..n.min(first + AT_A_TIME) {
            let (to, from) = ((me + away) % n, (me + n - away) % n);
            let ((source, sent), (dest, received)) = (out(to), into(from));
            // SAFETY: passed on to the caller.
            unsafe {
                w.receive(&mut pending, from, dest, received);
                w.send(&mut pending, to, source, sent);
            }
        }
        w.finish(pending);
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;

    /// Blocks of different lengths, between more members than are served at a time.
    #[test]
    fn every_block_goes_where_it_belongs() {
        for n in [1, 2, 3, 8, AT_A_TIME + 5] {
            let len = |from: usize, to: usize| (from * 3 + to * 5) % 40;
            let value = |from: usize, to: usize| (from * 31 + to + 1) as u8;
            threads::run(n, |w| {
                let me = w.me();
                let out: Vec<Vec<u8>> = (0..n).map(|to| vec![value(me, to); len(me, to)]).collect();
                let mut into: Vec<Vec<u8>> = (0..n).map(|from| vec![0; len(from, me)]).collect();
                let places: Vec<*mut u8> = into.iter_mut().map(|b| b.as_mut_ptr()).collect();
                // SAFETY: the vectors are as long as all members say.
                unsafe { swap(w, |i| (out[i].as_ptr(), out[i].len()), |i| (places[i], len(i, me))) };
                for (from, block) in into.iter().enumerate() {
                    assert_eq!(*block, vec![value(from, me); len(from, me)]);
                }
            });
        }
    }
}
