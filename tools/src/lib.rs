//! What oshrun, oshwrap and osh_info share.

/// Of the runtime's source: the site's file.
#[path = "../../oshmpi/src/env/site.rs"]
pub mod site;

use anyhow::{Context, Result, bail};
use clap::Command;
use clap_complete::Shell;
use serde::de::DeserializeOwned;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The prefix in which the running program lies. Symbolic links to the program are followed, so that
/// `/usr/local/bin/oshcc -> /opt/oshmpi/bin/oshcc` works.
pub fn prefix() -> Result<PathBuf> {
    let exe = std::env::current_exe().context("cannot tell where this program lies")?;
    let exe = exe.canonicalize().unwrap_or(exe);
    Ok(exe.parent().and_then(Path::parent).unwrap_or(Path::new("/")).to_path_buf())
}

/// What the site's file sets a variable to, for programs of this installation.
pub fn of_site(name: &str) -> Option<OsString> {
    let site = site::Site::of_prefix(&prefix().ok()?);
    site.line(name).map(|line| line.value.clone().into())
}

/// Writes to a standard stream. That a reader stops early, as head does, is no error.
pub fn write_out(mut to: impl Write, text: &str) -> Result<()> {
    match to.write_all(text.as_bytes()).and_then(|()| to.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e).context("cannot write"),
        _ => Ok(()),
    }
}

/// What `cargo xtask install` has written about the installation with this prefix.
pub fn config<T: DeserializeOwned>(prefix: &Path) -> Result<T> {
    let file = prefix.join("share/oshmpi/config.json");
    let text = pmi_shm::files::text(&file)
        .with_context(|| format!("cannot read {}: run cargo xtask install again", file.display()))?;
    serde_json::from_str(&text)
        .with_context(|| format!("{} is not understood: run cargo xtask install again", file.display()))
}

/// The first argument by which `cargo xtask install` asks a program for its manual page (`man`) or for the completions
/// of a shell. They are made from its definition, so options, manual page and completions cannot disagree.
pub const PRINT_FOR_INSTALL: &str = "--print-for-install";

/// Prints what the arguments of this program ask for. False: they ask for nothing of the kind.
pub fn print_for_install(definition: impl FnOnce() -> Command) -> Result<bool> {
    let mut args = std::env::args_os().skip(1);
    if args.next().is_none_or(|first| first != PRINT_FOR_INSTALL) {
        return Ok(false);
    }
    let (mut definition, mut out) = (definition(), std::io::stdout());
    let what = args.next().unwrap_or_default();
    if what == "man" {
        definition.build();
        clap_mangen::Man::new(definition).render(&mut out)?;
    } else if let Some(shell) = what.to_str().and_then(|what| what.parse::<Shell>().ok()) {
        let name = definition.get_name().to_string();
        clap_complete::generate(shell, &mut definition, name, &mut out);
    } else {
        bail!("{PRINT_FOR_INSTALL} wants man, bash, zsh or fish");
    }
    Ok(true)
}
