//! A connection to a PMI server: a request out, its reply in.

use crate::abort::{AbortHandle, Stream};
use crate::error::Error;
use crate::fd;
use crate::wire::{self, Incoming, Reply, Request, Splitter};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

/// The error for a reply to another request than `asked`.
pub(super) fn unexpected(asked: &'static str, reply: &Reply) -> Error {
    let answer = format!("{reply:?}").split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned();
    Error::Unexpected { asked, answer }
}

/// Takes a reply apart: `expect_reply!(reply, "what was asked", Pattern => value)`. Any other reply is an error.
macro_rules! expect_reply {
    ($reply:expr, $asked:literal, $pattern:pat => $value:expr) => {
        match $reply? {
            $pattern => Ok($value),
            other => Err($crate::client::connection::unexpected($asked, &other)),
        }
    };
}
pub(super) use expect_reply;

/// A connected stream socket on which requests and replies alternate. Calls block. A signal does not interrupt them. A
/// closed peer is an error and never SIGPIPE.
pub(super) struct Connection {
    stream: Arc<Stream>,
    splitter: Splitter,
    /// Requests are frames of PMI-2, but for the greeting. Otherwise they are lines of PMI-1.
    frames: bool,
    /// Requests whose replies have not been read.
    unread: usize,
    /// A fence was begun, and its end has not been read.
    fencing: bool,
}

/// Most replies that are left unread. More could fill both sockets' buffers, and then both sides would wait for ever.
const UNREAD_MAX: usize = 32;

impl Connection {
    /// A connection over a copy of an inherited descriptor. The descriptor itself stays open for others in this
    /// process. Programs that this process starts do not inherit the copy.
    pub fn over_copy(fd: RawFd, variable: &'static str, frames: bool) -> Result<Connection, Error> {
        match fd::copy(fd) {
            Ok(copy) => Ok(Connection::over(copy, frames)),
            Err(e) => Err(Error::Descriptor { variable, fd, why: e.to_string() }),
        }
    }

    fn over(fd: OwnedFd, frames: bool) -> Connection {
        let (stream, splitter) = (Arc::new(Stream::new(fd)), Splitter::default());
        Connection { stream, splitter, frames, unread: 0, fencing: false }
    }

    /// How this connection can end the job.
    pub fn abort_handle(&self) -> AbortHandle {
        AbortHandle::by_message(Arc::clone(&self.stream), self.frames)
    }

    fn message(&mut self) -> Result<Incoming, Error> {
        loop {
            if let Some(message) = self.splitter.take()? {
                return Ok(message);
            }
            let mut buffer = [0; 4096];
            match recv(self.stream.fd.as_raw_fd(), &mut buffer, MsgFlags::empty()) {
                Ok(0) => return Err(Error::Lost("it has closed the connection".to_owned())),
                Ok(n) => self.splitter.push(&buffer[..n]),
                Err(Errno::EINTR) => {}
                Err(e) => return Err(lost(e)),
            }
        }
    }

    fn send(&mut self, request: &Request) -> Result<(), Error> {
        let bytes = match request {
            Request::Init { .. } => wire::request_to_line(request),
            _ if self.frames => wire::request_to_frame(request),
            _ => wire::request_to_line(request),
        };
        self.stream.send(&bytes.ok_or(Error::ValueTooLong)?).map_err(lost)
    }

    /// Sends a greeting or a put without waiting for its reply. A refusal is the error of a later call.
    pub fn post(&mut self, request: &Request) -> Result<(), Error> {
        self.end_fence()?;
        if self.unread >= UNREAD_MAX {
            self.read_posted()?;
        }
        self.send(request)?;
        self.unread += 1;
        Ok(())
    }

    /// Reads the replies to what was posted.
    fn read_posted(&mut self) -> Result<(), Error> {
        let mut result = Ok(());
        while self.unread > 0 {
            self.unread -= 1;
            let answer = match self.next_reply()? {
                Reply::Put(Ok(())) | Reply::Init { version: 2, rc: 0, .. } => Ok(()),
                Reply::Put(Err(why)) => Err(Error::PutRefused { key: "a value".to_owned(), why }),
                other => Err(unexpected("a greeting or a put", &other)),
            };
            result = result.and(answer);
        }
        result
    }

