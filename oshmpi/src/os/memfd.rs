//! Memory without a name: it vanishes with the last process that holds it, whatever kills that process.

use pmi_shm::{fd, limits};
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};

/// Bytes that are committed at a time.
const PIECE: usize = 4 << 20;

/// A nameless shared memory file, and which kind it is.
pub(crate) struct Memfd {
    pub(crate) fd: OwnedFd,
    /// It lies in /dev/shm and is bounded by that file system's size.
    pub(crate) on_disk: bool,
}

impl Memfd {
    /// The same error, with what it is about.
    pub(crate) fn located(&self, e: io::Error) -> io::Error {
        if self.on_disk { io::Error::new(e.kind(), format!("/dev/shm: {e}")) } else { e }
    }
}

/// Makes an empty one: a memfd, or where the kernel gives none an unnamed file in /dev/shm. An error says why there is neither.
pub(crate) fn create() -> io::Result<Memfd> {
    let name = CString::new("oshmpi").expect("no NUL in a literal");
    // SAFETY: the name is a C string alive for the call; a non-negative result is a descriptor only we own.
    let make = |flags| unsafe {
        let fd = libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC | flags);
        (fd >= 0).then(|| OwnedFd::from_raw_fd(fd))
    };
    // Kernels before 6.3 know no such flag, and later ones may be told to refuse a file without it.
    if let Some(fd) = make(libc::MFD_NOEXEC_SEAL).or_else(|| make(0)) {
        return Ok(Memfd { fd: fd::off_stdio(fd)?, on_disk: false });
    }
    let refused = io::Error::last_os_error();
    if limits::advice(&refused).is_some() {
        return Err(refused); // another kind of file needs a descriptor too
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

/// Opens a descriptor of another process of this machine. Fails when that process is in another PID namespace, belongs
/// to another user, or is gone.
pub(crate) fn open_of(pid: u32, fd: i32) -> io::Result<OwnedFd> {
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_CLOEXEC)
        .open(format!("/proc/{pid}/fd/{fd}"))?;
    Ok(fd::off_stdio(file)?.into())
}

/// Sets the size; new bytes read as zero and cost nothing until written.
pub(crate) fn resize(fd: impl AsFd, len: u64) -> io::Result<()> {
    let file = File::from(fd.as_fd().try_clone_to_owned()?);
    fd::check_size(len)?;
    file.set_len(len)
}

/// Writes at an offset, all of it.
pub(crate) fn write_at(fd: impl AsFd, bytes: &[u8], offset: u64) -> io::Result<()> {
    let file = File::from(fd.as_fd().try_clone_to_owned()?);
    fd::check_size(offset + bytes.len() as u64)?;
    file.write_all_at(bytes, offset)
}

/// The same from raw memory of this process, which nobody else changes meanwhile. By the kernel itself: the executable's
/// variables may be instrumented (AddressSanitizer surrounds them with bytes that library calls must not touch).
///
/// # Safety
/// `[from, from+len)` can be read.
pub(crate) unsafe fn write_memory(fd: impl AsFd, from: *const u8, len: usize, offset: u64) -> io::Result<()> {
    let mut done = 0;
    while done < len {
        // SAFETY: passed on to the caller; the kernel checks the range.
        let n = unsafe {
            libc::syscall(libc::SYS_pwrite64, fd.as_fd().as_raw_fd(), from.add(done), len - done, offset + done as u64)
        };
        match n {
            n if n > 0 => done += n as usize,
            0 => return Err(io::Error::from(io::ErrorKind::WriteZero)),
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

/// Reads exactly `bytes.len()` bytes.
pub(crate) fn read_at(fd: impl AsFd, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    File::from(fd.as_fd().try_clone_to_owned()?).read_exact_at(bytes, offset)
}

/// Reads what there is of `bytes.len()` bytes; the rest stays as it is.
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

/// Reads `len` bytes at an offset into raw memory of this process, by the kernel itself as in [`write_memory`].
///
/// # Safety
/// `[to, to+len)` can be written and nothing else uses it.
pub(crate) unsafe fn read_memory(fd: impl AsFd, to: *mut u8, len: usize, offset: u64) -> io::Result<()> {
    let fd = fd.as_fd().as_raw_fd();
    let mut done = 0;
    while done < len {
        // SAFETY: passed on to the caller; the kernel checks the range.
        let n = unsafe { libc::syscall(libc::SYS_pread64, fd, to.add(done), len - done, offset + done as u64) };
        match n {
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

/// Calls `found(offset, len)` for every run of `[offset, offset+len)` that was ever written; the rest reads as zero.
pub(crate) fn data_extents(
    fd: impl AsFd,
    offset: u64,
    len: u64,
    mut found: impl FnMut(u64, u64) -> io::Result<()>,
) -> io::Result<()> {
    let fd = fd.as_fd().as_raw_fd();
    // The file position is of no use to anybody: all reads name their offset.
    // SAFETY: plain numbers and a descriptor that is open for the call.
    let seek = |at: u64, whence| unsafe { libc::lseek(fd, at as libc::off_t, whence) };
    let end = offset + len;
    let mut at = offset;
    while at < end {
        let data = match seek(at, libc::SEEK_DATA) {
            d if d >= 0 => d as u64,
            _ if io::Error::last_os_error().raw_os_error() == Some(libc::ENXIO) => break, // no data behind `at`
            _ => return Err(io::Error::last_os_error()),
        };
        if data >= end {
            break;
        }
        let hole = match seek(data, libc::SEEK_HOLE) {
            h if h >= 0 => (h as u64).min(end),
            _ => return Err(io::Error::last_os_error()),
        };
        found(data, hole - data)?;
        at = hole;
    }
    Ok(())
}

/// Makes sure that writing there cannot fail later: an error now instead of a SIGBUS then. Costs the memory at once,
/// so it is meant for files whose file system has a limit. What an error leaves of it is the caller's to discard.
pub(crate) fn commit(fd: impl AsFd, offset: u64, len: u64) -> io::Result<()> {
    // A call that a signal interrupts undoes all it has done: in pieces, a program's timer cannot keep us from ever coming to the end.
    for done in (0..len).step_by(PIECE) {
        allocate(fd.as_fd(), 0, offset + done, (len - done).min(PIECE as u64))?;
    }
    Ok(())
}

/// Gives the memory of a range back; it reads as zero afterwards.
pub(crate) fn discard(fd: impl AsFd, offset: u64, len: u64) -> io::Result<()> {
    allocate(fd, libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE, offset, len)
}

fn allocate(fd: impl AsFd, mode: libc::c_int, offset: u64, len: u64) -> io::Result<()> {
    if len == 0 {
        return Ok(());
    }
    let invalid = |_| io::Error::from(io::ErrorKind::InvalidInput);
    let (offset, len) = (i64::try_from(offset).map_err(invalid)?, i64::try_from(len).map_err(invalid)?);
    loop {
        // SAFETY: plain numbers and a descriptor that is open for the call.
        if unsafe { libc::fallocate(fd.as_fd().as_raw_fd(), mode, offset, len) } == 0 {
            return Ok(());
        }
        match io::Error::last_os_error() {
            e if e.kind() == io::ErrorKind::Interrupted => {}
            e => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn all_of_a_range_is_committed_and_given_back() {
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
