//! The system packages that building and testing need. On Debian and its relatives root installs them; for others the
//! one line to run is printed.

use crate::util::{Mpi, command_exists, output, run};
use anyhow::{Result, bail};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// Package on Debian 12, a command that shows that it is there (for other systems), what it is for.
struct Package {
    name: &'static str,
    command: Option<&'static str>,
    why: &'static str,
    part: Part,
}

/// Who needs a package.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Every build.
    Build,
    /// The library between oshmpi and an MPI.
    Mpi,
    /// What Debian has for every installation.
    Debian,
    /// Builds over this one.
    Of(Mpi),
    /// What takes packages of PyPI.
    Python,
    /// Tests.
    Test,
    /// Builds for another architecture.
    Cross,
    /// Tests of those.
    Emulator,
}

/// What a build for many machines needs.
pub const DIST: [Part; 6] =
    [Part::Build, Part::Mpi, Part::Debian, Part::Python, Part::Of(Mpi::Mpich), Part::Of(Mpi::Openmpi)];

const fn package(name: &'static str, command: Option<&'static str>, part: Part, why: &'static str) -> Package {
    Package { name, command, why, part }
}

const LIBCLANG: &str = "libclang-dev";

const PACKAGES: &[Package] = &[
    package("gcc", Some("gcc"), Part::Build, "C parts of the runtime, tests and examples"),
    package("g++", Some("g++"), Part::Test, "header tests in C++"),
    package("gfortran", Some("gfortran"), Part::Debian, "oshfort"),
    package("libc6-dev", None, Part::Build, "system headers"),
    package("binutils", Some("nm"), Part::Build, "linking liboshmpi.so, symbol tests"),
    package("clang", Some("clang"), Part::Test, "header tests with a second compiler"),
    package("libomp-dev", None, Part::Test, "clang's OpenMP under the race detector"),
    package(LIBCLANG, None, Part::Mpi, "bindgen, which reads MPI's header"),
    package("iproute2", Some("ip"), Part::Test, "several hosts on one machine (tests/cluster)"),
    // None of these has a command: elsewhere than on Debian what needs them is skipped.
    package("slurmctld", None, Part::Test, "allocations of Slurm, on hosts made here"),
    package("slurmd", None, Part::Test, "the same"),
    package("slurm-client", None, Part::Test, "the same"),
    package("munge", None, Part::Test, "the same"),
    package("libfabric-dev", None, Part::Test, "header that the layouts of libfabric are compared with"),
    package("pkg-config", Some("pkg-config"), Part::Test, "test of the pkg-config file"),
    package("cmake", Some("cmake"), Part::Test, "test of the CMake package"),
    package("python3-venv", None, Part::Python, "the MPIs of PyPI"),
    package("make", Some("make"), Part::Test, "what cmake builds with"),
    package("gcc-aarch64-linux-gnu", Some("aarch64-linux-gnu-gcc"), Part::Cross, "building for aarch64"),
    package("libc6-dev-arm64-cross", None, Part::Cross, "system headers for aarch64"),
    package("gfortran-aarch64-linux-gnu", Some("aarch64-linux-gnu-gfortran"), Part::Cross, "oshfort for aarch64"),
    package("qemu-user-static", Some("qemu-aarch64-static"), Part::Emulator, "running programs for aarch64"),
    package("mpich", Some("mpiexec.mpich"), Part::Of(Mpi::Mpich), "the first MPI: launcher"),
    package("libmpich-dev", Some("mpicc.mpich"), Part::Of(Mpi::Mpich), "the first MPI: compiler wrappers"),
    package("openmpi-bin", Some("mpiexec.openmpi"), Part::Of(Mpi::Openmpi), "the second MPI: launcher"),
    package("libopenmpi-dev", Some("mpicc.openmpi"), Part::Of(Mpi::Openmpi), "the second MPI: compiler wrappers"),
];

