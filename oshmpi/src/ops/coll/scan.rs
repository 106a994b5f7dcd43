//! Prefix sums in the order of the members: inscan with the own element, exscan without (member 0 gets zeros).

use super::buffer::Buffer;
use super::check;
use super::group::{Group, IntraNode};
use super::inter_node;
use super::reduce::{CHUNK, Op, Sum, combine};
use crate::args;
use crate::ops::rma::bytes_of;
use crate::state;
use crate::team::TeamHandle;
use crate::transport::node;
use core::ffi::c_int;

/// Sums the sources of the members before the caller into dest, with `inclusive` its own too.
unsafe fn scan<T: Copy>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    n: usize,
    inclusive: bool,
) -> c_int
where
    Sum: Op<T>,
{
    let rt = state::up(routine);
    let team = args::team(rt, routine, handle);
    let group = Group::of_team(rt, routine, team);
    let len = bytes_of::<T>(n);
    check::buffers(rt, routine, (dest as usize, len), (source as usize, len), true);
    let buffers = [(dest as usize, len), (source as usize, len)];
    let _alone = check::call(rt, routine, team, &group, buffers, true, [n as u64, 0, 0]);
    let g = match group {
        Group::IntraNode(g) => g,
        Group::InterNode(group) => {
            // SAFETY: passed on to the caller; checked above. The zeros of the table's types are zero bytes.
            unsafe { inter_node::scan(&group, dest, source, n, inclusive) };
            return 0;
        }
    };
    let upto = g.me() + usize::from(inclusive);
    if g.fits(len) {
        // SAFETY: dest and source hold `len` bytes; what the standard promises of them was checked.
        unsafe { scan_small(&g, dest, source, n, upto) };
        return 0;
    }
    let from = Buffer::new(rt, routine, "source", source as usize, len);
    let result = Buffer::new(rt, routine, "dest", dest as usize, len);
    g.barrier(); // all sources are ready
    if from.writable() && result.writable() {
        // SAFETY: as above; dest is ready on all members when one calls.
        unsafe { scan_share::<T>(&g, &from, &result, n, inclusive) };
        g.barrier(); // all shares have come, and nobody reads a source any more
    } else {
        // SAFETY: as above; sources stay until the round in there.
        unsafe { scan_read(&g, dest, &from, n, upto) };
    }
    0
}

/// The zeros of an empty sum.
unsafe fn clear<T>(dest: *mut T, n: usize) {
    // SAFETY: passed on to the caller. They are zero bytes in every type of the table.
    unsafe { core::ptr::write_bytes(dest, 0, n) };
}

/// What fits into a place: each member sums those before it as soon as they have come.
#[inline]
unsafe fn scan_small<T: Copy>(g: &IntraNode<'_>, dest: *mut T, source: *const T, n: usize, upto: usize)
where
    Sum: Op<T>,
{
    let len = bytes_of::<T>(n);
    // SAFETY: dest, source and the places hold `len` bytes.
    unsafe { node::copy(g.place(len), source.cast(), len) };
    g.wait_for_prefix();
    if upto == 0 {
        // SAFETY: as above.
        return unsafe { clear(dest, n) };
    }
    // SAFETY: as above.
    unsafe { node::copy(dest.cast(), g.placed(0, len), len) };
    for i in 1..upto {
        // SAFETY: as above. The own elements are read where they were placed: dest may be source.
        unsafe { combine::<T, Sum>(dest, g.placed(i, len).cast(), n) };
    }
}

/// Where not all sources or dests are mapped: each member reads what comes before it. A result in place waits aside until nobody reads
/// its source any more.
unsafe fn scan_read<T: Copy>(g: &IntraNode<'_>, dest: *mut T, source: &Buffer<'_>, n: usize, upto: usize)
where
    Sum: Op<T>,
{
    let len = bytes_of::<T>(n);
    let (mut aside, mut theirs): (Vec<T>, Vec<T>) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let (sum, one) = (aside.as_mut_ptr(), theirs.as_mut_ptr());
    for i in 0..upto {
        // SAFETY: the vectors have room for `n` elements, sources hold as many.
        unsafe {
            source.read(g.pe(i), 0, if i == 0 { sum } else { one }.cast(), len);
            if i > 0 {
                combine::<T, Sum>(sum, one, n);
            }
        }
    }
    g.barrier();
    // SAFETY: dest and the vector hold `len` bytes.
    unsafe { if upto == 0 { clear(dest, n) } else { node::copy(dest.cast(), sum.cast_const().cast(), len) } }
}

/// The caller's share of the elements, for all members: each source and each dest passes through one cache once, and in
/// place an element is read before it is written.
unsafe fn scan_share<T: Copy>(g: &IntraNode<'_>, source: &Buffer<'_>, result: &Buffer<'_>, n: usize, inclusive: bool)
where
    Sum: Op<T>,
{
    let share = n.div_ceil(g.size());
    let (first, end) = ((g.me() * share).min(n), ((g.me() + 1) * share).min(n));
    let most = (CHUNK / size_of::<T>()).max(1);
    let mut sums: Vec<T> = Vec::with_capacity(most.min(end - first));
    for from in (first..end).step_by(most) {
        let (off, count) = (from * size_of::<T>(), most.min(end - from));
        let sums = sums.as_mut_ptr();
        for i in 0..g.size() {
            let at = |buffer: &Buffer<'_>| buffer.mapped(g.pe(i), off).expect("asked for mapped memory");
            let (theirs, into) = (at(source).cast::<T>(), at(result).cast_mut().cast::<T>());
            // SAFETY: the range lies inside both buffers at every member, and the vector has room for it; the zeros of
            // the table's types are zero bytes.
            unsafe {
                for k in 0..count {
                    let (sum, own) = (sums.add(k), theirs.add(k).read_unaligned());
                    let (before, after) = match i {
                        0 => (core::mem::zeroed(), own),
                        _ => (sum.read(), Sum::apply(sum.read(), own)),
                    };
                    sum.write(after);
                    into.add(k).write_unaligned(if inclusive { after } else { before });
                }
            }
        }
    }
}

/// # Safety
/// What C promises: `nelems` elements at source and dest, equal or disjoint.
pub(crate) unsafe fn inscan<T: Copy>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    nelems: usize,
) -> c_int
where
    Sum: Op<T>,
{
    // SAFETY: passed on to the caller.
    unsafe { scan(routine, handle, dest, source, nelems, true) }
}

/// # Safety
/// As for [`inscan`].
pub(crate) unsafe fn exscan<T: Copy>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    nelems: usize,
) -> c_int
where
    Sum: Op<T>,
{
    // SAFETY: passed on to the caller.
    unsafe { scan(routine, handle, dest, source, nelems, false) }
}
