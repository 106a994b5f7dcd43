//! Advice for errors that come from limits of processes (`setrlimit`, `ulimit`).

use std::io;

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
