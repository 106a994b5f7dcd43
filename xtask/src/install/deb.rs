//! `cargo xtask deb`: a Debian package of oshmpi over one MPI.
//!
//! Everything lies below /opt/oshmpi/MPI, because /usr/bin/oshcc and /usr/include/shmem.h belong to Debian's Open MPI
//! and packages over both MPIs shall be installed side by side. `PATH=/opt/oshmpi/mpich/bin:$PATH` chooses one.

use super::facts::Facts;
use super::library::Profile;
use super::product::{HOME, STANDARD, SUMMARY, VERSION};
use super::{layout, prepare};
use crate::deps::{self, Need};
use crate::util::{Mpi, made, output, root, run};
use anyhow::{Context, Result, ensure};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// The MPI to build over
    #[arg(long, value_enum, default_value = "mpich")]
    mpi: Mpi,
    /// Build the source package of the last commit, from which both packages are built
    #[arg(long, conflicts_with = "mpi")]
    source: bool,
}

pub fn run_task(args: Args) -> Result<()> {
    if args.source {
        let description = source()?;
        println!(
            "{0}: dpkg-source -x {0} unpacks it, dpkg-buildpackage -b builds packages there",
            description.display()
        );
        return Ok(());
    }
    deps::ensure(Need::Install(args.mpi))?;
    let package = build(args.mpi)?;
    println!("{}: install it with apt-get install {}", package.display(), package.display());
    Ok(())
}

/// Where the package puts everything.
pub fn prefix(mpi: Mpi) -> PathBuf {
    Path::new("/opt/oshmpi").join(mpi.name())
}

/// The package's name.
pub fn name(mpi: Mpi) -> String {
    format!("oshmpi-{mpi}")
}

/// Builds target/deb/NAME_VERSION_ARCH.deb.
pub fn build(mpi: Mpi) -> Result<PathBuf> {
    let (facts, items) = prepare(mpi, Profile::Release)?;
    let out = root().join("target/deb");
    let staging = out.join(name(mpi));
    // A file that is no longer installed must not stay in the package.
    if staging.exists() {
        fs::remove_dir_all(&staging).with_context(|| format!("cannot remove {}", staging.display()))?;
    }
    let prefix = prefix(mpi);
    let installed = staging.join(prefix.strip_prefix("/").expect("the prefix is absolute"));
    layout::install(&installed, &items)?;

    let doc = staging.join("usr/share/doc").join(name(mpi));
    layout::text(&copyright(), &doc.join("copyright"))?;
    layout::text(&readme(&facts), &doc.join("README.Debian"))?;

    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_string();
    let control = control(&facts, &architecture, &dependencies(&facts, &installed)?, kib(&staging)?);
    layout::text(&control, &staging.join("DEBIAN/control"))?;
    // The loader need not know the library: programs have a run path. So there are no scripts.
    let package = out.join(format!("{}_{VERSION}_{architecture}.deb", name(mpi)));
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(&staging)
        .arg(&package)
        .stdout(std::process::Stdio::null()))?;
    Ok(package)
}

/// Builds target/deb/oshmpi_VERSION-1.dsc and what it names, with the files of packaging/debian as debian/.
fn source() -> Result<PathBuf> {
    let out = root().join("target/deb/source");
    let _ = fs::remove_dir_all(&out);
    let tree = made(out.join(format!("oshmpi-{VERSION}")))?;
    let original = out.join(format!("oshmpi_{VERSION}.orig.tar"));
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "archive", "HEAD", "--prefix"]).arg(format!("oshmpi-{VERSION}/"));
    run(git.arg("-o").arg(&original).current_dir(root()))?;
    run(Command::new("tar").arg("-xf").arg(&original).arg("-C").arg(&out))?;
    run(Command::new("gzip").args(["-n", "-9"]).arg(&original))?;
    run(Command::new("cp").arg("-a").arg(root().join("packaging/debian")).arg(tree.join("debian")))?;
    // The time of the last commit: the same commit gives the same package.
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*", "log", "-1", "--format=%cD"]);
    let time = output(git.current_dir(root()))?;
    let entry = format!(
        "oshmpi ({VERSION}-1) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- {MAINTAINER}  {}\n",
        time.trim()
    );
    fs::write(tree.join("debian/changelog"), entry).context("cannot write debian/changelog")?;
    run(Command::new("dpkg-source").arg("-b").arg(&tree).current_dir(&out).stdout(std::process::Stdio::null()))?;
    Ok(out.join(format!("oshmpi_{VERSION}-1.dsc")))
}

