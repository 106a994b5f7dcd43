//! One connection to a server: a request out, its reply in.

use super::pmix::Client;
use crate::fd;
use crate::job::Error;
use crate::wire::{self, Incoming, Reply, Request, Splitter};
use std::io;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

/// A connected stream, used in lock step. Blocking; a signal does not interrupt it, a closed peer is an error and never
/// SIGPIPE.
pub(super) struct Link {
    fd: Arc<OwnedFd>,
    splitter: Splitter,
    /// Requests whose answers have not been read.
    posted: usize,
}

/// More answers than this are not left unread.
const POSTED_MAX: usize = 32;

impl Link {
    /// A link over a copy of an inherited descriptor. The descriptor itself stays open for others in this process; the
    /// copy is not passed on to programs that this process starts.
    pub fn over_copy(fd: RawFd, variable: &str) -> Result<Link, Error> {
        let copy = fd::copy(fd).map_err(|e| {
            Error(format!(
                "{variable} names descriptor {fd}, which cannot be used ({e}); was it closed, or is this process not \
                 the one that the launcher started?"
            ))
        })?;
        Ok(Link { fd: Arc::new(copy), splitter: Splitter::default(), posted: 0 })
    }

    /// Connects to a server that listens on `HOST:PORT`.
    pub fn over_port(address: &str) -> Result<Link, Error> {
        let told = |e: io::Error| Error(format!("PMI_PORT is \"{address}\", where nobody can be reached: {e}"));
        let stream = TcpStream::connect(address).and_then(fd::off_stdio).map_err(told)?;
        // A request is one small packet, and we wait for its answer.
        stream.set_nodelay(true).map_err(told)?;
        Ok(Link { fd: Arc::new(OwnedFd::from(stream)), splitter: Splitter::default(), posted: 0 })
    }

    pub fn send(&mut self, bytes: &[u8]) -> Result<(), Error> {
        send(&self.fd, bytes).map_err(|e| lost(&e.to_string()))
    }

    /// How this connection can end the job, in PMI-2 frames or as a PMI-1 line.
    pub fn ender(&self, frames: bool) -> Ender {
        Ender(Way::Message { fd: Arc::clone(&self.fd), frames })
    }

