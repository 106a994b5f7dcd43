//! Compiles test programs with the installed oshcc, each variant once, and only when something it is made of is newer.

use super::list::Entry;
use crate::install::recipe::unless_made;
use crate::util::{Mpi, calls_mpi, output};
use anyhow::{Context, Result, bail, ensure};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::SystemTime;
use walkdir::WalkDir;

/// Where things lie for one MPI.
pub struct Place {
    pub mpi: Mpi,
    /// tests/openshmem
    pub sources: PathBuf,
    /// bin/oshcc, include, lib
    pub prefix: PathBuf,
    /// Programs and their records go here.
    pub out: PathBuf,
}

/// Sources end with these: C, C++, Fortran in fixed or free form.
pub const ENDINGS: [&str; 5] = ["c", "cc", "f", "f90", "F90"];

/// The source of a program.
pub fn source(dir: &Path, program: &str) -> Result<PathBuf> {
    for ending in ENDINGS {
        let path = dir.join(format!("{program}.{ending}"));
        if path.is_file() {
            return Ok(path);
        }
    }
    bail!("there is no {program} with .c, .cc, .f, .f90 or .F90 in {}", dir.display())
}

/// The wrapper that compiles Fortran.
const FORTRAN: &str = "oshfort";

/// The wrapper that compiles a source, and the standard of its language.
fn compiler(source: &Path) -> (&'static str, &'static str) {
    match source.extension().and_then(|x| x.to_str()) {
        Some("cc") => ("oshc++", "gnu++17"),
        Some("f" | "f90" | "F90") => (FORTRAN, ""),
        _ => ("oshcc", "gnu11"),
    }
}

/// Whether a program is compiled by the MPI's wrapper for Fortran. A program without a source is reported when it is
/// compiled.
pub fn needs_mpifort(dir: &Path, program: &str) -> bool {
    let needs = |source: PathBuf| compiler(&source).0 == FORTRAN && calls_mpi(&source).unwrap_or(false);
    source(dir, program).is_ok_and(needs)
}

/// Where the Fortran modules of a program go. Variants of a program make modules of one name and are compiled at the
/// same time, so each executable has a directory.
fn modules(exe: &Path) -> PathBuf {
    exe.with_extension("modules")
}

impl Place {
    /// Fails when nothing is installed there. Makes the directory for programs.
    pub fn is_ready(&self) -> Result<()> {
        let (prefix, mpi) = (self.prefix.display(), self.mpi);
        if !self.prefix.join("bin/oshcc").exists() {
            bail!("{prefix} has no bin/oshcc: run `cargo xtask install --mpi {mpi} --prefix {prefix}`");
        }
        fs::create_dir_all(&self.out).with_context(|| format!("cannot make {}", self.out.display()))
    }

    /// The executable of an entry. Variants (flags, language, linkage) of a program lie beside each other.
    pub fn executable(&self, e: &Entry) -> PathBuf {
        let flags = e.cflags.is_empty() && e.ldflags.is_empty();
        if e.lang.is_none() && flags && e.link.is_empty() && e.library.is_none() && !e.static_lib {
            return self.out.join(&e.program);
        }
        let mut h = DefaultHasher::new();
        (&e.lang, &e.cflags, &e.ldflags, &e.link, &e.library, e.static_lib).hash(&mut h);
        self.out.join(format!("{}-{:08x}", e.program, h.finish() as u32))
    }

    /// The compile command of an entry.
    fn command(&self, e: &Entry) -> Result<Command> {
        let source = source(&self.sources, &e.program)?;
        let (wrapper, standard) = compiler(&source);
        let standard = e.lang.as_ref().map_or(standard.to_string(), |l| l.replace('c', "gnu"));
        let mut c = Command::new(self.prefix.join("bin").join(wrapper));
        // Warnings are errors: the header must be clean in users' programs.
        c.args(["-O2", "-g1", "-Wall", "-Werror"]);
        if wrapper == FORTRAN {
            c.args(["-ffree-line-length-none", "-J"]).arg(modules(&self.executable(e)));
        } else {
            c.args(["-Wextra", &format!("-std={standard}")]);
        }
        if calls_mpi(&source)? {
            let of_mpi = match wrapper {
                FORTRAN => "mpifort",
                "oshc++" => "mpicxx",
                _ => "mpicc",
            };
            c.arg(format!("-mpi={}", self.mpi.command(of_mpi)));
        }
        c.arg("-I").arg(&self.sources).args(&e.cflags);
        if e.static_lib {
            c.arg("-oshmpi-static");
        }
        c.arg("-o").arg(self.executable(e)).arg(source);
        c.args(e.link.iter().map(|l| self.sources.join(l))).args(&e.ldflags).arg("-lm");
        Ok(c)
    }

