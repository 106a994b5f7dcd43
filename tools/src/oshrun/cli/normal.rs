//! Brings arguments from mpiexec's form into clap's: `-ppn 4` becomes `--ppn 4`.

use clap::{Arg, Command};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

/// Adds the second dash to options with one dash, and puts `--` before the program's name, so that clap leaves the
/// program's arguments alone.
pub fn words(command: &Command, given: &[OsString]) -> Vec<OsString> {
    let mut out = Vec::with_capacity(given.len());
    let mut rest = given.iter();
    while let Some(word) = rest.next() {
        // Names of options are ASCII, so a word that is not UTF-8 before its `=` is the program. A value may be any
        // bytes.
        let name = word.as_bytes().split(|&b| b == b'=').next().unwrap_or_default();
        if !name.starts_with(b"-") || word.len() == 1 || std::str::from_utf8(name).is_err() {
            out.extend(["--".into(), word.clone()]);
            break;
        }
        if word == "--" {
            out.push(word.clone());
            break;
        }
        let text = word.to_string_lossy();
        let (lacks_dash, option) = option(command, &text);
        let short = !lacks_dash && !text.starts_with("--");
        let attached = text.contains('=') || (short && text.len() > 2);
        let mut normal = OsString::from(if lacks_dash { "-" } else { "" });
        normal.push(word);
        out.push(normal);
        let values = match option {
            Some(a) if a.get_action().takes_values() => a.get_num_args().map_or(1, |n| n.min_values()),
            _ => 0,
        };
        out.extend(rest.by_ref().take(values.saturating_sub(attached as usize)).cloned());
    }
    out.extend(rest.cloned());
    out
}

/// Whether clap's form of the word has one dash more, and the option that the word names.
fn option<'a>(command: &'a Command, text: &str) -> (bool, Option<&'a Arg>) {
    let bare = text.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or(bare);
    let long = command
        .get_arguments()
        .find(|a| a.get_long() == Some(name) || a.get_all_aliases().is_some_and(|all| all.contains(&name)));
    if text.starts_with("--") {
        return (false, long);
    }
    let first = bare.chars().next().unwrap_or('-');
    let short = command.get_arguments().find(|a| a.get_short() == Some(first));
    match (long, short) {
        (Some(_), _) if bare.chars().count() > 1 => (true, long),
        // The value follows without a space: -n4, -xNAME=VALUE.
        (_, Some(s)) if bare.len() == 1 || (s.get_action().takes_values() && attaches(first, bare)) => (false, Some(s)),
        // An unknown option. With two dashes clap's message names a similar one.
        _ => (true, None),
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
