//! The commands: built once for all MPIs, installed under their names, with manual pages and shell completions that they
//! print themselves.

use super::manual;
use super::plan::Item;
use super::worth_showing;
use crate::util::{Stream, cargo, listen, output, root};
use anyhow::{Result, ensure};
use std::path::PathBuf;
use std::process::Command;

/// A program of the crate `tools`.
struct Program {
    /// Name of the binary that cargo builds.
    binary: &'static str,
    /// Names it is installed under.
    names: &'static [&'static str],
    /// It prints its manual page and completions (tools/src/selfdoc.rs). One that does not has a page in man/.
    documents_itself: bool,
}

/// C++ has two names, as in other implementations.
const PROGRAMS: &[Program] = &[
    Program { binary: "oshwrap", names: &["oshcc", "oshc++", "oshcxx", "oshfort"], documents_itself: false },
    Program { binary: "oshrun", names: &["oshrun"], documents_itself: true },
    Program { binary: "osh_info", names: &["osh_info"], documents_itself: true },
];

/// The built commands.
pub struct Tools {
    dir: PathBuf,
}

impl Tools {
    /// They do not depend on the MPI: they are built in a place of their own.
    pub fn build() -> Result<Tools> {
        Ok(Tools { dir: cargo_build(&["-p", "oshmpi-tools", "--bins"])? })
    }

    /// Programs, manual pages, completions.
    pub fn items(&self) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for p in PROGRAMS {
            for name in p.names {
                items.push(Item::file(format!("bin/{name}"), self.dir.join(p.binary)));
            }
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

    fn print(&self, p: &Program, what: &str) -> Result<String> {
        let text = output(Command::new(self.dir.join(p.binary)).args(["--print-for-install", what]))?;
        ensure!(text.contains(p.binary), "{} printed no {what} text for itself", p.binary);
        Ok(text)
    }
}

/// Builds what does not depend on the MPI, in a place of its own; returns the directory of the results.
pub fn cargo_build(what: &[&str]) -> Result<PathBuf> {
    let target = root().join("target/build/tools");
    let mut c = cargo();
    c.args(["build", "--profile", "tools", "--locked"]).args(what).env("CARGO_TARGET_DIR", &target);
    listen(&mut c, Stream::Err, worth_showing)?;
    Ok(target.join("tools"))
}

/// Where each shell looks.
fn completions(name: &str) -> [(&'static str, String); 3] {
    [
        ("bash", format!("share/bash-completion/completions/{name}")),
        ("zsh", format!("share/zsh/site-functions/_{name}")),
        ("fish", format!("share/fish/vendor_completions.d/{name}.fish")),
    ]
}
