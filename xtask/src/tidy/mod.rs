//! `cargo xtask tidy`: house rules that no compiler checks.
//!
//! * layers: which module of oshmpi/src may use which, no circles inside its folders (`layers`);
//! * files and lines: their length, machine paths, `SYNC` notes, no call of a `shmem_` symbol (`rules`);
//! * messages: each has an entry in docs/troubleshooting.md (`messages`).

mod layers;
mod messages;
mod rules;

use crate::util::{output, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

type Check = fn(&[Source]) -> Vec<String>;

const RULES: [Check; 3] = [layers::check, messages::check, rules::check];

/// A text file of the tree: path from the top, with `/`, and what it holds.
pub struct Source {
    pub path: String,
    pub text: String,
}

impl Source {
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(i, line)| (i + 1, line))
    }

    fn is_code(&self) -> bool {
        [".rs", ".c", ".h", ".cc", ".hpp", ".f", ".f90", ".F90", ".fh", ".inc"].iter().any(|e| self.path.ends_with(e))
    }
}

pub fn run() -> Result<()> {
    let sources = sources(&root())?;
    let breaches: Vec<String> = RULES.iter().flat_map(|check| check(&sources)).collect();
    breaches.iter().for_each(|breach| eprintln!("{breach}"));
    if !breaches.is_empty() {
        bail!("{} breaches of house rules", breaches.len());
    }
    println!("{} files are tidy", sources.len());
    Ok(())
}

/// All text files that a commit of everything would hold.
fn sources(top: &Path) -> Result<Vec<Source>> {
    // safe.directory: in a container the checkout often belongs to somebody else.
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let list = output(git.current_dir(top)).context("tidy asks git for the files of the tree")?;
    let mut sources = Vec::new();
    for path in list.split_terminator('\0') {
        let file = top.join(path);
        if !file.is_file() {
            continue; // Deleted and not yet committed, or a link to a directory.
        }
        let bytes = fs::read(&file).with_context(|| format!("cannot read {path}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            sources.push(Source { path: path.to_string(), text });
        }
    }
    if sources.is_empty() {
        bail!("git names no files in {}", top.display());
    }
    Ok(sources)
}

/// A line of Rust or C without its `//` comment. A `//` inside a string ends it too: good enough for house rules.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap_or("")
}

#[cfg(test)]
fn source(path: &str, text: &str) -> Source {
    Source { path: path.to_string(), text: text.to_string() }
}
