//! fence, quiet and pe_quiet. On the node every operation is complete at its target when its call returns; what is left
//! is that others see it, together with plain stores. What goes to other nodes is completed by its context's ledger.

use super::{polling, stats};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::local::Source;
use crate::memory::translate::FAST;
use crate::mpi::MpiError;
use crate::state::{self, Runtime};
use crate::sync::ledger::Ledger;
use crate::sync::order::{fence_puts, quiet_puts};
use crate::transport::statics_window;
use core::ffi::c_int;

/// The ledger of a context that lives.
pub(super) fn ledger(rt: &'static Runtime, ctx: Ctx) -> Option<&'static Ledger> {
    match ctx {
        Ctx::DEFAULT => rt.remote.as_ref().map(|remote| remote.ledger()),
        _ => rt.contexts.find(ctx).map(|c| c.ledger()),
    }
}

/// The ledger of a context that lives, if there can be anything in it.
pub(super) fn ledger_in_use(rt: &'static Runtime, ctx: Ctx) -> Option<&'static Ledger> {
    match ctx {
        Ctx::DEFAULT => rt.remote.as_ref().map(|remote| remote.ledger()),
        _ => rt.contexts.find(ctx).and_then(|c| c.ledger_in_use()),
    }
}

/// An operation that cannot be completed has no way to say so to the program.
pub(super) fn completed(routine: &str, result: Result<(), MpiError>) {
    if let Err(e) = result {
        fatal(routine, format_args!("cannot complete operations to other nodes: {e}"));
    }
}

/// Orders what this thread has written, per destination.
#[inline]
pub(crate) fn fence(routine: &'static str, ctx: Ctx) {
    if ctx == Ctx::DEFAULT && FAST.orders_at_once() {
        return fence_puts();
    }
    fence_slow(routine, ctx);
}

#[cold]
fn fence_slow(routine: &'static str, ctx: Ctx) {
    polling::ordered();
    if ctx == Ctx::DEFAULT && FAST.complete_at_once() {
        return fence_puts();
    }
    let rt = state::up(routine);
    if ctx == Ctx::INVALID {
        return; // the standard makes it a no-op
    }
    let _alone = args::ctx(routine, ctx);
    fence_puts();
    if let Some(remote) = &rt.remote
        && let Some(ledger) = ledger_in_use(rt, ctx)
    {
        // PEs of this node are also written to by plain stores, which look at no ledger.
        completed(routine, remote.fence(ledger, |pe| rt.node.places.local(pe).is_some()));
    }
    serve(rt);
}

/// Everything issued on the context is done and visible to all PEs.
#[inline]
pub(crate) fn quiet(routine: &'static str, ctx: Ctx) {
    if ctx == Ctx::DEFAULT && FAST.orders_at_once() {
        return quiet_puts();
    }
    quiet_slow(routine, ctx);
}

#[cold]
fn quiet_slow(routine: &'static str, ctx: Ctx) {
    polling::ordered();
    if ctx == Ctx::DEFAULT && FAST.complete_at_once() {
        return quiet_puts();
    }
    let rt = state::up(routine);
    if ctx == Ctx::INVALID {
        return; // the standard makes it a no-op
    }
    let _alone = args::ctx(routine, ctx);
    quiet_remote(rt, routine, ctx);
    quiet_puts();
    serve(rt);
}

/// Serves peers where no thread does, in a call that has nobody to wait for: a program may wait for others with such
/// calls alone.
pub(super) fn serve(rt: &Runtime) {
    if let Some(remote) = &rt.remote {
        remote.serve_if_nobody_does();
    }
    statics_window::poll();
}

/// Completes what a context has under way to other nodes.
#[inline]
pub(super) fn quiet_remote(rt: &'static Runtime, routine: &str, ctx: Ctx) {
    if let Some(remote) = &rt.remote
        && let Some(ledger) = ledger_in_use(rt, ctx)
    {
        let (issued, flushes) = (stats::issued(rt, ctx), remote.flushes());
        completed(routine, remote.quiet(ledger));
        if remote.flushes() != flushes {
            rt.contexts.set_completed(ctx, issued);
        }
    }
}

/// Completes what a context has under way to the listed PEs: an array of their numbers.
pub(crate) fn pe_quiet(routine: &'static str, ctx: Ctx, target_pes: Source) {
    let rt = state::up(routine);
    if ctx == Ctx::INVALID {
        return;
    }
    polling::ordered();
    let _alone = args::ctx(routine, ctx);
    let npes = target_pes.len() / size_of::<c_int>();
    if npes > 0 && target_pes.address() == 0 {
        fatal(routine, format_args!("target_pes is null, with npes {npes}"));
    }
    for i in 0..npes {
        // SAFETY: i is below the number of elements of the source, which is not null here and can be read.
        let pe = unsafe { target_pes.at().cast::<c_int>().add(i).read_unaligned() };
        let pe = args::pe(rt, routine, args::world_pe(routine, ctx, pe));
        if let Some(remote) = &rt.remote
            && let Some(ledger) = ledger_in_use(rt, ctx)
        {
            completed(routine, remote.quiet_pe(ledger, pe));
        }
    }
    quiet_puts(); // on the node a full quiet costs no more
    serve(rt);
}

/// Completes everything on all contexts.
pub(crate) fn quiet_all(rt: &Runtime) {
    if let Some(remote) = &rt.remote {
        completed("shmem_finalize", remote.quiet_all());
    }
    quiet_puts();
}
