//! The call that ends a whole job, and the sending side of a connection, which the call shares with others.

use crate::wire::{self, Request};
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, send};
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::Duration;

/// Ends the job, or tells the launcher something, from any thread and at any time, also while another thread waits for
/// a reply of the same server.
#[derive(Clone)]
pub struct AbortHandle(Way);

/// Takes an exit code and a message.
type Call = dyn Fn(i32, &str) + Send + Sync;

#[derive(Clone)]
enum Way {
    /// A server takes an abort at any time and does not answer it.
    Message { stream: Arc<Stream>, frames: bool },
    /// A function of the library that joined the job.
    Call(Arc<Call>),
}

impl AbortHandle {
    /// Over a connection to a server: in PMI-2 frames, or with a PMI-1 line.
    pub(crate) fn by_message(stream: Arc<Stream>, frames: bool) -> AbortHandle {
        AbortHandle(Way::Message { stream, frames })
    }

    /// By a function.
    pub fn by_call(call: impl Fn(i32, &str) + Send + Sync + 'static) -> AbortHandle {
        AbortHandle(Way::Call(Arc::new(call)))
    }

    /// False: the launcher does not hear of it, because it has gone or the connection was closed before.
    pub fn abort(&self, code: i32, message: &str) -> bool {
        match &self.0 {
            Way::Message { stream, frames } => {
                let request = Request::Abort { code, message: message.as_bytes().to_vec() };
                let text = if *frames { wire::request_to_frame(&request) } else { wire::request_to_line(&request) };
                text.is_some_and(|bytes| stream.send_in_any_case(&bytes).is_ok())
            }
            Way::Call(call) => {
                call(code, message);
                true
            }
        }
    }

    /// The rows of a table for oshrun, which joins them with those of other nodes. None: the server is not oshrun's.
    pub fn prepared_table(&self, head: &str, rows: &str) -> Option<PreparedTable> {
        let Way::Message { stream, frames: true } = &self.0 else { return None };
        let (head, rows) = (head.as_bytes().to_vec(), rows.as_bytes().to_vec());
        let bytes = wire::request_to_frame(&Request::Table { head, rows })?;
        Some(PreparedTable { stream: Arc::clone(stream), bytes })
    }
}

/// A message to oshrun that has only to be sent.
#[derive(Debug)]
pub struct PreparedTable {
    stream: Arc<Stream>,
    bytes: Vec<u8>,
}

impl PreparedTable {
    /// Sends it. False: oshrun has gone. A signal handler must not do this.
    pub fn send(&self) -> bool {
        self.stream.send(&self.bytes).is_ok()
    }

    /// Sends it, unless a message of this process is under way for longer than `Stream::soon` waits. A signal handler
    /// may do this. False: it was not sent.
    pub fn send_soon(&self) -> bool {
        self.stream.soon().is_some_and(|_alone| send_all(&self.stream.fd, &self.bytes).is_ok())
    }
}

/// The sending side of a connection. A long message goes out in pieces (a socket pair takes some 36 KiB as a whole), so
/// only one thread at a time sends: the server would take a message between two pieces for a part of the first one.
#[derive(Debug)]
pub(crate) struct Stream {
    pub fd: OwnedFd,
    sending: Mutex<()>,
}

/// How often a lock is asked for that may never be free, and the time between two questions: 10 ms for a report, which
/// is not worth more, and a second for an abort.
const PAUSE: Duration = Duration::from_millis(1);
const QUESTIONS_SOON: u32 = 10;
const QUESTIONS_OF_ABORT: u32 = 1000;

impl Stream {
    pub fn new(fd: OwnedFd) -> Stream {
        Stream { fd, sending: Mutex::new(()) }
    }

    /// Sends a message, after those that are under way.
    pub fn send(&self, bytes: &[u8]) -> nix::Result<()> {
        // A panic of another thread cannot have cut a message.
        let _alone = self.sending.lock().unwrap_or_else(|e| e.into_inner());
        send_all(&self.fd, bytes)
    }

