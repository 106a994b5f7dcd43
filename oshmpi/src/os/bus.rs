//! SIGBUS while MPI starts. MPI keeps memory in files. If their file system is full, the first access to a page ends
//! the process without a word.

use super::network;
use super::process;
use core::ffi::c_int;
use core::ptr::fn_addr_eq;
use core::sync::atomic::{AtomicBool, Ordering};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal};
use pmi_shm::limits::{Room, SHARED_MEMORY};
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The name of this host: a signal handler cannot ask for it.
static HOST: OnceLock<String> = OnceLock::new();

/// What a SIGBUS did before: UCX has a handler, which tells where it happened, but not why. It is kept, because UCX may
/// be loaded while MPI starts: at a SIGBUS, its handler gives back the one that it has found.
static BEFORE: Mutex<Option<SigAction>> = Mutex::new(None);

/// MPI starts.
static STARTS: AtomicBool = AtomicBool::new(false);

/// While this value lives, a line about a file system without room comes before the effect of a SIGBUS.
pub(crate) struct Explained(());

pub(crate) fn explained() -> Explained {
    HOST.get_or_init(|| String::from_utf8_lossy(&network::host_name()).into_owned());
    let own = SigAction::new(SigHandler::Handler(HANDLER), SaFlags::SA_RESTART, SigSet::empty());
    *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = process::swap(Signal::SIGBUS, &own);
    STARTS.store(true, Ordering::Relaxed); // for this thread
    Explained(())
}

impl Drop for Explained {
    fn drop(&mut self) {
        STARTS.store(false, Ordering::Relaxed);
        restore();
    }
}

/// Gives SIGBUS the effect that it had, unless somebody has set another one meanwhile. The lock is free when the
/// handler comes: MPI, whose accesses it is about, does not run while this module holds it.
fn restore() {
    let Some(before) = BEFORE.try_lock().ok().and_then(|before| *before) else { return };
    let now = process::swap(Signal::SIGBUS, &before);
    let ours = |now: &SigAction| matches!(now.handler(), SigHandler::Handler(f) if fn_addr_eq(f, HANDLER));
    if let Some(others) = now.filter(|now| !ours(now)) {
        process::swap(Signal::SIGBUS, &others);
    }
}

const HANDLER: extern "C" fn(c_int) = explain;

/// The access is repeated when this returns, and has the effect that it had before.
extern "C" fn explain(_: c_int) {
    restore();
    if !STARTS.load(Ordering::Relaxed) {
        return;
    }
    let Some(room) = Room::of(SHARED_MEMORY).filter(Room::is_short) else { return };
    let mut line = [0; 256];
    let mut rest = &mut line[..];
    let host = HOST.get().map_or("", String::as_str);
    let _ = writeln!(rest, "oshmpi: MPI_Init: no memory for a shared file on host {host}: {room}");
    let unused = rest.len();
    process::write_error(&line[..line.len() - unused]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU32;
    use nix::sys::signal::raise;

    static FOREIGN: AtomicU32 = AtomicU32::new(0);

    extern "C" fn foreign(_: c_int) {
        FOREIGN.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn a_handler_of_others_comes_after_the_line_and_stays() {
        let theirs = SigAction::new(SigHandler::Handler(foreign), SaFlags::empty(), SigSet::empty());
        let before = process::swap(Signal::SIGBUS, &theirs).unwrap();
        let raised = || {
            raise(Signal::SIGBUS).unwrap();
            FOREIGN.load(Ordering::Relaxed)
        };
        let explained = explained();
        assert_eq!([raised(), raised()], [0, 1], "the line, then what was there");
        drop(explained);
        assert_eq!(raised(), 2);
        process::swap(Signal::SIGBUS, &before);
        let explained = super::explained();
        process::swap(Signal::SIGBUS, &theirs);
        drop(explained);
        assert_eq!(raised(), 3, "one that was set meanwhile");
        let explained = super::explained();
        let found = process::swap(Signal::SIGBUS, &before).unwrap();
        drop(explained);
        process::swap(Signal::SIGBUS, &found);
        assert_eq!([raised(), raised()], [3, 4], "what was there, when one that was set meanwhile gives back this one");
        process::swap(Signal::SIGBUS, &before);
    }
}
