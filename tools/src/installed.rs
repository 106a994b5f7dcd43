//! The installation this program belongs to, and the compiler that a wrapper calls.

use crate::cmdline::split_words;
use anyhow::{Result, anyhow};
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The language a wrapper compiles, told by the name it is called by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    /// The language of a wrapper's name. `None`: there is no such wrapper.
    pub fn of(name: &str) -> Option<Language> {
        match name {
            "oshcc" => Some(Language::C),
            "oshc++" | "oshcxx" | "oshCC" => Some(Language::Cxx),
            "oshfort" => Some(Language::Fortran),
            _ => None,
        }
    }

    pub fn variable(self) -> &'static str {
        match self {
            Language::C => "OSHMPI_CC",
            Language::Cxx => "OSHMPI_CXX",
            Language::Fortran => "OSHMPI_FC",
        }
    }
}

/// A compiler, or an MPI's wrapper of one, as it is called.
#[derive(Debug, PartialEq)]
pub struct Compiler {
    pub program: OsString,
    /// Arguments before all others: the wrapper itself, where `ccache` or the like calls it.
    pub first: Vec<OsString>,
}

impl Compiler {
    /// The compiler of a variable's value. `None`: the value is blank.
    fn of(value: OsString) -> Option<Compiler> {
        let words = match value.to_str() {
            // A path may have blanks.
            Some(text) if !Path::new(text).is_file() => split_words(text).into_iter().map(OsString::from).collect(),
            _ => vec![value],
        };
        let mut words = words.into_iter();
        Some(Compiler { program: words.next()?, first: words.collect() })
    }

    pub fn command(&self) -> Command {
        let mut c = Command::new(&self.program);
        c.args(&self.first);
        c
    }

    /// Whether the compiler that is called in the end is clang, or takes its options. What cannot be started is not.
    pub fn is_clang(&self) -> bool {
        let said = self.command().arg("--version").output();
        said.is_ok_and(|out| String::from_utf8_lossy(&out.stdout).contains("clang"))
    }

    /// Whether it is an MPI's wrapper, which knows `-show` and the MPI.
    pub fn is_of_mpi(&self) -> bool {
        self.first.iter().chain([&self.program]).any(|word| name_of(word).contains("mpi"))
    }

    /// Whether it is the wrapper for this language again.
    pub fn is_wrapper(&self, language: Language) -> bool {
        let words = self.first.iter().chain([&self.program]);
        let mut names = words.filter(|word| !word.as_encoded_bytes().starts_with(b"-")).map(|word| name_of(word));
        names.any(|name| Language::of(&name) == Some(language))
    }

    /// Whether it is gfortran, of any release and from any place.
    fn is_gfortran(&self) -> bool {
        self.first.iter().chain([&self.program]).any(|word| name_of(word).contains("gfortran"))
    }

    /// The number of its release, if it tells. `-dumpversion` prints 12, or 8.5.0.
    fn major(&self) -> Option<u32> {
        let out = self.command().arg("-dumpversion").output().ok().filter(|out| out.status.success())?;
        String::from_utf8_lossy(&out.stdout).trim().split('.').next()?.parse().ok()
    }

    /// Whether `wrapper` is the compiler that is called in the end.
    fn ends_in(&self, wrapper: &str) -> bool {
        self.first.last().unwrap_or(&self.program) == wrapper
    }
}

/// The file name under which the program was called: `/opt/x/bin/oshcc` gives `oshcc`.
pub fn name_of(called: &OsStr) -> String {
    Path::new(called).file_name().unwrap_or(called).to_string_lossy().into_owned()
}

/// What `cargo xtask install` wrote into share/oshmpi/config.json.
#[derive(Deserialize, Debug)]
pub struct Config {
    pub version: String,
    /// `mpich` or `openmpi`. None: the one on the path.
    pub mpi: Option<String>,
    pub cc: String,
    pub cxx: String,
    pub fc: String,
    pub mpicc: String,
    pub mpicxx: String,
    pub mpifort: String,
    /// Flags that `fc` needs.
    #[serde(default)]
    pub fc_flags: Vec<String>,
    /// Libraries that Fortran programs link before oshmpi: the module's constants.
    #[serde(default)]
    pub fc_libs: Vec<String>,
    /// System libraries that liboshmpi.a needs.
    pub native_libs: Vec<String>,
}

/// One prefix with its configuration.
#[derive(Debug)]
pub struct Installed {
    pub prefix: PathBuf,
    pub config: Config,
    /// See [`Request::mpi`](crate::cmdline::Request::mpi).
    mpi: Option<Option<OsString>>,
}

impl Installed {
    pub fn read(prefix: PathBuf, mpi: Option<Option<OsString>>) -> Result<Installed> {
        Ok(Installed { config: oshmpi_tools::config(&prefix)?, prefix, mpi })
    }

    pub fn race(&self, file: &str) -> PathBuf {
        self.prefix.join("share/oshmpi").join(file)
    }

    /// The compiler: the one that `-mpi=` names; else OSHMPI_CC, OSHMPI_CXX or OSHMPI_FC when set and not blank; else
    /// that of the configuration, with `-mpi` the MPI's. CC is not asked: where a build is told to use oshcc, it is CC.
    pub fn compiler(&self, language: Language) -> Compiler {
        let usual = || Compiler { program: self.usual(language).into(), first: Vec::new() };
        self.named().or_else(|| other_compiler(language)).unwrap_or_else(usual)
    }