    /// Reads what has come, at least one byte.
    fn fill(&mut self) -> Result<(), Error> {
        let mut buffer = [0; 4096];
        self.read(&mut buffer).map(|n| self.splitter.push(&buffer[..n]))
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        loop {
            // SAFETY: pointer and length are those of a live slice.
            let n = unsafe { libc::recv(self.fd.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), 0) };
            match usize::try_from(n) {
                Ok(0) => return Err(lost("it has closed the connection")),
                Ok(n) => return Ok(n),
                Err(_) => match io::Error::last_os_error() {
                    e if e.kind() == io::ErrorKind::Interrupted => {}
                    e => return Err(lost(&e.to_string())),
                },
            }
        }
    }

    fn message(&mut self) -> Result<Incoming, Error> {
        loop {
            match self.splitter.take() {
                Ok(Some(message)) => return Ok(message),
                Ok(None) => self.fill()?,
                Err(e) => return Err(Error(format!("the process manager answers nonsense: {e}"))),
            }
        }
    }

    /// Sends a greeting or a put and does not wait: a refusal is the error of a later call.
    pub fn post(&mut self, request: &Request) -> Result<(), Error> {
        if self.posted >= POSTED_MAX {
            self.settle()?;
        }
        if matches!(request, Request::Init { .. }) {
            self.send_line(request)?
        } else {
            self.send_frame(request)?
        }
        self.posted += 1;
        Ok(())
    }

    /// Reads the answers to what was posted.
    fn settle(&mut self) -> Result<(), Error> {
        let mut result = Ok(());
        while self.posted > 0 {
            self.posted -= 1;
            let answer = match self.next_reply()? {
                Reply::Put(Ok(())) | Reply::Init { version: 2, rc: 0, .. } => Ok(()),
                Reply::Put(Err(why)) => Err(Error(format!("the process manager has refused to store a value: {why}"))),
                other => Err(unexpected("a greeting or a put", &other)),
            };
            result = result.and(answer);
        }
        result
    }

    /// The next reply, in whichever version it comes.
    pub fn reply(&mut self) -> Result<Reply, Error> {
        let settled = self.settle();
        // The answer must be read in any case, or it would be taken for the next one's.
        let reply = self.next_reply()?;
        settled.map(|()| reply)
    }

    fn next_reply(&mut self) -> Result<Reply, Error> {
        let reply = match self.message()? {
            Incoming::Frame(frame) => wire::reply_from_frame(&frame),
            Incoming::Line(mut lines) => {
                if lines.starts_with(b"cmd=initack") {
                    for _ in 0..3 {
                        match self.message()? {
                            Incoming::Line(line) => lines.extend(line),
                            Incoming::Frame(_) => break,
                        }
                    }
                }
                wire::reply_from_line(&lines)
            }
        };
        reply.map_err(|e| Error(format!("the process manager answers nonsense: {e}")))
    }

    /// A PMI-1 request and its reply.
    pub fn line(&mut self, request: &Request) -> Result<Reply, Error> {
        self.send_line(request)?;
        self.reply()
    }

    pub fn send_line(&mut self, request: &Request) -> Result<(), Error> {
        let bytes = wire::request_to_line(request).ok_or_else(|| Error(format!("PMI-1 has no {request:?}")))?;
        self.send(&bytes)
    }

    /// A PMI-2 request and its reply.
    pub fn frame(&mut self, request: &Request) -> Result<Reply, Error> {
        self.send_frame(request)?;
        self.reply()
    }

    pub fn send_frame(&mut self, request: &Request) -> Result<(), Error> {
        let bytes = wire::request_to_frame(request)
            .ok_or_else(|| Error("a value is too long for a message of PMI-2".to_owned()))?;
        self.send(&bytes)
    }
}

fn send(fd: &OwnedFd, mut rest: &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        // SAFETY: pointer and length are those of a live slice.
        let n = unsafe { libc::send(fd.as_raw_fd(), rest.as_ptr().cast(), rest.len(), libc::MSG_NOSIGNAL) };
        match usize::try_from(n) {
            Ok(n) => rest = &rest[n..],
            Err(_) => match io::Error::last_os_error() {
                e if e.kind() == io::ErrorKind::Interrupted => {}
                e => return Err(e),
            },
        }
    }
    Ok(())
}

/// Ends the job, from any thread at any time, while another waits for an answer of the same server too.
#[derive(Clone, Debug)]
pub struct Ender(Way);

#[derive(Clone, Debug)]
enum Way {
    /// Servers take an abort in place of any other message and answer nothing. (One that came between the halves of a message
    /// would be lost; messages are small and written whole.)
    Message {
        fd: Arc<OwnedFd>,
        frames: bool,
    },
    Pmix(Arc<Client>),
}

impl Ender {
    pub(super) fn through_pmix(client: Arc<Client>) -> Ender {
        Ender(Way::Pmix(client))
    }

    pub fn end_job(&self, code: i32, message: &str) {
        match &self.0 {
            Way::Message { fd, frames } => {
                let request = Request::Abort { code, message: message.as_bytes().to_vec() };
                let text = if *frames { wire::request_to_frame(&request) } else { wire::request_to_line(&request) };
                // An error here means that the job is ending already.
                let _ = text.map(|bytes| send(fd, &bytes));
            }
            Way::Pmix(client) => client.abort(code, message),
        }
    }
}

fn lost(why: &str) -> Error {
    Error(format!("the process manager cannot be reached any more: {why}"))
}

/// An answer to another question.
pub(super) fn unexpected(asked: &str, reply: &Reply) -> Error {
    Error(format!("the process manager answers {asked} with {}", reply.kind()))
}
