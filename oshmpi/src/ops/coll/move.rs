//! broadcast, collect, fcollect, alltoall and alltoalls as they are called: for teams and for active sets.

use super::check;
use super::group::Group;
use super::transfer::{Call, alltoall_elements, broadcast_bytes, collect_bytes, fcollect_bytes};
use crate::args;
use crate::diag::fatal;
use crate::ops::rma::bytes_of;
use crate::state::{self, Runtime};
use crate::team::{Team, TeamHandle};
use core::ffi::{c_int, c_long};

/// The team of a handle, and the group it is.
#[inline]
fn team(rt: &'static Runtime, routine: &'static str, handle: TeamHandle) -> (&'static Team, Group<'static>) {
    let team = args::team(rt, routine, handle);
    (team, Group::of_team(rt, routine, team))
}

fn root_of(routine: &str, group: &Group<'_>, root: c_int) -> usize {
    match usize::try_from(root) {
        Ok(r) if r < group.size() => r,
        _ => fatal(routine, format_args!("PE_root {root} is out of range 0..{}", group.size() - 1)),
    }
}

/// Bytes from the first to the end of the last of `n` elements, `stride` elements apart.
fn reach(n: usize, stride: usize, elem: usize) -> usize {
    match n {
        0 => 0,
        _ => (n - 1).saturating_mul(stride).saturating_add(1).saturating_mul(elem),
    }
}

/// Team broadcast: dest is written on all members, the root included.
///
/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn broadcast<T>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    nelems: usize,
    root: c_int,
) -> c_int {
    let rt = state::up(routine);
    let ((team, g), len) = (team(rt, routine, handle), bytes_of::<T>(nelems));
    let root = root_of(routine, &g, root);
    let _alone = check::call(
        rt,
        routine,
        team,
        &g,
        [(dest as usize, len), (source as usize, len)],
        false,
        [nelems as u64, 0, root as u64],
    );
    let call = Call::new(rt, routine, &g, (dest as usize, len), (source as usize, len));
    // SAFETY: checked and promised.
    unsafe { broadcast_bytes(&call, root, len, true) };
    0
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn fcollect<T>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    nelems: usize,
) -> c_int {
    let rt = state::up(routine);
    let ((team, g), len) = (team(rt, routine, handle), bytes_of::<T>(nelems));
    let all = len.saturating_mul(g.size());
    let _alone = check::call(
        rt,
        routine,
        team,
        &g,
        [(dest as usize, all), (source as usize, len)],
        false,
        [nelems as u64, 0, 0],
    );
    // SAFETY: checked in there and promised.
    unsafe { fcollect_in(rt, routine, g, dest as usize, source as usize, bytes_of::<T>(nelems)) };
    0
}

