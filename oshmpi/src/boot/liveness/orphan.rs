//! A PE ends when the process that serves its launcher's connection has been killed.
//!
//! oshrun's node servers end their PEs themselves. A proxy of Hydra that is killed leaves its ranks, which would wait
//! for ever or compute for nobody. If the proxy is the PE's parent, the kernel ends the PE with it. If a script or a
//! debugger is in between, a thread of the PE sleeps until the connection breaks.

use crate::os::{parent, process};
use crate::{diag, state};
use core::time::Duration;
use pmi_shm::{client, fd};
use std::os::fd::{AsRawFd, OwnedFd};

/// Time between the end of the connection and the end of the PE. A launcher that ends the job itself kills the PE
/// within it. A shorter time would end the PE before the launcher reports why.
const GRACE: Duration = Duration::from_secs(1);

/// Begins to watch. Called after static variables have moved, because a thread uses them.
pub(in crate::boot) fn end_with_launcher() {
    if client::is_oshruns() {
        return;
    }
    // A copy: MPI closes the descriptor when it ends, and the number may become another file's.
    let Some(connection) = process::pmi_fd().and_then(|number| fd::copy(number).ok()) else { return };
    let Some(server) = parent::serves(&connection) else { return };
    if parent::is(server) {
        parent::end_together(server);
    } else {
        // Without a thread the PE is not watched.
        let _ = process::quiet_thread("oshmpi-launcher", move || watch(connection));
    }
}

fn watch(connection: OwnedFd) {
    parent::until_hung_up(connection.as_raw_fd());
    drop(connection);
    std::thread::sleep(GRACE);
    // A program that has finalised OpenSHMEM may go on alone.
    if state::inits() > 0 {
        diag::print("the launcher's process on this host has ended, and has left this PE behind");
        process::kill_self();
    }
}
