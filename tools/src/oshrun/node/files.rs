//! The files that ranks' output goes to, where the user names some.

use crate::control::{Failure, OURS};
use crate::output::filled;
use crate::plan::{Form, Word};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Each file is opened once, for all streams that it is for.
#[derive(Default)]
pub struct Files(Vec<(PathBuf, File)>);

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
        if let Some(number) = self.0.iter().position(|(p, _)| p == path) {
            return Ok(number);
        }
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
            // Ranks of other nodes may write to the same file. A pipe that nobody reads is an error: no waiting.
            let file = OpenOptions::new().create(true).append(true).custom_flags(libc::O_NONBLOCK).open(path)?;
            // Only a file has a length.
            let _ = file.set_len(0);
            Ok(file)
        });
        self.0.push((path.to_path_buf(), made.map_err(|e| unwritten(path, &e))?));
        Ok(self.0.len() - 1)
    }

    pub fn write(&mut self, number: usize, bytes: &[u8]) -> Result<(), Failure> {
        let (path, file) = &mut self.0[number];
        file.write_all(bytes).map_err(|e| unwritten(path, &e))
    }
}

/// The failure of a job whose output cannot be written, as for standard output.
fn unwritten(path: &Path, e: &std::io::Error) -> Failure {
    Failure { code: OURS, text: format!("cannot write {}: {}", path.display(), crate::launch::plain(e)) }
}
