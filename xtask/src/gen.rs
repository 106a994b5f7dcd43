//! `cargo xtask gen`: writes what follows from the lists of routines: a part of include/shmem.h and include/pshmem.h,
//! fortran/ilp64.c and fortran/shmem.f90.
//!
//! The frame of the headers is kept by hand; what lies between the two marker lines is ours.

mod generics;
mod ilp64;
mod module;
mod prototypes;

use crate::spec::{self, Spec};
use anyhow::{Context, Result, bail, ensure};
use std::path::Path;

/// First and last line of the generated part.
const BEGIN: &str = "/* Written by `cargo xtask gen` from spec/openshmem-1.6.api, do not edit. */";
const END: &str = "/* End of what `cargo xtask gen` writes. */";

#[derive(clap::Args)]
pub struct Args {
    /// Write nothing; fail when a header differs from what would be written
    #[arg(long)]
    check: bool,
}

pub fn run(args: Args) -> Result<()> {
    let spec = Spec::load()?;
    let include = crate::util::root().join("include");
    let shmem = prototypes::shmem(&spec)? + "\n" + &generics::all(&spec)?;
    update(&include.join("shmem.h"), &shmem, args.check)?;
    update(&include.join("pshmem.h"), &prototypes::pshmem(&spec)?, args.check)?;
    let fortran = crate::util::root().join("fortran");
    whole(&fortran.join("ilp64.c"), &ilp64::file(&spec::fortran::load()?), args.check)?;
    let header = std::fs::read_to_string(include.join("shmem.h")).context("cannot read include/shmem.h")?;
    whole(&fortran.join("shmem.f90"), &module::file(&spec, &header)?, args.check)
}

/// A file that is all ours.
fn whole(path: &Path, new: &str, check: bool) -> Result<()> {
    if std::fs::read_to_string(path).is_ok_and(|old| old == new) {
        return Ok(());
    }
    write(path, new, check)
}

fn write(path: &Path, new: &str, check: bool) -> Result<()> {
    if check {
        bail!("{} is out of date: run `cargo xtask gen`", path.display());
    }
    std::fs::write(path, new).with_context(|| format!("cannot write {}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// Puts `middle` between the markers of a header, or complains that it is not there already.
fn update(path: &Path, middle: &str, check: bool) -> Result<()> {
    let old = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let new = replace(&old, middle).with_context(|| path.display().to_string())?;
    if old == new {
        return Ok(());
    }
    write(path, &new, check)
}

fn replace(old: &str, middle: &str) -> Result<String> {
    ensure!(old.matches(BEGIN).count() == 1, "the line `{BEGIN}` must stand there once");
    ensure!(old.matches(END).count() == 1, "the line `{END}` must stand there once");
    let (head, rest) = old.split_once(BEGIN).context("no begin")?;
    let (_, tail) = rest.split_once(END).context("the two marker lines are swapped")?;
    Ok(format!("{head}{BEGIN}\n\n{}\n\n{END}{tail}", middle.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_middle_changes() {
        let file = format!("top\n{BEGIN}\n\nold\n\n{END}\nbottom\n");
        let new = replace(&file, "new\n").unwrap();
        assert_eq!(new, format!("top\n{BEGIN}\n\nnew\n\n{END}\nbottom\n"));
        assert_eq!(replace(&new, "new").unwrap(), new);
    }

    #[test]
    fn markers_must_be_there_once_and_in_order() {
        assert!(replace("no markers", "x").is_err());
        assert!(replace(&format!("{END}\n{BEGIN}"), "x").is_err());
        assert!(replace(&format!("{BEGIN}\n{BEGIN}\n{END}"), "x").is_err());
    }

    #[test]
    fn committed_headers_are_up_to_date() {
        run(Args { check: true }).unwrap();
    }
}
