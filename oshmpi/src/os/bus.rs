//! SIGBUS while MPI starts. MPI keeps memory in files. If their file system is full, the first access to a page ends
//! the process without a word.

use super::network;
use super::process;
use core::ffi::c_int;
use nix::sys::signal::Signal;
use pmi_shm::limits::{Room, SHARED_MEMORY};
use std::io::Write;
use std::sync::OnceLock;

/// The name of this host: a signal handler cannot ask for it.
static HOST: OnceLock<String> = OnceLock::new();

/// While this value lives, a SIGBUS is followed by a line, and ends the process as before.
pub(crate) struct Explained {
    caught: bool,
}

pub(crate) fn explained() -> Explained {
    HOST.get_or_init(|| String::from_utf8_lossy(&network::host_name()).into_owned());
    Explained { caught: process::catch(Signal::SIGBUS, explain) }
}

impl Drop for Explained {
    fn drop(&mut self) {
        if self.caught {
            process::uncatch(Signal::SIGBUS);
        }
    }
}

/// The access is repeated when this returns, and ends the process.
extern "C" fn explain(_: c_int) {
    process::uncatch(Signal::SIGBUS);
    let Some(room) = Room::of(SHARED_MEMORY) else { return };
    let mut line = [0; 256];
    let mut rest = &mut line[..];
    let host = HOST.get().map_or("", String::as_str);
    let _ = writeln!(rest, "oshmpi: MPI_Init: no memory for a shared file on host {host}: {room}");
    let unused = rest.len();
    process::write_error(&line[..line.len() - unused]);
}
