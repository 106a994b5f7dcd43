//! Reductions and scans of groups that span nodes. Small ones: everybody gets everybody's elements and combines them.
//! Large ones: everybody combines a share of the elements for all.

use super::super::reduce::{Op, Sum, combine};
use super::swap::swap;
use super::{Wire, gather};
use crate::mpi::collective::Collective;
use crate::transport::node;

/// Bytes, of all members together, up to which one exchange of everything beats two of shares.
const SMALL: usize = 32 << 10;
/// Bytes of a member's elements that are worked on at a time: what is held aside stays bounded.
const AT_A_TIME: usize = 4 << 20;

/// Calls `part` for stretches of `n` elements: first element and number.
///
/// Not inlined, and `part` not known to it: rustc 1.95 (LLVM 22) loses loops over a stretch whose number of turns it sees computed in the loop
/// over stretches (the loop vectorizer makes it poison); scans then left elements out.
#[inline(never)]
fn in_parts(size: usize, n: usize, part: &mut dyn FnMut(usize, usize)) {
    let most = (AT_A_TIME / size).max(1);
    for first in (0..n).step_by(most) {
        part(first, most.min(n - first));
    }
}

/// Which of `n` elements member `i` of `size` combines.
fn share(n: usize, size: usize, i: usize) -> usize {
    (n.div_ceil(size) * i).min(n)
}

/// `n` elements of every member.
struct All<T> {
    elements: Vec<T>,
    n: usize,
}

impl<T: Copy> All<T> {
    /// Room for `n` elements of each of `size` members, not filled yet.
    fn room(size: usize, n: usize) -> All<T> {
        All { elements: Vec::with_capacity(size * n), n }
    }

    fn of(&mut self, member: usize) -> *mut T {
        self.elements.as_mut_ptr().wrapping_add(member * self.n)
    }

    /// Everybody's `n` elements.
    unsafe fn gathered(w: &impl Wire, source: *const T, n: usize) -> All<T> {
        let mut all: All<T> = All::room(w.size(), n);
        // SAFETY: passed on to the caller; there is room for all.
        unsafe { gather(w, source.cast(), all.of(0).cast(), |i| i * n * size_of::<T>()) };
        all
    }

    /// My share of everybody's `n` elements.
    unsafe fn shared(w: &impl Wire, source: *const T, n: usize) -> All<T> {
        let (size, me) = (w.size(), w.me());
        let mine = share(n, size, me + 1) - share(n, size, me);
        let mut all: All<T> = All::room(size, mine);
        let base = all.of(0);
        let bytes = |count: usize| count * size_of::<T>();
        let out = |i: usize| {
            let (first, end) = (share(n, size, i), share(n, size, i + 1));
            (source.wrapping_add(first).cast(), bytes(end - first))
        };
        // SAFETY: passed on to the caller; there is room for a share of everybody.
        unsafe { swap(w, out, |i| (base.wrapping_add(i * mine).cast(), bytes(mine))) };
        all
    }

    /// Combines the elements of all members, in their order, into `dest`.
    unsafe fn combined<O: Op<T>>(&mut self, size: usize, dest: *mut T) {
        let len = self.n * size_of::<T>();
        // SAFETY: all elements are there; dest has room for n.
        unsafe {
            for i in 1..size {
                combine::<T, O>(self.of(0), self.of(i), self.n);
            }
            node::copy(dest.cast(), self.of(0).cast(), len);
        }
    }
}

/// Combines `n` elements of all members, element by element, into everybody's `dest`, which may be `source`.
///
/// # Safety
/// Both hold `n` elements, and are equal or disjoint.
pub(in super::super) unsafe fn reduce<T: Copy, O: Op<T>>(w: &impl Wire, dest: *mut T, source: *const T, n: usize) {
    let size = w.size();
    let small = size <= 2 || n * size * size_of::<T>() <= SMALL;
    // SAFETY: the parts lie inside source and dest. A part of the source is not needed any more when the exchange that
    // sends it has returned.
    in_parts(size_of::<T>(), n, &mut |first, n| unsafe {
        let (dest, source) = (dest.add(first), source.add(first));
        if let Some(op) = O::EXACT
            && w.by_mpi(&Collective::Reduce { op, dest: dest.cast(), source: source.cast(), n })
        {
            return;
        }
        if small {
            return All::gathered(w, source, n).combined::<O>(size, dest);
        }
        let at = |i: usize| share(n, size, i) * size_of::<T>();
        let mine = dest.cast::<u8>().add(at(w.me()));
        All::shared(w, source, n).combined::<O>(size, mine.cast());
        gather(w, mine, dest.cast(), at);
    });
}

