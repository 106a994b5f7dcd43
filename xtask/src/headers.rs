//! `cargo xtask headers`: every header compiles alone, in every promised language and with every named compiler;
//! programs that use the interface as the standard allows compile while programs that misuse it do not.

mod compile;
mod constants;
mod names;
mod snippets;

use crate::spec::Spec;
use anyhow::{Result, bail, ensure};
use compile::Dialect;

/// The headers that the standard names, below include/.
const HEADERS: [&str; 5] = ["shmem.h", "shmemx.h", "pshmem.h", "mpp/shmem.h", "mpp/shmemx.h"];

/// The C++ templates of oshmpi, below include/.
const TEMPLATES: [&str; 3] = ["shmem.hpp", "oshmpi/routines.hpp", "oshmpi/owners.hpp"];

/// Counts what ran and keeps what went wrong, so that one run shows all of it.
#[derive(Default)]
struct Tally {
    ran: usize,
    failures: Vec<String>,
}

impl Tally {
    /// Notes one check.
    fn note(&mut self, failure: Option<String>) {
        self.ran += 1;
        self.failures.extend(failure);
    }
}

pub fn run() -> Result<()> {
    let spec = Spec::load()?;
    let mut total = Tally::default();
    for (what, check) in [
        ("header compilations", alone as fn(&Spec) -> Result<Tally>),
        ("compilations of all constants", constants::check),
        ("looks at the names a header defines", names::check),
        ("compilations of snippets", snippets::check),
    ] {
        let tally = check(&spec)?;
        ensure!(tally.ran > 0, "headers: no {what} took place");
        println!("headers: {} {what}, {} failed", tally.ran, tally.failures.len());
        total.ran += tally.ran;
        total.failures.extend(tally.failures);
    }
    if let Some(first) = total.failures.first() {
        for failure in &total.failures {
            eprintln!("{failure}\n");
        }
        let line = first.lines().next().unwrap_or_default();
        bail!("headers: {} of {} failed, first: {line}", total.failures.len(), total.ran);
    }
    Ok(())
}

/// Each header by itself, twice.
fn alone(_: &Spec) -> Result<Tally> {
    let mut tally = Tally::default();
    let each = HEADERS.iter().flat_map(|h| Dialect::all().map(move |d| ("", h, d)));
    let inline = Dialect::all().map(|d| ("#define OSHMPI_INLINE\n", &HEADERS[0], d));
    let templates = TEMPLATES.iter().flat_map(|h| Dialect::for_templates().map(move |d| ("", h, d)));
    for (first, header, dialect) in each.chain(inline).chain(templates) {
        let source = format!("{first}#include <{header}>\n#include <{header}>\n");
        let file = compile::temporary(&source, dialect)?;
        tally.compile(&format!("{first}{header} alone"), dialect, None, file.path())?;
    }
    Ok(tally)
}