    /// The reply to the last request, in either version of the protocol.
    fn reply(&mut self) -> Result<Reply, Error> {
        let posted = self.read_posted();
        // The reply must be read in any case, or it would be taken for the next request's.
        let reply = self.next_reply()?;
        posted.map(|()| reply)
    }

    /// Whether the reply to the last request has begun to come. Replies to what was posted come without delay, and are
    /// read first.
    fn has_reply(&mut self) -> Result<bool, Error> {
        self.read_posted()?;
        // It may have been read together with those.
        if self.splitter.pending() > 0 {
            return Ok(true);
        }
        let mut fds = [PollFd::new(self.stream.fd.as_fd(), PollFlags::POLLIN)];
        match poll(&mut fds, PollTimeout::ZERO) {
            Ok(n) => Ok(n > 0),
            Err(Errno::EINTR) => Ok(false),
            Err(e) => Err(lost(e)),
        }
    }

    fn next_reply(&mut self) -> Result<Reply, Error> {
        Ok(match self.message()? {
            Incoming::Frame(frame) => wire::reply_from_frame(&frame)?,
            Incoming::Line(line) => wire::reply_from_line(&line)?,
        })
    }

    /// Sends a request and reads its reply. oshrun answers a get while a fence is under way, so a process can ask that
    /// others need before they enter.
    pub fn call(&mut self, request: &Request) -> Result<Reply, Error> {
        // Otherwise only one request may be open: the end of the fence has to be read first.
        if !(self.frames && matches!(request, Request::Get { .. })) {
            self.end_fence()?;
        }
        self.send(request)?;
        let posted = self.read_posted();
        let mut reply = self.next_reply()?;
        if self.fencing && matches!(reply, Reply::Fence) {
            self.fencing = false;
            reply = self.next_reply()?;
        }
        posted.map(|()| reply)
    }

    pub fn begin_fence(&mut self) -> Result<(), Error> {
        self.end_fence()?;
        self.send(&Request::Fence)?;
        self.fencing = true;
        Ok(())
    }

    /// Waits for the end of a fence that was begun. Returns at once if none was.
    pub fn end_fence(&mut self) -> Result<(), Error> {
        match std::mem::take(&mut self.fencing) {
            true => expect_reply!(self.reply(), "a fence", Reply::Fence => ()),
            false => Ok(()),
        }
    }

    /// Whether a fence that was begun is over. It does not wait for other processes.
    pub fn fence_is_over(&mut self) -> Result<bool, Error> {
        if self.fencing && !self.has_reply()? {
            return Ok(false);
        }
        self.end_fence().map(|()| true)
    }
}

fn lost(e: Errno) -> Error {
    Error::Lost(io::Error::from(e).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    #[test]
    fn a_get_does_not_wait_for_a_fence_that_is_under_way() {
        let (ours, mut server) = UnixStream::pair().unwrap();
        let mut connection = Connection::over(ours.into(), true);
        let value = |text: &str| Reply::Get(Some(text.as_bytes().to_vec()));
        let frame = |reply: &Reply| wire::reply_to_frame(reply, None).unwrap();
        let get = Request::Get { space: Vec::new(), key: b"k".to_vec(), source: None, wait: false };
        connection.begin_fence().unwrap();
        server.write_all(&frame(&value("1"))).unwrap();
        assert_eq!(connection.call(&get).unwrap(), value("1"));
        assert!(!connection.fence_is_over().unwrap());
        // The end of the fence comes before the next reply.
        server.write_all(&[frame(&Reply::Fence), frame(&value("2"))].concat()).unwrap();
        assert_eq!(connection.call(&get).unwrap(), value("2"));
        assert!(connection.fence_is_over().unwrap());
    }
}
