//! Descriptors passed over a socket. They are needed where the kernel does not let a process open those of another
//! through /proc: there is no /proc, or the two are in different user or PID namespaces.
//!
//! The socket has an abstract name, which is no file and vanishes with the socket. Everybody can read such names. So a
//! process that asks for descriptors sends a token, which proves that it belongs to the job.

use super::process;
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, ControlMessage, ControlMessageOwned, MsgFlags, SockFlag, SockType, UnixAddr, connect, recv, recvmsg,
    send, sendmsg, socket,
};
use pmi_shm::fd;
use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What a process must know to be given descriptors.
pub(crate) type Token = [u64; 2];

/// The most descriptors that one answer can hold.
const MOST: usize = 3;
/// The most processes that have connected and have not sent the token. A process of the job sends it at once. With
/// fewer, strangers could keep such a process out between the two; more take descriptors of the program.
const SILENT: usize = 64;
/// How long one call accepts connections. A queue that was full before the call takes less. With a longer limit, a
/// stranger who connects again and again could delay this process longer.
const ACCEPT_LIMIT: Duration = Duration::from_millis(100);
/// How long an answer may take. A process that will not answer usually closes the connection, so the limit is reached
/// only if that process hangs.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

fn abstract_name(name: u64) -> String {
    format!("oshmpi-{name:016x}")
}

/// The token as it is sent, and as it stands at the head of a job's memory.
pub(crate) fn token_bytes(token: Token) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&token[0].to_ne_bytes());
    bytes[8..].copy_from_slice(&token[1].to_ne_bytes());
    bytes
}

/// The socket at which other processes ask for descriptors.
pub(crate) struct Counter {
    listener: UnixListener,
    /// A random number, from which the socket's name is made.
    pub(crate) name: u64,
    /// Processes that have connected and have not sent the token, the oldest first.
    silent: Mutex<Vec<UnixStream>>,
}

impl Counter {
    pub(crate) fn open() -> io::Result<Counter> {
        let name = process::random_token()[0];
        let address = SocketAddr::from_abstract_name(abstract_name(name))?;
        let listener = UnixListener::from(fd::off_stdio(OwnedFd::from(UnixListener::bind_addr(&address)?))?);
        listener.set_nonblocking(true)?;
        Ok(Counter { listener, name, silent: Mutex::default() })
    }

