//! Advice for errors that come from limits of processes (`setrlimit`, `ulimit`), and from full file systems.

use std::ffi::{CStr, c_ulong};
use std::{fmt, io};

/// What to do about an error. `None`: the error does not come from a limit, or not for sure.
pub fn advice(e: &io::Error) -> Option<&'static str> {
    match e.raw_os_error()? {
        libc::EMFILE => Some("raise the limit of open files (ulimit -n)"),
        libc::EFBIG => Some("raise the limit of file sizes (ulimit -f)"),
        libc::ENOMEM => Some("raise the limit of memory (ulimit -v)"),
        libc::EAGAIN => Some("raise the limit of processes (ulimit -u, or pids of the container)"),
        _ => None,
    }
}

/// The advice as the end of a message; nothing if there is none.
pub fn hint(e: &io::Error) -> String {
    advice(e).map(|advice| format!("; {advice}")).unwrap_or_default()
}

/// The file system in which MPIs keep the memory that processes share.
pub const SHARED_MEMORY: &CStr = c"/dev/shm";

/// How much of a file system is free.
pub struct Room<'a> {
    place: &'a CStr,
    free: u64,
    total: u64,
}

impl Room<'_> {
    /// `None`: the place is not there. Makes a system call only, so signal handlers may call it.
    pub fn of(place: &CStr) -> Option<Room<'_>> {
        // SAFETY: all bytes zero is a value of this structure, and the call writes nothing else.
        let found = unsafe {
            let mut found: libc::statvfs = std::mem::zeroed();
            (libc::statvfs(place.as_ptr(), &raw mut found) == 0).then_some(found)
        }?;
        let bytes = |blocks: c_ulong| blocks.saturating_mul(found.f_frsize);
        Some(Room { place, free: bytes(found.f_bavail), total: bytes(found.f_blocks) })
    }

    /// Whether there is less than MPIs ask for on a host with few processes. A file system with a size of 0 has no
    /// limit.
    pub fn is_short(&self) -> bool {
        self.total > 0 && self.free < 4 << 20
    }

    /// Whether hardly anything can be written.
    pub fn is_full(&self) -> bool {
        self.total > 0 && self.free < 64 << 10
    }
}

/// What is free, and what to do.
impl fmt::Display for Room<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (free, total, place) = (self.free >> 10, self.total >> 10, self.place.to_str().unwrap_or_default());
        write!(f, "{place} has {free} of {total} KiB free: remove what other jobs have left there, or enlarge it")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_file_system_is_named_with_what_is_free() {
        let full = Room { place: SHARED_MEMORY, free: 4096, total: 64 << 20 };
        assert!(
            full.is_short() && full.is_full() && full.to_string().starts_with("/dev/shm has 4 of 65536 KiB free: "),
            "{full}"
        );
        assert!(!Room { free: 64 << 20, ..full }.is_short());
        assert!(Room::of(c"/").is_some_and(|room| room.total > 0) && Room::of(c"/nowhere").is_none());
    }

    #[test]
    fn limits_have_advice_and_other_errors_have_none() {
        let of = |number| advice(&io::Error::from_raw_os_error(number));
        assert!(of(libc::EMFILE).is_some_and(|a| a.contains("ulimit -n")));
        assert_eq!(of(libc::EPERM), None);
        assert_eq!(advice(&io::Error::from(io::ErrorKind::OutOfMemory)), None);
    }
}
