//! Splits a stream of bytes into messages.

use super::v2::HEAD;
use super::{MESSAGE_MAX, Malformed, excerpt};

/// The bytes that PMI-2 clients of MPICH 3.3 to 4.0.3 send after each frame: a fact about these clients.
const JUNK: usize = 6;

/// One message, without its frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// PMI-1: a line with its newline, or all lines of a spawn.
    Line(Vec<u8>),
    /// PMI-2: the bytes after the length.
    Frame(Vec<u8>),
}

/// Splits the bytes of one connection into messages. Each message may be of either version.
#[derive(Debug, Default)]
pub struct Splitter {
    buffer: Vec<u8>,
    /// The end of the messages that have been returned.
    start: usize,
    /// Whether the client sends [`JUNK`] bytes after every frame.
    junk: bool,
}

impl Splitter {
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 && self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next complete message; `None` until more bytes have come. After an error no message can be found any more,
    /// so the connection must be closed.
    pub fn take(&mut self) -> Result<Option<Incoming>, Malformed> {
        let rest = &self.buffer[self.start..];
        let (taken, message) = match rest.first() {
            None => return Ok(None),
            Some(b'c' | b'm') => match line(rest)? {
                None => return Ok(None),
                Some(len) => (len, Incoming::Line(rest[..len].to_vec())),
            },
            Some(b' ' | b'0'..=b'9') => match frame(rest)? {
                None => return Ok(None),
                Some(len) => (HEAD + len, Incoming::Frame(rest[HEAD..HEAD + len].to_vec())),
            },
            Some(_) => return Err(Malformed(format!("{} is no message of PMI", excerpt(rest)))),
        };
        self.start += taken;
        if self.start > MESSAGE_MAX {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        Ok(Some(self.without_junk(message)))
    }

    /// The number of bytes that have come and were not returned.
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// Recognises a client that sends junk: the last field of `fullinit` is `threaded`, so bytes after it are junk,
    /// which every later frame has too.
    fn without_junk(&mut self, message: Incoming) -> Incoming {
        let Incoming::Frame(mut frame) = message else {
            return message;
        };
        if frame.starts_with(b"cmd=fullinit;") {
            self.junk = frame
                .split_last_chunk::<JUNK>()
                .is_some_and(|(kept, _)| kept.ends_with(b";threaded=TRUE;") || kept.ends_with(b";threaded=FALSE;"));
        }
        if self.junk {
            frame.truncate(frame.len().saturating_sub(JUNK));
        }
        Incoming::Frame(frame)
    }
}

/// The length of the PMI-1 message at the front; `None` if it is incomplete.
fn line(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    let known = |start: &[u8]| bytes.starts_with(start) || start.starts_with(&bytes[..bytes.len().min(start.len())]);
    if !known(b"cmd=") && !known(b"mcmd=") {
        return Err(Malformed(format!("{} is no message of PMI", excerpt(bytes))));
    }
    let end: &[u8] = if bytes[0] == b'm' { b"\nendcmd\n" } else { b"\n" };
    let found = bytes.windows(end.len()).position(|w| w == end);
    match found {
        Some(at) => Ok(Some(at + end.len())),
        None if bytes.len() > MESSAGE_MAX => Err(too_long(bytes.len())),
        None => Ok(None),
    }
}

/// The length of the PMI-2 message after the length field at the front; `None` if it is incomplete.
fn frame(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    let Some(head) = bytes.get(..HEAD) else {
        return Ok(None);
    };
    let len =
        super::fields::number::<usize>(head).ok_or_else(|| Malformed(format!("{} is no length", excerpt(head))))?;
    if len > MESSAGE_MAX {
        return Err(too_long(len));
    }
    Ok((bytes.len() >= HEAD + len).then_some(len))
}

fn too_long(len: usize) -> Malformed {
    Malformed(format!("a message of {len} bytes or more; the limit is {MESSAGE_MAX}"))
}
