//! The end of the job with a status: by this PE, or because another PE of the node has announced it.

use super::session;
use crate::os::process;
use crate::{mpi, state};
use core::sync::atomic::{AtomicBool, Ordering};

/// The PE that ends the job waits this many steps for the other PEs to notice the end and write out their streams. Then
/// it has them killed. Fewer steps lose output of PEs that compute for longer; more steps delay the end.
const GRACE_STEPS: u32 = 250;
const GRACE_STEP_MICROS: u64 = 1000;

/// This process is ending.
static UNDER_WAY: AtomicBool = AtomicBool::new(false);

/// Whether the job is being ended by a status. Exit handlers have nothing to do then.
pub(crate) fn under_way() -> bool {
    UNDER_WAY.load(Ordering::Relaxed) // one word, nothing behind it
}

/// Ends the job with `status`; one PE suffices. PEs of the node that wait notice it and leave. The streams of this PE
/// are written out. The launcher is told and kills the rest.
pub(crate) fn end_job(status: i32) -> ! {
    if state::is_child() {
        process::end_now(status); // a child ends alone, and does not write the PE's buffered output
    }
    // The system keeps only the last byte of a status, so some launchers would take 256 for success.
    let status = if status & 0xff == 0 && status != 0 { 1 } else { status };
    if UNDER_WAY.swap(true, Ordering::Relaxed) {
        process::sleep_micros(10_000_000); // another thread ends the job
    }
    let made = state::made();
    if let Some(rt) = made {
        let _ = rt.node.announce_end(status); // the first one's status counts
    }
    process::flush_stdio();
    if let Some(rt) = made {
        // PEs that wait in the library notice the end within one sleep. The launcher ends the PEs that compute.
        rt.node.end_seen().fetch_add(1, Ordering::Relaxed);
        for _ in 0..GRACE_STEPS {
            if rt.node.end_seen().load(Ordering::Relaxed) >= rt.node.shape.n as u32 {
                break;
            }
            process::sleep_micros(GRACE_STEP_MICROS);
        }
    }
    process::drain_output();
    if session::abort(status) {
        process::sleep_micros(10_000_000); // the launcher kills this process within moments
    } else if mpi::usable() {
        mpi::life::abort(status);
    }
    process::end_now(status)
}

/// Announces to the node that the job ends with `status`, before this PE says why. If another PE of the node has done
/// so before, that one says why, and this PE leaves.
pub(crate) fn announce_end(status: i32) {
    if let Some(rt) = state::made()
        && !state::is_child()
        && !rt.node.announce_end(status)
    {
        leave_if_ending();
    }
}

/// Called by every waiting PE between two polls. If the job is ending, writes out this PE's streams and waits for the
/// launcher to end the process.
pub(crate) fn leave_if_ending() {
    let Some(rt) = state::made() else { return };
    let Some(status) = rt.node.ending() else { return };
    if !UNDER_WAY.swap(true, Ordering::Relaxed) {
        process::flush_stdio();
        rt.node.end_seen().fetch_add(1, Ordering::Relaxed);
    }
    // The launcher kills this process within moments. Without a launcher the process ends by itself.
    process::sleep_micros(2_000_000);
    process::end_now(status)
}
