//! The ranks' output: split into lines, and written in whole lines to a descriptor that may be slow.

use crate::control::{Failure, OURS};
use crate::plan::Word;
use crate::poll;
use nix::errno::Errno;
use std::collections::VecDeque;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::time::{SystemTime, UNIX_EPOCH};

/// The most bytes of a line that is kept until its end comes; a longer line is passed on in pieces. A larger limit
/// costs memory for each rank; with a smaller one long lines of several ranks mix.
const LONGEST_LINE: usize = 64 * 1024;

/// The most bytes that wait for a slow reader before the ranks have to wait. A larger limit costs memory; a smaller one
/// stops ranks at a short pause of the reader.
pub const WAITING: usize = 1024 * 1024;

/// The most bytes of one write. A write of at most `PIPE_BUF` bytes to a pipe with room does not block; a longer one
/// may.
const PIECE: usize = libc::PIPE_BUF;

/// Fills in a pattern: `%r` is the rank, `%h` the host, `%p` the number of the node, `%g` that of the job, which is 0.
pub fn filled(pattern: &[u8], rank: u32, node: u32, host: &str) -> Word {
    let mut out = Vec::new();
    let mut rest = pattern.iter();
    while let Some(&byte) = rest.next() {
        let next = rest.as_slice().first();
        match (byte, next) {
            (b'%', Some(b'r')) => out.extend(rank.to_string().bytes()),
            (b'%', Some(b'h')) => out.extend(host.bytes()),
            (b'%', Some(b'p')) => out.extend(node.to_string().bytes()),
            (b'%', Some(b'g')) => out.push(b'0'),
            (b'%', Some(b'%')) => out.push(b'%'),
            _ => {
                out.push(byte);
                continue;
            }
        }
        rest.next();
    }
    out
}

fn now() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // SAFETY: all zeros is a value of this plain structure; the call writes it and reads the number.
    let t = unsafe {
        let mut t: libc::tm = std::mem::zeroed();
        libc::localtime_r(&(now.as_secs() as libc::time_t), &mut t);
        t
    };
    let (year, month) = (t.tm_year + 1900, t.tm_mon + 1);
    let (hour, minute, second, ms) = (t.tm_hour, t.tm_min, t.tm_sec, now.subsec_millis());
    format!("{year}-{month:02}-{:02} {hour:02}:{minute:02}:{second:02}.{ms:03} ", t.tm_mday)
}

pub struct Lines {
    prefix: Vec<u8>,
    stamped: bool,
    partial: Vec<u8>,
    /// Whether the last piece that was passed on had no end of line.
    inside: bool,
}

impl Lines {
    /// `prefix` is written before each line, and the time before that if `stamped`.
    pub fn new(prefix: Vec<u8>, stamped: bool) -> Lines {
        Lines { prefix, stamped, partial: Vec::new(), inside: false }
    }

    fn is_plain(&self) -> bool {
        self.prefix.is_empty() && !self.stamped
    }

    /// Takes bytes of the rank. Whole lines go to `out`.
    pub fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match bytes.iter().rposition(|&b| b == b'\n') {
            Some(last) => {
                self.partial.extend_from_slice(&bytes[..=last]);
                self.flush(out);
                self.partial.extend_from_slice(&bytes[last + 1..]);
            }
            None => self.partial.extend_from_slice(bytes),
        }
        if self.partial.len() > LONGEST_LINE {
            self.flush(out);
        }
    }

    /// Ends the stream: passes on an incomplete line.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.flush(out);
        // Prefixes need whole lines. Without a prefix the program's bytes are not changed.
        if self.inside && !self.is_plain() {
            out.push(b'\n');
            self.inside = false;
        }
    }

    pub fn is_partial(&self) -> bool {
        !self.partial.is_empty()
    }

    /// Passes on what has come, also an incomplete line: at the end of the stream, or when a user waits for it.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        if self.partial.is_empty() {
            return;
        }
        if self.is_plain() {
            out.append(&mut self.partial);
        } else {
            let time = if self.stamped { now() } else { String::new() };
            for line in self.partial.split_inclusive(|&b| b == b'\n') {
                if !self.inside {
                    out.extend_from_slice(time.as_bytes());
                    out.extend_from_slice(&self.prefix);
                }
                out.extend_from_slice(line);
                self.inside = !line.ends_with(b"\n");
            }
            self.partial.clear();
        }
    }
}

