//! The site's file: settings of all jobs of an installation, under the names of their variables. The environment wins
//! over it. `osh_info` and `oshrun` are compiled with this file too.
//!
//! Cost: each PE opens one file in its first init. It lies beside the libraries that the loader has opened just before.

use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where the file is in an installation's prefix.
pub const PLACE: &str = "etc/oshmpi.conf";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub number: usize,
    pub name: String,
    pub value: String,
}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    pub file: PathBuf,
    pub lines: Vec<Line>,
    /// A complaint about each line that is no setting.
    pub wrong: Vec<String>,
}

impl Site {
    /// The file of the installation in a prefix. If there is none, it has no settings.
    pub fn of_prefix(prefix: &Path) -> Site {
        let file = prefix.join(PLACE);
        match std::fs::read(&file) {
            // As people know it, whatever the way to the prefix was.
            Ok(bytes) => Site::parse(file.canonicalize().unwrap_or(file), &String::from_utf8_lossy(&bytes)),
            Err(why) => {
                let is_there = ![ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&why.kind());
                let wrong = is_there.then(|| format!("{} cannot be read: {why}", file.display()));
                Site { file, lines: Vec::new(), wrong: Vec::from_iter(wrong) }
            }
        }
    }

    pub(super) fn parse(file: PathBuf, text: &str) -> Site {
        let mut site = Site { file, ..Site::default() };
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once('=').map(|(name, value)| (name.trim_end(), value.trim_start())) {
                Some((name, value)) if is_name(name) => match site.line(name) {
                    None => site.lines.push(Line { number, name: name.to_owned(), value: value.to_owned() }),
                    Some(first) => {
                        let why = format!("{name} is set in line {} already: expected once", first.number);
                        site.wrong.push(site.complaint(number, why));
                    }
                },
                _ => {
                    let why = format!("\"{}\": expected NAME=VALUE, or # and a comment", line.escape_debug());
                    site.wrong.push(site.complaint(number, why));
                }
            }
        }
        site
    }

    pub fn line(&self, name: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.name == name)
    }

    /// File and number of a line.
    pub fn place(&self, number: usize) -> String {
        format!("{}:{number}", self.file.display())
    }

    pub fn complaint(&self, number: usize, why: impl fmt::Display) -> String {
        format!("{}: {why}", self.place(number))
    }
}
