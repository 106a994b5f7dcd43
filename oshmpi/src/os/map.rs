//! Memory mappings. They are raw addresses: the memory belongs to C programs and to other processes, so Rust never
//! borrows it.

use super::few_words;
use core::sync::atomic::{AtomicU8, Ordering};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::sync::OnceLock;

/// Page size in bytes.
pub(crate) fn page() -> usize {
    // SAFETY: sysconf accesses no memory of this program, and every system has a page size.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// No process of Linux has addresses of this size, on any processor (x86-64 has 57 bits, half of them for the kernel).
/// An object of as many bytes exists nowhere.
pub(crate) const ADDRESS_SPACE: usize = 1 << 56;

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
    // SAFETY: without MAP_FIXED the kernel never replaces a mapping. The functions that pass MAP_FIXED are unsafe, and
    // their callers promise that nothing needs what is mapped there.
    let p = unsafe { libc::mmap(at as *mut libc::c_void, len, prot, flags | libc::MAP_NORESERVE, fd, offset) };
    if p == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(p as usize) }
}

/// Maps `len` bytes of `fd` from `offset` at address `at`, shared. It is an error if anything is mapped there. No
/// memory is committed.
pub(crate) fn shared_if_free(at: usize, fd: BorrowedFd<'_>, offset: u64, len: usize) -> io::Result<usize> {
    let flags = libc::MAP_SHARED | libc::MAP_FIXED_NOREPLACE | libc::MAP_NORESERVE;
    let offset = libc::off_t::try_from(offset).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    // The system call is made directly: ThreadSanitizer's mmap does not know MAP_FIXED_NOREPLACE, drops the address and
    // maps page 0. Libraries that watch mappings need not see this one, because it replaces nothing.
    // SAFETY: MAP_FIXED_NOREPLACE forbids the kernel to replace a mapping.
    let got = unsafe { libc::syscall(libc::SYS_mmap, at, len, READ_WRITE, flags, fd.as_raw_fd(), offset) };
    let got = if got == -1 { return Err(io::Error::last_os_error()) } else { got as usize };
    if got == at {
        return Ok(got);
    }
    // Kernels before 4.17 ignore the flag and take the address for a hint.
    // SAFETY: the mapping was made by the call above, and nobody else knows its address.
    unsafe { unmap(got, len) };
    Err(io::Error::from(io::ErrorKind::AddrInUse))
}

/// Maps `len` bytes of `fd` from `offset`, shared, at an address that the kernel chooses.
pub(crate) fn shared(fd: BorrowedFd<'_>, offset: u64, len: usize) -> io::Result<usize> {
    mmap(0, len, READ_WRITE, libc::MAP_SHARED, fd.as_raw_fd(), offset)
}

/// Maps `len` bytes of `fd` from `offset`, shared, in place of whatever is mapped at `at`.
///
/// # Safety
/// The caller owns `[at, at+len)`. The file holds the bytes that the program expects there.
pub(crate) unsafe fn shared_over(at: usize, fd: BorrowedFd<'_>, offset: u64, len: usize) -> io::Result<()> {
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    mmap(at, len, READ_WRITE, flags, fd.as_raw_fd(), offset).map(drop)
}

