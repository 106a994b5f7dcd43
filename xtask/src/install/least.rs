//! The least with which C programs are compiled and run on one node: oshcc, oshrun, the headers and the shared library.
//! It is built without an MPI, and not optimised: most of its crates have been built for this task.

use super::facts::Facts;
use super::layout::Item;
use super::library::{self, Profile};
use super::tools::Tools;
use super::{layout, plan};
use crate::deps::{self, Part};
use crate::r#gen::headers;
use anyhow::Result;
use std::path::Path;
use std::time::Instant;

/// Installs it, and prints how long each step takes.
pub fn install(prefix: &Path) -> Result<()> {
    timed("packages of the system", || deps::ensure(&[Part::Build]))?;
    let mut items = timed("oshcc and oshrun", Tools::build_least)?;
    let built = timed("the library", || library::build(Profile::Dev))?;
    items.extend(plan::shared("liboshmpi.so", &library::link_shared(&built)?));
    items.extend(headers::all()?.into_iter().map(|(name, text)| Item::text(format!("include/{name}"), text)));
    items.push(Item::text("share/oshmpi/config.json", Facts::least(&built).config()));
    layout::install(prefix, &items)
}

fn timed<T>(step: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    let made = work()?;
    println!("{:5.1} s  {step}", start.elapsed().as_secs_f64());
    Ok(made)
}
