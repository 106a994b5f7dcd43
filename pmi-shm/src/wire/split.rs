//! Messages out of a stream of bytes.

use super::v2::HEAD;
use super::{MESSAGE_MAX, Malformed, excerpt};

/// How many bytes some clients send behind each frame.
const JUNK: usize = 6;

/// One message, without its frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Incoming {
    /// PMI-1: a line with its newline, or all lines of a spawn.
    Line(Vec<u8>),
    /// PMI-2: what stands behind the length.
    Frame(Vec<u8>),
}

/// Cuts what arrives on one connection into messages. The version is found anew for each.
#[derive(Debug, Default)]
pub struct Splitter {
    buffer: Vec<u8>,
    /// Messages before this have been handed out.
    start: usize,
    /// The client appends [`JUNK`] bytes to every frame.
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

    /// The next whole message, or `None` until more has come. After an error the stream has lost its step: close it.
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

    /// Bytes of a message that is not complete.
    pub fn pending(&self) -> usize {
        self.buffer.len() - self.start
    }

    /// The last pair of `fullinit` is `threaded`: what stands behind it is junk, and will be in every frame.
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

/// Length of the PMI-1 message at the front.
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

/// Length of the PMI-2 message behind the length field at the front, once it is all there.
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
