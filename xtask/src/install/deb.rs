//! The Debian package of `cargo xtask dist`. Everything lies below /opt/oshmpi, because /usr/bin/oshcc and
//! /usr/include/shmem.h belong to Debian's Open MPI. `PATH=/opt/oshmpi/bin:$PATH` chooses it.

use super::glibc::Version;
use super::item::Item;
use super::layout;
use super::product::VERSION;
use crate::util::{output, root, run};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds oshmpi_VERSION-1_ARCH.deb. What stands in packaging/debian is true of it too. `needed`: of glibc.
pub fn build(items: &[Item], needed: Version, out: &Path) -> Result<PathBuf> {
    let staging = out.join("deb");
    layout::install(&staging.join("opt/oshmpi"), items)?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let architecture = architecture.trim();
    // The loader need not know the library: programs have a run path. So there are no scripts.
    for (file, place) in [
        ("control", "DEBIAN/control"),
        ("copyright", "usr/share/doc/oshmpi/copyright"),
        ("README.Debian", "usr/share/doc/oshmpi/README.Debian"),
    ] {
        let from = root().join("packaging/debian").join(file);
        let text = fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
        let text = text.replace("@VERSION@", VERSION).replace("@ARCHITECTURE@", architecture);
        layout::text(&text.replace("@GLIBC@", &format!("{}.{}", needed.0, needed.1)), &staging.join(place))?;
    }
    let package = out.join(format!("oshmpi_{VERSION}-1_{architecture}.deb"));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", "--build"]).arg(&staging).arg(&package);
    run(pack.stdout(std::process::Stdio::null()))?;
    Ok(package)
}
