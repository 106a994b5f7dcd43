//! Calling the compilers.

use super::Tally;
use anyhow::{Context, Result};
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// A compiler and the language it is told to compile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    pub compiler: &'static str,
    pub standard: &'static str,
}

const C: [&str; 3] = ["c99", "c11", "c17"];
const CPP: [&str; 3] = ["c++98", "c++11", "c++17"];
/// For shmem.hpp, which uses what is new in C++17.
const TEMPLATES: [&str; 2] = ["c++17", "c++20"];

impl Dialect {
    /// Every compiler with every language the headers are promised to work in.
    pub fn all() -> impl Iterator<Item = Dialect> {
        let with = |compiler, standards: &'static [&'static str]| {
            standards.iter().map(move |standard| Dialect { compiler, standard })
        };
        with("gcc", &C).chain(with("clang", &C)).chain(with("g++", &CPP)).chain(with("clang++", &CPP))
    }

    /// Every compiler with every language that shmem.hpp is promised to work in.
    pub fn for_templates() -> impl Iterator<Item = Dialect> {
        let with = |compiler| TEMPLATES.iter().map(move |standard| Dialect { compiler, standard });
        with("g++").chain(with("clang++"))
    }

    pub fn is_cpp(self) -> bool {
        self.standard.starts_with("c++")
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {}", self.standard, self.compiler)
    }
}

/// A source file that lives as long as the value.
pub fn temporary(source: &str, dialect: Dialect) -> Result<tempfile::NamedTempFile> {
    let suffix = if dialect.is_cpp() { ".cc" } else { ".c" };
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().context("cannot make a temporary file")?;
    file.write_all(source.as_bytes()).context("cannot write a temporary file")?;
    Ok(file)
}

/// A compiler call with the directories of headers and nothing to compile yet.
pub fn compiler(dialect: Dialect) -> Result<Command> {
    let mut c = Command::new(dialect.compiler);
    c.arg(format!("-std={}", dialect.standard)).arg("-I").arg(crate::r#gen::headers::dir()?);
    Ok(c)
}

impl Tally {
    /// Checks one file without making an object: it compiles without a warning. With the number of a wrong line it must
    /// not compile, and a mere warning is not enough. An error is a compiler that cannot be started.
    pub fn compile(&mut self, what: &str, dialect: Dialect, wrong: Option<usize>, file: &Path) -> Result<()> {
        let mut c = compiler(dialect)?;
        match wrong {
            None => c.args(["-Wall", "-Wextra", "-Werror", "-pedantic"]),
            Some(n) => c.arg("-w").arg(format!("-DWRONG={n}")),
        };
        if dialect.standard == "c++98" {
            c.args(["-Wno-long-long", "-Wno-c++11-long-long"]); // the standard's types
        }
        let out = c.arg("-fsyntax-only").arg(file).output();
        let out = out.with_context(|| format!("cannot start {}", dialect.compiler))?;
        let said = String::from_utf8_lossy(&out.stderr);
        let head: Vec<&str> = said.lines().take(12).collect();
        self.note(match (wrong, out.status.success()) {
            (None, false) => Some(format!("{what}, as {dialect}: does not compile\n  {c:?}\n{}", head.join("\n"))),
            (Some(n), true) => Some(format!("{what}, as {dialect}, wrong line {n}: compiles but must not\n  {c:?}")),
            _ => None,
        });
        Ok(())
    }
}
