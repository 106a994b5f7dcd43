//! What users read: one line per problem, `oshmpi[PE]: routine: what was found, what was expected, what to do`.

use crate::hooks;
use crate::os::process;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::fmt::Display;
use std::io::Write;

/// This process's PE number for messages; negative while unknown.
static PE: AtomicI32 = AtomicI32::new(-1);
/// Something fatal was said.
static FATAL: AtomicBool = AtomicBool::new(false);

/// Names the PE in all messages from now on.
pub(crate) fn attach(pe: u32) {
    PE.store(pe as i32, Ordering::Relaxed);
}

/// Writes one line to standard error in a single write, so that lines of several PEs do not mix.
pub(crate) fn print(text: impl Display) {
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
    print(format_args!("{routine}: {problem}"));
    end_job(1)
}

/// Says what went wrong where the other PEs most likely find the same: PE 0 says it and ends the job. The other PEs
/// speak when PE 0 does not.
#[cold]
pub(crate) fn fatal_alike(routine: &str, problem: impl Display) -> ! {
    if PE.load(Ordering::Relaxed) > 0 {
        std::thread::sleep(core::time::Duration::from_millis(500));
    }
    fatal(routine, problem)
}

/// Ends the job with a status: every PE, from any thread. Buffered output of this PE is written first.
pub(crate) fn end_job(status: i32) -> ! {
    match hooks::get() {
        Some(hooks) => (hooks.end_job)(status),
        None => {
            // There is no job yet.
            process::flush_stdio();
            process::drain_output();
            process::ask_launcher_to_end(status);
            process::end_now(status)
        }
    }
}

/// Has a panic reported as an error of this library, and the job ended: it is not the user's fault.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|info| {
        print(format_args!("internal error: {info} (this is a bug in oshmpi)"));
        end_job(1)
    }));
}
