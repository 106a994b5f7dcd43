//! Mappings. Raw addresses, since the memory belongs to C programs and to other processes: Rust never borrows it.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

/// Page size in bytes.
pub(crate) fn page() -> usize {
    // SAFETY: sysconf reads a constant.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// `n` rounded up to a multiple of `to`, a power of two. None when that overflows.
pub(crate) fn round_up(n: usize, to: usize) -> Option<usize> {
    Some(n.checked_add(to - 1)? & !(to - 1))
}

const READ_WRITE: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

fn mmap(
    at: usize,
    len: usize,
    prot: libc::c_int,
    flags: libc::c_int,
    fd: libc::c_int,
    offset: u64,
) -> io::Result<usize> {
    let offset = libc::off_t::try_from(offset).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // SAFETY: without MAP_FIXED the kernel never replaces a mapping; the callers with MAP_FIXED say why they may.
    let p = unsafe { libc::mmap(at as *mut libc::c_void, len, prot, flags | libc::MAP_NORESERVE, fd, offset) };
    if p == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(p as usize) }
}

/// Maps `len` bytes of `fd` from `offset` at address `at`, shared, if nothing is mapped there, else an error. Nothing is
/// committed.
pub(crate) fn shared_if_free(at: usize, fd: BorrowedFd<'_>, offset: u64, len: usize) -> io::Result<usize> {
    let flags = libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE | libc::MAP_NORESERVE;
    let offset = libc::off_t::try_from(offset).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // The system call itself: ThreadSanitizer's mmap, not knowing MAP_FIXED_NOREPLACE, takes the address for a hint,
    // drops it, and maps page 0. What is mapped here is new to everybody, so no library's hook needs to hear of it.
    // SAFETY: the flag forbids replacing a mapping.
    let got = unsafe { libc::syscall(libc::SYS_mmap, at, len, READ_WRITE, flags, fd.as_raw_fd(), offset) };
    let got = if got == -1 { return Err(io::Error::last_os_error()) } else { got as usize };
    if got == at {
        return Ok(got);
    }
    // Kernels before 4.17 take the flag for a hint.
    // SAFETY: we made this mapping a line above and nobody knows it.
    unsafe { unmap(got, len) };
    Err(io::Error::from(io::ErrorKind::AddrInUse))
}

/// The same anywhere.
pub(crate) fn shared(fd: BorrowedFd<'_>, offset: u64, len: usize) -> io::Result<usize> {
    mmap(0, len, READ_WRITE, libc::MAP_SHARED, fd.as_raw_fd(), offset)
}

/// The same in place of whatever is mapped at `at`.
///
/// # Safety
/// The caller owns `[at, at+len)` and keeps the bytes the program expects there.
pub(crate) unsafe fn shared_over(at: usize, fd: BorrowedFd<'_>, offset: u64, len: usize) -> io::Result<()> {
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    mmap(at, len, READ_WRITE, flags, fd.as_raw_fd(), offset).map(drop)
}

/// Address space only, aligned to `align` (a power of two): nothing can be read there until something is mapped over.
/// The few bytes left over at both ends are given back.
pub(crate) fn reserve(len: usize, align: usize) -> io::Result<usize> {
    let too_big = || io::Error::from_raw_os_error(libc::ENOMEM);
    let whole = len.checked_add(align).ok_or_else(too_big)?;
    let start = mmap(0, whole, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)?;
    let at = round_up(start, align).ok_or_else(too_big)?;
    let after = start + whole - (at + len);
    // SAFETY: both ends belong to the reservation made above, which nobody else knows.
    unsafe {
        unmap(start, at - start);
        unmap(at + len, after);
    }
    Ok(at)
}

/// Private zeroed memory, readable and writable, anywhere.
pub(crate) fn private(len: usize) -> io::Result<usize> {
    mmap(0, len, READ_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
}

/// The same in place of whatever is mapped at `at`.
///
/// # Safety
/// The caller owns `[at, at+len)`, and nothing there is needed.
pub(crate) unsafe fn private_over(at: usize, len: usize) -> io::Result<()> {
    mmap(at, len, READ_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, -1, 0).map(drop)
}

/// Makes a range a bare reservation again.
///
/// # Safety
/// As for [`private_over`].
pub(crate) unsafe fn reserve_over(at: usize, len: usize) -> io::Result<()> {
    mmap(at, len, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, -1, 0).map(drop)
}

/// # Safety
/// `[at, at+len)` is a mapping (or empty) that nothing uses any more.
pub(crate) unsafe fn unmap(at: usize, len: usize) {
    if len > 0 {
        // SAFETY: passed on to the caller.
        unsafe { libc::munmap(at as *mut libc::c_void, len) };
    }
}

/// Moves the mapping at `from` over the one at `to`.
///
/// # Safety
/// The caller owns both ranges of `len` bytes.
pub(crate) unsafe fn move_over(from: usize, to: usize, len: usize) -> io::Result<()> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // The kernel's own call: libraries that watch mappings (UCX does) wrap mremap and lose its last argument.
    // SAFETY: passed on to the caller.
    let p = unsafe { libc::syscall(libc::SYS_mremap, from, len, len, flags, to) };
    if p == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Leaves a mapping out of core files.
pub(crate) fn keep_out_of_cores(at: usize, len: usize) {
    // A kernel that refuses writes larger files, and that is all.
    // SAFETY: advice about a mapping of ours; it changes no content.
    unsafe { libc::madvise(at as *mut libc::c_void, len, libc::MADV_DONTDUMP) };
}

/// Asks for pages of the usual size, each by itself when it is first written.
pub(crate) fn advise_small(at: usize, len: usize) {
    // A kernel without huge pages refuses, and that is all.
    // SAFETY: advice about a mapping of ours; it changes no content.
    unsafe { libc::madvise(at as *mut libc::c_void, len, libc::MADV_NOHUGEPAGE) };
}

/// Asks for huge pages; true when the kernel has them for shared memory.
pub(crate) fn advise_huge(at: usize, len: usize) -> bool {
    let offered = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/shmem_enabled")
        .is_ok_and(|s| !s.contains("[never]") && !s.contains("[deny]"));
    // SAFETY: advice about a mapping of ours; it changes no content.
    offered && unsafe { libc::madvise(at as *mut libc::c_void, len, libc::MADV_HUGEPAGE) } == 0
}
