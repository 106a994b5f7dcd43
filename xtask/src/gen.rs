//! `cargo xtask gen`: writes what follows from a table: a part of the headers in include/ from the list of routines,
//! the table of docs/env.md from the runtime's settings.
//!
//! The frame of headers and documents is kept by hand. This task writes what lies between the two marker lines.

mod env;
mod generics;
mod prototypes;
pub mod pshmem;

pub use env::sentence;
pub use prototypes::spelled;

use crate::settings;
use crate::spec::Spec;
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// First and last line of the generated part.
struct Markers {
    begin: &'static str,
    end: &'static str,
}

const HEADER: Markers = Markers {
    begin: "/* Written by `cargo xtask gen` from spec/openshmem-1.6.api, do not edit. */",
    end: "/* End of what `cargo xtask gen` writes. */",
};

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
    let spec = Spec::load()?;
    let include = crate::util::root().join("include");
    let shmem = prototypes::shmem(&spec)? + "\n" + &generics::all(&spec)?;
    update(&include.join("shmem.h"), &HEADER, &shmem, args.check)?;
    update(&include.join("shmemx.h"), &HEADER, &earlier_names(&spec)?, args.check)?;
    let table = env::table(&settings::all());
    update(&crate::util::root().join("docs/env.md"), &DOCUMENT, &table, args.check)
}

/// Routines that other libraries had as `shmemx_` before 1.6 took them in, under those names.
fn earlier_names(spec: &Spec) -> Result<String> {
    let taken_in = |name: &str| {
        ["ibput", "ibget", "_inscan", "_exscan", "signal_add", "signal_set"].iter().any(|part| name.contains(part))
    };
    let mut names: Vec<String> = spec
        .functions()?
        .into_iter()
        .map(|f| f.name)
        .chain(spec.generics().map(|g| g.name.clone()))
        .filter(|name| taken_in(name))
        .collect();
    names.sort();
    names.dedup();
    let line = |name: String| format!("#define {} {name}\n", name.replacen("shmem_", "shmemx_", 1));
    Ok(names.into_iter().map(line).collect())
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

    const BEGIN: &str = HEADER.begin;
    const END: &str = HEADER.end;

    #[test]
    fn only_the_middle_changes() {
        let file = format!("top\n{BEGIN}\n\nold\n\n{END}\nbottom\n");
        let new = replace(&file, &HEADER, "new\n").unwrap();
        assert_eq!(new, format!("top\n{BEGIN}\n\nnew\n\n{END}\nbottom\n"));
        assert_eq!(replace(&new, &HEADER, "new").unwrap(), new);
    }

    #[test]
    fn markers_must_be_there_once_and_in_order() {
        assert!(replace("no markers", &HEADER, "x").is_err());
        assert!(replace(&format!("{END}\n{BEGIN}"), &HEADER, "x").is_err());
        assert!(replace(&format!("{BEGIN}\n{BEGIN}\n{END}"), &HEADER, "x").is_err());
    }

    #[test]
    fn committed_files_are_up_to_date() {
        run(Args { check: true }).unwrap();
    }
}
