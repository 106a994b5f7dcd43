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
    let shell = match what.as_str() {
        "man" => {
            definition.build();
            clap_mangen::Man::new(definition).render(out)?;
            return Ok(true);
        }
        "bash" => Shell::Bash,
        "zsh" => Shell::Zsh,
        "fish" => Shell::Fish,
        _ => bail!("{OPTION} wants man, bash, zsh or fish"),
    };
    clap_complete::generate(shell, &mut definition, name, out);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(args: &[&str]) -> (Result<bool>, String) {
        let definition = Command::new("tool").about("does it").arg(clap::arg!(--colour <NAME> "of the paint"));
        let mut out = Vec::new();
        let done = answer(definition, args.iter().map(|a| a.to_string()), &mut out);
        (done, String::from_utf8(out).unwrap())
    }

    #[test]
    fn the_definition_is_in_all_of_them() {
        for what in ["man", "bash", "zsh", "fish"] {
            let (done, text) = asked(&[OPTION, what]);
            assert!(done.unwrap() && text.contains("colour"), "{what}: {text}");
        }
        assert!(asked(&[OPTION, "man"]).1.contains(".SH DESCRIPTION"));
    }

    #[test]
    fn anything_else_is_the_programs_own() {
        let (done, text) = asked(&["--colour", "red"]);
        assert!(!done.unwrap() && text.is_empty());
        assert!(asked(&[OPTION, "sh"]).0.is_err());
    }
}
