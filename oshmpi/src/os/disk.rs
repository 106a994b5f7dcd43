//! Files of a file system that hold memory of the job: for more than the machine has, or to keep it.

use super::{memfd, process};
use pmi_shm::fd;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

/// Opens a file for `len` bytes of memory. In a directory it is one without a name, which is gone when nobody has it
/// open any more. Another path names a file, which is made if it is missing, keeps what it holds, and stays.
pub(crate) fn open(path: &Path, len: u64) -> io::Result<OwnedFd> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o600).custom_flags(libc::O_CLOEXEC);
    let file = if path.is_dir() {
        nameless(path, &options)?
    } else {
        options.clone().create(true).truncate(false).open(path)?
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "neither a directory nor a plain file"));
    }
    if found.len() < len {
        memfd::resize(&file, len)?;
    }
    // Blocks are committed when they are allocated: without that, a file system without room would end a PE by SIGBUS.
    memfd::commit(&file, 0, 1)?;
    Ok(fd::off_stdio(file)?.into())
}

fn nameless(dir: &Path, options: &OpenOptions) -> io::Result<File> {
    let flags = libc::O_TMPFILE | libc::O_CLOEXEC;
    options.clone().custom_flags(flags).open(dir).or_else(|e| match e.raw_os_error() {
        // A file system that knows no files without a name, such as NFS.
        Some(libc::EOPNOTSUPP | libc::EISDIR | libc::ENOENT) => {
            let path = dir.join(format!("oshmpi-{:016x}", process::random_token()[0]));
            let file = options.clone().create_new(true).open(&path)?;
            std::fs::remove_file(path)?;
            Ok(file)
        }
        _ => Err(e),
    })
}

/// Two numbers that no other open file of this machine has.
pub(crate) fn identity(file: &OwnedFd) -> io::Result<[u64; 2]> {
    let found = File::from(file.try_clone()?).metadata()?;
    Ok([found.dev(), found.ino()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_keeps_what_it_holds_and_a_nameless_one_leaves_nothing() {
        let dir = std::env::temp_dir().join(format!("oshmpi-disk-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let named = dir.join("space");
        let first = open(&named, 8192).unwrap();
        memfd::write_at(&first, b"kept", 4096).unwrap();
        let (second, mut read) = (open(&named, 4096).unwrap(), [0; 4]);
        memfd::read_at(&second, &mut read, 4096).unwrap();
        assert_eq!(&read, b"kept");
        assert_eq!(identity(&first).unwrap(), identity(&second).unwrap());
        let nameless = open(&dir, 4096).unwrap();
        assert_ne!(identity(&first).unwrap(), identity(&nameless).unwrap());
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1, "the named one");
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(open(&named, 4096).is_err() && open(Path::new("/dev/null"), 4096).is_err());
    }
}