/// Reserves `len` bytes of address space, aligned to `align` (a power of two). They cannot be accessed until something
/// is mapped over them.
pub(crate) fn reserve(len: usize, align: usize) -> io::Result<usize> {
    let too_big = || io::Error::from_raw_os_error(libc::ENOMEM);
    let whole = len.checked_add(align).ok_or_else(too_big)?;
    let start = mmap(0, whole, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)?;
    let at = round_up(start, align).ok_or_else(too_big)?;
    let after = start + whole - (at + len);
    // SAFETY: both ranges belong to the reservation made above, and nobody else knows its address.
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

/// Maps private zeroed memory in place of whatever is mapped at `at`.
///
/// # Safety
/// The caller owns `[at, at+len)`, and nothing needs its content.
pub(crate) unsafe fn private_over(at: usize, len: usize) -> io::Result<()> {
    mmap(at, len, READ_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, -1, 0).map(drop)
}

/// Turns a range back into reserved address space, in place of whatever is mapped at `at`.
///
/// # Safety
/// The caller owns `[at, at+len)`, and nothing needs its content.
pub(crate) unsafe fn reserve_over(at: usize, len: usize) -> io::Result<()> {
    mmap(at, len, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED, -1, 0).map(drop)
}

/// Removes a mapping.
///
/// # Safety
/// `[at, at+len)` is mapped or empty, and nothing uses it any more.
pub(crate) unsafe fn unmap(at: usize, len: usize) {
    if len > 0 {
        // SAFETY: the caller promises that nothing uses the range any more.
        unsafe { libc::munmap(at as *mut libc::c_void, len) };
    }
}

/// Moves the mapping at `from` over the one at `to`.
///
/// # Safety
/// The caller owns both ranges of `len` bytes.
pub(crate) unsafe fn move_over(from: usize, to: usize, len: usize) -> io::Result<()> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // The system call is made directly: libraries that watch mappings, such as UCX, wrap mremap and lose its last
    // argument.
    // SAFETY: the caller owns both ranges, so nothing else needs what is unmapped at `from` or replaced at `to`.
    let p = unsafe { libc::syscall(libc::SYS_mremap, from, len, len, flags, to) };
    if p == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Leaves a mapping out of core files.
pub(crate) fn keep_out_of_cores(at: usize, len: usize) {
    // If the kernel refuses, core files are larger; nothing else changes.
    // SAFETY: this advice changes no content of any mapping.
    unsafe { libc::madvise(at as *mut libc::c_void, len, libc::MADV_DONTDUMP) };
}

/// Asks for pages of the normal size, each of which is allocated when it is first written.
pub(crate) fn advise_small(at: usize, len: usize) {
    // A kernel without huge pages refuses, and has pages of the normal size only.
    // SAFETY: this advice changes no content of any mapping.
    unsafe { libc::madvise(at as *mut libc::c_void, len, libc::MADV_NOHUGEPAGE) };
}

/// Asks for huge pages where memory is first written; true when the kernel has them for shared memory.
pub(crate) fn advise_huge(at: usize, len: usize) -> bool {
    static OFFERED: OnceLock<bool> = OnceLock::new();
    let setting = || few_words("/sys/kernel/mm/transparent_hugepage/shmem_enabled");
    let offered = || setting().is_ok_and(|s| !s.contains("[never]") && !s.contains("[deny]"));
    *OFFERED.get_or_init(offered) && advise(at, len, libc::MADV_HUGEPAGE).is_ok()
}

/// Bytes of the huge pages that the kernel makes by itself; 0 if it makes none.
pub(crate) fn transparent_size() -> usize {
    let read = few_words("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
    read.ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Has the memory of a file of huge pages promised to the file, for as long as the file exists. An error means that
/// there are too few pages.
pub(crate) fn promise(fd: BorrowedFd<'_>, len: usize) -> io::Result<()> {
    // SAFETY: without MAP_FIXED the kernel never replaces a mapping. Nobody knows the address of this one.
    unsafe {
        let at = libc::mmap(core::ptr::null_mut(), len, READ_WRITE, libc::MAP_SHARED, fd.as_raw_fd(), 0);
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        unmap(at as usize, len);
    }
    Ok(())
}

/// Takes the memory of a range now, as if each page of it were written. Linux 5.14 or later.
pub(crate) fn populate(at: usize, len: usize) -> io::Result<()> {
    const MADV_POPULATE_WRITE: libc::c_int = 23;
    advise(at, len, MADV_POPULATE_WRITE)
}

/// Makes huge pages of a range, whatever the system's setting for first writes is. Where they are to be, a small page
/// must be there already. True when all of them are huge. Linux 6.1 or later.
pub(crate) fn collapse(at: usize, len: usize) -> bool {
    const MADV_COLLAPSE: libc::c_int = 25;
    advise(at, len, MADV_COLLAPSE).is_ok()
}

/// Reads one byte of each stretch of `stretch` bytes that begins in a shared range, so that each has a page.
///
/// # Safety
/// The range is mapped for reading.
pub(crate) unsafe fn touch(at: usize, len: usize, stretch: usize) {
    for byte in (at..at + len).step_by(stretch) {
        // SAFETY: the caller promises that the byte can be read. Other processes may write it meanwhile, so the access
        // is atomic.
        unsafe { AtomicU8::from_ptr(byte as *mut u8) }.load(Ordering::Relaxed);
    }
}

fn advise(at: usize, len: usize, advice: libc::c_int) -> io::Result<()> {
    // SAFETY: the callers' kinds of advice change no content of any mapping.
    let done = unsafe { libc::madvise(at as *mut libc::c_void, len, advice) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
