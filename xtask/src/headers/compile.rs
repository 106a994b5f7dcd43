//! Calling the compilers.

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
const CPP: [&str; 2] = ["c++11", "c++17"];
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

/// Sizes of the basic types. The headers include only headers that come with the compiler, so a 32-bit target can be
/// tried without a 32-bit C library.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Whatever the compiler makes by default.
    Host,
    /// 32-bit `long` and pointers; known on x86-64 only.
    Ilp32,
}

impl Model {
    pub fn known_here(self) -> bool {
        self == Model::Host || cfg!(target_arch = "x86_64")
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Model::Host => &[],
            Model::Ilp32 => &["-m32", "-ffreestanding"],
        }
    }
}

/// How warnings are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Warnings {
    AreErrors,
    /// For programs that must not compile: a mere warning is not enough.
    AreIgnored,
}

/// How a compilation ended.
pub struct Outcome {
    command: String,
    passed: bool,
    stderr: String,
}

impl Outcome {
    /// What to say when it failed.
    pub fn must_pass(&self, what: &str) -> Option<String> {
        let head: Vec<&str> = self.stderr.lines().take(12).collect();
        (!self.passed).then(|| format!("{what}: does not compile\n  {}\n{}", self.command, head.join("\n")))
    }

    /// What to say when it passed.
    pub fn must_fail(&self, what: &str) -> Option<String> {
        self.passed.then(|| format!("{what}: compiles but must not\n  {}", self.command))
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

/// Checks one file without making an object. An error is a compiler that cannot be started.
pub fn syntax_only(
    dialect: Dialect,
    model: Model,
    warnings: Warnings,
    defines: &[String],
    file: &Path,
) -> Result<Outcome> {
    let mut c = compiler(dialect)?;
    c.args(model.flags()).arg("-fsyntax-only");
    match warnings {
        Warnings::AreErrors => c.args(["-Wall", "-Wextra", "-Werror", "-pedantic"]),
        Warnings::AreIgnored => c.arg("-w"),
    };
    c.args(defines.iter().map(|d| format!("-D{d}"))).arg(file);
    let out = c.output().with_context(|| format!("cannot start {}", dialect.compiler))?;
    let stderr = String::from_utf8_lossy(&out.stderr).into_owned();
    Ok(Outcome { command: format!("{c:?}"), passed: out.status.success(), stderr })
}
