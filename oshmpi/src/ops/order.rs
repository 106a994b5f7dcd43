//! fence, quiet and pe_quiet. On the node every operation is complete at its target when its call returns; what is left
//! is that others see it, together with plain stores.

use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::state::{self, Runtime};
use core::ffi::c_int;
use core::sync::atomic::{Ordering, fence as cpu_fence};

/// Orders what this thread has written, per destination.
pub(crate) fn fence(routine: &'static str, ctx: Ctx) {
    if ctx == Ctx::INVALID {
        return; // the standard makes it a no-op
    }
    let _alone = args::ctx(routine, ctx);
    let _ = state::my_pe(routine); // for the complaint when the library is not up
    cpu_fence(Ordering::Release);
}

/// Everything issued on the context is done and visible to all PEs.
pub(crate) fn quiet(routine: &'static str, ctx: Ctx) {
    if ctx == Ctx::INVALID {
        return; // the standard makes it a no-op
    }
    let _alone = args::ctx(routine, ctx);
    let _ = state::my_pe(routine);
    cpu_fence(Ordering::SeqCst);
}

/// The same for the listed PEs only: a full quiet costs no more on the node.
///
/// # Safety
/// The C caller promises `npes` readable numbers.
pub(crate) unsafe fn pe_quiet(routine: &'static str, ctx: Ctx, target_pes: *const c_int, npes: usize) {
    if ctx == Ctx::INVALID {
        return;
    }
    let rt = state::up(routine);
    let _alone = args::ctx(routine, ctx);
    if npes > 0 && target_pes.is_null() {
        fatal(routine, format_args!("target_pes is null, with npes {npes}"));
    }
    for i in 0..npes {
        // SAFETY: the caller's array has npes elements.
        let pe = unsafe { target_pes.add(i).read() };
        args::pe(rt, routine, args::world_pe(routine, ctx, pe));
    }
    cpu_fence(Ordering::SeqCst);
}

/// Completes everything on all contexts.
pub(crate) fn quiet_all(_: &Runtime) {
    cpu_fence(Ordering::SeqCst);
}
