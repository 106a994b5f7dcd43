//! What the commands share.

pub mod selfdoc;

use anyhow::{Context, Result};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The prefix that the running program lies in. Symbolic links to the program are followed, so that
/// `/usr/local/bin/oshcc -> /opt/oshmpi/bin/oshcc` works.
pub fn prefix() -> Result<PathBuf> {
    let exe = std::env::current_exe().context("cannot tell where this program lies")?;
    let exe = exe.canonicalize().unwrap_or(exe);
    Ok(exe.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_path_buf())
}

/// Writes to a standard stream. A reader that stops early, such as head, is no mistake.
pub fn write_out(mut to: impl Write, text: &str) -> Result<()> {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e).context("cannot write"),
        _ => Ok(()),
    }
}

/// What `cargo xtask install` wrote about this installation.
pub fn config_file(prefix: &Path) -> PathBuf {
    prefix.join("share/oshmpi/config.json")
}
