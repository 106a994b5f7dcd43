//! Debian's MPICH of another architecture, in a directory below target/: the packages of this machine stay unchanged,
//! and nobody has to be root. apt works there with separate lists and state.

use super::layout;
use super::target::Target;
use crate::util::{files, root, run};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// With all that it needs to run.
const LIBRARY: &str = "libmpich12";
/// Alone, for its headers: it depends on compilers that run there.
const HEADERS: &str = "libmpich-dev";

/// The commands that compile for the target over it: name, compiler below it, its variable, libraries.
const WRAPPERS: [(&str, &str, &str, &str); 3] = [
    ("mpicc", "gcc", "MPICH_CC", "-lmpich"),
    ("mpicxx", "g++", "MPICH_CXX", "-lmpichcxx -lmpich"),
    ("mpifort", "gfortran", "MPICH_FC", "-lmpichfort -lmpich"),
];

pub struct Sysroot {
    /// The root directory of the target.
    pub root: PathBuf,
    pub mpicc: PathBuf,
}

fn directory(target: &Target) -> PathBuf {
    root().join("target/debian").join(target.debian)
}

/// Where the target's / is, once it was made.
pub fn place(target: &Target) -> PathBuf {
    directory(target).join("root")
}

/// Makes it, unless it is there.
pub fn debian(target: &Target) -> Result<Sysroot> {
    let dir = directory(target);
    let made = Sysroot { root: place(target), mpicc: dir.join("bin/mpicc.mpich") };
    // Written last.
    let complete = dir.join("complete");
    if !complete.exists() {
        let why =
            || format!("Debian's MPICH for {}: --mpicc names a cross compiler wrapper of another MPI", target.debian);
        fetch(&dir, target).with_context(why)?;
        layout::text("", &complete)?;
    }
    for (name, compiler, variable, libraries) in WRAPPERS {
        let file = dir.join("bin").join(format!("{name}.mpich"));
        layout::program(&wrapper(target, &made.root, compiler, variable, libraries), &file)?;
    }
    Ok(made)
}

/// Downloads the packages and unpacks them below `dir`.
fn fetch(dir: &Path, target: &Target) -> Result<()> {
    let (archives, unpacked) = (dir.join("cache/archives"), dir.join("root"));
    let _ = fs::remove_dir_all(&unpacked);
    for part in ["lists/partial", "cache/archives/partial", "root"] {
        fs::create_dir_all(dir.join(part)).with_context(|| format!("cannot make {}", dir.join(part).display()))?;
    }
    let config = dir.join("apt.conf");
    layout::text(&apt_config(dir, target), &config)?;
    let apt = |args: &[&str]| {
        let mut c = Command::new("apt-get");
        run(c.env("APT_CONFIG", &config).env("DEBIAN_FRONTEND", "noninteractive").current_dir(&archives).args(args))
    };
    eprintln!("downloading {LIBRARY} and {HEADERS} for {}", target.debian);
    apt(&["-qq", "update"])?;
    apt(&["-qq", "install", "--download-only", "-y", "--no-install-recommends", LIBRARY])?;
    apt(&["-qq", "download", HEADERS])?;
    let packages = files(&archives, "deb")?;
    ensure!(packages.len() > 2, "apt-get downloaded {} packages only", packages.len());
    packages.iter().try_for_each(|p| run(Command::new("dpkg-deb").arg("-x").arg(p).arg(&unpacked)))
}

/// A configuration for apt of a machine of this architecture, with nothing installed on it.
fn apt_config(dir: &Path, target: &Target) -> String {
    let (at, arch) = (dir.display(), target.debian);
    format!(
        "APT::Architecture \"{arch}\";\nAPT::Architectures {{ \"{arch}\"; }};\nAPT::Sandbox::User \"root\";\n\
         Dir::State \"{at}\";\nDir::State::status \"/dev/null\";\nDir::Cache \"{at}/cache\";\n"
    )
}

/// A script in place of MPICH's wrapper, which would name directories of this machine.
fn wrapper(target: &Target, sysroot: &Path, compiler: &str, variable: &str, libraries: &str) -> String {
    let (root, gnu) = (sysroot.display(), target.gnu);
    let flags = format!("-I'{root}/usr/include/{gnu}/mpich' -L'{root}/usr/lib/{gnu}' {libraries}");
    // The libraries that MPICH is linked with lie there, too.
    let indirect = format!("-Wl,-rpath-link,'{root}/usr/lib/{gnu}:{root}/lib/{gnu}'");
    format!(
        "#!/bin/sh\n# MPICH of Debian for {gnu}: as mpicc, with -show to print the command.\n\
         cc=${{{variable}:-{gnu}-{compiler}}}\n\
         if [ \"$1\" = -show ]; then shift; echo $cc \"$@\" {flags}; exit; fi\n\
         exec $cc \"$@\" {flags} {indirect}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::super::target::TARGETS;
    use super::*;
    use crate::util::output;

    #[test]
    fn the_wrapper_shows_and_runs_one_command() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("mpicc");
        layout::program(&wrapper(&TARGETS[0], Path::new("/x y"), "gcc", "MPICH_CC", "-lmpich"), &file).unwrap();
        let printed = output(Command::new(&file).args(["-show", "a.o"]).env_remove("MPICH_CC")).unwrap();
        let flags = "a.o -I/x y/usr/include/aarch64-linux-gnu/mpich -L/x y/usr/lib/aarch64-linux-gnu -lmpich";
        assert_eq!(printed.trim(), format!("aarch64-linux-gnu-gcc {flags}"));
        let ran = output(Command::new(&file).arg("a.o").env("MPICH_CC", "echo")).unwrap();
        assert!(ran.starts_with(flags), "{ran}");
    }
}
