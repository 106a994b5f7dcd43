//! A command's manual page and shell completions, made from its definition. `cargo xtask install` asks each program for
//! them with an option that is for this use only. So options, manual page and completions cannot disagree.

use anyhow::{Result, bail};
use clap::Command;
use clap_complete::Shell;
use std::io::Write;

/// The program's first argument. The second is `man`, or the name of a shell.
pub const OPTION: &str = "--print-for-install";

/// Writes what the arguments ask for to `out`. False: they ask for nothing of the kind.
pub fn answer(mut definition: Command, mut args: impl Iterator<Item = String>, out: &mut impl Write) -> Result<bool> {
    if args.next().as_deref() != Some(OPTION) {
        return Ok(false);
    }
    let name = definition.get_name().to_string();
    let what = args.next().unwrap_or_default();
    if what == "man" {
        definition.build();
        clap_mangen::Man::new(definition).render(out)?;
        return Ok(true);
    }
    let Ok(shell) = what.parse::<Shell>() else { bail!("{OPTION} wants man, bash, zsh or fish") };
    clap_complete::generate(shell, &mut definition, name, out);
    Ok(true)
}
