//! Memory without a name. It vanishes with the last process that holds it, whatever ends that process.

use super::move_all;
use nix::errno::Errno;
use nix::fcntl::{FallocateFlags, FcntlArg, SealFlag, fallocate, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::unistd::{Whence, lseek};
use pmi_shm::{fd, limits};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

/// Bytes that one call commits. A signal that interrupts the call undoes it, and it starts again. With larger pieces, a
/// program's timer could keep the call from ever ending. Smaller ones cost more calls.
const PIECE: usize = 4 << 20;

/// A shared memory file without a name.
pub(crate) struct Memfd {
    pub(crate) fd: OwnedFd,
    /// The file lies in /dev/shm, and the size of that file system limits it.
    pub(crate) on_disk: bool,
}

impl Memfd {
    /// Adds the name of the file system to an error, if the file lies in one.
    pub(crate) fn located(&self, e: io::Error) -> io::Error {
        if self.on_disk { io::Error::new(e.kind(), format!("/dev/shm: {e}")) } else { e }
    }
}

/// Makes an empty file: a memfd, or an unnamed file in /dev/shm where the kernel refuses a memfd. An error tells why
/// neither was possible.
pub(crate) fn create() -> io::Result<Memfd> {
    let make = |flags| memfd_create(c"oshmpi", MFdFlags::MFD_CLOEXEC | flags);
    // Kernels before 6.3 do not know MFD_NOEXEC_SEAL. Later ones may be configured to refuse a file without it.
    let (seal, no_exec) = (MFdFlags::MFD_ALLOW_SEALING, MFdFlags::from_bits_retain(libc::MFD_NOEXEC_SEAL));
    let refused = match make(seal | no_exec).or_else(|_| make(seal)) {
        Ok(fd) => return Ok(Memfd { fd: fd::off_stdio(fd)?, on_disk: false }),
        Err(e) => io::Error::from(e),
    };
    if limits::advice(&refused).is_some() {
        return Err(refused); // a file in /dev/shm would reach the same limit of the process
    }
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .mode(0o600)
        .custom_flags(libc::O_TMPFILE | libc::O_CLOEXEC)
        .open("/dev/shm");
    let file = file.map_err(|e| io::Error::new(e.kind(), format!("memfd_create: {refused}; /dev/shm: {e}")))?;
    Ok(Memfd { fd: fd::off_stdio(file)?.into(), on_disk: true })
}

/// Opens a descriptor of another process of this machine. Fails if that process is in another PID namespace, belongs to
/// another user, or has ended.
pub(crate) fn open_of(pid: u32, fd: i32) -> io::Result<OwnedFd> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_CLOEXEC)
        .open(format!("/proc/{pid}/fd/{fd}"))?;
    Ok(fd::off_stdio(file)?.into())
}

/// Sets the size. New bytes read as zero and take no memory until they are written.
pub(crate) fn resize(fd: impl AsFd, len: u64) -> io::Result<()> {
    let file = File::from(fd.as_fd().try_clone_to_owned()?);
    fd::check_size(len)?;
    file.set_len(len)
}

/// Fixes the size of a memfd. Another process of this user could make the file shorter otherwise, and the next access
/// behind its end would end a PE by SIGBUS. An unnamed file in /dev/shm cannot be sealed.
pub(crate) fn seal_size(fd: impl AsFd) {
    let seals = SealFlag::F_SEAL_SHRINK | SealFlag::F_SEAL_GROW | SealFlag::F_SEAL_SEAL;
    // Another PE may have sealed it already. A kernel without seals (before 3.17) has no memfd either.
    let _ = fcntl(fd, FcntlArg::F_ADD_SEALS(seals));
}

pub(crate) fn write_at(fd: impl AsFd, bytes: &[u8], offset: u64) -> io::Result<()> {
    let file = File::from(fd.as_fd().try_clone_to_owned()?);
    fd::check_size(offset + bytes.len() as u64)?;
    file.write_all_at(bytes, offset)
}

/// Writes `len` bytes of this process's memory at an offset. The system call is made directly: the memory may be the
/// variables of the executable, which AddressSanitizer surrounds with bytes that library calls must not touch.
///
/// # Safety
/// `[from, from+len)` can be read, and nobody changes it during the call.
pub(crate) unsafe fn write_memory(fd: impl AsFd, from: *const u8, len: usize, offset: u64) -> io::Result<()> {
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the caller promises that `len` bytes can be read at `from`, and `done` is below `len`.
    move_all(len, io::ErrorKind::WriteZero, |done| unsafe {
        libc::syscall(libc::SYS_pwrite64, fd, from.add(done), len - done, offset + done as u64) as isize
    })
}

