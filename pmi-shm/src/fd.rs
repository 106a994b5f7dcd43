//! Descriptors that a process keeps for itself. Programs that it starts do not inherit them, and none of them has the
//! number of a standard stream.

use nix::sys::resource::{Resource, getrlimit};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};

/// A copy of a descriptor. Its number is that of no standard stream.
pub fn copy(fd: RawFd) -> io::Result<OwnedFd> {
    // SAFETY: fcntl looks the number up and touches no memory.
    let copy = unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, libc::STDERR_FILENO + 1) };
    if copy < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(copy) })
}

/// Refuses a file of `bytes` bytes that is longer than the process may make a file. Without this check the kernel would
/// send a signal that ends the process.
pub fn check_size(bytes: u64) -> io::Result<()> {
    match getrlimit(Resource::RLIMIT_FSIZE) {
        Ok((soft, _)) if bytes > soft => Err(io::Error::from_raw_os_error(libc::EFBIG)),
        _ => Ok(()),
    }
}

/// Moves a descriptor away from the numbers of the standard streams. In a process that was started with a standard
/// stream closed, the kernel gives that stream's number to the next file, and messages would be written into it.
pub fn off_stdio<F: AsFd + From<OwnedFd>>(file: F) -> io::Result<F> {
    match file.as_fd().as_raw_fd() {
        libc::STDIN_FILENO..=libc::STDERR_FILENO => Ok(copy(file.as_fd().as_raw_fd())?.into()),
        _ => Ok(file),
    }
}
