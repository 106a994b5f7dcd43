//! `OSHMPI_RACE`: words of the form `name=value`, separated by blanks or commas. A value with blanks or commas stands
//! in double quotes. `OSHMPI_RACE_LOG`: a file.

use crate::node::node;
use std::ffi::OsString;
use std::sync::OnceLock;
use std::time::Duration;

#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The exit code of a program that ends well although it has races. 0: as without them.
    pub exitcode: i32,
    /// End the job at the first report.
    pub halt: bool,
    /// Report too what breaks the standard's text and no known library: see docs/design/race.md.
    pub strict: bool,
    /// Frames of a stack, at most.
    pub stack: usize,
    /// Reports per node, at most.
    pub reports: u64,
    pub suppressions: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options { exitcode: 66, halt: false, strict: false, stack: 8, reports: 100, suppressions: None }
    }
}

impl Options {
    /// # Errors
    /// What is not understood.
    fn parse(text: &str) -> Result<Options, String> {
        let mut options = Options::default();
        let mut rest = text;
        while let Some((name, value)) = next_word(&mut rest)? {
            let number = |max: u64| match value.parse::<u64>() {
                Ok(n) if n <= max => Ok(n),
                _ => Err(format!("OSHMPI_RACE: {name} is {value:?}, expected a number of 0..{max}")),
            };
            match name {
                "exitcode" => options.exitcode = number(255)? as i32,
                "halt" => options.halt = number(1)? == 1,
                "strict" => options.strict = number(1)? == 1,
                "stack" => options.stack = number(13)? as usize,
                "reports" => options.reports = number(u32::MAX.into())?,
                "suppressions" => options.suppressions = Some(value.to_string()),
                _ => {
                    return Err(format!(
                        "OSHMPI_RACE: {name} is not known; there are exitcode, halt, strict, stack, reports, \
                         suppressions"
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// Takes the next word off a text: its name and its value. The value of a word without one is 1.
fn next_word<'a>(rest: &mut &'a str) -> Result<Option<(&'a str, &'a str)>, String> {
    const BETWEEN: [char; 3] = [' ', ',', '\t'];
    let text = rest.trim_start_matches(BETWEEN);
    if text.is_empty() {
        return Ok(None);
    }
    let word = &text[..text.find(BETWEEN).unwrap_or(text.len())];
    let (name, value) = word.split_once('=').unwrap_or((word, "1"));
    if !value.starts_with('"') {
        *rest = &text[word.len()..];
        return Ok(Some((name, value)));
    }
    let quoted = &text[name.len() + 2..];
    let end = quoted.find('"').ok_or_else(|| format!("OSHMPI_RACE: the value of {name} has no second \""))?;
    *rest = &quoted[end + 1..];
    Ok(Some((name, &quoted[..end])))
}

pub fn options() -> &'static Options {
    static OPTIONS: OnceLock<Options> = OnceLock::new();
    OPTIONS.get_or_init(|| {
        let text = std::env::var_os("OSHMPI_RACE").unwrap_or_default().into_string();
        let text = text.map_err(|text| format!("OSHMPI_RACE is {text:?}, expected UTF-8"));
        text.and_then(|text| Options::parse(&text)).unwrap_or_else(|why| fail_alike(&why))
    })
}

/// The file of `OSHMPI_RACE_LOG`.
pub fn log() -> Option<OsString> {
    std::env::var_os("OSHMPI_RACE_LOG").filter(|file| !file.is_empty())
}

/// Says why the detector cannot go on, and ends the process.
pub fn fail(why: &str) -> ! {
    eprintln!("oshmpi-race: {why}");
    std::process::exit(1)
}

/// [`fail`] for what each PE finds alike: the first PE of the node says it, and ends the job.
pub fn fail_alike(why: &str) -> ! {
    const UNTIL_IT_IS_ENDED: Duration = Duration::from_secs(2);
    if node().is_some_and(|node| node.memory.index != 0) {
        std::thread::sleep(UNTIL_IT_IS_ENDED);
        std::process::exit(1)
    }
    fail(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read() {
        let o = Options::parse("exitcode=0, halt strict=1 stack=3 suppressions=a.txt").unwrap();
        let wanted = Options { exitcode: 0, halt: true, strict: true, stack: 3, ..Options::default() };
        assert_eq!(o, Options { suppressions: Some("a.txt".into()), ..wanted });
        assert_eq!(Options::parse(""), Ok(Options::default()));
        let quoted = Options::parse("suppressions=\"my files, all.txt\",stack=3").unwrap();
        assert_eq!((quoted.suppressions.as_deref(), quoted.stack), (Some("my files, all.txt"), 3));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, wanted) in [
            ("exitcode=x", "exitcode is \"x\""),
            ("colour=1", "colour is not known"),
            ("halt=2", "0..1"),
            ("suppressions=\"a b", "no second"),
        ] {
            let e = Options::parse(text).unwrap_err();
            assert!(e.contains(wanted), "{e}");
        }
    }
}
