//! Descriptors that a process keeps for itself: not handed on to programs it starts, and none of the standard streams'.

use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A copy of a descriptor, whose number is that of no standard stream.
pub fn copy(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: fcntl looks the number up and touches no memory.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, libc::STDERR_FILENO + 1) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a fresh descriptor that nobody else knows.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// A file may be so many bytes long. To make it longer than the limit for files would be a signal that ends the process, if not an
/// error.
pub fn check_size(bytes: u64) -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: fills the struct it is given.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    if known && bytes > limit.rlim_cur {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    Ok(())
}

/// The same file where the program does not take it for a standard stream: in a process that was started with one of
/// them closed the kernel gives its number to what is opened next, and a message would be written into that.
pub fn off_stdio<F: AsFd + From<OwnedFd>>(file: F) -> io::Result<F> {
    match file.as_fd().as_raw_fd() {
        libc::STDIN_FILENO..=libc::STDERR_FILENO => Ok(copy(file.as_fd().as_raw_fd())?.into()),
        _ => Ok(file),
    }
}
