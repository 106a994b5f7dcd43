//! A connection to a PMI server: a request out, its reply in.

use crate::abort::{AbortHandle, Stream};
use crate::error::Error;
use crate::fd;
use crate::wire::{self, Incoming, Reply, Request, Splitter};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{MsgFlags, recv};
use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

/// A connected stream socket on which requests and replies alternate. Calls block. A signal does not interrupt them. A
/// closed peer is an error and never SIGPIPE.
pub(super) struct Connection {
    stream: Arc<Stream>,
    splitter: Splitter,
    /// Requests whose replies have not been read.
    unread: usize,
}

/// Most replies that are left unread. More could fill both sockets' buffers, and then both sides would wait for ever.
const UNREAD_MAX: usize = 32;

impl Connection {
    /// A connection over a copy of an inherited descriptor. The descriptor itself stays open for others in this
    /// process. Programs that this process starts do not inherit the copy.
    pub fn over_copy(fd: RawFd, variable: &'static str) -> Result<Connection, Error> {
        match fd::copy(fd) {
            Ok(copy) => Ok(Connection::over(copy)),
            Err(e) => Err(Error::Descriptor { variable, fd, why: e.to_string() }),
        }
    }

    /// A connection to a server that listens on `HOST:PORT`.
    pub fn over_port(address: &str) -> Result<Connection, Error> {
        let failed = |e: io::Error| Error::Port { address: address.to_owned(), why: e.to_string() };
        let stream = TcpStream::connect(address).and_then(fd::off_stdio).map_err(failed)?;
        // A request is one small packet, and its reply is awaited.
        stream.set_nodelay(true).map_err(failed)?;
        Ok(Connection::over(OwnedFd::from(stream)))
    }

    fn over(fd: OwnedFd) -> Connection {
        Connection { stream: Arc::new(Stream::new(fd)), splitter: Splitter::default(), unread: 0 }
    }

    /// How this connection can end the job: in PMI-2 frames, or with a PMI-1 line.
    pub fn abort_handle(&self, frames: bool) -> AbortHandle {
        AbortHandle::by_message(Arc::clone(&self.stream), frames)
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

    /// Sends a greeting or a put without waiting for its reply. A refusal is the error of a later call.
    pub fn post(&mut self, request: &Request) -> Result<(), Error> {
        if self.unread >= UNREAD_MAX {
            self.read_posted()?;
        }
        match request {
            Request::Init { .. } => self.send_line(request)?,
            _ => self.send_frame(request)?,
        }
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
    pub fn reply(&mut self) -> Result<Reply, Error> {
        let posted = self.read_posted();
        // The reply must be read in any case, or it would be taken for the next request's.
        let reply = self.next_reply()?;
        posted.map(|()| reply)
    }

    /// Whether the reply to the last request has begun to come. Replies to what was posted come without delay, and are
    /// read first.
    pub fn has_reply(&mut self) -> Result<bool, Error> {
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
            Incoming::Line(mut lines) => {
                // The answer to `initack` is four lines.
                if lines.starts_with(b"cmd=initack") {
                    for _ in 0..3 {
                        match self.message()? {
                            Incoming::Line(line) => lines.extend(line),
                            Incoming::Frame(_) => break,
                        }
                    }
                }
                wire::reply_from_line(&lines)?
            }
        })
    }

    /// Sends a PMI-1 request and reads its reply.
    pub fn line(&mut self, request: &Request) -> Result<Reply, Error> {
        self.send_line(request)?;
        self.reply()
    }

    pub fn send_line(&mut self, request: &Request) -> Result<(), Error> {
        let bytes = wire::request_to_line(request).expect("a client of PMI-1 sends what PMI-1 has");
        self.stream.send(&bytes).map_err(lost)
    }

    /// Sends a PMI-2 request and reads its reply.
    pub fn frame(&mut self, request: &Request) -> Result<Reply, Error> {
        self.send_frame(request)?;
        self.reply()
    }

    pub fn send_frame(&mut self, request: &Request) -> Result<(), Error> {
        let bytes = wire::request_to_frame(request).ok_or(Error::ValueTooLong)?;
        self.stream.send(&bytes).map_err(lost)
    }
}

fn lost(e: Errno) -> Error {
    Error::Lost(io::Error::from(e).to_string())
}

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