    /// The one that `-mpi=` names.
    fn named(&self) -> Option<Compiler> {
        self.mpi.clone().flatten().and_then(Compiler::of)
    }

    fn usual(&self, language: Language) -> &str {
        let config = &self.config;
        let [plain, of_mpi] = match language {
            Language::C => [&config.cc, &config.mpicc],
            Language::Cxx => [&config.cxx, &config.mpicxx],
            Language::Fortran => [&config.fc, &config.mpifort],
        };
        if self.mpi.is_some() { of_mpi } else { plain }
    }

    /// Flags for gfortran and for the compiler with which oshmpi was installed. Another compiler may not know them.
    pub fn language_flags(&self, language: Language) -> Vec<&String> {
        if language != Language::Fortran {
            return Vec::new();
        }
        let compiler = self.compiler(language);
        let installed_with = compiler.ends_in(&self.config.fc) || compiler.is_of_mpi() && !another_below();
        if !installed_with && !compiler.is_gfortran() {
            return Vec::new();
        }
        let flags = self.config.fc_flags.iter();
        let is_old = flags.clone().any(|flag| is_since_10(flag)) && compiler.major().is_some_and(|major| major < 10);
        flags.filter(|flag| !(is_old && is_since_10(flag))).collect()
    }

    /// Libraries that programs of this language link.
    pub fn language_libs(&self, language: Language) -> &[String] {
        if language == Language::Fortran { &self.config.fc_libs } else { &[] }
    }

    /// The error for a compiler that cannot be started.
    pub fn cannot_start(&self, language: Language, compiler: &Compiler, e: &io::Error) -> anyhow::Error {
        let variable = language.variable();
        let program = compiler.program.display();
        let of_mpi = self.named().is_some();
        let is_the_variables = !of_mpi && other_compiler(language).is_some();
        if let Some(value) = std::env::var_os(variable).filter(|_| is_the_variables) {
            let example = self.usual(language);
            return anyhow!(
                "{variable} is set to {:?}, but {program} cannot be started ({e}): expected a compiler, also with \
                 words before it such as \"ccache {example}\"",
                value.to_string_lossy()
            );
        }
        let chooser = if of_mpi { "-mpi=" } else { variable };
        if e.kind() == io::ErrorKind::NotFound {
            let package = match (language, self.config.mpi.as_deref()) {
                (_, Some("openmpi")) if self.mpi.is_some() => "libopenmpi-dev",
                _ if self.mpi.is_some() => "libmpich-dev",
                (Language::C, _) => "gcc",
                (Language::Cxx, _) => "g++",
                (Language::Fortran, _) => "gfortran",
            };
            anyhow!(
                "{program} is not installed (Debian: apt-get install {package}); {chooser} may name another compiler"
            )
        } else {
            anyhow!("cannot start {program}: {e}; {chooser} may name another compiler")
        }
    }
}

/// gfortran before release 10 neither knows these flags nor needs them. A package may be used with such a compiler.
fn is_since_10(flag: &str) -> bool {
    flag.starts_with("-fallow-")
}

/// Whether a variable of an MPI makes its Fortran wrapper call another compiler than gfortran, whose the flags are.
fn another_below() -> bool {
    let mut chosen = ["OMPI_FC", "MPICH_FC"].into_iter().filter_map(|name| Compiler::of(std::env::var_os(name)?));
    chosen.any(|c| !c.is_gfortran())
}

fn other_compiler(language: Language) -> Option<Compiler> {
    std::env::var_os(language.variable()).and_then(Compiler::of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_may_be_several_words() {
        let of = |value: &str| Compiler::of(value.into());
        let words = |program: &str, first: &[&str]| {
            Some(Compiler { program: program.into(), first: first.iter().map(OsString::from).collect() })
        };
        assert_eq!(of("mpicc.mpich"), words("mpicc.mpich", &[]));
        assert_eq!(of(" ccache  mpicc "), words("ccache", &["mpicc"]));
        assert_eq!(of("'/no such/ccache' mpicc -m64"), words("/no such/ccache", &["mpicc", "-m64"]));
        assert_eq!(of(""), None);
        assert_eq!(of(" \t"), None);
        // A file is taken as it is.
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("my 'own' mpicc");
        std::fs::write(&file, "").unwrap();
        let file = file.to_str().unwrap();
        assert_eq!(of(file), words(file, &[]));
    }

    #[test]
    fn the_wrapper_behind_ccache_is_known() {
        let of = |value: &str| Compiler::of(value.into()).unwrap();
        assert!(
            of("ccache /usr/bin/mpicc.mpich").is_of_mpi() && of("mpiicx").is_of_mpi() && !of("ccache cc").is_of_mpi()
        );
        assert!(of("mpifort").ends_in("mpifort") && of("ccache mpifort").ends_in("mpifort"));
        assert!(!of("other").ends_in("mpifort") && !of("mpifort -m64 other").ends_in("mpifort"));
    }

    #[test]
    fn a_missing_and_a_broken_configuration_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let e = format!("{:#}", Installed::read(dir.path().into(), None).unwrap_err());
        assert!(e.contains("share/oshmpi/config.json") && e.contains("cannot read"), "{e}");
        std::fs::create_dir_all(dir.path().join("share/oshmpi")).unwrap();
        std::fs::write(dir.path().join("share/oshmpi/config.json"), "{}").unwrap();
        let e = format!("{:#}", Installed::read(dir.path().into(), None).unwrap_err());
        assert!(e.contains("share/oshmpi/config.json") && e.contains("not understood"), "{e}");
    }
}
