//! `cargo xtask gen`: writes what follows from a table. The headers go below target/include; they are made of include/
//! and the list of routines. The table of docs/env.md is made of the runtime's settings.
//!
//! The frame of the document is kept by hand. This task writes what lies between the two marker lines.

mod env;
mod generics;
pub mod headers;
mod prototypes;

pub use env::sentence;
pub use prototypes::spelled;

use crate::settings;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// First and last line of the generated part.
struct Markers {
    begin: &'static str,
    end: &'static str,
}

const DOCUMENT: Markers = Markers {
    begin: "<!-- Written by `cargo xtask gen` from oshmpi/src/env.rs, do not edit. -->",
    end: "<!-- End of what `cargo xtask gen` writes. -->",
};

#[derive(clap::Args)]
pub struct Args {
    /// Write nothing; fail when a file differs from what would be written
    #[arg(long)]
    check: bool,
}

pub fn run(args: Args) -> Result<()> {
    headers::dir()?;
    let table = env::table(&settings::all());
    update(&crate::util::root().join("docs/env.md"), &DOCUMENT, &table, args.check)
}

/// Puts `middle` between the markers of a file, or complains that it is not there already.
fn update(path: &Path, markers: &Markers, middle: &str, check: bool) -> Result<()> {
    let old = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let new = replace(&old, markers, middle).with_context(|| path.display().to_string())?;
    if old == new {
        return Ok(());
    }
    if check {
        bail!("{} is out of date: run `cargo xtask gen`", path.display());
    }
    std::fs::write(path, new).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

fn replace(old: &str, markers: &Markers, middle: &str) -> Result<String> {
    let Markers { begin, end } = markers;
    ensure!(old.matches(begin).count() == 1, "the line `{begin}` must stand there once");
    ensure!(old.matches(end).count() == 1, "the line `{end}` must stand there once");
    let (head, rest) = old.split_once(begin).context("no begin")?;
    let (_, tail) = rest.split_once(end).context("the two marker lines are swapped")?;
    Ok(format!("{head}{begin}\n\n{}\n\n{end}{tail}", middle.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: &str = DOCUMENT.begin;
    const END: &str = DOCUMENT.end;

    #[test]
    fn only_the_middle_changes() {
        let file = format!("top\n{BEGIN}\n\nold\n\n{END}\nbottom\n");
        let new = replace(&file, &DOCUMENT, "new\n").unwrap();
        assert_eq!(new, format!("top\n{BEGIN}\n\nnew\n\n{END}\nbottom\n"));
        assert_eq!(replace(&new, &DOCUMENT, "new").unwrap(), new);
    }

    #[test]
    fn markers_must_be_there_once_and_in_order() {
        assert!(replace("no markers", &DOCUMENT, "x").is_err());
        assert!(replace(&format!("{END}\n{BEGIN}"), &DOCUMENT, "x").is_err());
        assert!(replace(&format!("{BEGIN}\n{BEGIN}\n{END}"), &DOCUMENT, "x").is_err());
    }

    #[test]
    fn committed_files_are_up_to_date() {
        run(Args { check: true }).unwrap();
    }
}
