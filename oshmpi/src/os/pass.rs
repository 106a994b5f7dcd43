//! Descriptors passed over a socket, where the kernel does not let a process open those of another through /proc: there is no /proc,
//! or the two are in user or PID namespaces of their own. The socket has an abstract name, which is no file and vanishes with
//! the socket. Who asks proves by a token that it is of the job; names can be read by everybody, the token cannot.

use super::process;
use pmi_shm::fd;
use std::io::{self, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::time::Duration;

/// What a process must know to be given anything.
pub(crate) type Token = [u64; 2];

/// Descriptors that are passed at a time, at most.
const MOST: usize = 2;
/// How long somebody who has connected may take to show the token. It is sent at once.
const TOKEN_LIMIT: Duration = Duration::from_millis(100);
/// How long an answer may take. Who does not answer closes the connection as a rule.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

fn address(name: u64) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("oshmpi-{name:016x}"))
}

/// As it is sent, and stands at the head of a job's memory.
pub(crate) fn token_bytes(token: Token) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&token[0].to_ne_bytes());
    bytes[8..].copy_from_slice(&token[1].to_ne_bytes());
    bytes
}

/// Where others ask for descriptors.
pub(crate) struct Counter {
    listener: UnixListener,
    /// Its random number, by which it is found.
    pub(crate) name: u64,
}

impl Counter {
    pub(crate) fn open() -> io::Result<Counter> {
        let name = process::random_token()[0];
        let listener = fd::off_stdio(OwnedFd::from(UnixListener::bind_addr(&address(name)?)?))?;
        let listener = UnixListener::from(listener);
        listener.set_nonblocking(true)?;
        Ok(Counter { listener, name })
    }

