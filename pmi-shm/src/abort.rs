//! The call that ends a whole job.

use crate::wire::{self, Request};
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, send};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

/// Ends the job, or tells the launcher something, from any thread and at any time, also while another thread waits for
/// a reply of the same server.
#[derive(Clone)]
pub struct AbortHandle(Way);

/// Takes an exit code and a message.
type Call = dyn Fn(i32, &str) + Send + Sync;

#[derive(Clone)]
enum Way {
    /// A server takes an abort at any time and does not answer it. (An abort that came between two halves of another
    /// message would be lost; but messages are small and written as a whole.)
    Message { fd: Arc<OwnedFd>, frames: bool },
    /// A function of the library that joined the job.
    Call(Arc<Call>),
}

impl AbortHandle {
    /// Over a connection to a server: in PMI-2 frames, or with a PMI-1 line.
    pub(crate) fn by_message(fd: Arc<OwnedFd>, frames: bool) -> AbortHandle {
        AbortHandle(Way::Message { fd, frames })
    }

    pub(crate) fn by_call(call: impl Fn(i32, &str) + Send + Sync + 'static) -> AbortHandle {
        AbortHandle(Way::Call(Arc::new(call)))
    }

    pub fn abort(&self, code: i32, message: &str) {
        match &self.0 {
            Way::Message { fd, frames } => {
                let request = Request::Abort { code, message: message.as_bytes().to_vec() };
                let text = if *frames { wire::request_to_frame(&request) } else { wire::request_to_line(&request) };
                // An error here means that the job is ending already.
                let _ = text.map(|bytes| send_all(fd, &bytes));
            }
            Way::Call(call) => call(code, message),
        }
    }

    /// The rows of a table for oshrun, which joins them with those of other nodes. None: the server is not oshrun's.
    pub fn prepared_table(&self, head: &str, rows: &str) -> Option<PreparedTable> {
        let Way::Message { fd, frames: true } = &self.0 else { return None };
        let (head, rows) = (head.as_bytes().to_vec(), rows.as_bytes().to_vec());
        let bytes = wire::request_to_frame(&Request::Table { head, rows })?;
        Some(PreparedTable { fd: Arc::clone(fd), bytes })
    }
}

/// A message to oshrun that has only to be sent.
#[derive(Debug)]
pub struct PreparedTable {
    fd: Arc<OwnedFd>,
    bytes: Vec<u8>,
}

impl PreparedTable {
    /// Sends it. A signal handler may do this. False: oshrun has gone.
    pub fn send(&self) -> bool {
        send_all(&self.fd, &self.bytes).is_ok()
    }
}

/// Writes all of it. A closed peer is an error and never SIGPIPE.
pub(crate) fn send_all(fd: &OwnedFd, mut rest: &[u8]) -> nix::Result<()> {
    while !rest.is_empty() {
        match send(fd.as_raw_fd(), rest, MsgFlags::MSG_NOSIGNAL) {
            Ok(n) => rest = &rest[n..],
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