/// Reads exactly `bytes.len()` bytes.
pub(crate) fn read_at(fd: impl AsFd, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    File::from(fd.as_fd().try_clone_to_owned()?).read_exact_at(bytes, offset)
}

/// Reads `bytes.len()` bytes, or fewer at the end of the file. The rest of `bytes` is not changed.
pub(crate) fn read_up_to(fd: impl AsFd, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    let file = File::from(fd.as_fd().try_clone_to_owned()?);
    let mut done = 0;
    while done < bytes.len() {
        match file.read_at(&mut bytes[done..], offset + done as u64)? {
            0 => break,
            n => done += n,
        }
    }
    Ok(())
}

/// Reads `len` bytes at an offset into memory of this process, by a direct system call as [`write_memory`] does.
///
/// # Safety
/// `[to, to+len)` can be written, and nothing else uses it.
pub(crate) unsafe fn read_memory(fd: impl AsFd, to: *mut u8, len: usize, offset: u64) -> io::Result<()> {
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the caller promises that `len` bytes can be written at `to`, and `done` is below `len`.
    move_all(len, io::ErrorKind::UnexpectedEof, |done| unsafe {
        libc::syscall(libc::SYS_pread64, fd, to.add(done), len - done, offset + done as u64) as isize
    })
}

/// Calls `found(offset, len)` for every run of bytes in `[offset, offset+len)` that was ever written. The rest reads as
/// zero.
pub(crate) fn data_extents(
    fd: impl AsFd,
    offset: u64,
    len: u64,
    mut found: impl FnMut(u64, u64) -> io::Result<()>,
) -> io::Result<()> {
    // All reads and writes name their offset, so nobody uses the file position that this changes.
    let seek = |at: u64, whence| lseek(fd.as_fd(), at as libc::off_t, whence).map(|at| at as u64);
    let end = offset + len;
    let mut at = offset;
    while at < end {
        let data = match seek(at, Whence::SeekData) {
            Err(Errno::ENXIO) => break, // no data behind `at`
            data => data?,
        };
        if data >= end {
            break;
        }
        at = seek(data, Whence::SeekHole)?.min(end);
        found(data, at - data)?;
    }
    Ok(())
}

/// Takes the memory of a range now, so that writing there cannot fail later: an error here takes the place of a SIGBUS
/// then. It is for files whose file system has a limit. After an error the caller discards the range.
pub(crate) fn commit(fd: impl AsFd, offset: u64, len: u64) -> io::Result<()> {
    for done in (0..len).step_by(PIECE) {
        allocate(fd.as_fd(), FallocateFlags::empty(), offset + done, (len - done).min(PIECE as u64))?;
    }
    Ok(())
}

/// Gives the memory of a range back to the system. The range reads as zero afterwards.
pub(crate) fn discard(fd: impl AsFd, offset: u64, len: u64) -> io::Result<()> {
    allocate(fd, FallocateFlags::FALLOC_FL_PUNCH_HOLE | FallocateFlags::FALLOC_FL_KEEP_SIZE, offset, len)
}

fn allocate(fd: impl AsFd, mode: FallocateFlags, offset: u64, len: u64) -> io::Result<()> {
    if len == 0 {
        return Ok(());
    }
    let invalid = |_| io::Error::from(io::ErrorKind::InvalidInput);
    let (offset, len) = (i64::try_from(offset).map_err(invalid)?, i64::try_from(len).map_err(invalid)?);
    loop {
        match fallocate(fd.as_fd(), mode, offset, len) {
            Err(Errno::EINTR) => {}
            done => return Ok(done?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_sealed_size_stays_and_memory_can_still_be_given_back() {
        let memory = create().unwrap();
        assert!(!memory.on_disk, "this system refuses memfd_create");
        let page = crate::os::map::page() as u64;
        resize(&memory.fd, 4 * page).unwrap();
        seal_size(&memory.fd);
        assert!(resize(&memory.fd, page).is_err() && resize(&memory.fd, 5 * page).is_err());
        resize(&memory.fd, 4 * page).unwrap();
        write_at(&memory.fd, b"x", 3 * page).unwrap();
        commit(&memory.fd, 0, 4 * page).unwrap();
        discard(&memory.fd, 0, 4 * page).unwrap();
    }

    #[test]
    fn all_of_a_range_is_committed_and_discarded() {
        let file = File::from(create().unwrap().fd);
        let (page, pieces) = (crate::os::map::page() as u64, 2 * PIECE as u64);
        resize(&file, pieces + 4 * page).unwrap();
        let pages = || file.metadata().unwrap().blocks() * 512 / page;
        commit(&file, page + 1, pieces).unwrap();
        assert_eq!(pages(), pieces / page + 1);
        discard(&file, page, pieces + page).unwrap();
        assert_eq!(pages(), 0);
    }
}
