//! What users read: one line per problem, `oshmpi[PE]: routine: what was found, what was expected, what to do`.

pub(crate) mod frames;
pub(crate) mod symbols;

use crate::hooks;
use crate::os::process;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, Ordering};
use std::fmt::Display;
use std::io::Write;
use std::sync::OnceLock;
use symbols::Symbols;

/// This process's PE number for messages; negative while unknown.
static PE: AtomicI32 = AtomicI32::new(-1);
/// A fatal mistake was reported.
static FATAL: AtomicBool = AtomicBool::new(false);

/// The first PE of another host whose process is known to have ended without `shmem_finalize`.
static GONE: OnceLock<String> = OnceLock::new();

/// What follows a fatal mistake, as a number of [`Then`].
static THEN: AtomicU8 = AtomicU8::new(Then::End as u8);

/// What follows when a mistake was reported.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Then {
    /// The job is ended.
    End,
    /// The calls of this thread are printed, and the job is ended.
    Backtrace,
    Abort,
}

/// Sets what follows a mistake.
pub(crate) fn set_then(then: Then) {
    THEN.store(then as u8, Ordering::Relaxed);
}

/// Notes that the process of `name`, a PE of another host, has ended without `shmem_finalize`. What MPI says of its
/// calls from now on is most likely a consequence, so a fatal mistake is followed by a line about that PE.
pub(crate) fn is_gone(name: &str) {
    let _ = GONE.set(name.to_owned()); // the first one is the cause
}

/// Names the PE in all messages from now on.
pub(crate) fn attach(pe: u32) {
    PE.store(pe as i32, Ordering::Relaxed);
}

/// Writes one line to standard error in a single write, so that lines of several PEs do not mix.
pub(crate) fn print(text: impl Display) {
    let line = line(PE.load(Ordering::Relaxed), text);
    // Nothing can be done about a closed standard error.
    let _ = std::io::stderr().write_all(line.as_bytes());
}

fn line(pe: i32, text: impl Display) -> String {
    let text = text.to_string();
    debug_assert!(!text.starts_with("oshmpi"), "the prefix would stand there twice: {text}");
    if pe >= 0 { format!("oshmpi[{pe}]: {text}\n") } else { format!("oshmpi: {text}\n") }
}

/// Says that this PE leaves by `_exit`, by system calls only.
pub(crate) fn left_at_once(status: i32) {
    let mut line = [0; 128];
    let mut rest = &mut line[..];
    let _ = writeln!(
        rest,
        "oshmpi[{}]: _exit({status}): the program ends without shmem_finalize",
        PE.load(Ordering::Relaxed)
    );
    let unused = rest.len();
    process::write_error(&line[..line.len() - unused]);
}

/// Prints what went wrong in `routine` and ends the job with status 1.
#[cold]
#[inline(never)]
pub(crate) fn fatal(routine: &str, problem: impl Display) -> ! {
    end_with(routine, format_args!("{routine}: {problem}"))
}

/// Prints what went wrong in no routine of the program, such as in a thread of the library, and ends the job with
/// status 1.
#[cold]
#[inline(never)]
pub(crate) fn broken(problem: impl Display) -> ! {
    end_with("the library", problem)
}

fn end_with(routine: &str, line: impl Display) -> ! {
    // One line per process: another thread that finds a mistake meanwhile waits for the end.
    if FATAL.swap(true, Ordering::Relaxed) {
        std::thread::sleep(core::time::Duration::from_secs(10));
    }
    print(line);
    if let Some(cause) = likely_cause(routine, GONE.get()) {
        print(cause);
    }
    let then = THEN.load(Ordering::Relaxed);
    if then == Then::Backtrace as u8 {
        print(format_args!("backtrace: in {routine}\n{}", backtrace().join("\n")));
    }
    if then == Then::Abort as u8 {
        process::flush_stdio();
        std::process::abort();
    }
    end_job(1)
}

/// The line about a PE that is gone; None if the mistake, told by `routine`, is that PE's end itself.
fn likely_cause(routine: &str, gone: Option<&String>) -> Option<String> {
    gone.filter(|gone| *gone != routine).map(|gone| format!("{gone}: its process has ended before shmem_finalize"))
}