    /// Where a library that programs load is made of its source.
    pub fn library(&self, source: &str) -> PathBuf {
        self.out.join(source).with_extension("")
    }

    /// Builds a library that programs load. Programs of several workers may want it at the same time.
    fn build_library(&self, source: &str) -> Result<()> {
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock();
        let (from, to) = (self.sources.join(source), self.library(source));
        fs::create_dir_all(to.parent().context("a library lies in a directory")?)?;
        let mut command = Command::new("cc");
        command.args(["-std=gnu11", "-O2", "-g1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"]);
        command.arg(&to).arg(&from);
        let words = format!("{command:?}");
        unless_made(&to, &words, &from, || {
            let _ = fs::remove_file(&to);
            output(&mut command).map(|_| ())
        })
    }

    /// Builds the entry's program if needed, and the library that it loads.
    pub fn build(&self, e: &Entry) -> Result<()> {
        e.library.iter().try_for_each(|source| self.build_library(source))?;
        let exe = self.executable(e);
        let mut command = self.command(e)?;
        let words = format!("{command:?}");
        let source = source(&self.sources, &e.program)?;
        let dir = exe.parent().context("an executable lies in a directory")?;
        let modules = (compiler(&source).0 == FORTRAN).then(|| modules(&exe));
        for dir in modules.iter().map(PathBuf::as_path).chain([dir]) {
            fs::create_dir_all(dir).with_context(|| format!("cannot make {}", dir.display()))?;
        }
        unless_made(&exe, &format!("{words}\n{:?}", self.newest()?), &source, || {
            // The old executable must not pass for the new one when the compilation fails.
            let _ = fs::remove_file(&exe);
            let out = command.output().with_context(|| format!("cannot start {words}"))?;
            let printed = [out.stdout, out.stderr].concat();
            // An executable that was made with complaints is made again.
            ensure!(out.status.success() && printed.is_empty(), "{words}\n{}", String::from_utf8_lossy(&printed));
            Ok(())
        })
    }

    /// The latest change of a source or of what is installed.
    fn newest(&self) -> Result<SystemTime> {
        // share/oshmpi: the wrappers read what they pass from a file there.
        let installed = ["include", "lib", "bin", "share/oshmpi"].map(|part| self.prefix.join(part));
        installed
            .iter()
            .chain([&self.sources])
            .map(|part| newest(part))
            .try_fold(SystemTime::UNIX_EPOCH, |latest, part| Ok(latest.max(part?)))
    }
}

/// The latest change of a file below `dir`.
fn newest(dir: &Path) -> Result<SystemTime> {
    let mut latest = SystemTime::UNIX_EPOCH;
    for entry in WalkDir::new(dir).follow_links(true) {
        let entry = entry?;
        if entry.file_type().is_file() {
            latest = latest.max(entry.metadata()?.modified()?);
        }
    }
    Ok(latest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctest::list;

    #[test]
    fn variants_lie_beside_each_other() {
        let p = Place { mpi: Mpi::Mpich, sources: "s".into(), prefix: "p".into(), out: "o".into() };
        let options =
            ["", "link=a/t.c", "link=a/u.c", "library=a/l.so.c", "static", "cflags=-g", "ldflags=-g", "lang=c99"];
        let of = |o: &str| p.executable(&list::parse(&format!("a/b 1 {o}")).unwrap()[0]);
        let all: std::collections::BTreeSet<PathBuf> = options.iter().map(|o| of(o)).collect();
        assert_eq!((all.len(), of("args=x")), (options.len(), of("")));
    }
}