    /// Gives everybody who waits and knows the token these descriptors, at most [`MOST`]; does not wait for anybody to come. Whoever
    /// is not served when the counter is dropped reads an end.
    pub(crate) fn serve(&self, token: Token, fds: &[BorrowedFd<'_>]) {
        while let Ok((stream, _)) = self.listener.accept() {
            // Who fails here has gone or is a stranger.
            let _ = give(&stream, token, fds);
        }
    }
}

fn give(mut stream: &UnixStream, token: Token, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(TOKEN_LIMIT))?;
    let mut shown = [0; 16];
    stream.read_exact(&mut shown)?;
    if shown != token_bytes(token) {
        return Err(io::Error::from(io::ErrorKind::PermissionDenied));
    }
    let mut message = Message::default();
    let header = message.header(fds.len());
    // SAFETY: the header leads to buffers of `message`, which are long enough for at most MOST descriptors; the kernel reads them
    // during the call.
    let sent = unsafe {
        let control = libc::CMSG_FIRSTHDR(&raw const header);
        (*control).cmsg_level = libc::SOL_SOCKET;
        (*control).cmsg_type = libc::SCM_RIGHTS;
        (*control).cmsg_len = libc::CMSG_LEN((fds.len() * size_of::<i32>()) as u32) as _;
        for (i, fd) in fds.iter().enumerate() {
            libc::CMSG_DATA(control).cast::<i32>().add(i).write_unaligned(fd.as_raw_fd());
        }
        libc::sendmsg(stream.as_raw_fd(), &raw const header, libc::MSG_NOSIGNAL)
    };
    if sent == 1 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A question that has been asked.
pub(crate) struct Asked(UnixStream);

/// Asks at the counter of that name. Does not wait: an error says that nobody will answer.
pub(crate) fn ask(name: u64, token: Token) -> io::Result<Asked> {
    let address = address(name)?;
    // By hand: where more wait than the kernel lets, a connect of the standard library's waits too.
    // SAFETY: plain numbers; a non-negative result is a descriptor that only we own.
    let socket = unsafe {
        let flags = libc::SOCK_STREAM | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        let socket = libc::socket(libc::AF_UNIX, flags, 0);
        if socket < 0 {
            return Err(io::Error::last_os_error());
        }
        OwnedFd::from_raw_fd(socket)
    };
    let socket = fd::off_stdio(socket)?;
    let bytes = address.as_abstract_name().unwrap_or_default();
    // SAFETY: all zeros is a value of this structure of plain numbers.
    let mut to: libc::sockaddr_un = unsafe { core::mem::zeroed() };
    to.sun_family = libc::AF_UNIX as libc::sa_family_t;
    // An abstract name begins with a zero and has no end but its length.
    for (place, byte) in to.sun_path[1..].iter_mut().zip(bytes) {
        *place = *byte as libc::c_char;
    }
    let len = core::mem::offset_of!(libc::sockaddr_un, sun_path) + 1 + bytes.len();
    // SAFETY: the address is alive for the call and holds `len` bytes.
    if unsafe { libc::connect(socket.as_raw_fd(), (&raw const to).cast(), len as libc::socklen_t) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    let shown = token_bytes(token);
    // SAFETY: the bytes are alive for the call. A closed connection is an error and no signal.
    let sent = unsafe { libc::send(stream.as_raw_fd(), shown.as_ptr().cast(), shown.len(), libc::MSG_NOSIGNAL) };
    if sent == shown.len() as isize { Ok(Asked(stream)) } else { Err(io::Error::last_os_error()) }
}

impl Asked {
    /// The descriptors that are given; an error when there are none.
    pub(crate) fn receive(self) -> io::Result<Vec<OwnedFd>> {
        let mut message = Message::default();
        let mut header = message.header(MOST);
        let mut given = Vec::new();
        // SAFETY: the header leads to buffers of `message`, into which the kernel writes no more than there is room for. Descriptors in
        // a message that has been received are new and only ours; no length of theirs exceeds what CMSG_LEN of the whole says.
        unsafe {
            while libc::recvmsg(self.0.as_raw_fd(), &raw mut header, libc::MSG_CMSG_CLOEXEC) < 0 {
                match io::Error::last_os_error() {
                    e if e.kind() == io::ErrorKind::Interrupted => {}
                    e => return Err(e),
                }
            }
            let control = libc::CMSG_FIRSTHDR(&raw const header);
            if !control.is_null()
                && (*control).cmsg_level == libc::SOL_SOCKET
                && (*control).cmsg_type == libc::SCM_RIGHTS
            {
                let count = ((*control).cmsg_len as usize - libc::CMSG_LEN(0) as usize) / size_of::<i32>();
                for i in 0..count {
                    let fd = libc::CMSG_DATA(control).cast::<i32>().add(i).read_unaligned();
                    given.push(OwnedFd::from_raw_fd(fd));
                }
            }
        }
        if given.is_empty() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        given.into_iter().map(fd::off_stdio).collect()
    }
}

/// One byte, which a stream must carry, and room for the descriptors that go with it.
struct Message {
    byte: [u8; 1],
    part: libc::iovec,
    /// Aligned as a control header has to be.
    control: [MaybeUninit<libc::cmsghdr>; 2],
}

impl Default for Message {
    fn default() -> Message {
        let part = libc::iovec { iov_base: core::ptr::null_mut(), iov_len: 0 };
        Message { byte: [0], part, control: [const { MaybeUninit::zeroed() }; 2] }
    }
}

const _: () = {
    // SAFETY: arithmetic on a number.
    let space = unsafe { libc::CMSG_SPACE((MOST * size_of::<i32>()) as u32) };
    assert!(space as usize <= size_of::<[libc::cmsghdr; 2]>());
};

impl Message {
    /// Leads to this message's buffers, for `count` descriptors.
    fn header(&mut self, count: usize) -> libc::msghdr {
        debug_assert!(count <= MOST);
        self.part = libc::iovec { iov_base: self.byte.as_mut_ptr().cast(), iov_len: self.byte.len() };
        // SAFETY: all zeros is a value of this structure of numbers and pointers.
        let mut header: libc::msghdr = unsafe { core::mem::zeroed() };
        header.msg_iov = &raw mut self.part;
        header.msg_iovlen = 1;
        header.msg_control = self.control.as_mut_ptr().cast();
        // SAFETY: arithmetic on a number.
        header.msg_controllen = unsafe { libc::CMSG_SPACE((count * size_of::<i32>()) as u32) } as _;
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::memfd;
    use std::os::fd::AsFd;

    const TOKEN: Token = [11, 12];

    /// What was given is the very file; a stranger gets nothing and keeps nobody from being served.
    #[test]
    fn who_knows_the_token_is_given_the_files() {
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

    #[test]
    fn nobody_waits_for_a_counter_that_is_closed() {
        let counter = Counter::open().unwrap();
        let (name, asked) = (counter.name, ask(counter.name, TOKEN).unwrap());
        drop(counter);
        assert!(asked.receive().is_err());
        assert!(ask(name, TOKEN).is_err());
    }
}
