//! Architectures other than this machine's for which oshmpi is built.

use crate::util::{output, root};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// Another architecture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Target {
    /// Rust's name of it.
    pub triple: &'static str,
    /// GNU's: what the names of compiler and binutils begin with, and of a directory for libraries.
    pub gnu: &'static str,
    /// Debian's.
    pub debian: &'static str,
    /// What its compilers define.
    pub macro_name: &'static str,
}

pub const AARCH64: Target = Target {
    triple: "aarch64-unknown-linux-gnu",
    gnu: "aarch64-linux-gnu",
    debian: "arm64",
    macro_name: "__aarch64__",
};

const X86_64: Target =
    Target { triple: "x86_64-unknown-linux-gnu", gnu: "x86_64-linux-gnu", debian: "amd64", macro_name: "__x86_64__" };

/// Those of `install --target`, beside this machine's.
pub const TARGETS: [Target; 1] = [AARCH64];

/// For clap.
pub fn parse(triple: &str) -> std::result::Result<Target, String> {
    TARGETS.into_iter().find(|t| t.triple == triple).ok_or_else(|| {
        let all: Vec<&str> = TARGETS.iter().map(|t| t.triple).collect();
        format!("targets are {}; without --target everything is built for this machine", all.join(", "))
    })
}

impl Target {
    /// This machine's, by its name.
    pub fn here() -> Result<Target> {
        let here = [X86_64, AARCH64].into_iter().find(Target::is_here);
        here.with_context(|| format!("this is made for x86_64 and aarch64, not for {}", std::env::consts::ARCH))
    }

    pub fn is_here(&self) -> bool {
        self.arch() == std::env::consts::ARCH
    }

    /// The architecture alone, as Rust, Zig and Python call it.
    pub fn arch(&self) -> &'static str {
        self.triple.split('-').next().expect("a text has a first part")
    }

    /// Where `cargo xtask test` installs oshmpi for it.
    pub fn prefix(&self) -> PathBuf {
        root().join("target/prefix").join(self.triple)
    }

    /// What a build for it needs and cannot get by itself: the line to run.
    pub fn missing(&self) -> Option<String> {
        let asked = output(Command::new("rustc").args(["--print", "target-libdir", "--target", self.triple]));
        let there = asked.is_ok_and(|dir| std::fs::read_dir(dir.trim()).is_ok_and(|mut files| files.next().is_some()));
        (!there).then(|| {
            format!(
                "Rust's standard library for {t} is missing; run this, then try again: rustup target add {t}",
                t = self.triple
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_target_is_told_the_known_ones_and_one_without_its_library_the_line_to_run() {
        assert_eq!(parse("aarch64-unknown-linux-gnu").unwrap().debian, "arm64");
        assert!(parse("sparc-sun-solaris").unwrap_err().contains("targets are aarch64-unknown-linux-gnu;"));
        let printed = Target { triple: "no-such-target", ..TARGETS[0] }.missing().unwrap();
        assert!(printed.ends_with("rustup target add no-such-target"), "{printed}");
    }
}
