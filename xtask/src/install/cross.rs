//! `--target TRIPLE`: an installation for machines of another architecture than this one; and builds for machines of
//! this one with an older glibc.
//!
//! The runtime and the commands are built for the target. What has to run here in order to install (manual
//! pages, completions) is built for this machine, too, and the commands for this machine are installed below
//! PREFIX/cross: with `PREFIX/cross/bin/oshcc` programs are compiled here for the target.

use super::glibc::{self, Version};
use super::layout;
use super::layout::Item;
use super::target::Target;
use crate::deps::{self, Part};
use crate::util::{Mpi, made, output, root};
use anyhow::{Context, Result, bail, ensure};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

struct Chosen {
    target: Target,
    /// It is over every MPI that the machines may have.
    is_for_all: bool,
    /// It is packed, so nothing of it runs here.
    is_package: bool,
    /// The C compiler and linker.
    cc: String,
}

static CHOSEN: OnceLock<Chosen> = OnceLock::new();

/// Makes this process build for `target`, over the MPI whose cross compiler wrapper `mpicc` is, or else over all whose
/// wrappers are here, with the cross compiler below them. Returns which MPI comes first.
pub fn choose(target: Target, mpi: Mpi, mpicc: Option<&str>) -> Result<Mpi> {
    if let Some(why) = target.missing() {
        bail!("{why}");
    }
    deps::ensure(&[Part::Cross])?;
    set(Chosen { target, is_for_all: mpicc.is_none(), is_package: false, cc: format!("{}-gcc", target.gnu) })?;
    let Some(mpicc) = mpicc else { return Ok(mpi) };
    let macros = output(Command::new(mpicc).args(["-dM", "-E", "-x", "c", "/dev/null"]))?;
    let defined = format!("#define {} 1", target.macro_name);
    ensure!(macros.lines().any(|l| l == defined), "{mpicc} does not compile for {}", target.triple);
    Mpi::other(mpicc)
}

/// Makes this process build for machines with this glibc or a newer one, and with any MPI. `dir`: for the compiler.
/// `python` has Zig.
pub fn choose_glibc(target: Target, version: Version, dir: &Path, python: &Path) -> Result<()> {
    if let Some(why) = target.missing() {
        bail!("{why}");
    }
    if !target.is_here() {
        deps::ensure(&[Part::Cross])?;
    }
    let cc = dir.join(format!("cc-{}", target.arch()));
    layout::program(&glibc::compiler(&target, version, python), &cc)?;
    set(Chosen { target, is_for_all: true, is_package: true, cc: cc.display().to_string() })
}

fn set(chosen: Chosen) -> Result<()> {
    ensure!(CHOSEN.set(chosen).is_ok(), "a target is chosen once");
    Ok(())
}

/// What is built for, where it is not an architecture of this machine.
pub fn target() -> Option<Target> {
    CHOSEN.get().map(|c| c.target).filter(|t| !t.is_here())
}

/// A command of GNU's compilers and binutils, for the target.
pub fn gnu(name: &str) -> String {
    target().map_or(name.to_string(), |t| format!("{}-{name}", t.gnu))
}

/// A command of binutils, for the target.
pub fn binutils(name: &str) -> Command {
    Command::new(gnu(name))
}

/// The C compiler, for the target, of what does not depend on the MPI: the one with which Rust links.
pub fn compiler() -> Command {
    Command::new(CHOSEN.get().map_or("cc", |c| &c.cc))
}

/// The cargo target directory of what does not depend on the MPI.
pub fn target_dir() -> PathBuf {
    root().join("target/build/tools")
}

/// Where that is built, once for all MPIs. Makes the directory, which no other process uses while the lock is there.
pub fn without_mpi(name: &str) -> Result<(PathBuf, File)> {
    let dir = made(results(&target_dir(), name))?;
    let lock = File::create(dir.join("lock")).and_then(|lock| lock.lock().map(|()| lock));
    Ok((dir.clone(), lock.with_context(|| format!("cannot lock {}", dir.display()))?))
}

/// Lets cargo build for the target.
pub fn aim(c: &mut Command) {
    let Some(Chosen { target, cc, .. }) = CHOSEN.get() else { return };
    let linker = format!("CARGO_TARGET_{}_LINKER", target.triple.to_uppercase().replace('-', "_"));
    c.args(["--target", target.triple]).env(linker, cc);
    // CC, if it is set, names the compiler for this machine. Crates would take it for C parts of the target, too.
    let compiler = format!("CC_{}", target.triple.replace('-', "_"));
    let is_named = [compiler.as_str(), "TARGET_CC"].iter().any(|name| std::env::var_os(name).is_some());
    if !target.is_here() && !is_named {
        c.env(compiler, gnu("gcc"));
    }
}

/// Where cargo puts what it builds for the target.
pub fn results(target_dir: &Path, profile: &str) -> PathBuf {
    CHOSEN.get().map_or(target_dir.to_path_buf(), |c| target_dir.join(c.target.triple)).join(profile)
}

/// Whether the build is for machines that may have any MPI.
pub fn is_for_all() -> bool {
    CHOSEN.get().is_some_and(|c| c.is_for_all)
}

/// Whether the installation has commands for this machine beside those for the target.
pub fn has_commands_here() -> bool {
    target().is_some() && CHOSEN.get().is_some_and(|c| !c.is_package)
}

/// PREFIX/cross: `commands` run here and find headers and libraries of the target. `config`: what they read.
pub fn items(commands: Vec<Item>, config: String) -> Vec<Item> {
    let below = |item: Item| Item { path: format!("{DIR}/{}", item.path), ..item };
    let mut items: Vec<Item> = commands.into_iter().map(below).collect();
    items.extend(["include", "lib"].map(|dir| Item::link(format!("{DIR}/{dir}"), format!("../{dir}"))));
    items.push(Item::text(format!("{DIR}/share/oshmpi/config.json"), config));
    items
}

/// Below a prefix for another architecture: what runs on the machine that built it.
pub const DIR: &str = "cross";
