//! Blocks of all members, in order, at all members.

use super::Wire;
use crate::mpi::collective::Collective;
use crate::transport::node;

/// Bytes, all blocks together, up to which few messages matter more than one copy more.
const SMALL: usize = 64 << 10;

/// Puts the block of every member into everybody's `dest`. Block i lies from `at(i)` to `at(i + 1)`, in bytes from
/// `dest`: the same on all members, ascending. `own` is the caller's block; it may be its place in `dest`.
///
/// # Safety
/// `own` holds its block, `dest` has room for all, and `own` does not overlap the others' places.
pub(in super::super) unsafe fn gather<W: Wire>(w: &W, own: *const u8, dest: *mut u8, at: impl Fn(usize) -> usize) {
    // SAFETY: passed on to the caller.
    if unsafe { w.by_mpi(&Collective::Gather { own, dest, at: &at }) } {
        return;
    }
    if let Some(stages) = w.stages()
        && stages.fits(at(w.size()) - at(0))
    {
        // SAFETY: passed on to the caller.
        return unsafe { stages.gather(w, own, dest, at) };
    }
    // SAFETY: passed on to the caller.
    unsafe { from_all(w, own, dest, at) }
}

/// Between members that do not share nodes.
pub(super) unsafe fn from_all(w: &impl Wire, own: *const u8, dest: *mut u8, at: impl Fn(usize) -> usize) {
    let n = w.size();
    // SAFETY: passed on to the caller.
    unsafe {
        if n > 3 && at(n) - at(0) <= SMALL {
            doubling(w, own, dest, at);
        } else {
            ring(w, own, dest, at);
        }
    }
}

/// Every block goes round once: n - 1 messages, each with one block, from neighbour to neighbour.
unsafe fn ring(w: &impl Wire, own: *const u8, dest: *mut u8, at: impl Fn(usize) -> usize) {
    let (n, me) = (w.size(), w.me());
    let len = |i: usize| at(i + 1) - at(i);
    let place = |i: usize| dest.wrapping_add(at(i));
    // SAFETY (all): blocks lie inside dest; a block is sent on when it has come, and not written again.
    if place(me).cast_const() != own {
        // SAFETY: see above.
        unsafe { node::copy(place(me), own, len(me)) };
    }
    for step in 1..n {
        let (mine, theirs) = ((me + n + 1 - step) % n, (me + n - step) % n);
        let mut pending = Default::default();
        // SAFETY: see above.
        unsafe {
            w.receive(&mut pending, (me + n - 1) % n, place(theirs), len(theirs));
            w.send(&mut pending, (me + 1) % n, place(mine), len(mine));
        }
        w.finish(pending);
    }
}

/// Bruck's way: after round k a member has the blocks of 2^k members, its own first. Log n messages; the blocks are
/// collected aside, because they begin with another one at each member.
unsafe fn doubling(w: &impl Wire, own: *const u8, dest: *mut u8, at: impl Fn(usize) -> usize) {
    let (n, me) = (w.size(), w.me());
    let of = |k: usize| (me + k) % n;
    let len = |i: usize| at(i + 1) - at(i);
    // Where the blocks of member me + k starts aside.
    let starts: Vec<usize> =
        (0..=n).scan(0, |sum, k| Some(std::mem::replace(sum, *sum + if k < n { len(of(k)) } else { 0 }))).collect();
    let mut aside: Vec<u8> = Vec::with_capacity(starts[n]);
    let base = aside.as_mut_ptr();
    // SAFETY: `aside` has room for all blocks; each is filled once and sent when it is there.
    unsafe { node::copy(base, own, len(me)) };
    let mut have = 1;
    while have < n {
        let count = have.min(n - have);
        let mut pending = Default::default();
        // The member `have` before me wants as many blocks as I want of the one behind.
        // SAFETY: see above.
        unsafe {
            w.receive(&mut pending, of(have), base.add(starts[have]), starts[have + count] - starts[have]);
            w.send(&mut pending, (me + n - have) % n, base, starts[count]);
        }
        w.finish(pending);
        have += count;
    }
    for (k, &start) in starts[..n].iter().enumerate() {
        // SAFETY: see above; dest has room for all, and own is in `aside` by now.
        unsafe { node::copy(dest.add(at(of(k))), base.add(start), len(of(k))) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;
    use proptest::prelude::*;

    fn block(member: usize, len: usize) -> impl Iterator<Item = u8> {
        (0..len).map(move |k| (member * 37 + k * 11) as u8)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        /// Blocks of any length, empty ones too, by either way, from outside of dest or from the place itself.
        #[test]
        fn everybody_gets_all_blocks_in_order(lens in prop::collection::vec(0usize..40, 1..12), large: bool, inside: bool) {
            let scale = if large { 1000 } else { 1 };
            let lens: Vec<usize> = lens.iter().map(|l| l * scale).collect();
            let starts: Vec<usize> = (0..=lens.len()).map(|i| lens[..i].iter().sum()).collect();
            let expect: Vec<u8> = lens.iter().enumerate().flat_map(|(i, &l)| block(i, l)).collect();
            threads::run(lens.len(), |w| {
                let me = w.me();
                let own: Vec<u8> = block(me, lens[me]).collect();
                let mut dest = vec![0xaa; expect.len()];
                dest[starts[me]..starts[me + 1]].copy_from_slice(&own);
                let from = if inside { dest[starts[me]..].as_ptr() } else { own.as_ptr() };
                // SAFETY: the vectors are as long as all members say.
                unsafe { gather(w, from, dest.as_mut_ptr(), |i| starts[i]) };
                assert_eq!(dest, expect);
            });
        }
    }
}