#[inline]
unsafe fn fcollect_in(rt: &Runtime, routine: &'static str, g: Group<'_>, dest: usize, source: usize, block: usize) {
    let call = Call::new(rt, routine, &g, (dest, block.saturating_mul(g.size())), (source, block));
    // SAFETY: passed on to the caller.
    unsafe { fcollect_bytes(&call, block) }
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn collect<T>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    nelems: usize,
) -> c_int {
    let rt = state::up(routine);
    let ((team, g), len) = (team(rt, routine, handle), bytes_of::<T>(nelems));
    // The length of dest is not known yet; it is at least that of the own block.
    let _alone = check::call(rt, routine, team, &g, [(dest as usize, len), (source as usize, len)], false, [0; 3]);
    // SAFETY: checked in there and promised.
    unsafe { collect_bytes(rt, routine, g, dest as usize, source as usize, bytes_of::<T>(nelems)) };
    0
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn alltoall<T: Copy>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    nelems: usize,
) -> c_int {
    let rt = state::up(routine);
    let (team, g) = team(rt, routine, handle);
    let all = bytes_of::<T>(nelems).saturating_mul(g.size());
    let _alone = check::call(
        rt,
        routine,
        team,
        &g,
        [(dest as usize, all), (source as usize, all)],
        false,
        [nelems as u64, 0, 0],
    );
    // SAFETY: checked in there and promised.
    unsafe { alltoall_in::<T>(rt, routine, g, dest as usize, source as usize, [1, 1], nelems) };
    0
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn alltoalls<T: Copy>(
    routine: &'static str,
    handle: TeamHandle,
    dest: *mut T,
    source: *const T,
    dst: isize,
    sst: isize,
    nelems: usize,
) -> c_int {
    let rt = state::up(routine);
    let (team, g) = team(rt, routine, handle);
    args::stride(routine, "dst", dst);
    args::stride(routine, "sst", sst);
    let all = |stride: isize| reach(nelems.saturating_mul(g.size()), stride as usize, size_of::<T>());
    let strides = if nelems == 0 { 0 } else { (dst as u64) << 32 ^ sst as u64 };
    let (to, from) = ((dest as usize, all(dst)), (source as usize, all(sst)));
    let _alone = check::call(rt, routine, team, &g, [to, from], false, [nelems as u64, strides, 0]);
    // SAFETY: checked in there and promised.
    unsafe { alltoall_in::<T>(rt, routine, g, dest as usize, source as usize, [dst, sst], nelems) };
    0
}

unsafe fn alltoall_in<T: Copy>(
    rt: &Runtime,
    routine: &'static str,
    g: Group<'_>,
    dest: usize,
    source: usize,
    [dst, sst]: [isize; 2],
    nelems: usize,
) {
    args::stride(routine, "dst", dst);
    args::stride(routine, "sst", sst);
    let (elem, all) = (size_of::<T>(), nelems.saturating_mul(g.size()));
    let (dst, sst) = (dst as usize, sst as usize);
    let call = Call::new(rt, routine, &g, (dest, reach(all, dst, elem)), (source, reach(all, sst, elem)));
    if all == 0 {
        return call.group.barrier();
    }
    // SAFETY: passed on to the caller.
    unsafe { alltoall_elements::<T>(&call, nelems, dst, sst) }
}

/// Active-set broadcast: PE_root is the number in the set, and the root's dest is left alone.
///
/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn set_broadcast<T>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    nelems: usize,
    root: c_int,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    psync: *mut c_long,
) {
    let rt = state::up(routine);
    // SAFETY: passed on to the caller.
    let g = unsafe { Group::of_set(rt, routine, (start, log_stride, size), psync, None) };
    let len = bytes_of::<T>(nelems);
    let root = root_of(routine, &g, root);
    let call = Call::new(rt, routine, &g, (dest as usize, len), (source as usize, len));
    // SAFETY: checked and promised.
    unsafe { broadcast_bytes(&call, root, len, false) };
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn set_fcollect<T>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    nelems: usize,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    psync: *mut c_long,
) {
    let rt = state::up(routine);
    // SAFETY: passed on to the caller.
    let g = unsafe { Group::of_set(rt, routine, (start, log_stride, size), psync, None) };
    // SAFETY: checked in there and promised.
    unsafe { fcollect_in(rt, routine, g, dest as usize, source as usize, bytes_of::<T>(nelems)) };
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn set_collect<T>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    nelems: usize,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    psync: *mut c_long,
) {
    let rt = state::up(routine);
    // SAFETY: passed on to the caller.
    let g = unsafe { Group::of_set(rt, routine, (start, log_stride, size), psync, None) };
    // SAFETY: checked in there and promised.
    unsafe { collect_bytes(rt, routine, g, dest as usize, source as usize, bytes_of::<T>(nelems)) };
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn set_alltoall<T: Copy>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    nelems: usize,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    psync: *mut c_long,
) {
    let rt = state::up(routine);
    // SAFETY: passed on to the caller.
    let g = unsafe { Group::of_set(rt, routine, (start, log_stride, size), psync, None) };
    // SAFETY: checked in there and promised.
    unsafe { alltoall_in::<T>(rt, routine, g, dest as usize, source as usize, [1, 1], nelems) };
}

/// # Safety
/// What C promises of dest and source.
pub(crate) unsafe fn set_alltoalls<T: Copy>(
    routine: &'static str,
    dest: *mut T,
    source: *const T,
    dst: isize,
    sst: isize,
    nelems: usize,
    start: c_int,
    log_stride: c_int,
    size: c_int,
    psync: *mut c_long,
) {
    let rt = state::up(routine);
    // SAFETY: passed on to the caller.
    let g = unsafe { Group::of_set(rt, routine, (start, log_stride, size), psync, None) };
    // SAFETY: checked in there and promised.
    unsafe { alltoall_in::<T>(rt, routine, g, dest as usize, source as usize, [dst, sst], nelems) };
}
