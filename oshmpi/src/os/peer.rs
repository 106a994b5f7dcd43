//! Another process's memory through the kernel, where it cannot be mapped.

use std::io;

/// Copies `len` bytes from this process to `there` in process `pid`. All or an error.
///
/// # Safety
/// `[here, here+len)` can be read; what lies at `there` belongs to the protocol of both processes.
pub(crate) unsafe fn write(pid: i32, there: usize, here: *const u8, len: usize) -> io::Result<()> {
    // SAFETY: passed on to the caller; the kernel checks the remote side itself.
    moved(len, |done| unsafe {
        let local = libc::iovec { iov_base: here.add(done).cast_mut().cast(), iov_len: len - done };
        let remote = libc::iovec { iov_base: (there + done) as *mut libc::c_void, iov_len: len - done };
        libc::process_vm_writev(pid, &local, 1, &remote, 1, 0)
    })
}

/// Copies `len` bytes from `there` in process `pid` to this process. All or an error.
///
/// # Safety
/// `[here, here+len)` can be written and nothing else uses it.
pub(crate) unsafe fn read(pid: i32, there: usize, here: *mut u8, len: usize) -> io::Result<()> {
    // SAFETY: passed on to the caller; the kernel checks the remote side itself.
    moved(len, |done| unsafe {
        let local = libc::iovec { iov_base: here.add(done).cast(), iov_len: len - done };
        let remote = libc::iovec { iov_base: (there + done) as *mut libc::c_void, iov_len: len - done };
        libc::process_vm_readv(pid, &local, 1, &remote, 1, 0)
    })
}

/// The kernel moves at most 2 GiB per call and may stop early.
fn moved(len: usize, mut step: impl FnMut(usize) -> isize) -> io::Result<()> {
    let mut done = 0;
    while done < len {
        match step(done) {
            n if n > 0 => done += n as usize,
            0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            _ => {
                let e = io::Error::last_os_error();
                if e.kind() != io::ErrorKind::Interrupted {
                    return Err(e);
                }
            }
        }
    }
    Ok(())
}

/// Lets processes of this user use the calls above on us where the Yama module would refuse them.
pub(crate) fn allow() {
    // SAFETY: prctl with constants; unknown options are refused without effect.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::PR_SET_PTRACER_ANY, 0, 0, 0) };
}
