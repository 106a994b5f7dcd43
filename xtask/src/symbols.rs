//! `cargo xtask symbols`: the libraries have exactly the routines of the standard, under both their names.
//!
//! Three lists are compared: spec/openshmem-1.6.api, spec/symbols.txt, and what the linker put into the libraries. No
//! list is made from another. Fortran's names are in spec/fortran-1.4.api.

mod judge;
mod library;

use crate::spec::{self, Spec};
use crate::util::{self, Mpi};
use anyhow::{Result, bail, ensure};
use judge::Expected;
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct Args {
    /// Where oshmpi is installed; the libraries are in its lib/ [default: where tasks install it for each MPI]
    #[arg(long)]
    prefix: Vec<PathBuf>,
}

pub fn run(args: Args) -> Result<()> {
    let spec = Spec::load()?;
    let lists = compare_lists(&spec.names()?, &spec::symbols_txt()?);
    ensure!(lists.is_empty(), "the two lists of the standard's routines differ: {}", lists.join("; "));

    let expected = Expected::new(&spec, spec::fortran::load()?)?;
    let mut complaints = Vec::new();
    for dir in libraries(args.prefix)? {
        for (file, read) in [
            ("liboshmpi.a", library::archive as fn(&std::path::Path) -> Result<library::Library>),
            ("liboshmpi.so", library::shared),
        ] {
            let path = dir.join(file);
            let found = expected.judge(&read(&path)?);
            println!(
                "symbols: {}: {} routines, {} of Fortran, {} complaints",
                path.display(),
                expected.routines(),
                expected.fortran(),
                found.len()
            );
            complaints.extend(found.into_iter().map(|c| format!("{}: {c}", path.display())));
        }
    }
    for c in &complaints {
        eprintln!("{c}");
    }
    match complaints.first() {
        Some(first) => bail!("symbols: {} complaints, first: {first}", complaints.len()),
        None => Ok(()),
    }
}

/// Directories with libraries to look at. Having none to look at is an error: a comparison with nothing always agrees.
fn libraries(prefixes: Vec<PathBuf>) -> Result<Vec<PathBuf>> {
    let dirs = |prefixes: Vec<PathBuf>| prefixes.into_iter().map(|p| p.join("lib"));
    if !prefixes.is_empty() {
        return Ok(dirs(prefixes).collect());
    }
    let found: Vec<PathBuf> = dirs(Mpi::ALL.iter().map(|m| m.prefix()).collect()).filter(|d| d.is_dir()).collect();
    ensure!(
        !found.is_empty(),
        "no library below {}: run `cargo xtask install --prefix DIR` and name it with --prefix",
        util::root().join("target/prefix").display()
    );
    Ok(found)
}

/// What one list has and the other has not.
fn compare_lists(api: &BTreeSet<String>, txt: &BTreeSet<String>) -> Vec<String> {
    let only = |a: &BTreeSet<String>, b, file| {
        a.difference(b).map(|n| format!("{n} is only in spec/{file}")).collect::<Vec<_>>()
    };
    [only(api, txt, "openshmem-1.6.api"), only(txt, api, "symbols.txt")].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_compared_both_ways() {
        let set = |names: &[&str]| names.iter().map(|n| n.to_string()).collect::<BTreeSet<_>>();
        assert!(compare_lists(&set(&["a", "b"]), &set(&["a", "b"])).is_empty());
        let found = compare_lists(&set(&["a", "b"]), &set(&["b", "c"]));
        assert_eq!(found, ["a is only in spec/openshmem-1.6.api", "c is only in spec/symbols.txt"]);
    }
}
