//! The files that ranks' output goes to, where the user names some.

use crate::control::{Failure, OURS};
use crate::output::filled;
use crate::plan::{Form, Word};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// How long the reader of a pipe may take nothing, in milliseconds. The node server does nothing else meanwhile, and is
/// given up if it is silent for much longer; with a shorter time a slow reader ends the job.
const READER: u16 = 10_000;

/// Each file is opened once, for all streams that it is for. The last part: a write has failed, and nothing more is
/// written.
#[derive(Default)]
pub struct Files(Vec<(PathBuf, File, bool)>);

impl Files {
    /// Opens the files of a rank, empties them, and returns their numbers.
    pub fn open(&mut self, form: &Form, node: u32, rank: u32, host: &str) -> Result<[Option<usize>; 2], Failure> {
        let mut one = |pattern: &Option<Word>| {
            let path = pattern.as_ref().map(|p| filled(p, rank, node, host));
            path.map(|path| self.number(Path::new(OsStr::from_bytes(&path)))).transpose()
        };
        let [out, err] = &form.files;
        Ok([one(out)?, one(err)?])
    }

    fn number(&mut self, path: &Path) -> Result<usize, Failure> {
        if let Some(number) = self.0.iter().position(|(p, ..)| p == path) {
            return Ok(number);
        }
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
            // Ranks of other nodes may write to the same file. A pipe that nobody reads is an error: no waiting.
            let file = OpenOptions::new().create(true).append(true).custom_flags(libc::O_NONBLOCK).open(path)?;
            // Only a file has a length.
            let _ = file.set_len(0);
            Ok(file)
        });
        self.0.push((path.to_path_buf(), made.map_err(|e| unwritten(path, &e))?, false));
        Ok(self.0.len() - 1)
    }

    pub fn write(&mut self, number: usize, bytes: &[u8]) -> Result<(), Failure> {
        let (path, file, broken) = &mut self.0[number];
        let written = if *broken { Ok(()) } else { write_all(file, bytes) };
        *broken |= written.is_err();
        written.map_err(|e| unwritten(path, &e))
    }
}

/// Writes all of it, also to a pipe that is full for a while.
fn write_all(file: &mut File, mut rest: &[u8]) -> std::io::Result<()> {
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => rest = &rest[n..],
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) if e.kind() == ErrorKind::WouldBlock && gets_room(file) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn gets_room(file: &File) -> bool {
    let mut one = [PollFd::new(file.as_fd(), PollFlags::POLLOUT)];
    // An error shows at the write.
    poll(&mut one, PollTimeout::from(READER)).is_ok_and(|n| n > 0)
}

/// The failure of a job whose output cannot be written, as for standard output.
fn unwritten(path: &Path, e: &std::io::Error) -> Failure {
    Failure { code: OURS, text: format!("cannot write {}: {}", path.display(), crate::launch::plain(e)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::time::Duration;

    #[test]
    fn a_pipe_whose_reader_is_slow_gets_all() {
        const LENGTH: usize = 300_000;
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        // Opened for writing too, it waits for no writer.
        let mut end = File::options().read(true).write(true).open(&pipe).unwrap();
        let reader = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            let mut got = vec![0; LENGTH];
            end.read_exact(&mut got).unwrap();
            got
        });
        let mut files = Files::default();
        let number = files.number(&pipe).unwrap();
        files.write(number, &[7u8; LENGTH]).unwrap();
        assert!(reader.join().unwrap() == [7u8; LENGTH]);
    }
}
