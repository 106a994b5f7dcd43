//! Memory of the server that clients can only read.
//!
//! A memfd has no name, so it leaves nothing behind. The server maps it for writing and then seals it. From then on the
//! kernel refuses every new writable mapping, every `write` and every truncation (Linux 5.1). Clients get a descriptor
//! for reading. Both sides map as much address space as the store may ever need, of which the file fills the beginning.

use super::table::AtomicU64;
use crate::fd;
use nix::fcntl::{FcntlArg, SealFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::resource::{Resource, getrlimit};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;
use std::ptr::NonNull;

/// Bytes that a store may have: a thousand for each of four million processes.
const MOST: usize = 4 << 30;

/// A mapping, which is undone when dropped.
pub(super) struct Memory {
    base: NonNull<AtomicU64>,
    pub(super) bytes: usize,
}

// SAFETY: the words are accessed by atomics only. The mapping is undone once, by its owner.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    /// A mapping for the one writer: of a file, or of private memory. It is shorter where the process's limits ask for
    /// it.
    pub(super) fn to_write(file: Option<BorrowedFd<'_>>) -> io::Result<Memory> {
        let first = Memory::map(file, true, MOST);
        [MOST >> 4, MOST >> 8]
            .into_iter()
            .fold(first, |found, less| found.or_else(|e| Memory::map(file, true, less).map_err(|_| e)))
    }

    /// A mapping of all that a file may ever have. None where it would take a good part of the process's limit of
    /// address space: its other memory would be missing.
    pub(super) fn to_read(file: BorrowedFd<'_>) -> io::Result<Memory> {
        let (limit, _) = getrlimit(Resource::RLIMIT_AS)?;
        if limit < 16 * MOST as u64 {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        Memory::map(Some(file), false, MOST)
    }

    fn map(file: Option<BorrowedFd<'_>>, writable: bool, bytes: usize) -> io::Result<Memory> {
        let access = if writable { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_READ };
        let (kind, fd) = match file {
            Some(fd) => (libc::MAP_SHARED, fd.as_raw_fd()),
            None => (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1),
        };
        // SAFETY: a new mapping at an address that the kernel chooses.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind | libc::MAP_NORESERVE, fd, 0) };
        let start = NonNull::new(base.cast()).filter(|_| base != libc::MAP_FAILED);
        let memory = Memory { base: start.ok_or_else(io::Error::last_os_error)?, bytes };
        // SAFETY: the range was mapped above. A core file need not hold it.
        unsafe { libc::madvise(base, bytes, libc::MADV_DONTDUMP) };
        Ok(memory)
    }

    /// All words. Those beyond the end of the file must not be accessed.
    pub(super) fn words(&self) -> &[AtomicU64] {
        // SAFETY: mapped as long as `self` lives, aligned to pages, and accessed by atomics of all processes.
        unsafe { std::slice::from_raw_parts(self.base.as_ptr(), self.bytes / 8) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned, and words borrow it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.bytes) };
    }
}

/// A file of the server, and a descriptor of it for reading.
pub(super) struct Shared {
    file: File,
    pub(super) readers: File,
}

impl Shared {
    /// A sealed file of `bytes` bytes, and its mapping for writing.
    pub(super) fn new(bytes: usize) -> io::Result<(Shared, Memory)> {
        // Linux 6.3; not every version of libc lists it. Some systems refuse a memfd that could be executed.
        const MFD_NOEXEC_SEAL: libc::c_uint = 8;
        let plain = MFdFlags::MFD_CLOEXEC | MFdFlags::MFD_ALLOW_SEALING;
        let memfd = |flags| memfd_create(c"pmi-shm", flags);
        let file = memfd(plain | MFdFlags::from_bits_retain(MFD_NOEXEC_SEAL)).or_else(|_| memfd(plain))?;
        let file = File::from(file);
        resize(&file, bytes)?;
        let memory = Memory::to_write(Some(file.as_fd()))?;
        let seal = |seals| fcntl(&file, FcntlArg::F_ADD_SEALS(SealFlag::from_bits_retain(seals)));
        let size = libc::F_SEAL_SHRINK | libc::F_SEAL_SEAL;
        let readers = File::open(format!("/proc/self/fd/{}", file.as_raw_fd()));
        let readers = match seal(libc::F_SEAL_FUTURE_WRITE | size) {
            // Without /proc clients get the writable descriptor: the seals forbid writing all the same.
            Ok(_) => readers.or_else(|_| file.try_clone())?,
            Err(_) => {
                seal(size)?;
                file.set_permissions(Permissions::from_mode(0o400))?;
                readers?
            }
        };
        Ok((Shared { file, readers }, memory))
    }

    pub(super) fn grow(&self, bytes: usize) -> io::Result<()> {
        resize(&self.file, bytes)
    }
}

/// Makes a file at least `bytes` long. A client may have made it longer already.
fn resize(file: &File, bytes: usize) -> io::Result<()> {
    if file.metadata()?.len() >= bytes as u64 {
        return Ok(());
    }
    fd::check_size(bytes as u64)?;
    file.set_len(bytes as u64)
}
