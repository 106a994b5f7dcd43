//! Captures the library's output on standard error until it is known whether it is needed.
//!
//! When a process is killed the library complains about its connection. But the user wants one line, which names the
//! process. So the library's output is shown at the end of a job, unless the job has failed.

use super::need::SETTINGS;
use crate::plan::Plan;
use crate::poll;
use anyhow::{Context, Result};
use nix::fcntl::OFlag;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};

/// Standard error of this process, which is a pipe: its reading end.
pub struct CapturedStderr(OwnedFd);

impl CapturedStderr {
    /// Begins to capture. `None`: the user has changed settings of the library and wants to see its output.
    pub fn new(plan: &Plan) -> Result<Option<CapturedStderr>> {
        if plan.env.iter().any(|(name, _)| name.starts_with(SETTINGS.as_bytes())) {
            return Ok(None);
        }
        let real = std::io::stderr().as_fd().try_clone_to_owned().context("cannot copy standard error")?;
        // Output that does not fit into the pipe is lost, so that a write never waits.
        let flags = OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let (said, write) = nix::unistd::pipe2(flags).context("cannot make a pipe")?;
        nix::unistd::dup2_stderr(&write).context("cannot replace standard error")?;
        // SAFETY: the descriptor is never closed.
        let real = unsafe { BorrowedFd::borrow_raw(real.into_raw_fd()) };
        // A panic's message goes to the real standard error.
        std::panic::set_hook(Box::new(move |panic| {
            let _ = poll::write(real, format!("oshrun: {panic}\n").as_bytes());
        }));
        Ok(Some(CapturedStderr(said)))
    }

    pub fn take(&self) -> Vec<u8> {
        let mut buffer = vec![0; libc::PIPE_BUF];
        let mut all = Vec::new();
        while let Some(n) = poll::read(self.0.as_fd(), &mut buffer).filter(|&n| n > 0) {
            all.extend_from_slice(&buffer[..n]);
        }
        all
    }
}