    /// Gives these descriptors, at most [`MOST`], to every process that has asked and knows the token. Does not wait
    /// for processes to ask: one that has connected only is served by a later call. A process that has not been served
    /// reads the end of the connection when the counter is dropped.
    pub(crate) fn serve(&self, token: Token, fds: &[BorrowedFd<'_>]) {
        let mut silent = self.silent.lock().unwrap_or_else(|e| e.into_inner());
        silent.retain(|stream| !is_settled(stream, token, fds));
        let begun = Instant::now();
        while begun.elapsed() < ACCEPT_LIMIT
            && let Ok((stream, _)) = self.listener.accept()
        {
            if !is_settled(&stream, token, fds) {
                silent.push(stream);
            }
            if silent.len() > SILENT {
                silent.remove(0);
            }
        }
    }
}

/// Gives the descriptors to a process that has sent the token. False: it has sent nothing yet. It is settled, too, if
/// it is a stranger or has gone.
fn is_settled(stream: &UnixStream, token: Token, fds: &[BorrowedFd<'_>]) -> bool {
    let mut shown = [0; 16];
    // A process sends the token by one call, so it comes as a whole.
    match recv(stream.as_raw_fd(), &mut shown, MsgFlags::MSG_DONTWAIT) {
        Err(Errno::EAGAIN | Errno::EINTR) => return false,
        Ok(n) if shown[..n] == token_bytes(token) => {}
        _ => return true,
    }
    let fds: Vec<RawFd> = fds.iter().map(AsRawFd::as_raw_fd).collect();
    // A message on a stream must hold a byte.
    let byte = [IoSlice::new(&[0])];
    let _ = sendmsg::<()>(stream.as_raw_fd(), &byte, &[ControlMessage::ScmRights(&fds)], MsgFlags::MSG_NOSIGNAL, None);
    true
}

/// A request for descriptors that has been sent.
pub(crate) struct Asked(UnixStream);

/// Asks for descriptors at the socket of that name. Does not wait: an error means that nobody will answer.
pub(crate) fn ask(name: u64, token: Token) -> io::Result<Asked> {
    // A connect of the standard library would wait while the listener's queue is full, so this socket does not block.
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let socket = fd::off_stdio(socket(AddressFamily::Unix, SockType::Stream, flags, None)?)?;
    connect(socket.as_raw_fd(), &UnixAddr::new_abstract(abstract_name(name).as_bytes())?)?;
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    let shown = token_bytes(token);
    // With MSG_NOSIGNAL a closed connection is an error and no signal.
    match send(stream.as_raw_fd(), &shown, MsgFlags::MSG_NOSIGNAL)? {
        sent if sent == shown.len() => Ok(Asked(stream)),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

impl Asked {
    /// The descriptors that are given; an error when there are none.
    pub(crate) fn receive(self) -> io::Result<Vec<OwnedFd>> {
        loop {
            match received(&self.0) {
                Err(Errno::EINTR) => {}
                Ok(given) if given.is_empty() => return Err(io::ErrorKind::UnexpectedEof.into()),
                given => return given?.into_iter().map(fd::off_stdio).collect(),
            }
        }
    }
}

/// The descriptors of the next message.
fn received(stream: &UnixStream) -> nix::Result<Vec<OwnedFd>> {
    let mut byte = [0];
    let mut parts = [IoSliceMut::new(&mut byte)];
    let mut control = nix::cmsg_space!([RawFd; MOST]);
    let message = recvmsg::<()>(stream.as_raw_fd(), &mut parts, Some(&mut control), MsgFlags::MSG_CMSG_CLOEXEC)?;
    let mut given = Vec::new();
    for part in message.cmsgs()? {
        if let ControlMessageOwned::ScmRights(fds) = part {
            // SAFETY: the kernel has made these descriptors for this message, so nobody else owns them.
            given.extend(fds.into_iter().map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }));
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::memfd;
    use std::os::fd::AsFd;

    const TOKEN: Token = [11, 12];

    /// The descriptors that are given lead to the same files. A stranger gets none, and the others are served all the
    /// same.
    #[test]
    fn a_process_with_the_token_is_given_the_files() {
        let files = [memfd::create().unwrap().fd, memfd::create().unwrap().fd];
        memfd::write_at(&files[1], b"second", 0).unwrap();
        let counter = Counter::open().unwrap();
        let stranger = ask(counter.name, [11, 13]).unwrap();
        let asked = ask(counter.name, TOKEN).unwrap();
        counter.serve(TOKEN, &[files[0].as_fd(), files[1].as_fd()]);
        let given = asked.receive().unwrap();
        assert_eq!(given.len(), 2);
        let mut read = [0; 6];
        memfd::read_at(&given[1], &mut read, 0).unwrap();
        assert_eq!(&read, b"second");
        assert!(stranger.receive().is_err());
        counter.serve(TOKEN, &[files[0].as_fd()]);
    }

    /// Who has connected and sent nothing is not waited for, and is served when the token has come. Not all are kept.
    #[test]
    fn silent_strangers_delay_nobody() {
        let file = memfd::create().unwrap().fd;
        let counter = Counter::open().unwrap();
        let address = SocketAddr::from_abstract_name(abstract_name(counter.name)).unwrap();
        let connect = || UnixStream::connect_addr(&address).unwrap();
        let (oldest, late) = (connect(), connect());
        let _others: Vec<UnixStream> = (0..SILENT - 1).map(|_| connect()).collect();
        let asked = ask(counter.name, TOKEN).unwrap();
        counter.serve(TOKEN, &[file.as_fd()]);
        assert_eq!(asked.receive().unwrap().len(), 1);
        send(late.as_raw_fd(), &token_bytes(TOKEN), MsgFlags::MSG_NOSIGNAL).unwrap();
        counter.serve(TOKEN, &[file.as_fd()]);
        assert_eq!(Asked(late).receive().unwrap().len(), 1);
        assert!(Asked(oldest).receive().is_err(), "it was closed to make room");
    }

    #[test]
    fn nobody_waits_for_a_closed_counter() {
        let counter = Counter::open().unwrap();
        let (name, asked) = (counter.name, ask(counter.name, TOKEN).unwrap());
        drop(counter);
        assert!(asked.receive().is_err());
        assert!(ask(name, TOKEN).is_err());
    }
}
