//! liboshmpi-mpi-NAME.so, a library for each ABI of the MPIs that are here: liboshmpi loads the one of the MPI that a
//! process takes. They are not linked with MPI.

use super::archive::shared;
use super::recipe::unless_made;
use super::{cross, worth_showing};
use crate::util::{Mpi, Stream, cargo, command_exists, listen, made, output, over_mpi, root, run, write};
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The name that they show.
const FILL: &str = "oshmpi_mpi_fill";

/// The profile in which they are built: nothing in them takes time.
const PROFILE: &str = super::library::Profile::QUICK_DIR;

/// Builds them: over `mpi`, over Debian's MPIs, and over the standard's ABI by `mpicc_abi`, or by the one that is
/// beside `mpi` or on the path. Returns the files.
pub fn build(mpi: Mpi, mpicc_abi: Option<&Path>) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    if mpi.has("mpicc") {
        all.push(over(mpi.name(), &mpi.command("mpicc"), &mpi.target_dir(), None)?);
    }
    if mpi.is_other() && cross::target().is_none() {
        all.push(site(mpi)?);
    }
    let named = mpicc_abi.map(|abi| abi.display().to_string());
    let known = named.into_iter().chain([mpi.command("mpicc_abi"), "mpicc_abi".to_owned()]);
    if let Some(abi) = known.into_iter().find(|abi| command_exists(abi)) {
        let words = format!("-include '{}'", root().join("mpi-table/backend/src/abi.h").display());
        all.push(over("abi", &abi, &mpi.target_dir().join("abi"), Some(&words))?);
    }
    if cross::target().is_none() || cross::is_for_all() {
        let others = Mpi::ALL.into_iter().filter(|other| *other != mpi);
        for other in others.filter(|other| command_exists(&other.debians_command("mpicc"))) {
            all.push(over(other.name(), &other.debians_command("mpicc"), &other.debians_target_dir(), None)?);
        }
    }
    Ok(all)
}

/// Takes over what was compiled in `first`, but for the crates that depend on the MPI: bindgen takes most of the time.
fn begin_with(first: &Path, target_dir: &Path) -> Result<()> {
    let [from, to] = [first, target_dir].map(|dir| dir.join(PROFILE));
    if to.exists() || !from.exists() {
        return Ok(());
    }
    made(target_dir.to_path_buf())?;
    // Under another name until it is done: half of it would pass for results over this MPI.
    let part = target_dir.join("part");
    let _ = fs::remove_dir_all(&part);
    run(Command::new("cp").arg("-a").args([&from, &part]))?;
    // Cargo compiles what it has no fingerprint of.
    for entry in fs::read_dir(part.join(".fingerprint"))? {
        let entry = entry?;
        let name = entry.file_name();
        if ["mpi-", "oshmpi-mpi-"].iter().any(|crates| name.to_string_lossy().starts_with(crates)) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    fs::rename(&part, &to).with_context(|| format!("cannot make {}", to.display()))
}

/// A library without code that loads the MPI from where it lies: the loader may not look there.
fn site(mpi: Mpi) -> Result<PathBuf> {
    let dir = made(mpi.target_dir())?;
    let (source, library) = (dir.join("site.c"), dir.join(format!("liboshmpi-site-{}.so", mpi.name())));
    if !source.exists() {
        write(&source, "")?;
    }
    let mut c = Command::new(mpi.command("mpicc"));
    let line = output(c.arg("-show"))?;
    let mut c = Command::new(mpi.command("mpicc"));
    c.args(["-shared", "-Wl,--no-as-needed,--enable-new-dtags", "-o"]).arg(&library).arg(&source);
    c.args(line.split_whitespace().filter_map(|word| Some(format!("-Wl,-rpath,{}", word.strip_prefix("-L")?))));
    unless_made(&library, &format!("{c:?}"), &source, || run(&mut c))?;
    Ok(library)
}

/// The ABI for which an installed file is such a library.
pub fn abi(path: &str) -> Option<&str> {
    path.strip_prefix("lib/liboshmpi-mpi-")?.strip_suffix(".so")
}

/// Builds one by a compiler wrapper. `words`: for the compilers. Where a package is for another architecture, the
/// wrapper is this machine's and calls the cross compiler: an MPI's ABI is one for all machines with 8-byte longs.
fn over(name: &str, mpicc: &str, target_dir: &Path, words: Option<&str>) -> Result<PathBuf> {
    begin_with(&Mpi::Mpich.debians_target_dir(), target_dir)?;
    let mut c = cargo();
    c.args(["build", "--profile", PROFILE, "-p", "oshmpi-mpi-backend", "--locked"]);
    over_mpi(&mut c, mpicc, target_dir);
    if cross::is_for_all() {
        c.envs(["MPICH_CC", "OMPI_CC"].map(|variable| (variable, cross::gnu("gcc"))));
    }
    for variable in ["CFLAGS", "BINDGEN_EXTRA_CLANG_ARGS"] {
        c.envs(words.map(|words| (variable, words)));
    }
    // The quotes count in the first of them too: the checkout may have a blank in its path.
    c.envs(words.map(|_| ("CC_SHELL_ESCAPED_FLAGS", "1")));
    cross::aim(&mut c);
    listen(&mut c, Stream::Err, worth_showing)?;
    let dir = cross::results(target_dir, PROFILE);
    let archive = dir.join("liboshmpi_mpi_backend.a");
    let library = dir.join(format!("liboshmpi-mpi-{name}.so"));
    let mut link = cross::compiler();
    link.args(["-shared", "-s", "-o"]).arg(&library).arg(format!("-Wl,-u,{FILL}")).arg(&archive);
    link.args(["-Wl,--gc-sections,--as-needed", "-Wl,-z,relro"]);
    shared(link, &library, &[FILL.to_string()], "", &archive)?;
    Ok(library)
}
