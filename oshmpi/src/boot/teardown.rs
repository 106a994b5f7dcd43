//! Ends: everybody with a status, or this process because another said so.

use super::session;
use crate::os::process;
use crate::{mpi, state};
use core::sync::atomic::{AtomicBool, Ordering};

/// How long the PE that ends the job lets others come to the library and write out their streams before it has them
/// killed.
const GRACE_STEPS: u32 = 250;
const GRACE_STEP_MICROS: u64 = 1000;

/// This process is on its way out.
static UNDER_WAY: AtomicBool = AtomicBool::new(false);

/// The job is being ended: exit handlers have nothing to do.
pub(crate) fn under_way() -> bool {
    UNDER_WAY.load(Ordering::Relaxed) // one word, nothing behind it
}

/// Ends the job with `status`, from one PE alone: waiting PEs of the node leave by themselves, streams are written, the
/// launcher is told and kills the rest.
pub(crate) fn end_job(status: i32) -> ! {
    if state::is_child() {
        process::end_now(status); // itself alone, and the PE's buffered output is the PE's
    }
    // The system keeps only the last byte of a status, so some launchers would take 256 for success.
    let status = if status & 0xff == 0 && status != 0 { 1 } else { status };
    if UNDER_WAY.swap(true, Ordering::Relaxed) {
        process::sleep_micros(10_000_000); // another thread is at it
    }
    let made = state::made();
    if let Some(rt) = made {
        rt.node.announce_end(status);
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

/// Called by every waiting PE between two polls: when the job is ending, writes out streams and waits for the launcher.
pub(crate) fn leave_if_ending() {
    let Some(rt) = state::made() else { return };
    let Some(status) = rt.node.ending() else { return };
    if !UNDER_WAY.swap(true, Ordering::Relaxed) {
        process::flush_stdio();
        rt.node.end_seen().fetch_add(1, Ordering::Relaxed);
    }
    // The launcher kills this process within moments. Where none does, it still ends with the status.
    process::sleep_micros(2_000_000);
    process::end_now(status)
}
