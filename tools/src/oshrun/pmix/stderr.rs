//! What the library says on standard error, kept until it is known whether anybody wants it.
//!
//! When a process is killed the library complains about its connection. But the user wants one line, which names the process. So
//! what the library says is shown at the end of a job that has not failed, and never of one that has.

use super::server::SETTINGS;
use crate::plan::Plan;
use crate::sys;
use anyhow::{Context, Result};
use nix::fcntl::OFlag;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd, OwnedFd};

/// This process' standard error goes into a pipe.
pub struct CapturedStderr {
    /// Where it went before.
    real: BorrowedFd<'static>,
    said: OwnedFd,
}

impl CapturedStderr {
    /// None: the user has changed settings of the library and wants to see what comes.
    pub fn new(plan: &Plan) -> Result<Option<CapturedStderr>> {
        if plan.env.iter().any(|(name, _)| name.starts_with(SETTINGS.as_bytes())) {
            return Ok(None);
        }
        let real = std::io::stderr().as_fd().try_clone_to_owned().context("cannot copy standard error")?;
        // What does not fit is lost: nobody waits for its reader.
        let flags = OFlag::O_CLOEXEC | OFlag::O_NONBLOCK;
        let (said, write) = nix::unistd::pipe2(flags).context("cannot make a pipe")?;
        nix::unistd::dup2_stderr(&write).context("cannot replace standard error")?;
        // SAFETY: it is never closed.
        let real = unsafe { BorrowedFd::borrow_raw(real.into_raw_fd()) };
        // Our own last words are for the user.
        std::panic::set_hook(Box::new(move |panic| {
            let _ = sys::write(real, format!("oshrun: {panic}\n").as_bytes());
        }));
        Ok(Some(CapturedStderr { real, said }))
    }

    /// Standard error as it was.
    pub fn real(&self) -> BorrowedFd<'static> {
        self.real
    }

    /// What has been said.
    pub fn take(&self) -> Vec<u8> {
        let mut buffer = vec![0; libc::PIPE_BUF];
        let mut all = Vec::new();
        while let Some(n) = sys::read(self.said.as_fd(), &mut buffer).filter(|&n| n > 0) {
            all.extend_from_slice(&buffer[..n]);
        }
        all
    }
}