/// The calls that this thread is in, the innermost first, a line for each.
fn backtrace() -> Vec<String> {
    let (mut frames, mut symbols, pid) = ([0; 64], Symbols::default(), process::pid());
    let n = frames::of_this_thread(&mut frames);
    // Rust mangles the names of this library's functions in one of two ways.
    let rust = |name: &str| name.starts_with("_ZN6oshmpi") || name.starts_with("_R") && name.contains("6oshmpi");
    let ours = |name: String| rust(&name) || public_name(&name).is_some();
    let inside = frames[..n].iter().rposition(|&at| symbols.function(pid, at).is_some_and(ours));
    let program = &frames[inside.map_or(0, |last| last + 1)..n];
    program.iter().map(|&at| format!("  called {}", symbols.place(pid, at))).collect()
}

/// The name by which programs know a routine, if a symbol is a routine of the library.
pub(crate) fn public_name(symbol: &str) -> Option<String> {
    const OLD: [&str; 6] = ["start_pes", "shmalloc", "shfree", "shrealloc", "shmemalign", "shp"];
    let symbol = symbol.strip_prefix("oshmpi_ilp64_").unwrap_or(symbol);
    let name = symbol.strip_prefix('p').filter(|rest| rest.starts_with("sh") || *rest == "start_pes").unwrap_or(symbol);
    let known = ["shmem_", "shmemx_"].iter().any(|start| name.starts_with(start))
        || OLD.iter().any(|old| name.starts_with(old));
    let known = known || ["MPI_Init", "MPI_Init_thread", "MPI_Finalize"].contains(&name);
    // Fortran's names end in underscores.
    known.then(|| name.trim_end_matches('_').to_owned())
}

/// Reports a mistake that the other PEs most likely find too: PE 0 prints the line and ends the job. Another PE prints
/// it only if PE 0 does not.
#[cold]
pub(crate) fn fatal_alike(routine: &str, problem: impl Display) -> ! {
    fatal_once(routine, PE.load(Ordering::Relaxed) <= 0, problem)
}

/// Reports a mistake that several PEs find: the one that `reports` prints the line and ends the job. If that PE does
/// not, another one does: of a node only one.
#[cold]
pub(crate) fn fatal_once(routine: &str, reports: bool, problem: impl Display) -> ! {
    if !reports {
        std::thread::sleep(core::time::Duration::from_millis(500));
    }
    if let Some(hooks) = hooks::get() {
        (hooks.announce_end)(1);
    }
    fatal(routine, problem)
}

/// Ends the job with a status: every PE, from any thread. Buffered output of this PE is written first.
pub(crate) fn end_job(status: i32) -> ! {
    match hooks::get() {
        Some(hooks) => (hooks.end_job)(status),
        None => {
            // No job is joined yet.
            process::flush_stdio();
            process::drain_output();
            process::ask_launcher_to_end(status);
            process::end_now(status)
        }
    }
}

/// Sets a panic hook: a panic is reported as an error of this library and ends the job.
pub(crate) fn on_panic() {
    std::panic::set_hook(Box::new(|info| {
        print(format_args!("internal error: {info} (this is a bug in oshmpi)"));
        end_job(1)
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prefix_stands_there_once() {
        assert_eq!(line(3, "UCX: put failed"), "oshmpi[3]: UCX: put failed\n");
        assert_eq!(line(-1, "shmem_init: no"), "oshmpi: shmem_init: no\n");
        let twice = std::panic::catch_unwind(|| line(0, "oshmpi: UCX: put failed"));
        assert!(twice.is_err());
    }

    #[test]
    fn a_pe_that_is_gone_is_named_once() {
        let gone = "host b (PE 4)".to_owned();
        let line = likely_cause("shmem_long_put", Some(&gone));
        assert_eq!(line.as_deref(), Some("host b (PE 4): its process has ended before shmem_finalize"));
        assert_eq!(likely_cause(&gone, Some(&gone)), None, "the liveness ring has told it");
        assert_eq!(likely_cause("shmem_long_put", None), None);
    }

    #[test]
    fn routines_have_their_public_names() {
        for (symbol, name) in [
            ("pshmem_barrier_all", Some("shmem_barrier_all")),
            ("shmem_int_p", Some("shmem_int_p")),
            ("pshmem_barrier_all_", Some("shmem_barrier_all")),
            ("oshmpi_ilp64_shmem_quiet", Some("shmem_quiet")),
            ("pstart_pes", Some("start_pes")),
            ("pshmalloc", Some("shmalloc")),
            ("MPI_Finalize", Some("MPI_Finalize")),
            ("main", None),
            ("push", None),
            ("_ZN6oshmpi4sync4wait6Waiter5sleep17h1234E", None),
        ] {
            assert_eq!(public_name(symbol).as_deref(), name, "{symbol}");
        }
    }
}