    /// Sends the message that ends the job. If another message stays under way, this one is sent all the same: the
    /// server may not be reading, or this is a signal handler that has interrupted the sender. A server that gets it
    /// between two pieces ends the job too, though with another status.
    fn send_in_any_case(&self, bytes: &[u8]) -> nix::Result<()> {
        let _alone = self.try_lock(QUESTIONS_OF_ABORT);
        send_all(&self.fd, bytes)
    }

    /// The right to send, if it can be had within moments. A signal handler cannot wait for it without a limit, because
    /// the handler may have interrupted the thread that has it.
    fn soon(&self) -> Option<MutexGuard<'_, ()>> {
        self.try_lock(QUESTIONS_SOON)
    }

    fn try_lock(&self, questions: u32) -> Option<MutexGuard<'_, ()>> {
        for question in 0..questions {
            if question > 0 {
                std::thread::sleep(PAUSE);
            }
            match self.sending.try_lock() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(e)) => return Some(e.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        None
    }
}

/// Writes all of it. A closed peer is an error and never SIGPIPE.
fn send_all(fd: &OwnedFd, mut rest: &[u8]) -> nix::Result<()> {
    while !rest.is_empty() {
        match send(fd.as_raw_fd(), rest, MsgFlags::MSG_NOSIGNAL) {
            Ok(n) => rest = &rest[n..],
            Err(Errno::EINTR) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Incoming, Splitter, request_from_frame};
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    fn pair() -> (Arc<Stream>, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Arc::new(Stream::new(ours.into())), theirs)
    }

    /// What a server reads until the other side closes.
    fn requests(mut socket: UnixStream) -> Vec<Request> {
        let (mut splitter, mut bytes, mut requests) = (Splitter::default(), Vec::new(), Vec::new());
        socket.read_to_end(&mut bytes).unwrap();
        splitter.push(&bytes);
        while let Some(message) = splitter.take().unwrap() {
            let Incoming::Frame(frame) = message else { panic!("{message:?}") };
            requests.push(request_from_frame(&frame).unwrap().0);
        }
        requests
    }

    #[test]
    fn long_tables_of_several_threads_arrive_whole() {
        let (stream, theirs) = pair();
        let handle = AbortHandle::by_message(stream, true);
        let tables: Vec<_> = ["a", "b"].map(|row| handle.prepared_table("head", &row.repeat(200_000)).unwrap()).into();
        drop(handle);
        let senders =
            tables.into_iter().map(|table| std::thread::spawn(move || assert!((0..20).all(|_| table.send()))));
        let senders: Vec<_> = senders.collect();
        let requests = requests(theirs);
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        let whole = |rows: &[u8]| rows.len() == 200_000 && rows.iter().all(|row| *row == rows[0]);
        assert_eq!(requests.len(), 40);
        assert!(requests.iter().all(|r| matches!(r, Request::Table { rows, .. } if whole(rows))));
    }

    #[test]
    fn an_abort_that_nobody_hears_of_is_told() {
        let (stream, theirs) = pair();
        let handle = AbortHandle::by_message(stream, false);
        assert!(handle.abort(3, "end"));
        drop(theirs);
        assert!(!handle.abort(3, "end"));
    }

    #[test]
    fn a_report_is_left_out_and_an_abort_is_not_while_a_message_is_under_way() {
        let (stream, theirs) = pair();
        let handle = AbortHandle::by_message(Arc::clone(&stream), true);
        let table = handle.prepared_table("head", "row").unwrap();
        let sending = stream.sending.lock().unwrap();
        assert!(!table.send_soon());
        handle.abort(3, "end");
        drop(sending);
        assert!(table.send_soon());
        drop((handle, table, stream));
        let [abort, table] = &requests(theirs)[..] else { panic!("two messages") };
        assert!(matches!(abort, Request::Abort { code: 3, .. }) && matches!(table, Request::Table { .. }));
    }
}
