//! `cargo xtask tidy`: house rules that no compiler checks.
//!
//! * layers: which module of oshmpi/src may use which (`layers`);
//! * files and lines: length of files, machine paths, unfinished code, `SYNC` notes, no call of a `shmem_` symbol
//!   (`rules`);
//! * words: length of lines, doc comments that begin with "The same", words that must not come back (`prose`).

mod layers;
mod prose;
mod rules;

use crate::util::{output, root};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// Print what breaks the rules that are not in force yet, too
    #[arg(long)]
    pending: bool,
    /// Print the edges between the rooms of this folder of oshmpi/src instead, as rows for xtask/src/tidy/layers.rs
    #[arg(long, value_name = "FOLDER")]
    rooms: Option<String>,
}

type Check = fn(&[Source]) -> Vec<String>;

const RULES: [(&str, Check); 6] = [
    ("layers", layers::check),
    ("rules", rules::check),
    ("sync-within-three", rules::distant_sync_notes),
    ("line-length", prose::long_lines),
    ("the-same", prose::the_same),
    ("old-words", prose::old_words),
];

/// PENDING: rules that are not in force yet, with their breaches when they were written. To switch one on, remove its
/// row.
const PENDING: &[(&str, usize)] = &[("line-length", 1653), ("the-same", 73), ("old-words", 2351)];

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

pub fn run(args: Args) -> Result<()> {
    let sources = sources(&root())?;
    if let Some(folder) = args.rooms {
        layers::rooms(&sources, &folder).iter().for_each(|row| println!("{row}"));
        return Ok(());
    }
    let mut breaches = 0;
    for (name, check) in RULES {
        let problems = check(&sources);
        let pending = PENDING.iter().find(|(pending, _)| *pending == name);
        if pending.is_none() || args.pending {
            problems.iter().for_each(|p| eprintln!("{p}"));
        }
        match pending {
            Some((_, before)) => println!("pending: {name}: {} breaches, {before} at first", problems.len()),
            None => breaches += problems.len(),
        }
    }
    if breaches > 0 {
        bail!("{breaches} breaches of house rules");
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
