//! Prefix sums in the order of the members: inscan with the own element, exscan without (member 0 gets zeros).

use super::buffer::Buffer;
use super::check;
use super::far;
use super::group::Group;
use super::reduce::{Op, Sum, combine};
use crate::args;
use crate::ops::rma::bytes_of;
use crate::state;
use crate::team::TeamHandle;
use crate::transport::node;
use core::ffi::c_int;

/// Sums the sources of the first `upto` members into dest.
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
    let _alone = check::alike(rt, routine, team, &group, [dest as usize, source as usize], [n as u64, 0, 0]);
    let g = match group {
        Group::Near(g) => g,
        Group::Far(link) => {
            // SAFETY: passed on to the caller; checked above. The zeros of the table's types are zero bytes.
            unsafe { far::scan(&link, dest, source, n, inclusive) };
            return 0;
        }
    };
    let from = Buffer::new(rt, routine, "source", source as usize, len);
    let upto = g.me() + usize::from(inclusive);
    let small = g.fits(len);
    // Others read my source until the last meeting, so a result in place of it waits aside.
    let mut aside: Vec<T> = Vec::new();
    let into = if !small && dest.cast_const() == source {
        aside.reserve_exact(n);
        aside.as_mut_ptr()
    } else {
        dest
    };
    // SAFETY (all below): `into`, dest and the places hold `len` bytes; sources are read between meetings.
    if small {
        // SAFETY: see above.
        unsafe { node::copy(g.place(len), source.cast(), len) };
    }
    g.meet();
    // The zeros of an empty sum are zero bytes in every type of the table.
    // SAFETY: see above.
    unsafe { core::ptr::write_bytes(into.cast::<u8>(), 0, if upto == 0 { len } else { 0 }) };
    let mut theirs: Vec<T> = Vec::new();
    for i in 0..upto {
        // SAFETY: see above; an unmapped source is copied aside first.
        unsafe {
            let at = match (small, from.mapped(g.pe(i), 0)) {
                (true, _) => g.placed(i, len),
                (false, Some(at)) => at,
                (false, None) => {
                    theirs.reserve(n);
                    from.read(g.pe(i), 0, theirs.as_mut_ptr().cast(), len);
                    theirs.as_ptr().cast()
                }
            };
            if i == 0 { node::copy(into.cast(), at, len) } else { combine::<T, Sum>(into, at.cast(), n) }
        }
    }
    if !small {
        g.meet();
        if into != dest {
            // SAFETY: see above.
            unsafe { node::copy(dest.cast(), into.cast_const().cast(), len) };
        }
    }
    0
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
