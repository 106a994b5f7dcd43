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
    stderr: String,
    status: ExitStatus,
}

impl Outcome {
    /// Why the run is not a good one; None if it is.
    pub fn complaint(&self) -> Option<String> {
        let how = match self.status {
            s if s.success() => return None,
            s if LATE.contains(&s.code()) => "no end within the time limit".to_string(),
            s => s.to_string(),
        };
        // Launchers draw frames, and print messages on stdout, where a table may be too.
        let words = |l: &&str| l.chars().any(char::is_alphabetic);
        let trouble = |l: &&str| ["abort", "error", "signal", "terminat"].iter().any(|w| l.to_lowercase().contains(w));
        let message = self.stderr.lines().find(words).or_else(|| self.stdout.lines().find(trouble));
        let told = message.map(|line| format!(": {}", line.trim_matches(|c: char| c == '=' || c.is_whitespace())));
        Some(how + &told.unwrap_or_default())
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
    Ok(Outcome { stdout: text(&mut out)?, stderr: text(&mut err)?, status })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Outcome {
        run(Command::new("sh").args(["-c", script]), limit).unwrap()
    }

    #[test]
    fn output_and_complaint() {
        let long = Duration::from_secs(20);
        let good = shell("echo figures; echo noise >&2", long);
        assert_eq!((good.stdout.as_str(), good.complaint()), ("figures\n", None));
        let bad = shell("echo figures; echo '---' >&2; echo broken >&2; exit 3", long);
        assert_eq!(bad.complaint().unwrap(), "exit status: 3: broken");
        let framed = shell("echo 8 0.1; echo '=   BAD TERMINATION'; exit 9", long);
        assert_eq!(framed.complaint().unwrap(), "exit status: 9: BAD TERMINATION");
        let late = shell("echo first; sleep 600", Duration::from_millis(200));
        assert_eq!(late.stdout, "first\n");
        assert!(late.complaint().unwrap().starts_with("no end within the time limit"));
    }
}
