//! One member's bytes to all.

use super::gather::from_all;
use super::{Part, Wire};
use crate::mpi::collective::Collective;

/// Bytes from which all members share the work of sending.
const LARGE: usize = 64 << 10;

/// The root's `len` bytes at `source` to `dest` of every other member. A member on the node of one that has them may get
/// them by `read`, which copies them to dest from that member's source, if it is the root, or from its dest.
///
/// # Safety
/// `source` holds the bytes on the root, `dest` has room for them on all others; the other pointer is not used.
pub(in super::super) unsafe fn broadcast<W: Wire>(
    w: &W,
    root: usize,
    source: *const u8,
    dest: *mut u8,
    len: usize,
    read: impl FnOnce(usize),
) {
    let at = if w.me() == root { source.cast_mut() } else { dest };
    // SAFETY: passed on to the caller.
    unsafe {
        if w.by_mpi(&Collective::Broadcast { root, at, len }) {
            return;
        }
        match w.stages() {
            Some(stages) if stages.blocks() => stages.broadcast(w, root, source, dest, len, read),
            _ => to_all(w, root, source, dest, len),
        }
    }
}

/// Between members that do not share nodes.
pub(super) unsafe fn to_all(w: &impl Wire, root: usize, source: *const u8, dest: *mut u8, len: usize) {
    // SAFETY: passed on to the caller.
    unsafe {
        if len >= LARGE && w.size() > 2 {
            share(w, root, source, dest, len);
        } else {
            tree(w, root, source, dest, len);
        }
    }
}

/// A binomial tree: whoever has the bytes gives them to a member that is half as far away as the last.
unsafe fn tree(w: &impl Wire, root: usize, source: *const u8, dest: *mut u8, len: usize) {
    let n = w.size();
    let me = (w.me() + n - root) % n;
    let member = |relative: usize| (relative + root) % n;
    // The lowest set bit of my number says how far away my parent is; the root's is beyond all.
    let mut bit = if me == 0 { n.next_power_of_two() } else { me & me.wrapping_neg() };
    let at = if me == 0 { source } else { dest.cast_const() };
    if me != 0 {
        let mut pending = Default::default();
        // SAFETY: passed on to the caller.
        unsafe { w.receive(&mut pending, member(me - bit), dest, len) };
        w.finish(pending);
    }
    let mut pending = Default::default();
    while bit > 1 {
        bit /= 2;
        if me + bit < n {
            // SAFETY: the bytes have come, or are the root's.
            unsafe { w.send(&mut pending, member(me + bit), at, len) };
        }
    }
    w.finish(pending);
}

/// The root gives each of the others a part, and they give each other theirs: the root sends every byte once.
unsafe fn share(w: &impl Wire, root: usize, source: *const u8, dest: *mut u8, len: usize) {
    let parts = w.size() - 1;
    let me = w.me() - usize::from(w.me() > root);
    let others = Part { w, size: parts, me, outside: |i: usize| i + usize::from(i >= root) };
    let part = len.div_ceil(parts).next_multiple_of(64);
    let at = |i: usize| (i * part).min(len);
    let mut pending = Default::default();
    if w.me() == root {
        for i in 0..parts {
            // SAFETY: the root's bytes stay until `finish`.
            unsafe { w.send(&mut pending, (others.outside)(i), source.add(at(i)), at(i + 1) - at(i)) };
        }
        return w.finish(pending);
    }
    // SAFETY: dest has room for all parts.
    unsafe {
        let mine = dest.add(at(me));
        w.receive(&mut pending, root, mine, at(me + 1) - at(me));
        w.finish(pending);
        from_all(&others, mine, dest, at);
    }
}

#[cfg(test)]
mod tests {
    use super::super::threads;
    use super::*;

    /// All sizes of groups around powers of two, all roots, both ways; the root's dest is left alone.
    #[test]
    fn everybody_gets_the_roots_bytes() {
        for n in 1..=9 {
            for (root, len) in (0..n).flat_map(|root| [0, 1, 1000, LARGE, LARGE + 4567].map(|len| (root, len))) {
                threads::run(n, |w| {
                    let source: Vec<u8> = (0..len).map(|k| (k * 7 + w.me()) as u8).collect();
                    let mut dest = vec![0xee; len];
                    // SAFETY: the vectors are as long as all members say.
                    unsafe {
                        broadcast(w, root, source.as_ptr(), dest.as_mut_ptr(), len, |_| {
                            unreachable!("nobody shares a node")
                        })
                    };
                    let wanted = |k: usize| if w.me() == root { 0xee } else { (k * 7 + root) as u8 };
                    assert!(dest.iter().enumerate().all(|(k, &b)| b == wanted(k)), "n {n}, root {root}, {len} bytes");
                });
            }
        }
    }
}
