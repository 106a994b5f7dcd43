//! shmem_pe_accessible, shmem_addr_accessible and shmem_ptr.

use crate::memory::addr::Pe;
use crate::memory::translate::{self, Reach};
use crate::state::{self, Runtime};
use core::ffi::{c_int, c_void};

fn world(rt: &Runtime, pe: c_int) -> Option<Pe> {
    u32::try_from(pe).ok().filter(|&pe| pe < rt.n_pes).map(Pe)
}

/// Whether `pe` is a PE of the job, as 1 or 0. Any number is allowed.
pub(crate) fn pe_accessible(routine: &str, pe: c_int) -> c_int {
    c_int::from(world(state::up(routine), pe).is_some())
}

/// Whether `addr` is symmetric and `pe`'s copy can be reached, as 1 or 0. Any address is allowed.
pub(crate) fn addr_accessible(routine: &str, addr: *const c_void, pe: c_int) -> c_int {
    let rt = state::up(routine);
    let found = world(rt, pe).zip(rt.segments.find(addr as usize, 1));
    c_int::from(found.is_some_and(|(pe, range)| rt.shares(range.seg, pe)))
}

/// A pointer for loads and stores on `pe`'s copy of `dest`; null if that copy is not mapped here, or lies on a device.
pub(crate) fn ptr(routine: &str, dest: *const c_void, pe: c_int) -> *mut c_void {
    let rt = state::up(routine);
    let null = core::ptr::null_mut();
    let (Some(pe), Some(range)) = (world(rt, pe), rt.segments.find(dest as usize, 1)) else {
        return null;
    };
    if pe == rt.pe {
        return dest.cast_mut();
    }
    match (rt.segments.reach(range.seg), rt.node.places.local(pe)) {
        (Reach::Mapped, Some(slot)) if range.seg.device().is_none() => {
            translate::mapped(&rt.node, range, pe, slot).map_or(null, |at| at as *mut c_void)
        }
        _ => null,
    }
}
