//! `cargo xtask gen`: writes what follows from a table. The headers go below target/include; they are made of include/
//! and the list of routines. The table of docs/env.md is made of the runtime's settings.
//!
//! The frame of the document is kept by hand. This task writes what lies between the two marker lines.

mod generics;
pub mod headers;

pub use headers::spelled;

use crate::settings::{self, Setting};
use crate::util::{read, root, write};
use anyhow::{Context, Result, bail};

/// First and last line of the generated part.
const BEGIN: &str = "<!-- Written by `cargo xtask gen` from oshmpi/src/env.rs, do not edit. -->";
const END: &str = "<!-- End of what `cargo xtask gen` writes. -->";

#[derive(clap::Args)]
pub struct Args {
    /// Write nothing; fail when a file differs from what would be written
    #[arg(long)]
    check: bool,
}

pub fn run(args: Args) -> Result<()> {
    headers::dir()?;
    let path = root().join("docs/env.md");
    let old = read(&path)?;
    let new = replace(&old, &table(&settings::all())).with_context(|| path.display().to_string())?;
    if old == new {
        return Ok(());
    }
    if args.check {
        bail!("{} is out of date: run `cargo xtask gen`", path.display());
    }
    write(&path, &new)?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Puts `middle` between the two marker lines.
fn replace(old: &str, middle: &str) -> Result<String> {
    let parts = old.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let (head, tail) = parts
        .filter(|(_, tail)| !tail.contains(BEGIN) && !tail.contains(END))
        .with_context(|| format!("the lines `{BEGIN}` and `{END}` must stand there once, in this order"))?;
    Ok(format!("{head}{BEGIN}\n\n{}\n\n{END}{tail}", middle.trim()))
}

/// One row per variable.
fn table(settings: &[Setting]) -> String {
    let mut text = String::from("| variable | value | default | meaning |\n|---|---|---|---|\n");
    for s in settings {
        let old = if s.old.is_empty() { String::new() } else { format!(" (also `{}`)", s.old.join("`, `")) };
        let default = if s.default == "not set" { s.default.clone() } else { format!("`{}`", s.default) };
        let meaning = format!("{} {}", sentence(&s.help), s.more);
        let [value, meaning] = [s.value.as_str(), meaning.trim_end()].map(|text| text.replace('|', "\\|"));
        text += &format!("| `{}`{old} | {value} | {default} | {meaning} |\n", s.name);
    }
    text
}

/// A help line as a sentence.
pub fn sentence(help: &str) -> String {
    let mut chars = help.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let end = if help.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_middle_changes_and_markers_must_be_there() {
        let file = format!("top\n{BEGIN}\n\nold\n\n{END}\nbottom\n");
        let new = replace(&file, "new\n").unwrap();
        assert_eq!(new, format!("top\n{BEGIN}\n\nnew\n\n{END}\nbottom\n"));
        for wrong in ["no markers", &format!("{END}\n{BEGIN}"), &format!("{BEGIN}\n{END}\n{END}")] {
            assert!(replace(wrong, "x").is_err(), "{wrong}");
        }
    }
}
