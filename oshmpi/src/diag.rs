//! What users read: one line per problem, `oshmpi[PE]: routine: what was found, what was expected, what to do`.

use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, Ordering};
use std::fmt::Display;
use std::io::Write;

/// This process's PE number for messages; negative while unknown.
static PE: AtomicI32 = AtomicI32::new(-1);
/// Something fatal was said.
static FATAL: AtomicBool = AtomicBool::new(false);
/// How to end the whole job with a status, once there is a job.
static END_JOB: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());

/// Names the PE in all messages from now on, and says how the job is ended when a message is fatal.
pub(crate) fn attach(pe: u32, end_job: fn(i32) -> !) {
    PE.store(pe as i32, Ordering::Relaxed);
    END_JOB.store(end_job as *mut (), Ordering::Release); // SYNC end-job: who ends the job finds what was made before
}

/// Writes one line to standard error in a single write, so that lines of several PEs do not mix.
pub(crate) fn say(text: impl Display) {
    let line = match PE.load(Ordering::Relaxed) {
        pe if pe >= 0 => format!("oshmpi[{pe}]: {text}\n"),
        _ => format!("oshmpi: {text}\n"),
    };
    // Nothing can be done about a closed standard error.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Says what went wrong in `routine` and ends the job with status 1.
#[cold]
#[inline(never)]
pub(crate) fn fatal(routine: &str, problem: impl Display) -> ! {
    // One line per process: other threads that stumble meanwhile wait for the end.
    if FATAL.swap(true, Ordering::Relaxed) {
        std::thread::sleep(core::time::Duration::from_secs(10));
    }
    say(format_args!("{routine}: {problem}"));
    end_job(1)
}

/// The same where the other PEs most likely find the same: PE 0 says it and ends the job, the others speak when it does not.
#[cold]
pub(crate) fn fatal_alike(routine: &str, problem: impl Display) -> ! {
    if PE.load(Ordering::Relaxed) > 0 {
        std::thread::sleep(core::time::Duration::from_millis(500));
    }
    fatal(routine, problem)
}

/// Ends the job with a status: every PE, from any thread. Buffered output of this PE is written first.
pub(crate) fn end_job(status: i32) -> ! {
    let end = END_JOB.load(Ordering::Acquire); // SYNC end-job: pairs with attach
    if end.is_null() {
        crate::os::process::flush_stdio();
        crate::os::process::drain_output();
        crate::os::process::ask_launcher_to_end(status);
        crate::os::process::end_now(status);
    }
    // SAFETY: only `attach` stores here, and only functions of this type.
    let end = unsafe { core::mem::transmute::<*mut (), fn(i32) -> !>(end) };
    end(status)
}

/// A rule of ours is broken: not the user's fault.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|info| {
        say(format_args!("internal error: {info} (this is a bug in oshmpi)"));
        end_job(1)
    }));
}
