//! `cargo xtask dist`: what is installed without compiling, below target/dist: an archive that is unpacked anywhere, a
//! wheel for `pip install`, and where there is `dpkg-deb` a Debian package. Zig links them for an old glibc.

use super::library::Profile;
use super::product::VERSION;
use super::target::{self, Target};
use super::{backends, cross, glibc, layout, prepare, wheel};
use crate::deps;
use crate::util::{Mpi, command_exists, made, read, root, run};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Args {
    /// The oldest release of glibc on which it is to run. 2.28 is that of RHEL 8
    #[arg(long, value_name = "VERSION", default_value = "2.28", value_parser = glibc::parse)]
    glibc: glibc::Version,
    /// The machines it is for, where they are not of this one's architecture: aarch64-unknown-linux-gnu
    #[arg(long, value_name = "TRIPLE", value_parser = target::parse)]
    target: Option<Target>,
}

pub fn run_task(args: Args) -> Result<()> {
    deps::ensure(&deps::DIST)?;
    let out = made(root().join("target/dist"))?;
    // Zig, and MPICH 5 for the header of the standard's ABI. The headers of the other ABIs are Debian's.
    let environment = out.join("pypi");
    deps::from_pypi(&environment, &["ziglang", "mpich>=5"])?;
    let bin = environment.join("bin");
    let target = args.target.map_or_else(Target::here, Ok)?;
    cross::choose_glibc(target, args.glibc, &out, &bin.join("python"))?;
    let (_, items) = prepare(Mpi::Mpich, Profile::Release, Some(&bin.join("mpicc_abi")))?;
    let abis: Vec<&str> = items.iter().filter_map(|item| backends::abi(&item.path)).collect();
    ensure!(abis == ["mpich", "abi", "openmpi"], "the ABIs of MPI that are served are {abis:?}");
    let name = format!("oshmpi-{VERSION}-linux-{}", target.arch());
    let tree = out.join(&name);
    layout::install(&tree, &items)?;
    // What is said of them is measured.
    let needed = glibc::needed(&tree, args.glibc, &cross::gnu("objdump"))?;
    let tag = format!("manylinux_{}_{}_{}", needed.0, needed.1, target.arch());
    let mut files = vec![archive(&out, &name)?, wheel::write(&tree, &tag, &out)?];
    if command_exists("dpkg-deb") {
        files.push(debian(&items, &target, needed, &out)?);
    }
    for file in files {
        println!("{}: {:.1} MB", file.display(), file.metadata()?.len() as f64 / 1e6);
    }
    Ok(())
}

/// Equal files give an equal archive.
fn archive(out: &Path, name: &str) -> Result<PathBuf> {
    let file = out.join(format!("{name}.tar.gz"));
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "-I", "gzip -n"]);
    run(tar.arg("-C").arg(out).arg("-cf").arg(&file).arg(name))?;
    Ok(file)
}

/// Builds oshmpi_VERSION-1_ARCH.deb. What stands in packaging/debian is true of it too. `needed`: of glibc. All lies
/// below /opt/oshmpi, because /usr/bin/oshcc and /usr/include/shmem.h belong to Debian's Open MPI.
/// `PATH=/opt/oshmpi/bin:$PATH` chooses it.
fn debian(items: &[layout::Item], target: &Target, needed: glibc::Version, out: &Path) -> Result<PathBuf> {
    let architecture = target.debian;
    let staging = out.join("deb").join(architecture);
    layout::install(&staging.join("opt/oshmpi"), items)?;
    // The loader need not know the library: programs have a run path. So there are no scripts.
    for (file, place) in [
        ("control", "DEBIAN/control"),
        ("copyright", "usr/share/doc/oshmpi/copyright"),
        ("README.Debian", "usr/share/doc/oshmpi/README.Debian"),
    ] {
        let text = read(&root().join("packaging/debian").join(file))?;
        let text = text.replace("@VERSION@", VERSION).replace("@ARCHITECTURE@", architecture);
        layout::text(&text.replace("@GLIBC@", &format!("{}.{}", needed.0, needed.1)), &staging.join(place))?;
    }
    let package = out.join(format!("oshmpi_{VERSION}-1_{architecture}.deb"));
    let mut pack = Command::new("dpkg-deb");
    pack.args(["--root-owner-group", "-Zxz", "--build"]).arg(&staging).arg(&package);
    run(pack.stdout(std::process::Stdio::null()))?;
    Ok(package)
}
