//! Brings arguments from other launchers' forms into clap's: `-ppn 4` becomes `--ppn 4`, and `--bynode` becomes
//! `--map-by node`.

use super::others;
use anyhow::{Result, anyhow, bail};
use clap::{Arg, Command};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Adds the second dash to options with one dash, writes oshrun's words in the place of other launchers' options, and
/// puts `--` before the program's name, so that clap leaves the program's arguments alone.
pub fn words(command: &Command, given: &[OsString]) -> Result<Vec<OsString>> {
    let mut out = Vec::with_capacity(given.len());
    let mut rest = given.iter();
    while let Some(word) = rest.next() {
        // Names of options are ASCII, so a word that is not UTF-8 before its `=` is the program. A value may be any
        // bytes.
        let name = word.as_bytes().split(|&b| b == b'=').next().unwrap_or_default();
        let named = std::str::from_utf8(name);
        if !name.starts_with(b"-") || word.len() == 1 || named.is_err() {
            out.extend(["--".into(), word.clone()]);
            break;
        }
        if word == "--" {
            out.push(word.clone());
            break;
        }
        let text = word.to_string_lossy();
        let (lacks_dash, option) = option(command, &text);
        let named = named.unwrap_or_default();
        if let Some(row) = others::row(named.trim_start_matches('-')).filter(|_| option.is_none()) {
            let attached = word.as_bytes().get(name.len() + 1..).map(|v| OsStr::from_bytes(v).to_os_string());
            let wanted = row.1;
            let values: Vec<OsString> = attached.into_iter().chain(rest.by_ref().take(wanted).cloned()).collect();
            if values.len() < wanted {
                bail!("{named}: a value is missing; expected {wanted}");
            }
            out.extend(others::words(named, row, &values)?);
            continue;
        }
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
    Ok(out)
}

/// Whether clap's form of the word has one dash more, and the option that the word names.
pub fn option<'a>(command: &'a Command, text: &str) -> (bool, Option<&'a Arg>) {
    let bare = text.trim_start_matches('-');
    let name = bare.split('=').next().unwrap_or(bare);
    let long = command
        .get_arguments()
        .find(|a| a.get_long() == Some(name) || a.get_all_aliases().is_some_and(|all| all.contains(&name)));
    if text.starts_with("--") {
        return (false, long);
    }
    let first = bare.chars().next().unwrap_or('-');
    let short = command
        .get_arguments()
        .find(|a| a.get_short() == Some(first) || a.get_all_short_aliases().is_some_and(|all| all.contains(&first)));
    match (long, short) {
        (Some(_), _) if bare.chars().count() > 1 => (true, long),
        (_, Some(s)) if bare.len() == 1 => (false, Some(s)),
        // The value follows without a space: -n4, -xNAME=VALUE.
        (_, Some(s)) if s.get_action().takes_values() && attaches(first, bare) && others::row(name).is_none() => {
            (false, Some(s))
        }
        // An unknown option. With two dashes clap's message names a similar one.
        _ => (true, None),
    }
}

/// Whether the rest of the word is the value of the one-letter option before it.
fn attaches(first: char, bare: &str) -> bool {
    match first {
        'n' | 'N' | 'c' => bare[1..].bytes().all(|b| b.is_ascii_digit()),
        'x' => true,
        _ => false,
    }
}

/// The words of a file with a program on each line, and its options before it.
pub fn of_file(path: &OsStr) -> Result<Vec<OsString>> {
    let shown = path.display();
    let text = pmi_shm::files::text(path)
        .map_err(|e| anyhow!("cannot read {shown}: {e}; expected a line for each program"))?;
    let mut words: Vec<OsString> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = shlex::split(line).ok_or_else(|| anyhow!("{shown}:{}: a quote is not closed", i + 1))?;
        if !line.is_empty() && words.last().is_some_and(|w| w != ":") {
            words.push(":".into());
        }
        words.extend(line.into_iter().map(OsString::from));
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_split_into_programs() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("programs");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let words = of_file(file.as_os_str()).map_err(|e| e.to_string())?;
            Ok::<_, String>(words.join(" ".as_ref()).into_string().unwrap())
        };
        assert_eq!(read("# two\n-n 1 a 'x  y' # one\n\n-n 2 b :\n-n 3 c").unwrap(), "-n 1 a x  y : -n 2 b : -n 3 c");
        assert!(read("a 'b").unwrap_err().ends_with(":1: a quote is not closed"));
        let e = of_file("/no/such".as_ref()).unwrap_err().to_string();
        assert!(e.starts_with("cannot read /no/such: "), "{e}");
    }
}
