//! The list of everything that an installation consists of.

use super::facts::Facts;
use super::layout::Item;
use super::product::{VERSION, soname};
use super::race::{self, Race};
use super::tools::Tools;
use super::{cross, documents, fortran, manual, packages, perf, profile};
use crate::r#gen;
use anyhow::Result;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Where they were built.
pub struct Libraries<'a> {
    pub archive: &'a Path,
    pub shared: &'a Path,
    /// One for each ABI of MPI.
    pub backends: &'a [PathBuf],
    pub fortran: &'a fortran::Built,
    /// What `oshrun --profile` preloads.
    pub profile: &'a Path,
    pub perf: &'a Path,
    pub race: &'a Race,
}

/// Names under which the library is there too: that of Open MPI's, which a build system that knows it by name would
/// otherwise take from the system without a word, and that of SGI's, Cray's and Sandia's.
const OTHER_NAMES: [&str; 2] = ["oshmem", "sma"];

/// What Open MPI calls its library in pkg-config, for the same reason.
const OTHER_PACKAGES: [&str; 3] = ["oshmem", "oshmem-c", "oshmem-cxx"];

/// Everything, in the order in which it is put in place: what is looked for first comes last.
pub fn all(f: &Facts, built: &Libraries, tools: &Tools) -> Result<Vec<Item>> {
    let mut items = libraries(built);
    items.extend(r#gen::headers::all()?.into_iter().map(|(name, text)| Item::text(format!("include/{name}"), text)));
    items.push(Item::text("lib/pkgconfig/oshmpi.pc", packages::pkg_config(f)));
    items.extend(OTHER_PACKAGES.map(|name| Item::link(format!("lib/pkgconfig/{name}.pc"), "oshmpi.pc")));
    items.push(Item::text("lib/cmake/OpenSHMEM/OpenSHMEMConfig.cmake", packages::cmake(f)));
    items.push(Item::text("lib/cmake/OpenSHMEM/OpenSHMEMConfigVersion.cmake", packages::cmake_version()));
    items.push(Item::text("share/oshmpi/config.json", f.config()));
    items.extend(documents::items()?);
    items.extend(manual::pages(f)?);
    items.extend(tools.items()?);
    if cross::has_commands_here() {
        items.extend(cross::items(tools.for_this_machine(), f.config_here()));
    }
    each_once(&items)?;
    Ok(items)
}

/// The archive, the shared library with its soname, both under other names too, and what is built over them.
fn libraries(built: &Libraries) -> Vec<Item> {
    let mut items = vec![
        Item::file("lib/liboshmpi.a", built.archive),
        Item::file("share/oshmpi/shmem.f90", &built.fortran.source),
        Item::file(format!("lib/{}", profile::NAME), built.profile),
        Item::file(format!("bin/{}", perf::NAME), built.perf),
    ];
    items.extend(built.fortran.kinds.iter().chain(built.backends).map(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        Item::file(format!("lib/{name}"), file)
    }));
    if let Some(module) = &built.fortran.module {
        items.push(Item::file("include/shmem.mod", &module.compiled));
        items.push(Item::file("lib/liboshmpi_fortran.a", &module.archive));
    }
    items.extend(shared("liboshmpi.so", built.shared));
    // The soname is that of liboshmpi.
    let other = |ending: &str| {
        OTHER_NAMES.map(|name| Item::link(format!("lib/lib{name}.{ending}"), format!("liboshmpi.{ending}")))
    };
    items.extend(["a", "so"].into_iter().flat_map(other));
    items.extend(shared("liboshmpi_race.so", &built.race.shared));
    items.push(Item::file("lib/liboshmpi_race.a", &built.race.archive));
    items.push(Item::file("lib/liboshmpi_race_calls.a", &built.race.calls));
    items.push(Item::text("share/oshmpi/race.wraps", &built.race.wraps));
    items.push(Item::text("share/oshmpi/race.specs", race::SPECS));
    items.push(Item::text("share/oshmpi/race-c.specs", &built.race.c_specs));
    items.push(Item::text("share/oshmpi/race.h", race::HEADER));
    // Bindings that were made for Sandia OpenSHMEM link with its client of PMI too.
    items.push(Item::link("lib/libpmi_simple.so", "liboshmpi.so"));
    items
}

/// A shared library under its three names.
pub fn shared(name: &str, from: &Path) -> [Item; 3] {
    let soname = soname(name);
    [
        Item::file(format!("lib/{name}.{VERSION}"), from),
        Item::link(format!("lib/{soname}"), format!("{name}.{VERSION}")),
        Item::link(format!("lib/{name}"), soname),
    ]
}

/// Two items for one place would overwrite each other.
fn each_once(items: &[Item]) -> Result<()> {
    let mut seen = BTreeSet::new();
    match items.iter().find(|i| !seen.insert(&i.path)) {
        Some(twice) => anyhow::bail!("{} would be installed twice", twice.path),
        None => Ok(()),
    }
}
