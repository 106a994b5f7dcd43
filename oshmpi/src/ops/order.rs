//! fence, quiet and pe_quiet. On the node every operation is complete at its target when its call returns, so only
//! memory fences are needed. Operations to other nodes are completed by the ledger of their context.

use super::{polling, stats};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::memory::local::Source;
use crate::memory::translate::FAST;
use crate::net::NetError;
use crate::state::{self, Runtime};
use crate::sync::ledger::Ledger;
use crate::sync::order::{fence_puts, quiet_puts};
use core::ffi::c_int;

/// The ledger of an existing context. None for another handle, and for the default context of a job on one node.
pub(super) fn ledger(rt: &'static Runtime, ctx: Ctx) -> Option<&'static Ledger> {
    match ctx {
        Ctx::DEFAULT => rt.remote.as_ref().map(|remote| remote.ledger()),
        _ => rt.contexts.ledger(ctx),
    }
}

/// The ledger of an existing context, if it can have entries.
pub(super) fn ledger_in_use(rt: &'static Runtime, ctx: Ctx) -> Option<&'static Ledger> {
    match ctx {
        Ctx::DEFAULT => rt.remote.as_ref().map(|remote| remote.ledger()),
        _ => rt.contexts.find(ctx).and_then(|c| c.ledger_in_use()),
    }
}

/// Ends the job after an error: ordering routines have no return value.
pub(super) fn completed(routine: &str, result: Result<(), NetError>) {
    if let Err(e) = result {
        fatal(routine, format_args!("cannot complete operations to other nodes: {e}"));
    }
}

/// Orders the earlier operations of the context and stores of this thread before later ones, for each target PE.
#[inline]
pub(crate) fn fence(routine: &'static str, ctx: Ctx) {
    if ctx == Ctx::DEFAULT && FAST.orders_at_once() {
        return fence_puts();
    }
    slow(routine, ctx, fence_puts, fence_remote);
}

/// Returns when all operations of the context are complete and visible to all PEs.
#[inline]
pub(crate) fn quiet(routine: &'static str, ctx: Ctx) {
    if ctx == Ctx::DEFAULT && FAST.orders_at_once() {
        return quiet_puts();
    }
    slow(routine, ctx, quiet_puts, quiet_remote);
}

/// A fence or a quiet: `fence` is that of the processor, and `remote` does what is to be done for other nodes.
#[cold]
fn slow(routine: &'static str, ctx: Ctx, fence: fn(), remote: fn(&'static Runtime, &str, Ctx)) {
    polling::ordered();
    if ctx == Ctx::DEFAULT && FAST.complete_at_once() {
        return fence();
    }
    let rt = state::up(routine);
    if ctx == Ctx::INVALID {
        return; // the standard makes it a no-op
    }
    let _alone = args::ctx(routine, ctx);
    remote(rt, routine, ctx);
    fence(); // after that, so that later stores are ordered behind what was completed
    serve(rt);
}

/// Orders the operations of a context to other nodes.
fn fence_remote(rt: &'static Runtime, routine: &str, ctx: Ctx) {
    if let Some(remote) = &rt.remote
        && let Some(ledger) = ledger_in_use(rt, ctx)
    {
        // PEs of this node are also written to by plain stores, which do not consult the ledger.
        completed(routine, remote.fence(ledger, |pe| rt.node.places.local(pe).is_some()));
    }
}

/// Serves peers of other nodes if there is no progress thread. For calls that do not wait, because a program may poll
/// with such calls alone.
pub(super) fn serve(rt: &Runtime) {
    if let Some(remote) = &rt.remote {
        remote.serve_if_nobody_does();
    }
}

/// Completes the operations of a context to other nodes.
#[inline]
pub(super) fn quiet_remote(rt: &'static Runtime, routine: &str, ctx: Ctx) {
    if let Some(remote) = &rt.remote
        && let Some(ledger) = ledger_in_use(rt, ctx)
    {
        let issued = stats::issued(rt, ctx);
        completed(routine, remote.quiet(ledger));
        rt.contexts.set_completed(ctx, issued);
    }
}

/// Completes the operations of a context to the PEs listed in `target_pes`, an array of `int` numbers of the context's
/// team.
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

/// Completes the operations of all contexts.
pub(crate) fn quiet_all(rt: &Runtime) {
    if let Some(remote) = &rt.remote {
        completed("shmem_finalize", remote.quiet_all());
    }
    quiet_puts();
}
