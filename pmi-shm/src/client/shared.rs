//! The node's store, opened from what the launcher has left in the environment.

use super::SHARED;
use crate::fd;
use crate::kvs::View;
use std::env;
use std::os::fd::RawFd;

/// Opens the node's store. `None`: there is none, or its descriptors are closed or used for something else by now,
/// because the launcher has not started this process itself. Then the server answers.
pub(super) fn store() -> Option<View> {
    let text = env::var(SHARED).ok()?;
    let (fds, id) = text.split_once(':')?;
    // Programs that this process starts do not inherit the copies. The originals stay for other clients in this
    // process.
    let mut fds = fds.split(',').map(|fd| fd.parse::<RawFd>().ok().and_then(|fd| fd::copy(fd).ok()));
    let view = View::open(fds.next()??, fds.next()??).ok()?;
    (Some(view.id()) == u128::from_str_radix(id, 16).ok()).then_some(view)
}