/// Makes sure that the packages of these are there: installs what is missing, or fails with the line to run.
pub fn ensure(parts: &[Part]) -> Result<()> {
    let dpkg = command_exists("dpkg-query");
    let missing: Vec<&Package> = PACKAGES.iter().filter(|p| parts.contains(&p.part) && !present(p, dpkg)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !dpkg {
        let wanted: Vec<String> =
            missing.iter().map(|p| format!("{} ({})", p.command.unwrap_or(p.name), p.why)).collect();
        bail!("not found: {}; this system has no dpkg, install them its own way", wanted.join(", "));
    }
    let names: Vec<&str> = missing.iter().map(|p| p.name).collect();
    if !is_root() {
        bail!(
            "packages are missing; run this, then try again: \
             sudo apt-get update && sudo apt-get install -y --no-install-recommends {}",
            names.join(" ")
        );
    }
    eprintln!("installing {}", names.join(" "));
    run(apt_get().args(["-qq", "update"]))?;
    // The packages' chatter goes to the log of apt itself; errors still come on stderr.
    run(apt_get()
        .args(["-qq", "install", "-y", "--no-install-recommends", "-o", "Dpkg::Use-Pty=0"])
        .args(&names)
        .stdout(std::process::Stdio::null()))
}

/// Installs the newest releases of packages of PyPI in an environment of their own.
pub fn from_pypi(environment: &Path, packages: &[&str]) -> Result<()> {
    if !environment.join("bin/pip").exists() {
        run(Command::new("python3").args(["-m", "venv"]).arg(environment))?;
    }
    let mut pip = Command::new(environment.join("bin/pip"));
    run(pip.args(["-q", "--disable-pip-version-check", "install", "--upgrade"]).args(packages))
}

/// Fails with the line to run when rustfmt or clippy is not there: they are parts of the toolchain, not packages.
pub fn ensure_rust_components() -> Result<()> {
    for (tool, component) in [("cargo-fmt", "rustfmt"), ("cargo-clippy", "clippy")] {
        let there = Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
        if !there {
            bail!("{tool} is missing; run this, then try again: rustup component add {component}");
        }
    }
    Ok(())
}

fn present(p: &Package, dpkg: bool) -> bool {
    // What a build needs may come from elsewhere than Debian's packages: from Spack, for example.
    if matches!(p.part, Part::Build | Part::Mpi)
        && (p.command.is_some_and(command_exists) || p.name == LIBCLANG && libclang_is_named())
    {
        return true;
    }
    if dpkg {
        let asked = output(Command::new("dpkg-query").args(["-W", "-f=${db:Status-Status}\\n", p.name]));
        asked.is_ok_and(|states| installed(&states))
    } else {
        // Without dpkg only commands can be looked for. A missing package without a command is noticed at its first
        // use.
        p.command.is_none_or(command_exists)
    }
}

/// Whether `LIBCLANG_PATH` names a libclang, or the directory of one, as bindgen takes it.
fn libclang_is_named() -> bool {
    std::env::var_os("LIBCLANG_PATH").is_some_and(|path| holds_libclang(Path::new(&path)))
}

fn holds_libclang(path: &Path) -> bool {
    let is_it = |name: &OsStr| name.to_string_lossy().starts_with("libclang") && name.to_string_lossy().contains(".so");
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().any(|entry| is_it(&entry.file_name())),
        Err(_) => path.exists() && path.file_name().is_some_and(is_it),
    }
}

/// dpkg's states of a package: a line for every architecture for which dpkg knows it.
fn installed(states: &str) -> bool {
    states.lines().any(|state| state == "installed")
}

fn apt_get() -> Command {
    let mut c = Command::new("apt-get");
    c.env("DEBIAN_FRONTEND", "noninteractive");
    c
}

/// Whether this is the superuser.
pub fn is_root() -> bool {
    // SAFETY: geteuid has no arguments and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_architecture_of_a_package_is_enough() {
        assert!(
            installed("installed\n") && installed("installed\ninstalled\n") && installed("not-installed\ninstalled\n")
        );
        assert!(!installed("") && !installed("not-installed\n") && !installed("config-files\n"));
        if command_exists("dpkg-query") {
            assert!(present(&package("dpkg", None, Part::Test, ""), true));
        }
    }

    #[test]
    fn libclang_is_taken_from_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let other = dir.path().join("libclang-cpp.txt");
        std::fs::write(&other, "").unwrap();
        assert!(!holds_libclang(dir.path()) && !holds_libclang(&other) && !holds_libclang(&dir.path().join("no")));
        let file = dir.path().join("libclang.so.1");
        std::fs::write(&file, "").unwrap();
        assert!(holds_libclang(dir.path()) && holds_libclang(&file));
    }

    #[test]
    fn packages_are_there_or_not() {
        let nothing = package("oshmpi-no-such-package", Some("oshmpi-no-such-command"), Part::Test, "");
        // A build takes commands that are no packages.
        let command = package("oshmpi-no-such-package", Some("sh"), Part::Build, "");
        for dpkg in [false, command_exists("dpkg-query")] {
            assert!(present(&command, dpkg) && !present(&nothing, dpkg));
        }
    }
}