const MAINTAINER: &str = "The oshmpi developers <oshmpi@localhost>";

fn control(f: &Facts, architecture: &str, depends: &str, kib: u64) -> String {
    format!(
        "Package: {}
Version: {VERSION}
Architecture: {architecture}
Maintainer: {MAINTAINER}
Installed-Size: {kib}
Depends: {depends}
Recommends: g++, gfortran, pkg-config
Section: devel
Priority: optional
Homepage: {HOME}
Description: {SUMMARY} ({})
 A library for OpenSHMEM {STANDARD} programs in C, C++ and Fortran, with compiler wrappers,
 headers, static and shared library, and manual pages, below {}.
 Inside a node a remote access is a load, a store or an atomic instruction.
",
        name(f.mpi),
        f.mpi_name(),
        prefix(f.mpi).display(),
    )
}

/// The dependencies: the MPI to compile and to start with, a compiler, and the packages of the libraries that liboshmpi
/// is linked with.
fn dependencies(f: &Facts, installed: &Path) -> Result<String> {
    let tools = match f.mpi {
        Mpi::Mpich => ["libmpich-dev", "mpich"],
        Mpi::Openmpi => ["libopenmpi-dev", "openmpi-bin"],
    };
    let mut all: BTreeSet<String> = tools.into_iter().chain(["gcc", "libc6-dev"]).map(str::to_string).collect();
    for file in [installed.join("lib/liboshmpi.so"), installed.join("bin/osh_info")] {
        for library in needed(&file)? {
            // Several files can have the name; those in the loader's directories count.
            let found = output(Command::new("dpkg-query").args(["-S", &format!("*/{library}")]))?;
            let owner = found.lines().find(|l| l.contains("-linux-gnu/") || l.contains(" /lib"));
            let owner = owner.and_then(|l| l.split(':').next());
            let owner = owner.with_context(|| format!("no package has {library}, which oshmpi is linked with"))?;
            all.insert(match owner {
                "libc6" => format!("libc6 (>= {})", glibc()?),
                other => other.to_string(),
            });
        }
    }
    Ok(all.into_iter().collect::<Vec<_>>().join(", "))
}

/// The libraries that a program or library names.
fn needed(file: &Path) -> Result<Vec<String>> {
    let text = output(Command::new("readelf").arg("-d").arg(file))?;
    let names = text
        .lines()
        .filter(|l| l.contains("(NEEDED)"))
        .filter_map(|l| Some(l.split_once('[')?.1.split(']').next()?.to_string()));
    let names: Vec<String> = names.collect();
    ensure!(!names.is_empty(), "{} needs no library", file.display());
    Ok(names)
}

/// The version of the C library at build time: an older one can lack symbols.
fn glibc() -> Result<String> {
    let version = output(Command::new("getconf").arg("GNU_LIBC_VERSION"))?;
    Ok(version.trim().rsplit(' ').next().unwrap_or_default().to_string())
}

fn readme(f: &Facts) -> String {
    let prefix = prefix(f.mpi);
    format!(
        "oshmpi over {} lies below {p}, because Debian's Open MPI has an oshcc and a shmem.h of its own.

    PATH={p}/bin:$PATH
    MANPATH={p}/share/man:
    oshcc hello.c -o hello
    {} -n 4 ./hello

man oshmpi and osh_info go on from here.
",
        f.mpi_name(),
        f.command("mpiexec"),
        p = prefix.display(),
    )
}

fn copyright() -> String {
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: oshmpi
Source: {HOME}

Files: *
Copyright: the oshmpi developers
License: MIT or Apache-2.0
 Both texts are in /opt/oshmpi, below share/doc/oshmpi.
"
    )
}

/// What a tree takes, in KiB.
fn kib(dir: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in walkdir::WalkDir::new(dir) {
        let metadata = entry?.metadata()?;
        bytes += if metadata.is_dir() { 1024 } else { metadata.len() };
    }
    Ok(bytes.div_ceil(1024))
}
