//! The node's store, read where it lies.

use super::SHARED;
use crate::kvs::View;
use std::env;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// Opens the store that the launcher has left in the environment. `None`: there is none, or its descriptors are closed
/// or somebody else's by now (the process is not the one that the launcher started); the server answers then.
pub(super) fn store() -> Option<View> {
    let text = env::var(SHARED).ok()?;
    let (fds, id) = text.split_once(':')?;
    let mut fds = fds.split(',').map(|fd| fd.parse::<RawFd>().ok().and_then(copy));
    let view = View::open(fds.next()??, fds.next().flatten()).ok()?;
    (Some(view.id()) == u128::from_str_radix(id, 16).ok()).then_some(view)
}

/// A copy that programs started from here do not inherit; the original stays for other clients of this process.
fn copy(fd: RawFd) -> Option<OwnedFd> {
    // SAFETY: fcntl looks the number up and touches no memory.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 3) };
    // SAFETY: a fresh descriptor that nobody else knows.
    (copy >= 0).then(|| unsafe { OwnedFd::from_raw_fd(copy) })
}
