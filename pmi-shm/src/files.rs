//! Files that users name: read to their end only if they have one.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes of the longest file that is read. The longest that is of use, a list of as many hosts as a job can have, is
/// shorter. With a larger limit, a device without an end takes more memory before it is refused.
const MOST: u64 = 64 << 20;

/// The text of a file, a device or a pipe.
///
/// # Errors
/// It cannot be read, is longer than any text that is expected, or is no text.
pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(io::Error::other(format!("it has more than {} MiB", MOST >> 20)));
    }
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
    text.ok_or_else(|| io::Error::other("it is no text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_or_is_no_text_is_refused() {
        let why = |path: &str| text(path).unwrap_err().to_string();
        assert_eq!(why("/dev/zero"), "it has more than 64 MiB");
        assert_eq!(why("/proc/self/exe"), "it is no text");
        assert!(why("/").contains("directory"));
        assert_eq!(text("/dev/null").unwrap(), "");
    }
}
