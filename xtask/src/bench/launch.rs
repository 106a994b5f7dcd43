//! Runs one program to its end or to its time limit.

use crate::util;
use anyhow::{Context, Result};
use std::io::{Read, Seek};
use std::process::{Command, ExitStatus};
use std::time::Duration;

/// How timeout(1) ends at the time limit, and when the program had to be killed then.
const LATE: [Option<i32>; 2] = [Some(124), Some(137)];

pub struct Outcome {
    pub stdout: String,
    pub stderr: String,
    /// None: the program was ended at the time limit.
    pub status: Option<ExitStatus>,
}

impl Outcome {
    /// Why the run is not a good one; None if it is.
    pub fn complaint(&self) -> Option<String> {
        let how = match self.status {
            Some(s) if s.success() => return None,
            Some(s) => s.to_string(),
            None => "no end within the time limit".to_string(),
        };
        // Launchers draw frames, and print messages on stdout, where a table may be too.
        let words = |l: &&str| l.chars().any(char::is_alphabetic);
        let trouble = |l: &&str| ["abort", "error", "signal", "terminat"].iter().any(|w| l.to_lowercase().contains(w));
        let message = self.stderr.lines().find(words).or_else(|| self.stdout.lines().find(trouble));
        Some(match message {
            Some(line) => format!("{how}: {}", line.trim_matches(|c: char| c == '=' || c.is_whitespace())),
            None => how,
        })
    }
}

/// Runs `command` without input for at most `limit`.
pub fn run(command: &Command, limit: Duration) -> Result<Outcome> {
    // Files instead of pipes: nobody has to read while the program is being measured.
    let (mut out, mut err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut c = util::limited_to(command, limit);
    let status = c.stdout(out.try_clone()?).stderr(err.try_clone()?).status().context("cannot start timeout")?;
    let text = |f: &mut std::fs::File| -> Result<String> {
        let mut bytes = Vec::new();
        f.rewind()?;
        f.read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    let status = (!LATE.contains(&status.code())).then_some(status);
    Ok(Outcome { stdout: text(&mut out)?, stderr: text(&mut err)?, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Outcome {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn output_and_status() {
        let good = shell("echo figures; echo noise >&2", Duration::from_secs(20));
        assert_eq!((good.stdout.as_str(), good.stderr.as_str()), ("figures\n", "noise\n"));
        assert_eq!(good.complaint(), None);
        let bad = shell("echo figures; echo '---' >&2; echo broken >&2; exit 3", Duration::from_secs(20));
        assert_eq!(bad.stdout, "figures\n");
        assert_eq!(bad.complaint().unwrap(), "exit status: 3: broken");
        let framed = shell("echo 8 0.1; echo '=   BAD TERMINATION'; exit 9", Duration::from_secs(20));
        assert_eq!(framed.complaint().unwrap(), "exit status: 9: BAD TERMINATION");
    }

    #[test]
    fn the_time_limit_ends_it() {
        let begun = std::time::Instant::now();
        let late = shell("echo first; sleep 600", Duration::from_millis(200));
        assert!(late.status.is_none());
        assert_eq!(late.stdout, "first\n");
        assert!(late.complaint().unwrap().starts_with("no end within the time limit"));
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
}
