//! The node's store, read where it lies.

use super::SHARED;
use crate::fd;
use crate::kvs::View;
use std::env;
use std::os::fd::RawFd;

/// Opens the store that the launcher has left in the environment. `None`: there is none, or its descriptors are closed
/// or somebody else's by now (the process is not the one that the launcher started); the server answers then.
pub(super) fn store() -> Option<View> {
    let text = env::var(SHARED).ok()?;
    let (fds, id) = text.split_once(':')?;
    // Copies that programs started from here do not inherit; the originals stay for other clients of this process.
    let mut fds = fds.split(',').map(|fd| fd.parse::<RawFd>().ok().and_then(|fd| fd::copy(fd).ok()));
    let view = View::open(fds.next()??, fds.next().flatten()).ok()?;
    (Some(view.id()) == u128::from_str_radix(id, 16).ok()).then_some(view)
}
