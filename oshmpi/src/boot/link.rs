//! The launcher's ear: how it learns that this process leaves in good order, or that the job is to end.

use crate::mpi;
use crate::os::process;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::time::Duration;

static LINK: OnceLock<Link> = OnceLock::new();

/// Longest wait for the launcher's answer at the end of the process, when nothing depends on it any more.
const LAST_ANSWER: Duration = Duration::from_secs(2);

struct Link {
    stream: UnixStream,
    /// A forked child shares the descriptor and must not speak for its parent.
    pid: u32,
}

/// Keeps a descriptor of our own to the launcher, to the end of the process.
pub(crate) fn keep(stream: UnixStream) {
    let _ = LINK.set(Link { stream, pid: process::pid() }); // a job is joined once
}

/// Asks the launcher to end the job with `status`; false if it does not listen to us.
pub(crate) fn abort(status: i32) -> bool {
    LINK.get().is_some_and(|link| (&link.stream).write_all(format!("cmd=abort exitcode={status}\n").as_bytes()).is_ok())
}

/// Takes leave of the launcher, without which it takes the end of this process for a failure. Runs after all exit
/// handlers and destructors of the program, in which it may still end MPI; MPI takes leave by itself when it has used the
/// same connection, and then it is closed. While MPI is up the launcher is left to judge as it does for MPI programs.
extern "C" fn take_leave() {
    let Some(link) = LINK.get() else { return };
    if link.pid != process::pid() || mpi::usable() {
        return;
    }
    let mut answer = [0u8; 64];
    // A closed connection is as good as an answer.
    let _ = link.stream.set_read_timeout(Some(LAST_ANSWER));
    let _ = (&link.stream).write_all(b"cmd=finalize\n").and_then(|()| (&link.stream).read(&mut answer));
}

/// Destructors run after all handlers, those registered before shmem_init included.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_THE_VERY_END: extern "C" fn() = take_leave;
