//! Another process's memory, through the kernel, where it cannot be mapped.

use super::move_all;
use std::io;

/// Copies `len` bytes from this process to `there` in process `pid`. All of them, or an error.
///
/// # Safety
/// `[here, here+len)` can be read. Both processes agree that `[there, there+len)` may be written.
pub(crate) unsafe fn write(pid: i32, there: usize, here: *const u8, len: usize) -> io::Result<()> {
    // SAFETY: the caller promises that `len` bytes can be read at `here`, and `done` is below `len`. The kernel checks
    // the other process's addresses, and both iovecs are alive for the call.
    move_all(len, io::ErrorKind::UnexpectedEof, |done| unsafe {
        let local = libc::iovec { iov_base: here.add(done).cast_mut().cast(), iov_len: len - done };
        let remote = libc::iovec { iov_base: (there + done) as *mut libc::c_void, iov_len: len - done };
        libc::process_vm_writev(pid, &local, 1, &remote, 1, 0)
    })
}

/// Copies `len` bytes from `there` in process `pid` to this process. All of them, or an error.
///
/// # Safety
/// `[here, here+len)` can be written, and nothing else uses it.
pub(crate) unsafe fn read(pid: i32, there: usize, here: *mut u8, len: usize) -> io::Result<()> {
    // SAFETY: the caller promises that `len` bytes can be written at `here`, and `done` is below `len`. The kernel
    // checks the other process's addresses, and both iovecs are alive for the call.
    move_all(len, io::ErrorKind::UnexpectedEof, |done| unsafe {
        let local = libc::iovec { iov_base: here.add(done).cast(), iov_len: len - done };
        let remote = libc::iovec { iov_base: (there + done) as *mut libc::c_void, iov_len: len - done };
        libc::process_vm_readv(pid, &local, 1, &remote, 1, 0)
    })
}

/// Lets processes of this user use the calls above on this process, where the Yama module would refuse them.
pub(crate) fn allow() {
    // SAFETY: a prctl with constants, which changes no memory. A kernel without Yama refuses the option.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
}
