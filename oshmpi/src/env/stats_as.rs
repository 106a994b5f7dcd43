//! `OSHMPI_STATS`: whether and how the counters are printed.

use super::Read;

/// How the counters are printed at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StatsAs {
    /// Not at all.
    None,
    /// One line of words per PE.
    Text,
    /// One line of JSON per PE.
    Json,
}

impl Read for StatsAs {
    const EXPECTED: &'static str = "text, json, or 0 for none";
    /// Accepts the words of a flag too.
    fn read(text: &str) -> Option<StatsAs> {
        let is = |words: &[&str]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
        match () {
            _ if is(&["json"]) => Some(StatsAs::Json),
            _ if is(&["text", "", "1", "yes", "on", "true", "y"]) => Some(StatsAs::Text),
            _ if is(&["0", "no", "off", "false"]) => Some(StatsAs::None),
            _ => None,
        }
    }
    fn show(&self) -> String {
        match self {
            StatsAs::None => "not set",
            StatsAs::Text => "text",
            StatsAs::Json => "json",
        }
        .to_owned()
    }
}
