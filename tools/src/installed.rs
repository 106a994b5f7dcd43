//! The installation this program belongs to: where it lies and over which MPI it was built.

use anyhow::{Context, Result};
use serde::Deserialize;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// The language a wrapper compiles, told by the name it is called by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    /// `oshcc` and its siblings; nothing for a name that is none of them.
    pub fn of(name: &str) -> Option<Language> {
        match name {
            "oshcc" => Some(Language::C),
            "oshc++" | "oshcxx" | "oshCC" => Some(Language::Cxx),
            "oshfort" => Some(Language::Fortran),
            _ => None,
        }
    }

    /// The environment variable that names another MPI compiler wrapper.
    pub fn variable(self) -> &'static str {
        match self {
            Language::C => "OSHMPI_CC",
            Language::Cxx => "OSHMPI_CXX",
            Language::Fortran => "OSHMPI_FC",
        }
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
    /// `mpich` or `openmpi`.
    pub mpi: String,
    /// The MPI's compiler wrappers.
    pub cc: String,
    pub cxx: String,
    pub fc: String,
    /// What `fc` needs beside its own flags.
    #[serde(default)]
    pub fc_flags: Vec<String>,
    /// What Fortran programs link before the library: the module's constants.
    #[serde(default)]
    pub fc_libs: Vec<String>,
    /// System libraries that liboshmpi.a needs beside the MPI.
    pub native_libs: Vec<String>,
}

/// One prefix with its configuration.
#[derive(Debug)]
pub struct Installed {
    pub prefix: PathBuf,
    pub config: Config,
}

impl Installed {
    /// The one that the running program belongs to.
    pub fn find() -> Result<Installed> {
        Installed::read(oshmpi_tools::prefix()?)
    }

    fn read(prefix: PathBuf) -> Result<Installed> {
        let file = oshmpi_tools::config_file(&prefix);
        let text = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}: run cargo xtask install again", file.display()))?;
        let config = serde_json::from_str(&text)
            .with_context(|| format!("{} is not understood: run cargo xtask install again", file.display()))?;
        Ok(Installed { prefix, config })
    }

    /// The MPI's compiler wrapper: OSHMPI_CC, OSHMPI_CXX or OSHMPI_FC when set and not empty, else the one oshmpi
    /// was built with.
    pub fn compiler(&self, language: Language) -> OsString {
        self.other_compiler(language).unwrap_or_else(|| {
            let built = match language {
                Language::C => &self.config.cc,
                Language::Cxx => &self.config.cxx,
                Language::Fortran => &self.config.fc,
            };
            OsString::from(built)
        })
    }

    fn other_compiler(&self, language: Language) -> Option<OsString> {
        std::env::var_os(language.variable()).filter(|v| !v.is_empty())
    }

    /// Flags for the compiler that oshmpi was installed with; another one may not know them.
    pub fn language_flags(&self, language: Language) -> &[String] {
        match language {
            Language::Fortran if self.other_compiler(language).is_none() => &self.config.fc_flags,
            _ => &[],
        }
    }

    /// Libraries of this language.
    pub fn language_libs(&self, language: Language) -> &[String] {
        match language {
            Language::Fortran => &self.config.fc_libs,
            _ => &[],
        }
    }

    /// The one line for a compiler that does not start.
    pub fn cannot_start(&self, language: Language, compiler: &OsStr, e: &io::Error) -> anyhow::Error {
        let variable = language.variable();
        let compiler = compiler.display();
        if e.kind() == io::ErrorKind::NotFound {
            let package = match self.config.mpi.as_str() {
                "openmpi" => "libopenmpi-dev",
                _ => "libmpich-dev",
            };
            anyhow::anyhow!(
                "{compiler} is not installed (Debian: apt-get install {package}); \
                 {variable} may name another MPI compiler"
            )
        } else {
            anyhow::anyhow!("cannot start {compiler}: {e}; {variable} may name another MPI compiler")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_decides_the_language() {
        assert_eq!(Language::of(&name_of(OsStr::new("/opt/x/bin/oshc++"))), Some(Language::Cxx));
        assert_eq!(Language::of(&name_of(OsStr::new("oshcc"))), Some(Language::C));
        assert_eq!(Language::of(&name_of(OsStr::new("./oshfort"))), Some(Language::Fortran));
        assert_eq!(Language::of(&name_of(OsStr::new("oshwrap"))), None);
    }

    #[test]
    fn a_missing_and_a_broken_configuration_name_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let e = format!("{:#}", Installed::read(dir.path().into()).unwrap_err());
        assert!(e.contains("share/oshmpi/config.json") && e.contains("cannot read"), "{e}");
        std::fs::create_dir_all(dir.path().join("share/oshmpi")).unwrap();
        std::fs::write(dir.path().join("share/oshmpi/config.json"), "{}").unwrap();
        let e = format!("{:#}", Installed::read(dir.path().into()).unwrap_err());
        assert!(e.contains("share/oshmpi/config.json") && e.contains("not understood"), "{e}");
    }
}
