//! Brings arguments from mpiexec's form into clap's: `-ppn 4` becomes `--ppn 4`.

use clap::{Arg, Command};
use std::ffi::OsString;

/// Adds the second dash to options with one dash, and puts `--` before the program's name, so that clap leaves the
/// program's arguments alone.
pub fn words(command: &Command, given: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::with_capacity(given.len());
    let mut rest = given.iter();
    while let Some(word) = rest.next() {
        // Options are ASCII, so a word that is not UTF-8 is the program.
        let Some(text) = word.to_str().filter(|t| t.starts_with('-') && t.len() > 1) else {
            out.extend(["--".into(), word.clone()]);
            break;
        };
        if text == "--" {
            out.push(word.clone());
            break;
        }
        let (text, option) = option(command, text);
        let attached = text.contains('=') || (!text.starts_with("--") && text.len() > 2);
        out.push(text.into());
        let values = match option {
            Some(a) if a.get_action().takes_values() => a.get_num_args().map_or(1, |n| n.min_values()),
            _ => 0,
        };
        out.extend(rest.by_ref().take(values.saturating_sub(attached as usize)).cloned());
    }
    out.extend(rest.cloned());
    out
}

/// The word in clap's form, and the option that it names.
fn option<'a>(command: &'a Command, text: &str) -> (String, Option<&'a Arg>) {
    let bare = text.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or(bare);
    let long = command
        .get_arguments()
        .find(|a| a.get_long() == Some(name) || a.get_all_aliases().is_some_and(|all| all.contains(&name)));
    if text.starts_with("--") {
        return (text.to_string(), long);
    }
    let first = bare.chars().next().unwrap_or('-');
    let short = command.get_arguments().find(|a| a.get_short() == Some(first));
    match (long, short) {
        (Some(_), _) if bare.chars().count() > 1 => (format!("--{bare}"), long),
        // The value follows without a space: -n4, -xNAME=VALUE.
        (_, Some(s)) if bare.len() == 1 || (s.get_action().takes_values() && attaches(first, bare)) => {
            (text.to_string(), Some(s))
        }
        // An unknown option. With two dashes clap's message names a similar one.
        _ => (format!("--{bare}"), None),
    }
}

/// Whether the rest of the word is the value of the one-letter option before it.
fn attaches(first: char, bare: &str) -> bool {
    match first {
        'n' => bare[1..].bytes().all(|b| b.is_ascii_digit()),
        'x' => true,
        _ => false,
    }
}
