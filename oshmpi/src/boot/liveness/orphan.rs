//! A PE ends when the process that serves its launcher's connection has been killed.
//!
//! oshrun's node servers end their PEs themselves. A proxy of Hydra that is killed leaves its ranks, which would wait
//! for ever or compute for nobody. If the proxy is the PE's parent, the kernel ends the PE with it. If a script or a
//! debugger is in between, a thread of the PE sleeps until the connection breaks. The end of MPI closes it too, so the
//! thread looks whether the proxy has ended.

use crate::os::{parent, process};
use crate::{diag, mpi, state};
use core::time::Duration;
use pmi_shm::{client, fd};
use std::os::fd::{AsRawFd, OwnedFd};

/// Time between the end of the connection and the end of the PE, and between two looks after that. A launcher that ends
/// the job itself kills the PE within it. A shorter time would end the PE before the launcher reports why.
const GRACE: Duration = Duration::from_secs(1);

/// Begins to watch. Called after static variables have moved, because a thread uses them.
pub(in crate::boot) fn end_with_launcher() {
    if client::is_oshruns() {
        return;
    }
    // A copy: MPI closes the descriptor when it ends, and the number may become another file's.
    let Some(connection) = process::pmi_fd().and_then(|number| fd::copy(number).ok()) else { return };
    let Some(server) = parent::serves(&connection) else { return };
    // The kernel forgets the request when the thread that has made it ends. The first thread stays to the end.
    if parent::is(server) && process::thread_id() as u32 == process::pid() {
        parent::end_together(server);
    } else {
        // Without a thread the PE is not watched.
        let _ = process::quiet_thread("oshmpi-launcher", move || watch(connection, server));
    }
}

/// The program may finalise OpenSHMEM, go on alone and initialise it again. So this does not return when the launcher
/// has ended meanwhile, or while it lives.
fn watch(connection: OwnedFd, server: i32) {
    // A container with PIDs of its own hides it.
    let is_seen = parent::lives(server);
    parent::until_hung_up(connection.as_raw_fd());
    drop(connection);
    loop {
        std::thread::sleep(GRACE);
        if !is_seen && mpi::finalized() {
            return; // nothing tells who has closed the connection
        }
        if state::inits() > 0 && !(is_seen && parent::lives(server)) {
            diag::print("the launcher's process on this host has ended, and has left this PE behind");
            process::kill_self();
        }
    }
}
