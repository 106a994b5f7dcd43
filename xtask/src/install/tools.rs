//! The commands: built once for all MPIs, installed under their names, with manual pages and shell completions that
//! they print themselves.

use super::layout::Item;
use super::library::Profile;
use super::worth_showing;
use super::{cross, manual};
use crate::util::{Stream, cargo, listen, output};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of the crate `tools`.
struct Program {
    /// Name of the binary that cargo builds.
    binary: &'static str,
    /// Names it is installed under.
    names: &'static [&'static str],
    /// It prints its manual page and completions (tools/src/lib.rs). One that does not has a page in man/.
    documents_itself: bool,
}

/// C++ has three names, as in Open MPI, whose wrapper of a name that is missing here would be taken.
const PROGRAMS: &[Program] = &[
    Program { binary: "oshwrap", names: &["oshcc", "oshc++", "oshcxx", "oshCC", "oshfort"], documents_itself: false },
    Program { binary: "oshrun", names: &["oshrun"], documents_itself: true },
    Program { binary: "osh_info", names: &["osh_info"], documents_itself: true },
];

/// The built commands.
pub struct Tools {
    /// Those that run here.
    dir: PathBuf,
    /// Those that run where the installation is used.
    installed: PathBuf,
}

impl Tools {
    /// oshcc and oshrun alone, with nothing that they print, from the crates that this task is made of.
    pub fn build_least() -> Result<Vec<Item>> {
        let (target, profile) = (Profile::Dev.target_dir(), "debug");
        let mut c = cargo();
        c.args(["build", "--locked", "-p", "oshmpi-tools", "--bin", "oshwrap", "--bin", "oshrun"]);
        listen(c.env("CARGO_TARGET_DIR", &target), Stream::Err, worth_showing)?;
        Ok(commands(&target.join(profile))
            .into_iter()
            .filter(|item| ["bin/oshcc", "bin/oshrun"].contains(&&*item.path))
            .collect())
    }

    pub fn build() -> Result<Tools> {
        let installed = cargo_build(cross::aim)?;
        let dir = if cross::target().is_some() { cargo_build(|_| ())? } else { installed.clone() };
        Ok(Tools { dir, installed })
    }

    /// Programs, manual pages, completions.
    pub fn items(&self) -> Result<Vec<Item>> {
        let mut items = commands(&self.installed);
        for p in PROGRAMS {
            if p.documents_itself {
                for name in p.names {
                    items.push(Item::text(manual::place(1, name), self.print(p, "man")?));
                    for (shell, place) in completions(name) {
                        items.push(Item::text(place, self.print(p, shell)?));
                    }
                }
            }
        }
        Ok(items)
    }

    /// The programs alone, as they run here.
    pub fn for_this_machine(&self) -> Vec<Item> {
        commands(&self.dir)
    }

    fn print(&self, p: &Program, what: &str) -> Result<String> {
        let text = output(Command::new(self.dir.join(p.binary)).args(["--print-for-install", what]))?;
        ensure!(text.contains(p.binary), "{} printed no {what} text for itself", p.binary);
        Ok(text)
    }
}

/// The programs in `dir` under all their names.
fn commands(dir: &Path) -> Vec<Item> {
    let under =
        |p: &Program| p.names.iter().map(|name| Item::file(format!("bin/{name}"), dir.join(p.binary))).collect();
    PROGRAMS.iter().flat_map(|p| -> Vec<Item> { under(p) }).collect()
}

/// The packages that do not depend on the MPI. One call of cargo builds all of them. A common dependency is compiled
/// with the features that all packages of a call ask for together, so a call with fewer packages would compile it
/// again.
const PACKAGES: [&str; 2] = ["oshmpi-tools", "oshmpi-race-runtime"];

/// No hot loop runs in them: link-time optimisation would take longer than all it ever saves.
const PROFILE: &str = Profile::QUICK_DIR;

/// Builds [`PACKAGES`] in a separate place; returns the directory of the results. `aim` tells cargo for which machine:
/// [`cross::aim`], or nothing for this one.
pub fn cargo_build(aim: impl Fn(&mut Command)) -> Result<PathBuf> {
    let target = cross::target_dir();
    let mut c = cargo();
    c.args(["build", "--profile", PROFILE, "--locked"]).env("CARGO_TARGET_DIR", &target);
    c.args(PACKAGES.iter().flat_map(|package| ["-p", package]));
    aim(&mut c);
    let aimed = c.get_args().any(|a| a == "--target");
    listen(&mut c, Stream::Err, worth_showing)?;
    Ok(if aimed { cross::results(&target, PROFILE) } else { target.join(PROFILE) })
}

/// Where each shell looks.
fn completions(name: &str) -> [(&'static str, String); 3] {
    [
        ("bash", format!("share/bash-completion/completions/{name}")),
        ("zsh", format!("share/zsh/site-functions/_{name}")),
        ("fish", format!("share/fish/vendor_completions.d/{name}.fish")),
    ]
}
