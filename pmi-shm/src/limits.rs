//! Limits of processes, by the errors that reaching them gives.

use std::io;

/// What is to be done about an error that a limit of processes gives (`setrlimit`, `ulimit`); `None`: it is no such error, or not for
/// sure.
pub fn advice(e: &io::Error) -> Option<&'static str> {
    match e.raw_os_error()? {
        libc::EMFILE => Some("raise the limit of open files (ulimit -n)"),
        libc::EFBIG => Some("raise the limit of file sizes (ulimit -f)"),
        libc::ENOMEM => Some("raise the limit of memory (ulimit -v)"),
        libc::EAGAIN => Some("raise the limit of processes (ulimit -u, or pids of the container)"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_advice_and_other_errors_have_none() {
        let of = |number| advice(&io::Error::from_raw_os_error(number));
        assert!(of(libc::EMFILE).is_some_and(|a| a.contains("ulimit -n")));
        assert_eq!(of(libc::EPERM), None);
        assert_eq!(advice(&io::Error::from(io::ErrorKind::OutOfMemory)), None);
    }
}