/// oshrun's own standard output or standard error. Other processes may share the descriptor, so its flags are not
/// changed, and each write is made only when there is room.
pub struct Sink {
    fd: BorrowedFd<'static>,
    queue: VecDeque<u8>,
    /// Whether writing has failed. Nothing more is written then.
    broken: bool,
}

impl Sink {
    /// Standard output and standard error.
    pub fn both() -> [Sink; 2] {
        // SAFETY: descriptors 1 and 2 stay open as long as the process.
        [1, 2].map(|fd| Sink { fd: unsafe { BorrowedFd::borrow_raw(fd) }, queue: VecDeque::new(), broken: false })
    }

    pub fn push(&mut self, bytes: &[u8]) {
        if !self.broken {
            self.queue.extend(bytes);
        }
    }

    pub fn waits(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether ranks should wait before they write more.
    pub fn full(&self) -> bool {
        self.queue.len() > WAITING
    }

    /// Writes all that can be written without waiting. Returns a failure of standard output once. A failure of standard
    /// error is not reported, because there is nowhere to report it.
    #[must_use]
    pub fn drain(&mut self) -> Option<Failure> {
        while !self.queue.is_empty() && has_room(self.fd) {
            let (front, _) = self.queue.as_slices();
            match poll::write(self.fd, &front[..front.len().min(PIECE)]) {
                Ok(0) => break,
                Ok(n) => drop(self.queue.drain(..n)),
                Err(e) => {
                    self.broken = true;
                    self.queue.clear();
                    return (self.fd.as_raw_fd() == libc::STDOUT_FILENO).then(|| unwritten(e));
                }
            }
        }
        None
    }
}

impl AsFd for Sink {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd
    }
}

/// The failure of a job whose output cannot be written. If the reader has gone, the exit code is that of a program that
/// gets SIGPIPE.
fn unwritten(e: Errno) -> Failure {
    match e {
        Errno::EPIPE => Failure { code: 128 + libc::SIGPIPE, text: String::new() },
        e => Failure { code: OURS, text: format!("cannot write standard output: {}", e.desc()) },
    }
}

fn has_room(fd: BorrowedFd) -> bool {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
    let mut one = [PollFd::new(fd, PollFlags::POLLOUT)];
    // An error shows at the write.
    poll(&mut one, PollTimeout::ZERO).is_ok_and(|n| n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(prefix: &str, pieces: &[&str]) -> Vec<String> {
        let mut lines = Lines::new(prefix.into(), false);
        let mut gave = Vec::new();
        for p in pieces {
            let mut out = Vec::new();
            lines.take(p.as_bytes(), &mut out);
            gave.push(String::from_utf8(out).unwrap());
        }
        let mut out = Vec::new();
        lines.finish(&mut out);
        gave.push(String::from_utf8(out).unwrap());
        gave
    }

    #[test]
    fn each_line_has_its_prefix_and_its_end() {
        assert_eq!(all("[3] ", &["a\nb", "\n\nc"]), ["[3] a\n", "[3] b\n[3] \n", "[3] c\n"]);
    }

    #[test]
    fn patterns_are_filled_in() {
        assert_eq!(filled(b"out%r.%h-%p%%%g%x%", 12, 3, "a"), b"out12.a-3%0%x%");
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let long = "x".repeat(LONGEST_LINE + 1);
        let gave = all("[0] ", &[&long, "y\nz\n"]);
        assert_eq!(gave[0].len(), long.len() + 4);
        assert_eq!(gave[1], "y\n[0] z\n");
    }
}
