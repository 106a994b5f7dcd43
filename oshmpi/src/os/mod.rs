//! Calls of the operating system, each with types and with its result checked. Linux only: memfd, futex, /proc.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

pub(crate) mod affinity;
pub(crate) mod bus;
pub(crate) mod clock;
#[cfg(test)]
pub(crate) mod counting;
pub(crate) mod cuda;
pub(crate) mod disk;
pub(crate) mod exe;
pub(crate) mod futex;
pub(crate) mod huge;
pub(crate) mod library;
pub(crate) mod locality;
pub(crate) mod map;
pub(crate) mod memfd;
pub(crate) mod network;
pub(crate) mod numa;
pub(crate) mod pages;
pub(crate) mod parent;
pub(crate) mod pass;
pub(crate) mod peer;
pub(crate) mod process;
pub(crate) mod rights;
pub(crate) mod sched;
pub(crate) mod stack;
pub(crate) mod threads;

/// The few words of a file of the kernel, by one read. A start of a job reads several such files.
fn few_words(path: impl AsRef<Path>) -> io::Result<String> {
    let mut bytes = [0; 128];
    let read = File::open(path)?.read(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes[..read]).trim().to_owned())
}

/// A file of /proc as text. It need not be UTF-8: the kernel cuts a process's name after 15 bytes, which may be inside
/// a character.
pub(crate) fn text(path: impl AsRef<Path>) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// Moves `len` bytes by calls that may each move a part. `step(done)` moves bytes that follow the first `done` ones. It
/// returns how many it has moved, or a negative number and an error in `errno`. 0 is the error `at_end`.
fn move_all(len: usize, at_end: io::ErrorKind, mut step: impl FnMut(usize) -> isize) -> io::Result<()> {
    let mut done = 0;
    while done < len {
        match step(done) {
            n if n > 0 => done += n as usize,
            0 => return Err(at_end.into()),
            _ => match io::Error::last_os_error() {
                e if e.kind() == io::ErrorKind::Interrupted => {}
                e => return Err(e),
            },
        }
    }
    Ok(())
}
