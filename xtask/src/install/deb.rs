//! `cargo xtask deb`: a Debian package of oshmpi over one MPI.
//!
//! Everything lies below /opt/oshmpi/MPI, because /usr/bin/oshcc and /usr/include/shmem.h belong to Debian's Open MPI
//! and packages over both MPIs shall be installed side by side. `PATH=/opt/oshmpi/mpich/bin:$PATH` chooses one.

use super::library::Profile;
use super::product::VERSION;
use super::{layout, prepare};
use crate::deps::{self, Need};
use crate::util::{Mpi, made, output, root, run};
use anyhow::{Context, Result};
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
    deps::ensure(Need::Install(Some(args.mpi)))?;
    deps::ensure(Need::Deb)?;
    let package = build(args.mpi)?;
    println!("{}: install it with apt-get install {}", package.display(), package.display());
    Ok(())
}

/// Where the package puts everything.
fn prefix(mpi: Mpi) -> PathBuf {
    Path::new("/opt/oshmpi").join(mpi.name())
}

/// Builds target/deb/NAME_VERSION_ARCH.deb. What stands in packaging/debian is true of it too.
fn build(mpi: Mpi) -> Result<PathBuf> {
    let (facts, items) = prepare(mpi, Profile::Release)?;
    let (out, name) = (root().join("target/deb"), format!("oshmpi-{mpi}"));
    let staging = out.join(&name);
    // A file that is no longer installed must not stay in the package.
    if staging.exists() {
        fs::remove_dir_all(&staging).with_context(|| format!("cannot remove {}", staging.display()))?;
    }
    let prefix = prefix(mpi);
    let installed = staging.join(prefix.strip_prefix("/").expect("the prefix is absolute"));
    layout::install(&installed, &items)?;

    let doc = staging.join("usr/share/doc").join(&name);
    for file in ["copyright", "README.Debian"] {
        let from = packaging().join("debian").join(file);
        let text = fs::read_to_string(&from).with_context(|| format!("cannot read {}", from.display()))?;
        layout::text(&text.replace("@NAME@", &facts.mpi_name()).replace("@MPI@", mpi.name()), &doc.join(file))?;
    }
    // The loader need not know the library: programs have a run path. So there are no scripts.
    let control = control(&name, &staging, &installed, &out)?;
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?;
    let package = out.join(format!("{name}_{VERSION}-1_{}.deb", architecture.trim()));
    layout::text(&control, &staging.join("DEBIAN/control"))?;
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", "--build"])
        .arg(&staging)
        .arg(&package)
        .stdout(std::process::Stdio::null()))?;
    Ok(package)
}

/// Where the directory debian/ lies.
fn packaging() -> PathBuf {
    root().join("packaging")
}

/// The control file, from packaging/debian/control, with the packages of the libraries that oshmpi is linked with.
/// `out`: for files that dpkg's commands need.
fn control(name: &str, staging: &Path, installed: &Path, out: &Path) -> Result<String> {
    let (log, variables) = (out.join("changelog"), out.join("substvars"));
    // The package has no changelog, only a version.
    fs::write(&log, changelog("Thu, 01 Jan 1970 00:00:00 +0000")).context("cannot write a changelog")?;
    // By its directory dpkg knows what is of the package.
    made(staging.join("DEBIAN"))?;
    let command = |name: &str| {
        let mut c = Command::new(name);
        c.current_dir(packaging()).arg(format!("-T{}", variables.display()));
        c
    };
    let _ = fs::remove_file(&variables);
    let linked = ["lib/liboshmpi.so", "bin/osh_info"].map(|file| format!("-e{}", installed.join(file).display()));
    run(command("dpkg-shlibdeps").args(linked))?;
    let (log, files) = (format!("-l{}", log.display()), format!("-f{}", out.join("files").display()));
    let (staging, name) = (format!("-P{}", staging.display()), format!("-p{name}"));
    output(command("dpkg-gencontrol").args([&log, &files, &staging, &name, "-O"]))
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
    fs::write(tree.join("debian/changelog"), changelog(time.trim())).context("cannot write debian/changelog")?;
    run(Command::new("dpkg-source").arg("-b").arg(&tree).current_dir(&out).stdout(std::process::Stdio::null()))?;
    Ok(out.join(format!("oshmpi_{VERSION}-1.dsc")))
}

/// The entry of this version.
fn changelog(time: &str) -> String {
    let maintainer = "The oshmpi developers <oshmpi@localhost>";
    format!("oshmpi ({VERSION}-1) unstable; urgency=low\n\n  * See CHANGELOG.md.\n\n -- {maintainer}  {time}\n")
}