/// Sums the elements of the members before me, and mine if `inclusive`, into `dest`, which may be `source`. Zeros, if
/// there are none.
///
/// # Safety
/// As for [`reduce`]. The zero of the type is zero bytes.
pub(in super::super) unsafe fn scan<T: Copy>(w: &impl Wire, dest: *mut T, source: *const T, n: usize, inclusive: bool)
where
    Sum: Op<T>,
{
    let (size, me) = (w.size(), w.me());
    let small = size <= 2 || n * size * size_of::<T>() <= SMALL;
    // SAFETY: as in `reduce`.
    in_parts(size_of::<T>(), n, &mut |first, n| unsafe {
        let (dest, source) = (dest.add(first), source.add(first));
        if let Some(op) = <Sum as Op<T>>::EXACT
            && w.by_mpi(&Collective::Scan { op, dest: dest.cast(), source: source.cast(), n, inclusive })
        {
            if me == 0 && !inclusive {
                core::ptr::write_bytes(dest, 0, n);
            }
            return;
        }
        if small {
            let upto = me + usize::from(inclusive);
            match upto {
                0 => {
                    All::gathered(w, source, n);
                    core::ptr::write_bytes(dest, 0, n);
                }
                _ => All::gathered(w, source, n).combined::<Sum>(upto, dest),
            }
            return;
        }
        // A share of everybody's elements becomes everybody's results in that share, and goes back.
        let mut all = All::shared(w, source, n);
        let mine = all.n;
        for i in 1..size {
            prepend(all.of(i), all.of(i - 1), mine);
        }
        let base = all.of(0);
        let zeros: Vec<u8> = vec![0; if inclusive { 0 } else { mine * size_of::<T>() }];
        let results = |i: usize| match (inclusive, i) {
            (true, _) => base.wrapping_add(i * mine).cast_const().cast(),
            (false, 0) => zeros.as_ptr(),
            (false, _) => base.wrapping_add((i - 1) * mine).cast_const().cast(),
        };
        let at = |i: usize| share(n, size, i);
        let into = |i: usize| (dest.wrapping_add(at(i)).cast(), (at(i + 1) - at(i)) * size_of::<T>());
        swap(w, |i| (results(i), mine * size_of::<T>()), into);
    });
}

/// `to[k] = from[k] + to[k]`.
unsafe fn prepend<T: Copy>(to: *mut T, from: *const T, n: usize)
where
    Sum: Op<T>,
{
    for k in 0..n {
        // SAFETY: passed on to the caller.
        unsafe { to.add(k).write_unaligned(Sum::apply(from.add(k).read_unaligned(), to.add(k).read_unaligned())) };
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::reduce::{Max, Prod};
    use super::super::threads;
    use super::*;

    fn element(member: usize, k: usize) -> f64 {
        ((member * 7919 + k * 104_729) % 1009) as f64 * 1e-3 + if member == 0 { 1e15 } else { 0.0 }
    }

    fn in_order(op: fn(f64, f64) -> f64, k: usize, members: usize) -> f64 {
        (0..members).map(|i| element(i, k)).reduce(op).unwrap_or(0.0)
    }

    /// Both ways, in place and not: exactly what combining from left to right gives, although addition of these values
    /// depends on the order.
    #[test]
    fn everybody_gets_the_sum_from_left_to_right() {
        for size in [1, 2, 3, 4, 7] {
            for n in [0, 1, 5, 1000, SMALL / 8] {
                threads::run(size, |w| {
                    let source: Vec<f64> = (0..n).map(|k| element(w.me(), k)).collect();
                    let mut dest = vec![f64::NAN; n];
                    let mut inside = source.clone();
                    let mut largest = source.clone();
                    // SAFETY: the vectors are as long as all members say.
                    unsafe {
                        reduce::<f64, Sum>(w, dest.as_mut_ptr(), source.as_ptr(), n);
                        reduce::<f64, Prod>(w, inside.as_mut_ptr(), inside.as_ptr(), n);
                        reduce::<f64, Max>(w, largest.as_mut_ptr(), largest.as_ptr(), n);
                    }
                    for k in 0..n {
                        assert_eq!(dest[k], in_order(|a, b| a + b, k, size), "{size} members, element {k} of {n}");
                        assert_eq!(inside[k], in_order(|a, b| a * b, k, size));
                        assert_eq!(largest[k], in_order(f64::max, k, size));
                    }
                });
            }
        }
    }

    #[test]
    fn scans_stop_before_me_or_at_me() {
        for size in [1, 2, 3, 4, 7] {
            for n in [0, 1, 5, 1000, SMALL / 8] {
                threads::run(size, |w| {
                    let source: Vec<f64> = (0..n).map(|k| element(w.me(), k)).collect();
                    let mut before = vec![f64::NAN; n];
                    let mut with_me = source.clone();
                    // SAFETY: the vectors are as long as all members say.
                    unsafe {
                        scan(w, before.as_mut_ptr(), source.as_ptr(), n, false);
                        scan(w, with_me.as_mut_ptr(), with_me.as_ptr(), n, true);
                    }
                    for k in 0..n {
                        assert_eq!(before[k], in_order(|a, b| a + b, k, w.me()), "{size} members, element {k} of {n}");
                        assert_eq!(with_me[k], in_order(|a, b| a + b, k, w.me() + 1));
                    }
                });
            }
        }
    }

    /// Elements beyond one part, with a count that no size divides.
    #[test]
    fn long_arrays_are_worked_on_in_parts() {
        let n = 2 * AT_A_TIME / size_of::<u32>() + 13;
        threads::run(3, |w| {
            let source: Vec<u32> = (0..n).map(|k| (k * (w.me() + 1)) as u32).collect();
            let mut dest = vec![0u32; n];
            // SAFETY: the vectors are as long as all members say.
            unsafe { reduce::<u32, Sum>(w, dest.as_mut_ptr(), source.as_ptr(), n) };
            assert!(dest.iter().enumerate().all(|(k, &v)| v == (k as u32).wrapping_mul(6)));
            // SAFETY: the vectors are as long as all members say.
            unsafe { scan(w, dest.as_mut_ptr(), source.as_ptr(), n, false) };
            let factor = [0u32, 1, 3][w.me()];
            assert!(dest.iter().enumerate().all(|(k, &v)| v == (k as u32).wrapping_mul(factor)));
        });
    }
}
