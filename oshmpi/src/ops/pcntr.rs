//! The counters of a context, as programs read them.

use super::{order, stats};
use crate::args;
use crate::ctx::Ctx;
use crate::diag::fatal;
use crate::net::am;
use crate::state::{self, Runtime};
use crate::sync::ledger::Outstanding;

/// The numbers of `shmemx_pcntr_t`, in its order, for an existing context.
fn counted(rt: &'static Runtime, ctx: Ctx) -> [u64; 5] {
    let issued = stats::issued(rt, ctx);
    let under_way = order::ledger_in_use(rt, ctx).map(|ledger| ledger.look().pending());
    let nothing = under_way.is_none_or(|pending| matches!(pending, Outstanding::Nothing));
    if nothing {
        rt.contexts.set_completed(ctx, issued); // noted, so that the number does not get less with the next operation
    }
    let issued = [issued.writes(), issued.reads()];
    let completed = if nothing { issued } else { rt.contexts.completed(ctx) };
    [issued[0], issued[1], completed[0], completed[1], am::written()]
}

/// Writes `to.1` numbers of [`counted`], from number `first` on, to the address `to.0`.
///
/// # Safety
/// `to.1` numbers can be written at `to.0`, unless it is null.
pub(crate) unsafe fn counters(routine: &'static str, ctx: Ctx, arg: &str, first: usize, to: (*mut u64, usize)) {
    let rt = state::up(routine);
    if to.0.is_null() {
        fatal(routine, format_args!("{arg} is null"));
    }
    let _alone = args::ctx(routine, ctx);
    for (i, n) in counted(rt, ctx).into_iter().skip(first).take(to.1).enumerate() {
        // SAFETY: the address is not null, and the caller promises room for the numbers.
        unsafe { to.0.add(i).write_unaligned(n) };
    }
}
